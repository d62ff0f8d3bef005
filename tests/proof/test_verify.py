"""The stranger refuses other data, whatever is different about it, and never raises for it."""

import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import separate, solve_system, verify
from novikoff.proof.certificate import Data, Hull, Hulls, Inseparable, Margin, Mixing, Separable, Undecided, weights_array
from novikoff.proof.certificate_files import from_json
from novikoff.proof.exact import Signed, weights
from novikoff.proof.fingerprint import fingerprint
from novikoff.proof.rationals import root_above, root_below
from oracles import mixed, separable_data, textbook
from verdicts import KINDS, holds, known

SEEDS = [KINDS.index(kind) for kind in ("wide", "thin", "conflict", "contradiction", "deficient", "lattice")]


@pytest.fixture(scope="module", params=SEEDS, ids=[KINDS[s] for s in SEEDS])
def proved(request):
    X, y, fit_intercept, *_ = known(request.param)
    return separate(X, y, fit_intercept=fit_intercept), X, y


def data_of(X, y, fit_intercept=True):
    return Data(*X.shape, fit_intercept, None, 1, str(fingerprint(X, np.asarray(y) == 1)))


def changed(X, i, j, value):
    X = X.copy()
    X[i, j] = value
    return X


def test_other_data_is_refused(proved):
    certificate, X, y = proved
    assert verify(certificate, X, y)
    i, j = len(X) // 2, X.shape[1] // 2
    others = {
        "digit": (changed(X, i, j, np.nextafter(X[i, j], np.inf)), y),
        "sign": (changed(X, i, j, -X[i, j] if X[i, j] else 1.0), y),
        "label": (X, np.where(np.arange(len(y)) == i, -y, y)),
        "row gone": (X[:-1], y[:-1]),
        "row more": (np.vstack([X, X[:1]]), np.append(y, y[0])),
        "column more": (np.hstack([X, X[:, :1]]), y),
        "order": (X[::-1].copy(), y[::-1].copy()),
        "nan": (changed(X, i, j, np.nan), y),
        "infinity": (changed(X, i, j, -np.inf), y),
        "labels too few": (X, y[:-1]),
        "labels of another kind": (X, np.array(["a", "b"])[(y > 0).astype(int)]),
        "one-dimensional": (X.ravel(), y),
        "labels in a column": (X, y[:, None]),
        "text": (X.astype(str), y),
        "complex": (X + 0j, y),
        "objects": (changed(X, i, j, X[i, j]).astype(object) + np.array(0.5, object), y),
    }
    for name, (A, b) in others.items():
        if name == "order" and (len({*y.tolist()}) == 1 or (A == X).all()):
            continue
        verdict = verify(certificate, A, b)
        assert not verdict, name
        assert verdict.why, name


def test_storage_does_not_matter(proved):
    certificate, X, y = proved
    wide = np.zeros((2 * len(X), X.shape[1]))
    wide[::2] = X
    stored_zero = sp.csr_array(np.ones_like(X))
    stored_zero.data[:] = X.ravel()
    for same in (
        sp.csr_array(X),
        sp.csc_matrix(X),
        sp.coo_array(X),
        stored_zero,
        np.asfortranarray(X),
        wide[::2],
        X.tolist(),
        X + 0.0,
    ):
        assert verify(certificate, same, y.tolist())
    narrow = X.astype(np.float32)
    if (narrow == X).all():
        assert verify(certificate, narrow, y)


def test_a_certificate_without_a_fingerprint_is_of_no_data():
    nothing = Undecided(Data(1, 1, True, -1, 1, ""), "why", np.inf, Hull())
    assert "does not say which data" in verify(nothing, [[1.0]], [1]).why


def test_something_else_is_not_a_certificate():
    with pytest.raises(TypeError, match="certificate"):
        verify({"outcome": "separable"}, [[1.0]], [1])


