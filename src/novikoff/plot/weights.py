"""The largest weights, by name (F11)."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.models.model import Model, largest
from novikoff.plot.canvas import axes, colour, name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OF_KERNELS = "a model with a kernel has no weights of features: use plot.boundary"


def weights(
    clf: Any, top: int = 20, *, names: Sequence[object] | None = None, label: Any = None, ax: "Axes | None" = None
) -> "Axes":
    """The features with the largest weights, as signed bars. The bias is not among them.

    `clf` is an estimator or a `novikoff.Model`. The features are named by `names`, by the model, or x0, x1, …. With many classes,
    `label` chooses one; without it, the size over all classes is shown, the root of the sum of squares. Weights can be compared
    only where the features have similar scales.
    """
    if not (isinstance(top, int | np.integer) and top >= 1):
        raise ValueError(f"top must be a whole number of at least 1; it is {top!r}")
    of, classes, called, sign = _opened(clf, names)
    if label is not None and label not in classes:
        raise ValueError(f"there is no class {label!r}; the classes are {', '.join(map(str, classes))}")
    if len(of) > 1 and label is None:
        shown = largest(np.sqrt((of**2).sum(axis=0)), int(top), called)
        what, of_what = "size of the weights over all classes", f"{len(classes)} classes"
    else:
        w = of[classes.index(label)] if len(of) > 1 else of[0] * (-1 if label is not None and label == classes[0] else 1)
        yes = classes[-1] if label is None else label
        shown = largest(w, int(top), called, sign)
        what, of_what = f"weight (above 0: for {name(yes)})", name(yes)
    ax = axes(ax, (6.4, 1.4 + 0.26 * max(3, len(shown))))
    places = np.arange(len(shown))
    sizes = [weight for _, weight in shown]
    ax.barh(places, sizes, color=[colour(0) if weight > 0 else colour(1) for weight in sizes])
    ax.set_yticks(places, labels=[name(feature) for feature, _ in shown])
    ax.invert_yaxis()
    ax.axvline(0, color=ax.spines["left"].get_edgecolor(), linewidth=0.8)
    title = f"Largest {len(shown)} of {of.shape[1]:,} weights: {of_what}" if len(shown) < of.shape[1] else f"Weights: {of_what}"
    ax.set(xlabel=what, title=title)
    return ax


def _opened(
    clf: Any, names: Sequence[object] | None
) -> tuple[Array, list[Any], Callable[[int], str], Callable[[int], int] | None]:
    """The weight vectors; the classes; the name of a column; and its sign, where features are hashed."""
    if isinstance(clf, Model):
        if not clf.learner.started:
            raise ValueError("this model has not learned anything yet, so it has no weights")
        if clf.learner.kernel is not None:
            raise ValueError(OF_KERNELS)
        of, classes = clf.weights()[:, :-1], clf.learner.classes.tolist()
        called, sign = (clf.features.name, clf.features.sign) if names is None else (_named(names, of.shape[1]), None)
        return of, classes, called, sign
    if hasattr(clf, "steps"):
        names = clf[:-1].get_feature_names_out() if names is None and hasattr(clf[:-1], "get_feature_names_out") else names
        clf = clf[-1]
    if hasattr(clf, "kernel_") and getattr(clf.kernel_, "name", None) != "linear":
        raise ValueError(OF_KERNELS)
    classes = np.asarray(clf.classes_).tolist()  # raises where clf is not fitted
    if not hasattr(clf, "coef_"):
        raise ValueError(f"{type(clf).__name__} has no weights of features (coef_)")
    of = np.atleast_2d(clf.coef_)
    given = getattr(clf, "feature_names_in_", None) if names is None else names
    return of, classes, _named(given, of.shape[1]), None


def _named(names: Iterable[object] | None, width: int) -> Callable[[int], str]:
    if names is None:
        return lambda column: f"x{column}"
    given = [str(one) for one in names]
    if len(given) != width:
        raise ValueError(f"there are {len(given)} names and {width} features: give one for each")
    return given.__getitem__
