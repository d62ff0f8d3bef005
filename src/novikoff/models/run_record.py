"""What a model file records about the run that made the model."""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from math import isfinite
from typing import Any, Self

from novikoff import __version__
from novikoff.learning.learner import Learner
from novikoff.learning.ledger import Ledger, hardest
from novikoff.learning.run import Pass, Run, StopReason

LIBRARIES = ("numpy", "scipy", "scikit-learn")  # the numbers of a run depend on their versions
Check = Callable[[object], bool]
Label = str | int | float | bool


def versions() -> dict[str, str]:
    """The versions that the numbers of a run depend on: novikoff, Python and the numeric libraries."""
    return {"novikoff": __version__, "python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


# ---- checks of values ------------------------------------------------------------------------------------------------


def _whole(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _number(value: object) -> bool:
    return (type(value) is float and isfinite(value) and value >= 0) or _whole(value)


def _text(value: object) -> bool:
    return isinstance(value, str)


def _label(value: object) -> bool:
    return isinstance(value, bool | str | int) or (isinstance(value, float) and isfinite(value))


def _setting(value: object) -> bool:
    return value is None or isinstance(value, bool | str) or _number(value)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list | tuple) and all(map(check, value))


def _row_of(*checks: Check) -> Check:
    def fits(value: object) -> bool:
        if not (isinstance(value, list | tuple) and len(value) == len(checks)):
            return False
        return all(check(one) for check, one in zip(checks, value, strict=True))

    return fits


def _reading(value: object) -> bool:
    special: dict[str, Check] = {
        "label": lambda one: one is None or _text(one),
        **dict.fromkeys(("categories", "ignore", "missing"), lambda one: one is None or _list_of(_text)(one)),
    }
    return isinstance(value, dict) and all(special.get(name, _setting)(one) for name, one in value.items())


def _versions(value: object) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


def _mapping(value: object) -> bool:
    return isinstance(value, dict) and all(map(_text, value))


# ---- the record --------------------------------------------------------------------------------------------------------


def _recorded(check: Check, convert: Callable[[Any], object] = lambda value: value) -> Any:
    """A field that is None unless it is recorded; `convert` makes its value out of JSON that passes the check."""
    return field(default=None, kw_only=True, metadata={"check": check, "convert": convert})


@dataclass(frozen=True, eq=False)
class RunRecord(Mapping[str, Any]):
    """What is known of a run. Fields have the names of the keys in the model file; None means "not recorded".

    A record also reads like a mapping, with the keys and the plain values that the file has: `model.run["rows"]`.
    A value of the wrong kind is refused with a ValueError; `from_json` leaves it out, because a file can contain anything.
    """

    estimator: str | None = _recorded(_text)  # name of its class
    call: str | None = _recorded(_text)  # its repr
    stop_reason: str | None = _recorded(_text)
    each_pass: tuple[Pass, ...] | None = _recorded(
        _list_of(_row_of(_whole, _whole, _whole, _whole, _number)), lambda rows: tuple(Pass(*row) for row in rows)
    )
    errors: int | None = _recorded(_whole)  # training rows answered wrongly at the end
    radius: float | None = _recorded(_number)  # R, the length of the longest row
    radius_around_mean: float | None = _recorded(_number)  # the same around the mean of the rows, where the origin is far away
    hardest: tuple[tuple[int, int], ...] | None = _recorded(  # rows with the most updates, each with their number
        _list_of(_row_of(_whole, _whole)), lambda rows: tuple((row, times) for row, times in rows)
    )
    kept: int | None = _recorded(_whole)  # updates in the ledgers, from which `hardest` is counted
    rows: int | None = _recorded(_whole)
    features: int | None = _recorded(_whole)
    entries: int | None = _recorded(_whole)  # numbers stored in the rows
    classes: tuple[Label, ...] | None = _recorded(_list_of(_label), tuple)
    how: str | None = _recorded(_text)  # how the passes were made, in words
    skipped_lines: int | None = _recorded(_whole)
    reading: Mapping[str, Any] | None = _recorded(_reading)  # options of reading that prediction needs again
    seconds: float | None = _recorded(_number)
    files: tuple[str, ...] | None = _recorded(_list_of(_text), tuple)
    rounds: int | None = _recorded(_whole)  # of a ModifiedPerceptron
    steps: int | None = _recorded(_whole)  # of a RescaledPerceptron
    stretches: int | None = _recorded(_whole)
    made_with: Mapping[str, str] | None = _recorded(_versions)
    distributed: Mapping[str, object] | None = _recorded(_mapping)  # what a checkpoint of a cluster needs to go on
    rule: str | None = _recorded(_text)
    confidence: str | None = _recorded(_text)
    kernel: str | None = _recorded(_text)
    stored: int | None = _recorded(_whole)  # rows that a kernel's weights are sums of
    readout: str | None = _recorded(_text)
    order: str | None = _recorded(_text)
    passes: int | None = _recorded(_whole)
    updates: int | None = _recorded(_whole)
    mistakes: int | None = _recorded(_whole)
    mistakes_in_last_pass: int | None = _recorded(_whole)
    command: tuple[str, ...] | None = _recorded(_list_of(_text), tuple)
    unknown: Mapping[str, object] = field(default_factory=dict, kw_only=True)  # what else a file has; it is written back

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            if value is not None and not check(value):
                raise ValueError(f"the record of a run cannot have {name}={value!r}")

    # ---- making one ------------------------------------------------------------------------------------------------------

    @classmethod
    def of_run(cls, run: Run, ledgers: Sequence[Ledger] | None, **more: Any) -> Self:
        """The record of a run that has ended; `more` are further fields.

        `ledgers` is None where they do not number rows as the data does.
        """
        return cls(
            stop_reason=str(run.stop_reason),
            each_pass=run.passes,
            errors=run.errors,
            radius=None if run.radius is None or not isfinite(run.radius) else float(run.radius),
            hardest=None if ledgers is None else tuple((row, times) for row, times in hardest(ledgers)),
            kept=None if ledgers is None else sum(map(len, ledgers)),
            **more,
        )

    @classmethod
    def of_stream(cls, learner: Learner, reading: Mapping[str, Any]) -> Self:
        """The record of a learner that was fed from a stream."""
        return cls(stop_reason=str(StopReason.STREAM), rows=learner.rows_fed, reading=reading)

    def with_summary(self, learner: Learner, command: Sequence[str]) -> Self:
        """This record with the settings of the learner, totals over the passes, and the command line that was given."""
        passes = self.each_pass or ()
        clean = self.stop_reason == StopReason.CLEAN_PASS
        return replace(
            self,
            errors=0 if clean and self.errors is None else self.errors,
            rule=repr(learner.rule),
            confidence=None if learner.confidence is None else repr(learner.confidence),
            kernel=None if learner.kernel is None else repr(learner.kernel),
            stored=None if learner.kernel is None else learner.team.w.shape[1] - 1,
            readout=learner.readout,
            order=learner.order,
            passes=len(passes),
            updates=sum(one.updates for one in passes),
            mistakes=sum(one.mistakes for one in passes),
            mistakes_in_last_pass=passes[-1].mistakes if passes else 0,
            command=tuple(command),
        )

    # ---- JSON ------------------------------------------------------------------------------------------------------------

    @classmethod
    def from_json(cls, document: Mapping[str, object]) -> Self:
        """The record in a model file, without values that are not of the kind that a run records."""
        converted: dict[str, Any] = {
            name: _CONVERSIONS[name](document[name])
            for name, check in _CHECKS.items()
            if document.get(name) is not None and check(document[name])
        }
        return cls(**converted, unknown={name: value for name, value in document.items() if name not in _CHECKS})

    def to_json(self) -> dict[str, object]:
        """The record as a model file has it: what is recorded, and null for what was looked for and is not known."""
        nulls: set[str] = set()
        if self.each_pass is not None and self.rows is not None:  # the run has ended
            nulls |= {"errors", "radius", "hardest", "kept"}
        if self.rule is not None:  # it has a summary
            nulls |= {"kernel", "stored"}
        values = {name: _plain(getattr(self, name)) for name in _CHECKS}
        recorded = {name: value for name, value in values.items() if value is not None or name in nulls}
        return recorded | dict(self.unknown)

    def __getitem__(self, name: str) -> Any:
        return self.to_json()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_json())

    def __len__(self) -> int:
        return len(self.to_json())


def _plain(value: object) -> object:
    """The value with lists for tuples, as JSON has it."""
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return value


_CHECKS: dict[str, Check] = {one.name: one.metadata["check"] for one in fields(RunRecord) if one.metadata}
_CONVERSIONS: dict[str, Callable[[Any], object]] = {
    one.name: one.metadata["convert"] for one in fields(RunRecord) if one.metadata
}
