"""False proofs are refused and true ones accepted by `verify`, of dense and of sparse rows, and by the literal checker alike."""

import json
import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from cli.calling import run
from hostile_certificates import LEAST, Case, readable, signed
from novikoff import KernelPerceptron, Undecided, separate, verify
from novikoff.engine import kernels
from novikoff.engine.kernels import OfProducts
from novikoff.proof import literal_checker as literal
from novikoff.proof.certificate import CertificateError, Data, Separable
from novikoff.proof.certificate_files import from_json
from novikoff.proof.exact_kernels import KernelValues
from novikoff.proof.fingerprint import fingerprint, of_system
from novikoff.proof.literal_checker import Constraints, Table, Wrong, check
from novikoff.proof.named_kernels import Kernel
from novikoff.proof.rational_matrix import Ends, RationalMatrix
from novikoff.proof.rationals import root_above, root_below
from verdicts import rows_of


def asked(text, X, y=None, ends=None, objective=None):
    """What each of the three says: True, or what is wrong. None if nobody can read the certificate."""
    certificate = readable(text)
    if certificate is None:
        return None
    if ends is None:
        data, more = Table(X.shape[1], rows_of(X), list(y)), {"y": np.array(y, None if len({*map(type, y)}) == 1 else object)}
    else:
        lists = [list(end) for end in ends]
        more = {"lower": lists[0], "upper": lists[1], "bounds": list(zip(*lists[2:], strict=True))}
        more |= {} if objective is None else {objective[0]: objective[1]}
        data = Constraints(X.shape[1], rows_of(X), *lists, [] if objective is None else objective[1])
    sparse = RationalMatrix.of_entries(rows_of(X), X.shape[1]) if X.dtype == object else sp.csr_array(X)
    said = [verify(certificate, stored, **more) for stored in (X, sparse)]
    try:
        literal.require(getattr(certificate, "sense", None) in (None, objective and objective[0]), "the objective is another")
        check(text, data)
        literally = True
    except Wrong as wrong:
        literally = str(wrong)
    return [*(verdict.holds or verdict.why for verdict in said), literally]


def compared(seeds):
    """How many hostile certificates hold, do not hold and cannot be read. All agree, or the test fails."""
    counts = {True: 0, False: 0, None: 0}
    for seed in seeds:
        case = Case(seed)
        said = asked(case.text, case.X, case.y, case.ends, case.objective)
        held = {answer is True for answer in said or ()}
        assert len(held) <= 1, (seed, said, case.text)
        counts[held.pop() if held else None] += 1
    return counts


def test_all_agree_on_hostile_certificates():
    counts = compared(range(5000))
    assert counts[True] > 1000
    assert counts[False] > 2000
    assert counts[None] < 250


@pytest.mark.full
@pytest.mark.parametrize("part", range(40))
def test_all_agree_on_many_more(part):
    compared(range(10_000 + 5000 * part, 15_000 + 5000 * part))


def about(X, code, fit_intercept, **labels):
    X = np.asarray(X, float)
    return {"rows": X.shape[0], "columns": X.shape[1], "fit_intercept": fit_intercept, **labels,
            "fingerprint": str(fingerprint(X, np.array(code)))}  # fmt: skip


