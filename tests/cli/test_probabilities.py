"""`novikoff predict --proba`."""

import json

import pytest
from calling import done, refused, run


def test_the_command_prints_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("x,y\n" + "".join(f"{k},{'ab'[k > 5]}\n" for k in range(12)))
    done("fit", "d.csv", "-o", "m.nvk")
    lines = done("predict", "d.csv", "-m", "m.nvk", "--proba").splitlines()
    rows = [line.split("\t") for line in lines]
    assert all(len(row) == 3 and float(row[1]) + float(row[2]) == pytest.approx(1) for row in rows)
    both = done("predict", "d.csv", "-m", "m.nvk", "--proba", "--scores").splitlines()
    assert all(len(line.split("\t")) == 4 for line in both)
    for line, row in zip(done("predict", "d.csv", "-m", "m.nvk", "--proba", "--json").splitlines(), rows, strict=True):
        found = json.loads(line)
        assert [found["label"], *map(repr, found["probabilities"])] == row
    done("fit", "d.csv", "-o", "v.nvk", "--readout", "voted")
    refused(run("predict", "d.csv", "-m", "v.nvk", "--proba"), "no probabilities")
