"""The line that is found for a row is the line that it was read from, whatever else stands in the file."""

import csv
import gzip
import io
import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from made import small_blocks
from novikoff.data.readers import Options, open, read
from novikoff.data.row_lines import lines_of

MARK = b"\xef\xbb\xbf"
NUMBERS = st.sampled_from(["0", "1.5", "-2", "0.1234567890123456789"])
# Of each format: a row with this label and number, lines that are passed over, lines that are bad.
KINDS = {
    "svmlight": (
        lambda label, x: f"{label} 1:{x} 7:2 # {x}\0".encode(),
        [b"", b" ", b"# 1 1:1", b"\t # x", b"\v\f"],
        [b"r 1:x", b"r 1", b"\xff 1:1", b"r 2:1 2:1", b"\0"],
    ),
    "vw": (
        lambda label, x: f"{label} 2 |f a:{x} b".encode(),
        [b"", b"  ", b"\t\r"],
        [b"r a", b"# x", b"\xff | a", b"\v", b"r | a:1x"],
    ),
    "text": (
        lambda label, x: f" {label}\tbuy {x} now".encode(),
        [b"", b" ", b" \t "],
        [b"r", b"# x", b"\xff\ta b", b"r\ta\0b"],
    ),
    "jsonl": (
        lambda label, x: json.dumps({"features": {"a": float(x), "b": "red"}, "label": label}).encode(),
        [b"", b" ", "\u2003".encode()],
        [b"{", b'{"features": 3}', b"# x", b'{"features": {"a": null}, "label": "r"}'],
    ),
    "csv": (
        lambda label, x: f'{x},"two\nlines, {x}",{label}'.encode(),
        [b"", b"  ", b'""'],
        [b"1,red,2,r", b"1", b'1,"a\nb"', b",red,r"],
    ),
}


@st.composite
def files(draw, kind):
    row, passed_over, bad = KINDS[kind]
    lines = [b"a,b,kind"] if kind == "csv" and draw(st.booleans()) else []
    for number in range(draw(st.integers(2, 8))):
        if kind == "csv" and not number:
            lines += [*draw(st.lists(st.sampled_from([b"", b"  "]), max_size=2)), b"1,red,r0"]
            continue
        lines += draw(st.lists(st.sampled_from(passed_over + bad), max_size=3))
        lines.append(row(f"r{number}", draw(NUMBERS)))
    lines += draw(st.lists(st.sampled_from(passed_over + bad), max_size=3))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    return draw(st.sampled_from([b"", MARK])) + end.join(lines) + draw(st.sampled_from([b"", end]))


def label_in(kind, text):
    """The label of a row, read in the simplest way."""
    match kind:
        case "jsonl":
            return json.loads(text)["label"]
        case "csv":
            (fields,) = csv.reader(io.StringIO(text, newline="\n"))
            return fields[-1]
    return text.split()[0]


def alone(kind, text, path):
    path.write_text(text, "utf-8", newline="\n")
    found = read(path, format=kind, zero_based=True if kind == "svmlight" else None)
    assert found.X.shape[0] == 1
    return found


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_the_line_of_a_row_is_that_row(kind, tmp_path_factory, data):
    content = data.draw(files(kind))
    folder = tmp_path_factory.mktemp("rows")
    path = folder / "data"
    path.write_bytes(gzip.compress(content) if data.draw(st.booleans()) else content)
    with small_blocks(data.draw(st.sampled_from([16, 64, 5 * 2**20]))):
        rows = open(path, format=kind, skip_bad_lines=True, zero_based=True if kind == "svmlight" else None)
        found = rows.read()
        lines = lines_of(rows.reading.files, range(len(found.y)), kind)
    assert sorted(lines) == list(range(len(found.y)))
    written = content.removeprefix(MARK).split(b"\n")
    for row, (of, line, text) in lines.items():
        assert of == str(path)
        assert label_in(kind, text) == found.y[row]
        many = text.rstrip("\n").count("\n") + 1
        assert b"\n".join(written[line - 1 : line - 1 + many]).decode() == text.removesuffix("\n")
        if kind != "csv":  # whose columns are those of the whole table
            own = alone(kind, text, folder / "alone")
            assert own.y[0] == found.y[row]
            mine, theirs = (dict(zip(X.indices.tolist(), X.data.tolist(), strict=True)) for X in (own.X, found.X[[row]]))
            assert {j: v for j, v in mine.items() if v} == {j: v for j, v in theirs.items() if v}


