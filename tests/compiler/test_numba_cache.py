"""The cache of compiled code: safe to use, and never in the way."""

import errno
import os
import pickle
import resource
import shutil
import stat
import subprocess
import sys
import types

import numpy as np
import pytest

from novikoff.compiler import by_numba as generic
from novikoff.compiler import numba_cache
from novikoff.compiler.numba_cache import BEGINNING, MARK, CacheWarning, code_folder
from novikoff.foundation.atomic_files import remove_leftovers

NOBODY = 65534
root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root, to become another user")


def total(numbers):
    s = 0.0
    for k in range(len(numbers)):
        s += numbers[k]
    return s


def fresh():
    """The kernel as a new process would have it: known to nobody yet, but the same code."""
    return generic._compile(types.FunctionType(total.__code__, globals(), "total"))


def summed(kernel=None):
    kernel = kernel or fresh()
    found = kernel(np.arange(5.0))
    return found, sum(kernel._cache_hits.values()) > 0


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A cache of the test's own, and no library."""
    monkeypatch.setenv("NOVIKOFF_LIBRARY", "off")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(numba_cache, "_warned", set())
    return tmp_path / "cache" / "novikoff"


def kept(place):
    return sorted(place.glob("*/*.code"))


def test_the_code_is_compiled_once_and_kept_for_this_user_alone(place):
    before = os.umask(0)
    try:
        assert summed() == (10.0, False)
    finally:
        os.umask(before)
    assert summed() == (10.0, True)
    (file,) = kept(place)
    folders = [place.parent, place, file.parent]
    assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o700] * 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def made_by(offset):
    """Kernels that differ in a variable of the function that made them, and in nothing else."""

    def shifted(numbers):
        return numbers[0] + offset

    return shifted


def test_kernels_that_differ_in_a_closure_do_not_share_code():
    for offset in (1.0, 2.0):
        assert generic._compile(made_by(offset))(np.zeros(1)) == offset


def test_types_of_the_same_name_do_not_share_code(place, monkeypatch):
    """Whatever the name of the file: the key is compared."""
    summed()
    (file,) = kept(place)
    monkeypatch.setattr(numba_cache.CodeCache, "_path", lambda cache, key: file)
    assert fresh()(np.arange(5)) == 10
    assert fresh()(np.arange(5.0)) == 10.0


class Planted:
    """A pickle that leaves a trace where it is loaded."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


def with_a_flipped_bit(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def with_another_content(file, content):
    file.unlink()
    file.write_bytes(content)


def as_a_folder(file):
    file.unlink()
    (file / "inside").mkdir(parents=True)


def as_a_pipe(file):
    file.unlink()
    os.mkfifo(file)


def as_a_link(file, target):
    file.rename(file.parent / "elsewhere")
    file.symlink_to(target)


DAMAGE = {
    "empty": lambda file: with_another_content(file, b""),
    "truncated in its head": lambda file: os.truncate(file, 30),
    "truncated": lambda file: os.truncate(file, file.stat().st_size - 1),
    "longer": lambda file: with_another_content(file, file.read_bytes() + b"\0"),
    "a flipped bit": with_a_flipped_bit,
    "garbage": lambda file: with_another_content(file, bytes(range(256)) * 100),
    "another pickle": lambda file: with_another_content(file, pickle.dumps((1, 2))),
    "a pickle of a file that is gone": lambda file: with_another_content(file, pickle.dumps(EOFError())),
    "a planted pickle": lambda file: with_another_content(file, pickle.dumps(Planted(file.parent / "trace"))),
    "a planted pickle behind our head": lambda file: with_another_content(
        file, BEGINNING + bytes(32) + pickle.dumps(Planted(file.parent / "trace"))
    ),
    "a folder": as_a_folder,
    "a pipe": as_a_pipe,
    "a link to it": lambda file: as_a_link(file, "elsewhere"),
    "a link to nothing": lambda file: as_a_link(file, "nowhere"),
    "a link to itself": lambda file: as_a_link(file, file),
    "open to everybody": lambda file: file.chmod(0o666),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_code_is_compiled_again_and_replaced(damage, place):
    summed()
    (file,) = kept(place)
    DAMAGE[damage](file)
    with pytest.warns(CacheWarning, match=r"compiled code is damaged: .*\.code \(.*\); it is compiled again, and replaced$"):
        assert summed() == (10.0, False)
    assert not (file.parent / "trace").exists()
    assert file.is_file()
    assert not file.is_symlink()
    assert summed() == (10.0, True)


def test_what_cannot_be_kept_is_said_once(place):
    """A full disk, as far as a process can be given one: no file may become longer than this."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    kernel = fresh()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))
    try:
        with pytest.warns(CacheWarning, match=r"compiled code cannot be kept in .* \(File too large\); make room") as said:
            found = summed(kernel), kernel(np.arange(5))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found == ((10.0, False), 10)
    assert len(said) == 1
    assert list(place.glob("*/*")) == list(place.glob(f"*/{MARK}"))  # nothing half-written


