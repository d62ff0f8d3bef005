"""Whether the points can be separated: the certificate, and whether it verifies."""

from functools import lru_cache
from typing import NamedTuple

from novikoff.lab.checks import RefusedError
from novikoff.lab.problems import Point, Problem
from novikoff.proof.certificate import Certificate
from novikoff.proof.named_kernels import Kernel
from novikoff.proof.verify import verify
from novikoff.solve.max_margin import max_margin, with_constant_column
from novikoff.solve.separability import separate

REMEMBERED = 16  # certificates
KERNEL_SECONDS = 2.0  # to decide whether a kernel separates the points


class Certified(NamedTuple):
    certificate: Certificate
    verified: bool  # by `verify`, which shares no code with what found the certificate
    extended: Certificate  # the same with the constant coordinate as a column: its margin is the one of the mistake bounds


@lru_cache(REMEMBERED)
def certified(points: tuple[Point, ...], intercept: bool, kernel: Kernel | None) -> Certified:
    problem = Problem(points, kernel=kernel)
    X, y = problem.arrays()
    certificate: Certificate
    extended: Certificate
    try:
        if kernel is None:
            certificate = max_margin(X, y, fit_intercept=intercept)
            extended = max_margin(with_constant_column(X), y, fit_intercept=False) if intercept else certificate
        else:
            extended = certificate = separate(X, y, kernel=problem.inner_product, fit_intercept=intercept, budget=KERNEL_SECONDS)
    except ValueError as error:
        raise RefusedError(str(error)) from None
    return Certified(certificate, bool(verify(certificate, X, y)), extended)
