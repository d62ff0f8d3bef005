"""Each rule's step, written out; its bounds are tested with the theorems."""

from fractions import Fraction

import pytest

from novikoff import Perceptron
from novikoff.engine.rules import Evidence, find_rule, rules, step
from novikoff.engine.rules.margin import Margin
from novikoff.engine.rules.passive_aggressive import PA, PAI, PAII
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.rules.threshold import Threshold


@pytest.mark.parametrize(
    ("rule", "margin", "sqnorm", "tau"),
    [
        (Rosenblatt(), 0, 5, 1),
        (Rosenblatt(), Fraction(1, 10**9), 5, 0),
        (Rosenblatt(Fraction(1, 3)), -1, 5, Fraction(1, 3)),
        (Margin(Fraction(1, 2)), Fraction(5, 2), 5, 1),
        (Margin(Fraction(1, 2)), Fraction(26, 10), 5, 0),
        (Margin(0), 0, 5, 1),
        (Threshold(2), 2, 5, 1),
        (Threshold(2), Fraction(21, 10), 5, 0),
        (PA(), Fraction(1, 2), 4, Fraction(1, 8)),
        (PA(), 1, 4, 0),
        (PA(), 0, 0, 1),
        (PAI(Fraction(1, 10)), -1, 4, Fraction(1, 10)),
        (PAI(10), -1, 4, Fraction(1, 2)),
        (PAI(3), 0, 0, 3),
        (PAII(Fraction(1, 2)), -1, 4, Fraction(2, 5)),
        (PAII(1), 2, 4, 0),
    ],
)
def test_steps(rule, margin, sqnorm, tau):
    assert step(rule, margin, sqnorm) == tau


@pytest.mark.parametrize("name", sorted(rules()))
def test_no_answer_is_a_mistake(name):
    """Zero is one, and so is NaN: neither passes for right."""
    rule = find_rule(name)
    assert step(rule, 0.0, 1.0) > 0
    assert step(rule, -1.0, 1.0) > 0
    assert step(rule, float("nan"), 1.0) != 0


def test_after_a_pa_step_the_margin_is_one():
    margin, sqnorm = Fraction(-2, 3), Fraction(7, 5)
    assert margin + step(PA(), margin, sqnorm) * sqnorm == 1


@pytest.mark.parametrize(
    ("rule", "value"),
    [(Rosenblatt(), 36), (Margin(0.5), 72), (Threshold(1.0), 54), (PA(), 36), (PAI(0.1), 90), (PAII(1.0), 40.5)],
)
def test_bounds_in_numbers(rule, value):
    assert rule.bound(Evidence(radius=2.0, u_norm=3.0)).value == pytest.approx(value)


def test_bounds_with_losses_in_numbers():
    """PA-I: max(R², 1/C)(‖u‖² + 2CΣℓ); PA-II: (R² + 1/(2C))(‖u‖² + 2CΣℓ²) (F24)."""
    evidence = Evidence(radius=2.0, u_norm=3.0, losses=5.0, squared_losses=7.0)
    assert PAI(0.1).bound(evidence).value == pytest.approx(10 * (9 + 2 * 0.1 * 5))
    assert PAI(0.5).bound(evidence).value == pytest.approx(4 * (9 + 2 * 0.5 * 5))
    assert PAII(1.0).bound(evidence).value == pytest.approx(4.5 * (9 + 2 * 7))


def test_the_rate_changes_no_mistake():
    X, y = [[1, 2], [2, 1], [-1, 3], [3, -1]], [0, 1, 0, 1]
    one, eight = (Perceptron(rule=Rosenblatt(rate)).fit(X, y) for rate in (1.0, 8.0))
    assert [u.row for u in one.ledger_] == [u.row for u in eight.ledger_]
    assert (8 * one.coef_).tolist() == eight.coef_.tolist()