def test_a_cache_that_is_removed_while_it_is_used_stops_nothing(place):
    kernel = fresh()
    shutil.rmtree(place)
    with pytest.warns(CacheWarning, match=r"cannot be kept in .* \(No such file or directory\)"):
        assert summed(kernel) == (10.0, False)


@pytest.mark.parametrize("at", ["cache", "cache/novikoff"])
def test_a_file_in_the_place_of_the_folder_stops_nothing(at, tmp_path):
    (tmp_path / at).parent.mkdir(exist_ok=True)
    (tmp_path / at).write_text("not a folder")
    with pytest.warns(CacheWarning, match=r"is not kept: .* cannot be used \((Not a directory|File exists)\); set"):
        assert summed() == (10.0, False)
    assert (tmp_path / at).read_text() == "not a folder"


# ---- who may write there ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("at", ["", "cache", "cache/novikoff", "cache/novikoff/0123456789abcdef"])
def test_a_folder_that_others_may_write_to_is_refused(at, mode, tmp_path, monkeypatch):
    monkeypatch.setattr(numba_cache, "_is_private", lambda gid: False)
    assert code_folder("0123456789abcdef")
    (tmp_path / at).chmod(mode)
    with pytest.warns(CacheWarning, match=r"is not kept: .* can be written to by (everybody|a group); set NUMBA_CACHE_DIR"):
        assert code_folder("0123456789abcdef") is None
    (tmp_path / at).chmod(0o700)
    assert code_folder("0123456789abcdef")


def test_nothing_is_made_in_a_folder_that_is_refused(tmp_path):
    tmp_path.chmod(0o777)
    with pytest.warns(CacheWarning):
        assert code_folder("0123456789abcdef") is None
    assert not list(tmp_path.iterdir())


def test_a_shared_folder_may_hold_it_but_not_be_it(tmp_path):
    """Such as /tmp, where nobody can rename or remove what others have."""
    tmp_path.chmod(0o1777)
    folder = code_folder("0123456789abcdef")
    assert folder
    folder.chmod(0o1777)
    with pytest.warns(CacheWarning, match="everybody"):
        assert code_folder("0123456789abcdef") is None


def test_links_are_followed_before_anything_is_checked(tmp_path, place):
    real = tmp_path / "real"
    real.mkdir()
    place.parent.symlink_to(real)
    folder = code_folder("0123456789abcdef")
    assert folder == real / "novikoff" / "0123456789abcdef"
    real.chmod(0o777)
    with pytest.warns(CacheWarning, match="everybody"):
        assert code_folder("0123456789abcdef") is None


@root
@pytest.mark.parametrize("at", ["", "cache", "cache/novikoff", "cache/novikoff/0123456789abcdef"])
def test_a_folder_of_another_user_is_refused(at, tmp_path):
    assert code_folder("0123456789abcdef")
    os.chown(tmp_path / at, NOBODY, NOBODY)
    with pytest.warns(CacheWarning, match=r"is not kept: .* belongs to nobody"):
        assert code_folder("0123456789abcdef") is None


@root
def test_code_of_another_user_is_not_loaded(place):
    summed()
    (file,) = kept(place)
    os.chown(file, NOBODY, NOBODY)
    with pytest.warns(CacheWarning, match=r"\.code belongs to nobody\)"):
        assert summed() == (10.0, False)
    assert file.stat().st_uid == 0


AS_NOBODY = """
import grp, os, pwd
from novikoff.compiler.numba_cache import code_folder
os.setgroups([]); os.setgid(65534); os.setuid(65534)
folder = code_folder("0123456789abcdef")
print(folder and folder.name)
"""


@root
@pytest.mark.parametrize(
    ("mode", "owner", "marked", "said"),
    [
        (0o700, NOBODY, False, "0123456789abcdef"),
        (0o500, NOBODY, False, "Permission denied"),
        (0o755, 0, True, "0123456789abcdef"),  # it is root's, and can be read
        (0o755, 0, False, "Permission denied"),
        (0o700, 0, True, "Permission denied"),
    ],
)
def test_folders_that_cannot_be_written_to_or_read(mode, owner, marked, said, place, tmp_path):
    folder = code_folder("0123456789abcdef")
    if not marked:
        (folder / MARK).unlink()
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_mode & 0o077 == 0:
            path.chmod(path.stat().st_mode | 0o011)
    for path in (place.parent, place):
        path.chmod(0o755)
    folder.chmod(mode)
    os.chown(folder, owner, owner)
    ended = subprocess.run([sys.executable, "-c", AS_NOBODY], capture_output=True, text=True, check=True)
    assert said in ended.stdout + ended.stderr
    assert ended.stderr.count("CacheWarning") == (said not in ended.stdout)


