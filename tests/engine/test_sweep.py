"""The kernel's own source, uncompiled, on fractions, against a textbook; and compiled, with bounds checks on."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from oracles import any_data, fractions, textbook

FRACTIONS = st.fractions(-3, 3, max_denominator=7)


@given(any_data(numbers=FRACTIONS), st.booleans(), st.integers(1, 6))
def test_uncompiled_kernel_is_the_textbook(data, bias, passes):
    X, y = data
    learner = Learner("rosenblatt")
    learner.fit(examples(fractions(X), y, constant=int(bias)), passes)
    w, mistakes = textbook(X, y, passes, bias)
    assert list(learner.team.w[0]) == w
    assert [update.row for update in learner.ledgers[0]] == mistakes
    assert learner.team.w_sqnorm[0] == sum(v * v for v in w)


@given(any_data(), st.booleans(), st.integers(1, 6))
def test_compiled_kernel_is_the_textbook_where_nothing_rounds(data, bias, passes):
    X, y = data
    learner = Learner("rosenblatt")
    learner.fit(examples(np.array(X), y, constant=int(bias)), passes)
    w, mistakes = textbook(X, y, passes, bias)
    assert learner.team.w[0].tolist() == w
    assert [update.row for update in learner.ledgers[0]] == mistakes


def test_fractions_never_load_numba():
    code = (
        "import sys, numpy as np\nfrom fractions import Fraction as F\n"
        "from novikoff.engine.labelled_rows import examples\nfrom novikoff.learning.learner import Learner\n"
        "X = np.array([[F(1, 3)], [F(-1, 7)]], dtype=object)\n"
        "Learner().fit(examples(X, [1, -1]), 5)\n"
        "assert 'numba' not in sys.modules and 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def beyond(array):
    return array[len(array) + 1]


@pytest.mark.skipif(not os.environ.get("NUMBA_BOUNDSCHECK"), reason="shows that the run with bounds checks has them")
def test_bounds_are_checked():
    with pytest.raises(IndexError):
        compiled(beyond)(np.zeros(3))


# No rule has an index in it, so one is enough; and what is not compiled is not checked.
ONE_RULE = ["-m", "not full", "-k", "not [margin and not [pa and not [threshold and not fractions and not uncompiled"]


@pytest.mark.xdist_group("bounds")
@pytest.mark.parametrize("options", [ONE_RULE, pytest.param([], marks=pytest.mark.full)], ids=["one rule", "all rules"])
def test_kernels_stay_within_bounds(options):
    """The contract tests of the kernels and of the parsers' loops once more, with every index checked by numba."""
    if os.environ.get("NUMBA_BOUNDSCHECK"):
        pytest.skip("this is that run")
    tests = [
        "tests/engine/test_sweep.py",
        "tests/engine/test_rule_and_storage_contracts.py",
        "tests/engine/test_skipping.py",
        "tests/engine/readouts",
        "tests/learning/test_one_vs_rest.py",
    ]
    tests += ["tests/data/test_decimals.py::test_nothing_beyond_the_padding_is_looked_at"]
    tests += [
        f"tests/data/readers/test_blocks.py::test_damaged_files_are_read_or_refused[{kind}]" for kind in ("svm", "vw", "text")
    ]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-x", "-p", "no:cacheprovider", *tests],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
