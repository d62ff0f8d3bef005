"""The uses of loops that are in the library: each loop, with arguments of the types that it meets in this package.

Arguments are written as types: f8 is an array of float64, f8:2 one with two dimensions, f8|2 the same, but strided; int and float
are numbers, and u8. is a scalar of NumPy. Rules, confidences, readouts and watches are families (`engine/sweep.py`): any member
stands for all.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from novikoff.ahead.machine_code import Use
from novikoff.compiler.library import last_entry
from novikoff.compiler.words import BY_ROWS, STRIDED, families
from novikoff.data import csv_loop, hashing, murmur, svmlight_loop
from novikoff.data import preparation_loops as preparing
from novikoff.data.feature_bags import Bag, Met, hash_names, note_names
from novikoff.data.preparer import FOLLOW
from novikoff.data.readers import text, vw
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.exponential import exp_of_distances
from novikoff.engine.labelled_rows import Sheet, hash_rows, measure, score_rows, score_rows_for_classes
from novikoff.engine.prefetching import walk_ahead
from novikoff.engine.readouts.last import Last
from novikoff.engine.readouts.pocket import look_at_kept, look_at_last
from novikoff.engine.readouts.voted import cast_direct_votes, cast_votes
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.skipping import Everything, Watch
from novikoff.engine.storages.csr import Csr
from novikoff.engine.storages.dense import Dense
from novikoff.engine.storages.kernel_rows import KernelRows
from novikoff.engine.storages.kesler import Kesler
from novikoff.engine.sweep import Page, Team, settled, sweep
from novikoff.engine.weights.forgetron import Forgetting, Forgotten
from novikoff.estimators.online_learner import Desk, answer, look, ordinary
from novikoff.solve.modified_perceptron import insist
from novikoff.solve.rescaling import fall_back, turn_away

SHEET = "i4 f8 f8"
STRIDED_W = "f8|2"
COUNTS = "i4 f8:2 i8 i8 i8 i8 f8 f8 f8 f8"
PAGE = "i8 f8 i4 i8 i8 f8 f8"
BAG = "u1 i4 i4 f8 i4 u4 i4 i4 i4 i4 u4 u8 u8 f8 i4 i8"
KINDS = "i4 i4 i4 u8 i4 i8"
SEED = "u8."


@cache
def all_uses() -> tuple[Use, ...]:
    return (Use(last_entry, of("i8|2")), *_of_rows(), *_of_kernel_rows(), *_of_data(), *_of_online_learning(), *_of_others())


def of(types: str) -> list[Any]:
    """Values of these types."""
    return [_value(each) for each in types.split()]


def _value(each: str) -> Any:
    if each in ("int", "float"):
        return 0 if each == "int" else 0.0
    if each == "None":
        return None
    if each.endswith("."):
        return np.dtype(each[:-1]).type(0)
    if "|" in each:
        kind, dimensions = each.split("|")
        return np.empty((4,) * int(dimensions), kind)[..., ::2]
    kind, _, dimensions = each.partition(":")
    return np.empty((2,) * int(dimensions or 1), kind)


def _storages() -> Iterator[Any]:
    for number, lies in product(("f8", "f4"), (":", "|")):
        yield Dense(*of(f"{number}{lies}2 float"))
    for number, index in product(("f8", "f4"), ("u4", "u8")):
        yield Csr(*of(f"{number} {index} {index} float"))


def _team(w: str = "f8:2") -> Team:
    return Team(*of(f"{w} {COUNTS}"))


def _sweep(sheet: Sheet, *states: Any, order: str = "u4", w: str = "f8:2", **how: Any) -> Use:
    team = _team(w)
    return Use(sweep, [Rosenblatt(), Plain(), *states, sheet, *of(order), *of("u4"), team, Page(*of(PAGE)), *of("f8:2")], **how)


def _sweeps(rows: Any, w: str = "f8:2", **how: Any) -> Iterator[Use]:
    """Over these rows, and over the same to see whether a pass would change nothing."""
    sheet = Sheet(rows, *of(SHEET))
    yield _sweep(sheet, Last(), Everything(), w=w, **how)
    yield Use(settled, [Rosenblatt(), sheet, *of("u4"), 0, _team(w), Page(*of(PAGE))])


def _of_rows() -> Iterator[Use]:
    for rows in _storages():
        yield Use(measure, [rows, *of("int int int f8")])
        yield Use(hash_rows, [rows, *of("int int None u8")])
        yield Use(score_rows_for_classes, [rows, *of("int int f8 f8|2")])
        for w in ("f8:2", "f8|2"):
            yield Use(score_rows, [rows, *of(f"int int {w} f8|2")])
        sheet, kesler = Sheet(rows, *of(SHEET)), Kesler(rows, *of("i4 i4 i4 f8"))
        yield from _sweeps(rows)
        yield from _sweeps(kesler, never=(Watch,))
        yield from _looks(rows)
        yield from _looks(kesler)
        if isinstance(rows, Csr):  # of many vectors, the weights of a column lie together
            yield from _sweeps(rows, STRIDED_W, lies=STRIDED, never=(Watch,))
            yield from _looks(rows, STRIDED_W)
        yield Use(walk_ahead, [sheet, *of("u4 i8")])
        yield Use(insist, [sheet, *of("int u4 f8 f8 float int")])


def _looks(rows: Any, w: str = "f8:2") -> Iterator[Use]:
    """Into the pocket."""
    for loop in (look_at_kept, look_at_last):
        yield Use(loop, [*of(f"{w} i8"), Sheet(rows, *of(SHEET)), _team(w)])


def _of_kernel_rows() -> Iterator[Use]:
    """Without a confidence, which is about weights of columns."""
    confidences = next(family for family in families() if family.name == "confidence").numbers
    never = (Watch, *(kind for kind in confidences if kind is not Plain))
    rows = KernelRows(*of("f8 f8:2 i8 i8 float"))
    yield from _sweeps(rows, never=never)
    yield from _looks(rows)
    forgetting = Forgotten(*of("f8 f8")), Forgetting(*of("int float i8 i8 f8 f8"))
    yield _sweep(Sheet(rows, *of(SHEET)), *forgetting, order="i8", never=never)


def _of_data() -> Iterator[Use]:
    bag, kinds = Bag(*of(BAG)), csv_loop.Kinds(*of(KINDS))
    for index in ("i4", "i8"):
        entries = svmlight_loop.Found(*of(f"i4 {index} f8 i4 i4 u8 i4 i4 i4 i4 i8"))
        yield Use(svmlight_loop.parse_lines, [*of("u1 int int int int"), entries])
    found = csv_loop.Found(*of("f8:2 i4:2 i4 i4 i4 i4 i4 i4:2 i8"))
    yield Use(csv_loop.parse_table, [*of("u1 int"), csv_loop.Layout(*of("int i1 i4 f8")), *of(SEED), found, kinds])
    yield Use(csv_loop.meet_kinds, [*of("u1"), kinds, *of(SEED), kinds, *of("u1 i8")])
    yield Use(csv_loop.place_again, [kinds, *of(SEED)])
    yield Use(csv_loop.join_rows, of("f8|2 i8 i4 i4 i4|2 i4 int int i8 i4 f8"))
    yield Use(vw.parse_lines, [*of("int int int int"), vw.Given(*of("i4 f8")), vw.Found(*of("i4 i4 u8 f8 i4 i4 i8:2 i8")), bag])
    yield Use(text.find_labels, [*of("u1 int i8 int"), text.Lines(*of("i1 i4 i4 u8 i4 i8"))])
    yield Use(hashing.hash_lines, [*of("i8 i1"), hashing.Way(), *of("int int i4:2"), bag])
    yield Use(hashing.make_small, of("u1 i4"))
    yield Use(murmur.hash_bytes, of("u1 int u8."))
    yield Use(hash_names, of("u1 i8 i8 int i8 u4"))
    yield Use(note_names, [Met(*of("u1 i4 u4 i4 i4 i4 i4")), *of("u4 u4 u1 ? u1 int")])
    columns = preparing.Columns(*of("i8 i8 f8 f8 f8"))
    yield Use(preparing.add_rows, [*of("f8:2"), columns])
    for number, lies in product(("f8", "f4"), (":", "|")):
        yield Use(preparing.apply_rows, of(f"{number}{lies}2 f8 f8 f8:2"))
    for index in ("i4", "i8"):
        yield Use(preparing.add_entries, [*of(f"f8 {index}"), columns])
        yield Use(preparing.apply_entries, of(f"f8 {index} f8 f8 f8"))
        for loop in dict.fromkeys(FOLLOW.values()):
            yield Use(loop, [*of(f"f8 {index} {index} ? int"), columns, *of("f8")])


def _of_online_learning() -> Iterator[Use]:
    desk = Desk(*of("u4 f8 u4 f8 i8 u4 f8 float f8 u4 f8"))
    yield Use(look, [desk, 0])
    for w, lies in (("f8:2", BY_ROWS), (STRIDED_W, STRIDED)):
        yield Use(answer, [desk, 0, Last(), _team(w)], lies)
        yield Use(ordinary, [desk, _team(w)])


def _of_others() -> Iterator[Use]:
    yield Use(exp_of_distances, of("f8:2 f8 f8 float"))
    yield Use(cast_votes, of("f8:2 i8 f8 f8 f8 f8"))
    yield Use(cast_direct_votes, of("f8:2 i8 i4 i4 f8 i8 f8:2 f8:2"))
    yield Use(fall_back, of("f8:2 f8 f8 int"))
    yield Use(turn_away, of("f8:2 f8 f8 f8 float int"))
