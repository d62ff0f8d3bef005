"""A learner put away, and taken out again: to go on as if nothing had been in between, to the bit.

What is taken out may come from anywhere, so every part of it is looked at: shape, type, range, and whether it fits the others.
"""

from typing import Any

import numpy as np

from novikoff.engine.kernels import Points, find_kernel, kernels
from novikoff.engine.kernels.called import Called
from novikoff.engine.kernels.precomputed import Precomputed
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rule import is_number, rules
from novikoff.engine.storages import Array
from novikoff.engine.sweep import Team, new_team
from novikoff.engine.weights.span import Budgeted, Span
from novikoff.learning.learner import Learner, targets_of
from novikoff.learning.ledger import Ledger

# Types of labels that can be put away; all others would need code to come back.
LABELS = (
    "bool",
    "str",
    "object",
    "float16",
    "float32",
    "float64",
    *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64)),
)


def state_of(learner: Learner) -> tuple[dict[str, Any], dict[str, Array]]:
    """All that is needed to go on: settings, as JSON can hold them, and arrays by name. `learner_of` makes the learner again.

    The updates themselves are kept only where they vote; otherwise their tally is.
    """
    if learner.started and learner.team.w.dtype == object:
        raise ValueError("a learner of exact numbers cannot be saved: convert the data to floats, and learn from that")
    name = next(name for name, kind in rules().items() if kind is type(learner.rule))
    settings = {
        "rule": name,
        "parameters": {what: float(value) for what, value in learner.rule._asdict().items()},
        "readout": learner.readout,
        "order": learner.order,
        "seed": int(learner.seed),
        "class_weight": learner.class_weight
        if learner.class_weight is None or isinstance(learner.class_weight, str)
        else [[_plain_label(label), float(weight)] for label, weight in learner.class_weight.items()],
        "ledger_cap": int(learner.ledger_cap),
        "multiclass": learner.multiclass,
        "labels": "str" if learner.classes.dtype.kind in "UT" else learner.classes.dtype.name,
        "classes": [_plain_label(label) for label in learner.classes.tolist()],
        "rows_fed": learner.rows_fed,
        "passes": learner.passes,
        "from_zero": learner.from_zero,
        "weighted": learner.weighted,
        "constant": float(learner.constant),
        "carry": type(learner.carry).__name__ if learner.started else None,
        **_kernel_settings(learner),
    }
    if not learner.started:
        return settings, {}
    arrays = {f"team.{part}": array for part, array in learner.team._asdict().items()}
    arrays |= {f"carry.{part}": array for part, array in learner.carry._asdict().items()}
    arrays["class_counts"] = learner.class_counts
    if isinstance(learner.space, Span) and learner.space.stored is not None:
        stored = Ballot(learner.space.stored.X, learner.space.stored.numbers)
        arrays |= {f"stored.{part}": array for part, array in stored.parts().items()}
    if learner.start is not None:
        arrays["start"] = learner.start
    if learner.reading.votes:
        for v, ledger in enumerate(learner.ledgers):
            arrays |= {f"ledger.{v}.{part}": array for part, array in ledger.entries._asdict().items()}
        arrays |= {f"ballot.{part}": array for part, array in learner.ballot.parts().items()}
    return settings, arrays


def _kernel_settings(learner: Learner) -> dict[str, Any]:
    """What a kernel adds; nothing where there is none."""
    space = learner.space
    if not isinstance(space, Span):
        return {}
    if isinstance(space.kernel, Called):
        raise ValueError(
            f"the kernel {space.kernel.told} is a function, and a model file has none that could run: use a named one"
        )
    told = {
        "name": space.kernel.name,
        "parameters": {what: _plain_number(value) for what, value in space.kernel._asdict().items()},
    }
    settings = {"kernel": told, "columns": space.columns, "cache_bytes": space.cache_bytes}
    if isinstance(space, Budgeted):
        settings |= {"budget": space.budget, "radius_sq": space.radius_sq, "outgrown": space.outgrown}
    return settings


def _plain_number(value: Any) -> int | float:
    return int(value) if isinstance(value, int | np.integer) else float(value)


