"""Rows of hashed features that compiled loops write: entries sorted and summed by column, and the names that occur."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import apart, helper, loop
from novikoff.data.murmur import M32, murmur, other_hash
from novikoff.foundation.array_types import Array

apart(__file__)


FEW = 40  # rows with up to this many entries use insertion sort, others radix sort
ROUNDS = 4  # of the radix sort; even, so that the result is in the original array
FILTER = 2**17  # places in a table of features that already occurred in a chunk; features may share one
LONGEST_NAME = 64  # bytes of a feature's name that are kept
CARET = 94  # ^, between namespace and name


class Bag(NamedTuple):
    """Where the compiled loops write rows and the features that occur. The arrays have the largest size that may be needed."""

    content: Array  # bytes that contain the names
    starts: Array
    columns: Array
    values: Array
    bucket: Array  # of the features that occur; almost all repetitions are left out
    check: Array  # a second hash of each, odd if its value has the opposite sign
    at: Array  # where its name begins in the content
    length: Array
    space_at: Array  # the same for its namespace, if it has one
    space_length: Array
    filter: Array  # the check of the last feature at each place
    keys: Array  # of the current row: the column, and in the lower half the index of the value
    spare: Array  # a second array for the radix sort
    amounts: Array  # the values
    counts: Array  # of digits, for the radix sort
    tally: Array  # the number of features written

    def trimmed(self) -> "Bag":
        """The same without the unused parts of the arrays, which were never written to."""
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
    """A bag for `rows` rows and `entries` entries, at most `longest` per row. Memory that is not needed is never used."""
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


@helper
def meet(bag: Any, bucket: Any, check: Any, at: Any, length: Any, space_at: Any, space_length: Any) -> None:
    """Record that a feature occurs, unless it is known already."""
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
def bucket_and_check(content: Any, at: Any, length: Any, bits: Any) -> Any:
    """The bucket of the feature that these bytes name, and its check, which is odd if its value has the opposite sign."""
    h = murmur(content, at, length, np.uint64(0))
    negative = h >> np.uint64(31)
    bucket = np.int64(((M32 + np.uint64(1) - h) if negative else h) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))
    return bucket, other_hash(content, at, length, np.uint64(0)) | negative


@helper
def put(bag: Any, n: Any, at: Any, length: Any, bits: Any) -> None:
    """Make these bytes of the content, a feature, entry n of the current row."""
    bucket, check = bucket_and_check(bag.content, at, length, bits)
    bag.keys[n] = bucket << 32 | n
    bag.amounts[n] = -1.0 if check & np.uint64(1) else 1.0
    meet(bag, bucket, check, at, length, 0, 0)


@loop
def hash_names(content: Any, at: Any, length: Any, bits: Any, buckets: Any, checks: Any) -> None:
    """Write the bucket and the check of each of these names. Eight more bytes of the content must be readable."""
    for i in range(len(at)):
        buckets[i], checks[i] = bucket_and_check(content, at[i], length[i], bits)


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
    """Sort the n keys by one of their digits. The sort is stable."""
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
    """Write the n entries of the current row from k on, sorted and summed by column. Returns the end of the row."""
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


@loop
def note_names(met: Any, checks: Any, at: Any, length: Any, shared: Any, names: Any, used: Any) -> Any:
    """Enter the features in a table of names, one per bucket, while there is room. Returns the number of bytes used.

    A name that is too long is cut to one byte more than the longest. A bucket that already has another feature is marked as
    shared.
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
