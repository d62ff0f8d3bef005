"""Files of every format, for the readers, the plain readers and the readers of constraints."""

import io
import json
import random
import struct
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from mutations import archive, mutated, packed, tree

from made import arrow_bytes, parquet_bytes, small_blocks
from novikoff.data import readers
from novikoff.data.readers import nvkd
from novikoff.data.sources import ReadError
from novikoff.foundation.matrix_checks import checked
from novikoff.proof.certificate import RATIONALS
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import PlainError, read_plainly
from novikoff.solve.constraint_files import read_constraints
from novikoff.solve.labelled_decimals import decimals_of

SVMLIGHT = [
    b"1 1:1.5 3:-2e-3 7:12345678\n-1 2:0.25 # a comment: 1:2\n+1 qid:3 1:1 60:4.75\n",
    b"\xef\xbb\xbfspam 0:1 5:2\nham 1:.5 4194305:1\r\n\n# nothing\nspam 2:3.14159265358979 9223372036854775807:1\n",
    b"".join(b"%d %d:%d.%d %d:1e%d\n" % (k % 2, k % 9 + 1, k, k * 37 % 1000, k % 50 + 10, k % 20) for k in range(60)),
]
LONG_SVMLIGHT = b"1 1:0.12345678901234567890 7:1e-150\n0 3:9007199254740993 1:0.1 # 1e-999\n"
LONG_CSV = b'a,colour,b,kind\n0.12345678901234567890,red,1,1\n"9007199254740993",green,0.1,0\n3,red,1e-150,1\n'
VW = [
    b"1 2 'tag|a b:2 c:-1e-3 |f:0.5 7 9:0.1\n-1 |gr\xc3\xb6\xc3\x9fe d:red\n1 |a b\n",
    b"spam 0.5 0 x|ns:2 a b c:3 :4\nham |ns d e:0.12345678901234567890123\n",
    b"".join(b"%d |words w%d w%d:%d\n" % (k % 2 * 2 - 1, k, k * 7, k) for k in range(50)),
]
CSV = [
    b"size,colour,kind\n1.5,red,cat\n-2e3,green,dog\n0,red,cat\n",
    b"1;2;a\n3;4;b\n5;6;a\n",
    b'"a ""b""",c\n"1",x\n" 2 ",y\n\n3,x\n',
    b"a,b,c,kind\n1,NA,red,x\n,2,?,y\nnull,-9,,x\n4,5,red,y\n",
    b"x\ty\n" + b"".join(b"%d.5\t%d\n" % (k, k % 3) for k in range(80)),
]
JSONL = [
    b'{"features": {"age": 3, "tame": true, "colour": "red"}, "label": "cat", "weight": 2}\n'
    b'{"features": {"age": -1.5e3}, "label": "dog"}\n',
    b'{"label": 1, "features": {"a": 1, "b": 2.5}, "id": [null, {"x": 1}]}\n{"label": 0, "features": {"a": 1}}\n',
    b"".join(b'{"features": {"f%d": %d}, "label": %d}\n' % (k % 7, k, k % 2) for k in range(60)),
]
TEXT = [
    "spam\tbuy now, 1:2 größe don't 🙂\nham\thow are you\n".encode(),
    b"".join(b"%d\tword%d another word%d\n" % (k % 2, k, k * 3) for k in range(60)),
]
MAIL = [
    b"From a@b\nSubject: =?utf-8?b?b2ZmZXI=?=\nContent-Type: text/html\n\n<p>hello &amp; <b>x</b>"
    b" http://a.b/c</p>\n\nFrom c@d\nTo: e\n\nhi\n>From\n",
    b"Subject: a\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n"
    b"Content-Transfer-Encoding: base64\n\naGVsbG8=\n--x\nContent-Transfer-Encoding: quoted-printable\n\nso=20it=\nis\n--x--\n",
]
TABLE = [b"1,2,3\n-1,0.5,2e3\n", b"a b\n1 2\n3 4\n", b"1\t-2\n.5\t1e-3\n"]
MPS = [
    b"""NAME test
ROWS
 N cost
 L lim1
 G lim2
 E eq
COLUMNS
    x cost 1 lim1 1
    x lim2 1
    y cost 2 lim1 1
    y eq -1
    z eq 1
RHS
    RHS lim1 4 lim2 1
    RHS eq 7
RANGES
    RNG lim1 2.5
BOUNDS
 UP BND x 4
 LO BND y -1
 FR BND z
ENDATA
""",
    b"""NAME
ROWS
 N obj
 G r1
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    x1        r1        1.0
    MARKER                 'MARKER'                 'INTEND'
    x2        r1        -1.0   obj       2
RHS
    rhs       r1        1
ENDATA
""",
]

