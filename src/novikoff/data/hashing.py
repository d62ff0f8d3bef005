"""Words become columns by their hash, so that no table of words is needed [weinberger2009feature].

The hash is MurmurHash3 of 32 bits [appleby2011murmur], the convention that of scikit-learn's `HashingVectorizer` without a norm:
the column is |h| mod 2^bits for the hash h as a signed number, and the value is the sign of h, summed over a text. So
collisions cancel out on average, instead of adding up.

A text is made small (`str.lower`) and cut into words, runs of two or more letters, digits and underscores, as the regular
expression \\b\\w\\w+\\b finds them. Runs of up to `words` words, one space between them, are features; so are, if wanted, all
runs of `characters` characters (code points) of the small text, white space of two characters and more counting as one space.
A run of characters that is a word as well is the same feature.
"""

import re
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from novikoff.foundation.compiling import apart, compiled, eight_bytes, helper, kernel, trailing_zeros

apart(__file__)

Array = np.ndarray[Any, Any]

MOST_BITS = 30
PADDING = 64  # zero bytes after a text, since eight are looked at together
LEAST_WORD = 3  # bytes that a word takes at least, what separates it included
FEW = 40  # entries of a row that are sorted by insertion, the others by digits
ROUNDS = 4  # over the digits of a column; an even number, so that the sorted entries end up where they were
FILTER = 2**17  # features of a chunk that are remembered as met, each at a place it may have to share
LONGEST_NAME = 64  # bytes of a feature's name that are kept
SKIPPED, AFTER_TAB, WHOLE = 0, 1, 2  # what of a line is text
NO_WORD, NOT_SIMPLE = -1, -2  # instead of a character's small form

NEWLINE, TAB, SPACE, CARET = 10, 9, 32, 94
M32 = np.uint64(2**32 - 1)
C1, C2, C3 = np.uint64(0xCC9E2D51), np.uint64(0x1B873593), np.uint64(0xE6546B64)
MIX1, MIX2 = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
ALL_BITS = np.uint64(2**64 - 1)
SPACES = re.compile(r"[^\S\n][^\S\n]+")
LABEL = re.compile(r"^[^\t\n]*\t", re.MULTILINE)
ONES, HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


class Way(NamedTuple):
    """How a text becomes features."""

    bits: int = 20  # 2^bits columns
    words: int = 1  # runs of up to so many words
    characters: int = 0  # and runs of so many characters; 0: none


class Bag(NamedTuple):
    """Where the compiled loops write rows down, and which features they met. The arrays are as long as could be needed."""

    content: Array  # bytes, in which the names are
    starts: Array
    columns: Array
    values: Array
    bucket: Array  # of the features met; almost all that were met before are left out
    check: Array  # another hash of each, odd if its value is entered with the opposite sign
    at: Array  # where its name begins in the content
    length: Array
    space_at: Array  # and the name of its namespace, if it has one
    space_length: Array
    filter: Array  # the check of the feature last met at each place
    keys: Array  # of the row under way: columns, and in the lower half of each number which value is meant
    spare: Array  # room for as many
    amounts: Array  # the values
    counts: Array  # of the digits of columns
    tally: Array  # features met

    def trimmed(self) -> "Bag":
        """The same without what was not needed of the rows; it was never written to."""
        for array in (self.columns, self.values):
            array.resize(int(self.starts[-1]), refcheck=False)
        return self

    @property
    def met(self) -> "Met":
        n = int(self.tally[0])
        return Met(self.content, *(part[:n] for part in self[4:10]))


class Met(NamedTuple):
    """Features, each with its column and its name."""

    content: Array
    bucket: Array
    check: Array
    at: Array
    length: Array
    space_at: Array
    space_length: Array


