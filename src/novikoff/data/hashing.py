"""Feature hashing: the hash of a word gives its column, so that no table of words is needed [weinberger2009feature].

The hash is 32-bit MurmurHash3 [appleby2011murmur]. The convention is that of scikit-learn's `HashingVectorizer` without a norm:
the column is |h| mod 2^bits for the hash h as a signed number, and the value is the sign of h, summed over a text. So
collisions cancel out on average, instead of adding up.

A text is converted to lower case (`str.lower`) and split into words: two or more letters, digits and underscores, as found by
the regular expression \\b\\w\\w+\\b. The features are n-grams of up to `words` words, joined by one space, and optionally all
n-grams of `characters` characters (code points) of the lower-case text, where two or more white space characters count as one
space. A character n-gram that is also a word is the same feature.
"""

import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, eight_bytes, helper, loop, trailing_zeros
from novikoff.compiler.dispatch import compiled
from novikoff.data.feature_bags import Bag, end_row, new_bag, put
from novikoff.data.murmur import PADDING
from novikoff.foundation.array_types import Array

apart(__file__)


MOST_BITS = 30
LEAST_WORD = 3  # the fewest bytes of a word, including its separator
SKIPPED, AFTER_TAB, WHOLE = 0, 1, 2  # which part of a line is text
NO_WORD, NOT_SIMPLE = -1, -2  # in place of the lower case of a character

NEWLINE, TAB, SPACE = 10, 9, 32
SPACES = re.compile(r"[^\S\n][^\S\n]+")
LABEL = re.compile(r"^[^\t\n]*\t", re.MULTILINE)
ONES, HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


class Way(NamedTuple):
    """How texts are turned into features."""

    bits: int = 20  # 2^bits columns
    words: int = 1  # n-grams of up to this many words
    characters: int = 0  # and n-grams of this many characters; 0: none


def bag_of_texts(texts: Sequence[str], way: Way) -> Bag:
    """One row per text."""
    lines = "".join(" ".join(text.split("\n")) + "\n" for text in texts)
    return bag_of_lines(lines.encode("utf-8", "surrogatepass"), np.full(len(texts), WHOLE, np.int8), way)


def bag_of_lines(lines: bytes, kinds: Array, way: Way) -> Bag:
    """One row for each UTF-8 line that is not skipped. `kinds` says which part of each line is text."""
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    small = _small(lines)
    end, joined = len(small), len(small) + PADDING
    runs = 2 * joined if way.words > 1 else joined
    again = _for_runs(lines, kinds) if way.characters else b""
    content = np.empty(runs + len(again), np.uint8)
    content[:end], content[end:joined] = small, 0
    content[runs:] = np.frombuffer(again, np.uint8)
    ends = np.append(np.flatnonzero(small == NEWLINE), end)
    most = end // LEAST_WORD + 1
    entries = way.words * most + len(again)
    bag = new_bag(content, int((kinds != SKIPPED).sum()), entries, entries)
    compiled(hash_lines)(ends, kinds, way, joined, runs, np.empty((most, 2), np.int32), bag)
    return bag.trimmed()


def _small(lines: bytes) -> Array:
    """The lines in lower case. Characters of two or more bytes that do not belong to words are replaced by spaces."""
    small = np.frombuffer(bytearray(lines.lower()), np.uint8)
    if not lines.isascii() and not compiled(make_small)(small, small_characters()):
        by_python = lines.decode("utf-8", "surrogatepass").lower()
        small = np.frombuffer(bytearray(by_python.encode("utf-8", "surrogatepass")), np.uint8)
        compiled(make_small)(small, small_characters())
    return small


def _for_runs(lines: bytes, kinds: Array) -> bytes:
    """The texts for character n-grams, one per line."""
    small = lines.decode("utf-8", "surrogatepass").lower()
    texts = LABEL.sub("", small) if (kinds == AFTER_TAB).any() else small
    return SPACES.sub(" ", texts).encode("utf-8", "surrogatepass") + bytes(PADDING)


@cache
def small_characters() -> Array:
    """For each code point of words (\\w in Python) its lower case, for others NO_WORD.

    It is NOT_SIMPLE if the lower case depends on the neighbouring characters or has a different number of bytes.
    """
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    small = np.frombuffer(every.replace("\u0130", " ").lower().encode("utf-32-le", "surrogatepass"), np.int32).copy()
    size, new_size = (np.searchsorted([0x80, 0x800, 0x10000], codes, side="right") for codes in (np.arange(len(every)), small))
    small[(size != new_size) | np.isin(np.arange(len(every)), [0x130, 0x3A3])] = NOT_SIMPLE
    of_words: Array = np.zeros(len(every), bool)
    for run in re.finditer(r"\w+", every):
        of_words[run.start() : run.end()] = True
    return np.where(of_words, small, NO_WORD)


# ---- compiled -------------------------------------------------------------------------------------------------------


