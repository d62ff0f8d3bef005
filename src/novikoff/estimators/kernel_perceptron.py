"""The perceptron with a kernel."""

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernel_examples import kernel_examples
from novikoff.engine.kernels import Kernel, find_kernel, fitted_to
from novikoff.engine.kernels.precomputed import Precomputed
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rules import Rule, find_rule
from novikoff.engine.weights.span import CACHE, Span
from novikoff.estimators.linear_classifier import LinearClassifier
from novikoff.estimators.parameter_types import RandomState
from novikoff.estimators.unchanged_on_error import unchanged_on_error
from novikoff.foundation.array_types import Array, Matrix
from novikoff.learning.class_weights import ClassWeight
from novikoff.learning.learner import Learner
from novikoff.learning.ledger import CAP
from novikoff.learning.pass_driver import OnPass
from novikoff.proof.certificate import Certificate
from novikoff.solve.run_proofs import kernel_question, of_stored

MEGABYTE = 2**20


class KernelPerceptron(LinearClassifier):
    """The Perceptron with a kernel: curved boundaries, with the same guarantees (F19).

    w is a sum of images φ(x) of the rows that were mistakes, and only these rows are stored. F5 to F7 and F10 hold in the space
    of φ.

    Parameters
    ----------
    kernel : the name of a kernel ("rbf", "poly", "linear", "sigmoid", "laplacian", "precomputed"), a kernel from
        `novikoff.engine.kernels`, or a function of two matrices that computes the values between their rows (default: "rbf").
    degree : degree of "poly" (default: 3).
    gamma : factor in "rbf", "poly", "laplacian" and "sigmoid": a number, "scale" (1 / (columns · variance)) or "auto"
        (1 / columns) (default: 1 for "poly", which then is (coef0 + ⟨a, b⟩)ᵈ, "scale" for the others). On a stream, "scale" and
        "auto" are computed from the first rows.
    coef0 : constant in "poly" and "sigmoid" (default: 1.0).
    rule, readout, order, max_iter : see `Perceptron`.
    class_weight, warm_start, random_state, n_jobs, verbose, on_pass, ledger_cap : see `Perceptron`.
    fit_intercept : whether to learn a bias; the kernel is then K + 1 (default: False).
    budget : the maximum number of stored rows per class, for endless streams; the oldest rows are forgotten, as in the Forgetron
        [dekel2008forgetron]. `bound` gives its bound. None stores every mistake (default: None).
    cache_size : megabytes for kernel values (default: 200). If the whole Gram matrix fits, it is computed once.

    >>> clf = KernelPerceptron(kernel="poly", degree=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> clf.stop_reason_, clf.predict([[0, 1], [1, 1]]).tolist()
    (<StopReason.CLEAN_PASS: 'clean pass'>, [1, 0])
    """

    _until_clean = True

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = None,
        coef0: float = 1.0,
        rule: str | Rule = "rosenblatt",
        readout: str = "last",
        order: str = "given",
        max_iter: int = 1000,
        fit_intercept: bool = False,
        budget: int | None = None,
        cache_size: float = CACHE / MEGABYTE,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        on_pass: OnPass | None = None,
        ledger_cap: int = CAP,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.rule = rule
        self.readout = readout
        self.order = order
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.budget = budget
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.on_pass = on_pass
        self.ledger_cap = ledger_cap

    def _rule(self) -> Rule:
        rule: Rule = find_rule(self.rule)
        return rule

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "KernelPerceptron":  # type: ignore[override]
        """Train by passes over the data, until a pass makes no update or `max_iter` passes are made.

        With kernel="precomputed", X is the square matrix of kernel values between the rows.
        """
        with unchanged_on_error(self):
            if not self.warm_start:
                self.__dict__.pop("kernel_", None)
            elif self._precomputed:
                raise ValueError("warm_start must be False with kernel='precomputed': its values are between the rows of one fit")
            super().fit(X, y, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> "KernelPerceptron":
        """Train on the next rows of a stream, once, in the given order. Mistakes are stored, up to `budget` of them."""
        with unchanged_on_error(self):
            if self.__sklearn_is_fitted__():
                self.kernel_ = self._kernel(None)
                self._same_learner()
            super().partial_fit(X, y, classes, sample_weight)
        return self

    def _examples(self, X: Matrix, y: Array, sample_weight: Any, reset: bool) -> Examples:
        if reset or not self.__sklearn_is_fitted__():
            self.kernel_ = self._kernel(X)
        constant = 1 if self.fit_intercept else 0
        return kernel_examples(X, y, self.kernel_, constant=constant, weight=sample_weight, threads=self._threads())

    def _kernel(self, X: Matrix | None) -> Kernel:
        """The kernel of the settings, with gamma for these rows, or, if X is None, for the rows of the first call."""
        gamma, coef0 = (float(number) if isinstance(number, Fraction) else number for number in (self.gamma, self.coef0))
        wanted = find_kernel(self.kernel, degree=self.degree, gamma=gamma, coef0=coef0)
        before: Kernel | None = getattr(self, "kernel_", None)
        if before is not None and type(before) is type(wanted) and isinstance(getattr(wanted, "gamma", None), str):
            return wanted._replace(gamma=before._asdict()["gamma"])  # as computed from the first rows
        return wanted if X is None else fitted_to(wanted, X)

    def _settings(self) -> dict[str, Any]:
        if not (isinstance(self.cache_size, int | float | np.number) and 0 <= self.cache_size < np.inf):
            raise ValueError(f"cache_size must be a number of megabytes, at least 0; it is {self.cache_size!r}")
        own = {"kernel": self.kernel_, "budget": self.budget}
        return super()._settings() | own

    def _new_learner(self) -> Learner:
        learner = super()._new_learner()
        if isinstance(learner.space, Span):
            learner.space.resize_cache(int(self.cache_size * MEGABYTE))
        return learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

    def certify(self, X: Any, y: Any) -> Certificate | dict[Any, Certificate]:
        """Check whether the last weights separate the data they were learned from: Separable if they do, else Undecided.

        The weights are sums of stored rows, and the certificate names these rows by number, so X must have them in the same
        places. With more than two classes there is a certificate for each class against the rest. X is not stored.
        """
        return super().certify(X, y)

    def _certificates_of(self, X: Matrix, y: Array) -> list[Certificate]:
        learner, stored = self._fitted, self._span.stored
        if stored is not None and not (stored.numbers.max() < X.shape[0] and self._has_stored_rows(X)):
            raise ValueError(
                "a certificate names the stored rows by number, and these are not the rows of one fit in their order; "
                "`separate` decides for any data"
            )
        code = np.searchsorted(learner.classes, y)
        why = "the values of the kernel do not prove that all rows are right; `separate` decides"
        return [
            of_stored(v, kernel_question(v, X, code, learner), learner, why)
            for v in range(len(learner.ledgers[learner.answering]))
        ]

    def _replays(self, X: Matrix, seen: Examples) -> bool:
        return self._has_stored_rows(X)

    def _has_stored_rows(self, X: Matrix) -> bool:
        """Whether the rows with the numbers of the stored rows are the stored rows."""
        stored = self._span.stored
        return stored is None or not (abs(X[stored.numbers] - stored.X) > 0).sum()

    def _comparison_vector(self, u: Any, v: int, X: Matrix, seen: Examples) -> Array:
        if isinstance(u, str):
            raise ValueError(
                f"u must be None or the coefficients of the stored rows, the bias last; u={u!r} is for linear estimators only"
            )
        return super()._comparison_vector(u, v, X, seen)

    @property
    def _precomputed(self) -> bool:
        return self.kernel == "precomputed" or isinstance(self.kernel, Precomputed)

    @property
    def _span(self) -> Span:
        space = self._fitted.space
        assert isinstance(space, Span)
        return space

    @property
    def support_(self) -> Array:
        """The numbers of the stored rows, counted over all rows that were learned from."""
        stored = self._span.stored
        return np.empty(0, np.int64) if stored is None else stored.numbers.copy()

    @property
    def support_vectors_(self) -> Matrix:
        """The stored rows."""
        stored = self._span.stored
        return np.empty((0, self.n_features_in_)) if stored is None else stored.X.copy()

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the stored rows: one row for two classes, else one row per class."""
        return self._fitted.weights()[:, :-1].copy()

    @property
    def coef_(self) -> Array:
        """The weights of the columns, which exist only for kernel="linear"."""
        if getattr(self, "kernel_", None) is None or self.kernel_.name != "linear":
            raise AttributeError("there are no weights of columns with this kernel: use dual_coef_ and support_vectors_")
        coefficients = self.dual_coef_ @ self.support_vectors_
        return coefficients.toarray() if sp.issparse(coefficients) else coefficients  # type: ignore[no-any-return]