NO_HULL = {"rows": [], "multipliers": []}
BOTH = {"no": 0, "yes": 1}
TWO = [[0.4], [-0.4]]
FALSE = {
    "a label nobody has": (
        [[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0],
        {"outcome": "separable", "data": about([[0.0], [1.0], [0.0], [1.0]], [0, 0, 0, 0], True, no=None, yes=7),
         "weights": [0.0], "intercept": -1.0, "margin": [0.0, None], "hull": NO_HULL},
    ),
    "a class nobody has, as a rival": (
        [[1.0], [-1.0], [3.0]], [0, 0, 1],
        {"outcome": "many inseparable", "data": about([[1.0], [-1.0], [3.0]], [0, 0, 1], False, classes=[0, 1, 7]),
         "rows": [0, 1], "rivals": [2, 2], "multipliers": ["1", "1"]},
    ),
    "a label that is another one to the last digit": (
        [[0.0], [1.0]], [2**53 + 1, 1],
        {"outcome": "separable", "data": about([[0.0], [1.0]], [0, 1], True, no=float(2**53), yes=1),
         "weights": [2.0], "intercept": -1.0, "margin": [0.0, None], "hull": NO_HULL},
    ),
    "multipliers whose sum overflows": (
        TWO, [1, 0],
        {"outcome": "undecided", "data": about(TWO, [1, 0], False, **BOTH), "why": "why", "margin_at_most": 1e-300,
         "hull": {"rows": [0, 1], "multipliers": [1e308, 1e308]}},
    ),
    "the same of many classes": (
        TWO, [1, 0],
        {"outcome": "undecided", "data": about(TWO, [1, 0], False, classes=[0, 1]), "why": "why", "margin_at_most": 1e-300,
         "hull": {"rows": [0, 1], "rivals": [0, 1], "multipliers": [1e308, 1e308]}},
    ),
    "multipliers of which one vanishes beside another": (
        [[0.0], [2.0**1023]], [1, 1],
        {"outcome": "undecided", "data": about([[0.0], [2.0**1023]], [1, 1], False, no=None, yes=1), "why": "why",
         "margin_at_most": 1e-300, "hull": {"rows": [0, 1], "multipliers": [2.0**1000, 2.0**-76]}},
    ),
    "weights whose norm rounds down": (
        [[1.0], [-1.0]], [0, 1],
        {"outcome": "many separable", "data": about([[1.0], [-1.0]], [0, 1], False, classes=[0, 1]),
         "weights": [[LEAST], [-LEAST]], "intercepts": [0.0, 0.0], "margin": [2.0, None],
         "hull": {"rows": [], "rivals": [], "multipliers": []}},
    ),
    "updates in a pass that made none": (
        [[0.0], [1.0]], [0, 1],
        {"outcome": "separable", "data": about([[0.0], [1.0]], [0, 1], True, **BOTH),
         "weights": [2.0], "intercept": -1.0, "margin": [0.0, None], "hull": NO_HULL,
         "mixing": {"shards": 1, "passes": 1, "clean": True, "mistakes": 5.0, "radius": 2.0, "factor": 1.0}},
    ),
    "more shards than rows": (
        [[0.0], [1.0]], [0, 1],
        {"outcome": "separable", "data": about([[0.0], [1.0]], [0, 1], True, **BOTH),
         "weights": [2.0], "intercept": -1.0, "margin": [0.0, None], "hull": NO_HULL,
         "mixing": {"shards": 10**300, "passes": 9, "clean": True, "mistakes": 2.0, "radius": 2.0, "factor": 1.0}},
    ),
}  # fmt: skip


PRECOMPUTED = about([[1.0, 1.0], [-1.0, -1.0]], [0, 1], False, **BOTH, kernel={"name": "precomputed"})
FALSE |= {
    "columns that cancel out, of values that are not symmetric": (
        [[1.0, 1.0], [-1.0, -1.0]], [0, 1],
        {"outcome": "inseparable", "data": PRECOMPUTED, "rows": [0, 1], "multipliers": ["1", "1"]},
    ),
    "no tolerance, of values that are not rational": (
        [[0.0], [1e-40]], [1, 0],
        {"outcome": "separable", "data": about([[0.0], [1e-40]], [1, 0], False, **BOTH, kernel={"name": "rbf", "gamma": 1.0}),
         "weights": [1.0, -1.0], "intercept": 0.0, "margin": [0.0, None], "hull": NO_HULL, "support": [0, 1], "tolerance": 0.0},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("X", "y", "document"), FALSE.values(), ids=FALSE.keys())
def test_a_false_proof_is_refused(X, y, document):
    said = asked(signed(document), np.array(X), y)
    assert said is not None
    assert True not in said, said


ENDS = [np.array([1.0]), np.array([np.inf]), np.array([-np.inf]), np.array([np.inf])]


def test_multipliers_of_a_cone_whose_sum_overflows_show_nothing():
    A = np.array([[0.4], [-0.4]])
    ends = [np.ones(2), np.full(2, np.inf), *ENDS[2:]]
    data = {"rows": 2, "columns": 1, "fingerprint": str(of_system(A, *map(Ends.of, ends)))}
    hull = {"rows": [0, 1], "multipliers": [1e308, 0.5e308]}
    for high, holds in ((1e-300, False), (0.2, True), (0.1, False)):
        text = signed({"outcome": "undecided", "data": data, "why": "why", "margin_at_most": high, "hull": hull})
        assert [answer is True for answer in asked(text, A, ends=ends)] == [holds] * 3


def test_a_feasible_point_is_not_the_best_because_multipliers_show_the_best_value():
    """w ≤ 2, maximize w: the multiplier shows that 2 is the most, and w = 1 is a point, but not the best one."""
    A, ends, c = np.array([[1.0]]), [[-np.inf], [2.0], [-np.inf], [np.inf]], [1.0]
    found = of_system(A, *map(Ends.of, ends), Ends.of(c))
    document = {"outcome": "optimal", "data": {"rows": 1, "columns": 1, "fingerprint": str(found)}, "sense": "maximize",
                "rows": [0], "multipliers": ["1"], "columns": [], "column_multipliers": [], "method": "m",
                "work": {"steps": 0, "stretches": 0, "calls": 0}}  # fmt: skip
    for w, value, holds in ((2.0, 2.0, True), (1.0, 2.0, False), (1.0, 1.0, False)):
        text = signed(document | {"w": [w], "value": value})
        assert [answer is True for answer in asked(text, A, ends=ends, objective=("maximize", c))] == [holds] * 3


POLY = {"name": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}
TRUE = {
    "an intercept of 1e160 through a kernel": (
        [[1.0], [-1.0]], [1, 0],
        {"outcome": "separable", "data": about([[1.0], [-1.0]], [1, 0], True, **BOTH, kernel=POLY),
         "weights": [1e161], "intercept": 1e160, "margin": [0.8, None], "hull": NO_HULL, "support": [0], "tolerance": 0.0},
    ),
    "weights near the largest double": (
        [[1.0], [-1.0]], [0, 1],
        {"outcome": "many separable", "data": about([[1.0], [-1.0]], [0, 1], False, classes=[0, 1]),
         "weights": [[1.7e308], [-1.7e308]], "intercepts": [0.0, 0.0], "margin": [1.4, None],
         "hull": {"rows": [], "rivals": [], "multipliers": []}},
    ),
    "a margin that is just what it is said to be": (
        [[1.0], [-1.0]], [0, 1],
        {"outcome": "many separable", "data": about([[1.0], [-1.0]], [0, 1], False, classes=[0, 1]),
         "weights": [[1.0], [0.0]], "intercepts": [0.0, 0.0], "margin": [1.0, None],
         "hull": {"rows": [], "rivals": [], "multipliers": []}},
    ),
    "rows near the largest double through a kernel": (
        [[1.7e308, 1.7e308], [-1.7e308, -1.7e308]], [1, 0],
        {"outcome": "separable", "data": about([[1.7e308] * 2, [-1.7e308] * 2], [1, 0], False, **BOTH, kernel={"name": "linear"}),
         "weights": [1.0], "intercept": 0.0, "margin": [1e308, None], "hull": NO_HULL, "support": [0], "tolerance": 0.0},
    ),
    "multipliers whose sum overflows": (
        TWO, [1, 0],
        {"outcome": "undecided", "data": about(TWO, [1, 0], False, **BOTH), "why": "why", "margin_at_most": 0.4,
         "hull": {"rows": [0, 1], "multipliers": [1e308, 1e308]}},
    ),
}  # fmt: skip


TINY = {"name": "sigmoid", "gamma": 1e-300, "coef0": 0.0}
TRUE |= {
    "a sigmoid of next to nothing": (
        [[1e-100], [-1e-100]], [1, 0],
        {"outcome": "separable", "data": about([[1e-100], [-1e-100]], [1, 0], False, **BOTH, kernel=TINY),
         "weights": [1.0], "intercept": 0.0, "margin": [0.0, None], "hull": NO_HULL, "support": [0], "tolerance": 1e-12},
    ),
    "fields in another order": (
        TWO, [1, 0],
        {"outcome": "undecided", "data": about(TWO, [1, 0], False, classes=[0, 1]), "why": "why", "margin_at_most": 0.6,
         "hull": {"multipliers": [1.0, 1.0], "rivals": [0, 1], "rows": [0, 1]}},
    ),
    "zeros before a number": (
        [[0.0], [0.0]], [1, 0],
        {"outcome": "inseparable", "data": about([[0.0], [0.0]], [1, 0], True, **BOTH),
         "rows": [0, 1], "multipliers": ["01", "0x01"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("X", "y", "document"), TRUE.values(), ids=TRUE.keys())
def test_a_true_proof_at_the_ends_of_the_doubles_is_accepted(X, y, document):
    assert asked(signed(document), np.array(X), y) == [True] * 3


def test_the_sentence_says_which_labels_it_is_of():
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert "(labels 'no' and 'yes')" in str(separate(X, ["no", "no", "no", "yes"]))
    assert "(labels 0 and 1)" in str(separate(X, [0, 1, 1, 0]))
    assert "(label 2 and the rest)" in str(separate(X, [0, 1, 1, 2], positive=2))
    assert "'\\x1b[2J'" in str(separate(X, ["a", "a", "a", "\x1b[2J"]))  # nothing that a terminal would obey


def test_an_interval_that_is_none_is_no_certificate():
    document = json.loads(separate([[0.0], [1.0]], [0, 1]).to_json())
    document["margin"] = [0.5, 0.25]
    with pytest.raises(CertificateError, match=r"lower end, 0\.5, is above the upper end, 0\.25"):
        from_json(signed(document))


def test_a_label_that_is_none_and_evidence_of_another_kind_make_no_certificate():
    document = json.loads(separate([[0.0], [1.0]], [0, 1]).to_json())
    for change, why in (
        ({"data": document["data"] | {"yes": None}}, "only `no` may be null"),
        ({"hull": {"rows": [0], "rivals": [0], "multipliers": [1.0]}}, "rows have rivals"),
        ({"hull": document["hull"] | {"rivals": [0]}}, "does not have rows and multipliers"),
        ({"data": document["data"] | {"fit_intercept": False}}, "with an intercept"),
        ({"hull": {"rows": [], "rivals": [], "multipliers": []}, "margin": [0.0, None]}, "rows have rivals"),
    ):
        with pytest.raises(CertificateError, match=why):
            from_json(signed(document | change))
        with pytest.raises(Wrong):
            check(signed(document | change), Table(1, [{}, {0: 1.0}], [0, 1]))


@pytest.mark.parametrize("text", ["ü", '{"format": "novikoff certificate", "ü": 1}', "\ud800"])
def test_text_that_is_not_ascii_is_no_certificate(text):
    with pytest.raises(CertificateError, match="characters that no certificate has"):
        from_json(text)


def kernel_proof(weights, intercept, low=0.0, tolerance=1e-12, kernel=None, hull=NO_HULL, high=None):
    """Of two rows through a kernel, both labelled 1: f(x) = Σ weights·K(x, xₖ) + intercept."""
    data = about([[0.0], [1.0]], [1, 1], True, no=None, yes=1, kernel=kernel or {"name": "rbf", "gamma": 1.0})
    margin = {"margin": [low, high], "hull": hull, "support": [0, 1], "tolerance": tolerance}
    return signed({"outcome": "separable", "data": data, "weights": weights, "intercept": intercept, **margin})


def rational(number):
    return f"{number.numerator}/{number.denominator}"


E, TEN = Fraction(Context(prec=200).exp(Decimal(-1))), Fraction(10)  # e⁻¹, the value of the kernel between the two rows
ROWS = np.array([[0.0], [1.0]])


@pytest.mark.parametrize(("off", "holds"), [(-50, True), (-70, False)])
@pytest.mark.parametrize("turned", [1, -1])
def test_what_decimals_do_not_tell_is_not_believed(off, holds, turned):
    """f is above its tolerance at both rows, at one by next to nothing: 10⁻⁵⁰ can be told, 10⁻⁷⁰ cannot."""
    weights, at = ([1.0, 0.0], E) if turned > 0 else ([-3.0, -1.0], -3 - E)  # f is e⁻¹ + b at x₁, or −3 − e⁻¹ + b at x₀
    b = -at + Fraction(1e-30) * abs(at) + E * TEN**off
    verdicts = [answer is True for answer in asked(kernel_proof(weights, rational(b), tolerance=1e-30), ROWS, [1, 1])]
    assert verdicts[:2] == [holds] * 2
    assert verdicts[2]  # with 450 digits it is


def test_a_tolerance_is_a_share_of_every_value():
    """f = K(x, x₀) + b at x₁ is 10⁻³ of that value above 0, so that an error of 10⁻⁴ of it does no harm, one of 10⁻² does."""
    text = {tolerance: kernel_proof([1.0, 0.0], rational(E / 1000 - E), tolerance=tolerance) for tolerance in (1e-4, 1e-2, 1.0)}
    assert asked(text[1e-4], ROWS, [1, 1]) == [True] * 3
    assert True not in asked(text[1e-2], ROWS, [1, 1])
    far = kernel_proof([1.0, 0.0], 9.0, tolerance=1.0)  # all values could be 0, and yet: but it is no share
    assert True not in asked(far, ROWS, [1, 1])


def test_squares_of_irrational_values_are_never_too_small():
    """‖w‖² = 2 − 2·e⁻¹ of w = φ(x₀) − φ(x₁), and the hull's point φ(x₀)/2 + φ(x₁)/2 has the square (1 + e⁻¹)/2."""
    hull = {"rows": [0, 1], "multipliers": [1.0, 1.0]}
    square = (1 + E) / 2 + 1  # with the constant coordinate
    above, below = root_above(square), root_below(square)
    assert above > below
    for high, holds in ((above, True), (below, False)):
        assert [answer is True for answer in asked(kernel_proof([1.0, 1.0], 1.0, hull=hull, high=high), ROWS, [1, 1])] == [
            holds
        ] * 3
    least, norm = E - 1 + 9, 2 - 2 * E + 81  # of f = K(x, x₀) − K(x, x₁) + 9, at x₁
    for low, holds in ((root_below(least**2 / norm), True), (root_above(least**2 / norm), False)):
        assert [answer is True for answer in asked(kernel_proof([1.0, -1.0], 9.0, low), ROWS, [1, 1])] == [holds] * 3


@pytest.mark.parametrize("kernel", [{"name": "linear"}, {"name": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}])
def test_a_product_that_rounds_to_the_other_sign_decides_nothing(kernel):
    """In floats, in some order, 10¹⁶ + 3 − 10¹⁶ − 3.5 is 0.5."""
    for order in permutations([1e16, 3.0, -1e16, -3.5]):
        X = np.array([[1.0] * 4, order])
        data = about(X, [1, 1], False, no=None, yes=1, kernel=kernel)
        rest = {"margin": [0.0, None], "hull": NO_HULL, "support": [0], "tolerance": 0.0}
        said = asked(signed({"outcome": "separable", "data": data, "weights": [1.0], "intercept": 0.0, **rest}), X, [1, 1])
        assert True not in said, order


@pytest.mark.parametrize("many", [False, True])
def test_a_score_that_rounds_to_the_other_sign_is_not_taken_for_a_large_one(many):
    """As above: in floats the first row is farther from 0 than the second, and on its side; in truth it is on the other."""
    for order in permutations([1e16, 3.0, -1e16, -3.5]):
        X, code = np.array([order, [0.25, 0, 0, 0], [-9.0, 0, 0, 0]]), [1, 1, 0]
        found = {"margin": [0.0, None], "hull": NO_HULL | ({"rivals": []} if many else {})}
        if many:
            data = about(X, code, False, classes=[0, 1])
            found |= {"outcome": "many separable", "weights": [[0.0] * 4, [1.0] * 4], "intercepts": [0.0, 0.0]}
        else:
            data = about(X, code, False, **BOTH)
            found |= {"outcome": "separable", "weights": [1.0] * 4, "intercept": 0.0}
        said = asked(signed({"data": data, **found}), X, code)
        assert said is not None
        assert True not in said, order


@pytest.mark.parametrize("sharply", [True, False])
@pytest.mark.parametrize("alpha", [(1.0, 1.0), (1.0, -1.0), (Fraction(1, 3), -2.0)])
def test_a_square_is_never_below_the_true_one(alpha, sharply):
    values = KernelValues(Kernel("rbf", gamma=1.0), ROWS)
    a, b = map(Fraction, alpha)
    assert 0 <= values.square_above((0, 1), alpha, 0.0, sharply) - (a * a + b * b + 2 * a * b * E) < 1e-12


# ---- kernels of the user's own --------------------------------------------------------------------------------------


class _Width(NamedTuple):
    width: float = 1.0


class Own(_Width, OfProducts):
    """Not a polynomial of degree 1, as which proofs once took it."""

    def finish(self, values, a, b):
        np.abs(values, out=values)


def test_nothing_is_proved_through_a_kernel_that_proofs_do_not_know(monkeypatch):
    monkeypatch.setattr(kernels, "_KERNELS", kernels.kernels())  # for this test alone
    kernels.kernel_named("one of my own")(Own)
    X, y = np.array([[1.0], [-1.0], [3.0]]), np.array([0, 0, 1])
    clf = KernelPerceptron(kernel=Own(), max_iter=3).fit(X, y)
    assert clf.predict(X).shape == (3,)
    assert isinstance(clf.certificate_, Undecided)
    assert "there are no proofs for the kernel 'one of my own'" in str(clf.certificate_)
    assert from_json(clf.certificate_.to_json()) == clf.certificate_
    for refused in (lambda: separate(X, y, kernel=Own()), lambda: clf.certify(X, y)):
        with pytest.raises(ValueError, match="there are no proofs for the kernel 'one of my own', only for linear, poly"):
            refused()


@pytest.mark.parametrize(("kernel", "why"), [
    (Kernel("one of my own"), "there are no proofs for the kernel"),
    (Kernel("poly"), "has degree, gamma, coef0"),
    (Kernel("rbf", gamma=-1.0), "gamma is not positive"),
    (Kernel("rbf", gamma=np.inf), "not a number"),
    (Kernel("poly", 0, 1.0, 1.0), "the degree is not a whole number"),
    (Kernel("linear", gamma=1.0), "no parameters"),
])  # fmt: skip
def test_a_certificate_through_such_a_kernel_is_refused(kernel, why):
    X, y = np.array([[1.0], [-1.0]]), [1, 0]
    data = Data(2, 1, False, 0, 1, str(fingerprint(X, np.array(y))), kernel)
    certificate = Separable(data, np.ones(1), 0.0, (0.0, np.inf), ((), ()), (0,), 0.0)
    assert why in verify(certificate, X, y).why


# ---- on the command line --------------------------------------------------------------------------------------------


def test_the_command_asks_the_literal_checker(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "and.csv").write_text("0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    (tmp_path / "cone.csv").write_text("2,1\n-1,1\n")
    assert run("certify", "and.csv", "--out", "proof.json").exit_code == 0
    assert run("solve", "cone.csv").exit_code == 0
    for proof, data in (("proof.json", "and.csv"), ("cone.solution.json", "cone.csv")):
        for how in ([], ["--fast"]):
            said = run("verify", proof, data, "--literal", *how)
            assert (said.exit_code, said.stdout) == (0, run("verify", proof, data).stdout)
    (tmp_path / "and.csv").write_text("0,0,no\n0,1,no\n1,0,no\n1,1,no\n")
    assert run("verify", "proof.json", "and.csv", "--literal").exit_code == 1
    assert "does not hold: no row has a label" in run("verify", "proof.json", "and.csv", "--literal").stdout


def test_the_literal_checker_runs_where_nothing_is_installed(tmp_path):
    certificate = separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    certificate.save(tmp_path / "proof.json")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from literal_checker import *; "
        "rows = [{}, {1: 1.0}, {0: 1.0}, {0: 1.0, 1: 1.0}]; "
        "text = open(sys.argv[2]).read(); check(text, Table(2, rows, [0, 0, 0, 1])); assert 'numpy' not in sys.modules"
    )
    alone = [sys.executable, "-I", "-S", "-c", code]  # without site-packages
    subprocess.run([*alone, str(Path(literal.__file__).parent), str(tmp_path / "proof.json")], check=True)