LP = [
    b"""\\ a comment
Maximize
 obj: 3x + 2 y - 0.5 z + 7
Subject To
 lim1: x + y <= 4
 -2.5 <= x - 1e-3 y <= 8
 eq: - y + z
  = 7
Bounds
 x <= 4
 -1 <= y <= 1e30
 z free
Generals
 x
Binaries
 b
End
""",
    b"min\nst\nr[1]: .5 a(1,2) + + x >= -3\nbounds\n- inf <= x <= +infinity\nsemi\nend\n",
]


def npz(**arrays):
    made = io.BytesIO()
    np.savez(made, **arrays)
    return made.getvalue()


def sparse_npz(X, **more):
    X = sp.coo_array(X) if X.format == "coo" else X
    names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(X.format, ("indices", "indptr"))
    parts = {name: getattr(X, name) for name in names}
    return npz(format=X.format.encode(), shape=np.array(X.shape), data=X.data, **parts, **more)


X, Y = np.array([[1.0, 0, 2], [0, -1, 0], [3, 1, -1], [0, 0, 0]]), np.array([0, 1, 0, 1])
FORMATS = [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array]
ARCHIVES = [
    npz(X=X, y=Y),
    npz(X=X.astype(np.float32), y=np.array(["a", "b", "a", "b"])),
    *(sparse_npz(f(X), y=Y) for f in FORMATS),
]
MATRICES = [npz(A=X), npz(X=X.astype(int)), *(sparse_npz(f(X)) for f in FORMATS)]


def arrow_seeds():
    table = pa.table(
        {
            "size": [1.5, -2.0, 0.0, 3.25],
            "whole": pa.array([1, 2, 3, 4], pa.int8()),
            "colour": ["red", "green", "red", "blue"],
            "coded": pa.array(["a", "b", "a", "b"]).dictionary_encode(),
            "kind": ["cat", "dog", "cat", "dog"],
        }
    )
    return [parquet_bytes(table), arrow_bytes(table, False), arrow_bytes(table, True)]


class Reader:
    """The readers, of one format or several: all rows at once, and in small blocks."""

    seeds: ClassVar[dict[str, list[bytes]]]  # by suffix
    refusals = (ReadError,)

    def begin(self):
        taken = 0
        for suffix, seeds in self.seeds.items():
            for seed in seeds:
                with suppress(*self.refusals):
                    self.use_bytes(seed, suffix)
                    taken += 1
        assert taken, "not one of the seeds is taken"
        for content in (SVMLIGHT[0], VW[0], TEXT[0], MAIL[0]):  # files without a suffix may be taken for these: compiled now
            with suppress(*self.refusals):
                self.use_bytes(content, "")

    def use_bytes(self, content, suffix):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"seed{suffix}"
            path.write_bytes(content)
            self.use(path, random.Random(0))

    def make(self, rng):
        suffix = rng.choice(sorted(self.seeds))
        seeds = self.seeds[suffix]
        return packed(rng, self.change(rng, rng.choice(seeds), seeds)), suffix if rng.random() < 0.9 else ""

    def change(self, rng, seed, seeds):
        return mutated(rng, seed, seeds)

    def use(self, path, rng):
        options = {"skip_bad_lines": rng.random() < 0.3, "unlabelled": rng.random() < 0.3 or self.unlabelled, "bits": 10}
        options["prepared"] = rng.random() < 0.5
        look(readers.open(path, **options).read(), gaps=options["prepared"])
        with small_blocks(rng.choice((16, 64, 300))):
            for block in readers.open(path, **options):
                look(block, gaps=options["prepared"])

    unlabelled = False


def look(found, gaps=False):
    assert found.X.shape[0] == len(found.y)
    assert found.X.dtype == np.float64
    values = found.X.data if sp.issparse(found.X) else found.X
    values = np.where(np.isnan(values), 0, values) if gaps else values
    checked(found.X._with_data(values) if sp.issparse(found.X) else values)
    assert np.isfinite(values).all()


class Svmlight(Reader):
    seeds: ClassVar = {".svm": SVMLIGHT}


class Vw(Reader):
    seeds: ClassVar = {".vw": VW}


class Csv(Reader):
    seeds: ClassVar = {".csv": CSV}