def test_each_thing_that_can_be_wrong_is_named():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]), [-1, -1, 1]
    good = separate(X, y)
    data, (low, high) = good.data, good.margin

    def why(**change):
        return verify(replace(good, **change), X, y).why

    assert not why()
    assert "weights for" in why(weights=np.ones(3))
    assert "not on its own side" in why(weights=-good.weights)
    assert "not a finite number" in why(weights=good.weights * np.inf)
    assert "is nearer" in why(margin=Margin(high * 1.01, high))
    assert "the lower end of the margin is -" in why(margin=Margin(-low, high))
    assert "no margin is above" in why(margin=Margin(low, low / 2))
    assert "upper end" in why(margin=Margin(low, -high))
    assert "rows and" in why(hull=Hull((0, 1), (1.0,)))
    assert "named twice" in why(hull=Hull((0, 0), (1.0, 1.0)))
    assert "does not exist" in why(hull=Hull((3,), (1.0,)))
    assert "negative" in why(hull=Hull((0,), (-1.0,)))
    assert "negative, or not a number" in why(hull=Hull((0,), (np.nan,)))
    assert "all multipliers are zero" in why(hull=Hull((0,), (0.0,)))
    assert "do not cancel out" in verify(Inseparable(data, (0, 1), (1, 1)), X, y).why
    through_0 = separate(X[1:], y[1:], fit_intercept=False)
    assert "there is an intercept" in verify(replace(through_0, intercept=1.0), X[1:], y[1:]).why


def test_a_proof_names_rows_that_are_there_and_neither_none_nor_too_many():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, 1, -1]

    def why(rows, multipliers):
        return verify(Inseparable(data_of(X, y), rows, multipliers), X, y).why

    assert not why((0, 1, 2), (1, 2, 1))
    assert "all multipliers are zero" in why((), ())
    assert "row -2 does not exist" in why((0, 1, -2), (1, 2, 1))
    assert "more than are ever needed" in why((0, 1, 2, 3), (1, 3, 3, 1))


def test_a_label_of_neither_side_is_named():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1, 1, 1])
    assert "label of row 0 is 7" in verify(separate(X, y), X, [7, 1, 1]).why
    assert "label of row 1 is 7" in verify(separate(X, -y), X, [1, 7, -1]).why


def test_an_upper_end_one_step_too_low_is_refused():
    X, y, hull = np.array([[0.1, 0.7], [0.3, -0.2], [0.9, 0.4]]), [1, 1, 1], Hull((0, 1, 2), (0.3, 0.5, 0.1))
    square = Signed(X, np.ones(3), True).sqnorm_of(hull)
    assert verify(Undecided(data_of(X, y), "why", root_above(square), hull), X, y)
    assert "no margin is above" in verify(Undecided(data_of(X, y), "why", root_below(square), hull), X, y).why


def test_verify_needs_no_learner():
    code = (
        "import sys, numpy as np; from novikoff import verify; from novikoff.proof.certificate import *; "
        "c = Undecided(Data(1, 1, True, -1, 1, 'x'), 'w', 1.0, Hull()); assert not verify(c, np.ones((1, 1)), [1]); "
        "loaded = {m.split('.')[0] for m in sys.modules} | {m for m in sys.modules if m.startswith('novikoff')}; "
        "assert not loaded & {'numba', 'sklearn', 'flint', 'novikoff.learning', 'novikoff.engine', "
        "'novikoff.compiler'}, loaded"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def made(X, y, weights, intercept=0.0, low=0.0, fit_intercept=False):
    return Separable(data_of(X, y, fit_intercept), weights, intercept, Margin(low, np.inf), Hull())


def test_weights_too_small_for_doubles_are_not_rounded_to_nothing():
    X, y = np.zeros((70, 2)), np.ones(70, int)
    X[:, 1] = 1
    X[0] = [2.0**1023, 2]
    w = np.array([Fraction(-1, 2**1080), Fraction(1, 2**100)], object)
    assert "row 0 is not on its own side" in verify(made(X, y, w), X, y).why


def test_a_large_intercept_counts_where_nothing_is_said_to_round():
    X, y = np.zeros((100, 2)), np.ones(100, int)
    X[1:, 0] = 2.0**-20
    X[50, 0] = 2.0**-19
    b, w2, low = 17468414202, 13155943633, 0.7987992334772526
    assert Fraction(low) ** 2 > (b - Fraction(2) ** -19) ** 2 / (1 + w2**2 + b * b)
    assert "row 50 is nearer" in verify(made(X, y, np.array([-1.0, w2]), float(b), low, True), X, y).why


def test_weights_beyond_doubles_are_checked_all_the_same():
    X, y = np.array([[1.0], [2.0]]), np.array([1, 1])
    assert verify(made(X, y, np.array([Fraction(10**400)], object)), X, y)
    assert not verify(made(X, y, np.array([Fraction(-(10**400))], object)), X, y)


def test_fields_of_odd_kinds_are_refused_with_a_sentence():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]]), [-1, -1, 1]
    good = separate(X, y)
    odd = [
        {"weights": [1.0]},
        {"intercept": None},
        {"hull": None},
        {"data": None},
        {"margin": None},
        {"margin": Margin("a", "b")},
    ]
    odd += [{"hull": Hull((0.5,), (1.0,))}, {"hull": Hull((0,), ("x",))}, {"data": good.data._replace(rows="3")}]
    for change in odd:
        verdict = verify(replace(good, **change), X, y)
        assert not verdict, change
        assert verdict.why, change


