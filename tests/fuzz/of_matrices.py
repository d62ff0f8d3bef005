"""Sparse matrices whose parts do not fit together, at every door. Each array ends where memory ends that may be read."""

import ctypes
import json
import mmap

import numpy as np
import scipy.sparse as sp

from hostile import doors

SLOW = ("plot.", "report", "archive", "development")  # and covered elsewhere
CSR_ALONE = ("Learner", "examples", "model of")
SPECIAL = (0, 1, -1, 2, 3, 5, 6, 7, 100, 10**6, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**62, 2**63 - 1, -(2**63))
KINDS = ("i4", "i4", "i4", "i8", "i8", "u4", "u8", "i2", "i1", ">i4", "f8")
LIBC = ctypes.CDLL(None, use_errno=True)


def at_the_edge(array):
    """A copy right before a page that nobody may read."""
    if not array.nbytes:
        return array
    pages = -(-array.nbytes // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 1) * mmap.PAGESIZE)
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + pages * mmap.PAGESIZE
    if LIBC.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(mmap.PAGESIZE), 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    copy = np.frombuffer(memory, array.dtype, array.size, pages * mmap.PAGESIZE - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy


class Matrices:
    refusals = (ValueError,)

    def begin(self):
        self.doors = {name: enter for name, enter in doors() if not name.startswith(SLOW)}
        for name, enter in self.doors.items():
            if name not in ("KernelPerceptron('precomputed').fit", "verify", "verify, of a system"):
                enter(sp.csr_array(np.array([[1.0, 0, 2], [0, -1, 0], [3, 1, -1]])))

    def make(self, rng):
        """What is done to which matrix, in words: the input itself is made of it when it is used."""
        told = {"format": rng.choice(("csr", "csr", "csc", "coo", "bsr", "lil", "dia")), "door": rng.choice(sorted(self.doors))}
        if told["door"].startswith(CSR_ALONE):
            told["format"] = "csr"
        told["numbers"] = [rng.choice((0, 0, 1, -1, 2.5)) for _ in range(9)]
        told["values"] = rng.choice(("f8", "f8", "f4", "i8", "?"))
        told["changes"] = [self._change(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        return json.dumps(told).encode(), ".json"

    def _change(self, rng):
        what = rng.choice(("indptr", "indptr", "indptr", "indices", "indices", "data", "row", "col", "offsets", "shape"))
        how = rng.choice(("set", "set", "set", "type", "shorter", "longer", "swap"))
        return [what, how, rng.randrange(12), rng.randrange(12), rng.choice(SPECIAL), rng.choice(KINDS)]

    def use(self, path, rng):
        told = json.loads(path.read_bytes())
        X = sp.csr_array(np.array(told["numbers"], told["values"]).reshape(3, 3)).asformat(told["format"])
        for change in told["changes"]:
            apply(X, *change)
        for name in ("data", "indices", "indptr", "offsets"):
            if isinstance(getattr(X, name, None), np.ndarray) and getattr(X, name).dtype != object:
                setattr(X, name, at_the_edge(getattr(X, name)))
        self.doors[told["door"]](X)


def apply(X, what, how, i, j, number, kind):
    if what == "shape":
        X._shape = (3, 3 + number % 3) if how == "set" else (3 + i % 2, 3)
        return
    if what in ("row", "col") and X.format == "coo":
        places = list(X.coords)
        places[what == "col"] = changed(places[what == "col"], how, i, j, number, kind)
        X.coords = tuple(places)
    elif isinstance(getattr(X, what, None), np.ndarray):
        setattr(X, what, changed(getattr(X, what), how, i, j, number, kind))


def changed(array, how, i, j, number, kind):
    array = array.copy()
    if not len(array) or array.dtype == object:
        return array
    i, j = i % len(array), j % len(array)
    if how == "set":
        bits = array.dtype.itemsize * 8
        array[i] = (
            np.int64(number).astype(array.dtype)
            if array.dtype.kind != "i"
            else (number + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
        )
    elif how == "swap":
        array[[i, j]] = array[[j, i]]
    elif how == "shorter":
        array = array[: i + 1] if j % 2 else array[i:]
    elif how == "longer":
        array = np.concatenate([array, array])
    elif array.dtype.kind in "iu":
        array = array.astype(kind)
    return array


FUZZERS = {"matrices": Matrices}
