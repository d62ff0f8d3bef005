"""Files by address: the same rows as from disk, whatever the format; and what goes wrong is a sentence that names the address."""

import io
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from importlib.util import find_spec
from itertools import count

import fsspec
import pytest
import zstandard
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st

from made import FILES, all_rows
from novikoff.data import addresses, opening, readers, sources
from novikoff.data.opening import missing, named, opened
from novikoff.data.readers.nvkd import convert
from novikoff.data.sources import ReadError
from novikoff.proof.independent_parsers import PlainError, read_plainly

ROWS = b"1 1:0.5 3:1\n-1 2:1\n1 1:0.7\n"


@pytest.fixture
def memory():
    """The filesystem memory://, empty before and after."""
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    yield fs
    fs.store.clear()


class Failing(MemoryFileSystem):
    """Files as of memory://, but opening, asking or reading ends with the error that a path is named after."""

    protocol = "failing"
    cachable = False
    errors = {  # noqa: RUF012 (a constant)
        "refused": PermissionError(13, "Permission denied"),
        "plain": OSError("the token\nhas expired"),
        "strange": RuntimeError(),
        "gone": FileNotFoundError("gone"),
    }

    def _open(self, path, mode="rb", **options):
        return Slow(self.error(path))

    def info(self, path, **options):
        error = self.error(path)
        raise error or FileNotFoundError(path)

    def isdir(self, path):
        return False

    def error(self, path):
        name = path.rpartition("/")[2].partition(".")[0]
        if name in ("unreached", "forbidden", "absent"):
            error = FileNotFoundError(path)
            error.__cause__ = {
                "unreached": ConnectionRefusedError(111, "Connection refused"),
                "forbidden": type("ClientResponseError", (Exception,), {"status": 403})("403, Forbidden"),
                "absent": type("ClientResponseError", (Exception,), {"status": 404})("404, Not Found"),
            }[name]
            return error
        return self.errors.get(name)


class Slow(io.RawIOBase):
    """A stream that gives few bytes at a time, says that it can seek and cannot, and ends with the error."""

    def __init__(self, error):
        if error is not None and not isinstance(error, RuntimeError | PermissionError):
            raise error
        self.content, self.error = io.BytesIO(ROWS * 1000), error

    def seekable(self):
        return True

    def seek(self, place, whence=0):
        raise ValueError("Cannot seek")

    def read(self, size=-1):
        found = self.content.read(min(size, 1000) if size >= 0 else -1)
        if self.error is not None and (size < 0 or not found):
            raise self.error
        return found


@pytest.fixture(autouse=True)
def failing():
    fsspec.register_implementation("failing", Failing, clobber=True)


# ---- the same rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FILES)
@given(st.data(), st.sampled_from([None, 64, 4000]))
@settings(max_examples=8)
def test_the_rows_are_those_of_the_file_on_disk(tmp_path_factory, kind, data, size):
    content = data.draw(FILES[kind])
    path = tmp_path_factory.getbasetemp() / f"rows.{kind}"
    path.write_bytes(content)
    fsspec.filesystem("memory").pipe(f"/rows.{kind}", content)
    on_disk, at_the_address = all_rows(path, size), all_rows(f"memory://rows.{kind}", size)
    assert repr(at_the_address).replace("memory://", "") == repr(on_disk).replace(f"{path.parent}/", "")


def test_the_converted_form(memory, tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS)
    convert(readers.open(tmp_path / "rows.svm"), str(tmp_path / "rows.nvkd"))
    memory.pipe("/rows.nvkd", (tmp_path / "rows.nvkd").read_bytes())
    assert all_rows("memory://rows.nvkd") == all_rows(tmp_path / "rows.nvkd") == all_rows(tmp_path / "rows.svm")


def test_packed_chained_and_on_disk(memory, tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS)
    whole = all_rows(tmp_path / "rows.svm")
    memory.pipe("/rows.svm.zst", zstandard.compress(ROWS))
    memory.pipe("/rows", zstandard.compress(ROWS))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("in/rows.svm", ROWS)
    memory.pipe("/archive.zip", archive.getvalue())
    memory.pipe("/rows.svm", ROWS)
    for address in (
        "memory://rows.svm.zst",
        "memory://rows",
        "zip://in/rows.svm::memory://archive.zip",
        "simplecache::memory://rows.svm",
        (tmp_path / "rows.svm").as_uri(),
    ):
        assert all_rows(address) == whole, address


