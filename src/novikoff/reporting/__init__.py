"""A report on a model as one HTML file: what was learned from what, what is proved, how well it answers, and how to do it again.

The file loads nothing and runs nothing. Everything in it that came from data is text, and kept apart from the page's own words.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff import __version__
from novikoff.data.readers import Dataset, Labelled
from novikoff.engine.labelled_rows import sorted_classes
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.learning.bounds import Facts
from novikoff.models.model import Model, versions
from novikoff.reporting import content
from novikoff.reporting.content import About
from novikoff.reporting.survey import Survey, survey

NEEDED = ("jinja2", "matplotlib")


def require_extra() -> None:
    """Refuse where what draws and writes pages is not installed."""
    if any(find_spec(package) is None for package in NEEDED):
        raise ImportError("reports need the packages jinja2 and matplotlib: pip install 'novikoff[plot]'")


def report(model: Any, X: Any = None, y: Any = None, path: str | Path | None = None) -> str:
    """A page of HTML on a fitted estimator or a `Model`, and on how it answers these rows; also written to `path`, if given.

    X and y are labelled rows, or X alone is what `novikoff.open(files, features=model.features)` gives, which is read in blocks.
    Without rows the page has no scores. Where an estimator is given the rows that it learned from, the page also has the facts
    of its run.

    >>> from novikoff import Perceptron, report
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0, 1, 1]
    >>> "The model answers 3 of 3 rows rightly" in report(Perceptron().fit(X, y), X, y)
    True
    """
    require_extra()
    facts: list[Facts] = []
    if not isinstance(model, Model):
        if not hasattr(model, "as_model"):
            kind = type(model).__name__
            raise TypeError(
                f"a report is on one of novikoff's classifiers or models, not on {kind}; of a pipeline, give its last step"
            )
        classifier, model = model, model.as_model()
        if X is not None and y is not None:
            facts, X = _facts(classifier, X, y), classifier._matrix(X)
    rows = None if X is None else survey(model, _blocks(X, y, model.learner.width))
    text = page(model, rows, About(files=X.paths if isinstance(X, Dataset) else (), learned_from=bool(facts), facts=facts))
    if path is not None:
        write(text, path)
    return text


def write(text: str, path: str | Path) -> None:
    """Put the page there: whole, or not at all."""
    write_whole(path, text.encode())


def page(model: Model, rows: Survey | None, about: About) -> str:
    """The page itself, of what was found."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from novikoff.reporting.pictures import pictures

    look = Environment(
        loader=PackageLoader("novikoff.reporting", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    look.tests["name"] = lambda thing: isinstance(thing, content.Name)
    look.tests["number"] = lambda thing: isinstance(thing, content.Number)
    now = datetime.now(UTC)
    return look.get_template("page.html").render(
        about=about,
        content=content,
        made=f"{now:%Y-%m-%d %H:%M} UTC",
        model=model,
        pictures=pictures(model, rows, about.facts),
        rows=rows,
        version=__version__,
        versions=versions(),
    )


def _facts(classifier: Any, X: Any, y: Any) -> list[Facts]:
    """Of the run, if these are the rows that it learned from."""
    if not hasattr(classifier, "facts"):
        return []
    try:
        found = classifier.facts(X, y)
    except ValueError:  # they are other rows, or the model has learned from more
        return []
    return list(found.values()) if isinstance(found, dict) else [found]


def _blocks(X: Any, y: Any, width: int) -> Iterable[Labelled]:
    """Rows and labels, in one block or many."""
    if isinstance(X, Dataset | Labelled):
        return X if isinstance(X, Dataset) else [X]
    if y is None:
        raise ValueError("a report compares answers with labels, and there are none: give y")
    checked(X)
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, np.float64)
    y = np.asarray(unmasked(y, "y"))
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y):
        raise ValueError(f"X must be a matrix and y have a label for each of its rows; their shapes are {X.shape} and {y.shape}")
    if X.shape[1] != width:
        raise ValueError(f"these rows have {X.shape[1]} columns; the model was trained on {width}")
    if not len(y):
        raise ValueError("there are no rows to report on")
    if any(label is None for label in y):
        raise ValueError(
            f"the label of row {next(i for i, label in enumerate(y) if label is None)} is None: every row needs a label"
        )
    sorted_classes(y)  # for its sentences
    return [Labelled(X, y)]
