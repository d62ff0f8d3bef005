"""Processes that learn into one model, signals, and kills: no row is lost without a word, and nothing is left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from calling import done, refused, rows, run
from nursery import Nursery

from novikoff.data.readers import read
from novikoff.foundation.atomic_files import PART, SCRATCH, remove_leftovers, remove_scratch, scratch, write_whole
from novikoff.foundation.file_locks import LOCK, HeldError, Hold, beside
from novikoff.models.model import load

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and locks of Unix")

COMMAND = [sys.executable, "-m", "novikoff"]
ENDINGS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.svm").write_text(rows(0))
    return tmp_path


def left_behind(folder):
    """Files of the program's that should not be there."""
    return sorted(
        path.name
        for path in folder.rglob("*")
        if path.name.endswith((PART, LOCK)) or path.name.startswith((SCRATCH, ".train", ".m"))
    )


def own_rows(name, n):
    """Rows that have a feature of their own, by which it is seen whose rows are in a model."""
    return "".join(json.dumps({"label": i % 2, "features": {name: 1, "x": i % 7}}) + "\n" for i in range(n))


def mailbox(messages, word):
    return "".join(f"From a@b Thu Jan  1 00:00:00 1970\nSubject: {word}\n\n{word} number {i}\n\n" for i in range(messages))


# ---- two processes, one model ----------------------------------------------------------------------------------------


def test_two_processes_that_learn_into_one_model_lose_nothing(here):
    (here / "a.svm").write_text(rows(1) * 40)
    (here / "b.svm").write_text(rows(2) * 40)
    both = [subprocess.Popen([*COMMAND, "learn", name, "-m", "m.nvk", "-q"]) for name in ("a.svm", "b.svm")]
    assert [process.wait() for process in both] == [0, 0]
    assert load("m.nvk").learner.rows_fed == 24_000


