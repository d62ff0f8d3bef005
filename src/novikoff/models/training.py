"""Training from files: in memory if the rows fit, else piece by piece.

A pass over the rows finds their statistics, by which they are prepared, unless they are a stream.

With order="given", data that does not fit is read again in each pass. With a shuffled order it is first converted to .nvkd,
unless it is .nvkd already. Each pass then goes over the blocks in random order, and over the rows of each block in random order.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from novikoff.data.addresses import is_address
from novikoff.data.features import Features, Named
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import NOT_PREPARED, Preparer, Stream, Wanted, always_prepared, preparer_for
from novikoff.data.readers import Dataset, Labelled, Options
from novikoff.data.readers.nvkd import blocks_of, convert
from novikoff.data.sources import ReadError, free_memory
from novikoff.engine.labelled_rows import Examples
from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import scratch
from novikoff.foundation.interrupts import interruptible
from novikoff.foundation.parallel import in_order
from novikoff.learning.learner import Learner
from novikoff.learning.origin import FarOrigin, far_origin
from novikoff.learning.run import Pass, Run
from novikoff.proof.certificate import Certificate
from novikoff.solve.run_proofs import of_run, of_stream, undecided

SHARE = 4  # data may take 1 / SHARE of the free memory
SHRINKS = 4  # parsing makes text smaller by less than this factor; converted data keeps its size


FitPieces = Callable[[Callable[[int], Iterator[tuple[Examples, Array]]]], Run]


class Training(NamedTuple):
    learner: Learner
    run: Run
    rows: int
    entries: int
    how: str  # how the passes were made, in words
    certificates: list[Certificate]
    numbered: bool  # whether the ledgers number rows in the order of the files
    held: Labelled | None = None  # the rows as files have them, if they were held in memory
    seen: Examples | None = None  # the same rows, prepared, as examples
    preparer: Preparer | None = None
    origin: FarOrigin | None = None  # where it is far away from the rows that the learner saw, as far as they were in memory


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
    wanted: Wanted = NOT_PREPARED,
    on_read: Callable[[Labelled], object] | None = None,
) -> Training:
    """Train the learner on the files, until a pass is clean or `passes` are made. None: until its weights have settled.

    If the rows fit into memory, `chosen` makes the learner for them, and that one is trained; `on_read` is called first.
    """
    fit = partial(learner.fit_pieces, max_passes=passes, on_pass=on_pass, on_slice=on_slice)
    pieces = _Pieces(learner, dataset, passes, int(fit_intercept), wanted, fit)
    if learner.order == "given" and passes == 1 and not learner.no_streams:
        return pieces.as_they_stand()
    with _pipes_copied(dataset):
        budget = memory if memory is not None else free_memory() // SHARE
        with interruptible():
            held = _held(dataset, budget, learner)
        if held is not None:
            if on_read is not None:
                on_read(held)
            look = partial(learner.space.look, y=held.y, constant=int(fit_intercept), weight=held.weight)
            preparer = _preparer_of(wanted, _features(dataset), iter([held]))
            seen = look(held.X if preparer is None else preparer.apply(held.X, _features(dataset)))
            _require_two_classes(seen.classes)
            if chosen is not None:
                learner = chosen(seen)
            run = learner.fit(seen, passes, on_pass=on_pass, on_slice=on_slice)
            how = "in memory" if learner.order == "given" else "shuffled in memory"
            if preparer is None:
                proofs = of_run(held.X, seen, learner, run)
            elif (why := _no_proof(preparer, learner, dataset)) is not None:
                proofs = undecided(learner, why)
            else:
                proofs = of_run(held.X, look(held.X), learner, run, partial(preparer.in_own_units, features=_features(dataset)))
            entries = int(seen.entries_per_row * len(seen))
            origin = far_origin(learner, seen)
            return Training(learner, run, len(seen), entries, how, proofs, True, held, seen, preparer, origin)
        if learner.order == "given":
            return pieces.as_they_stand()
        return pieces.by_blocks()


@contextmanager
def _pipes_copied(dataset: Dataset) -> Iterator[None]:
    """While this lasts, the dataset can be read as often as needed."""
    if not dataset.comes_once:
        yield
        return
    with scratch() as folder:
        with interruptible():
            dataset.copy_pipes(folder)
        try:
            yield
        finally:
            dataset.copies.clear()


def _no_proof(preparer: Preparer, learner: Learner, dataset: Dataset) -> str | None:
    """Why weights for prepared rows prove nothing about the rows of the files; None if they may."""
    if dataset.options.ignore:
        return "columns were left out, and `novikoff verify` reads all of them"
    if learner.kernel is not None:
        return "the kernel compares rows that were scaled"
    return preparer.no_proof(_features(dataset), learner.constant)


def _features(dataset: Dataset) -> Features:
    assert dataset.features is not None, "rows have been read"
    return dataset.features


def _preparer_of(wanted: Wanted, features: Features, blocks: Iterator[Labelled]) -> Preparer | None:
    """How these rows, which are all there are, are prepared."""
    if not wanted.prepare:
        return None
    found = Statistics()
    for block in blocks:
        found.add(block.X)
    return preparer_for(wanted, features, found)


def _held(dataset: Dataset, budget: int, learner: Learner) -> Labelled | None:
    """All rows, if they take at most `budget` bytes, or the learner needs all rows in memory."""
    must = bool(learner.no_streams)
    named = zip(dataset.paths, dataset.sizes(), strict=True)
    if sum(size / (1 if path.endswith(".nvkd") else SHRINKS) for path, size in named) > budget and not must:
        return None
    return dataset.read_at_most(None if must else budget)


def _require_two_classes(classes: Array) -> None:
    if len(classes) == 1:
        raise ReadError(f"all rows are of class {classes.tolist()[0]}; learning needs two classes or more")


def _give_back() -> None:
    """Return the memory of parsing to the system, if the C library is glibc. It would keep the memory in small pieces."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


