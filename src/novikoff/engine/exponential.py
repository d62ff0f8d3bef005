"""exp of many numbers that are not positive, compiled: several at once, where the C library takes one after the other.

x = n·ln 2 + r with |r| ≤ ½·ln 2, and exp(r) is its Taylor series, which is down to half a unit of the last place after thirteen
terms. Results are wrong by two units at most; those below e⁻⁷⁰⁸ are 0, and so is exp of NaN.
"""

from typing import Any

import numpy as np

from novikoff.foundation.compiling import apart, helper, kernel

apart(__file__)

LOWEST = -708.0
BITS_OF_ONE = np.int64(1023) << np.int64(52)
SHIFT = 1.5 * 2.0**52  # a number of this size has its whole part in its lowest bits
INVERSE_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # in sum ln 2 to 80 bits; products of the first are exact


@helper
def exp_of(x: Any) -> Any:
    """exp(x) for x ≤ 0. There is no branch in it, so that a loop over it can be vectorised."""
    bounded = x if x > LOWEST else LOWEST
    whole = bounded * INVERSE_LN2 + SHIFT
    power = np.float64(whole).view(np.int64) << np.int64(52)  # of two, as an exponent in its place
    n = whole - SHIFT
    r = (bounded - n * LN2_HIGH) - n * LN2_LOW
    series = 1 / 6227020800
    series = series * r + 1 / 479001600
    series = series * r + 1 / 39916800
    series = series * r + 1 / 3628800
    series = series * r + 1 / 362880
    series = series * r + 1 / 40320
    series = series * r + 1 / 5040
    series = series * r + 1 / 720
    series = series * r + 1 / 120
    series = series * r + 1 / 24
    series = series * r + 1 / 6
    series = series * r + 0.5
    series = series * r + 1
    series = series * r + 1
    result = series * np.int64(power + BITS_OF_ONE).view(np.float64)
    return result if x > LOWEST else 0.0


@kernel
def exp_of_distances(products: Any, a: Any, b: Any, gamma: Any) -> None:
    """exp(−γ(aᵢ + bⱼ − 2·products)), in place: with squared norms a and b, that of the squared distances."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            x = gamma * (2 * products[i, j] - a[i] - b[j])
            products[i, j] = exp_of(0.0 if x > 0 else x)
