"""The state of a learner as settings and arrays, to be saved and restored bit for bit.

A saved state is not trusted: every part of it is checked for shape, type and range, and for whether it fits the other parts.
"""

from typing import Any

import numpy as np

from novikoff.engine.confidences import Confidence, confidence_name, confidences
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.kernels import Points, find_kernel, kernels
from novikoff.engine.kernels.called import Called
from novikoff.engine.kernels.precomputed import Precomputed
from novikoff.engine.readouts.voted import Ballot
from novikoff.engine.rules import is_number, rules
from novikoff.engine.sweep import Team, new_team
from novikoff.engine.vectors import Vectors
from novikoff.engine.weights.budgeted import Budgeted
from novikoff.engine.weights.span import Span
from novikoff.foundation.array_types import Array
from novikoff.learning.forecasts import Forecasts, no_forecasts
from novikoff.learning.learner import Learner, Past
from novikoff.learning.ledger import Ledger

# Types of labels that can be saved; others would need code to be restored.
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
    """All that is needed to continue: settings, as JSON values, and arrays by name. `learner_of` restores the learner.

    The updates themselves are kept only if they are needed for votes; otherwise only their tally is kept.
    """
    if learner.started and learner.team.w.dtype == object:
        raise ValueError("a learner of exact numbers cannot be saved: convert the data to floats, and learn from that")
    name = next(name for name, kind in rules().items() if kind is type(learner.rule))
    settings = {
        "rule": name,
        "parameters": {what: float(value) for what, value in learner.rule._asdict().items()},
        "confidence": _confidence_settings(learner),
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
        "carry": type(learner.readout_state).__name__ if learner.started else None,
        **_kernel_settings(learner),
    }
    if not learner.started:
        return settings, {}
    arrays = {f"team.{part}": array for part, array in learner.team._asdict().items()}
    arrays |= {f"carry.{part}": array for part, array in learner.readout_state._asdict().items()}
    if learner.confidence is not None:
        state: Any = learner.vectors.confidence
        arrays |= {f"confidence.{name}": getattr(state, name) for name in state.learned}
    known = learner.forecasts.known()
    arrays |= {f"forecasts.{part}": array[known] for part, array in learner.forecasts._asdict().items()}
    if (arrays["forecasts.weight"] == 1).all():
        del arrays["forecasts.weight"]
    arrays |= {"forecasts.place": known.astype(np.int16), "class_counts": learner.class_counts}
    if isinstance(learner.space, Span) and learner.space.stored is not None:
        stored = Ballot(learner.space.stored.X, learner.space.stored.numbers)
        arrays |= {f"stored.{part}": array for part, array in stored.parts().items()}
    if learner.vectors.start is not None:
        arrays["start"] = learner.vectors.start
    if learner.reading.votes:
        for v, ledger in enumerate(learner.ledgers):
            arrays |= {f"ledger.{v}.{part}": array for part, array in ledger.entries._asdict().items()}
        arrays |= {f"ballot.{part}": array for part, array in learner.ballot.parts().items()}
    return settings, arrays


def _confidence_settings(learner: Learner) -> dict[str, Any] | None:
    found = learner.confidence
    return None if found is None else {"name": confidence_name(found), "r": float(found.r)}


def _kernel_settings(learner: Learner) -> dict[str, Any]:
    """The settings of the kernel; empty if there is no kernel."""
    space = learner.space
    if not isinstance(space, Span):
        return {}
    if isinstance(space.kernel, Called):
        raise ValueError(
            f"the kernel {space.kernel.function_name} is a function, and model files contain no code: use a named kernel"
        )
    described = {
        "name": space.kernel.name,
        "parameters": {what: _plain_number(value) for what, value in space.kernel._asdict().items()},
    }
    settings = {"kernel": described, "columns": space.columns, "cache_bytes": space.cache_bytes}
    if isinstance(space, Budgeted):
        settings |= {"budget": space.budget, "radius_sq": space.radius_sq, "outgrown": space.outgrown}
    return settings


def _plain_number(value: Any) -> int | float:
    return int(value) if isinstance(value, int | np.integer) else float(value)


