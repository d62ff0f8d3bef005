"""The compiled loop of tables against Python's csv module: the same rows, the same gaps, the same errors in the same words."""

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.data import readers, sources
from novikoff.data.readers import csv as tables
from novikoff.data.readers import open as opened
from novikoff.data.sources import ReadError

NUMBERS = ["0", "1", "-2.5", "+3", ".5", "7.", "1e3", "0.1234567890123456789012", "123456789.123456", "9" * 25, "4e-320"]
WORDS = [
    "red",
    "blue",
    "deep red",
    "Österreich",
    "a category of more than eight bytes",
    "a category of more than eight bytez",
    "x=1",
]
GAPS = ["", "NA", "?", "nan", "-9", "  "]
ODD = ["inf", "1e999", "1_0", "1 2", "\u00a0", "\u00a01", "red\u2028", "a\tb", 'say "no"', "\x1c2", "two\nlines", "\r", "NaN "]
fields = {
    "numbers": st.sampled_from(NUMBERS),
    "words": st.sampled_from(WORDS),
    "gaps": st.sampled_from(GAPS),
    "odd": st.sampled_from(ODD),
}
number = st.one_of(fields["numbers"], fields["numbers"], fields["numbers"], fields["numbers"], fields["gaps"])
word = st.one_of(fields["words"], fields["words"], fields["words"], fields["gaps"])
any_field = st.one_of(*fields.values())


@st.composite
def written(draw, text, separator):
    """A field, with quotes where they are needed or drawn."""
    how = draw(st.integers(0, 9))
    quoted = '"' + text.replace('"', '""') + '"'
    if how == 0:
        return text  # perhaps wrong
    if any(character in text for character in (separator, '"', "\n", "\r")) or how < 3:
        return " " * draw(st.integers(0, 1)) + quoted
    return " " * (how == 3) + text + " " * (how == 4)


@st.composite
def table_bytes(draw):
    separator, end = draw(st.sampled_from(",;\t")), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    kinds = draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))
    wild = draw(st.booleans())
    lines = [separator.join([*(f"c{j}" for j in range(len(kinds))), "kind"])] if draw(st.integers(0, 3)) else []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.integers(0, 9)) == 0:
            lines.append(draw(st.sampled_from(["", " ", '""', "\u00a0"])))
        row = [draw(number if kind == "number" else word) for kind in kinds] + [draw(st.sampled_from(["a", "b", "7"]))]
        if wild and draw(st.integers(0, 3)) == 0:
            row[draw(st.integers(0, len(row) - 1))] = draw(any_field)
        if wild and draw(st.integers(0, 9)) == 0:
            row = row[1:] if draw(st.booleans()) else [*row, "1"]
        lines.append(separator.join(draw(written(field, separator)) for field in row))
    content = end.join(lines) + end * draw(st.integers(0, 2))
    raw = content.encode()
    if wild and draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(raw)))
        raw = raw[:at] + draw(st.sampled_from([b"\xff", b"\0", b'"'])) + raw[at:]
    return b"\xef\xbb\xbf" * draw(st.integers(0, 1)) + raw


def all_of(path, plainly, size, features=None, **options):
    """What is read, or why it is not."""
    with (
        mock.patch.object(sources, "CHUNK", size),
        mock.patch.object(readers, "SHOWN", 1000),
        mock.patch.object(tables, "_parse", (lambda chunk, table: None) if plainly else tables._parse),
    ):
        dataset = opened(path, features=features, format="csv", **options)
        try:
            found = dataset.read()
        except ReadError as error:
            return str(error), dataset.reading.skipped
        skipped = dataset.reading.skipped
        bad, rows = [], 0
        again = opened(path, features=features, format="csv", **options)
        again._numbers = dataset._numbers
        for part in again._parts(again.begin(whole=True)):
            bad += [] if part.bad is None else (rows + part.bad).tolist()
            rows += len(part.codes)
    X = found.X
    if sp.issparse(X):
        assert X.has_canonical_format
        stored = X.nnz
        X = X.toarray()
    else:
        stored = None
    return np.where(np.isnan(X), "gap", X.astype(str)).tolist(), stored, found.names, found.y.tolist(), skipped, bad


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


options = st.fixed_dictionaries(
    {
        "prepared": st.booleans(),
        "skip_bad_lines": st.booleans(),
        "missing": st.sampled_from([(), ("-9",), ("-9", "1e999")]),
        "label": st.sampled_from([None, None, "kind", "1"]),
        "categories": st.sampled_from([(), (), ("1",)]),
        "ignore": st.sampled_from([(), (), ("2",), ("c0",)]),
    }
)
sizes = st.sampled_from([8, 30, 100, 10_000])


@given(table_bytes(), options, sizes)
@settings(max_examples=300)
def test_the_loop_reads_what_python_reads(folder, content, options, size):
    path = folder / "t.csv"
    path.write_bytes(content)
    assert all_of(path, False, size, **options) == all_of(path, True, size, **options)


@given(table_bytes(), table_bytes(), options, sizes)
def test_so_it_does_for_a_model(folder, content, other, options, size):
    path, before = folder / "t.csv", folder / "before.csv"
    path.write_bytes(content)
    before.write_bytes(other)
    known = opened(before, format="csv", **options | {"skip_bad_lines": True})
    try:
        known.read()
    except ReadError:
        return
    known.features.frozen = True
    asked = options | {"unlabelled": True, "features": known.features}
    assert all_of(path, False, size, **asked) == all_of(path, True, size, **asked)


@given(table_bytes(), options)
def test_the_size_of_chunks_makes_no_difference(folder, content, options):
    path = folder / "t.csv"
    path.write_bytes(content)
    found, small = all_of(path, False, 10_000, **options), all_of(path, False, 8, **options)
    if isinstance(found[0], str) and isinstance(small[0], str):
        return  # of several things that are wrong, which is met first may depend on the chunks
    assert found == small