def learn_together(here, processes, rounds, seed):
    """So many processes at once learn into one model, and some of them are killed; how many were, and whose rows are there."""
    dice, size, code = random.Random(seed), {}, {}
    for k in range(processes * rounds):
        size[f"p{k}"] = 100 + 37 * k
        (here / f"p{k}.jsonl").write_text(own_rows(f"p{k}", size[f"p{k}"]))
    names, kills = iter(size), 0
    with Nursery(here, [["learn", "p0.jsonl", "-m", "warm.nvk", "-q"], ["learn", "p1.jsonl", "-m", "warm.nvk", "-q"]]) as nursery:
        for _ in range(rounds):
            running = {
                name: nursery.start("learn", f"{name}.jsonl", "-m", "m.nvk", "-q")
                for name in [next(names) for _ in range(processes)]
            }
            for k, name in enumerate(dice.sample(sorted(running), processes // 3)):
                time.sleep(dice.uniform(0, 0.06) if k else 0.0)  # the first cannot be done yet
                running[name].kill()
            code |= {name: child.wait() for name, child in running.items()}
            kills += sum(code[name] == -signal.SIGKILL for name in running)
            for name, child in running.items():
                assert code[name] in (0, -signal.SIGKILL), child.err
        nursery.start("learn", "train.jsonl", "-m", "m.nvk", "-q").wait()
    model = load("m.nvk")
    there = {name for name in model.features.names if name in size}
    assert {name for name in size if code[name] == 0} <= there
    assert model.learner.rows_fed == sum(size[name] for name in there) + 10
    assert not left_behind(here)
    return kills


def test_rows_of_many_processes_are_all_there_though_some_are_killed(here):
    (here / "train.jsonl").write_text(own_rows("last", 10))
    assert learn_together(here, 6, 3, seed=0) >= 1  # on a quick machine the others may be done before


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_rows_of_more_processes_are_all_there_though_more_are_killed(here, seed):
    (here / "train.jsonl").write_text(own_rows("last", 10))
    assert learn_together(here, 12, 10, seed) >= 10


def test_who_is_learning_is_told(here):
    waiting = subprocess.Popen([*COMMAND, "learn", "-", "-m", "m.nvk", "-q"], stdin=subprocess.PIPE)
    until(lambda: beside("m.nvk", LOCK).exists() and beside("m.nvk", LOCK).stat().st_size)
    (here / "1.eml").write_text("Subject: a\n\nb\n")
    for command in (
        ["learn", "train.svm", "-m", "m.nvk"],
        ["fit", "train.svm", "-o", "m.nvk"],
        ["mail", "learn", "--ham", "1.eml", "-m", "m.nvk"],
    ):
        found = run(*command, "--wait", "0")
        refused(
            found,
            f"m.nvk: process {waiting.pid} on ",
            "learn - -m m.nvk -q) has been writing to it since 2",
            "try again when it is done",
        )
    waiting.communicate(rows(0).encode())
    assert waiting.returncode == 0
    done("learn", "train.svm", "-m", "m.nvk", "--wait", "0", "-q")
    assert load("m.nvk").learner.rows_fed == 600


def test_a_process_that_waits_says_so_and_goes_on_from_what_the_other_has_learned(here):
    with Hold("m.nvk"):
        waiting = subprocess.Popen([*COMMAND, "learn", "train.svm", "-m", "m.nvk", "-q"], stderr=subprocess.PIPE, text=True)
        assert f"process {os.getpid()} on " in waiting.stderr.readline()
        done("learn", "train.svm", "-m", "other.nvk", "-q")
        os.replace("other.nvk", "m.nvk")
    assert (waiting.wait(), waiting.stderr.read()) == (0, "")
    waiting.stderr.close()
    assert load("m.nvk").learner.rows_fed == 600


@pytest.mark.parametrize("command", [["learn", "train.svm", "-m"], ["fit", "train.svm", "-o"]])
@pytest.mark.parametrize("there", [True, False])
def test_a_model_that_is_not_the_one_that_was_read_is_not_overwritten(here, monkeypatch, command, there):
    """As where there are no locks, or another program writes the file."""
    done("learn", "train.svm", "-m", "other.nvk", "-q")
    if there:
        done("fit", "train.svm", "-o", "m.nvk", "-q")
    other = (here / "other.nvk").read_bytes()
    monkeypatch.setattr("novikoff.foundation.file_locks.fcntl", None)
    learned = run_proofs_then(lambda: (here / "m.nvk").write_bytes(other))
    monkeypatch.setattr("novikoff.cli.options.model_of", learned)
    monkeypatch.setattr("novikoff.cli.learn.model_of", learned)
    monkeypatch.setattr("novikoff.cli.fit.model_of", learned)
    refused(run(*command, "m.nvk", "-q"), "by another process, and stays as it is, without what was learned here")
    assert (here / "m.nvk").read_bytes() == other
    assert not left_behind(here)


def run_proofs_then(act):
    from novikoff.cli.options import model_of

    def learned(*args):
        act()
        return model_of(*args)

    return learned


def test_a_file_that_has_the_name_of_a_lock_is_left_alone(here):
    beside("m.nvk", LOCK).write_text("mine")
    refused(run("learn", "train.svm", "-m", "m.nvk"), "has the name of a lock file, but is not one; move it")
    remove_leftovers.__wrapped__(here)
    assert beside("m.nvk", LOCK).read_text() == "mine"


def test_a_lock_is_one_for_all_names_of_a_file(here):
    os.symlink("m.nvk", "link.nvk")
    with Hold("m.nvk"), pytest.raises(HeldError), Hold(here / "link.nvk", 0):
        pass
    long = "ü" * 127
    with Hold(long):
        write_whole(long, b"a")
        with pytest.raises(HeldError), Hold(long, 0):
            pass
    assert not left_behind(here)


def test_a_pipe_is_written_and_not_held(here):
    process = subprocess.run([*COMMAND, "fit", "train.svm", "-q", "-o", "/dev/stdout"], capture_output=True)
    assert process.returncode == 0
    (here / "m.nvk").write_bytes(process.stdout)
    load("m.nvk")


# ---- signals ---------------------------------------------------------------------------------------------------------


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("which", ENDINGS, ids=lambda which: which.name)
def test_a_signal_saves_what_was_learned_from_a_stream(here, which):
    env = os.environ | {"PYTHONUNBUFFERED": "1"}
    command = [*COMMAND, "learn", "-", "-m", "m.nvk", "--progressive"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        running.stdin.write(rows(0).encode())
        running.stdin.flush()
        assert b"256 rows" in [running.stdout.readline() for _ in range(9)][-1]
        time.sleep(0.2)
        running.send_signal(which)
        complaints = running.stderr.read()
        assert running.wait() == ENDINGS[which]
    assert complaints == b"novikoff: interrupted; the model learned so far is in m.nvk\n"
    assert load("m.nvk").learner.rows_fed == 300


def test_a_hangup_that_nohup_ignores_is_ignored(here):
    with subprocess.Popen(
        ["nohup", *COMMAND, "learn", "-", "-m", "m.nvk", "-q"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdin.write(rows(0).encode())
        running.stdin.flush()
        until(lambda: catches(running.pid, signal.SIGTERM))
        for _ in range(20):
            running.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        running.stdin.write(rows(1).encode())
        running.stdin.close()
        assert running.wait() == 0
    assert load("m.nvk").learner.rows_fed == 600


def catches(process, which):
    """Whether the process has a handler for the signal, as Linux tells it."""
    with open(f"/proc/{process}/status") as file:
        caught = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt"))
    return bool(caught >> (which - 1) & 1)


COMMANDS = {
    "learn": ["learn", "big.svm", "-m", "m.nvk"],
    "fit": ["fit", "big.svm", "-o", "m.nvk", "--passes", "40"],
    "stream": ["fit", "big.svm", "-o", "m.nvk", "--passes", "1", "--order", "given"],
    "shuffled": ["fit", "big.svm", "-o", "m.nvk", "--memory", "1M"],
    "mail": ["mail", "learn", "--spam", "spam.mbox", "--ham", "ham.mbox", "-m", "mail.nvk"],
    "convert": ["convert", "big.svm", "big.nvkd"],
}


def make_data(here, times):
    (here / "big.svm").write_text(rows(0, noise=2.0) * times)
    (here / "spam.mbox").write_text(mailbox(20 * times, "pills"))
    (here / "ham.mbox").write_text(mailbox(20 * times, "meeting"))


def interrupt_often(here, times, seed):
    """Signals at random moments of each command: the exit code is the signal's, and what is said to be saved is there."""
    dice, codes = random.Random(seed), []
    make_data(here, 30)
    warm = [[*args, "-q"] for args in COMMANDS.values()]
    with Nursery(here, warm) as nursery:
        for name, args in COMMANDS.items():
            if name == "convert":
                continue
            took = 0.05
            for _ in range(times):
                place = here / args[args.index("-o" if "-o" in args else "-m") + 1]
                before = place.read_bytes()
                which, began = dice.choice(list(ENDINGS)), time.monotonic()
                child = nursery.start(*args, "--json")
                time.sleep(dice.uniform(0, took))
                child.send(which)
                if dice.random() < 0.3 and which != signal.SIGINT:
                    child.send(signal.SIGTERM if which == signal.SIGHUP else signal.SIGHUP)  # as systems do that shut down
                code = child.wait()
                took = max(took, min(1.0, time.monotonic() - began))
                assert code in {0, *ENDINGS.values()}, child.err
                assert "Traceback" not in child.err
                said = child.out
                if not said:
                    assert place.read_bytes() == before
                elif name in ("learn", "mail"):
                    assert load(place).learner.rows_fed >= load_bytes(before) + (code == 0)
                assert child.err == "" or (
                    child.err == f"novikoff: interrupted; the model learned so far is in {place.name}\n" and said and code
                )
                codes.append(code)
        assert nursery.start(*COMMANDS["learn"], "-q").wait() == 0
    assert not left_behind(here)
    return codes


def load_bytes(content):
    from novikoff.models.model import from_bytes

    return from_bytes(content).learner.rows_fed


def test_signals_at_random_moments_lose_nothing_that_was_said_to_be_saved(here):
    assert set(interrupt_often(here, 4, seed=1)) > {0}


@pytest.mark.full
def test_more_signals_at_random_moments_lose_nothing_that_was_said_to_be_saved(here):
    assert set(interrupt_often(here, 80, seed=2)) == {0, *ENDINGS.values()}


def interrupt_processes(here, times, seed):
    """Ctrl-C at random moments from the first line of the program to its last: a word of what was saved, or none."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("only Linux tells which signals a process has handlers for")
    dice, codes = random.Random(seed), []
    done("learn", "train.svm", "-m", "m.nvk", "-q")
    took = 0.3
    for k in range(times):
        args = [
            ["learn", "train.svm", "-m", "m.nvk"],
            ["certify", "train.svm"],
            ["--help"],
            ["predict", "train.svm", "-m", "m.nvk"],
        ][k % 4]
        which, began = dice.choice([signal.SIGINT, signal.SIGINT, *ENDINGS]), time.monotonic()
        running = subprocess.Popen([*COMMAND, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while running.poll() is None and not catches(running.pid, signal.SIGTERM):
            time.sleep(0.001)
        time.sleep(dice.uniform(0, took if args[0] != "--help" else 0.1))
        running.send_signal(which)
        _, err = running.communicate(timeout=60)
        took = max(took, min(2.0, time.monotonic() - began)) if args[0] != "--help" else took
        assert err in ("", "novikoff: interrupted; the model learned so far is in m.nvk\n"), err
        assert running.returncode in (ENDINGS[which], {"certify": 1}.get(args[0], 0)), (running.returncode, which, args)
        codes.append(running.returncode)
    return codes


def test_ctrl_c_at_random_moments_of_a_process_prints_no_traceback(here):
    assert 130 in interrupt_processes(here, 8, seed=3)


@pytest.mark.full
def test_ctrl_c_at_more_random_moments_of_a_process_prints_no_traceback(here):
    assert interrupt_processes(here, 400, seed=4).count(130) > 50


# ---- kill -9 ---------------------------------------------------------------------------------------------------------


def kill_often(here, times, seed):
    """So many kills at random moments of each command. The files are always whole, and the next run tidies up."""
    dice = random.Random(seed)
    make_data(here, 10)
    places = {"mail": "mail.nvk", "convert": "big.nvkd"}
    with Nursery(here, [[*args, "-q"] for args in COMMANDS.values()]) as nursery:
        for name, args in COMMANDS.items():
            kills, took = 0, 0.1
            while kills < times:
                child = nursery.start(*args, "-q")
                time.sleep(dice.uniform(0, took))
                child.kill()
                code = child.wait()
                took *= 0.8 if code == 0 else 1.1  # so that kills come at all moments, and few of them too late
                kills += code == -signal.SIGKILL
                assert code in (0, -signal.SIGKILL), child.err
                if name == "convert":
                    assert len(read("big.nvkd").y) == 3000
                else:
                    load(places.get(name, "m.nvk"))
            last = nursery.start(*args, "-q")
            assert last.wait() == 0, last.err
            assert not left_behind(here), name


def test_killed_commands_leave_whole_files_and_the_next_tidies_up(here):
    kill_often(here, 5, seed=5)


@pytest.mark.full
def test_commands_killed_more_often_leave_whole_files_and_the_next_tidies_up(here):
    kill_often(here, 40, seed=6)


KILLED_WHILE_WRITING = """
import os, signal
from novikoff.foundation.atomic_files import scratch, write_whole
def die(file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
with scratch() as folder:
    (folder / "spill").write_bytes(b"much")
    write_whole("m.nvk", die)
"""


def test_what_a_killed_process_was_writing_is_removed_by_the_next(here):
    assert subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING]).returncode == -signal.SIGKILL
    left = left_behind(here)
    assert len(left) >= 2
    subprocess.run(
        [sys.executable, "-c", "from novikoff.foundation.atomic_files import *\nwrite_whole('other', b'')\nwith scratch(): pass"],
        check=True,
    )
    assert left_behind(here) == []
    assert not list((here / "scratch").iterdir())


def test_what_is_being_written_and_what_is_not_ours_stays(here):
    mine = {
        here / f".m.nvk.12345678{PART}",
        here / ".m.nvk.12345678",
        here / "scratch" / f"{SCRATCH}mine",
        here / "scratch" / f"{SCRATCH}abcdefgh",
    }
    for path in mine:
        path.mkdir() if "scratch" in path.parts[-2] else path.write_bytes(b"mine")
        if path.is_dir():
            (path / "mine").write_bytes(b"mine")

    def look(file):
        there = set(left_behind(here))
        remove_leftovers.__wrapped__(here)
        remove_scratch.__wrapped__(here / "scratch")
        assert set(left_behind(here)) == there
        file.write(b"whole")

    with scratch() as folder, Hold("m.nvk"):
        (folder / "mine").write_bytes(b"mine")
        write_whole("m.nvk", look)
        assert (folder / "mine").read_bytes() == b"mine"
    assert (here / "m.nvk").read_bytes() == b"whole"
    assert all(path.exists() for path in mine)