def test_files_of_several_real_chunks(tmp_path):
    """The second line of each thousand is bad, the third a comment."""
    lines = []
    for number in range(400_000):
        lines.append(f"r{number} 1:{number}\n")
        if number % 1000 == 1:
            lines += ["bad 1:x\n", "# comment\n"]
    path = tmp_path / "large.svm"
    path.write_text("".join(lines))
    assert path.stat().st_size > 6_000_000
    rows = open(path, skip_bad_lines=True)
    found = rows.read()
    asked = [0, 1, 2, 999, 1000, 1001, 1002, 123_456, 399_999]
    for row, line in lines_of(rows.reading.files, asked, None).items():
        assert line.text + "\n" == lines[line.line - 1] == f"{found.y[row]} 1:{row}\n"
        asked.remove(row)
    assert not asked


def test_rows_are_numbered_through_several_files(tmp_path):
    for name, text in {"a.csv": "x,kind\n1,a\n\n2,b\n", "b.csv": "x,kind\n3,c\n"}.items():
        (tmp_path / name).write_text(text)
    rows = open([tmp_path / "a.csv", tmp_path / "b.csv"])
    rows.read()
    lines = lines_of(rows.reading.files, [1, 2], None)
    assert [(line.path.rpartition("/")[2], line.line, line.text) for line in lines.values()] == [
        ("a.csv", 4, "2,b\n"),
        ("b.csv", 2, "3,c\n"),
    ]


def test_a_table_that_is_read_twice(tmp_path):
    """The first 1000 rows say that a column holds numbers; it does not, and the table is read again."""
    path = tmp_path / "late.csv"
    path.write_text("x,kind\n" + "1,a\n" * 1000 + "red,b\n\nblue,c\n" * 2000)
    rows = open(path, label="kind")
    found = rows.read()
    assert len(rows.reading.files) == 1
    lines = lines_of(rows.reading.files, [999, 1000, 1001, 4999], None)
    assert [(line.line, line.text) for line in lines.values()] == [
        (1001, "1,a\n"),
        (1002, "red,b\n"),
        (1004, "blue,c\n"),
        (7001, "blue,c\n"),
    ]
    assert len(found.y) == 5000


def test_what_has_no_lines_or_has_changed_has_none(tmp_path):
    np.savez(tmp_path / "a.npz", X=[[1.0], [2.0]], y=["a", "b"])
    rows = open(tmp_path / "a.npz")
    rows.read()
    assert lines_of(rows.reading.files, [0], None) == {}
    path = tmp_path / "a.svm"
    path.write_text("a 1:1\nb 1:2\n")
    rows = open(path)
    rows.read()
    assert set(lines_of(rows.reading.files, [0, 1], None)) == {0, 1}
    for changed in ("a 1:1\n", "a 1:1\nb 1:2\nc 1:3\n", ""):
        path.write_text(changed)
        assert lines_of(rows.reading.files, [0], None) == {}
    path.unlink()
    assert lines_of(rows.reading.files, [0], None) == {}


@example("a 1:1\n" * 3)
@given(st.text(st.sampled_from("ab 1:2#\n\r\t,|{}\"'"), max_size=60))
def test_any_text_that_is_read_has_as_many_lines_as_rows(text):
    import tempfile
    from pathlib import Path

    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data"
            path.write_text(text, newline="")
            rows = open(path, **Options(format=kind, skip_bad_lines=True)._asdict() | {"label": None})
            try:
                found = rows.read()
            except ValueError:
                continue
            assert len(lines_of(rows.reading.files, range(len(found.y)), kind)) == len(found.y)
