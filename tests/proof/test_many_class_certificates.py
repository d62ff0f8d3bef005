"""Certificates about many classes: true ones are accepted and written to files, changed ones are refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from novikoff import ManyInseparable, ManySeparable, Perceptron, Undecided, verify
from novikoff.proof.certificate import Data, Hull, ManyHull, Mixing
from novikoff.proof.certificate_files import from_json, load
from novikoff.proof.rationals import root_above, root_below
from verdicts import holds


def of_three_kinds():
    """A certificate of each kind, with its data."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [3.0, 3.0]])
    xor, fine = np.array([0, 1, 1, 0, 2]), np.array([0, 1, 2, 1, 1])
    proofs = [
        (Perceptron(multiclass="direct", max_iter=300).fit(X, fine).certificate_, X, fine),
        (Perceptron(multiclass="direct", max_iter=300).fit(X, xor).certificate_, X, xor),
        (Perceptron(multiclass="direct", max_iter=1).fit(X, fine).certificate_, X, fine),
    ]
    assert [type(proof) for proof, *_ in proofs] == [ManySeparable, ManyInseparable, Undecided]
    return proofs


def mutations(proof):
    """The same certificate with one false part, and the reason for which it is refused."""
    data = proof.data
    yield replace(proof, data=data._replace(fingerprint="0" * 16)), "other data"
    yield replace(proof, data=data._replace(classes=(0, 1, 7))), "not among the certificate's"
    yield replace(proof, data=data._replace(classes=(0, 1, 1, 2))), "names a label twice"
    yield replace(proof, data=data._replace(rows=4)), "4 rows"
    yield replace(proof, data=Data(data.rows, data.columns, True, None, 1, data.fingerprint)), "other data"
    match proof:
        case ManySeparable(weights=w, intercepts=b, margin=(low, high), hull=hull):
            yield replace(proof, weights=-w, intercepts=-b), "higher score"
            yield replace(proof, weights=w * 0, intercepts=b * 0), "higher score"
            yield replace(proof, weights=w[:2], intercepts=b[:2]), "weights of shape"
            yield replace(proof, weights=np.where(w == w.max(), np.inf, w)), "finite double nor"
            yield replace(proof, margin=type(proof.margin)(2 * low, high)), "nearer"
            yield replace(proof, margin=type(proof.margin)(np.inf, high)), "number from 0 on"
            yield replace(proof, margin=type(proof.margin)(-1.0, high)), "number from 0 on"
            yield replace(proof, margin=type(proof.margin)(low, high / 2)), "no margin is above"
            yield replace(proof, margin=type(proof.margin)(low, np.nan)), "upper end"
            yield replace(proof, hull=ManyHull()), "all multipliers are zero"
            yield replace(proof, hull=Hull(hull.rows, hull.multipliers)), "not of a kind"
            yield replace(proof, hull=hull._replace(rivals=hull.rivals[1:])), "rivals"
            yield replace(proof, hull=hull._replace(rows=(99, *hull.rows[1:]))), "row 99 does not exist"
        case ManyInseparable(rows=rows, rivals=rivals, multipliers=times):
            yield replace(proof, multipliers=(times[0] * 2, *times[1:])), "do not cancel"
            yield replace(proof, multipliers=(-times[0], *times[1:])), "negative"
            yield replace(proof, multipliers=tuple(0 * m for m in times)), "all multipliers are zero"
            yield replace(proof, rivals=(2, *rivals[1:])), "do not cancel"
            yield replace(proof, rivals=(0, *rivals[1:])), "cannot have class number 0"
            yield replace(proof, rivals=(3, *rivals[1:])), "cannot have class number 3"
            yield replace(proof, rows=rows[:1] * 2 + rows[2:], rivals=rivals[:1] * 2 + rivals[2:]), "twice"
            yield replace(proof, rows=rows * 9, rivals=rivals * 9, multipliers=times * 9), "more than are ever needed"
        case Undecided(margin_at_most=high):
            yield replace(proof, margin_at_most=high * 0.9), "no margin is above"
            yield replace(proof, hull=Hull()), "not of a kind"


MIXED = Mixing(2, 999, True, 2.5, root_above(Fraction(19)), 2.0)  # the longest row is (3, 3, 1)