# ---- learned on shards ----------------------------------------------------------------------------------------------

CORNERS, AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])
LENGTH = root_above(Fraction(3))  # of (1, 1, 1), as near as doubles come from above


def both(certificate, X, y):
    """What the stranger says of the file, which is that of another one who shares nothing with it."""
    again = from_json(certificate.to_json())
    verdict = verify(again, X, y)
    assert bool(verdict) == holds(certificate, X, y)
    assert verdict == verify(certificate, X, y) == verify(again, sp.csr_array(X), y)
    return verdict


def test_each_thing_that_can_be_wrong_with_what_is_said_of_shards_is_named():
    separable = separate(CORNERS, AND)
    undecided = Undecided(separable.data, "why", separable.margin.high, separable.hull)
    w = weights([*separable.weights.tolist(), separable.intercept])
    signed = Signed(np.array(CORNERS, float), np.where(np.array(AND) == separable.data.yes, 1.0, -1.0), True)
    allowed = Fraction(LENGTH) ** 2 * w.sqnorm / signed.least(w)[1] ** 2  # F20 is about the margin in the extended space
    most = math.nextafter(float(allowed), 0)
    good = Mixing(2, 99, True, most, LENGTH, 1.0)
    for certificate in (separable, undecided):

        def why(certificate=certificate, **change):
            return both(replace(certificate, mixing=good._replace(**change)), CORNERS, AND).why

        assert not why()
        assert not why(factor=None)
        assert not why(shards=1, passes=2, mistakes=4.0, radius=1e300, factor=1e300)
        assert not why(shards=4, passes=2, mistakes=0.25)
        assert "at most 4" in why(shards=1, passes=2, mistakes=math.nextafter(4.0, 5))
        assert "at most 1" in why(shards=4, passes=2, mistakes=math.nextafter(1.0, 2))
        assert "at most 0" in why(shards=1, passes=1, mistakes=5.0)
        assert "5 shards" in why(shards=5)
        assert "10^300 shards" in why(shards=10**300)
        assert "9223372036854775808 passes" in why(passes=2**63)
        assert ("at least one update" in why(shards=4, mistakes=math.nextafter(0.25, 0))) == (certificate is separable)
        assert "0 shards" in why(shards=0)
        assert "-1 passes" in why(passes=-1)
        assert "from 0 on" in why(mistakes=-0.5)
        assert "at least 1" in why(factor=0.5)
        assert "longer than the radius" in why(radius=math.nextafter(LENGTH, 0))
        assert "longer than the radius" in why(radius=0.0)
        assert "longer than the radius" in why(radius=-LENGTH)
        proved = certificate is separable
        assert ("not clean" in why(clean=False)) == proved
        assert ("more than F20 allows" in why(mistakes=math.nextafter(float(allowed), math.inf))) == proved
        assert not why(mistakes=2 * most, factor=2.0)
        assert ("at least one update" in why(shards=4, mistakes=0.2, clean=False)) != proved
        assert not why(mistakes=2 * most, factor=None)
        for odd in ({"mistakes": math.nan}, {"mistakes": math.inf}, {"radius": math.nan}, {"radius": math.inf}, {"shards": 1.5},
                    {"factor": math.nan}, {"factor": math.inf}, {"passes": "1"}):  # fmt: skip
            verdict = verify(replace(certificate, mixing=good._replace(**odd)), CORNERS, AND)
            assert not verdict, odd
            assert verdict.why, odd
    no_margin = replace(separable, margin=Margin(0.0, np.inf), hull=Hull(), mixing=good._replace(mistakes=294.0))
    assert both(no_margin, CORNERS, AND)
    assert "more than F20 allows" in both(replace(no_margin, hull=Hulls()), CORNERS, AND).why


