"""Update rules: what to do after looking at a row, and the theorem about it.

A rule is a `NamedTuple` of its parameters in a file of `rules/`, with four functions: the compiled `step` and `no_update_margin`,
a `bound` that gives its theorem's number or says why there is none, and a `check` of its parameters. Registering it with
`@rule(name)` makes it available to the estimators and the contract tests. A rule that adds y·x in steps of one length also has
`growth`, the most that an update adds to ‖w‖².
"""

from collections.abc import Callable, Iterator
from math import inf
from numbers import Real
from typing import Any, NamedTuple, Protocol, TypeVar

from novikoff.compiler import generic
from novikoff.foundation.registry import import_all


@generic
def step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    """The step along y·x, given margin = y·⟨w, x⟩ and ‖x‖². 0 leaves w as it is.

    Every rule steps when the margin is not positive: zero is a mistake, and so is NaN. Therefore write
    "0 if margin > …", never "τ if margin <= …", which is false for NaN.
    """
    raise TypeError(f"{type(rule).__name__} is not a rule")


@generic
def no_update_margin(rule: Any, sqnorm: Any) -> Any:
    """A margin ≥ 0 above which `step` gives 0. It is optional: without it, every row is read (F22)."""
    raise TypeError(f"{type(rule).__name__} does not say above which margin it makes no step")


class Evidence(NamedTuple):
    """What a bound is computed from: a comparison vector u and the rows that were fed, over any number of passes.

    `losses` is L(u) = Σ max(0, 1 − u·z), `squared_losses` the sum of the squares; both are 0 if u·z ≥ 1 everywhere, and
    then 1/‖u‖ is a margin that the data has. Norms include the constant coordinate.
    """

    radius: float
    u_norm: float
    losses: float = 0.0
    squared_losses: float = 0.0
    from_zero: bool = True
    weighted: bool = False


class Bound(NamedTuple):
    """`of` is at most `value`, by `theorem`. `of` is "mistakes", "updates" or "squared losses suffered"."""

    of: str
    value: float
    theorem: str


class NoBound(NamedTuple):
    """Why there is no bound for these settings."""

    why: str


class Rule(Protocol):
    """The interface of a rule, besides `step` and `no_update_margin`."""

    def bound(self, evidence: Evidence) -> Bound | NoBound: ...
    def check(self) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def _asdict(self) -> dict[str, Any]: ...


_RULES: dict[str, type[Any]] = {}
R = TypeVar("R", bound=type[Any])


def rule(name: str) -> Callable[[R], R]:
    """Give a rule its name."""

    def register(cls: R) -> R:
        _RULES[name] = cls
        return cls

    return register


def rules() -> dict[str, type[Any]]:
    """All rules, by name."""
    import_all("novikoff.engine.rules")
    return dict(sorted(_RULES.items()))


def find_rule(wanted: Any) -> Rule:
    """A rule from its name (with its default parameters) or from a rule object, whose parameters are checked."""
    known = rules()
    if isinstance(wanted, str):
        if wanted not in known:
            raise ValueError(
                f"there is no rule {wanted!r}; the rules are {', '.join(known)}: give one of them as the parameter rule"
            )
        wanted = known[wanted]()
    elif type(wanted) not in known.values():
        raise TypeError(f"rule must be a name ({', '.join(known)}) or one of novikoff.engine.rules, not {wanted!r}")
    found: Rule = wanted
    found.check()
    return found


def uses_norms(rule: Rule) -> bool:
    """Whether `step` or `no_update_margin` depends on ‖x‖²; true unless the rule says otherwise."""
    return bool(getattr(rule, "uses_norms", True))


def in_numbers(rule: Rule, number: Callable[[Any], Any]) -> Any:
    """The rule with its parameters as numbers of one type: floats for compiled code, fractions for exact arithmetic."""
    return type(rule)(*map(number, rule))


def void(evidence: Evidence) -> NoBound | None:
    """Why no rule has a bound here; None if one may."""
    if not evidence.from_zero:
        return NoBound("the run did not start from w = 0, and the mistake bounds speak of runs that do")
    if evidence.weighted:
        return NoBound("sample or class weights scale the steps, and the mistake bounds speak of the unscaled rule")
    return None


def additive_bound(of: str, growth: float, evidence: Evidence, theorem: str) -> Bound | NoBound:
    """The bound of a rule that adds y·x on an update, when an update adds at most `growth` to ‖w‖².

    w·u ≥ k − L(u) and ‖w‖² ≤ k·growth give k − L ≤ ‖u‖·√(k·growth), hence √k ≤ (G + √(G² + 4L)) / 2 with
    G = ‖u‖·√growth. That is F5 where L = 0, F6 otherwise [novikoff1962convergence; freund1999large].
    """
    if (nothing := void(evidence)) is not None:
        return nothing
    reach_sq = evidence.u_norm**2 * growth
    if evidence.losses == 0:
        return Bound(of, reach_sq, theorem)
    return Bound(of, ((reach_sq**0.5 + (reach_sq + 4 * evidence.losses) ** 0.5) / 2) ** 2, theorem)


def is_number(value: Any) -> bool:
    return isinstance(value, Real)


def require_positive(name: str, value: Any, or_zero: bool = False) -> None:
    """Raise an error if a parameter is not a number, not finite or not positive."""
    if not is_number(value) or not (0 <= value < inf if or_zero else 0 < value < inf):
        kind = "a number that is not negative" if or_zero else "a positive number"
        raise ValueError(f"{name} must be {kind}, not {value!r}")
