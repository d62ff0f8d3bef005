"""The scout changes nothing but time, and always comes home."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff.engine.prefetching
import novikoff.learning.sweeping
from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import examples
from novikoff.engine.prefetching import LEFT, WORTH_PREFETCHING, Scouts, scouts, walk_ahead
from novikoff.engine.sweep import new_page
from novikoff.foundation.parallel import cores
from novikoff.learning.learner import Learner

N, WIDTH = 12_000, 40


def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, WIDTH)) * (rng.random((N, WIDTH)) < 0.5)
    return X, np.where(X @ rng.standard_normal(WIDTH) + rng.standard_normal(N) > 0, 1, -1)


def story(seen, **settings):
    learner = Learner("rosenblatt", order="each", seed=3, **settings)
    learner.fit(seen, 4)
    return [[tuple(update) for update in ledger] for ledger in learner.ledgers], learner.team.w.tolist()


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_with_a_scout_every_update_is_the_same(store, monkeypatch):
    X, y = data()
    seen = examples(store(X), y)
    sent = []
    monkeypatch.setattr(scouts, "ahead", lambda *a: sent.append(1) or Scouts().ahead(*a))
    alone = story(seen, threads=1)
    assert not sent
    monkeypatch.setattr(novikoff.learning.sweeping, "WORTH_PREFETCHING", 0)
    assert story(seen, threads=2) == alone
    assert len(sent) >= 3


def test_small_data_and_the_given_order_have_no_scout(monkeypatch):
    def never(*_):
        raise AssertionError("a scout was sent")

    monkeypatch.setattr(scouts, "ahead", never)
    X, y = data()
    assert X.size < WORTH_PREFETCHING
    story(examples(X, y), threads=2)
    monkeypatch.setattr(novikoff.learning.sweeping, "WORTH_PREFETCHING", 0)
    Learner("rosenblatt", order="given", threads=2).fit(examples(X, y), 2)


def test_a_scout_comes_home_when_the_sweep_ends_early():
    X, y = data()
    seen = examples(X, y)
    page = new_page(N, np.float64, 1)
    sent = Scouts()
    with pytest.raises(MemoryError), sent.ahead(seen.sheet, seen.fed, page.at):
        raise MemoryError
    assert sent._last.result(timeout=60) is not None  # it was told that the sweep is over


def test_a_scout_leaves_a_sweep_that_does_not_go_on_and_the_next_have_none():
    X, y = data()
    seen, sent, at, scouted = examples(X, y), Scouts(), np.zeros(1, np.int64), []
    for _ in range(30):
        before = sent._last
        with sent.ahead(seen.sheet, seen.fed, at):
            if sent._last is not before:
                assert sent._last.result(timeout=60) == LEFT  # nobody sweeps
        scouted.append(sent._last is not before)
    assert [k for k, scout in enumerate(scouted) if scout] == [0, 2, 5, 10, 19]


def test_a_scout_touches_every_other_row_until_the_sweep_is_past_them_all(monkeypatch):
    touched = []
    monkeypatch.setattr(novikoff.engine.prefetching, "touch", lambda rows, i: touched.append(int(i)) or 0.0)
    at = np.zeros(1, np.int64)
    ask = iter([0] * 8 + [500] * 40)
    monkeypatch.setattr(novikoff.engine.prefetching, "load_shared", lambda at: next(ask))
    X, y = data()
    seen = examples(X, y)
    walk_ahead(seen.sheet, seen.fed[:700], at)
    # Told "row 0" it goes as far as the window allows; told "row 500" it leaves out what the sweep will have passed.
    near, far = [i for i in touched if i < 500], [i for i in touched if i >= 500]
    assert near == list(range(32, 256, 2))
    assert far == list(range(532, 700, 2))


def test_the_compiled_scout_reads_the_same_rows():
    X, y = data()
    seen = examples(1000 * X, y)
    at = np.zeros(1, np.int64)
    at[0] = N - 232
    first_of_lines = 1000 * X[N - 200 :: 2, ::8]
    assert compiled(walk_ahead)(seen.sheet, seen.fed, at) == int(first_of_lines.sum())


def test_joblib_tells_its_workers_how_many_cores_are_theirs(monkeypatch):
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    all_of_them = cores()
    for told, answer in [("1", 1), ("1000", all_of_them), ("0", 1), ("", all_of_them), ("many", all_of_them)]:
        monkeypatch.setenv("NUMBA_NUM_THREADS", told)
        assert cores() == answer