class _Pieces:
    """Training on rows that are not held in memory."""

    def __init__(
        self, learner: Learner, dataset: Dataset, passes: int | None, constant: int, wanted: Wanted, fit: FitPieces
    ) -> None:
        self.learner, self.dataset, self.passes, self.constant = learner, dataset, passes, constant
        self.wanted, self.fit = wanted, fit
        self.preparer: Preparer | None = None
        self.stream = Stream(wanted)

    def look(self, block: Labelled) -> Examples:
        """The block as examples, prepared."""
        X = block.X if self.preparer is None else self.preparer.apply(block.X, _features(self.dataset))
        return self.learner.space.look(X, block.y, constant=self.constant, weight=block.weight, threads=1)

    def looked_at(self, blocks: Iterator[Labelled]) -> Iterator[Examples]:
        """The blocks as examples, made ahead on threads; with a kernel one by one, because the first block sets gamma."""
        return in_order(self.look, blocks) if self.learner.kernel is None else map(self.look, blocks)

    def found_first(self) -> Preparer | None:
        """The preparation, found in a pass of its own. One pass over numbers without names is not worth a second one."""
        if not self.wanted.prepare or (self.passes == 1 and not always_prepared(self.kind(), self.wanted)):
            return None
        found = self.dataset.settle()
        return preparer_for(self.wanted, _features(self.dataset), found)

    def kind(self) -> Features:
        """Features of the kind that the files have."""
        some = Dataset(self.dataset.paths, self.dataset.options)
        some.copies = self.dataset.copies
        for _ in some:
            break
        return _features(some)

    def followed(self, blocks: Iterator[Labelled]) -> Iterator[Labelled]:
        """The blocks of a stream, prepared by running statistics."""
        return (block._replace(X=self.stream.rows(block.X, _features(self.dataset))) for block in blocks)

    def as_they_stand(self) -> Training:
        """In the order of the files, which are read for each pass. A pipe is a stream: it is read once."""
        counted, streams = [0, 0], self.dataset.comes_once
        if not streams:
            self.preparer = self.found_first()

        def pieces(number: int) -> Iterator[tuple[Examples, Array]]:
            counted[:] = 0, 0
            blocks = (block for block in self.dataset if len(block.y))
            for seen in self.looked_at(self.followed(blocks) if streams else blocks):
                counted[0] += len(seen)
                counted[1] += int(seen.entries_per_row * len(seen))
                yield seen, seen.fed

        run = self.fit(pieces)
        _require_two_classes(self.learner.classes)
        again = (
            "" if len(run.passes) == 1 else "; the files are larger than the memory they may take, and were read for each pass"
        )
        how, proofs = f"as the rows stand{again}", of_stream(self.learner)
        preparer = self.stream.preparer if streams else self.preparer
        return Training(self.learner, run, counted[0], counted[1], how, proofs, True, preparer=preparer)

    def by_blocks(self) -> Training:
        """In blocks of a converted file, in random order unless it is given."""
        learner, dataset = self.learner, self.dataset
        with scratch() as folder:
            converted = dataset
            if not (len(dataset.paths) == 1 and dataset.paths[0].endswith(".nvkd") and not is_address(dataset.paths[0])):
                place = str(folder / "data.nvkd")
                with interruptible():
                    if isinstance(self.kind(), Named):
                        dataset.settle()  # what its columns hold, the whole table tells
                    convert(dataset, place)
                _give_back()
                converted = Dataset(place, Options(prepared=dataset.options.prepared), dataset.features)
            with blocks_of(converted) as blocks:
                _require_two_classes(blocks.labels())
                dataset.features = converted.features
                self.preparer = _preparer_of(self.wanted, _features(dataset), map(blocks.__getitem__, range(len(blocks))))

                def pieces(number: int) -> Iterator[tuple[Examples, Array]]:
                    rng = np.random.default_rng([learner.seed, number if learner.order == "each" else 0])
                    order = np.arange(len(blocks)) if learner.order == "given" else rng.permutation(len(blocks))
                    for seen in self.looked_at(blocks[k] for k in order):
                        rows = seen.fed.copy()
                        if learner.order != "given":
                            rng.shuffle(rows)
                        yield seen, rows

                run = self.fit(pieces)
            some = "1 block" if len(blocks) == 1 else f"{len(blocks):,} blocks"
            shuffled = "" if learner.order == "given" else f": {some} in random order, and the rows within each"
            how = f"from a converted file, because the data is larger than the memory it may take{shuffled}"
            proofs = of_stream(learner)
            return Training(learner, run, blocks.rows, blocks.entries, how, proofs, not shuffled, preparer=self.preparer)
