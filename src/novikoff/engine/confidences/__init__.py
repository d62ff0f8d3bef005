"""How sure each weight is: a matrix Σ that shapes the steps and shrinks with them.

A step along x moves all weights of the row alike. With a confidence the step is along Σx, and its length is the rule's, with
v = xᵀΣx in place of ‖x‖². Σ is the identity at first. After a step on a row of weight g, Σ⁻¹ grows by g·xxᵀ/r: weights
that have been learned often become sure, and move less. A small r makes them sure sooner.

A confidence is a `NamedTuple` of its parameters in a file of this folder, registered with `@confidence(name)`. Its state is
another `NamedTuple`, for which the functions below are registered. Through Σ, w is no longer a sum of rows, so the facts that
rely on that (F5–F7, F9, F22–F24) do not hold (F29).
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from novikoff.compiler import generic
from novikoff.engine.rules import NoBound, Rule
from novikoff.foundation.array_types import Array
from novikoff.foundation.registry import import_all


@generic
def own_step(state: Any, rule: Any, v: Any, i: Any, margin: Any, tau: Any, sheet: Any) -> Any:
    """The step of vector v along Σxᵢ. `tau` is the step that the rule would make along xᵢ; it is not 0, unless it underflowed.

    Call it before the next two, which use what it has computed. Since Σ never exceeds the identity, xᵀΣx ≤ ‖x‖²; so a row on
    which the rule makes no step for ‖x‖² has none for xᵀΣx either, and this need not be called.
    """
    raise TypeError(f"{type(state).__name__} is not the state of a confidence")


@generic
def shift(state: Any, v: Any, i: Any, c: Any, score: Any, sheet: Any, w: Any) -> Any:
    """w += c·Σxᵢ, with the Σ of vector v. Returns by how much ‖w‖² has grown, given score = ⟨w, xᵢ⟩."""
    raise TypeError(f"{type(state).__name__} is not the state of a confidence")


@generic
def sharpen(state: Any, v: Any, i: Any, weight: Any, sheet: Any) -> None:
    """Vector v has learned from row i, of this weight: Σ⁻¹ grows by weight·xᵢxᵢᵀ/r."""
    raise TypeError(f"{type(state).__name__} is not the state of a confidence")


@generic
def sums_rows(state: Any) -> Any:
    """Whether w is a sum of multiples of rows."""
    raise TypeError(f"{type(state).__name__} is not the state of a confidence")


class State(Protocol):
    """The state of a confidence: arrays with one entry per vector of the team. A weight has the same place as in w."""

    @property
    def learned(self) -> tuple[str, ...]:
        """The names of the arrays that have to be saved."""

    def carried(self, source: Array) -> "State":
        """Vector k becomes vector source[k]. Σ is that of the mirror image, too."""

    def relocated(self, source: Array) -> "State":
        """Weight j becomes weight source[j], or a new one, of which nothing is known, where that is −1."""

    def precisions(self) -> Array:
        """What adds up over the rows that were learned from: Σ⁻¹ of each vector, or its diagonal."""

    def with_precisions(self, precisions: Array) -> "State":
        """The state with these precisions."""

    def is_valid(self) -> bool:
        """Whether Σ can be the result of learning, as far as is quick to see."""

    def untouched(self, columns: slice) -> bool:
        """Whether no vector has learned anything about these weights."""

    def _asdict(self) -> dict[str, Any]: ...


class Confidence(Protocol):
    @property
    def r(self) -> float: ...

    @property
    def settled(self) -> float:
        """A pass that moves the weights by a smaller share of their length changes few answers."""

    def check(self) -> None: ...
    def new_state(self, vectors: int, length: int, number: Any) -> State:
        """For this many vectors of `length` weights of numpy dtype `number` (object for fractions)."""


_CONFIDENCES: dict[str, type[Any]] = {}
C = TypeVar("C", bound=type[Any])


def confidence(name: str) -> Callable[[C], C]:
    """Give a confidence its name."""

    def register(cls: C) -> C:
        _CONFIDENCES[name] = cls
        return cls

    return register


def confidences() -> dict[str, type[Any]]:
    """All confidences, by name."""
    import_all(__name__)
    return dict(sorted(_CONFIDENCES.items()))


def find_confidence(wanted: Any, rule: Rule) -> Confidence | None:
    """A confidence from its name, with the r of the rule if that has one; from an object of this folder; or None.

    "auto" is the confidence that belongs to the rule: a diagonal one for AROW, none for most.
    """
    known = confidences()
    if isinstance(wanted, str):
        name = getattr(rule, "confidence", "none") if wanted == "auto" else wanted
        if name == "none":
            return None
        if name not in known:
            raise ValueError(f"there is no confidence {name!r}; the confidences are none, {', '.join(known)}")
        wanted = known[name](getattr(rule, "r", 1.0))
    elif wanted is not None and type(wanted) not in known.values():
        raise TypeError(
            f"confidence must be None, a name ({', '.join(known)}) or one of novikoff.engine.confidences, not {wanted!r}"
        )
    if wanted is not None:
        wanted.check()
    found: Confidence | None = wanted
    return found


def no_bound_through(found: Confidence, rule: Rule) -> NoBound:
    """Why no bound is known before the run."""
    if not hasattr(rule, "confidence"):
        return NoBound(
            f"with a confidence w is not a sum of rows, and the bound of {type(rule).__name__} is about such sums (F29)"
        )
    if confidence_name(found) == "full":
        return NoBound("the bound of this rule depends on the updates of the run: `facts` computes it (F26, F27)")
    return NoBound(f"no bound is known with a {confidence_name(found)} confidence; there is one with confidence='full' (F26)")


def confidence_name(found: Confidence | None) -> str:
    return next((name for name, kind in confidences().items() if kind is type(found)), "none")
