"""What a fit proves about its data: many classes at once, and kernels."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from direct_textbook import BIAS, FOUR
from kernel_problems import circles
from novikoff import (
    Inseparable,
    KernelPerceptron,
    ManyInseparable,
    ManySeparable,
    PassiveAggressive,
    Perceptron,
    Separable,
    Undecided,
    verify,
)
from novikoff.estimators import linear_classifier
from novikoff.proof.certificate import Classes, Data
from novikoff.proof.certificate_files import from_json
from oracles import any_data
from verdicts import holds


@given(data=any_data(labels=FOUR), bias=BIAS, sparse=st.booleans())
def test_what_a_fit_proves_holds_by_two_strangers(data, bias, sparse):
    X, y = np.array(data[0]), np.array(data[1])
    assume(len(set(data[1])) > 2)
    stored = sp.csr_array(X) if sparse else X
    clf = Perceptron(max_iter=60, fit_intercept=bias, multiclass="direct").fit(stored, y)
    certificate = clf.certificate_
    assert isinstance(certificate, ManySeparable) == (clf.stop_reason_ == "clean pass")
    assert isinstance(certificate, ManyInseparable) == bool(clf._run.cycles)  # nothing rounds here
    assert holds(certificate, X, y)
    assert verify(certificate, X, y)
    assert verify(certificate, sp.csr_array(X), y)
    assert from_json(certificate.to_json()) == certificate
    asked = clf.certify(X, y)
    assert isinstance(asked, ManySeparable) == isinstance(certificate, ManySeparable)
    assert holds(asked, X, y)
    assert verify(asked, X, y)


def test_a_stream_proves_nothing_and_says_of_what():
    clf = Perceptron(multiclass="direct").partial_fit(np.eye(3), ["a", "b", "c"])
    assert isinstance(clf.certificate_, Undecided)
    assert clf.certificate_.data == Classes(3, 3, True, ("a", "b", "c"), "")
    assert not verify(clf.certificate_, np.eye(3), ["a", "b", "c"])
    assert isinstance(Perceptron(multiclass="direct").partial_fit(np.eye(2), [0, 1]).certificate_.data, Data)
    assert isinstance(
        PassiveAggressive(multiclass="direct", variant="PA", max_iter=50).fit(np.eye(2), [0, 1]).certificate_, Separable
    )


def bits(n):
    X = np.array(list(product([0, 1], repeat=n)), float)
    return X, X.sum(axis=1) % 2


def grid(boundary):
    """The points of a grid that do not lie on the boundary, and the side of each."""
    X = np.array(list(product(range(-4, 5), repeat=2)), float)
    values = boundary(*X.T)
    return X[values != 0], values[values != 0] > 0


CURVED = {
    "xor": (bits(2), {"kernel": "poly", "degree": 2}),
    "parity": (bits(4), {"kernel": "poly", "degree": 4}),
    "parity, rbf": (bits(4), {"kernel": "rbf"}),
    "circles": (grid(lambda a, b: a**2 + b**2 - 6.5), {"kernel": "poly", "degree": 2}),
    "circles, rbf": (grid(lambda a, b: a**2 + b**2 - 6.5), {"kernel": "rbf", "gamma": 0.5}),
    "ball": (grid(lambda a, b: (a - 1) ** 2 + (b + 2) ** 2 - 7), {"kernel": "poly", "degree": 2}),
    "F18": (grid(lambda a, b: a**2 + b**2 - 3 * a * b), {"kernel": "poly", "degree": 2}),
    "F18, laplacian": (grid(lambda a, b: a**2 + b**2 - 3 * a * b), {"kernel": "laplacian", "gamma": 0.5}),
}


@pytest.mark.parametrize("name", CURVED)
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_curved_classes_are_learned_and_the_certificate_says_so(name, stored):
    (X, y), how = CURVED[name]
    clf = KernelPerceptron(max_iter=100_000, **how).fit(stored(X), y)
    assert clf.stop_reason_ == "clean pass"
    assert clf.score(X, y) == 1
    proof = clf.certificate_
    assert isinstance(proof, Separable)
    assert proof.tolerance == (0 if how["kernel"] == "poly" else 1e-12)
    assert verify(proof, X, y)
    assert not verify(proof, X, ~y.astype(bool))
    again = clf.certify(X, y)
    assert isinstance(again, Separable)
    assert verify(again, X, y)
    facts = clf.facts(stored(X), y)
    assert facts.mistakes <= facts.by_margin.value
    assert proof.margin.low <= facts.margin[1]


def test_a_cycle_proves_that_a_kernel_is_too_weak():
    X, y = bits(4)
    clf = KernelPerceptron("poly", degree=3, max_iter=2000).fit(X, y)
    assert isinstance(clf.certificate_, Inseparable)
    assert verify(clf.certificate_, X, y)
    assert clf.stop_reason_ == "max_iter"


def test_what_decides_nothing_says_why():
    X, y = circles()
    stopped = KernelPerceptron(max_iter=1).fit(X, y)
    assert "no clean pass in 1" in stopped.certificate_.why
    assert verify(stopped.certificate_, X, y)
    assert stopped.certificate_.margin_at_most < 1
    streamed = KernelPerceptron().partial_fit(X, y)
    assert "stream" in streamed.certificate_.why
    assert streamed.certificate_.data.kernel.name == "rbf"
    with pytest.raises(ValueError, match="not the rows of one fit"):
        stopped.certify(X[::-1], y[::-1])
    flat = KernelPerceptron("sigmoid", max_iter=3).fit(X, y)
    assert "void" in str(flat.certificate_)


def test_a_proof_that_was_interrupted_is_none(monkeypatch):
    X, y = circles(60)
    clf = KernelPerceptron(gamma=0.7).fit(X[:30], y[:30])

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(linear_classifier, "of_run", interrupted)
    clf.fit(X, y)
    assert "interrupted before the proof" in clf.certificate_.why
    assert clf.score(X, y) == 1
