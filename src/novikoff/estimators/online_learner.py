"""Learning from one example at a time, its features by name.

A row is put on a desk, where the compiled loop of every other run, `sweep`, finds it. Weights have room for more features than
there are, so that a new name seldom moves them; whatever is unusual, such as a class not met before, goes through the learner.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from itertools import repeat
from math import isfinite
from operator import itemgetter
from os.path import realpath
from pathlib import Path
from struct import Struct
from struct import error as StructError
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.compiler import loop
from novikoff.compiler.dispatch import compiled
from novikoff.data.features import NOWHERE, Named
from novikoff.engine.confidences.full import Full
from novikoff.engine.labelled_rows import CODE, Sheet, examples
from novikoff.engine.readouts import answering
from novikoff.engine.rules import in_numbers, is_number
from novikoff.engine.skipping import Everything
from novikoff.engine.storages import read_only, score, sqnorm
from novikoff.engine.storages.csr import Csr
from novikoff.engine.sweep import new_page, sweep
from novikoff.foundation.array_types import Array
from novikoff.foundation.file_locks import Hold, digest_of
from novikoff.foundation.fork_safety import Order, fork_lock
from novikoff.learning.learner import Learner
from novikoff.models.model import Model, ModelError, load, save

ROOM = 1024  # features that there is room for at first, doubled when they are more
ROOM_IN_A_MATRIX = 8  # the same with a full confidence, where a step takes time for all of them
SHORT, LONG, HEAVY = 1e-50, 1e100, 1e50  # squared norms and steps in between cannot make weights overflow
PATIENCE = 0.01  # the share of new examples after which probabilities are calibrated again
LOW, ONE = np.uint32(255), np.uint32(1)
NO_COLUMN = np.uint32(2**32 - 1)  # what NOWHERE is without its sign: in order, it comes last
EVERYTHING, FIRST = Everything(), np.zeros(1, np.uint32)


class Desk(NamedTuple):
    """Where one row lies, and what is made of it. The `Sheet` of a sweep has the same memory, not to be written to."""

    columns: Array
    values: Array
    spare_columns: Array  # room to sort in, as the next two
    spare_values: Array
    first: Array
    ends: Array  # 0, and how many entries the row has
    sqnorm: Array
    constant: float
    weights: Array  # those that answer for the row's columns, the bias last
    places: Array  # 0, 1, 2, …: where in `weights` they are
    scores: Array  # of each vector


@loop
def look(desk: Any, n: Any) -> Any:
    """Put the row's n entries in the order of their columns, those that have none last.

    Returns how many have one, or −1 if a value is not finite. Columns are sorted by eight bits at a time: rows are short, and
    mispredicted comparisons are slow.
    """
    used = np.uint32(0)
    for k in range(n):
        used |= desk.columns[k]
    shift = 0
    while shift < 32 and used >> np.uint32(shift) > 0:
        for digit in range(257):
            desk.first[digit] = 0
        for k in range(n):
            desk.first[(desk.columns[k] >> np.uint32(shift) & LOW) + ONE] += 1
        for digit in range(256):
            desk.first[digit + 1] += desk.first[digit]
        for k in range(n):
            digit = desk.columns[k] >> np.uint32(shift) & LOW
            place = desk.first[digit]
            desk.first[digit] = place + 1
            desk.spare_columns[place] = desk.columns[k]
            desk.spare_values[place] = desk.values[k]
        for k in range(n):
            desk.columns[k] = desk.spare_columns[k]
            desk.values[k] = desk.spare_values[k]
        shift += 8
    desk.ends[1] = n
    desk.sqnorm[0] = sqnorm(Csr(desk.values, desk.columns, desk.ends, desk.constant), 0)
    if not desk.sqnorm[0] < np.inf:
        return -1
    while n > 0 and desk.columns[n - 1] == NO_COLUMN:
        n -= 1
    return n


@loop
def answer(desk: Any, known: Any, readout_state: Any, team: Any) -> Any:
    """Score the row by the weights that answer, of which the first `known` entries have one. Returns the number of its class."""
    n, best = int(desk.ends[1]), 0
    row = Csr(desk.values, desk.places, desk.ends, desk.constant)
    for p in range(known, n):
        desk.weights[p] = 0.0  # and not left out, so that sums are those of a matrix that has a column for it
    for v in range(max(1, len(team.w) - 1)):
        for p in range(known):
            desk.weights[p] = answering(readout_state, v, desk.columns[p], team)
        desk.weights[n] = answering(readout_state, v, team.w.shape[1] - 1, team)
        desk.scores[v] = score(row, 0, desk.weights[: n + 1])
        if desk.scores[v] > desk.scores[best]:
            best = v
    if len(team.w) == 2:  # one vector for two classes
        return 1 if desk.scores[0] > 0 else 0
    return best


@loop
def ordinary(desk: Any, team: Any) -> Any:
    """Whether no step on the row on the desk could take the weights out of the range of floats."""
    good = SHORT < desk.sqnorm[0] < LONG
    for v in range(len(team.w)):
        good &= team.w_sqnorm[v] < LONG
    return good


class OnlineLearner:
    """Learns from one example at a time: a dictionary of features, by name, and a label, which is text or a number.

    It makes exactly the updates that `Learner.learn` makes on the same rows. Features and classes may appear at any time.
    Threads may share it: each call waits for the one before, and copies, pickles and files are as of a moment between two calls.

    >>> learner = OnlineLearner()
    >>> learner.learn_one({"cheap": 1, "pills": 2.5}, "spam")
    >>> learner.learn_one({"dear": 1, "friend": 1}, "ham")
    >>> learner.predict_one({"cheap": 1, "friend": 0.25})
    'spam'
    """

    _names: list[str]  # of the row on the desk
    _values: list[Any] | None  # None where it is not known which row that is
    _known: int  # how many of its features have columns

    def __init__(
        self,
        rule: Any = "stream",
        *,
        confidence: Any = "auto",
        readout: str = "last",
        fit_intercept: bool = True,
        class_weight: Any = None,
    ) -> None:
        how = {"confidence": confidence, "readout": readout, "class_weight": class_weight}
        learner = Learner(rule, **how, ledger_cap=0, constant=1 if fit_intercept else 0)
        self._take_over(learner, Named())

    @classmethod
    def of(cls, model: Model) -> "OnlineLearner":
        """Go on learning where this model is. The model itself stays as it is."""
        if not isinstance(model.features, Named):
            raise ValueError(f"the model's features are {model.features.kind}, and an online learner's have names")
        if model.preparer is not None:
            raise ValueError("the model prepares its rows, which an online learner does not: go on with `novikoff learn`")
        online = cls.__new__(cls)
        online._take_over(deepcopy(model.learner), deepcopy(model.features))
        return online

    @classmethod
    def load(cls, path: str | Path) -> "OnlineLearner":
        """Go on from a file that `save` wrote."""
        read = digest_of(path)
        model = load(path)
        try:
            online = cls.of(model)
        except ValueError as error:
            raise ModelError(f"{path}: {error}") from None
        online._files[realpath(path)] = read
        return online

    def _take_over(self, learner: Learner, features: Named) -> None:
        learner.require_columns("learning from one example at a time")
        if learner.reading.no_streams:
            raise ValueError(learner.reading.no_streams)
        if learner.strategy.at_once:
            raise ValueError(
                "this learner has learned all classes at once (multiclass='direct'), and an online learner sets each against the "
                "rest: go on with `novikoff learn`, or with Learner.learn"
            )
        learner.keep_no_updates()
        features.frozen = False
        self._lock = fork_lock(Order.OBJECT)
        self._learner, self._features, self._room = learner, features, 0
        self._counts, self._weighted = [0], False  # of the rows learned in the quick way
        self._packers: dict[int, Any] = {}
        self._files: dict[str, str | None] = {}  # that it was loaded from or saved to, and what was in them
        self._make_room(max(ROOM_IN_A_MATRIX if isinstance(learner.confidence, Full) else ROOM, features.width))

    def __getstate__(self) -> tuple[Learner, Named]:
        with self._lock:
            return self.learner, deepcopy(self._features)

    def __setstate__(self, state: tuple[Learner, Named]) -> None:
        self._take_over(*state)

    # ---- what it is asked -----------------------------------------------------------------------------------------------

    def predict_one(self, x: Mapping[str, Any]) -> Any:
        """The class of x; None before anything was learned. A score of exactly 0 is answered with the first of two classes."""
        with self._lock:
            self._put(x)
            return self._guess()

    def score_one(self, x: Mapping[str, Any]) -> Any:
        """The score of x: positive means the second of two classes. Of more, the score of each; None before there is any."""
        with self._lock:
            self._put(x)
            scores = self._decisions()
            return None if scores is None else scores[0] if len(scores) == 1 else dict(zip(self._labels, scores, strict=True))

    def predict_proba_one(self, x: Mapping[str, Any]) -> dict[Any, float]:
        """The probability of each class; empty before anything was learned.

        It is calibrated on the scores of recent examples before they were learned from, and again after every 1 % of new ones.
        """
        with self._lock:
            self._put(x)
            scores = self._decisions()
            if scores is None:
                return {}
            chances = self._learner.probabilities(np.array([scores]), PATIENCE)
            return dict(zip(self._labels, chances[0].tolist(), strict=True))

    def learn_one(self, x: Mapping[str, Any], y: Any, w: float = 1.0) -> None:
        """Learn that x is a y. A weight w scales the step, and 0 means that there is nothing to learn."""
        with self._lock:
            self._put(x)
            self._learn(x, y, w)

    def predict_and_learn_one(self, x: Mapping[str, Any], y: Any, w: float = 1.0) -> Any:
        """The class that x is taken for, before learning that it is a y: `predict_one` and `learn_one` in one."""
        with self._lock:
            try:
                self._put_anew(x, x, x.values())
            except AttributeError:
                raise _refusal(x) from None
            guess = self._guess()
            self._learn(x, y, w)
            return guess

    @property
    def classes(self) -> list[Any]:
        """The classes met so far, in order."""
        with self._lock:
            return list(self._labels)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features met so far, in the order in which they came."""
        with self._lock:
            return self._features.names

    @property
    def learner(self) -> Learner:
        """What has been learned. It has a column for each of `features`."""
        with self._lock:
            self._settle()
            learner = deepcopy(self._learner)
            if learner.started:
                learner.narrow(self._features.width)
            return learner

    def model(self) -> Model:
        """What has been learned, as a model that can be saved, exported and asked of whole tables."""
        return Model(*self.__getstate__())

    def save(self, path: str | Path) -> None:
        """Write a file that `load` goes on from, and `novikoff.load` reads.

        A file that this learner was loaded from or saved to before is replaced only if it is still the same (`ChangedError`):
        another process may have learned something in between. A command that learns into it is waited for, a minute at most
        (`HeldError`).
        """
        place = realpath(path)
        with Hold(path, known=lambda: self._files.get(place)) as hold:  # asked then: another thread may have saved meanwhile
            save(self.model(), path, hold)
            self._files[place] = digest_of(path)

    # ---- the row on the desk --------------------------------------------------------------------------------------------

    def _put(self, x: Mapping[str, Any]) -> None:
        """Put x on the desk, unless it lies there already: what was predicted is often learned next."""
        try:
            names, values = [*x], [*x.values()]
        except (AttributeError, TypeError):
            raise _refusal(x) from None
        if values == self._values and names == self._names:
            return
        self._put_anew(x, names, values)
        self._names, self._values = names, values

    def _put_anew(self, x: Mapping[str, Any], names: Iterable[str], values: Iterable[Any]) -> None:
        self._values = None
        n = len(x)
        if n > self._size:
            self._set_desk(2 * n)
        desk = self._desk
        pack_columns, pack_values = self._packers.get(n) or self._packer(n)
        try:
            try:
                columns: Any = itemgetter(*names)(self._table) if n > 1 else map(self._table.get, names, repeat(NOWHERE))
            except KeyError:  # some features are not known
                columns = map(self._table.get, names, repeat(NOWHERE))
            pack_columns(desk.columns, 0, *columns)
            pack_values(desk.values, 0, *values)
        except (StructError, TypeError, OverflowError):
            raise _refusal(x) from None
        self._known = self._look(desk, n)
        if self._known < 0:
            raise _refusal(x)

    def _decisions(self) -> list[float] | None:
        """The scores of the row on the desk: one with two classes, else one per class; None before anything was learned."""
        if not self._labels:
            return None
        self._answer(self._desk, self._known, self._readout_state, self._team)
        if len(self._labels) > 2:
            scores: list[float] = self._desk.scores.tolist()
            return scores
        alone = float(self._desk.scores[0])
        return [alone if len(self._labels) == 2 else -alone]

    def _guess(self) -> Any:
        return self._labels[self._answer(self._desk, self._known, self._readout_state, self._team)] if self._labels else None

    def _packer(self, n: int) -> Any:
        packers = self._packers[n] = Struct(f"{n}i").pack_into, Struct(f"{n}d").pack_into
        return packers

    def _learn(self, x: Mapping[str, Any], y: Any, w: float) -> None:
        """Learn from the row on the desk: in the quick way, if there is nothing unusual about it."""
        try:
            code = self._codes.get(y)
            light = 0 < w < self._light
        except TypeError:
            code = None  # refused below, with a sentence
        if code is None or not light or not self._ordinary(self._desk, self._team):
            self._learn_slowly(x, y, w)
            return
        if self._known < len(x):
            self._add_features([name for name in x if name not in self._table])
            self._put_anew(x, x, x.values())
        self._code[0], self._weight[0] = code, w
        place = int(self._team.clock[0]) % len(self._forecasts.code)
        self._sweep(*self._lesson)
        self._forecasts.code[place], self._forecasts.weight[place] = code, w
        self._counts[code] += 1
        self._weighted |= w != 1

    def _settle(self) -> None:
        """Tell the learner what was learned in the quick way, but for the weights, which are its own."""
        if new := sum(self._counts):
            self._learner.record(np.array(self._counts), rows=new, passes=new, weighted=self._weighted)
            self._counts, self._weighted = [0] * len(self._counts), False

    def _learn_slowly(self, x: Mapping[str, Any], y: Any, w: Any) -> None:
        """Learn as any learner does, from a matrix of one row. Where it is refused, nothing has changed."""
        y = y.item() if isinstance(y, np.generic) else y
        if not isinstance(y, str | int | float):
            raise ValueError(f"a label must be text or a number; this one is {y!r}")
        if not is_number(w):
            raise ValueError(f"the weight of an example must be a number; this one is {w!r}")
        fresh = [name for name in x if name not in self._table]
        _check_names(fresh)
        self._make_room(self._features.width + len(fresh))
        columns = self._features.found(x)
        columns[columns == NOWHERE] = self._features.width + np.arange(len(fresh), dtype=np.int32)
        order = columns.argsort()
        values = np.array([*x.values()], np.float64)
        row = sp.csr_array((values[order], columns[order], np.array([0, len(x)], np.int32)), shape=(1, self._room))
        seen = examples(row, [y], constant=self._learner.constant, weight=[w])
        if not len(seen.fed):
            return
        self._settle()
        learner = self._learner
        if not learner.started or learner.may_overflow(seen):
            learner = deepcopy(learner)
        learner.learn(seen)
        self._learner = learner
        self._features.columns(fresh)
        self._ready()

    # ---- room and readiness ---------------------------------------------------------------------------------------------

    def _add_features(self, fresh: list[Any]) -> None:
        _check_names(fresh)
        self._make_room(self._features.width + len(fresh))
        self._features.columns(fresh)

    def _make_room(self, width: int) -> None:
        """Have room for so many features, and for others after them, if it has to be made."""
        if self._room < width:
            self._settle()
            self._room = max(width, 2 * self._room)
            self._learner.widen(self._room)
            self._ready()

    def _ready(self) -> None:
        """Make ready for the quick way, after the learner's arrays have become others."""
        learner = self._learner
        self._table = self._features.table
        self._labels = learner.classes.tolist()
        self._codes = {label: code for code, label in enumerate(self._labels)}
        self._counts = [0] * len(self._labels)  # rows learned in the quick way, of each class
        self._light = 0.0  # heavier examples are not for the quick way
        if learner.started:
            self._readout_state, self._team, self._forecasts = learner.readout_state, learner.team, learner.forecasts
            steady = learner.class_weight != "balanced"  # or every row changes the weights of the classes
            state = learner.reading.new_state(learner.team, learner.readout_state, False)
            if steady and type(state) is type(learner.readout_state):
                self._light = HEAVY / (float(self._team.factor.max()) * max([1.0, *map(float, learner.rule)]))
        self._set_desk(64)

    def _set_desk(self, size: int) -> None:
        """A desk for rows of so many entries, and machine code for just this desk and team."""
        self._size, self._values = size, None
        self._desk = desk = Desk(
            columns=np.zeros(size, np.uint32),
            values=np.zeros(size),
            spare_columns=np.zeros(size, np.uint32),
            spare_values=np.zeros(size),
            first=np.zeros(257, np.int64),
            ends=np.zeros(2, np.uint32),
            sqnorm=np.zeros(1),
            constant=float(self._learner.constant),
            weights=np.zeros(size + 1),
            places=np.arange(size, dtype=np.uint32),
            scores=np.zeros(max(1, len(self._labels))),
        )
        self._look = compiled(look).bound_to(desk, 0)
        if not self._learner.started:
            return
        self._answer = compiled(answer).bound_to(desk, 0, self._readout_state, self._team)
        self._ordinary = compiled(ordinary).bound_to(desk, self._team)
        self._code, self._weight = np.zeros(1, CODE), np.ones(1)
        rows = Csr(read_only(desk.values), read_only(desk.columns), read_only(desk.ends), desk.constant)
        sheet = Sheet(rows, read_only(self._code), read_only(self._weight), read_only(desk.sqnorm))
        rule, vectors = in_numbers(self._learner.rule, float), len(self._team.w)
        confidence, foretold = self._learner.vectors.confidence, self._forecasts.scores
        members, page = np.arange(vectors, dtype=np.uint32), new_page(vectors, np.float64, foretold.shape[1])
        self._lesson = rule, confidence, self._readout_state, EVERYTHING, sheet, FIRST, members, self._team, page, foretold
        if self._light:
            self._sweep = compiled(sweep).bound_to(*self._lesson)


def _check_names(names: list[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"the name of a feature must be text, and {name!r} is not")


def _refusal(x: Mapping[str, Any]) -> ValueError:
    """What is wrong with an example."""
    if not isinstance(x, Mapping):
        return ValueError(f"an example is a dictionary of numbers by the names of features; this is {x!r:.60}")
    for name, value in x.items():
        try:
            good = isfinite(value)
        except (TypeError, ValueError, OverflowError):
            good = False
        if not good:
            return ValueError(f"feature {name!r} is {value!r}: every value must be a finite number")
    return ValueError("the values are too large together, their squares overflow: scale them down")
