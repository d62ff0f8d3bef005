"""`separate(multiclass="direct")` decides about many classes at once, and proves it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from novikoff import Feasible, Infeasible, ManyInseparable, ManySeparable, Separable, Undecided, separate, solve_cone, verify
from novikoff.proof.certificate_files import load
from novikoff.proof.exact import Signed
from novikoff.solve.separability import many_classes
from verdicts import holds


def written_out(X, y, fit_intercept=True):
    """Every z of F25 as a row, one number at a time."""
    classes = sorted(set(y))
    rows = []
    for x, own in zip(np.asarray(X).tolist(), y, strict=True):
        x = [*x, 1.0] if fit_intercept else x
        for rival in classes:
            if rival != own:
                rows.append([v * ((c == own) - (c == rival)) for c in classes for v in x])
    return np.array(rows)


def small(draw_numbers, most=6):
    """A few rows of whole numbers of three or four classes, all of which occur."""
    return st.integers(1, 3).flatmap(
        lambda columns: st.lists(
            st.tuples(st.lists(draw_numbers, min_size=columns, max_size=columns), st.integers(0, 3)), min_size=3, max_size=most
        ).filter(lambda rows: len({label for _, label in rows}) > 2)
    )


@given(small(st.integers(-3, 3)), st.booleans(), st.booleans())
def test_small_data_is_decided_as_the_z_s_written_out_are(rows, fit_intercept, sparse):
    X, y = np.array([x for x, _ in rows], float), np.array([label for _, label in rows])
    certificate = separate(sp.csr_array(X) if sparse else X, y, multiclass="direct", fit_intercept=fit_intercept)
    oracle = solve_cone(written_out(X, y.tolist(), fit_intercept), method="highs")
    assert type(certificate) is {Feasible: ManySeparable, Infeasible: ManyInseparable}[type(oracle)]
    assert verify(certificate, X, y)
    assert holds(certificate, X, y)


@pytest.mark.parametrize("at_a_time", [1, 3])
def test_written_out_a_few_at_a_time_the_answer_is_the_same(at_a_time, monkeypatch):
    """Without the perceptron, and with a working set that begins with few z's."""
    monkeypatch.setattr(many_classes, "PASSES", 1)
    monkeypatch.setattr(many_classes, "AT_A_TIME", at_a_time)
    seen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.integers(-5, 6, (12, 3)).astype(float)
        y = (X @ rng.integers(-3, 4, (3, 3))).argmax(axis=1)
        y[0] = rng.integers(3)
        if len(set(y.tolist())) < 3:
            continue
        certificate = separate(X, y, multiclass="direct")
        oracle = solve_cone(written_out(X, y.tolist()), method="highs")
        assert (certificate.outcome == "many separable") == isinstance(oracle, Feasible), seed
        assert holds(certificate, X, y)
        seen.add(certificate.outcome)
    assert seen == {"many separable", "many inseparable"}


def test_well_known_data():
    for given_data, outcome in ((load_iris, ManyInseparable), (load_wine, ManySeparable), (load_digits, ManySeparable)):
        X, y = given_data(return_X_y=True)
        certificate = separate(X, y, multiclass="direct")
        assert isinstance(certificate, outcome)
        assert verify(certificate, X, y)
        assert not verify(certificate, X, np.roll(y, 1))


def test_equal_rows_of_different_classes_contradict_each_other():
    X = np.random.default_rng(0).standard_normal((50, 4))
    y = np.arange(50) % 3
    X[32] = X[7]
    for stored in (X, sp.csr_array(X)):
        certificate = separate(stored, y, multiclass="direct")
        assert (certificate.rows, certificate.rivals, certificate.multipliers) == ((7, 32), (2, 1), (1, 1))
        assert holds(certificate, X, y)


def test_a_zero_row_without_an_intercept_is_a_proof_alone():
    X, y = np.array([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]]), np.array([0, 1, 2])
    certificate = separate(X, y, multiclass="direct", fit_intercept=False)
    assert (certificate.rows, certificate.multipliers) == ((1,), (1,))
    assert holds(certificate, X, y)


def test_weights_are_fractions_where_no_floats_are_found(tmp_path):
    """The slope of w₀ − w₁ lies between two neighbouring quotients of Fibonacci numbers."""
    f = [1, 1]
    while f[-1] < 2**52:
        f.append(f[-1] + f[-2])
    X = np.array([[f[-1], -f[-2]], [f[-2], -f[-3]], [-1.0, -1.0]], float)
    for y in (np.array([0, 1, 2]), np.array(["b", "c", "a"])):
        certificate = separate(X, y, multiclass="direct", fit_intercept=False)
        assert isinstance(certificate, ManySeparable)
        assert certificate.weights.dtype == object
        certificate.save(tmp_path / "proof.json")
        assert load(tmp_path / "proof.json") == certificate
        assert verify(load(tmp_path / "proof.json"), X, y)
        assert holds(certificate, X, y)
        rounded = replace(certificate, weights=certificate.weights.astype(float))
        assert not verify(rounded, X, y)
        assert not holds(rounded, X, y)
        too_wide = replace(certificate, margin=certificate.margin._replace(low=np.nextafter(certificate.margin.low, 1)))
        assert "nearer" in verify(too_wide, X, y).why
        assert not holds(too_wide, X, y)


def test_a_budget_may_leave_it_open():
    X, y = load_iris(return_X_y=True)
    certificate = separate(X, y, multiclass="direct", budget=0)
    assert isinstance(certificate, Undecided)
    assert "budget of 0 s is used up" in str(certificate)
    assert verify(certificate, X, y)


def test_too_many_z_s_are_a_sentence(monkeypatch):
    monkeypatch.setattr(many_classes, "LARGEST", 10)
    X, y = load_iris(return_X_y=True)
    certificate = separate(X, y, multiclass="direct")
    assert isinstance(certificate, Undecided)
    assert "too many to decide about at once" in str(certificate)
    assert verify(certificate, X, y)


def test_rows_too_long_for_floats_are_decided_all_the_same():
    X = np.array([[1e200, 0.0], [0.0, 1e200], [-1e200, -1e200], [1e-200, 1e-200]])
    for y in (np.array([0, 1, 2, 2]), np.array([0, 1, 2, 0])):
        certificate = separate(X, y, multiclass="direct")
        assert not isinstance(certificate, Undecided)
        assert holds(certificate, X, y)


def test_two_classes_have_the_ordinary_answer():
    X, y = [[0.0], [1.0]], ["a", "b"]
    assert isinstance(separate(X, y, multiclass="direct"), Separable)
    assert separate(X, y, multiclass="direct") == separate(X, y)


def test_what_does_not_go_together_is_refused():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 2]
    for how in ({"kernel": "rbf"}, {"positive": 1}, {"method": "rescaled"}):
        with pytest.raises(ValueError, match=f"leave out {next(iter(how))}="):
            separate(X, y, multiclass="direct", **how)
    with pytest.raises(ValueError, match="'direct'"):
        separate(X, y, multiclass="ovr")
    with pytest.raises(ValueError, match="multiclass='direct'"):
        separate(X, y)


def test_the_signs_of_z():
    """The oracle above agrees with `ManyRows.z` on which numbers stand where."""
    X, y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([0, 1, 2])
    question = many_classes.ManyQuestion.about(X, y, True, np.unique(y))
    z, places = question.many.z_and_places([0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1])
    assert isinstance(z, Signed)
    whole = np.zeros((6, 9))
    whole[:, places] = z.X.toarray()
    assert whole.tolist() == written_out(X, [0, 1, 2]).tolist()
