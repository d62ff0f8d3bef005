"""What all linear estimators share. A subclass has a constructor, and `_rule`, which makes a rule of its parameters."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from numbers import Real
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from novikoff.data.features import Named, Numbered
from novikoff.engine.labelled_rows import Examples, examples, sorted_classes
from novikoff.engine.rule import Bound, Evidence, NoBound
from novikoff.engine.storages import Array, read_only
from novikoff.engine.weights.span import KernelExamples
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.foundation.parallel import cores
from novikoff.learning.bounds import Facts, facts, known_margin
from novikoff.learning.learner import Learner, Pass, Run, StopReason
from novikoff.learning.ledger import Ledger
from novikoff.models.model import Model, account_of, save, versions
from novikoff.proof.certificate import Certificate, Separable
from novikoff.solve.many_classes import ManyQuestion
from novikoff.solve.max_margin import max_margin
from novikoff.solve.run_proofs import absent, of_run, of_stream, sides_of, undecided
from novikoff.solve.separability.linear import Question

T = TypeVar("T")


class ScaleRemark(UserWarning):
    """One column is so much larger than the others that it alone decides how many mistakes are possible (F11)."""


class LinearModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answering, for weights however found."""

    fit_intercept: bool
    n_jobs: int | None = None

    _learner: Learner  # which has the weights
    _certificates: list[Certificate] | None  # of the last fit; None after a stream

    def decision_function(self, X: Any) -> Array:
        """The score ⟨w, x⟩ + b of each row: one number for two classes (positive means `classes_[1]`), one a class for more.

        For voted weights it is the vote, Σ cₖ·sign⟨wₖ, x⟩; of many classes at once, the votes for each.
        """
        decisions = self._fitted.decide(self._rows(X))
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def predict(self, X: Any) -> Array:
        """The class of each row. A score of exactly 0 is "I don't know", and is answered `classes_[0]`."""
        learner = self._fitted
        return learner.classes[learner.codes(learner.decide(self._rows(X)))]

    def predict_with_doubt(self, X: Any, sigma: float = 0.1) -> tuple[Array, Array]:
        """The class of each row, and whether to rely on it: |cos(w, x)| ≥ sigma.

        The angle is taken with the constant coordinate included. A score of 0 is never sure. With many classes it is the winner
        that must be sure, and say yes. For voted weights, which have no angle, sigma is the share by which the vote must be won.
        """
        if not (isinstance(sigma, Real) and 0 <= sigma <= 1):
            raise ValueError(f"sigma is compared with a cosine and must be between 0 and 1; it is {sigma!r}")
        learner, X = self._fitted, self._rows(X)
        decisions = learner.decide(X)
        return learner.classes[learner.codes(decisions)], learner.sure(X, decisions, sigma)

    def certify(self, X: Any, y: Any) -> Certificate | dict[Any, Certificate]:
        """What these weights prove of any data: Separable if they get every row right, in exact arithmetic, else Undecided.

        With many classes, a certificate each, of the class against the rest; where they learned at once, one of all.
        X is not kept.
        """
        learner = self._fitted
        X, y = _validated(self, X, y, reset=False)
        if (strange := ~np.isin(y, learner.classes)).any():
            raise ValueError(f"the label of row {np.flatnonzero(strange)[0]} is {y[strange][0]!r}, which the model does not know")
        if (missing := absent(learner.classes, np.searchsorted(learner.classes, y))) is not None:
            raise ValueError(f"{missing}: give rows of every class")
        return self._one_or_each(self._proved(X, y))

    def _proved(self, X: Any, y: Any) -> list[Certificate]:
        learner = self._fitted
        if learner.direct and len(learner.classes) > 2:
            why = "these weights do not give every row its highest score for its own class; others may"
            return [ManyQuestion.about(X, y, self.fit_intercept, learner.classes).of_weights(learner.weights(), why)]
        why = "these weights do not have every row on its own side; `separate` decides whether others have"
        return [
            Question.about(X, y, self.fit_intercept, sides_of(learner.classes, v)).of_weights(w, why)
            for v, w in enumerate(learner.weights())
        ]

    @property
    def certificate_(self) -> Certificate | dict[Any, Certificate]:
        """What the last `fit` proves of its data: Separable, Inseparable (by a cycle) or Undecided; with many classes, one each.

        Where many classes learned at once it is one for all: ManySeparable, ManyInseparable or Undecided.
        After `partial_fit` it is Undecided: the rows are gone.
        """
        learner = self._fitted
        return self._one_or_each(of_stream(learner) if self._certificates is None else self._certificates)

    def _one_or_each(self, each: list[T]) -> T | dict[Any, T]:
        return each[0] if len(each) == 1 else dict(zip(self._fitted.classes.tolist(), each, strict=True))

    def save(self, path: Any) -> None:
        """Write what was learned to a file that `novikoff.load` reads, with the certificates; nothing in it can run code."""
        save(self.as_model(), path)

    def as_model(self) -> Model:
        """What was learned, with the names of the features, the certificates and how it came about: what `save` writes."""
        learner, proofs = self._fitted, self.certificate_
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        features = Named(names) if names and len(set(names)) == len(names) else Numbered(0, learner.width)
        run = {"estimator": type(self).__name__, "call": repr(self), **self._told(), "made_with": versions()}
        return Model(learner, features, list(proofs.values()) if isinstance(proofs, dict) else [proofs], run)

    def _told(self) -> dict[str, Any]:
        """What is put down of how the weights were found."""
        raise NotImplementedError

    def feature_importance(self) -> dict[str, float]:
        """|w_d| for each feature, the largest first; over many classes, the root of the sum of squares (F11).

        It says how much a feature matters only where the features are on comparable scales.
        """
        size = np.sqrt((self.coef_**2).sum(axis=0))
        names = getattr(self, "feature_names_in_", [f"x{d}" for d in range(len(size))])
        return {str(names[d]): float(size[d]) for d in np.argsort(-size, kind="stable")}

    def _rows(self, X: Any) -> Any:
        self._fitted  # noqa: B018  a sentence about fitting before one about the data
        return self._matrix(X)

    def _matrix(self, X: Any) -> Any:
        return validate_data(self, checked(X, "X"), reset=False, **_LOOK)

    @property
    def _fitted(self) -> Learner:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} has not learned anything yet: call fit or partial_fit first")
        return self._learner

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learner") and self._learner.started

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def classes_(self) -> Array:
        """The classes met so far, sorted."""
        return read_only(self._fitted.classes)

    @property
    def coef_(self) -> Array:
        """The weights that answer: a row for two classes, a row a class for more. Voted weights have none; this is the last w."""
        return self._fitted.weights()[:, :-1].copy()

    @property
    def intercept_(self) -> Array:
        """The bias of each row of `coef_`: the weight of the constant coordinate."""
        return self._fitted.weights()[:, -1].copy()

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Any, Examples]:
        X, y = _validated(self, X, y, reset=reset)
        if y.dtype.kind in "fcO":  # numbers that might be measurements, or anything at all; others are labels for certain
            check_classification_targets(y)
        return X, self._looked_at(X, y, sample_weight, reset)

    def _looked_at(self, X: Any, y: Array, sample_weight: Any, reset: bool) -> Examples:
        return examples(X, y, constant=1 if self.fit_intercept else 0, weight=sample_weight, threads=self._threads())

    def _two_classes(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Examples]:
        """The data that `fit` was given, looked at, of two classes at least."""
        X, y, sample_weight = _unpacked(X, y, sample_weight)
        X, seen = self._examples(X, y, sample_weight, reset=True)
        if len(seen.classes) == 1:
            streams = " A stream may start with one; use partial_fit." if hasattr(self, "partial_fit") else ""
            raise ValueError(f"there is one class only, {seen.classes.tolist()[0]!r}: fit needs at least two.{streams}")
        return X, seen

    def _adopt(self, seen: Examples, vectors: list[Array]) -> None:
        """Answer with these weights, the bias last of each: of length 1, so that those of many classes can be compared."""
        self._learner = Learner(threads=self._threads())
        bounded = [w / (np.abs(w).max() or 1.0) for w in vectors]  # squares of the largest doubles are none
        self._learner.adopt(seen, np.array([w / (np.linalg.norm(w) or 1.0) for w in bounded]))

    def _threads(self) -> int | None:
        if self.n_jobs is None or self.n_jobs == -1:
            return None
        if not (isinstance(self.n_jobs, int | np.integer) and self.n_jobs >= 1):
            raise ValueError(f"n_jobs must be None or -1 (all processors) or a number of threads; it is {self.n_jobs!r}")
        return int(self.n_jobs)


