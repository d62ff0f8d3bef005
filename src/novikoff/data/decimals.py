"""Parse decimal numbers to doubles, correctly rounded: the same results as Python's `float`, many times as fast.

Eight bytes are processed at once. A number of few digits takes one exact division or product. Longer ones are multiplied by a
128-bit power of ten; the few that this cannot round with certainty are left to the caller [clinger1990read; lemire2021number].
"""

from typing import Any

import numpy as np

from novikoff.compiler import apart, byte_at, eight_bytes, helper, high_product, trailing_zeros

apart(__file__)

ZEROS = np.uint64(0x3030303030303030)
SIXES = np.uint64(0x0606060606060606)
HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
MOST_DIGITS = 19  # of an integer that always fits into 64 bits
LEAST_POWER, MOST_POWER = -342, 308  # of ten; beyond these, every number of 19 digits is 0 or infinite
SMALL_POWERS = 10.0 ** np.arange(23)  # those that are exact doubles
WHOLE_POWERS = np.array([10**k for k in range(20)], np.uint64)


def _powers_of_ten() -> np.ndarray[Any, Any]:
    """10^p for each p as 128 bits, the first bit 1, rounded down: the upper and the lower half."""
    halves = np.empty((MOST_POWER - LEAST_POWER + 1, 2), np.uint64)
    for row, p in enumerate(range(LEAST_POWER, MOST_POWER + 1)):
        if p >= 0:
            bits = 10**p << 128
            whole = bits >> (bits.bit_length() - 128)
        else:
            ten = 10**-p
            whole = (1 << (128 + ten.bit_length())) // ten
            whole >>= whole.bit_length() - 128
        halves[row] = whole >> 64, whole & (2**64 - 1)
    return halves


POWERS = _powers_of_ten()


@helper
def digits_at(content: Any, p: Any) -> Any:
    """How many of the eight bytes from p on are decimal digits, up to the first that is not."""
    eight = eight_bytes(content, p) ^ ZEROS
    other = (eight | (eight + SIXES)) & HIGH_HALVES
    return trailing_zeros(other) >> np.uint64(3)


@helper
def last_of_eight(content: Any, p: Any, n: Any) -> Any:
    """The n bytes from p on, n from 1 to 8, minus the code of the digit 0. The last one is the highest byte, zeros below."""
    return (eight_bytes(content, p) ^ ZEROS) << (np.uint64(64) - (np.uint64(n) << np.uint64(3)))


@helper
def without_point(content: Any, p: Any, n: Any, point: Any) -> Any:
    """The same for the n bytes from p on, n from 2 to 8, without the one at `point`."""
    eight, before = eight_bytes(content, p) ^ ZEROS, (np.uint64(1) << (np.uint64(point - p) << np.uint64(3))) - np.uint64(1)
    closed = (eight & before) | ((eight >> np.uint64(8)) & ~before)
    return closed << (np.uint64(72) - (np.uint64(n) << np.uint64(3)))


@helper
def are_digits(eight: Any) -> Any:
    """Whether these bytes, minus the code of 0, are digits."""
    return (eight | (eight + SIXES)) & HIGH_HALVES == np.uint64(0)


@helper
def whole_at(content: Any, p: Any, n: Any) -> Any:
    """The integer of the n digits from p on, n from 1 to 8."""
    return whole_of(last_of_eight(content, p, n))


@helper
def whole_of(eight: Any) -> Any:
    """The integer of these eight digits."""
    eight = eight * np.uint64(10) + (eight >> np.uint64(8))
    low = (eight & np.uint64(0x000000FF000000FF)) * np.uint64(0x000F424000000064)
    high = ((eight >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(0x0000271000000001)
    return (low + high) >> np.uint64(32)


@helper
def whole_run(content: Any, p: Any) -> Any:
    """The integer of all digits from p on, and how many there are. With more than 19 digits the integer is meaningless."""
    n = digits_at(content, p)
    whole = whole_at(content, p, n) if n else np.uint64(0)
    count = n
    while n == np.uint64(8):
        n = digits_at(content, p + np.int64(count))
        if n:
            whole = whole * WHOLE_POWERS[n] + whole_at(content, p + np.int64(count), n)
        count += n
    return whole, np.int64(count)


@helper
def decimal_at(content: Any, p: Any) -> Any:
    """The number that begins at p: its value, where it ends, and whether the value is certain.

    The end is p itself if no number begins there, or one whose exponent has no digits, like "1e". The caller checks what follows
    the number. If the value is not certain, there is a number, to be parsed with `float`.
    """
    negative = byte_at(content, p) == 45
    at = p + 1 if negative or byte_at(content, p) == 43 else p
    whole, before = whole_run(content, at)
    at += before
    after = np.int64(0)
    if byte_at(content, at) == 46:
        fraction, after = whole_run(content, at + 1)
        at += 1 + after
        whole = whole * WHOLE_POWERS[min(after, MOST_DIGITS)] + fraction
    if before + after == 0:
        return 0.0, p, True
    power, certain = -after, before + after <= MOST_DIGITS
    if not certain:
        certain = before + after - leading_zeros(content, p + 1 if negative or byte_at(content, p) == 43 else p) <= MOST_DIGITS
    if byte_at(content, at) | 32 == 101:
        falling = byte_at(content, at + 1) == 45
        first = at + 2 if falling or byte_at(content, at + 1) == 43 else at + 1
        exponent, places = whole_run(content, first)
        if places == 0:
            return 0.0, p, True
        at = first + places
        certain &= places <= 4
        power += -np.int64(exponent) if falling else np.int64(exponent)
    value, sure = scaled(whole, power)
    return -value if negative else value, at, certain and sure


@helper
def leading_zeros(content: Any, p: Any) -> Any:
    """How many zeros the number that begins at p has before its first other digit."""
    zeros = 0
    while byte_at(content, p) == 48 or byte_at(content, p) == 46:
        zeros += byte_at(content, p) == 48
        p += 1
    return zeros


@helper
def scaled(whole: Any, power: Any) -> Any:
    """whole·10^power as the nearest double, and whether that is certain."""
    if whole == np.uint64(0):
        return 0.0, True
    if whole < np.uint64(2**53) and -22 <= power <= 22:
        return np.float64(whole) / SMALL_POWERS[-power] if power < 0 else np.float64(whole) * SMALL_POWERS[power], True
    if power < LEAST_POWER or power > MOST_POWER:
        return 0.0, False
    return by_product(whole, power)


@helper
def by_product(whole: Any, power: Any) -> Any:
    """The same by one 64 by 64 bit product. The error of its upper half is less than 2: certain unless a tie is near."""
    zeros = np.uint64(0)
    while not whole >> np.uint64(63):
        zeros += np.uint64(1)
        whole <<= np.uint64(1)
    upper = high_product(whole, POWERS[power - LEAST_POWER, 0])
    extra = np.uint64(10) + (upper >> np.uint64(63))  # bits below the 53 of a double
    half = np.uint64(1) << (extra - np.uint64(1))
    low = upper & ((half << np.uint64(1)) - np.uint64(1))
    mantissa = (upper >> extra) + (np.uint64(1) if low > half else np.uint64(0))
    # 10^power is its 128 bits times 2^(⌊power·log₂10⌋ − 127)
    exponent = ((power * 217706) >> 16) + 1 + np.int64(extra) - np.int64(zeros)
    certain = not half - np.uint64(2) <= low <= half and -1022 <= exponent + 52 <= 1022
    return np.ldexp(np.float64(mantissa), exponent) if certain else 0.0, certain
