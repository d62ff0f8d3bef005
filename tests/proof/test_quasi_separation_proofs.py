"""Proofs of quasi-separation: forged ones are refused by `verify` and by the literal checker, and both always agree."""

import json
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from forged import changed_once, signed_again
from hostile_certificates import WILD
from novikoff import QuasiSeparable, quasi_separate, separate, verify
from novikoff.proof.certificate import CertificateError
from novikoff.proof.certificate_files import from_json
from novikoff.proof.claims import quasi_separation as claims
from novikoff.proof.literal_checker import Table, Wrong, check
from novikoff.proof.quasi_separation import Combination, NullSpace
from verdicts import rows_of


def asked(text, X, y):
    """What `verify` of dense and of sparse rows, and the literal checker say; None if the file cannot be read."""
    try:
        certificate = from_json(text)
    except CertificateError:
        return None
    said = [verify(certificate, rows, y).holds for rows in (X, sp.csr_array(X))]
    try:
        check(text, Table(X.shape[1], rows_of(X), y.tolist()))
    except Wrong:
        return [*said, False]
    return [*said, True]


# All kinds of coefficients: the first column separates some rows, the second the same ones, the third none; the fourth is twice
# the third. The intercept is last.
X = np.array([[0, 0, 1, 2], [0, 0, 2, 4], [0, 0, 1, 2], [0, 0, 3, 6], [1, 0, 1, 2], [2, -1, 0, 0], [1, 1, 2, 4]], float)
Y = np.array([0, 1, 1, 0, 1, 1, 1])
OTHERS = {
    "quasi": (X, Y, True),
    "no collinear columns": (X[:, :3], Y, True),
    "without an intercept": (X[:, :3], Y, False),
    "overlapping": (X[:4, 2:], Y[:4], True),
    "separable": (X[4:], np.array([0, 1, 1]), True),
    "and": (np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1]), True),
    "one class": (X[:, :2], np.ones(7, int), False),
}


@cache
def proof(name):
    rows, y, fit_intercept = OTHERS[name]
    return quasi_separate(rows, y, fit_intercept=fit_intercept)


def document(name="quasi"):
    return json.loads(proof(name).to_json())


def test_the_examples_have_every_verdict():
    assert proof("quasi").coefficients == ("+infinite", "undetermined", "unidentified", "unidentified", "finite")
    assert proof("no collinear columns").coefficients == ("+infinite", "undetermined", "finite", "finite")
    assert {type(proof(name)).__name__ for name in OTHERS} == {"QuasiSeparable", "Overlapping", "CompletelySeparable"}


@pytest.mark.parametrize("name", OTHERS)
def test_a_true_proof_is_accepted(name):
    rows, y, _ = OTHERS[name]
    assert asked(proof(name).to_json(), rows, y) == [True] * 3
    assert from_json(proof(name).to_json()) == proof(name)


@pytest.mark.parametrize("name", OTHERS)
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_whatever_is_accepted_says_the_same(name, seed):
    """Outcome, overlap and verdicts are unique (F31): a changed certificate is refused, or says nothing else."""
    rows, y, _ = OTHERS[name]
    rng = np.random.default_rng(seed)
    changed = document(name)
    for _ in range(rng.integers(1, 3)):
        changed = changed_once(changed, rng)
    if rng.random() < 0.1:
        changed["outcome"] = str(rng.choice(["completely separable", "quasi-separable", "overlapping"]))
    if rng.random() < 0.2:
        changed["coefficients"] = rng.permutation(changed["coefficients"]).tolist()
    for part in (changed["rows"], changed["multipliers"], changed["signs"], changed["directions"]):
        if part and rng.random() < 0.05:
            part.pop()
    said = asked(signed_again(changed), rows, y)
    assert said is None or len(set(said)) == 1
    if said is not None and said[0]:
        true = document(name)
        for field in ("outcome", "coefficients"):
            assert changed[field] == true[field]
        assert sorted(changed["rows"]) == sorted(true["rows"])


def without(field, k):
    return lambda told: told[field].pop(k)


def put(*path, value):
    def change(told):
        *way, last = path
        for step in way:
            told = told[step]
        told[last] = value

    return change


def with_rows(told):
    """All rows as the overlap, though some are on their own sides."""
    told["rows"], told["multipliers"], told["outcome"] = [*range(7)], ["1"] * 7, "overlapping"


def separated_only(told):
    told["rows"], told["multipliers"] = told["rows"][:-1], told["multipliers"][:-1]


def unproved(told):
    """A combination that is collinear, but is left out, so that its coefficients seem to be finite."""
    told["collinear"]["vectors"], told["collinear"]["columns"] = [], []
    told["coefficients"][2:4] = ["finite", "finite"]