def learner_of(settings: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    """The learner whose `state_of` this is; refused, with a sentence, where the parts do not fit together."""
    try:
        return _learner_of(settings, arrays)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(f"the learner's settings are none that it could have ({type(error).__name__}: {error})") from None


def _learner_of(settings: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    given = settings["class_weight"]
    learner = Learner(
        rules()[settings["rule"]](**{name: float(value) for name, value in settings["parameters"].items()}),
        readout=settings["readout"],
        order=settings["order"],
        seed=_whole(settings, "seed", 2**128),
        class_weight={label: float(weight) for label, weight in given} if isinstance(given, list) else given,
        ledger_cap=_whole(settings, "ledger_cap"),
        **_kernel_of(settings),
        multiclass=settings.get("multiclass", "ovr"),  # which older files do not name
    )
    learner.rows_fed, learner.passes = _whole(settings, "rows_fed"), _whole(settings, "passes")
    learner.from_zero, learner.weighted = settings["from_zero"] is True, settings["weighted"] is True
    learner.constant = settings["constant"]
    _require(is_number(learner.constant) and np.isfinite(learner.constant), "the constant coordinate is no number")
    if settings["carry"] is None:
        return learner
    _restore_space(learner, settings, arrays)
    _restore_team(learner, settings, arrays)
    _restore_carry(learner, settings["carry"], arrays)
    if "start" in arrays:
        learner.start = _like(learner.team.w, arrays["start"], "start")
    _restore_ledgers(learner, arrays)
    return learner


def _kernel_of(settings: dict[str, Any]) -> dict[str, Any]:
    if "kernel" not in settings:
        return {}
    name, parameters = settings["kernel"]["name"], settings["kernel"]["parameters"]
    _require(name in kernels() and name != "called", f"there is no kernel {name!r}")
    numbers = all(type(value) in (int, float) and abs(value) < 1e300 for value in parameters.values())
    _require(numbers and set(parameters) == set(kernels()[name]._fields), "the parameters of the kernel are damaged")
    found = {"kernel": find_kernel(kernels()[name](**parameters)), "cache_bytes": _whole(settings, "cache_bytes")}
    return found | ({"budget": _whole(settings, "budget")} if "budget" in settings else {})


def _restore_space(learner: Learner, settings: dict[str, Any], arrays: dict[str, Array]) -> None:
    space = learner.space
    if not isinstance(space, Span):
        return
    space.columns = _whole(settings, "columns")
    parts = {name.removeprefix("stored."): array for name, array in arrays.items() if name.startswith("stored.")}
    if parts:
        stored = Ballot.of(parts, space.columns, rising=not isinstance(space, Budgeted))
        space.stored = Points(stored.rows, stored.numbers)
        most = space.columns if isinstance(space.kernel, Precomputed) else learner.rows_fed
        _require((stored.numbers >= 0).all() and (stored.numbers < most).all(), "the stored rows are numbered as none was")
    if isinstance(space, Budgeted):
        space.radius_sq, space.outgrown = settings["radius_sq"], settings["outgrown"] is True
        _require(type(space.radius_sq) is float and 0 <= space.radius_sq < np.inf, "the radius is no number")


def _restore_team(learner: Learner, settings: dict[str, Any], arrays: dict[str, Array]) -> None:
    _require(settings["labels"] in LABELS, f"labels cannot be of type {settings['labels']!r}")
    learner.classes = np.array(settings["classes"], settings["labels"])
    count = len(learner.classes)
    _require(learner.classes.ndim == 1 and count > 0, "there are no classes")
    _require(settings["classes"] == np.unique(learner.classes).tolist(), "the classes are not in order")
    learner.class_counts = _like(np.zeros(count, np.int64), arrays["class_counts"], "class_counts")
    w, targets = arrays["team.w"], [0] if learner.direct else [*targets_of(count), -1]
    fits = w.ndim == 2 and len(w) == len(targets) and w.shape[1] > 0 and w.shape[1] % learner.interleaved == 0
    _require(fits, f"{count} classes do not have weights of shape {w.shape}")
    if isinstance(learner.space, Span):
        stored = 0 if learner.space.stored is None else len(learner.space.stored)
        _require(w.shape[1] == stored + 1, f"{stored} rows are stored, and there are {w.shape[1] - 1} coefficients")
    blank = new_team(len(targets), w.shape[1], np.float64)
    learner.team = Team(*(_like(part, arrays[f"team.{name}"], name) for name, part in blank._asdict().items()))
    team = learner.team
    _require(team.target.tolist() == targets, "the vectors do not stand for the classes")
    counted = (team.mistakes >= 0) & (team.mistakes <= team.updates) & (team.updates <= team.clock)
    counted &= (team.changed >= -1) & (team.changed < team.clock)
    _require(counted.all() and (learner.class_counts >= 0).all(), "the counts do not fit together")
    _require((team.factor > 0).all(), "class weights must be positive")


def _restore_carry(learner: Learner, kind: str, arrays: dict[str, Array]) -> None:
    for held in (False, True):
        blank = learner.new_carry(None, held)
        if type(blank).__name__ == kind:
            parts = (_like(part, arrays[f"carry.{name}"], name) for name, part in blank._asdict().items())
            learner.carry = type(blank)(*parts)
            return
    raise ValueError(f"the readout {learner.readout!r} carries no {kind!r} along")


def _restore_ledgers(learner: Learner, arrays: dict[str, Array]) -> None:
    learner.ledgers = [Ledger(learner.ledger_cap, direct=learner.direct) for _ in learner.team.w]
    if learner.reading.votes:
        ballot = {name.removeprefix("ballot."): array for name, array in arrays.items() if name.startswith("ballot.")}
        learner.ballot = Ballot.of(ballot, learner.width)
    for v, ledger in enumerate(learner.ledgers):
        ledger.tally = learner.tally(v)
        if learner.reading.votes:
            columns = type(ledger.entries)
            entries = columns(*(arrays[f"ledger.{v}.{name}"].copy() for name in columns._fields))
            sound = all(column.shape == entries.t.shape for column in entries) and len(entries.t) <= ledger.updates
            _require(sound and len(entries.t) <= learner.ledger_cap, "the ledger has another number of updates")
            kinds = "iiiiff" if learner.direct else "iiiff"
            _require(all(c.dtype.kind == kind for c, kind in zip(entries, kinds, strict=True)), "the ledger is damaged")
            lived = np.diff(entries.t, prepend=-1, append=ledger.tally.examples)
            _require((lived > 0).all() and np.isin(entries.row, learner.voters.numbers).all(), "the ledger is damaged")
            finite = all(np.isfinite(column).all() for column in entries)
            _require(finite and _labels_fit(learner, entries), "the ledger is damaged")
            ledger.append(entries, ledger.tally)


def _labels_fit(learner: Learner, entries: Any) -> bool:
    if not learner.direct:
        return bool((abs(entries.y) == 1).all())
    named = np.concatenate([entries.y, entries.rival])
    return bool(((named >= 0) & (named < len(learner.classes))).all() and (entries.y != entries.rival).all())


def _plain_label(label: Any) -> Any:
    plain = label.item() if isinstance(label, np.generic) else label
    if not isinstance(plain, str | int | float):
        raise ValueError(f"labels of type {type(label).__name__} cannot be saved: use text or numbers, as {label!r} is neither")
    return plain


def _whole(settings: dict[str, Any], name: str, limit: int = 2**62) -> int:
    number = settings[name]
    _require(type(number) is int and 0 <= number < limit, f"{name} cannot be {number!r}")
    return int(number)


def _like(blank: Array, array: Array, name: str) -> Array:
    """A copy of the array, if it has the shape and the type that it must have, and every number is one."""
    fits = array.shape == blank.shape and array.dtype == blank.dtype
    _require(fits, f"{name} should be {blank.dtype} of shape {blank.shape}, and is {array.dtype} of shape {array.shape}")
    finite = np.isfinite(array) if name != "hull_sq" else ~np.isnan(array)  # infinite before the first update
    _require(finite.all(), f"{name} has numbers that are not finite")
    return array.copy()


def _require(so: Any, otherwise: str) -> None:
    if not so:
        raise ValueError(otherwise)