def learner_of(settings: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    """The learner from the result of `state_of`. Raises an error if the parts do not fit together.

    Arrays that can be written to become the learner's own. Others are copied.
    """
    try:
        return _learner_of(settings, arrays)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(f"the settings of the learner are damaged ({type(error).__name__}: {error})") from None


def _learner_of(settings: dict[str, Any], arrays: dict[str, Array]) -> Learner:
    given = settings["class_weight"]
    if not isinstance(given, list | str | None):
        raise ValueError("the class weights are damaged")
    learner = Learner(
        rules()[settings["rule"]](**{name: float(value) for name, value in settings["parameters"].items()}),
        confidence=_confidence_of(settings.get("confidence")),  # missing in older files
        readout=settings["readout"],
        order=settings["order"],
        seed=_whole(settings, "seed", 2**128),
        class_weight={label: float(weight) for label, weight in given} if isinstance(given, list) else given,
        ledger_cap=_whole(settings, "ledger_cap"),
        **_kernel_of(settings),
        multiclass=settings.get("multiclass", "ovr"),  # missing in older files
    )
    constant = settings["constant"]
    _require(is_number(constant) and np.isfinite(constant), "the constant coordinate is not a finite number")
    counts = _whole(settings, "rows_fed"), _whole(settings, "passes")
    past = Past(*counts, settings["from_zero"] is True, settings["weighted"] is True, constant)
    if settings["carry"] is None:
        learner.restore(past)
        return learner
    _restore_space(learner, settings, arrays, past.rows_fed)
    classes, class_counts = _classes(settings, arrays)
    team = _team(learner, len(classes), arrays)
    _require((class_counts >= 0).all(), "the counts do not fit together")
    vectors = Vectors(team, start=_like(team.w, arrays["start"], "start") if "start" in arrays else None)
    vectors.confidence = _confidence_state(learner, team, arrays)
    vectors.readout_state = _readout_state(learner, vectors, settings["carry"], arrays)
    ledgers = [Ledger(learner.ledger_cap, columns=learner.strategy.entries) for _ in team.w]
    ballot = _ballot(learner, arrays, learner.space.width(team.w.shape[1] // learner.strategy.interleaved(len(classes))))
    learner.restore(past, classes, class_counts, vectors, ledgers, ballot, _forecasts(learner, len(classes), arrays))
    for v, ledger in enumerate(ledgers if learner.reading.votes else []):
        _restore_entries(learner, ledger, v, arrays)
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


def _confidence_of(described: dict[str, Any] | None) -> Confidence | None:
    if described is None:
        return None
    _require(described["name"] in confidences(), f"there is no confidence {described['name']!r}")
    found: Confidence = confidences()[described["name"]](float(described["r"]))
    return found


def _confidence_state(learner: Learner, team: Team, arrays: dict[str, Array]) -> Any:
    if learner.confidence is None:
        return Plain()
    vectors, length = team.w.shape
    blank: Any = learner.confidence.new_state(vectors, length, np.float64)
    state = blank._replace(**{name: _like(getattr(blank, name), arrays[f"confidence.{name}"], name) for name in blank.learned})
    _require(state.sigma.min() >= -1 and state.sigma.max() <= 1, "sigma has numbers above 1")
    _require(state.is_valid(), "sigma is not a matrix of confidences")
    return state


def _restore_space(learner: Learner, settings: dict[str, Any], arrays: dict[str, Array], rows_fed: int) -> None:
    space = learner.space
    if not isinstance(space, Span):
        return
    columns = _whole(settings, "columns")
    parts = {name.removeprefix("stored."): array for name, array in arrays.items() if name.startswith("stored.")}
    points = None
    if parts:
        stored = Ballot.of(parts, columns, rising=not isinstance(space, Budgeted))
        points = Points(stored.rows, stored.numbers)
        most = columns if isinstance(space.kernel, Precomputed) else rows_fed
        numbered = (stored.numbers >= 0).all() and (stored.numbers < most).all()
        _require(numbered, f"the numbers of the stored rows must be from 0 to {most - 1}")
    space.restore(columns, points)
    if isinstance(space, Budgeted):
        radius_sq = settings["radius_sq"]
        _require(type(radius_sq) is float and 0 <= radius_sq < np.inf, "radius_sq is not a finite number")
        space.restore_radius(radius_sq, settings["outgrown"] is True)


def _classes(settings: dict[str, Any], arrays: dict[str, Array]) -> tuple[Array, Array]:
    """The classes, and how many rows each had."""
    _require(settings["labels"] in LABELS, f"labels cannot be of type {settings['labels']!r}")
    classes = np.array(settings["classes"], settings["labels"])
    _require(classes.ndim == 1 and len(classes) > 0, "there are no classes")
    _require(settings["classes"] == np.unique(classes).tolist(), "the classes are not in order")
    return classes, _like(np.zeros(len(classes), np.int64), arrays["class_counts"], "class_counts")


def _team(learner: Learner, classes: int, arrays: dict[str, Array]) -> Team:
    w, targets = arrays["team.w"], learner.strategy.targets(classes)
    fits = w.ndim == 2 and len(w) == len(targets) and w.shape[1] > 0 and w.shape[1] % learner.strategy.interleaved(classes) == 0
    _require(fits, f"{classes} classes do not have weights of shape {w.shape}")
    if isinstance(learner.space, Span):
        stored = 0 if learner.space.stored is None else len(learner.space.stored)
        _require(w.shape[1] == stored + 1, f"{stored} rows are stored, and there are {w.shape[1] - 1} coefficients")
    blank = new_team(len(targets), w.shape[1], np.float64)
    team = Team(*(_like(part, arrays[f"team.{name}"], name) for name, part in blank._asdict().items()))
    _require(team.target.tolist() == targets, "the vectors do not stand for the classes")
    counted = (team.mistakes >= 0) & (team.mistakes <= team.updates) & (team.updates <= team.clock)
    counted &= (team.changed >= -1) & (team.changed < team.clock)
    _require(counted.all(), "the counts do not fit together")
    _require((team.factor > 0).all(), "class weights must be positive")
    return team


def _readout_state(learner: Learner, vectors: Vectors, kind: str, arrays: dict[str, Array]) -> Any:
    for held in (False, True):
        blank = learner.space.new_state(learner.reading, vectors, held)
        if type(blank).__name__ == kind:
            parts = (_like(part, arrays[f"carry.{name}"], name) for name, part in blank._asdict().items())
            return type(blank)(*parts)
    raise ValueError(f"the readout {learner.readout!r} has no state {kind!r}")


def _forecasts(learner: Learner, classes: int, arrays: dict[str, Array]) -> Forecasts:
    blank = no_forecasts(learner.strategy.columns(classes))
    if "forecasts.place" not in arrays:  # missing in older files
        return blank
    place = arrays["forecasts.place"]
    ordered = place.ndim == 1 and place.dtype == np.int16 and (np.diff(place.astype(np.int64), prepend=-1) > 0).all()
    _require(ordered and (place < len(blank.code)).all(), "the forecasts are damaged")
    blank.weight[place] = 1
    for name, part in blank._asdict().items():
        if name != "weight" or "forecasts.weight" in arrays:
            part[place] = _like(part[place], arrays[f"forecasts.{name}"], name)
    _require((blank.code[place] >= 0).all() and (blank.code < classes).all(), "the forecasts are of unknown classes")
    _require((blank.weight[place] > 0).all(), "the weights of the forecasts must be positive")
    return blank


def _ballot(learner: Learner, arrays: dict[str, Array], width: int) -> Ballot:
    parts = {name.removeprefix("ballot."): array for name, array in arrays.items() if name.startswith("ballot.")}
    return Ballot.of(parts, width) if learner.reading.votes else Ballot()


def _restore_entries(learner: Learner, ledger: Ledger, v: int, arrays: dict[str, Array]) -> None:
    columns = type(ledger.entries)
    entries = columns(*(arrays[f"ledger.{v}.{name}"].copy() for name in columns._fields))
    same_length = all(column.shape == entries.t.shape for column in entries) and len(entries.t) <= ledger.updates
    _require(same_length and len(entries.t) <= learner.ledger_cap, "the ledger has another number of updates")
    types = zip(entries, ledger.entries, strict=True)
    _require(all(column.dtype.kind == blank.dtype.kind for column, blank in types), "the ledger is damaged")
    lived = np.diff(entries.t, prepend=-1, append=ledger.tally.examples)
    _require((lived > 0).all() and np.isin(entries.row, learner.voters.numbers).all(), "the ledger is damaged")
    finite = all(np.isfinite(column).all() for column in entries)
    _require(finite and learner.strategy.valid(entries, len(learner.classes)), "the ledger is damaged")
    ledger.append(entries, ledger.tally)


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
    """The array or a copy. Raises an error unless its shape and type are those of `blank` and no value is NaN or infinite."""
    fits = array.shape == blank.shape and array.dtype == blank.dtype
    _require(fits, f"{name} should be {blank.dtype} of shape {blank.shape}, and is {array.dtype} of shape {array.shape}")
    finite = np.isfinite(array) if name != "hull_sq" else ~np.isnan(array)  # infinite before the first update
    _require(finite.all(), f"{name} has numbers that are not finite")
    return array if array.flags.writeable and array.flags.c_contiguous else array.copy()


def _require(so: Any, otherwise: str) -> None:
    if not so:
        raise ValueError(otherwise)