@helper
def after_character(content: Any, p: Any) -> Any:
    """Where the next character of UTF-8 text begins."""
    p += 1
    while content[p] & 0xC0 == 0x80:
        p += 1
    return p


@loop
def make_small(lines: Any, table: Any) -> Any:
    """Convert characters of two or more bytes to lower case, and replace those that do not belong to words by spaces.

    Stops and returns False at the first character that is NOT_SIMPLE.
    """
    p = 0
    while p < len(lines):
        byte = np.int64(lines[p])
        if byte < 128:
            p += 1
            continue
        size = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        code = byte & (0x7F >> size)
        for i in range(p + 1, p + size):
            code = code << 6 | (lines[i] & 63)
        small = table[code]
        if small == NOT_SIMPLE:
            return False
        if small == NO_WORD:
            for i in range(p, p + size):
                lines[i] = SPACE
        elif small != code:
            for i in range(p + size - 1, p, -1):
                lines[i] = 0x80 | (small & 63)
                small >>= 6
            lines[p] = (0xF00 >> size & 0xFF) | small
        p += size
    return True


@helper
def at_least(eight: Any, byte: Any) -> Any:
    """Of eight bytes below 128, sets the highest bit of each that is at least `byte`."""
    return eight + ONES * np.uint64(128 - byte)


@helper
def of_words(eight: Any) -> Any:
    """Of eight bytes, sets the highest bit of each that belongs to a word: a-z, digits, the underscore, and 128 or more."""
    low = eight & ~HIGHS
    letters = at_least(low, 97) & ~at_least(low, 123)
    digits = at_least(low, 48) & ~at_least(low, 58)
    underscores = at_least(low, 95) & ~at_least(low, 96)
    return (letters | digits | underscores | eight) & HIGHS


@helper
def words_between(content: Any, p: Any, end: Any, words: Any) -> Any:
    """Write where the words between p and `end` begin and end; returns their number. The byte at `end` is not in a word."""
    n = 0
    while p < end:
        found = of_words(eight_bytes(content, p))
        if not found:
            p += 8
            continue
        p += np.int64(trailing_zeros(found) >> np.uint64(3))
        first = p
        other = of_words(eight_bytes(content, p)) ^ HIGHS
        while not other:
            p += 8
            other = of_words(eight_bytes(content, p)) ^ HIGHS
        p += np.int64(trailing_zeros(other) >> np.uint64(3))
        if first < end and p > after_character(content, first):
            words[n, 0] = first
            words[n, 1] = p
            n += 1
    return n


@helper
def join(content: Any, words: Any, n: Any, to: Any) -> Any:
    """Copy the words to another place in the content, joined by one space. Returns the end of the copy."""
    for i in range(n):
        first, last = words[i, 0], words[i, 1]
        words[i, 0] = to
        for p in range(first, last):
            content[to] = content[p]
            to += 1
        words[i, 1] = to
        content[to] = SPACE
        to += 1
    return to


@helper
def text_from(content: Any, p: Any, kind: Any) -> Any:
    """Where the text begins, of the line that begins at p."""
    if kind == AFTER_TAB:
        while content[p] != TAB:
            p += 1
        p += 1
    return p


@helper
def hash_runs(bag: Any, p: Any, n: Any, kind: Any, way: Any) -> Any:
    """Add the character n-grams of the line at p to the current row. Returns the end of the line and their number."""
    content, last = bag.content, len(bag.content) - PADDING
    first, stop, ahead = p, p, 0
    while stop < last and content[stop] != NEWLINE:
        stop = after_character(content, stop)
        ahead += 1
        if ahead >= way.characters and kind != SKIPPED:
            put(bag, n, first, stop - first, way.bits)
            first = after_character(content, first)
            n += 1
    return stop + 1, n


@loop
def hash_lines(ends: Any, kinds: Any, way: Any, joined: Any, runs: Any, words: Any, bag: Any) -> None:
    """A row of features for each line that is not skipped.

    The content has the lines, which end at `ends`; from `joined` on, room for their words joined by one space; and from `runs`
    on, the texts again, for character n-grams.
    """
    content = bag.content
    k, row = 0, 0
    for line in range(len(kinds)):
        kind, end, n = kinds[line], ends[line], 0
        if kind != SKIPPED:
            p = text_from(content, 0 if line == 0 else ends[line - 1] + 1, kind)
            several = words_between(content, p, end, words)
            if way.words > 1:
                joined = join(content, words, several, joined)
            for i in range(several):
                for j in range(i, min(i + way.words, several)):
                    put(bag, n, words[i, 0], words[j, 1] - words[i, 0], way.bits)
                    n += 1
        if way.characters:
            runs, n = hash_runs(bag, runs, n, kind, way)
        if kind != SKIPPED:
            k = end_row(bag, n, k, way.bits)
            row += 1
            bag.starts[row] = k