# ---- what is removed --------------------------------------------------------------------------------------------------


def test_only_folders_with_our_mark_are_removed_and_only_when_nobody_used_them(place):
    other = code_folder("1111111111111111")
    for path in (other / "sweep.0123.code", other / ".sweep.0123.code.0123456789abcdef.novikoff-part"):
        path.write_bytes(b"")
    used, mixed, forged = (code_folder(f"{k}" * 16) for k in (2, 3, 4))
    (mixed / "diary.txt").write_text("a user's own")
    (forged / MARK).write_text("a file of the same name")
    (forged / "sweep.0123.code").write_text("a user's own")
    own = place / "photographs"
    own.mkdir()
    (own / "me.png").write_bytes(b"")
    link = place / "linked"
    link.symlink_to(own)
    for folder in (other, mixed, forged, own):
        for path in (*folder.iterdir(), folder):
            os.utime(path, (0, 0))
    remove_leftovers.cache_clear()  # as in a process that did not write there
    code_folder("5" * 16)
    assert not other.exists()
    assert used.exists()
    assert [path.name for path in mixed.iterdir()] == ["diary.txt"]
    assert (forged / "sweep.0123.code").read_text() == "a user's own"
    assert (own / "me.png").exists()
    assert link.is_symlink()


# ---- commands ---------------------------------------------------------------------------------------------------------

ROWS = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n"


def environment():
    """That of a command of which nobody watches the warnings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def command(*arguments, preexec_fn=None, **variables):
    call = [sys.executable, "-m", "novikoff", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, env=environment() | variables, preexec_fn=preexec_fn)


def said_by(*arguments, **more):
    ended = command(*arguments, **more)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


def certifying(folder):
    """A command that compiles little."""
    (folder / "a.csv").write_text("a,y\n1,0\n2,1\n")
    return "certify", folder / "a.csv", "--out", folder / "proof.json"


def said_of_damage(said):
    return said.startswith("novikoff: compiled code is damaged: ") and said.count("\n") == 1


def test_a_command_goes_on_where_the_cache_is_damaged(tmp_path, place):
    certify = certifying(tmp_path)
    assert said_by(*certify) == ""
    assert len(kept(place)) > 1
    for file in kept(place):
        DAMAGE["empty"](file)
    assert said_of_damage(said_by(*certify))
    assert said_by(*certify) == ""


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """A cache that has all that a fit needs."""
    folder = tmp_path_factory.mktemp("warm")
    (folder / "a.svm").write_text(ROWS)
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache")}
    assert said_by("fit", folder / "a.svm", "--out", folder / "a.nvk", "--quiet", **environment) == ""
    return folder / "cache"


@pytest.fixture
def fitted(tmp_path, place, warm):
    """What a command that compiles more says, where its cache was warm."""
    shutil.copytree(warm, place.parent)
    (tmp_path / "a.svm").write_text(ROWS)

    def fit(**more):
        return said_by("fit", tmp_path / "a.svm", "--out", tmp_path / "a.nvk", "--quiet", **more)

    assert len(kept(place)) >= 4
    return fit


@pytest.mark.full
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_command_goes_on_whatever_the_damage(damage, fitted, place):
    for file in kept(place):
        DAMAGE[damage](file)
    assert said_of_damage(fitted())
    assert fitted() == ""


@pytest.mark.full
def test_a_command_goes_on_where_the_disk_is_full(fitted, place):
    """There is room for the model, but not for the code, which is several times as long."""
    room = min(file.stat().st_size for file in kept(place)) // 2
    for file in kept(place):
        file.unlink()
    said = fitted(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    assert "cannot be kept in" in said
    assert said.count("\n") == 1
    assert not kept(place)


@pytest.mark.full
@root
def test_a_command_goes_on_where_a_real_disk_is_full(fitted, place, tmp_path):
    shutil.rmtree(place.parent)
    place.parent.mkdir(mode=0o700)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", place.parent], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        said = fitted()
    finally:
        subprocess.run(["umount", place.parent], check=True)
    assert os.strerror(errno.ENOSPC) in said
    assert said.count("\n") == 1


@pytest.mark.full
def test_commands_at_once_share_a_cache_that_is_empty_or_damaged(fitted, place, tmp_path):
    for damaged in (False, True):
        for file in kept(place):
            DAMAGE["truncated"](file) if damaged else file.unlink()
        calls = [
            subprocess.Popen(
                [sys.executable, "-m", "novikoff", "fit", tmp_path / "a.svm", "--out", tmp_path / f"{k}.nvk"],
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for k in range(4)
        ]
        said = [call.communicate()[1] for call in calls]
        assert [call.returncode for call in calls] == [0] * 4, said
        assert not any("Traceback" in each for each in said)
        assert fitted() == ""


def test_a_command_in_a_refused_folder_says_so_in_one_line(tmp_path, place):
    place.parent.mkdir()
    place.parent.chmod(0o777)
    assert said_by(*certifying(tmp_path)) == (
        f"novikoff: compiled code is not kept: {place.parent} can be written to by everybody; "
        "set NUMBA_CACHE_DIR to a folder that only you can write to\n"
    )


# ---- neighbours in the process ------------------------------------------------------------------------------------------


def test_numba_and_scipy_are_left_as_they_are():
    """Somebody else's import or compilation may happen at any moment of ours."""
    code = """
import os, sys
import numpy as np

seen = []
def watch(frame, event, argument):
    if getattr(sys.modules.get("scipy.linalg.cython_blas"), "__spec__", True) is None:
        seen.append("a module that is none")
    config = sys.modules.get("numba.core.config")
    if getattr(config, "CACHE_DIR", given) != given:
        seen.append("a setting of numba's")

given = os.environ["NUMBA_CACHE_DIR"]
sys.setprofile(watch)
from novikoff.engine.labelled_rows import examples
examples(np.eye(2), [0, 1])
sys.setprofile(None)
assert not seen, set(seen)
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


FORK = """
import os, sys, threading, time
import numpy as np
from novikoff.compiler import by_numba as generic, wide
from novikoff.engine.labelled_rows import examples

