"""Labelled rows whose numbers are the decimals that stand in a file, not the nearest doubles.

The readers give the nearest doubles, which tell the decimals of at most 15 digits. Rows with longer numbers are read a second
time, from the lines they stand on.
"""

from collections.abc import Iterator

import numpy as np

from novikoff.data.opening import opened
from novikoff.data.readers import Dataset
from novikoff.data.row_lines import FileLine, lines_of
from novikoff.data.sources import ReadError
from novikoff.foundation.array_types import Matrix
from novikoff.proof.rational_matrix import RationalMatrix
from novikoff.proof.rationals import Number
from novikoff.solve.constraints import LONG, decimal, entry


def decimals_of(X: Matrix, files: Dataset) -> RationalMatrix:
    """The rows X, which have just been read from this file, as the decimals that stand there. The file can be read again."""
    reading = files.reading
    if len(files.paths) > 1:
        raise ReadError(f"{reading.name}: is one of several files, and the decimals are those of one; join the files")
    if reading.number_texts is None:
        raise ReadError(f"{reading.name}: is {reading.format}; decimals are taken from svmlight text and tables only")
    known = dict(_known(X, files))
    if known and np.ravel(X[tuple(zip(*known, strict=True))]).tolist() != [float(number) for number in known.values()]:
        raise _changed(files)
    try:
        return RationalMatrix.of_decimals(X, known)
    except ValueError as error:
        raise ReadError(f"{reading.name}: {error}") from None


def _known(X: Matrix, files: Dataset) -> Iterator[tuple[tuple[int, int], Number]]:
    """The numbers of rows in which some are long, by row and column."""
    with opened(files.paths[0], files.copies.get(files.paths[0])) as source:
        if not any(LONG.search(chunk.content[: chunk.length]) for chunk in source.chunks(counted=False)):
            return
    lines = lines_of(files.reading.files, range(X.shape[0]), files.options.format, files.copies)
    if not lines:
        raise _changed(files)
    for i, line in lines.items():
        if LONG.search(line.text.encode()):
            for j, number in _numbers_on(line, files):
                if not 0 <= j < X.shape[1]:
                    raise _changed(files)
                yield (i, j), number


def _numbers_on(line: FileLine, files: Dataset) -> Iterator[tuple[int, Number]]:
    """The numbers, each after its column."""
    assert files.reading.number_texts is not None
    try:
        for column, text in files.reading.number_texts(line.text):
            yield column, entry(decimal(text))
    except IndexError:
        raise _changed(files) from None
    except ValueError as error:
        raise ReadError(f"{files.reading.name}:{line.line}: {error}") from None


def _changed(files: Dataset) -> ReadError:
    return ReadError(f"{files.reading.name}: has changed while it was read; run the command again")