def new_bag(content: Array, rows: int, entries: int, longest: int) -> Bag:
    """Room for so many rows and entries, and for so many in the longest row. What is not needed is never touched."""
    return Bag(
        content,
        np.zeros(rows + 1, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries),
        np.empty(entries, np.int32),
        np.empty(entries, np.uint32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.zeros(entries, np.int32),
        np.zeros(entries, np.int32),
        np.zeros(FILTER, np.uint32),
        np.empty(longest, np.uint64),
        np.empty(longest, np.uint64),
        np.empty(longest),
        np.zeros(256, np.int32),
        np.zeros(1, np.int64),
    )


def bag_of_texts(texts: Sequence[str], way: Way) -> Bag:
    """One row a text."""
    lines = "".join(" ".join(text.split("\n")) + "\n" for text in texts)
    return bag_of_lines(lines.encode("utf-8", "surrogatepass"), np.full(len(texts), WHOLE, np.int8), way)


def bag_of_lines(lines: bytes, kinds: Array, way: Way) -> Bag:
    """One row for each line of text in UTF-8 that is not skipped; `kinds` says of each line what of it is text."""
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
    """The lines made small, with spaces in the place of characters of two bytes and more that are not of words."""
    small = np.frombuffer(bytearray(lines.lower()), np.uint8)
    if not lines.isascii() and not compiled(make_small)(small, small_characters()):
        by_python = lines.decode("utf-8", "surrogatepass").lower()
        small = np.frombuffer(bytearray(by_python.encode("utf-8", "surrogatepass")), np.uint8)
        compiled(make_small)(small, small_characters())
    return small


def _for_runs(lines: bytes, kinds: Array) -> bytes:
    """The texts of which runs of characters are features, a line each."""
    small = lines.decode("utf-8", "surrogatepass").lower()
    texts = LABEL.sub("", small) if (kinds == AFTER_TAB).any() else small
    return SPACES.sub(" ", texts).encode("utf-8", "surrogatepass") + bytes(PADDING)


@cache
def small_characters() -> Array:
    """Of each code point that is of words (what \\w means in Python) its small form, of others NO_WORD.

    It is NOT_SIMPLE where that depends on what stands beside it, or takes more or fewer bytes.
    """
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    small = np.frombuffer(every.replace("\u0130", " ").lower().encode("utf-32-le", "surrogatepass"), np.int32).copy()
    size, new_size = (np.searchsorted([0x80, 0x800, 0x10000], codes, side="right") for codes in (np.arange(len(every)), small))
    small[(size != new_size) | np.isin(np.arange(len(every)), [0x130, 0x3A3])] = NOT_SIMPLE
    of_words: Array = np.zeros(len(every), bool)
    for run in re.finditer(r"\w+", every):
        of_words[run.start() : run.end()] = True
    return np.where(of_words, small, NO_WORD)


def hashed(text: bytes, seed: int = 0) -> int:
    """MurmurHash3 of 32 bits.

    >>> hex(hashed(b"hello"))
    '0x248bfa47'
    """
    content = np.frombuffer(text + bytes(PADDING), np.uint8)
    return int(compiled(hash_bytes)(content, len(text), np.uint64(seed)))


# ---- compiled -------------------------------------------------------------------------------------------------------


@helper
def murmur(content: Any, at: Any, length: Any, seed: Any) -> Any:
    """MurmurHash3 (x86, 32 bits) of `length` bytes; eight more can be read."""
    h = seed & M32
    for p in range(at, at + (length & ~3), 4):
        k = ((eight_bytes(content, p) & M32) * C1) & M32
        k = ((k << np.uint64(15) | k >> np.uint64(17)) * C2) & M32
        h ^= k
        h = ((h << np.uint64(13) | h >> np.uint64(19)) * np.uint64(5) + C3) & M32
    rest = np.uint64(length & 3)
    if rest:
        k = eight_bytes(content, at + (length & ~3)) & ((np.uint64(1) << (np.uint64(8) * rest)) - np.uint64(1))
        k = (k * C1) & M32
        h ^= ((k << np.uint64(15) | k >> np.uint64(17)) * C2) & M32
    h ^= np.uint64(length)
    h = ((h ^ (h >> np.uint64(16))) * MIX1) & M32
    h = ((h ^ (h >> np.uint64(13))) * MIX2) & M32
    return h ^ (h >> np.uint64(16))


@helper
def other_hash(content: Any, at: Any, length: Any, seed: Any) -> Any:
    """A hash of the same bytes that has nothing to do with the first: an even number that is never 0."""
    h = seed + np.uint64(length)
    for p in range(at, at + (length & ~7), 8):
        h = (h ^ eight_bytes(content, p)) * GOLDEN
        h ^= h >> np.uint64(32)
    rest = np.uint64(length & 7)
    if rest:
        last = eight_bytes(content, at + (length & ~7)) & (ALL_BITS >> (np.uint64(64) - np.uint64(8) * rest))
        h = (h ^ last) * GOLDEN
        h ^= h >> np.uint64(32)
    return (h * GOLDEN) >> np.uint64(34) << np.uint64(2) | np.uint64(2)


@helper
def meet(bag: Any, bucket: Any, check: Any, at: Any, length: Any, space_at: Any, space_length: Any) -> None:
    """Write down that a feature was met, unless it is known that it was."""
    place = bucket & (FILTER - 1)
    if bag.filter[place] != check:
        bag.filter[place] = check
        n = bag.tally[0]
        bag.tally[0] = n + 1
        bag.bucket[n] = bucket
        bag.check[n] = check
        bag.at[n] = at
        bag.length[n] = length
        if space_length:
            bag.space_at[n] = space_at
            bag.space_length[n] = space_length


@helper
def put(bag: Any, n: Any, at: Any, length: Any, bits: Any) -> None:
    """Entry n of the row under way is the feature that these bytes of the content are."""
    h = murmur(bag.content, at, length, np.uint64(0))
    negative = h >> np.uint64(31)
    bucket = np.int64(((M32 + np.uint64(1) - h) if negative else h) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))
    bag.keys[n] = bucket << 32 | n
    bag.amounts[n] = -1.0 if negative else 1.0
    meet(bag, bucket, other_hash(bag.content, at, length, np.uint64(0)) | negative, at, length, 0, 0)