def test_what_is_said_of_shards_is_looked_at_last():
    wrong = Mixing(0, 0, False, -1.0, 0.0, 0.0)
    certificate = replace(separate(CORNERS, AND), mixing=wrong)
    assert "shards" in verify(certificate, CORNERS, AND).why
    assert "not on its own side" in verify(replace(certificate, weights=-certificate.weights), CORNERS, AND).why
    assert "no margin is above" in verify(replace(certificate, margin=Margin(0.0, 0.1)), CORNERS, AND).why


def rounded_down(number):
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, -math.inf)


def told_of(X, y, shards, passes, bias):
    """The certificate of a run on shards, in fractions throughout."""
    w, made, clean, updates = mixed(X.tolist(), y.tolist(), shards, passes, bias)
    z = Signed(X, y.astype(float), bias)
    mixing = Mixing(len(shards), made, clean, rounded_down(updates), root_above(max(map(z.sqnorm, range(len(X))))), 1.0)
    data = data_of(X, y, bias)
    if not clean:
        return Undecided(data, "no pass was clean", np.inf, Hull(), mixing)
    own = weights(w if bias else w[:-1])
    low = root_below(z.least(own)[1] ** 2 / own.sqnorm)
    return Separable(data, weights_array(w[:-1]), w[-1] if bias else 0.0, Margin(low, np.inf), Hull(), mixing=mixing)


@given(st.booleans(), st.data(), st.integers(1, 4), st.sampled_from([3, 400]))
def test_f20_whatever_the_shards_a_run_keeps_to_the_bound(bias, data, count, passes):
    X, y, u = data.draw(separable_data(bias))
    shards = [shard for shard in (list(range(first, len(X), count)) for first in range(count)) if shard]
    certificate = told_of(X, y, shards, passes, bias)
    assert both(certificate, X, y)
    z = y[:, None] * np.column_stack([X, np.full(len(X), float(bias))])  # dyadic, as is u: nothing rounds
    square, least = Fraction((z**2).sum(axis=1).max()), Fraction((z @ u).min())
    assert Fraction(certificate.mixing.mistakes) * least**2 <= square * Fraction(u @ u)
    assert certificate.mixing.clean or certificate.mixing.passes == passes


def test_f20_mixed_once_at_the_end_separators_of_shards_need_not_separate():
    X, y = np.array([[1.0, -1.0], [0.0, 3.0]]), np.array([1, 1])
    of_shards = [textbook(X[[i]].tolist(), [1], 9, bias=False)[0][:2] for i in (0, 1)]
    once = [sum(part) / 2 for part in zip(*of_shards, strict=True)]
    assert once == [Fraction(1, 2), 1]
    assert "row 0 is not on its own side" in verify(made(X, y, weights_array(once)), X, y).why
    after_each = told_of(X, y, [[0], [1]], 9, False)
    assert isinstance(after_each, Separable)
    assert after_each.mixing == Mixing(2, 3, True, 1.5, 3.0, 1.0)
    assert both(after_each, X, y)


SYSTEM = {"lower": [2.0, -1.0], "upper": [2.0, np.inf], "bounds": [(0, None), (None, 1)]}
ROWS = np.array([[1.0, 1.0], [1.0, -1.0]])


def test_each_thing_that_can_be_wrong_with_a_point_is_named():
    good = solve_system(ROWS, **SYSTEM)

    def why(*point):
        return verify(replace(good, w=np.array(point)), ROWS, **SYSTEM).why

    assert not why(*good.w.tolist())
    assert not why(1.0, 1.0)
    assert "row 0 is not satisfied" in why(np.nextafter(1.0, 2), 1.0)
    assert "coordinate 0 is not within" in why(-0.5, 2.5)
    assert "coordinate 1 is not within" in why(0.5, 1.5)
    assert "not a finite number" in why(np.nan, 1.0)
    assert "coordinates" in why(1.0)
    assert "no labels" in verify(good, ROWS, [1, 1]).why
    assert "labels as well" in verify(separate(ROWS, [1, -1]), ROWS).why


