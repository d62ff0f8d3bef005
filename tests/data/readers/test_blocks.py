"""However a file is cut into blocks, it is the same file: block by block there are the same rows as all at once."""

import bz2
import gzip
import lzma

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from made import FILES, all_rows

ONLY_THE_END_SHOWS = (
    "but earlier labels are",
    "but earlier files have",
    "but earlier indices count from 1",
)  # of which a stream knows less
DAMAGED = "cannot be read as Parquet or Arrow"  # as pyarrow finds in batches of one size, and not of another

PACK = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": zstandard.compress}
sizes = st.sampled_from([16, 64, 250, 4000])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blocks")


def check(path, size, **options):
    whole, left_out = all_rows(path, **options)
    blocks, left_out_of_blocks = all_rows(path, size, **options)
    if any(why in sentence for sentence in left_out_of_blocks for why in ONLY_THE_END_SHOWS):
        return
    if any(DAMAGED in sentence for sentence in left_out + left_out_of_blocks):
        return
    if isinstance(blocks, str) and isinstance(whole, str):
        return  # of several things that are wrong, which is met first may depend on the blocks
    assert blocks == whole
    assert sorted(left_out) == sorted(left_out_of_blocks)


@pytest.mark.parametrize("kind", FILES)
@given(st.data(), sizes)
def test_block_by_block_it_is_the_same(folder, kind, data, size):
    path = folder / f"whole.{kind}"
    path.write_bytes(data.draw(FILES[kind]))
    check(path, size)


@st.composite
def damaged(draw, content):
    """A few bytes are others, gone, or new; or the end is missing."""
    content = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        how = draw(st.sampled_from(["flip", "cut", "insert", "end", "copy"]))
        if how == "flip" and at < len(content):
            content[at] ^= 1 << draw(st.integers(0, 7))
        elif how == "cut":
            del content[at : at + draw(st.integers(1, 8))]
        elif how == "insert":
            content[at:at] = draw(st.one_of(st.binary(max_size=4), st.sampled_from(TRICKY)))
        elif how == "copy":
            content[at:at] = content[draw(st.integers(0, len(content))) :][:20]
        elif draw(st.integers(0, 3)) == 0:
            del content[at:]
    return bytes(content)


TRICKY = [
    b"\r",
    b"\n",
    b"\v",
    b"\f",
    b"\x1c",
    b"\xc2\x85",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"#",
    b'"',
    b":",
    b"qid:",
]
TRICKY += [
    b"nan",
    b"1e999",
    b"9" * 20,
    b"0." + b"1" * 30,
    b"null",
    b"{",
    b"[",
    b"\\ud800",
    b"=",
    b"\\u0000",
    b"long label",
    b" 0:1",
]


def read_or_refused(folder, kind, data, size, skip):
    path = folder / f"damaged.{kind}"
    path.write_bytes(data.draw(FILES[kind].flatmap(damaged)))
    check(path, size, skip_bad_lines=skip)


@pytest.mark.parametrize("kind", FILES)
@given(st.data(), sizes, st.booleans())
def test_damaged_files_are_read_or_refused(folder, kind, data, size, skip):
    read_or_refused(folder, kind, data, size, skip)


@pytest.mark.full
@pytest.mark.parametrize("kind", FILES)
@given(st.data(), sizes, st.booleans())
@settings(max_examples=1500)
def test_many_damaged_files_are_read_or_refused(folder, kind, data, size, skip):
    read_or_refused(folder, kind, data, size, skip)


@pytest.mark.parametrize("line", ["\t{}\n+1\t{}\n", " |a {}\n|b {}\n1 |a {}\n", "nan 1:{}\n1 2:{}\n"])
def test_skipped_lines_are_reported_each_with_its_number(folder, line):
    """The same invalid label in several lines of one block, and other bad lines between them."""
    path = folder / ("skipped" + {"\t": ".text", " ": ".vw", "n": ".svm"}[line[0]])
    path.write_text((line * 3).replace("{}", "7") + line.replace("{}", "7:x:"))
    check(path, 16, skip_bad_lines=True)


@given(st.data(), st.sampled_from(list(FILES)), st.sampled_from(list(PACK)), st.booleans(), sizes)
def test_damaged_packed_files_are_read_or_refused(folder, data, kind, packing, named, size):
    path = folder / (f"packed.{kind}.{packing}" if named else f"packed {kind}")
    path.write_bytes(data.draw(FILES[kind].map(PACK[packing]).flatmap(damaged)))
    check(path, size)


@given(
    st.one_of(st.binary(max_size=100), st.text(max_size=60).map(str.encode)),
    st.sampled_from([*FILES, "gz", "zst", "txt", "no"]),
    sizes,
)
def test_any_bytes_are_read_or_refused(folder, content, ending, size):
    path = folder / f"any.{ending}"
    path.write_bytes(content)
    check(path, size)
    check(path, size, skip_bad_lines=True)


@pytest.mark.parametrize("kind", FILES)
@given(st.data(), st.sampled_from(["", *PACK]))
@settings(max_examples=8)
def test_names_and_packing_say_nothing_new(folder, kind, data, packing):
    """A file without a name is recognised, packed or not. Text that could as well be something else is left out."""
    content = data.draw(FILES[kind])
    path, bare = folder / f"named.{kind}", folder / "bare"
    path.write_bytes(content)
    bare.write_bytes(PACK[packing](content) if packing else content)
    with_name, without = all_rows(path), all_rows(bare)
    if kind not in ("svm", "csv", "text", "mbox") and not isinstance(with_name[0], str):
        assert with_name == without
