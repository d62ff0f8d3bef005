"""What is said of a file is what went wrong with the file."""

import bz2
import gzip
import lzma
import zlib

import pytest

from novikoff.data.opening import opened
from novikoff.data.sources import ReadError

ERRORS = [
    EOFError(),
    OSError(28, "No space left on device"),
    OSError("no errno"),
    zlib.error(),
    lzma.LZMAError(),
    gzip.BadGzipFile(),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_an_error_of_whoever_reads_is_not_one_of_the_file(pack, error, tmp_path):
    """Such as a compiler that finds its cache empty, or a disk that is full."""
    path = tmp_path / "a.svm"
    path.write_bytes(pack(b"1 1:1\n"))

    def read():
        with opened(str(path)) as source:
            assert source.file.read() == b"1 1:1\n"
            raise error

    with pytest.raises(type(error)) as raised:
        read()
    assert raised.value is error


@pytest.mark.parametrize("read", [lambda file: file.read(), lambda file: file.readinto(bytearray(2**21)), list])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_packed_file_that_is_cut_short_is_said_to_be(pack, read, tmp_path):
    path = tmp_path / "a.svm"
    path.write_bytes(pack(bytes(range(256)) * 4)[:-9])
    with pytest.raises(ReadError, match=r"a\.svm: the compressed file is damaged"), opened(str(path)) as source:
        read(source.file)


def test_a_file_that_fails_while_it_is_read_is_said_to_fail():
    with (
        pytest.raises(ReadError, match=r"/proc/self/mem: cannot be read \(Input/output error\)"),
        opened("/proc/self/mem") as source,
    ):
        source.file.read()
