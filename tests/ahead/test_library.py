"""The library of compiled loops: what is in it, what is refused, and that it gives the bits that numba gives."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from novikoff.ahead.uses import all_uses
from novikoff.compiler import by_numba, library
from novikoff.compiler.dispatch import MachineCode, compiled
from novikoff.compiler.words import take_apart
from novikoff.engine.labelled_rows import examples, score_rows

built = pytest.mark.skipif(library.library() is None, reason="no library has been built: make library")
ROOT = Path(__file__).resolve().parents[2]


def run(code, **environment):
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_every_use_has_a_name_of_its_own():
    names = [use.name for use in all_uses()]
    assert len(set(names)) == len(names)


@built
def test_the_library_has_every_use():
    for use in all_uses():
        assert hasattr(library.library(), use.name), use.loop.__name__


UNSAFE = """
import numpy as np
from novikoff.ahead.machine_code import UnsafeError, Use, machine_code, run_nothing

def allocates(x): return np.ones(int(x[0])).sum()
def raises(x):
    if x[0] > 1:
        raise ValueError("no")
    return 0
def steps(x, n): return x[:: n][0]
def harmless(x): return x[0] * 2

run_nothing()
for loop, more in ((harmless, ()), (allocates, ()), (raises, ()), (steps, (0,))):
    try:
        machine_code(Use(loop, [np.ones(2), *more]), ["x86-64-v2" if "x86" in __import__("platform").machine() else "generic"])
        print(loop.__name__, "is taken")
    except UnsafeError as error:
        print(error)
"""


def test_a_use_that_could_raise_or_allocate_is_refused_by_name():
    harmless, *others = run(UNSAFE).splitlines()
    assert harmless == "harmless is taken"
    for name, line in zip(("allocates", "raises", "steps"), others, strict=True):
        assert line.startswith(f"{name}(")
        assert ("cannot be compiled" if name == "allocates" else "could raise an error or allocate memory") in line


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the library, which is loaded in place of it."""
    shutil.copytree(library.FOLDER, tmp_path / "built")
    (tmp_path / "built").chmod(0o755)
    monkeypatch.setattr(library, "FOLDER", tmp_path / "built")
    return tmp_path / "built"


def loaded():
    return library.library.__wrapped__()


@built
def test_a_library_that_is_not_ours_is_not_loaded(copied, monkeypatch):
    assert loaded() is not None
    with monkeypatch.context() as patch:
        patch.setenv("NOVIKOFF_LIBRARY", "off")
        assert loaded() is None
    with monkeypatch.context() as patch:
        patch.setenv("NUMBA_BOUNDSCHECK", "1")
        assert loaded() is None
    with monkeypatch.context() as patch:  # built from other sources
        patch.setattr(library, "digest_of", lambda sources: "another")
        assert loaded() is None
    with monkeypatch.context() as patch:  # arrays have their numbers elsewhere
        other = library.SAMPLE + 1
        patch.setattr(library, "take_apart", lambda values, key, words: take_apart([other[:, ::1]], key, words))
        assert loaded() is None
    assert loaded() is not None


@built
@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_library_that_others_may_write_to_is_not_loaded(copied):
    for place in (copied, *copied.glob("loops-*")):
        mode = place.stat().st_mode
        place.chmod(0o777)
        assert loaded() is None
        place.chmod(mode)
    assert loaded() is not None


@built
def test_a_damaged_library_is_not_loaded(copied):
    for path in copied.glob("loops-*"):
        content = path.read_bytes()
        for damaged in (content[:5000], content[:-1], b"", content[:999] + b"?" + content[1000:]):
            path.write_bytes(damaged)
            assert loaded() is None
        path.write_bytes(content)
    assert loaded() is not None


@built
@pytest.mark.skipif(shutil.which("objdump") is None, reason="there is no objdump, which lists what a library needs")
def test_the_library_needs_no_newer_glibc_than_the_wheel_says():
    said = re.search(r'"manylinux_(\d+)_(\d+)"', (ROOT / "hatch_build.py").read_text())
    for path in library.FOLDER.glob(f"*{library.SUFFIX}"):
        listed = subprocess.run(["objdump", "-T", str(path)], capture_output=True, text=True, check=True).stdout
        for version in re.findall(r"GLIBC_(\d+)\.(\d+)", listed):
            assert tuple(map(int, version)) <= tuple(map(int, said.groups())), path


