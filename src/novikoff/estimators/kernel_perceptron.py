"""The perceptron in the space of a kernel."""

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.engine.kernels import find_kernel, fitted_to
from novikoff.engine.kernels.precomputed import Precomputed
from novikoff.engine.labelled_rows import Examples
from novikoff.engine.rule import find_rule
from novikoff.engine.storages import Array
from novikoff.engine.weights.span import CACHE, Span, kernel_examples
from novikoff.estimators.linear_classifier import LinearClassifier, all_or_nothing
from novikoff.learning.ledger import CAP
from novikoff.solve.run_proofs import kernel_question, of_stored

MEGABYTE = 2**20


class KernelPerceptron(LinearClassifier):
    """The Perceptron where it only ever sees inner products: curved boundaries, with the same guarantees (F19).

    w is a sum of images φ(x) of the rows that were mistakes, and only these are stored. F5 to F7 and F10 hold in the space of φ.

    Parameters
    ----------
    kernel : "rbf", "poly", "linear", "sigmoid", "laplacian", "precomputed", one of `novikoff.engine.kernels`, or a function of two
        matrices that gives the values between their rows.
    degree : of "poly".
    gamma : of "rbf", "poly", "laplacian" and "sigmoid": a number, "scale" (1 / (columns · variance)) or "auto" (1 / columns).
        None is 1 for "poly", which then is (coef0 + ⟨a, b⟩)ᵈ, and "scale" for the others. On a stream, the first rows decide.
    coef0 : of "poly" and "sigmoid".
    rule, readout, order, max_iter, class_weight, warm_start, random_state, n_jobs, verbose, on_pass, ledger_cap : see Perceptron.
    fit_intercept : whether there is a bias: the kernel is K + 1 then.
    budget : how many rows may be stored for a class, for streams without end; the oldest are forgotten, as the Forgetron does
        [dekel2008forgetron]. `bound` has its theorem. None stores every mistake.
    cache_size : megabytes of kernel values that are kept. Where the whole Gram matrix fits, it is computed once.

    >>> clf = KernelPerceptron(kernel="poly", degree=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> clf.stop_reason_, clf.predict([[0, 1], [1, 1]]).tolist()
    (<StopReason.CLEAN_PASS: 'clean pass'>, [1, 0])
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: Any = None,
        coef0: float = 1.0,
        rule: Any = "rosenblatt",
        readout: str = "last",
        order: str = "given",
        max_iter: int = 1000,
        fit_intercept: bool = False,
        budget: int | None = None,
        cache_size: float = CACHE / MEGABYTE,
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        on_pass: Any = None,
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

    def _rule(self) -> Any:
        return find_rule(self.rule)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "KernelPerceptron":  # type: ignore[override]
        """Learn from all of the data, over and over, until a pass changes nothing or `max_iter` passes are made.

        With a precomputed kernel X is the matrix of its values, and has a column for each row.
        """
        with all_or_nothing(self):
            if not self.warm_start:
                self.__dict__.pop("kernel_", None)
            elif self._precomputed:
                raise ValueError("precomputed values are of the rows of one fit, and of no others: warm_start must be False")
            super().fit(X, y, sample_weight=sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> "KernelPerceptron":
        """Learn from the next rows of a stream, once, in the order given. Each mistake is stored; `budget` says how many."""
        with all_or_nothing(self):
            if self.__sklearn_is_fitted__():
                self.kernel_ = self._kernel(None)
                self._same_learner()
            super().partial_fit(X, y, classes, sample_weight)
        return self

    def _looked_at(self, X: Any, y: Array, sample_weight: Any, reset: bool) -> Examples:
        if reset or not self.__sklearn_is_fitted__():
            self.kernel_ = self._kernel(X)
        constant = 1 if self.fit_intercept else 0
        return kernel_examples(X, y, self.kernel_, constant=constant, weight=sample_weight, threads=self._threads())

    def _kernel(self, X: Any) -> Any:
        """The kernel of the settings, for these rows; None: for those that were first learned from."""
        gamma, coef0 = (float(number) if isinstance(number, Fraction) else number for number in (self.gamma, self.coef0))
        wanted = find_kernel(self.kernel, degree=self.degree, gamma=gamma, coef0=coef0)
        before: Any = getattr(self, "kernel_", None)
        if type(before) is type(wanted) and isinstance(getattr(wanted, "gamma", None), str):
            return wanted._replace(gamma=before.gamma)  # what the first rows decided
        return wanted if X is None else fitted_to(wanted, X)

    def _settings(self) -> dict[str, Any]:
        if not (isinstance(self.cache_size, int | float | np.number) and 0 <= self.cache_size < np.inf):
            raise ValueError(f"cache_size must be a number of megabytes; it is {self.cache_size!r}")
        own = {"kernel": self.kernel_, "budget": self.budget}
        return super()._settings() | own

    def _new_learner(self) -> Any:
        learner = super()._new_learner()
        if isinstance(learner.space, Span):
            learner.space.cache_bytes = int(self.cache_size * MEGABYTE)
        return learner

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags

    def certify(self, X: Any, y: Any) -> Any:
        """What the last weights prove of the data they were learned from: Separable if they get every row right, else Undecided.

        They are sums of stored rows, and a proof names its rows: these must be where they were. With many classes, a certificate
        each, of the class against the rest. X is not kept.
        """
        return super().certify(X, y)

    def _proved(self, X: Any, y: Any) -> list[Any]:
        learner, stored = self._fitted, self._span.stored
        if stored is not None and not (stored.numbers.max() < X.shape[0] and self._replays(X, None)):
            raise ValueError(
                "a certificate names rows, and these are not the rows of one fit from the beginning, in their order: "
                "`separate` asks of any data"
            )
        code = np.searchsorted(learner.classes, y)
        why = "the kernel's values do not show, beyond doubt, that all rows are right; `separate` decides"
        return [
            of_stored(v, kernel_question(v, X, code, learner), learner, why)
            for v in range(len(learner.ledgers[learner.answering]))
        ]

    def _replays(self, X: Any, seen: Any) -> bool:
        """Whether the stored rows are among these, where the ledgers have them."""
        stored = self._span.stored
        return stored is None or not (abs(X[stored.numbers] - stored.X) > 0).sum()

    def _facts_of(self, v: int, certificate: Any, X: Any, seen: Examples, u: Any) -> Any:
        if isinstance(u, str):
            raise ValueError(
                "u must be coefficients of the stored rows, the bias last, or None: names are for weights of columns"
            )
        return super()._facts_of(v, certificate, X, seen, u)

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
        """The numbers of the stored rows, counted through everything that was learned from."""
        stored = self._span.stored
        return np.empty(0, np.int64) if stored is None else stored.numbers.copy()

    @property
    def support_vectors_(self) -> Any:
        """The stored rows themselves."""
        stored = self._span.stored
        return np.empty((0, self.n_features_in_)) if stored is None else stored.X.copy()

    @property
    def dual_coef_(self) -> Array:
        """The coefficient of each stored row in the weights that answer: a row for two classes, a row a class for more."""
        return self._fitted.weights()[:, :-1].copy()

    @property
    def coef_(self) -> Array:
        """Weights of the columns, which only the linear kernel has."""
        if getattr(self, "kernel_", None) is None or self.kernel_.name != "linear":
            raise AttributeError("there are no weights of columns in the space of a kernel: see dual_coef_ and support_vectors_")
        coefficients = self.dual_coef_ @ self.support_vectors_
        return coefficients.toarray() if sp.issparse(coefficients) else coefficients  # type: ignore[no-any-return]
