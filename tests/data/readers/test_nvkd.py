"""The converted form is as good as the file that it was made from, whatever the columns of those who ask."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from made import FILES, rows_of
from novikoff import Learner
from novikoff.data import readers
from novikoff.data.readers.nvkd import convert
from novikoff.data.sources import ReadError
from novikoff.models.training import train

numbers = st.sampled_from(["0", "1", "-2.5", "3e2"])
words = st.sampled_from(["red", "green", "blue"])
COLUMNS = {"size": numbers, "age": numbers, "7": numbers, "colour": words, "shape": words}


@st.composite
def tables(draw, columns, among=()):
    """A table of these columns and some of the others, in whatever order; the label stands last."""
    others = draw(st.lists(st.sampled_from([name for name in among if name not in columns]), unique=True)) if among else []
    names = draw(st.permutations([*columns, *others]))
    rows = [[draw(COLUMNS[name]) for name in names] + [draw(st.sampled_from("ab"))] for _ in range(draw(st.integers(1, 6)))]
    return "".join(",".join(row) + "\n" for row in [[*names, "kind"], *rows]).encode()


def pairs(kind):
    """What a model is made from, and what it is asked about."""
    if kind == "csv":
        columns = st.lists(st.sampled_from([name for name in COLUMNS if name != "7"]), min_size=1, max_size=3, unique=True)
        return columns.flatmap(lambda names: st.tuples(tables(names), tables(names, COLUMNS)))
    return st.tuples(FILES[kind], FILES[kind])


KINDS = ["svm", "csv", "jsonl", "npz", "vw", "text"]


def rows_in(paths, features=None, **options):
    """All rows, by the names of their features; None where they are refused.

    At once, since in a stream the first block tells whether labels are numbers, and blocks are others in the converted form.
    """
    data = readers.open(paths, features=features, bits=12, **options)
    try:
        return rows_of(data.read(), data.features)
    except ReadError:
        return None


def made_of(folder, kind, contents):
    """These contents as files, and each in the converted form; None where one of them is refused."""
    paths = [folder / f"{k}.{kind}" for k in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
        try:
            convert(readers.open(path, bits=12), str(path.with_suffix(".nvkd")))
        except ReadError:
            return None
    return paths, [path.with_suffix(".nvkd") for path in paths]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(st.data())
def test_a_model_is_told_the_same_by_both_forms(tmp_path_factory, kind, data):
    """A model's columns are found by name, number or hash; what it has not met is left out."""
    found = made_of(tmp_path_factory.mktemp("forms"), kind, data.draw(pairs(kind)))
    assume(found is not None)
    (train, test), (_, converted) = found
    known = readers.open(train, bits=12)
    known.read()
    known.features.frozen = True
    width = known.features.width
    rows = rows_in(converted, known.features)
    assert rows == rows_in(test, known.features)
    assert known.features.width == width
    if rows is not None:
        assert {block.X.shape[1] for block in readers.open(converted, features=known.features)} == {width}


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None)
@given(st.data())
def test_several_converted_files_are_one(tmp_path_factory, kind, data):
    """While learning, features that are new get columns of their own."""
    found = made_of(tmp_path_factory.mktemp("several"), kind, data.draw(pairs(kind)))
    assume(found is not None)
    both, other_both = rows_in(found[0]), rows_in(found[1])
    if both is not None and other_both is not None:  # a table must have the columns of those before
        assert other_both == both


@pytest.mark.parametrize("option", ["bits", "words", "characters"])
def test_what_was_hashed_otherwise_is_refused(tmp_path, option):
    (tmp_path / "a.text").write_text("spam\tbuy now\nham\thow are you\n")
    convert(readers.open(tmp_path / "a.text", **{option: 3}), str(tmp_path / "a.nvkd"))
    model = readers.open(tmp_path / "a.text", bits=12)
    model.read()
    with pytest.raises(ReadError, match=rf"hashed as text \(.*{option} 3.*; convert it again"):
        readers.open(tmp_path / "a.nvkd", features=model.features).read()


def test_other_kinds_of_features_are_refused(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "a.jsonl").write_text('{"features": {"1": 1}, "label": 1}\n')
    convert(readers.open(tmp_path / "a.svm"), str(tmp_path / "a.nvkd"))
    model = readers.open(tmp_path / "a.jsonl")
    model.read()
    with pytest.raises(ReadError, match="has numbered features, but the model has named features"):
        readers.open(tmp_path / "a.nvkd", features=model.features).read()


# ---- files that change, and files that lie ---------------------------------------------------------------------------