def test_what_is_cut_short_is_damaged(memory):
    memory.pipe("/rows.svm.zst", zstandard.compress(ROWS)[:-3])
    with pytest.raises(ReadError, match=r"memory://rows\.svm\.zst: the compressed file is damaged or cut short"):
        readers.read("memory://rows.svm.zst")


def test_a_stream_that_gives_little_at_a_time_and_cannot_seek():
    with opened("failing://good.svm") as source:
        assert source.peek() == ROWS * 1000
        assert not source.seekable
    assert len(readers.read("failing://good.svm").y) == 3000


def test_a_file_on_disk_is_no_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory:").mkdir()
    (tmp_path / "memory:" / "rows.svm").write_bytes(ROWS)
    assert len(readers.read("memory://rows.svm").y) == 3
    assert missing(["memory://rows.svm"]) == []


def test_plain_paths_do_without_fsspec(tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS)
    code = "import sys; from novikoff.data import readers; readers.read(sys.argv[1]); assert 'fsspec' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, tmp_path / "*.svm"], check=True)


# ---- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("memory://d/*.svm", ["memory://d/a.svm", "memory://d/b[1].svm"]),
        ("memory:///d/[ab]*", ["memory:///d/a.svm", "memory:///d/b[1].svm"]),
        ("memory://d/**/?.svm", ["memory://d/a.svm", "memory://d/e/c.svm"]),
        ("memory://d/b[1].svm", ["memory://d/b[1].svm"]),
        ("memory://no/such.svm", ["memory://no/such.svm"]),
        ("simplecache::memory://d/*.svm", ["simplecache::memory://d/a.svm", "simplecache::memory://d/b[1].svm"]),
        ("zip://in/*::simplecache::memory://z.zip", ["zip://in/x.svm::simplecache::memory://z.zip"]),
        ("https://example.org/a.svm?key=1", ["https://example.org/a.svm?key=1"]),
    ],
)
def test_patterns_keep_what_they_do_not_match(memory, pattern, found):
    for name in ("a.svm", "b[1].svm", "e/c.svm"):
        memory.pipe(f"/d/{name}", ROWS)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("in/x.svm", ROWS)
    memory.pipe("/z.zip", archive.getvalue())
    assert named(pattern) == found


def test_missing_files(memory, tmp_path):
    (tmp_path / "there").write_text("")
    memory.pipe("/there", b"")
    plain, none = str(tmp_path / "there"), str(tmp_path / "none")
    assert missing(["-", plain, none, "memory://there", "memory://none", "zip://a::memory://none.zip", "failing://absent"]) == [
        none,
        "memory://none",
        "zip://a::memory://none.zip",
        "failing://absent",
    ]


# ---- what goes wrong ------------------------------------------------------------------------------------------------

WRONG = {
    "memory://none.svm": "cannot be read (No such file); check the address",
    "memory://folder": "is a folder; give a file in it",
    "memory://folder/*.csv": "no file matches; check the pattern",
    "nowhere://rows.svm": "cannot be read (Protocol not known: nowhere); check the address",
    "nowhere://*.svm": "cannot be read (Protocol not known: nowhere); check the address",
    "zip://a.svm::memory://none.zip": "cannot be read (No such file); check the address",
    "zip://a.svm::memory://folder/a.svm": "cannot be read (File is not a zip file); check the address",
    "failing://refused.svm": "cannot be read (Permission denied); check the address",
    "failing://plain.svm": "cannot be read (the token has expired); check the address",
    "failing://strange.svm": "cannot be read (RuntimeError); check the address",
    "failing://strange.parquet": "cannot be read (RuntimeError); check the address",
    "failing://strange.npz": "cannot be read (RuntimeError); check the address",
    "failing://strange.nvkd": "cannot be read (RuntimeError); check the address",
    "failing://unreached.svm": "cannot be read (Connection refused); check the address",
    "failing://forbidden.svm": "cannot be read (403, Forbidden); check the address",
    "failing://absent.svm": "cannot be read (No such file); check the address",
}


