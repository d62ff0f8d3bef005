"""Claims about weights that were learned on shards of the rows, and mixed (F20).

How often the weights changed cannot be computed from the data. What can be checked is that the number was possible.
"""

from fractions import Fraction
from math import inf

from novikoff.proof.certificate import Mixing
from novikoff.proof.claims import RejectedError, RowsWithin

MOST_PASSES = 2**63  # as many as a counter counts


def check_mixing(mixing: Mixing, rows: RowsWithin, least_factor: int, separable: bool) -> None:
    """Raise if these shards and updates were not possible.

    A shard has at least one row. A row makes at most one update a pass, a clean pass makes none, and the shares of the shards add
    up to 1: a pass counts for no more than the rows of the largest shard. Weights that are not 0 took an update, which counts for
    at least the even share of a shard.
    """
    shards, passes, clean, mistakes, radius, factor = mixing
    n = len(rows)
    if not all(isinstance(count, int) and count >= 1 for count in (shards, passes)) or shards > n or passes >= MOST_PASSES:
        raise RejectedError(f"{_short(shards)} shards and {_short(passes)} passes are not possible with {n} rows")
    if not 0 <= mistakes < inf:
        raise RejectedError(f"the updates on the shards are {mistakes}: they must be a finite number from 0 on")
    most = (passes - bool(clean)) * (n - shards + 1)
    if mistakes > most:
        raise RejectedError(f"the updates on the shards are {mistakes}: in {passes} passes there are at most {most}")
    if mistakes < 1 / shards and (separable or not clean):
        raise RejectedError(f"the updates on the shards are {mistakes}: weights that change take at least one update")
    if factor is not None and not least_factor <= factor < inf:
        raise RejectedError(f"the factor of F20 is {factor}: it is at least {least_factor}")
    if not 0 < radius < inf or not rows.within(radius):
        raise RejectedError(f"a row is longer than the radius {radius}, or the radius is not a positive number")


def check_clean_mixing(mixing: Mixing, margin_sq: Fraction, rows: RowsWithin, least_factor: int) -> None:
    """The same where the weights separate: the last pass was clean, and F20 holds with the margin that the weights prove.

    That is the margin in the extended space, given by its square.
    """
    if mixing.clean is not True:
        raise RejectedError("the last pass on the shards was not clean, although the weights are said to separate")
    check_mixing(mixing, rows, least_factor, separable=True)
    if mixing.factor is not None and Fraction(mixing.mistakes) * margin_sq > (
        Fraction(mixing.factor) * Fraction(mixing.radius) ** 2
    ):
        raise RejectedError(f"there are {mixing.mistakes} updates on the shards, more than F20 allows with this margin")


def _short(count: object) -> str:
    return str(count) if not isinstance(count, int) or abs(count) < 10**20 else f"about 10^{int(count.bit_length() * 0.30103)}"
