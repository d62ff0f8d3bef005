"""Ctrl-C, for real: a process, a signal, and what is left."""

import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from novikoff.engine.labelled_rows import examples
from novikoff.foundation.interrupts import Interrupts
from novikoff.learning import one_vs_rest, schedule
from novikoff.learning.learner import Learner

PROGRAM = """
import sys, time, warnings
import numpy as np
from novikoff import Perceptron
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20000, 50)), rng.integers(0, 2, 20000)
warnings.simplefilter("always")
Perceptron(max_iter=1).fit(X, y)
print("ready", flush=True)
{body}
"""

FIT = """
clf = Perceptron(max_iter=10**9).fit(X, y)
print(clf.stop_reason_, clf.n_iter_ > 0, clf.coef_.any(), flush=True)
"""

KERNEL = """
from novikoff import KernelPerceptron
clf = KernelPerceptron(order="each", max_iter=10**9, cache_size=1, budget={budget}).fit(X, y)
print(clf.stop_reason_, len(clf.support_) == clf.dual_coef_.shape[1] > 0, len(clf.predict(X[:5])), flush=True)
"""

TWO_FITS = """
for _ in range(2):
    clf = Perceptron(max_iter=10**9).fit(X, y)
    print(clf.stop_reason_, flush=True)
"""

STREAM = """
clf = Perceptron()
while True:
    try:
        clf.partial_fit(X, y)
    except KeyboardInterrupt:
        whole = clf._learner.team.clock.tolist()
        print("whole" if all(t % 20000 == 0 for t in whole) else whole, flush=True)
        break
"""


@pytest.fixture(autouse=True)
def no_orphans():
    started.clear()
    yield
    for process in started:
        process.kill()
        process.wait()


started = []


def start(body):
    code = PROGRAM.format(body=textwrap.dedent(body))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started.append(process)
    assert process.stdout.readline().strip() == "ready"
    time.sleep(0.5)
    return process


def test_first_one_ends_the_run_with_what_was_learned():
    process = start(FIT)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.strip() == "interrupted True True"
    assert "interrupted in pass" in err
    assert process.returncode == 0


@pytest.mark.parametrize("budget", [None, 50])
def test_a_run_through_a_kernel_ends_with_what_was_learned(budget):
    process = start(KERNEL.replace("{budget}", str(budget)))
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert out.strip() == "interrupted True 5", err


def test_second_one_within_two_seconds_raises():
    process = start(TWO_FITS)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline().strip() == "interrupted"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert process.returncode != 0


def test_a_later_one_is_a_first_one_again():
    process = start(TWO_FITS)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline().strip() == "interrupted"
        time.sleep(2.5)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_piece_of_a_stream_is_learned_whole():
    process = start(STREAM)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.strip() == "whole", err


def test_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_an_interrupted_pass_ends_where_it_was_interrupted(monkeypatch):
    monkeypatch.setattr(schedule, "SLICE", 20)
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    asked = []
    monkeypatch.setattr(Interrupts, "asked", lambda self: asked.append(1) or len(asked) >= 2)
    run = Learner().fit(examples(X, y), 5)
    assert run.stop_reason == "interrupted"
    assert 0 < run.passes[-1].examples < 20


def test_insisting_raises_even_where_nobody_asks():
    interrupts = Interrupts().__enter__()
    for _ in range(2):
        interrupts._note(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        interrupts.__exit__(None, None, None)


def test_a_piece_of_a_stream_that_is_interrupted_is_learned_whole_and_then_raises(monkeypatch):
    monkeypatch.setattr(schedule, "SLICE", 20)
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    learner = Learner()
    monkeypatch.setattr(Interrupts, "asked", lambda self: True)
    with pytest.raises(KeyboardInterrupt):
        learner.learn(examples(X, y))
    assert learner.team.clock.tolist() == [20, 20]


def test_insisting_does_not_hide_an_error():
    interrupts = Interrupts()
    for _ in range(2):
        interrupts._note(signal.SIGINT, None)
    with pytest.raises((ValueError, KeyboardInterrupt)) as caught, interrupts:  # the latter would end the whole session
        raise ValueError("what went wrong")
    assert caught.type is ValueError


def test_insisting_does_not_wait_for_the_end_of_a_piece(monkeypatch):
    monkeypatch.setattr(schedule, "SLICE", 20)
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    learner = Learner()

    def insisted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Interrupts, "asked", insisted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn(examples(X, y))
    assert 0 < learner.team.clock[0] < 20
    assert (learner.passes, learner.rows_fed) == (1, 20)


def test_a_full_ledger_ends_the_pass_where_it_is_full(monkeypatch):
    monkeypatch.setattr(schedule, "SLICE", 20)
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    run = Learner(readout="voted", ledger_cap=2).fit(examples(X, y), 5)
    assert run.stop_reason == "ledger full"
    assert len(run.passes) == 1
    assert run.passes[-1].examples < 20


def test_errors_are_counted_the_same_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(50, 2)), rng.integers(0, 3, 50), rng.integers(0, 2, 50)
    learner, seen = Learner(), examples(X, y, weight=weight)
    whole = learner.fit(seen, 2).errors
    assert whole == ((learner.decide(X).argmax(axis=1) != y) & (weight != 0)).sum()
    monkeypatch.setattr(one_vs_rest, "ERROR_BLOCK", 7)
    assert learner.errors(seen) == whole > 0


def test_one_that_comes_while_a_thread_is_started_does_not_keep_the_process_from_ending():
    code = (
        "import threading\nfrom novikoff.foundation.parallel import beside\nstart = threading.Thread.start\n"
        "def interrupted(self):\n    start(self)\n    raise KeyboardInterrupt\n"
        "threading.Thread.start = interrupted\n"
        "try: beside(print)\nexcept KeyboardInterrupt: pass"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_signal_while_handlers_are_set_leaves_none_of_them(monkeypatch):
    before = signal.getsignal(signal.SIGINT)

    def pressed(number):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(signal, "getsignal", pressed)
        with pytest.raises(KeyboardInterrupt), Interrupts():
            pass
    with Interrupts() as later:
        assert signal.getsignal(signal.SIGINT) == later._note
    assert signal.getsignal(signal.SIGINT) is before