@pytest.mark.parametrize("address", WRONG)
def test_what_goes_wrong_is_a_sentence(memory, address):
    memory.pipe("/folder/a.svm", ROWS)
    with pytest.raises(ReadError) as error:
        readers.read(address)
    assert str(error.value) == f"{address}: {WRONG[address]}"


@pytest.mark.parametrize("name", ["refused", "plain", "strange", "unreached", "forbidden"])
def test_what_cannot_be_asked_is_not_missing(name):
    with pytest.raises(ReadError, match=rf"^failing://{name}: cannot be read \("):
        missing([f"failing://{name}"])


@pytest.mark.skipif(find_spec("s3fs") is not None, reason="s3fs is installed")
def test_a_protocol_whose_package_is_missing():
    for asked in (readers.read, named, lambda address: missing([address])):
        with pytest.raises(ReadError, match=r"^s3://bucket/\*\.svm: cannot be read \(Install s3fs .*\); install what is missing"):
            asked("s3://bucket/*.svm")


def test_without_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ReadError, match=r"^memory://a: needs fsspec; run pip install 'novikoff\[remote\]'$"):
        readers.read("memory://a")


def test_a_parquet_file_that_breaks_off_while_it_is_read(memory, monkeypatch):
    """Errors of the protocol pass through pyarrow, and are not taken for a damaged file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = io.BytesIO()
    pq.write_table(pa.table({"x": [float(k) for k in range(9999)], "y": ["a", "b", "c"] * 3333}), content)
    memory.pipe("/rows.parquet", content.getvalue())
    monkeypatch.setattr(opening, "PEEK", 100)
    monkeypatch.setattr(sources, "PEEK", 100)
    whole = addresses.Remote.readinto

    def breaking_off(number):
        """Count what is read, until it is the read of this number."""
        reads = count()

        def readinto(self, space):
            if next(reads) == number:
                self._file.read = lambda size: 1 / 0
            try:
                return whole(self, space)
            finally:
                vars(self._file).pop("read", None)

        monkeypatch.setattr(addresses.Remote, "readinto", readinto)
        return reads

    reads = breaking_off(None)
    readers.read("memory://rows.parquet")
    times = next(reads)
    assert times > 2
    for number in range(times):
        breaking_off(number)
        with pytest.raises(ReadError, match=r"^memory://rows\.parquet: cannot be read \(division by zero\); check the address$"):
            readers.read("memory://rows.parquet")


def test_the_stranger_fetches_too(memory):
    memory.pipe("/rows.svm.zst", zstandard.compress(ROWS))
    X, y, _ = read_plainly("memory://rows.svm.zst")
    assert (X.toarray() == readers.read("memory://rows.svm.zst").X.toarray()).all()
    assert y.tolist() == [1, -1, 1]
    for address in ("memory://none.svm", "nowhere://rows.svm", "failing://strange.svm"):
        with pytest.raises(PlainError, match=rf"^{address}: cannot be read \("):
            read_plainly(address)


@pytest.mark.skipif(find_spec("aiohttp") is None, reason="fsspec's http needs aiohttp")
def test_over_http(tmp_path):
    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *about):
            pass

    for name in ("a.svm", "b.svm"):
        (tmp_path / name).write_bytes(ROWS)
    with HTTPServer(("127.0.0.1", 0), partial(Silent, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        try:
            assert named(f"{here}/*.svm") == [f"{here}/a.svm", f"{here}/b.svm"]
            assert all_rows(f"{here}/a.svm?version=2") == all_rows(tmp_path / "a.svm")
            assert missing([f"{here}/a.svm", f"{here}/c.svm"]) == [f"{here}/c.svm"]
            with pytest.raises(ReadError, match=r"/c\.svm: cannot be read \("):
                readers.read(f"{here}/c.svm")
        finally:
            server.shutdown()
    with pytest.raises(ReadError, match=r"/a\.svm: cannot be read \("):
        missing([f"{here}/a.svm"])