@built
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_go_where_they_belong_however_rows_lie(kind):
    X = np.arange(24, dtype=kind).reshape(4, 6)
    w = np.arange(7.0)[None]
    for rows in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], np.repeat(X, 3, axis=0)[::3]):
        out = np.zeros((4, 1))
        sheet = examples(rows, [0, 1, 0, 1]).sheet
        assert compiled(score_rows)(sheet.rows, 0, 4, w, out) == -1
        assert out[:, 0].tolist() == (X @ w[0, :-1] + 6.0).tolist()


@built
def test_bound_to_arrays_it_gives_the_same():
    w, out = np.array([[1.0, 2.0, 3.0]]), np.zeros((2, 1))
    rows = examples(np.array([[1.0, 0.5], [2.0, 4.0]]), [0, 1]).sheet.rows
    run = compiled(score_rows).bound_to(rows, 0, 2, w, out)
    for first, n, expected in ((0, 2, [5.0, 13.0]), (1, 1, [13.0, 13.0])):
        assert run(rows, first, n, w, out) == -1
        assert out[:, 0].tolist() == expected


def test_without_numba_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(by_numba, "find_spec", lambda name: None)

    def own(x):
        return x[0]

    with pytest.raises(ImportError, match=r"does not have own .*pip install 'novikoff\[rules\]'"):
        MachineCode(own)(np.ones(1))


def test_a_command_without_library_and_numba_says_so_in_a_sentence(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:-1\n")
    code = "import sys; sys.modules['numba'] = None; from novikoff.cli import main; main(['fit', 'a.svm'])"
    code = code.replace("from novikoff", "import importlib.util as u; u.find_spec = lambda name: None; from novikoff", 1)
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"NOVIKOFF_LIBRARY": "off"}
    )
    assert found.returncode == 3
    assert re.fullmatch(r"novikoff: the compiled library.*pip install 'novikoff\[rules\]'\n", found.stderr)


MANY = """
import hashlib, itertools, random, warnings
import numpy as np, scipy.sparse as sp
warnings.simplefilter("ignore")
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((60, 5)) * (rng.random((60, 5)) < 0.7), 3)
label = rng.integers(0, 3, 60)
digest = hashlib.sha256()
lies = np.asarray, np.asfortranarray, sp.csr_array
stores = [lambda X, kind=kind, f=f: f(X.astype(kind)) for kind in (np.float64, np.float32) for f in lies]
every = itertools.product(
    ("last", "averaged", "pocket"), ("none", "diagonal", "full", "stream"), ("ovr", "direct"), enumerate(stores)
)
rule = {rule!r}
for readout, confidence, multiclass, (_, store) in random.Random(rule).sample(list(every), 12):  # numba takes seconds for each
    learner = Learner(rule, readout=readout, confidence=confidence, multiclass=multiclass, order="each", seed=1)
    learner.fit(examples(store(X), label), 3)
    found = learner.weights()
    digest.update(np.ascontiguousarray(found).tobytes())
    digest.update(learner.decide(store(X)).tobytes())
print(digest.hexdigest())
"""


@built
@pytest.mark.full
@pytest.mark.parametrize("rule", ["arow", "margin", "pa-i", "rosenblatt", "second-order", "stream", "threshold", "pa", "pa-ii"])
def test_the_bits_are_those_that_numba_gives(rule):
    """Of some of the combinations of readouts, confidences, many classes and storages: what families choose from at run time."""
    code = MANY.replace("{rule!r}", repr(rule))
    assert run(code) == run(code, NOVIKOFF_LIBRARY="off")


BLOCKED = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not full", *sys.argv[1:]]))
"""


@built
@pytest.mark.parametrize(
    "tests",
    [
        ["tests/test_guide.py", "-k", "commands_print and not adding-a-rule"],
        [
            "tests/estimators/test_sklearn_checks.py",
            "tests/estimators/test_online_learner.py",
            "tests/estimators/test_real_data.py",
        ],
    ],
    ids=["commands", "estimators"],
)
def test_everything_documented_works_without_numba(tests):
    ended = subprocess.run([sys.executable, "-c", BLOCKED, *tests], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-3000:]
