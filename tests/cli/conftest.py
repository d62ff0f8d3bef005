"""A folder with some files in it."""

import pytest
from calling import rows


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.svm").write_text(rows(0))
    (tmp_path / "test.svm").write_text(rows(1))
    return tmp_path
