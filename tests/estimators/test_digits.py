"""The experiment with digits: the script that writes docs/digits.md."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def digits(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import digits

    yield digits
    del sys.modules["digits"]


@pytest.mark.filterwarnings("ignore")
def test_averaged_and_voted_beat_last_on_a_split_and_degree_helps(digits, monkeypatch):
    monkeypatch.setattr(digits, "PASSES", (1, 1))
    monkeypatch.setattr(digits, "DEGREES", (1, 3))
    errors = digits.measured(2)[:, 0].mean(axis=-1)
    assert (errors[:, 1:] < errors[:, :1]).all()
    assert (errors[1] < errors[0]).all()


def test_what_is_found_is_what_is_reported(digits):
    rng = np.random.default_rng(0)
    shape = len(digits.DEGREES), len(digits.PASSES), len(digits.READOUTS), 4
    there = (
        np.array([9.0, 5.0, 5.0, 5.0, 5.0])[:, None, None, None] + np.array([2.0, 0.0, 0.0])[:, None] + 0.1 * rng.random(shape)
    )
    said = " ".join(digits.finding(there))
    assert said.count("holds here") == 2
    assert "helps, then saturates" in said
    said = " ".join(digits.finding(there[::-1, :, ::-1]))
    assert said.count("does not hold everywhere") == 2
    assert "does not clearly help" in said
    assert "| 5 |" in digits.page(there)


def test_the_page_is_of_all_degrees():
    page = (ROOT / "docs" / "digits.md").read_text()
    assert "Written by `python benchmarks/digits.py`" in page
    assert all(f"| {degree} |" in page for degree in range(1, 6))
