"""Every limit of docs/limits.md: what is at it is taken, and what is one beyond is refused with a sentence that names it."""

import bz2
import gzip
import io
import lzma
import re
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from novikoff.data import labels, sources
from novikoff.data.readers import open as opened
from novikoff.data.readers import read, tables
from novikoff.data.sources import ReadError
from novikoff.proof import certificate_files
from novikoff.proof import independent_lp_parser as plain_lp
from novikoff.proof import independent_parsers as plain
from novikoff.proof.certificate import CertificateError
from novikoff.proof.certificate_files import load
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import PlainError, read_plainly
from novikoff.solve import lp
from novikoff.solve.constraint_files import read_constraints

LIMITS = Path(__file__).parent.parent / "docs" / "limits.md"
TABLE = b"1,2,a\n3,4,b\n"
PACKED = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": lambda content: zstd().compress(content)}


def zstd():
    return pytest.importorskip("zstandard").ZstdCompressor()


def test_the_table_has_the_constants_as_they_are():
    rows = re.findall(r"^\| .+ \| ([0-9,]+) \| `(.+)\.py`: `(\w+)` \|$", LIMITS.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 27
    for said, path, name in rows:
        module = import_module("novikoff." + path.removesuffix("/__init__").replace("/", "."))
        assert int(said.replace(",", "")) == getattr(module, name), name


def at_and_beyond(monkeypatch, module, name, limit, taken, error, *words):
    """Taken with the limit, refused with one below."""
    monkeypatch.setattr(module, name, limit)
    taken()
    monkeypatch.setattr(module, name, (lambda: limit() - 1) if callable(limit) else limit - 1)
    with pytest.raises(error) as refused:
        taken()
    said = str(refused.value)
    assert "\n" not in said
    for word in words:
        assert word in said, said


def test_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 64)
    path = tmp_path / "a.csv"
    path.write_bytes(b"1,2,a\n3,0." + b"4" * 1000 + b",b")
    words = "a.csv: a line has more than 1,005 bytes", "check the format of the file"
    at_and_beyond(monkeypatch, sources, "LONGEST_LINE", 1006, lambda: list(opened(path)), ReadError, *words)


def test_labels(tmp_path, monkeypatch):
    for name, content in {
        "a.csv": TABLE,
        "a.svm": b"a 1:1\nb 1:2\n",
        "a.vw": b"a |f b\nb |f c\n",
        "a.text": b"a\tbb cc\nb\tdd\n",
        "a.jsonl": b'{"features":{"a":1},"label":"a"}\n{"features":{"a":2},"label":"b"}\n',
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        for skip in (False, True):
            taken = lambda path=path, skip=skip: read(path, skip_bad_lines=skip)  # noqa: E731
            at_and_beyond(monkeypatch, labels, "MOST_LABELS", 2, taken, ReadError, name, "more than 1 different labels")


@pytest.mark.parametrize("reader", [read, read_plainly])
def test_the_name_of_a_column(tmp_path, monkeypatch, reader):
    path = tmp_path / "a.csv"
    path.write_bytes(b"abcde,b,y\n" + TABLE)
    module, name = (tables, "LONGEST_COLUMN") if reader is read else (plain, "LONGEST_NAME")
    at_and_beyond(monkeypatch, module, name, 5, lambda: reader(path), ValueError, "'abcde'", "characters", "4")


@pytest.mark.parametrize("packing", PACKED)
def test_an_unpacked_file_of_the_verifier(tmp_path, monkeypatch, packing):
    path = tmp_path / f"a.csv.{packing}"
    content = TABLE * 100
    path.write_bytes(PACKED[packing](content))
    words = f"has more than {len(content) - 1:,} bytes, unpacked", "verify --fast"
    at_and_beyond(monkeypatch, plain, "LARGEST", len(content), lambda: read_plainly(path), PlainError, *words)
    path = tmp_path / f"A.csv.{packing}"
    path.write_bytes(PACKED[packing](b"1,2\n" * 300))
    at_and_beyond(monkeypatch, plain, "LARGEST", 1200, lambda: read_constraints_plainly(path), PlainError, "1,199 bytes")


@pytest.mark.parametrize("packing", PACKED)
def test_an_unpacked_file_that_is_held_whole(tmp_path, monkeypatch, packing):
    path = tmp_path / f"A.csv.{packing}"
    path.write_bytes(PACKED[packing](b"1,2\n" * 300))
    words = "needs more than 1,199 bytes", "memory", "use a part of it"
    at_and_beyond(monkeypatch, sources, "free_memory", lambda: 1200, lambda: read_constraints(path), ReadError, *words)


def archive_of(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("reader", [read, read_plainly])
def test_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch, reader):
    path = tmp_path / "a.npz"
    path.write_bytes(archive_of(X=np.zeros((1000, 10)), y=np.arange(1000) % 2))
    size = 80_000 + 8_000 + 2 * 128  # two headers
    if reader is read:
        at_and_beyond(monkeypatch, sources, "free_memory", lambda: size, lambda: read(path), ReadError, f"{size - 1:,} bytes")
    else:
        at_and_beyond(monkeypatch, plain, "LARGEST", size, lambda: read_plainly(path), PlainError, f"{size - 1:,} bytes")


@pytest.mark.parametrize("reader", [read_constraints, read_constraints_plainly])
def test_an_archive_of_constraints_that_unpacks_to_too_much(tmp_path, monkeypatch, reader):
    path = tmp_path / "a.npz"
    path.write_bytes(archive_of(A=np.zeros((1000, 10))))
    module, name, size = (sources, "free_memory", 80_128) if reader is read_constraints else (plain, "LARGEST", 80_128)
    limit = (lambda: size) if module is sources else size
    at_and_beyond(monkeypatch, module, name, limit, lambda: reader(path), ValueError, f"{size - 1:,} bytes")


def test_a_certificate_file(tmp_path, monkeypatch):
    from novikoff import separate

    path = tmp_path / "proof.json"
    separate([[1.0], [-1.0]], [1, 0]).save(path)
    size = path.stat().st_size
    words = f"more than {size - 1:,} bytes"
    at_and_beyond(monkeypatch, certificate_files, "LARGEST_FILE", size, lambda: load(path), CertificateError, words)


def test_a_name_in_an_lp_file(tmp_path, monkeypatch):
    path = tmp_path / "a.lp"
    path.write_text("min quantity\nst\nend\n")
    for module, taken, error in ((lp, read_constraints, ReadError), (plain_lp, read_constraints_plainly, PlainError)):
        at_and_beyond(monkeypatch, module, "LONGEST_NAME", 8, partial(taken, path), error, "the name quantity… has more than 7")