def long(numbers):  # takes a while to compile
    s = 0.0
{body}
    return s

generic.by_numba(wide)  # numba is imported
compiling = threading.Thread(target=lambda: generic.by_numba(long)(np.ones(3)))
begun = threading.Event()
import numba.core.event as events
class Told(events.Listener):
    def on_start(self, event): begun.set()
    def on_end(self, event): pass
events.register("numba:compile", Told())
compiling.start()
begun.wait()
child = os.fork()
if not child:
    examples(np.eye(2), [0, 1])
    assert generic.by_numba(long)(np.ones(3)) == 180.0
    os._exit(0)
deadline = time.monotonic() + 100
while time.monotonic() < deadline:
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.05)
os.kill(child, 9)
sys.exit("the child hangs")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_is_forked_while_another_thread_compiles_can_compile(tmp_path):
    body = "\n".join("    for k in range(len(numbers)):\n        s += numbers[k]" for _ in range(60))
    (tmp_path / "forking.py").write_text(FORK.format(body=body))
    ended = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "forking.py"], capture_output=True, text=True, timeout=150)
    assert ended.returncode == 0, ended.stderr


EARLY = """
import faulthandler, os, sys, threading, time
from novikoff.foundation import fork_safety as forks
from novikoff.compiler import by_numba as generic
from novikoff.engine.labelled_rows import examples
import numpy as np

first = threading.Thread(target=lambda: examples(np.eye(2), [0, 1]))
first.start()
while "numba" not in sys.modules:  # which the thread imports, with the lock of those who compile
    time.sleep(0.001)
began = time.monotonic()
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(60, exit=True)
    examples(np.eye(2), [0, 1])
    os._exit(0)
assert time.monotonic() - began < forks.LONGEST, "it waited for a lock that nobody could release"
first.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_is_forked_while_another_thread_imports_numba_can_compile(tmp_path):
    (tmp_path / "forking.py").write_text(EARLY)
    ended = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "forking.py"], capture_output=True, text=True, timeout=150)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs another user")
def test_a_folder_that_cannot_be_listed_stops_nothing(place):
    code = (
        "import grp, os, pwd; from novikoff.compiler.numba_cache import code_folder; os.setuid(65534); "
        "print(code_folder('0' * 16))"
    )
    place.mkdir(parents=True)
    for folder in (place, *place.parents):
        if folder.stat().st_mode & 0o777 == 0o700:
            os.chmod(folder, 0o755)
    os.chown(place, 65534, 65534)
    os.chmod(place, 0o300)
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"HOME": "/nonexistent"}
    )
    assert ended.returncode == 0, ended.stderr
    assert "compiled code is not kept" in ended.stderr