def unproved_with_rows(told):
    unproved(told)
    told["collinear"]["rows"] = [0, 1, 4, 5, 6]


def all_finite(told):
    """Independent rows where there are fewer: the overlap's null space is not said to have the vectors that it has."""
    space = told["collinear_in_overlap"]
    space["vectors"], space["columns"], space["rows"] = [], [], [0, 1, 2, 3, 3]
    told["coefficients"][:2] = ["finite", "finite"]


def one_sided(told):
    """A sign for the coefficient that has none: the rows do not show it."""
    told["coefficients"][1] = "+infinite"
    told["signs"].append({"column": 1, "rows": [6], "multipliers": ["1"]})


def negative(told):
    """Row 6 − row 4, with rows of the overlap, is 1 at column 1 alone; but row 4 is on its own side."""
    told["coefficients"][1] = "+infinite"
    told["signs"].append({"column": 1, "rows": [6, 4, 1, 2], "multipliers": ["1", "-1", "-1", "1"]})


def one_row_more(told):
    """Row 6, which these weights have on the hyperplane, as one of the overlap, though only with a multiplier of 0."""
    told["rows"], told["multipliers"], told["weights"] = [*told["rows"], 6], [*told["multipliers"], "0"], [1.0, -1.0, 0.0, 0.0]
    vectors = [{"columns": [0, 1], "factors": ["1", "-1"]}, {"columns": [2, 3], "factors": ["-2", "1"]}]
    told["collinear_in_overlap"] = {"rows": [0, 1, 6], "columns": [1, 3], "vectors": vectors}


def moved_by_nothing(told):
    """A vector that is said to have a coordinate in which it is 0."""
    told["collinear"]["vectors"][0] = {"columns": [2, 3, 0], "factors": ["-2", "1", "0"]}
    told["coefficients"][0] = "unidentified"


def row_twice(told):
    told["signs"][0]["rows"].append(told["signs"][0]["rows"][0])
    told["signs"][0]["multipliers"].append("0")


FORGED = {
    "another verdict": put("coefficients", 0, value="-infinite"),
    "a finite coefficient called infinite": put("coefficients", 4, value="+infinite"),
    "an undetermined coefficient called finite": put("coefficients", 1, value="finite"),
    "a sign without a proof": without("signs", 0),
    "one direction too few": put("directions", value=[]),
    "a direction on the wrong side": put("directions", 0, value=[-1.0, 0.0, 0.0, 0.0, 0.0]),
    "a direction with more coordinates": put("directions", 0, value=[0.0] * 6),
    "weights that leave a row on the hyperplane": put("weights", value=[0.0] * 4),
    "all rows as the overlap": with_rows,
    "a row missing from the overlap": separated_only,
    "a row twice": put("rows", 1, value=0),
    "a multiplier of 0": put("multipliers", 0, value="0"),
    "a negative multiplier": put("multipliers", 0, value="-1"),
    "another outcome": put("outcome", value="completely separable"),
    "a vector left out": unproved,
    "a vector left out, and more rows": unproved_with_rows,
    "rows that are not independent": all_finite,
    "a row outside the overlap": put("collinear_in_overlap", "rows", 0, value=4),
    "a vector that is not orthogonal": put("collinear", "vectors", 0, "factors", 0, value="17"),
    "a vector with a factor of 0": moved_by_nothing,
    "a column twice": put("collinear", "vectors", 0, value={"columns": [2, 3, 2], "factors": ["5", "1", "-2"]}),
    "a column that does not exist": put("collinear", "columns", 0, value=9),
    "a vector without its own column": put("collinear", "columns", 0, value=0),
    "a sign that rows do not show": one_sided,
    "a negative multiplier beside the overlap": negative,
    "a proof with a row twice": row_twice,
    "one row more": one_row_more,
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_proof_is_refused(name):
    told = document()
    FORGED[name](told)
    said = asked(signed_again(told), X, Y)
    assert said == [False] * 3


def test_a_repeated_vector_does_not_make_room_for_more():
    told = document()
    space = told["collinear"]
    space["vectors"] *= 2
    space["columns"] = [3, 2]
    assert asked(signed_again(told), X, Y) == [False] * 3
    space["columns"] = [3, 3]
    assert asked(signed_again(told), X, Y) == [False] * 3


def test_an_intercept_where_there_is_none_is_refused():
    told = document("without an intercept")
    told["intercept"] = 1.0
    rows, y, _ = OTHERS["without an intercept"]
    assert asked(signed_again(told), rows, y) == [False] * 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "version 2 does not have"),
        ({"coefficients": ["large"] * 5}, "what can be said of a coefficient"),
        ({"coefficients": [1] * 5}, "not text"),
        ({"coefficients": ["finite"] * 4}, "4 verdicts for 5 coefficients"),
        ({"collinear": {"rows": [], "columns": [], "vectors": [{"columns": [5], "factors": ["1"]}]}}, "does not exist"),
        ({"collinear": {"rows": [], "columns": [], "vectors": [{"columns": [], "factors": []}]}}, "no columns"),
        ({"collinear": {"rows": [], "columns": [], "vectors": [{"columns": [1], "factors": []}]}}, "not a factor for each"),
        ({"collinear": []}, "does not have rows, columns, vectors"),
        ({"collinear": {"rows": [], "columns": [], "vectors": [3]}}, "does not have columns, factors"),
        ({"collinear": {"rows": [-1], "columns": [], "vectors": []}}, "whole and not negative"),
        ({"signs": [{"column": 1.5, "rows": [], "multipliers": []}]}, "a column, a whole number"),
        ({"signs": [{"column": 1, "rows": [0], "multipliers": [1]}]}, "rational number"),
        ({"directions": [1.0]}, "not a list"),
        ({"data": {"rows": 7, "columns": 4, "fingerprint": "0"}}, "its data is not of the kind"),
    ],
)
def test_a_file_with_other_parts_is_no_certificate(change, why):
    with pytest.raises(CertificateError, match=why):
        from_json(signed_again(document() | change))