def test_each_thing_that_can_be_wrong_with_a_contradiction_is_named():
    system = SYSTEM | {"bounds": [(None, 0.5), (None, 1)]}
    good = solve_system(ROWS, **system)

    def why(**change):
        return verify(replace(good, **change), ROWS, **system).why

    assert not why()
    assert (good.rows, good.columns, good.multipliers, good.column_multipliers) == ((0,), (0, 1), (1,), (-1, -1))
    assert "not a fraction" in why(multipliers=(0,))
    assert "not a fraction" in why(multipliers=(1.0,))
    assert "rows and" in why(multipliers=())
    assert "row 2 does not exist" in why(rows=(2,))
    assert "coordinate -1 does not exist" in why(columns=(0, -1))
    assert "left of coordinate" in why(multipliers=(Fraction(2),))
    assert "no lower end" in why(column_multipliers=(Fraction(1), Fraction(-1)))
    assert "do not contradict" in why(rows=(), multipliers=(), columns=(), column_multipliers=())


def test_another_system_is_refused():
    good = solve_system(ROWS, **SYSTEM)
    assert verify(good, sp.csr_array(ROWS), **SYSTEM)
    others = [
        {"lower": [2.0, -2.0]},
        {"upper": [2.0, 9.0]},
        {"bounds": None},
        {"bounds": [(0, None), (None, 2)]},
        {"lower": [2.0]},
    ]
    for other in others:
        assert not verify(good, ROWS, **(SYSTEM | other)), other
    assert "another system" in verify(good, ROWS[::-1], **SYSTEM).why
    assert "rows and" in verify(good, ROWS[:1], **(SYSTEM | {"lower": 2, "upper": 2})).why


def test_masked_labels_are_refused():
    certificate = separate([[0.0], [1.0]], [0, 1])
    verdict = verify(certificate, [[0.0], [1.0]], np.ma.array([0, 1], mask=[False, True]))
    assert "y must not be a masked array" in verdict.why


def test_two_points_are_evidence_only_with_an_intercept():
    X, y = np.array([[-1.0, 0.5], [2.0, 1.0]]), [0, 1]
    certificate = separate(X, y, fit_intercept=False)
    two = Hulls(Hull((0,), (1.0,)), Hull((1,), (1.0,)))
    assert "only if there is an intercept" in verify(replace(certificate, hull=two), X, y).why
    assert "only if there is an intercept" in verify(replace(certificate, hull=Hulls(), margin=Margin(0.0, np.inf)), X, y).why


@pytest.mark.parametrize(
    ("limits", "stopped_by"),
    [
        ({"lower": -math.inf, "upper": 5, "bounds": (0, None)}, "row 0"),
        ({"lower": -5, "upper": None, "bounds": (None, 3)}, "coordinate 0"),
        ({"lower": 0, "upper": None, "bounds": (None, None), "sign": -1}, "row 0"),
        ({"lower": None, "upper": None, "bounds": (0, None), "sign": -1}, "coordinate 0"),
    ],
)
def test_a_ray_that_leaves_the_limits_is_refused(limits, stopped_by):
    """A true proof of another system whose objective has no end, said to be about this one, which has one."""
    sign = limits.pop("sign", 1)
    free = {"lower": -math.inf, "upper": None, "bounds": (None, None), "maximize": [sign, 0]}
    X = [[1.0, 0.0]]
    there = solve_system(X, **free)
    assert there.outcome == "unbounded"
    assert verify(there, X, **free)
    own = solve_system(X, **limits, maximize=[sign, 0])
    assert own.outcome == "optimal"
    forged = replace(there, data=own.data, w=weights_array([1.0 * (sign > 0), 0.0]), ray=weights_array([float(sign), 0.0]))
    verdict = verify(forged, X, **limits, maximize=[sign, 0])
    assert verdict.why == f"the ray leaves the limits of {stopped_by}"
