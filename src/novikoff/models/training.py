"""Training from files: in memory if the rows fit, else piece by piece.

With order="given", data that does not fit is read again in each pass. With a shuffled order it is first converted to .nvkd,
unless it is .nvkd already. Each pass then goes over the blocks in random order, and over the rows of each block in random order.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from novikoff.data.addresses import is_address
from novikoff.data.readers import Dataset, Labelled, Options
from novikoff.data.readers.nvkd import blocks_of, convert
from novikoff.data.sources import ReadError, free_memory
from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import scratch
from novikoff.foundation.interrupts import interruptible
from novikoff.foundation.parallel import in_order
from novikoff.learning.learner import Learner
from novikoff.learning.run import Pass, Run
from novikoff.proof.certificate import Certificate
from novikoff.solve.run_proofs import of_run, of_stream

SHARE = 4  # data may take 1 / SHARE of the free memory
SHRINKS = 4  # parsing makes text smaller by less than this factor; converted data keeps its size


Look = Callable[[Labelled], Examples]
FitPieces = Callable[[Callable[[int], Iterator[tuple[Examples, Array]]]], Run]


class Training(NamedTuple):
    learner: Learner
    run: Run
    rows: int
    entries: int
    how: str  # how the passes were made, in words
    certificates: list[Certificate]
    numbered: bool  # whether the ledgers number rows in the order of the files
    held: Labelled | None = None  # the rows, if they were held in memory
    seen: Examples | None = None  # the same rows as examples


def train(
    learner: Learner,
    dataset: Dataset,
    passes: int | None,
    *,
    fit_intercept: bool = True,
    memory: int | None = None,
    on_pass: Callable[[Pass], object] | None = None,
    on_slice: Callable[[Pass], object] | None = None,
    chosen: Callable[[Examples], Learner] | None = None,
) -> Training:
    """Train the learner on the files, until a pass is clean or `passes` are made. None: until its weights have settled.

    If the rows fit into memory, `chosen` makes the learner for them, and that one is trained.
    """

    def look(block: Labelled) -> Examples:
        return learner.space.look(block.X, block.y, constant=int(fit_intercept), weight=block.weight, threads=1)

    fit = partial(learner.fit_pieces, max_passes=passes, on_pass=on_pass, on_slice=on_slice)
    if learner.order == "given" and passes == 1 and not learner.no_streams:
        return _in_pieces(learner, dataset, look, fit)
    budget = memory if memory is not None else free_memory() // SHARE
    with interruptible():
        held = _held(dataset, budget, learner)
    if held is not None:
        seen = learner.space.look(held.X, held.y, constant=int(fit_intercept), weight=held.weight)
        _require_two_classes(seen.classes)
        if chosen is not None:
            learner = chosen(seen)
        run = learner.fit(seen, passes, on_pass=on_pass, on_slice=on_slice)
        how = "in memory" if learner.order == "given" else "shuffled in memory"
        entries, proofs = int(seen.entries_per_row * len(seen)), of_run(held.X, seen, learner, run)
        return Training(learner, run, len(seen), entries, how, proofs, True, held, seen)
    if learner.order == "given" and "-" not in dataset.paths:
        return _in_pieces(learner, dataset, look, fit)
    return _by_blocks(learner, dataset, look, fit)


def _held(dataset: Dataset, budget: int, learner: Learner) -> Labelled | None:
    """All rows, if they take at most `budget` bytes. Standard input is read only if the learner needs all rows in memory."""
    must = bool(learner.no_streams)
    if "-" in dataset.paths:
        return dataset.read() if must else None
    sizes = [os.stat(path).st_size / (1 if path.endswith(".nvkd") else SHRINKS) for path in dataset.paths if os.path.exists(path)]
    if sum(sizes) > budget and not must:
        return None
    return dataset.read_at_most(None if must else budget)


def _require_two_classes(classes: Array) -> None:
    if len(classes) == 1:
        raise ReadError(f"all rows are of class {classes.tolist()[0]}; learning needs two classes or more")


def _looked_at(learner: Learner, look: Look, blocks: Iterator[Labelled]) -> Iterator[Examples]:
    """The blocks as examples, prepared ahead on threads; with a kernel one by one, because the first block sets gamma."""
    return in_order(look, blocks) if learner.kernel is None else map(look, blocks)


def _in_pieces(learner: Learner, dataset: Dataset, look: Look, fit: FitPieces) -> Training:
    counted = [0, 0]

    def pieces(number: int) -> Iterator[tuple[Examples, Array]]:
        counted[:] = 0, 0
        for seen in _looked_at(learner, look, (block for block in dataset if len(block.y))):
            counted[0] += len(seen)
            counted[1] += int(seen.entries_per_row * len(seen))
            yield seen, seen.fed

    run = fit(pieces)
    _require_two_classes(learner.classes)
    again = "" if len(run.passes) == 1 else "; the files are larger than the memory they may take, and were read for each pass"
    return Training(learner, run, counted[0], counted[1], f"as the rows stand{again}", of_stream(learner), True)


def _give_back() -> None:
    """Return the memory of parsing to the system, if the C library is glibc. It would keep the memory in small pieces."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _by_blocks(learner: Learner, dataset: Dataset, look: Look, fit: FitPieces) -> Training:
    with scratch() as folder:
        converted = dataset
        if not (len(dataset.paths) == 1 and dataset.paths[0].endswith(".nvkd") and not is_address(dataset.paths[0])):
            place = str(folder / "data.nvkd")
            with interruptible():
                convert(dataset, place)
            _give_back()
            converted = Dataset(place, Options(), dataset.features)
        with blocks_of(converted) as blocks:
            _require_two_classes(blocks.labels())

            def pieces(number: int) -> Iterator[tuple[Examples, Array]]:
                rng = np.random.default_rng([learner.seed, number if learner.order == "each" else 0])
                order = np.arange(len(blocks)) if learner.order == "given" else rng.permutation(len(blocks))
                for seen in _looked_at(learner, look, (blocks[k] for k in order)):
                    rows = seen.fed.copy()
                    if learner.order != "given":
                        rng.shuffle(rows)
                    yield seen, rows

            run = fit(pieces)
        shuffled = "" if learner.order == "given" else f": {len(blocks)} blocks in random order, and the rows within each"
        how = f"from a converted file, because the data is larger than the memory it may take{shuffled}"
        dataset.features = converted.features
        return Training(learner, run, blocks.rows, blocks.entries, how, of_stream(learner), not shuffled)
