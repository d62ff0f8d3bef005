"""The sizes of classes, and a warning about very small ones: a typo in a label makes a class of one row."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from novikoff.cli.summary import SHOWN, count
from novikoff.foundation.printable import printable

if TYPE_CHECKING:
    from novikoff.data.labels import LabelCount

    Counts = Mapping[object, LabelCount]

FEW_ROWS = 2  # a class with so few rows may be small
SHARE = 1000  # and so may one with less than one row in so many
EVEN_SHARE = 20  # a small class has at most a twentieth of the rows that each class would have if all were equally large
NAMED = 3  # small classes that are named


def sizes(counts: "Counts") -> str:
    """How many classes there are, and the rows of each: "2 classes (-1: 24,720, +1: 7,841)"."""
    shown = [f"{printable(label)}: {counted.rows:,}" for label, counted in list(counts.items())[:SHOWN]]
    return f"{count(len(counts), 'class', 'classes')} ({', '.join(shown)}{', …' if len(counts) > SHOWN else ''})"


def small_classes(counts: "Counts") -> "dict[object, LabelCount]":
    """The classes that have very few rows while the others have many.

    These are classes with one or two rows, or with less than 0.1 % of all rows, if that is at most a twentieth of an even share.
    So data of many classes with a few rows each has no small classes.
    """
    rows = sum(counted.rows for counted in counts.values())

    def is_small(own: int) -> bool:
        return (own <= FEW_ROWS or own * SHARE < rows) and own * EVEN_SHARE * len(counts) <= rows

    return {label: counted for label, counted in counts.items() if is_small(counted.rows)}


def small_classes_warning(counts: "Counts") -> str | None:
    """A sentence about the classes with very few rows; None if there are none."""
    small = small_classes(counts)
    if not small:
        return None
    rows = sum(counted.rows for counted in counts.values())
    named = [_described(label, counted, rows) for label, counted in list(small.items())[:NAMED]]
    if len(small) > NAMED:
        named.append(f"and so have {count(len(small) - NAMED, 'more class', 'more classes')}")
    header = any(counted.rows == 1 and not counted.first and isinstance(label, str) for label, counted in small.items())
    return f"{'; '.join(named)}; check the labels for typos" + (", or name the label with --label if row 0 is a header" * header)


def _described(label: object, counted: "LabelCount", rows: int) -> str:
    where = f"first: row {counted.first:,} of {counted.file}, counted from 0"
    return f"class {printable(label)} has only {counted.rows:,} of {rows:,} rows ({where})"
