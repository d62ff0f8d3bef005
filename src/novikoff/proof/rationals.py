"""Doubles and fractions as the rational numbers they are: common denominators, and square roots rounded up or down."""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

Number = float | Fraction


def is_double(value: int) -> bool:
    """Whether this whole number is a double."""
    return int(float(value)) == value


def whole_multiples(numbers: Iterable[Number]) -> tuple[list[int], Fraction]:
    """Whole numbers n and one positive scale with number = n·scale, exactly. Every finite double is a rational."""
    ratios = [number.as_integer_ratio() for number in numbers]
    bottom = math.lcm(*(q for _, q in ratios)) if ratios else 1
    return [p * (bottom // q) for p, q in ratios], Fraction(1, bottom)


def coprime(numbers: Iterable[Number]) -> list[Fraction]:
    """The same numbers, all multiplied by one positive one, so that they are whole and have no divisor in common."""
    whole, _ = whole_multiples(numbers)
    common = math.gcd(*whole)
    return [Fraction(n, common) for n in whole]


def root_below(square: Fraction) -> float:
    """The largest double r with r² ≤ square, or one near it."""
    return _root(square, math.floor)


def root_above(square: Fraction) -> float:
    """The least double r with r² ≥ square, or one near it; infinity where there is none."""
    return _root(square, math.ceil)


def _root(square: Fraction, rounded: Callable[[Fraction], int]) -> float:
    if square == 0:
        return 0.0
    # 2^(2e)·square has about 110 bits before the point, so its root has 55; one more step rounds that to 53.
    e = (110 - (square.numerator.bit_length() - square.denominator.bit_length())) // 2
    wide = math.isqrt(math.floor(square * Fraction(4) ** e))
    wide += rounded is math.ceil and Fraction(wide) ** 2 != square * Fraction(4) ** e
    shift = max(wide.bit_length() - 53, e - 1074)
    short = rounded(Fraction(wide) / Fraction(2) ** max(0, shift))
    try:
        return math.ldexp(float(short), max(0, shift) - e)
    except OverflowError:
        return math.inf if rounded is math.ceil else math.nextafter(math.inf, 0)
