"""exp of many numbers that are not positive, vectorised: the C library computes one at a time.

x = n·ln 2 + r with |r| ≤ ½·ln 2. exp(r) is computed from its Taylor series: after thirteen terms, the rest is below half a unit
in the last place. The error of a result is at most two units. Results below e⁻⁷⁰⁸ are 0, and so is exp of NaN.
"""

from typing import Any

import numpy as np

from novikoff.compiler import apart, helper, loop

apart(__file__)

LOWEST = -708.0
BITS_OF_ONE = np.int64(1023) << np.int64(52)
SHIFT = 1.5 * 2.0**52  # a number of this size has its whole part in its lowest bits
INVERSE_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # sum: ln 2 to 80 bits; products with the first are exact


@helper
def exp_of(x: Any) -> Any:
    """exp(x) for x ≤ 0. It has no branches, so that a loop over it can be vectorised."""
    bounded = x if x > LOWEST else LOWEST
    whole = bounded * INVERSE_LN2 + SHIFT
    power = np.float64(whole).view(np.int64) << np.int64(52)  # the power of two, shifted to the exponent bits
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


@loop
def exp_of_distances(products: Any, a: Any, b: Any, gamma: Any) -> None:
    """exp(−γ(aᵢ + bⱼ − 2·products)), in place. a and b are squared norms, so this is exp(−γ·squared distance)."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            x = gamma * (2 * products[i, j] - a[i] - b[j])
            products[i, j] = exp_of(0.0 if x > 0 else x)