def test_a_proof_of_other_data_is_refused():
    assert not verify(proof("quasi"), X + 1, Y)
    assert not verify(proof("quasi"), X, 1 - Y)
    separable = json.loads(separate(X[4:], [0, 1, 1], kernel="poly", degree=2, fit_intercept=True).to_json())
    through_a_kernel = document("separable") | {"data": separable["data"]}
    assert asked(signed_again(through_a_kernel), X[4:], np.array([0, 1, 1])) == [False] * 3


def wild(rng):
    """Rows from the ends of the doubles, some of them twice, or with the other label."""
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    numbers = rng.choice(
        [*WILD, 1.0, -1.0, 0.0, 2.0] if rng.random() < 0.5 else [1e308, -1e308, 5e-324, -5e-324, 0.0, 1.0], (n, d)
    )
    numbers[-1] = numbers[0] * rng.choice([1, 0.5, -1])
    return numbers, rng.integers(0, 2, n), bool(rng.integers(2))


def compared(seed):
    rng = np.random.default_rng([31, seed])
    rows, y, fit_intercept = wild(rng)
    found = quasi_separate(rows, y, fit_intercept=fit_intercept)
    assert asked(found.to_json(), rows, y) == [True] * 3, (seed, found)
    for _ in range(10):
        changed = changed_once(json.loads(found.to_json()), rng)
        said = asked(signed_again(changed), rows, y)
        assert said is None or len(set(said)) == 1, (seed, said)


def test_both_agree_on_numbers_from_the_ends_of_the_doubles():
    for seed in range(40):
        compared(seed)


@pytest.mark.full
@pytest.mark.parametrize("part", range(10))
def test_both_agree_on_many_more(part):
    for seed in range(1000 + 200 * part, 1200 + 200 * part):
        compared(seed)


def test_a_determinant_that_a_prime_divides_is_computed():
    """Modulo 2³¹ − 1 both are singular; only the second is."""
    p = claims.PRIME
    assert claims._is_regular([[p, 1], [0, 1]])
    assert not claims._is_regular([[p, 2 * p], [1, 2]])
    assert claims._is_regular([])
    rng = np.random.default_rng(0)
    for size in range(1, 8):
        matrix = rng.integers(-3, 4, (size, size))
        expected = round(np.linalg.det(matrix))
        assert abs(claims._determinant(matrix.tolist())) == abs(expected)
        assert claims._is_regular(matrix.tolist()) == (expected != 0)


def test_it_says_which_columns():
    assert isinstance(proof("quasi"), QuasiSeparable)
    assert str(proof("quasi")).split("\n")[2:] == [
        "Collinear: 2·column 2 - column 3 = 0.",
        "+infinite: column 0.",
        "Undetermined: column 1.",
        "Finite: the intercept.",
        "Unidentified: column 2, column 3.",
    ]
    long = Combination(tuple(range(12)), tuple(map(type(proof("quasi").multipliers[0]), [-1, 2, *range(10**9, 10**9 + 10)])))
    assert long.sentence([f"x{j}" for j in range(12)]).startswith("x0 - 2·x1 - 1e+09·x2 - ")
    assert NullSpace((), (0,), (long,)).moves == set(range(12))
