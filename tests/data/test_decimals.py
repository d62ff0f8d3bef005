"""Decimals: bit for bit what `float` says, wherever that is claimed, and never a byte beyond the padding is looked at."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff.compiler import apart
from novikoff.compiler.dispatch import compiled
from novikoff.data.decimals import decimal_at, digits_at, whole_at, whole_run
from novikoff.data.fields import NUMBER
from novikoff.data.sources import PADDING
from novikoff.data.svmlight_loop import Found, parse_lines

apart(__file__)


def all_at(content, starts, values, ends, certain):
    for k in range(len(starts)):
        values[k], ends[k], certain[k] = decimal_at(content, starts[k])


@pytest.fixture(scope="module")
def compiled_decimals():
    quick = compiled(all_at)

    def found(texts, run=quick):
        """What is made of each of these texts: the value, how far it goes, and whether the value is certain."""
        encoded = [text.encode() for text in texts]
        starts = np.cumsum([0] + [len(text) + 1 for text in encoded])[:-1]
        content = np.frombuffer(b"\n".join(encoded) + bytes(PADDING), np.uint8)
        values, ends, certain = np.zeros(len(texts)), np.zeros(len(texts), np.int64), np.zeros(len(texts), bool)
        run(content, starts, values, ends, certain)
        return values, ends - starts, certain

    return found


def bits(x):
    return struct.pack("<d", x)


def check(found, texts):
    """Numbers all: each to its end, and those that are certain are what `float` says. How many are."""
    values, ends, certain = found(texts)
    assert ends.tolist() == [len(text) for text in texts]
    for text, value, sure in zip(texts, values.tolist(), certain.tolist(), strict=True):
        assert not sure or bits(value) == bits(float(text)), text
    return certain.mean()


digits = st.text("0123456789", max_size=25)
exponents = st.one_of(st.just(""), st.tuples(st.sampled_from("eE"), st.sampled_from(["", "-", "+"]), digits).map("".join))
decimals = st.tuples(st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), digits, exponents).map("".join)
NO_EXPONENT = re.compile(r"[+-]?[0-9]*\.?[0-9]*[eE](?![+-]?[0-9])")  # its digits are missing: no number begins there


@example(["0E0E", "1e5e", "1e", "1.5E+x", "1e+-5"])
@given(
    st.lists(st.one_of(decimals, st.floats().map(repr), st.text("0123456789+-.eE :#x\0\t", max_size=12)), min_size=1, max_size=30)
)
def test_it_ends_where_the_grammar_says(compiled_decimals, texts):
    values, ends, certain = compiled_decimals(texts)
    for text, value, end, sure in zip(texts, values.tolist(), ends.tolist(), certain.tolist(), strict=True):
        match = None if NO_EXPONENT.match(text) else NUMBER.match(text)
        assert end == (match.end() if match else 0), text
        assert not sure or not end or bits(value) == bits(float(text[:end])), text


@pytest.mark.parametrize("n", [5000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_any_double_in_any_format(compiled_decimals, n):
    rng = np.random.default_rng(n)
    patterns = rng.integers(0, 2**64, n, np.uint64).view(np.float64)
    patterns = patterns[np.isfinite(patterns)].tolist()
    usual = (rng.normal(size=n) * 10.0 ** rng.integers(-8, 8, n)).tolist()
    assert check(compiled_decimals, [repr(x) for x in patterns]) > 0.9
    assert check(compiled_decimals, [repr(x) for x in usual]) > 0.98
    for places in range(1, 20):
        some = patterns[places::19] + usual[places::19]
        check(compiled_decimals, [f"{x:.{places}g}" for x in some])
        check(compiled_decimals, [f"{x:.{places}e}" for x in some])
    assert check(compiled_decimals, [f"{x:.6f}" for x in usual]) == 1
    assert check(compiled_decimals, [str(k) for k in rng.integers(0, 2**53, n).tolist()]) == 1


def test_ties_and_their_neighbours(compiled_decimals):
    """Halfway between two doubles and as near as 19 digits go, where one wrong bit would show."""
    rng = np.random.default_rng(0)
    texts = []
    for odd in (2 * rng.integers(2**52, 2**53, 3000) + 1).tolist():
        texts += [str((odd << shift) + off) for shift in range(3) for off in (-1, 0, 1)]
        texts += [f"{odd}e-{k}" for k in range(1, 24)] + [f"{odd}e{k}" for k in range(1, 24)]
        texts += [f"0.{odd:019d}", f"{odd // 1000}.{odd % 1000:03d}"]
    check(compiled_decimals, texts)
    edges = [
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "5e-324",
        "2e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
    ]
    edges += [
        "0e999999",
        "1e-400",
        "1e400",
        "0." + "0" * 400 + "1",
        "9" * 19,
        "9" * 20,
        "18446744073709551615",
        "18446744073709551616",
    ]
    check(compiled_decimals, edges + ["-" + text for text in edges])


@given(st.lists(decimals, min_size=1, max_size=8))
def test_uncompiled_it_is_the_same(compiled_decimals, texts):
    with np.errstate(over="ignore"):
        slow = compiled_decimals(texts, all_at)
    for a, b in zip(slow, compiled_decimals(texts), strict=True):
        assert a.tobytes() == b.tobytes()


@given(st.binary(max_size=40), st.integers(0, 40))
def test_runs_of_digits(content, p):
    p = min(p, len(content))
    padded = np.frombuffer(content + bytes(PADDING), np.uint8)
    run = re.match(rb"[0-9]*", content[p:])[0]
    with np.errstate(over="ignore"):
        assert digits_at(padded, p) == min(len(run), 8)
        whole, count = whole_run(padded, p)
        assert count == len(run)
        assert count > 19 or whole == int(run or b"0")
        for n in range(1, min(len(run), 8) + 1):
            assert whole_at(padded, p, n) == int(run[:n])


# ---- the loop over lines looks at nothing beyond the padding, and writes nowhere else ---------------------------------

pieces = st.one_of(
    st.sampled_from(
        ["1", "-1", " ", "\n", "\r\n", "\t", ":", "#", "qid:", "qid:3", "1:", "1:1 ", "7:-0.5 ", "1e5", "e", ".", "-", "\0", "é"]
    ),
    st.integers(0, 2**70).map(str),
    st.floats().map(repr),
    st.text(max_size=9),
)
lines = st.one_of(st.lists(pieces, max_size=40).map(lambda some: "".join(some).encode()), st.binary(max_size=90))


class Watched:
    """Bytes with their padding. Whoever asks for others is found out."""

    def __init__(self, content):
        self.content = content + bytes(PADDING)

    def __getitem__(self, at):
        last = at.stop - 1 if isinstance(at, slice) else at
        assert (at.start if isinstance(at, slice) else at) >= 0
        assert last < len(self.content), "looked beyond the padding"
        return self.content[at]


def room(length, index):
    """As much as `svmlight._found` gives."""
    rows, entries = length // 2 + 2, length // 4 + 2
    kinds = [np.int32, index, np.float64, np.int32, np.int32, np.uint64, np.int32, np.int32, np.int32, np.int32, np.int64]
    sizes = [rows + 1, entries, entries, rows, rows, rows, rows, rows, entries, entries, 9]
    return Found(*(np.zeros(size, kind) for size, kind in zip(sizes, kinds, strict=True)))


@given(lines, st.sampled_from([np.int32, np.int64]), st.sampled_from([0, 1]))
def test_nothing_beyond_the_padding_is_looked_at(content, index, unlabelled):
    """The plain loop checks each place; the compiled one finds the same."""
    slow, quick = room(len(content), index), room(len(content), index)
    with np.errstate(over="ignore", invalid="ignore"):
        parse_lines(Watched(content), 0, len(content), 0, unlabelled, slow)
    compiled(parse_lines)(np.frombuffer(content + bytes(PADDING), np.uint8), 0, len(content), 0, unlabelled, quick)
    rows, entries, odd, doubts = slow.tally[:4].tolist()
    assert slow.tally.tolist() == quick.tally.tolist()
    assert slow.starts[: rows + 1].tolist() == quick.starts[: rows + 1].tolist()
    assert slow.odd_row[:odd].tolist() == quick.odd_row[:odd].tolist()
    assert slow.indices[:entries].tolist() == quick.indices[:entries].tolist()
    assert slow.values[:entries].tobytes() == quick.values[:entries].tobytes()
    assert slow.doubtful[:doubts].tolist() == quick.doubtful[:doubts].tolist()


@pytest.mark.full
def test_with_every_index_checked():
    """The same loop, compiled so that it checks each place of an array."""
    check = """
import random
import numpy as np
from novikoff.compiler.dispatch import compiled
from novikoff.data.sources import PADDING
from novikoff.data.svmlight_loop import parse_lines
from test_decimals import room
words = ["1", " ", "\\n", "\\t", ":", "#", "qid:3", "1:", "1:1 ", "7:-0.5 ", "1e5", "9" * 30, "0.1234567890123456789", "\\0"]
chance = random.Random(0)
for _ in range(20000):
    text = "".join(chance.choices(words, k=chance.randrange(40))).encode()
    if chance.random() < 0.3:
        text = chance.randbytes(chance.randrange(90))
    found = room(len(text), chance.choice([np.int32, np.int64]))
    compiled(parse_lines)(np.frombuffer(text + bytes(PADDING), np.uint8), 0, len(text), 0, chance.randrange(2), found)
"""
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-c", check], check=True, env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": path})
