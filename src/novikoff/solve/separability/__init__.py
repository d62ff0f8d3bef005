"""Can two classes be separated, by a hyperplane or through a kernel?"""

from typing import Any

from novikoff.engine.kernels import find_kernel, fitted_to
from novikoff.proof.certificate import Certificate
from novikoff.proof.rational_matrix import RationalMatrix
from novikoff.solve.nearest_point import Tell, deadline, silent
from novikoff.solve.rescaling import check_seed
from novikoff.solve.separability.linear import Question, kinds_of, rows_and_labels
from novikoff.solve.separability.many_classes import ManyQuestion
from novikoff.solve.separability.through_kernels import KernelQuestion


def separate(
    X: Any,
    y: Any,
    *,
    kernel: Any = None,
    degree: int | None = None,
    gamma: Any = None,
    coef0: Any = None,
    fit_intercept: bool | None = None,
    positive: Any = None,
    multiclass: str | None = None,
    budget: float | None = None,
    method: str = "auto",
    seed: int = 0,
    tell: Tell = silent,
) -> Certificate:
    """Can a hyperplane have every row of X on its own side? The answer is a certificate: Separable, Inseparable or Undecided.

    X is an array or sparse matrix of whole numbers or floats, and y has labels of two kinds. With more, `positive` is the label
    to separate from the rest. Or, with multiclass="direct", the question is whether weights for all classes at once give every
    row its highest score for its own class (F25): ManySeparable, ManyInseparable or Undecided.

    Without a `budget` in seconds (default: None), the answer is never Undecided, unless many classes at once are too much for
    memory. The method "rescaled" is a perceptron that stretches space (F15) and starts from the `seed` (default: 0): its answer
    is Separable, or Undecided when one of its caps is reached. `tell` is called, now and then, with a few words about what is
    being done.

    With a `kernel` (F19) the hyperplane is in the space of φ. It is a name with `degree`, `gamma` and `coef0`, one of
    `engine.kernels`, or a function of two matrices; for "precomputed", X holds the values between all rows. A kernel of your own
    is accepted if it has an exact form (docs/curved.md). There is no intercept unless `fit_intercept` is True, and the answer can
    be Undecided where the kernel's values are not rational and floats cannot decide.

    >>> print(separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    Not separable: 4 of the 4 rows (labels 0 and 1) contradict each other: 0, 1, 2, 3.
    Weighted by the multipliers they cancel out exactly, so no hyperplane has them all on their own sides.
    >>> separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kernel="poly", degree=2).outcome
    'separable'
    """
    if multiclass is not None:
        _check_multiclass(multiclass, kernel=kernel, positive=positive, method=None if method == "auto" else method)
        X, y = rows_and_labels(X, y)
        if len(classes := kinds_of(y)) > 2:
            if isinstance(X, RationalMatrix):
                raise ValueError("with many classes, numbers must be doubles; these are fractions or decimals")
            return ManyQuestion.about(X, y, fit_intercept in (None, True), classes).decided(budget)
    if kernel is None and not degree is gamma is coef0 is None:
        raise ValueError("degree, gamma and coef0 are parameters of a kernel: name it, as in kernel='poly'")
    if kernel is not None and method != "auto":
        raise ValueError(f"with a kernel the only method is auto, not {method!r}")
    question = Question.about(X, y, kernel is None if fit_intercept is None else fit_intercept, positive=positive, tell=tell)
    if kernel is not None:
        return _through(kernel, question, degree, gamma, coef0, bool(fit_intercept)).decided(budget)
    match method:
        case "auto":
            return question.decided(budget)
        case "rescaled":
            check_seed(seed)
            return question.by_rescaling(seed=seed, until=deadline(budget))[0]
        case _:
            raise ValueError(f"there is no method {method!r}; the methods are auto, rescaled")


def _check_multiclass(multiclass: str, **others: Any) -> None:
    if multiclass != "direct":
        raise ValueError(f"multiclass is 'direct', all classes at once, not {multiclass!r}; for one class, give `positive`")
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"multiclass='direct' is about all classes at once, without a kernel; leave out {name}={value!r}")


def _through(kernel: Any, question: Question, degree: int | None, gamma: Any, coef0: Any, fit_intercept: bool) -> KernelQuestion:
    if question.z.rounded:
        raise ValueError("with a kernel, numbers must be doubles; these are fractions or decimals")
    X = question.z.X
    found = fitted_to(find_kernel(kernel, degree=degree, gamma=gamma, coef0=coef0), X)
    return KernelQuestion(found, X, question.z.sign, fit_intercept, *question.labels)