class LinearClassifier(LinearModel):
    """Fitting and streaming, for any rule."""

    readout: str
    order: str
    max_iter: int
    class_weight: Any
    multiclass: str = "ovr"
    warm_start: bool
    random_state: Any
    verbose: bool
    on_pass: Any
    ledger_cap: int

    _run: Run
    _learned: Array  # the rows that counted in it
    _marks: tuple[Any, ...]  # by which its data is recognised

    def _rule(self) -> Any:
        raise NotImplementedError

    # ---- learning -------------------------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> "LinearClassifier":
        """Learn from all of the data, over and over, until a pass changes nothing or `max_iter` passes are made.

        X is a matrix and y its labels; or X alone is what `novikoff.open` gives, which has both.
        A sample weight scales the step; a weight of 0 leaves the row out altogether. `coef_init` and `intercept_init` are
        first weights, of the shape of `coef_` and `intercept_`; the mistake bounds are void then.
        """
        with all_or_nothing(self):
            passes = self._max_passes()
            X, seen = self._two_classes(X, y, sample_weight)
            start = self._start(seen, coef_init, intercept_init)
            warm = self.warm_start and start is None and self.__sklearn_is_fitted__()
            learner = deepcopy(self._same_learner()) if warm else self._new_learner()
            run = self._watched_fit(learner, seen, passes, start)
            try:
                proofs = of_run(X, seen, learner, run)
            except KeyboardInterrupt:  # what was learned stays
                proofs = undecided(learner, "interrupted before the proof was made; `separate` decides")
            self._run, self._learner, self._certificates = run, learner, proofs
            self._learned, self._marks = seen.fed, _marks(seen)
        self._remark(seen, sp.issparse(X))
        self._warn_unless_clean(len(seen.fed))
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> "LinearClassifier":
        """Learn from the next rows of a stream, once, in the order given.

        X alone may be a block of what `novikoff.open` gives, which has its labels; later ones may be wider than earlier ones.
        Fed the same rows, in whatever pieces, it makes exactly the updates that one pass of `fit` makes. Classes may appear
        at any time; `classes` can announce them, and need not.
        """
        with all_or_nothing(self):
            fresh = not self.__sklearn_is_fitted__()
            block = y is None
            X, y, sample_weight = _unpacked(X, y, sample_weight)
            wider = block and not fresh and X.shape[1] > self.n_features_in_
            _, seen = self._examples(X, y, sample_weight, reset=fresh or wider)
            if not len(seen.fed):
                return self
            learner = self._new_learner() if fresh else self._same_learner()
            if wider or (not fresh and (learner.may_overflow(seen) or learner.may_fail)):
                learner = deepcopy(learner)
                learner.widen(seen.width)
            self._learner = learner
            self._run = Run(StopReason.STREAM, (), None)
            learner.learn(seen, None if classes is None else sorted_classes(column_or_1d(classes)))
            self._certificates = None
        return self

    def _settings(self) -> dict[str, Any]:
        """What a learner is made of, and what cannot change while it goes on."""
        return {
            "rule": self._rule(),
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
        """The learner so far, if the settings are still those it was made with."""
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
                "set it back, or begin anew with fit and warm_start=False"
            )
        learner.threads = self._threads() or cores()
        return learner

    def _max_passes(self) -> int:
        if not (isinstance(self.max_iter, int | np.integer) and self.max_iter >= 1):
            raise ValueError(f"max_iter must be a whole number and at least 1; it is {self.max_iter!r}")
        if not (self.on_pass is None or callable(self.on_pass)):
            raise ValueError(f"on_pass must be something to call with a Pass, not {self.on_pass!r}")
        return int(self.max_iter)

    def _start(self, seen: Examples, coef_init: Any, intercept_init: Any) -> Array | None:
        """First weights as the learner wants them, or None if there are none."""
        if coef_init is None and intercept_init is None:
            return None
        if not self.fit_intercept and np.any(intercept_init):
            raise ValueError("intercept_init is given, but fit_intercept is False: there is no intercept to start from")
        vectors = 1 if len(seen.classes) == 2 else len(seen.classes)
        coef = np.zeros((vectors, seen.width)) if coef_init is None else np.asarray(coef_init, float)
        intercept = np.zeros(vectors) if intercept_init is None else np.asarray(intercept_init, float)
        if coef.size != vectors * seen.width or coef.shape[-1] != seen.width:
            raise ValueError(f"Provided coef_init does not match dataset: {coef.shape} is not {(vectors, seen.width)}")
        if intercept.size != vectors:
            raise ValueError(f"Provided intercept_init does not match dataset: {intercept.shape} is not {(vectors,)}")
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("coef_init and intercept_init must be finite numbers")
        return np.column_stack([coef.reshape(vectors, -1), intercept.reshape(vectors)])

    def _watched_fit(self, learner: Learner, seen: Examples, passes: int, start: Array | None) -> Run:
        if not self.verbose:
            return learner.fit(seen, passes, start=start, on_pass=self.on_pass)
        from novikoff.learning.progress import Bar  # only those who look pay for it

        with Bar(len(seen.fed), passes) as bar:
            return learner.fit(seen, passes, start=start, on_pass=self.on_pass, on_slice=bar.on_slice)

    def _remark(self, seen: Examples, sparse: bool) -> None:
        if (found := seen.dominated()) is None:
            return
        names = getattr(self, "feature_names_in_", None)
        column = found.column if names is None else repr(names[found.column])
        warnings.warn(
            f"column {column} alone makes rows up to {found.radius:.3g} long; without it they would be at most "
            f"{found.radius_without:.3g}. That ruins the mistake bound (R/γ)² and slows learning: scale the columns first, "
            f"with sklearn.preprocessing.{'MaxAbsScaler' if sparse else 'StandardScaler'}.",
            ScaleRemark,
            stacklevel=3,
        )

    def _warn_unless_clean(self, rows: int) -> None:
        run = self._run
        if run.errors is None:
            return
        wrong = f"{run.errors:,} of {rows:,} training rows are still answered wrongly"
        if self._learner.reading.votes:
            wrong += " by the last weights"
        match run.stop_reason:
            case StopReason.MAX_ITER:
                said = f"no clean pass in max_iter={self.max_iter}: {wrong}. "
                if run.cycles:
                    said += f"No number of passes will do: {next(iter(run.cycles.values()))}. See certificate_."
                elif run.errors:
                    said += (
                        "Either the data cannot be separated, and no number of passes will do, or it needs more: raise max_iter."
                    )
                else:
                    said += "One more pass might have been clean: raise max_iter."
            case StopReason.INTERRUPTED:
                said = f"interrupted in pass {len(run.passes)}: the model is what was learned until then; {wrong}."
            case StopReason.LEDGER_FULL:
                said = (
                    f"stopped in pass {len(run.passes)}: voting needs every update, and there were more than "
                    f"ledger_cap={self.ledger_cap}; {wrong}. Raise ledger_cap, or use readout='averaged'."
                )
            case _:
                return
        warnings.warn(said, ConvergenceWarning, stacklevel=3)

    # ---- what was learned -----------------------------------------------------------------------------------------------

    def bound(self, *, radius: float, margin: float, losses: float = 0.0, squared_losses: float = 0.0) -> Bound | NoBound:
        """What the rule's theorem says of the mistakes or updates of one class against the rest, or why it says nothing.

        `radius` is R and `margin` a γ that the data has, both with the constant coordinate if there is a bias. Where all classes
        learn at once it speaks of all of them, γ is that of F25, and R is still the longest row. Where no separator
        is known, `margin` is 1/‖u‖ for any u, and `losses` its Σ max(0, 1 − u·z) over everything that was fed.
        """
        return self._fitted.bound(Evidence(radius, 1 / margin, losses, squared_losses))

    def facts(self, X: Any, y: Any, u: Any = None) -> Facts | dict[Any, Facts]:
        """What the run proves about itself, given the data it learned from: mistakes against their bounds, margins, w's course.

        `print` it to read it. `u` is the vector that the run is compared with, bias last: by default the answering weights; "svm"
        takes those of a linear SVM, which give the least bound and take a while, "widest" the widest separator, where there is
        one. With many classes, the facts of each; where they
        learned at once, those of all together, and u has the shape of `coef_` with one column more.
        """
        learner = self._fitted
        if self._certificates is None or learner.rows_fed != self._marks[0]:
            raise ValueError("the facts are of one fit from the beginning, and this model has learned from more than that")
        X, seen = self._examples(X, y, None, reset=False)
        if _marks(seen) != self._marks or not self._replays(X, seen):
            raise ValueError("the facts are of the data that the model learned from, and this is other data")
        seen = replace(seen, fed=self._learned)
        proved = of_run(X, seen, learner, self._run)
        return self._one_or_each([self._facts_of(v, certificate, X, seen, u) for v, certificate in enumerate(proved)])

    def _replays(self, X: Any, seen: Examples) -> bool:
        """Whether the updates of the ledgers, made with these rows, lead to the weights."""
        learner = self._learner
        if not learner.from_zero:
            return True
        if learner.direct:
            return self._replays_directly(X, seen)
        for w, ledger in zip(learner.team.w[:-1], learner.ledgers, strict=False):
            if ledger.complete:
                steps = np.zeros(len(seen))
                np.add.at(steps, ledger.entries.row, ledger.entries.y * ledger.entries.step)
                again = np.append(steps @ X, steps.sum() * float(seen.constant))
                if not np.allclose(again, w, rtol=1e-6, atol=1e-6 * float(np.abs(w).max(initial=0)) + 1e-300):
                    return False
        return True

    def _replays_directly(self, X: Any, seen: Examples) -> bool:
        learner, ledger = self._learner, self._learner.ledgers[0]
        if not ledger.complete:
            return True
        entries = ledger.entries
        signed, who = np.append(entries.step, -entries.step), np.append(entries.y, entries.rival)
        steps = sp.csr_array((signed, (who, np.tile(entries.row, 2))), shape=(len(learner.classes), len(seen)))
        moved = steps @ X
        again = np.column_stack([moved.toarray() if sp.issparse(moved) else moved, steps.sum(axis=1) * float(seen.constant)])
        w = learner.team.w[0].reshape(-1, len(learner.classes)).T
        return np.allclose(again, w, rtol=1e-6, atol=1e-6 * float(np.abs(w).max(initial=0)) + 1e-300)

    def _facts_of(self, v: int, certificate: Certificate, X: Any, seen: Examples, u: Any) -> Facts:
        learner, passes, low = self._learner, self._run.passes, known_margin(self._learner, certificate)
        if isinstance(u, str):
            u = self._found(u, v, X, seen)
        elif u is not None:
            shape = learner.weights().shape if learner.direct else learner.team.w[v].shape
            u = np.asarray(u, float)
            u = u if learner.direct else u.ravel()
            if u.shape != shape or not np.isfinite(u).all():
                rows = f"{shape[0]} rows of " if learner.direct else ""
                raise ValueError(f"u must have {rows}{shape[-1]} finite numbers, the bias last")
        return replace(facts(learner, seen, v, passes, low, u), cycle=self._run.cycles.get(v))

    def _found(self, which: str, v: int, X: Any, seen: Examples) -> Array:
        """The u that goes by this name."""
        learner, passes = self._learner, len(self._run.passes)
        together = learner.direct and len(learner.classes) > 2
        sides = np.where(seen.sheet.code == (1 if learner.direct else learner.team.target[v]), 1, -1)
        match which:
            case "svm" if together:
                return _svm(X, seen.sheet.code, learner.constant, passes, seen, learner.stretch_sq)
            case "svm":
                u = _svm(X, sides, learner.constant, passes, seen, learner.stretch_sq)
            case "widest" if together:
                raise ValueError(
                    'u="widest" is of two classes, or of each against the rest: take u="svm" where all learn at once'
                )
            case "widest":
                u = _widest(X[seen.fed], sides[seen.fed], bool(learner.constant))
            case _:
                raise ValueError(f'u must be a vector, None (the answering weights), "svm" or "widest"; it is {which!r}')
        return u / 2 if learner.direct else u[0]  # half for the one, and half against the other

    def _told(self) -> dict[str, Any]:
        learner = self._learner
        rows = self._marks[0] if self._run.passes else learner.rows_fed  # of the last fit, or of the stream
        return account_of(self._run, learner.ledgers[learner.answering]) | {"rows": rows}

    @property
    def ledger_(self) -> Ledger | tuple[Ledger, ...]:
        """The updates: one ledger for two classes or for all at once ("direct"), one a class for more."""
        ledgers = self._ledgers
        return ledgers[0] if len(ledgers) == 1 else tuple(ledgers)

    @property
    def _ledgers(self) -> list[Ledger]:
        learner = self._fitted
        return learner.ledgers[learner.answering] or [learner.ledgers[0].copy(mirrored=True)]

    @property
    def n_updates_(self) -> int:
        """Steps made since learning began, summed over the classes."""
        return sum(ledger.updates for ledger in self._ledgers)

    @property
    def n_mistakes_(self) -> int:
        """Those of the updates where y·⟨w, x⟩ ≤ 0: mistakes when looked at, summed over the classes."""
        return sum(ledger.mistakes for ledger in self._ledgers)

    @property
    def n_iter_(self) -> int:
        """Passes made by the last `fit`; after a `partial_fit`, passes and pieces since the beginning."""
        return len(self._run.passes) or self._fitted.passes

    @property
    def stop_reason_(self) -> StopReason:
        """Why the last `fit` ended: "clean pass", "max_iter", "interrupted", "on_pass", "ledger full"; or "stream"."""
        self._fitted  # noqa: B018
        return self._run.stop_reason

    @property
    def passes_(self) -> tuple[Pass, ...]:
        """What happened in each pass of the last `fit`."""
        self._fitted  # noqa: B018
        return self._run.passes

    @property
    def memory_of_votes_(self) -> int:
        """Bytes that voting keeps: the distinct rows of updates, and the ledgers. 0 for the other readouts."""
        learner = self._fitted
        return learner.voters.nbytes + sum(ledger.nbytes for ledger in learner.ledgers) if learner.reading.votes else 0


