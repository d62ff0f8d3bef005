"""The kernels that a certificate can name, and their parameters. `docs/certificates.md` has the formulas."""

import math
from fractions import Fraction
from typing import NamedTuple

from novikoff.proof.rationals import Number

MOST_DEGREE = 1000  # of a polynomial kernel: the values of a higher degree have too many digits to compute with
MOST_POWER_BITS = 2**18  # bits of gamma or coef0 times the degree: a value of the kernel has at least as many

KERNELS = {
    "linear": (),
    "poly": ("degree", "gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "precomputed": (),
    "called": ("function",),
    "custom": ("function",),
}  # each name and its parameters
GIVEN_BY_USERS = ("called", "custom")  # a function of two matrices, and a kernel of the user's own by its exact form


def unknown_kernel_message(name: str) -> str:
    """Why nothing is proved with this kernel: `verify` computes its values again, and does not know how."""
    known = ", ".join(known for known in KERNELS if known not in GIVEN_BY_USERS)
    return (
        f"there are no proofs for the kernel {name!r}, only for {known}, for a function of two matrices, "
        "and for a kernel with an exact form: a method exact_value(a, b) of two rows of fractions"
    )


class Kernel(NamedTuple):
    """A kernel as a certificate names it. Parameters that it does not have are None."""

    name: str
    degree: int | None = None
    gamma: Number | None = None
    coef0: Number | None = None
    function: str | None = None  # the name of the user's function or kernel; it does not prove what that computes

    def check(self) -> None:
        """Refuse an unknown name, and parameters that the kernel cannot have."""
        if self.name not in KERNELS:
            raise ValueError(unknown_kernel_message(self.name))
        given = {name for name in self._fields[1:] if getattr(self, name) is not None}
        if given != set(KERNELS[self.name]):
            raise ValueError(f"the kernel {self.name} has {', '.join(KERNELS[self.name]) or 'no parameters'}, and nothing else")
        for name in given & {"gamma", "coef0"}:
            value = getattr(self, name)
            if not isinstance(value, float | Fraction) or (isinstance(value, float) and not math.isfinite(value)):
                raise ValueError(f"{name} of the kernel is not a number")
        if self.gamma is not None and self.gamma <= 0:
            raise ValueError("gamma is not positive")
        if self.degree is not None and not (type(self.degree) is int and 1 <= self.degree <= MOST_DEGREE):
            raise ValueError(f"the degree is not a whole number from 1 to {MOST_DEGREE}")
        for name in sorted(given & {"gamma", "coef0"}):
            bits = (self.degree or 1) * sum(part.bit_length() for part in getattr(self, name).as_integer_ratio())
            if bits > MOST_POWER_BITS:
                why = f"its bits times the degree are {bits:,}, and the most is {MOST_POWER_BITS:,}"
                raise ValueError(f"{name} has too many digits: {why}; round it, or lower the degree")

    @property
    def exact(self) -> bool:
        """Whether its values are rational, so that no tolerance is needed."""
        return self.name in ("linear", "poly", "precomputed", *GIVEN_BY_USERS)

    @property
    def positive(self) -> bool:
        """Whether it is known to be positive semidefinite. Without that there is no φ, and no margin."""
        return self.name in ("linear", "rbf", "laplacian") or (self.name == "poly" and self.coef0 is not None and self.coef0 >= 0)

    def __str__(self) -> str:
        if self.name in GIVEN_BY_USERS:
            return str(self.function)
        parameters = ", ".join(f"{name} {_short(getattr(self, name))}" for name in KERNELS[self.name])
        return f"{self.name} ({parameters})" if parameters else self.name


def _short(number: Number | None) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