CHANGES = {
    "cut short": lambda path: os.truncate(path, 4096),
    "emptied": lambda path: os.truncate(path, 0),
    "rewritten": lambda path: path.write_bytes(os.urandom(2**16)) and None,
}
USES = {
    "blocks": lambda path, change: [change() for block in readers.open(path)],
    "a shuffled fit": lambda path, change: train(
        Learner("margin", order="each"), readers.open(path), 3, memory=1, on_pass=lambda report: change()
    ),
    "a fit, read again": lambda path, change: train(
        Learner("margin"), readers.open(path), 3, memory=1, on_pass=lambda report: change()
    ),
    "rows held": lambda path, change: use_held(readers.open(path).read(), change),
}


def use_held(rows, change):
    change()
    assert rows.X.sum() > 0
    raise ReadError("was changed while it was read, but these rows are in memory")


def while_it_is_read(folder):
    """Change a converted file in each way, in the midst of each use. A mapped file would end the process."""
    X = sp.random(40_000, 50, 0.5, "csr", rng=np.random.default_rng(0))
    save_npz(folder / "d.npz", X, np.arange(40_000) % 2)
    convert(readers.open(folder / "d.npz"), str(folder / "whole.nvkd"))
    path = folder / "d.nvkd"
    for use in USES:
        for change in CHANGES:
            print(f"{use}, {change}", flush=True)
            shutil.copy(folder / "whole.nvkd", path)
            os.utime(path, (0, 0))
            with pytest.raises(ReadError, match=r"was changed while it was read|is damaged or cut short|is empty"):
                USES[use](path, lambda change=change: CHANGES[change](path))
    print("done")


def test_a_file_that_is_changed_while_it_is_read_ends_in_a_sentence(tmp_path):
    """And never in a signal, which is how a mapped file ends."""
    here = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    program = f"import sys; sys.path[:0] = {here}; from test_nvkd import *; while_it_is_read(Path({str(tmp_path)!r}))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
    assert ended.stdout.endswith("done\n"), (ended.returncode, ended.stdout[-200:], ended.stderr[-2000:])


def save_npz(path, X, y):
    np.savez(path, format=b"csr", shape=X.shape, data=X.data, indices=X.indices, indptr=X.indptr, y=y)


LIES = {
    "starts that fall": {"starts": np.array([0, 3, 1, 4], np.int32)},
    "starts that wrap around": {"starts": np.array([0, 2**31 - 1, -2, 4], np.int32)},
    "starts that begin late": {"starts": np.array([2, 3, 3, 4], np.int32)},
    "starts beyond the end": {"starts": np.array([0, 2, 3, 10**9], np.int32)},
    "starts that are floats": {"starts": np.array([0, 2, 3, 4], np.float64)},
    "a column too large": {"columns": np.array([0, 2, 1, 10**9], np.int32)},
    "a negative column": {"columns": np.array([0, 2, 1, -(10**9)], np.int32)},
    "codes that are floats": {"codes": np.array([0, 1, 0], np.float64)},
    "a code too large": {"codes": np.array([0, 9, 0], np.int32)},
    "a negative code": {"codes": np.array([0, -1, 0], np.int32)},
    "too few codes": {"codes": np.array([0, 1], np.int32)},
    "too few values": {"values": np.array([1.0, 2.0])},
    "a width that is a float": {"width": 3.0},
    "a width that is none": {"width": None},
    "a width too large": {"width": 2**62},
    "rows that are a float": {"rows": 3.0},
    "labels that are numbers": {"labels": [1, 2]},
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("whole", [True, False])
def test_a_file_that_does_not_fit_together_is_refused(tmp_path, lie, whole):
    (tmp_path / "d.svm").write_text("1 1:1 3:2\n-1 2:1\n1 3:1.5\n")
    convert(readers.open(tmp_path / "d.svm"), str(tmp_path / "d.nvkd"))
    content = (tmp_path / "d.nvkd").read_bytes()
    tensors = load_tensors(content)
    about = json.loads(json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]["novikoff"])
    for name, what in LIES[lie].items():
        (tensors if isinstance(what, np.ndarray) else about)[name] = what
    if about["width"] == 2**62:
        about["features"]["near"] = about["width"]
    (tmp_path / "d.nvkd").write_bytes(save_tensors(tensors, {"novikoff": json.dumps(about)}))
    with pytest.raises(ReadError, match=r"d\.nvkd: is damaged or cut short; convert the data again"):
        readers.open(tmp_path / "d.nvkd").read() if whole else list(readers.open(tmp_path / "d.nvkd"))