def mutations_of_mixing():
    """A record of shards with one false part, and the reason for which it is refused."""
    yield MIXED._replace(shards=0), "0 shards"
    yield MIXED._replace(passes=0), "0 passes"
    yield MIXED._replace(mistakes=-0.5), "from 0 on"
    yield MIXED._replace(radius=root_below(Fraction(19))), "longer than the radius"
    yield MIXED._replace(radius=-MIXED.radius), "longer than the radius"
    yield MIXED._replace(factor=1.0), "at least 2"


def test_what_many_classes_say_of_shards_is_checked():
    (fine, X, y), _, (open_, *_) = of_three_kinds()
    allowed = 2 * (MIXED.radius / fine.margin.low) ** 2
    for proof in (fine, open_):
        for same in (MIXED, MIXED._replace(factor=None), MIXED._replace(radius=20.0)):
            told = replace(proof, mixing=same)
            assert from_json(told.to_json()) == told
            assert verify(told, X, y)
            assert holds(told, X, y)
        for wrong, why in mutations_of_mixing():
            told = from_json(replace(proof, mixing=wrong).to_json())
            assert why in verify(told, X, y).why
            assert not holds(told, X, y)
    too_many = MIXED._replace(mistakes=allowed * 1.01)
    for wrong, why in [(MIXED._replace(clean=False), "not clean"), (too_many, "more than F20 allows")]:
        assert why in verify(replace(fine, mixing=wrong), X, y).why
        assert not holds(replace(fine, mixing=wrong), X, y)
        assert verify(replace(open_, mixing=wrong), X, y)
        assert holds(replace(open_, mixing=wrong), X, y)
    assert verify(replace(fine, mixing=too_many._replace(factor=None)), X, y)
    assert f"are 2.5, and F20 allows {allowed:.6g} with a margin" in str(replace(fine, mixing=MIXED)).splitlines()[-1]
    assert "F20 allows 2·(R/γ)² with R = 4.3589 wherever" in str(replace(open_, mixing=MIXED)).splitlines()[-1]


def test_mutated_certificates_are_refused():
    for proof, X, y in of_three_kinds():
        assert verify(proof, X, y)
        assert holds(proof, X, y)
        for changed, why in mutations(proof):
            verdict = verify(changed, X, y)
            assert not verdict
            assert why in verdict.why, (why, verdict.why)
        other = verify(proof, X[::-1], y)
        assert not other
        assert "other data" in other.why
        assert not verify(proof, X)


def test_certificate_files(tmp_path):
    for proof, X, y in of_three_kinds():
        proof.save(tmp_path / "proof.json")
        assert load(tmp_path / "proof.json") == proof
        assert verify(load(tmp_path / "proof.json"), X, y)
        text = proof.to_json()
        for changed in (text.replace("true", "false", 1), text.replace('"classes": [0', '"classes": [5', 1)):
            assert changed != text
            with pytest.raises(ValueError, match="digest"):
                from_json(changed)


def test_unsound_parts_of_a_file_are_refused():
    proof = of_three_kinds()[0][0]
    for why, part in {
        "weights is not a list": {"weights": proof.intercepts},
        "not a table of numbers": {"weights": np.zeros((0, 2))},
        "neither a double": {"intercepts": np.array([1, 2, 3])},
        "labels are text or numbers": {"data": proof.data._replace(classes=((0,), 1, 2))},
        "whole numbers": {"data": proof.data._replace(rows=-1)},
        "not of the kind": {"data": Data(5, 2, True, 0, 1, "")},
    }.items():
        with pytest.raises(ValueError, match=why):
            from_json(replace(proof, **part).to_json())


def test_margins_close_in_and_thin_ones_are_decided_exactly():
    """A lead that floats cannot tell from 0 is decided in exact arithmetic."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    proof = Perceptron(multiclass="direct", fit_intercept=False).fit(X, [0, 1, 2]).certificate_
    assert isinstance(proof, ManySeparable)
    assert 0 < proof.margin.low <= proof.margin.high
    hair = replace(proof, weights=proof.weights * 0 + np.array([[1.0, 2.0**-60], [1.0 - 2.0**-53, 1.0], [0.0, 0.0]]))
    assert holds(replace(hair, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))
    assert verify(replace(hair, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))
    level = replace(hair, weights=hair.weights * 0 + np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    assert not verify(replace(level, margin=proof.margin._replace(low=0.0)), X, np.array([0, 1, 2]))
