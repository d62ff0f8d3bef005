"""Ctrl-C, for real: a process, a signal, and what is left."""

import signal
import subprocess
import sys
import textwrap
import time

from novikoff.interrupts import Interrupts

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


def start(body):
    code = PROGRAM.format(body=textwrap.dedent(body))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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
