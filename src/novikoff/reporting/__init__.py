"""A report on a model as one HTML file: its training, what is proved, how well it answers, and how to train it again.

The file loads nothing and runs nothing. Everything in it that came from data is escaped, and set apart from the page's own words.

`survey.py` goes over the rows, one file for each section turns a model into plain data, `pictures.py` draws, and `page.html` says
how it looks.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from novikoff import __version__
from novikoff.data.readers import Dataset, Labelled
from novikoff.engine.labelled_rows import sorted_classes
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.matrix_checks import checked, unmasked
from novikoff.learning.bounds import Facts
from novikoff.models.model import Model
from novikoff.models.run_record import versions
from novikoff.reporting import cells, content, hard_rows, mistakes, scores, training, verdicts, weights
from novikoff.reporting.content import About
from novikoff.reporting.survey import Survey, survey

if TYPE_CHECKING:
    from markupsafe import Markup

NEEDED = ("jinja2", "matplotlib")


def require_extra() -> None:
    """Refuse where the packages that a report needs are not installed."""
    if any(find_spec(package) is None for package in NEEDED):
        raise ImportError("reports need the packages jinja2 and matplotlib: pip install 'novikoff[plot]'")


def report(model: Any, X: Any = None, y: Any = None, path: str | Path | None = None) -> str:
    """A page of HTML about a fitted estimator or a `Model`, and how it answers these rows. Also written to `path`, if given.

    X and y are labelled rows. X alone may be what `novikoff.open(files, features=model.features)` returns, which is read in
    blocks. Without rows the page has no scores. With an estimator and the rows that it was fitted on, the page also has the
    facts of the run.

    >>> from novikoff import Perceptron, report
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0, 1, 1]
    >>> "The model answers 3 of 3 rows correctly" in report(Perceptron().fit(X, y), X, y)
    True
    """
    require_extra()
    facts: list[Facts] = []
    if not isinstance(model, Model):
        if not hasattr(model, "as_model"):
            kind = type(model).__name__
            raise TypeError(
                f"a report takes one of novikoff's classifiers or models, not {kind}; for a pipeline, give its last step"
            )
        classifier, model = model, model.as_model()
        if X is not None and y is not None:
            facts, X = _facts(classifier, X, y), classifier._rows(X)
    rows = None if X is None else survey(model, _blocks(X, y, model.learner.width))
    text = page(model, rows, About(files=X.paths if isinstance(X, Dataset) else (), learned_from=bool(facts), facts=facts))
    if path is not None:
        write(text, path)
    return text


def write(text: str, path: str | Path) -> None:
    """Write the page to this path, as a whole or not at all."""
    write_whole(path, text.encode())


def page(model: Model, rows: Survey | None, about: About) -> str:
    """The page as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from novikoff.reporting.pictures import pictures

    environment = Environment(
        loader=PackageLoader("novikoff.reporting", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["name"] = lambda thing: isinstance(thing, cells.Name)
    environment.tests["number"] = lambda thing: isinstance(thing, cells.Number)
    environment.tests["shortened"] = lambda thing: isinstance(thing, cells.Shortened)
    environment.filters["prose"] = _prose
    now = datetime.now(UTC)
    return environment.get_template("page.html").render(
        about=about,
        cells=cells,
        content=content,
        hard_rows=hard_rows,
        made=f"{now:%Y-%m-%d %H:%M} UTC",
        mistakes=mistakes,
        model=model,
        pictures=pictures(model, rows, about.facts),
        rows=rows,
        scores=scores,
        training=training,
        verdicts=verdicts,
        version=__version__,
        versions=versions(),
        weights=weights,
    )


def _prose(text: object) -> "Markup":
    """A sentence, with `code` between backticks set as code."""
    from markupsafe import Markup, escape

    parts = str(text).split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        return escape(text)
    return Markup("").join(Markup("<code>{}</code>").format(part) if k % 2 else part for k, part in enumerate(parts))


def _facts(classifier: Any, X: Any, y: Any) -> list[Facts]:
    """The facts of the run, if these are the rows that it learned from."""
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
        raise ValueError("a report compares answers with labels: give y")
    checked(X)
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, np.float64)
    y = np.asarray(unmasked(y, "y"))
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y):
        raise ValueError(
            f"X must be a matrix, and y must have a label for each of its rows; their shapes are {X.shape} and {y.shape}"
        )
    if X.shape[1] != width:
        raise ValueError(
            f"these rows have {'1 column' if X.shape[1] == 1 else f'{X.shape[1]} columns'}; the model was trained on {width}"
        )
    if not len(y):
        raise ValueError("there are no rows to report on")
    if any(label is None for label in y):
        raise ValueError(
            f"the label of row {next(i for i, label in enumerate(y) if label is None)} is None: every row needs a label"
        )
    sorted_classes(y)  # refuses labels that cannot be sorted
    return [Labelled(X, y)]