def _unpacked(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Rows, labels and weights, also of those that come in one: files, or a block of them."""
    if y is not None or "novikoff.data.readers" not in sys.modules:  # which is not imported only to find that nobody has
        return X, y, sample_weight
    from novikoff.data.readers import Dataset, Labelled

    if isinstance(X, Dataset):
        X = X.read()
    if isinstance(X, Labelled):
        return X.X, X.y, X.weight if sample_weight is None else sample_weight
    return X, y, sample_weight


_LOOK: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": False,  # `examples` finds out in the pass that it makes anyway, and says which row and column
    "ensure_min_samples": 0,  # it has a sentence of its own
}


def _validated(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
    """Rows and labels as scikit-learn checks them, which reads through whatever pointers a sparse matrix has."""
    X, y = validate_data(estimator, checked(X, "X"), unmasked(y, "y"), reset=reset, **_LOOK)
    return X, y


def _marks(seen: Examples) -> tuple[Any, ...]:
    """Rows, columns, labels and lengths, in so far as two checksums tell."""
    sheet = seen.sheet
    return (
        len(seen),
        seen.width,
        seen.constant,
        tuple(seen.classes.tolist()),
        crc32(sheet.code.tobytes()),
        crc32(sheet.sqnorm.tobytes()),
        crc32(seen.hashes().tobytes()) if isinstance(seen, KernelExamples) else 0,  # of whose rows the lengths may tell nothing
    )


def _svm(X: Any, y: Array, constant: Any, passes: int, seen: Examples, stretch_sq: int = 1) -> Array:
    """The u that makes F6's first form least: a linear SVM without an intercept of its own, C = times fed / R²; a row a vector.

    Of many classes at once it is that of Crammer and Singer, and R² that of the z's: `stretch_sq` times that of the rows.
    """
    from sklearn.svm import LinearSVC

    rows, y = X[seen.fed], y[seen.fed]
    column = np.full((len(y), 1), float(constant))
    rows = sp.hstack([rows, sp.csr_array(column)]).tocsr() if sp.issparse(rows) else np.hstack([rows, column])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # any u gives a valid bound
        many = len(np.unique(y)) > 2
        svm = LinearSVC(
            C=passes / (float(seen.radius_sq) * (stretch_sq if many else 1)),
            loss="hinge",
            multi_class="crammer_singer" if many else "ovr",
            fit_intercept=False,
            max_iter=10_000,
            random_state=0,
        )
        return svm.fit(rows, y).coef_.astype(np.float64)  # type: ignore[no-any-return]


def _widest(X: Any, sides: Array, fit_intercept: bool) -> Array:
    """The widest separator of these rows, as one row, the bias last."""
    found = max_margin(X, sides, fit_intercept=fit_intercept, positive=1)
    if not isinstance(found, Separable):
        raise ValueError(f'there is no widest separator, and u cannot be "widest"; "svm" is near one that errs. {found}')
    return np.array([[*map(float, found.weights.tolist()), float(found.intercept)]])


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """An estimator that refuses is left exactly as it was. (What Ctrl-C ends is no refusal: what was learned stays.)"""
    before = dict(vars(estimator))
    try:
        yield
    except Exception:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