class Jsonl(Reader):
    seeds: ClassVar = {".jsonl": JSONL}


class TextAndMail(Reader):
    seeds: ClassVar = {".text": TEXT, ".eml": MAIL, ".mbox": MAIL}
    unlabelled = True


class Arrow(Reader):
    seeds: ClassVar = {".parquet": arrow_seeds()[:1], ".arrow": arrow_seeds()[1:]}


class Npz(Reader):
    seeds: ClassVar = {".npz": ARCHIVES}

    def change(self, rng, seed, seeds):
        return archive(rng, seed) if rng.random() < 0.8 else mutated(rng, seed, seeds)


class Nvkd(Reader):
    """Its numbers need not be finite: whoever learns from them looks."""

    def begin(self):
        self.seeds = {".nvkd": []}
        with tempfile.TemporaryDirectory() as folder:
            for suffix, content in (
                (".svm", SVMLIGHT[0]),
                (".svm", SVMLIGHT[1]),
                (".csv", CSV[0]),
                (".csv", CSV[1]),
                (".text", TEXT[0]),
            ):
                path = Path(folder) / f"seed{suffix}"
                path.write_bytes(content)
                nvkd.convert(readers.open(path, bits=6), str(path.with_suffix(".nvkd")))
                self.seeds[".nvkd"].append(path.with_suffix(".nvkd").read_bytes())
        super().begin()

    def change(self, rng, seed, seeds):
        if rng.random() < 0.3:
            return mutated(rng, seed, seeds)
        length = int.from_bytes(seed[:8], "little")
        header, arrays = seed[8 : 8 + length], seed[8 + length :]
        if rng.random() < 0.5:
            table = json.loads(header)
            about = json.loads(table["__metadata__"]["novikoff"])
            if rng.random() < 0.5:
                table["__metadata__"]["novikoff"] = json.dumps(tree(rng, about))
            else:
                table = tree(rng, table)
            header = json.dumps(table).encode()
        else:
            arrays = mutated(rng, arrays)
        return struct.pack("<Q", len(header)) + header + arrays

    def use(self, path, rng):
        for known in (None, self.known):
            data = readers.open(path, features=known)
            try:
                found = data.read()
            except ReadError:
                if known is not None:
                    raise
                continue
            checked(found.X)
            for block in readers.open(path, features=data.features):
                checked(block.X)

    @property
    def known(self):
        from novikoff.data.features import Numbered

        known = Numbered(1, 3)
        known.frozen = True
        return known


class Plain(Reader):
    """The stranger's own readers."""

    seeds: ClassVar = {".svm": SVMLIGHT, ".csv": CSV, ".npz": ARCHIVES}
    refusals = (PlainError,)

    def change(self, rng, seed, seeds):
        return archive(rng, seed) if seed[:2] == b"PK" and rng.random() < 0.8 else mutated(rng, seed, seeds)

    def use(self, path, rng):
        rows, labels, width = read_plainly(path)
        checked(rows)
        assert rows.shape == (len(labels), width)


class Decimals(Reader):
    """Rows whose numbers are the decimals of the file."""

    seeds: ClassVar = {".svm": [*SVMLIGHT, LONG_SVMLIGHT], ".csv": [*CSV, LONG_CSV]}
    refusals = (ReadError, PlainError)

    def use(self, path, rng):
        files = readers.open(path, skip_bad_lines=rng.random() < 0.3)
        found = decimals_of(files.read().X, files)
        checked(found.nearest)
        rows, labels, width = read_plainly(path, None, RATIONALS)
        assert rows.shape == (len(labels), width)


class Constraints(Reader):
    """Both readers of constraints."""

    seeds: ClassVar = {".csv": TABLE, ".mps": MPS, ".lp": LP, ".npz": MATRICES}
    refusals = (ReadError, PlainError)

    def change(self, rng, seed, seeds):
        return archive(rng, seed) if seed[:2] == b"PK" and rng.random() < 0.8 else mutated(rng, seed, seeds)

    def use(self, path, rng):
        try:
            checked(read_constraints(path).A)
        except ReadError:
            checked(read_constraints_plainly(path)[0])
            return
        checked(read_constraints_plainly(path)[0])


FUZZERS = {
    "svmlight": Svmlight,
    "vw": Vw,
    "csv": Csv,
    "jsonl": Jsonl,
    "text": TextAndMail,
    "arrow": Arrow,
    "npz": Npz,
    "nvkd": Nvkd,
    "plain": Plain,
    "decimals": Decimals,
    "constraints": Constraints,
}