@helper
def by_insertion(keys: Any, n: Any) -> None:
    for i in range(1, n):
        key, j = keys[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@helper
def by_digit(keys: Any, n: Any, shift: Any, mask: Any, counts: Any, out: Any) -> None:
    """The n keys in the order of one of their digits; those that have the same stay in the order they were in."""
    for digit in range(mask + np.uint64(1)):
        counts[digit] = 0
    for i in range(n):
        counts[(keys[i] >> shift) & mask] += 1
    place = np.int32(0)
    for digit in range(mask + np.uint64(1)):
        place, counts[digit] = place + counts[digit], place
    for i in range(n):
        digit = (keys[i] >> shift) & mask
        out[counts[digit]] = keys[i]
        counts[digit] += np.int32(1)


@helper
def end_row(bag: Any, n: Any, k: Any, bits: Any) -> Any:
    """Write the n entries of the row under way from k on: columns rise, and what one column has is summed. Where the row ends."""
    keys, columns, values = bag.keys, bag.columns, bag.values
    if n <= FEW:
        by_insertion(keys, n)
    else:
        width = np.uint64((bits + ROUNDS - 1) // ROUNDS)
        mask = (np.uint64(1) << width) - np.uint64(1)
        for r in range(0, ROUNDS, 2):
            by_digit(keys, n, np.uint64(32) + np.uint64(r) * width, mask, bag.counts, bag.spare)
            by_digit(bag.spare, n, np.uint64(32) + np.uint64(r + 1) * width, mask, bag.counts, keys)
    last = np.uint64(2**63)
    for i in range(n):
        column = keys[i] >> np.uint64(32)
        amount = bag.amounts[keys[i] & M32]
        if column == last:
            values[k - 1] += amount
        else:
            last = column
            columns[k] = column
            values[k] = amount
            k += 1
    return k


@helper
def after_character(content: Any, p: Any) -> Any:
    """Where the next character begins, of text in UTF-8."""
    p += 1
    while content[p] & 0xC0 == 0x80:
        p += 1
    return p


@kernel
def make_small(lines: Any, table: Any) -> Any:
    """Make the characters of two bytes and more small, and put spaces in the place of those that are not of words.

    False, and nothing is done to the rest, if for one of them that is not simple.
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
    """The highest bit of each of eight bytes below 128 that is at least this one."""
    return eight + ONES * np.uint64(128 - byte)


@helper
def of_words(eight: Any) -> Any:
    """The highest bit of each of eight bytes that is of a word: small letters, digits, the underscore, and 128 and more."""
    low = eight & ~HIGHS
    letters = at_least(low, 97) & ~at_least(low, 123)
    digits = at_least(low, 48) & ~at_least(low, 58)
    underscores = at_least(low, 95) & ~at_least(low, 96)
    return (letters | digits | underscores | eight) & HIGHS


@helper
def words_between(content: Any, p: Any, end: Any, words: Any) -> Any:
    """Where the words between p and `end`, a byte that is of no word, begin and end; how many there are."""
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
    """Copy the words to another place in the content, one space between two. Where the copy ends."""
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
    """Where the text of a line that begins at p begins."""
    if kind == AFTER_TAB:
        while content[p] != TAB:
            p += 1
        p += 1
    return p


@helper
def hash_runs(bag: Any, p: Any, n: Any, kind: Any, way: Any) -> Any:
    """Put the runs of characters of the line that begins at p into the row under way: where it ends, how many there are."""
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


@kernel
def hash_lines(ends: Any, kinds: Any, way: Any, joined: Any, runs: Any, words: Any, bag: Any) -> None:
    """A row of features for each line but those that are skipped.

    The content has the lines, which end at `ends`, room from `joined` on for their words one space apart, and from `runs` on
    the texts again, for runs of characters.
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


@kernel
def hash_bytes(content: Any, length: Any, seed: Any) -> Any:
    return murmur(content, 0, length, seed)


@kernel
def note_names(met: Any, checks: Any, at: Any, length: Any, shared: Any, names: Any, used: Any) -> Any:
    """Give the features met their places in a table of names, one a bucket, as long as there is room: the bytes used by then.

    A name too long to be kept is cut, and one byte longer than the longest. A bucket that another feature is in already is
    marked as shared.
    """
    for i in range(len(met.bucket)):
        bucket = met.bucket[i]
        if checks[bucket] == met.check[i]:
            continue
        if checks[bucket]:
            shared[bucket] = True
            continue
        checks[bucket] = met.check[i]
        space = met.space_length[i] + 1 if met.space_length[i] else 0
        n = min(space + met.length[i], LONGEST_NAME + 1)
        if used + n > len(names):
            continue
        at[bucket] = used
        length[bucket] = n
        for j in range(n):
            if j >= space:
                names[used + j] = met.content[met.at[i] + j - space]
            elif j == space - 1:
                names[used + j] = CARET
            else:
                names[used + j] = met.content[met.space_at[i] + j]
        used += n
    return used
