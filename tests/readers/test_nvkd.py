"""The converted form is as good as the file that it was made from, whatever the columns of those who ask."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import FILES, rows_of

from novikoff import readers
from novikoff.readers.nvkd import convert
from novikoff.sources import ReadError

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
    if found is None:
        return
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
    if found is None:
        return
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
    with pytest.raises(ReadError, match="its features are numbered, but those before are named"):
        readers.open(tmp_path / "a.nvkd", features=model.features).read()
