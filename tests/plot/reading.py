"""What a plot says, read off its axes."""

import numpy as np


def drawn(ax):
    """Draw it: what is wrong with a text or a glyph is found only then. Gives the axes back."""
    for one in np.asarray(ax, object).ravel():
        one.figure.canvas.draw()
    return ax


def labels(ax):
    """What the legend says, in order."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line(ax, start):
    """The line whose label begins so."""
    found = [one for one in ax.lines if str(one.get_label()).startswith(start)]
    assert len(found) == 1, [one.get_label() for one in ax.lines]
    return found[0]


def bars(ax, start):
    """The heights (or lengths) of the bars with this label."""
    found = [one for one in ax.containers if str(one.get_label()).startswith(start)]
    assert len(found) == 1, [one.get_label() for one in ax.containers]
    return found[0]


def points(ax, start):
    """The points of the scatter whose label begins so."""
    found = [one for one in ax.collections if str(one.get_label()).startswith(start)]
    assert len(found) == 1, [one.get_label() for one in ax.collections]
    return np.asarray(found[0].get_offsets())


def contours(ax, style=None):
    """The points of each line that was drawn where something is 0."""
    sets = [one for one in ax.collections if type(one).__name__ == "QuadContourSet" and not one.filled]
    sets = [one for one in sets if style is None or one.linestyles == style]
    return [np.vstack([path.vertices for path in one.get_paths()]) for one in sets]


def shading(ax):
    """Which of some points are in the part of the plane that is filled, as a function of them."""
    (filled,) = [one for one in ax.collections if type(one).__name__ == "QuadContourSet" and one.filled]
    (path,) = filled.get_paths()
    return path.contains_points


def texts(ax):
    return [one.get_text() for one in ax.texts]
