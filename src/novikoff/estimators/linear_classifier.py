"""Training by passes over rows, or from a stream, with any rule. A subclass has a constructor and `_rule`."""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from novikoff.engine.labelled_rows import Examples, sorted_classes
from novikoff.engine.rules import Bound, Evidence, NoBound, Rule
from novikoff.estimators.comparison_vectors import checked_vector, vector_named
from novikoff.estimators.fit_warnings import warn_of_rows, warn_unless_clean
from novikoff.estimators.input_data import initial_weights, unpacked
from novikoff.estimators.linear_model import LinearModel
from novikoff.estimators.parameter_types import RandomState
from novikoff.estimators.training_data import DataMarks, replays_ledgers
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.bounds import Facts, facts, known_margin
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.learner import Learner
from novikoff.learning.ledger import Ledger
from novikoff.learning.origin import FarOrigin, far_origin
from novikoff.learning.pass_driver import MOST_PASSES, OnPass
from novikoff.learning.run import Pass, Run, StopReason
from novikoff.models.run_record import RunRecord
from novikoff.proof.certificate import Certificate
from novikoff.solve.run_proofs import of_run, undecided


def _has_scores(classifier: "LinearClassifier") -> bool:
    return classifier.readout != "voted"


class LinearClassifier(LinearModel):
    """Train with any rule, by passes over the data (`fit`) or from a stream (`partial_fit`)."""

    confidence: Any = None
    readout: str
    order: str
    max_iter: int | None
    class_weight: ClassWeight
    multiclass: str = "ovr"
    warm_start: bool
    random_state: RandomState
    verbose: bool
    on_pass: OnPass | None
    ledger_cap: int

    _until_clean = (
        False  # whether `max_iter` is a limit for a run that should end with a clean pass, and not the number of passes
    )
    _run: Run
    _rows_fed: Array  # the numbers of the rows that counted in it
    _marks: DataMarks  # of its data
    _origin: FarOrigin | None = None  # where it is far away from them

    def _rule(self) -> Rule:
        raise NotImplementedError

    # ---- learning -------------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> "LinearClassifier":
        """Train by passes over the data, until a pass makes no update or `max_iter` passes are made.

        With max_iter=None, training ends when a pass moves the answering weights by less than 5 % of their length.
        X is a matrix and y its labels, or X alone is a dataset from `novikoff.open`, which has both. A sample weight scales the
        step; a weight of 0 leaves the row out. `coef_init` and `intercept_init` are the first weights, in the shape of `coef_`
        and `intercept_`; with them, the mistake bounds do not hold.
        """
        with unchanged_on_error(self):
            passes = self._max_passes()
            X, seen = self._training_examples(X, y, sample_weight)
            start = initial_weights(seen, coef_init, intercept_init, self.fit_intercept)
            warm = self.warm_start and start is None and self.__sklearn_is_fitted__()
            if not warm:
                self._choose_settings(seen)
            learner = deepcopy(self._same_learner()) if warm else self._new_learner()
            run = self._run_passes(learner, seen, passes, start)
            try:
                certificates = of_run(X, seen, learner, run)
            except KeyboardInterrupt:  # what was learned stays
                certificates = undecided(learner, "interrupted before the proof was made; `separate` decides")
            self._run, self._learner, self._certificates = run, learner, certificates
            self._rows_fed, self._marks = seen.fed, DataMarks.of(seen, learner.confidence is None)
            self._origin = far_origin(learner, seen)
        if learner.kernel is None:
            warn_of_rows(X, run, self._origin)
        awaited = passes if self._until_clean else None
        warn_unless_clean(run, len(seen.fed), max_iter=awaited, ledger_cap=self.ledger_cap, votes=self._learner.reading.votes)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> "LinearClassifier":
        """Train on the next rows of a stream, once, in the given order.

        X alone may be a block of a dataset from `novikoff.open`, which has its labels; a later block may have more columns. The
        updates are exactly those of one pass of `fit` over the same rows, however the rows are divided into calls. New classes
        may appear at any time; naming them in `classes` beforehand is optional.
        """
        with unchanged_on_error(self):
            fresh = not self.__sklearn_is_fitted__()
            block = y is None
            X, y, sample_weight = unpacked(X, y, sample_weight)
            wider = block and not fresh and X.shape[1] > self.n_features_in_
            _, seen = self._validated_examples(X, y, sample_weight, reset=fresh or wider)
            if not len(seen.fed):
                return self
            if fresh:
                self._choose_settings(None)
            learner = self._new_learner() if fresh else self._same_learner()
            if wider or (not fresh and (learner.may_overflow(seen) or learner.may_fail)):
                learner = deepcopy(learner)
                learner.widen(seen.width)
            self._learner = learner
            self._run, self._origin = Run(StopReason.STREAM, (), None), None
            learner.learn(seen, None if classes is None else sorted_classes(column_or_1d(classes)))
            self._certificates = None
        return self

    def _choose_settings(self, seen: Examples | None) -> None:
        """Settle what the parameters leave open, before learning begins: from the training rows, or None for a stream."""

    def _settings(self) -> dict[str, Any]:
        """The settings of the learner, which cannot change while it goes on learning."""
        return {
            "rule": self._rule(),
            "confidence": self.confidence,
            "readout": self.readout,
            "order": self.order,
            "class_weight": self.class_weight,
            "ledger_cap": self.ledger_cap,
            "multiclass": self.multiclass,
        }

    def _new_learner(self) -> Learner:
        seed = check_random_state(self.random_state).randint(2**31 - 1) if self.order != "given" else 0
        return Learner(**self._settings(), seed=seed, threads=self._threads())

    def _same_learner(self) -> Learner:
        """The learner so far, if it still has the estimator's settings."""
        learner, wanted = self._learner, Learner(**self._settings())
        changed = [
            name
            for name in self._settings()
            if getattr(learner, name) != getattr(wanted, name) or type(getattr(learner, name)) is not type(getattr(wanted, name))
        ]
        if learner.constant != (1 if self.fit_intercept else 0):
            changed.append("fit_intercept")
        if changed:
            raise ValueError(
                f"{changed[0]} was changed since learning began, and what was learned does not fit it: "
                "set it back, or start again with fit and warm_start=False"
            )
        learner.use_threads(self._threads())
        return learner

    def _max_passes(self) -> int | None:
        if self.max_iter is not None and not (isinstance(self.max_iter, int | np.integer) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be None or a whole number and at least 1; it is {self.max_iter!r}")
        if not (self.on_pass is None or callable(self.on_pass)):
            raise ValueError(f"on_pass must be None or a function of a Pass; it is {self.on_pass!r}")
        return None if self.max_iter is None else int(self.max_iter)

    def _run_passes(self, learner: Learner, seen: Examples, passes: int | None, start: Array | None) -> Run:
        if not self.verbose:
            return learner.fit(seen, passes, start=start, on_pass=self.on_pass)
        from novikoff.learning.progress import Bar  # imports rich, which takes time

        with Bar(len(seen.fed), passes or MOST_PASSES) as bar:
            return learner.fit(seen, passes, start=start, on_pass=self.on_pass, on_slice=bar.on_slice)

    # ---- probabilities --------------------------------------------------------------------------------------------------

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, one column for each of `classes_`.

        It is calibrated on the scores that rows got before they were learned from, in the first pass or from the stream, so no
        row is held out. The class with the highest probability is the one that `predict` returns. There are no probabilities
        with readout="voted", after `fit` with readout="pocket", or with `coef_init`: no such scores are known then.
        """
        learner = self._fitted
        return learner.probabilities(learner.decide(self._rows(X)))

    @available_if(_has_scores)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`."""
        logs: Array = np.log(self.predict_proba(X))
        return logs

    # ---- what was learned -----------------------------------------------------------------------------------------------

    def bound(self, *, radius: float, margin: float, losses: float = 0.0, squared_losses: float = 0.0) -> Bound | NoBound:
        """The bound that the rule's theorem gives for the mistakes or updates of one class against the rest.

        `radius` is R, the length of the longest row, and `margin` a margin γ of the data; both include the constant coordinate
        if there is a bias. If no separator is known, `margin` is 1/‖u‖ for any u, and `losses` is its Σ max(0, 1 − u·z) over all
        rows that were fed. With multiclass="direct" the bound is for all classes together, and γ is that of F25. If there is no
        bound for these settings, the result is a NoBound with the reason.
        """
        return self._fitted.bound(Evidence(radius, 1 / margin, losses, squared_losses))

    def facts(self, X: Any, y: Any, u: Any = None) -> Facts | dict[Any, Facts]:
        """Facts about the last `fit`, given its data: mistakes and their bounds, margins, the course of the weights.

        `print` shows them as text. `u` is the vector that the run is compared with, bias last (default: the answering weights).
        "svm" takes the weights of a linear SVM, which give the smallest bound but take a while to find; "widest" takes the
        separator with the widest margin, if the data is separable. With more than two classes there are facts for each class;
        with multiclass="direct" they are about all classes together, and u has the shape of `coef_` with one more column.
        """
        learner = self._fitted
        if self._certificates is None or learner.rows_fed != self._marks.rows:
            raise ValueError("facts are about one fit from the beginning, and this model has learned from more than that")
        X, seen = self._validated_examples(X, y, None, reset=False)
        if DataMarks.of(seen, learner.confidence is None) != self._marks or not self._replays(X, seen):
            raise ValueError("facts need the data that the model learned from, and this is other data")
        seen = replace(seen, fed=self._rows_fed)
        certificates = of_run(X, seen, learner, self._run)
        return self._one_or_each([self._facts_of(v, one, X, seen, u) for v, one in enumerate(certificates)])

    def _replays(self, X: Matrix, seen: Examples) -> bool:
        """Whether the recorded updates, made with these rows, lead to the weights."""
        return replays_ledgers(self._learner, X, seen)

    def _facts_of(self, v: int, certificate: Certificate, X: Matrix, seen: Examples, u: Any) -> Facts:
        learner, passes = self._learner, self._run.passes
        if u is not None:
            u = self._comparison_vector(u, v, X, seen)
        found = facts(learner, seen, v, passes, known_margin(learner, certificate), u)
        return replace(found, cycle=self._run.cycles.get(v))

    def _comparison_vector(self, u: Any, v: int, X: Matrix, seen: Examples) -> Array:
        if isinstance(u, str):
            return vector_named(u, v, X, seen, self._learner, len(self._run.passes))
        return checked_vector(u, v, self._learner)

    def _run_record(self) -> RunRecord:
        learner = self._learner
        rows = self._marks.rows if self._run.passes else learner.rows_fed  # of the last fit, or of the stream
        around_mean = None if self._origin is None else self._origin.around_mean
        return RunRecord.of_run(self._run, learner.ledgers[learner.answering], rows=rows, radius_around_mean=around_mean)

    @property
    def ledger_(self) -> Ledger | tuple[Ledger, ...]:
        """The updates: one ledger for two classes or with multiclass="direct", else one per class."""
        ledgers = self._ledgers
        return ledgers[0] if len(ledgers) == 1 else tuple(ledgers)

    @property
    def _ledgers(self) -> list[Ledger]:
        learner = self._fitted
        return learner.ledgers[learner.answering] or [learner.ledgers[0].copy(mirrored=True)]

    @property
    def n_updates_(self) -> int:
        """The number of updates since learning began, summed over the classes."""
        return sum(ledger.updates for ledger in self._ledgers)

    @property
    def n_mistakes_(self) -> int:
        """The number of updates on a mistake, y·⟨w, x⟩ ≤ 0, summed over the classes."""
        return sum(ledger.mistakes for ledger in self._ledgers)

    @property
    def n_iter_(self) -> int:
        """The number of passes in the last `fit`; after `partial_fit`, passes and calls since the beginning."""
        return len(self._run.passes) or self._fitted.passes

    @property
    def stop_reason_(self) -> StopReason:
        """Why the last `fit` ended: "clean pass", "settled", "max_iter", "interrupted", "on_pass", "ledger full"; or "stream"."""
        self._fitted  # noqa: B018
        return self._run.stop_reason

    @property
    def passes_(self) -> tuple[Pass, ...]:
        """The passes of the last `fit`, with the updates and mistakes of each."""
        self._fitted  # noqa: B018
        return self._run.passes

    @property
    def memory_of_votes_(self) -> int:
        """Bytes that readout="voted" needs for its ledgers and the rows in them; 0 for the other readouts."""
        learner = self._fitted
        return learner.voters.nbytes + sum(ledger.nbytes for ledger in learner.ledgers) if learner.reading.votes else 0
