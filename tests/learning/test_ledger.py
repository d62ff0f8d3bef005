"""Complete up to the cap, then a tally, and it says so."""

import numpy as np
import pytest

from novikoff import Perceptron
from novikoff.learning.ledger import Entries, Ledger, Tally


def some(k, first=0):
    t = np.arange(first, first + k)
    return Entries(t, t * 2, np.where(t % 2, 1, -1), t / 4, t * 0 + 1.0)


def test_entries_up_to_the_cap_and_a_tally_of_all():
    ledger = Ledger(cap=10)
    for k in range(5):
        ledger.append(some(3, 3 * k), Tally(updates=3 * (k + 1), mistakes=k))
    assert len(ledger) == 10
    assert not ledger.complete
    assert ledger.updates == 15
    assert [update.t for update in ledger] == list(range(10))
    assert "the first 10 are kept, the rest are only counted" in str(ledger)
    assert ledger.nbytes == 10 * 33


def test_an_entry_takes_33_bytes():
    ledger = Ledger()
    ledger.append(some(1000), Tally(updates=1000))
    assert ledger.nbytes / len(ledger) == 33
    assert ledger.complete


def test_many_short_pieces_cost_no_more_than_one():
    ledger = Ledger()
    for k in range(3000):
        ledger.append(some(1, k), Tally(updates=k + 1))
    assert [update.t for update in ledger] == list(range(3000))
    assert len(ledger._columns.t) <= 2 * 3000


def test_mirror_image_has_the_other_label_and_its_own_memory():
    ledger = Ledger()
    ledger.append(some(5), Tally(updates=5))
    mirror = ledger.copy(mirrored=True)
    ledger.append(some(1, 5), Tally(updates=6))
    assert [(-u.y, u.t) for u in mirror] == [(u.y, u.t) for u in ledger][:5]


def test_entries_cannot_be_rewritten():
    ledger = Ledger()
    ledger.append(some(5), Tally(updates=5))
    with pytest.raises(ValueError, match="read-only"):
        ledger.entries.t[0] = 7


def test_a_model_past_its_cap_is_as_good():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 5)), rng.integers(0, 2, 100)
    small, large = (Perceptron(max_iter=20, ledger_cap=cap).fit(X, y) for cap in (10, 10**6))
    assert small.coef_.tolist() == large.coef_.tolist()
    assert small.n_updates_ == large.n_updates_
    assert small.ledger_.tally == large.ledger_.tally
    assert not small.ledger_.complete
    assert large.ledger_.complete
