"""The cache on disk: right for developers, on for users, and no trouble where nothing can be written."""

import os
import subprocess
import sys

import numpy as np
import pytest

from novikoff.compiler.dispatch import compiled
from novikoff.engine.labelled_rows import score_rows
from novikoff.engine.storages import rows_of

THROUGH_NUMBA = {"NOVIKOFF_LIBRARY": "off"}

RULE = """
from typing import Any, NamedTuple
from novikoff.engine.rules import rule, step

@rule("mine")
class Mine(NamedTuple):
    def check(self) -> None: ...

@step.register(Mine)
def _step(rule: Any, margin: Any, sqnorm: Any) -> Any:
    return 0 if margin > 0 else {tau}
"""

FIT = """
import numpy as np, sys
sys.path.insert(0, {where!r})
import mine
from novikoff import Perceptron
print(Perceptron(rule="mine").partial_fit(np.eye(2), [0, 1]).coef_.tolist())
"""


def fit(where, cache):
    return run(FIT.format(where=str(where)), cache)


def run(code, cache):
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(cache),
        "NOVIKOFF_LIBRARY": "off",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "ignore",
    }
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.full
def test_an_edited_rule_in_another_file_is_never_stale(tmp_path):
    """And a rule of one's own needs no more than this: its file is found by being imported."""
    (tmp_path / "mine.py").write_text(RULE.format(tau=1))
    cache = tmp_path / "cache"
    assert fit(tmp_path, cache) == "[[-1.0, 1.0]]"
    folders = {path.name for path in (cache / "novikoff").iterdir()}
    assert fit(tmp_path, cache) == "[[-1.0, 1.0]]"
    assert {path.name for path in (cache / "novikoff").iterdir()} == folders
    (tmp_path / "mine.py").write_text(RULE.format(tau=8))
    assert fit(tmp_path, cache) == "[[-8.0, 8.0]]"
    assert {path.name for path in (cache / "novikoff").iterdir()} > folders


def test_without_a_place_to_write_it_compiles_each_time(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    code = (
        "import numpy as np\nfrom novikoff.engine.labelled_rows import examples\n"
        "print(examples(np.eye(2), [0, 1]).sheet.sqnorm.tolist())"
    )
    assert run(code, tmp_path / "file") == "[2.0, 2.0]"


def test_first_fits_from_many_threads_share_the_folder_and_leave_numbas_settings_alone(tmp_path):
    code = (
        "import numpy as np, numba, threading, warnings; warnings.simplefilter('ignore')\nfrom novikoff import Perceptron\n"
        "before, X = numba.config.CACHE_DIR, np.eye(4)\n"
        "fits = [threading.Thread(target=lambda: Perceptron().fit(X, [0, 1, 0, 1])) for _ in range(6)]\n"
        "[t.start() for t in fits]; [t.join() for t in fits]\nassert numba.config.CACHE_DIR == before"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | THROUGH_NUMBA | {"NUMBA_CACHE_DIR": str(tmp_path)}, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["novikoff"]


def test_machine_code_for_just_these_types_is_the_same_code():
    w, out = np.array([[1.0, 2.0, 3.0]]), np.zeros((2, 1))
    rows = rows_of(np.array([[1.0, 0.5], [2.0, 4.0]]), 1.0)
    assert compiled(score_rows).bound_to(rows, 0, 2, w, out)(rows, 0, 2, w, out) == -1
    assert out.tolist() == [[5.0], [13.0]]


def test_what_else_is_imported_leaves_the_folder_as_it_is(tmp_path):
    code = (
        "import numpy as np\nfrom novikoff.compiler.by_numba import cache_folder\n"
        "from novikoff.engine.storages import rows_of\n"
        "import novikoff.learning.learner\nfrom novikoff.engine.sweep import sweep\n"
        "rows_of(np.eye(2), 1.0)\nbefore = cache_folder(sweep)\n"
        "import novikoff.estimators.online_learner, novikoff.data.readers.vw\nprint(cache_folder(sweep) == before)"
    )
    assert run(code, tmp_path) == "True"
