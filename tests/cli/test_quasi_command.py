"""`novikoff certify --quasi`: names of columns, exit codes, and certificates that `verify` checks."""

import json

import pytest
from calling import refused, run, summary

from novikoff.proof.certificate_files import load

TABLES = {
    "drug.csv": "drug,age,recovered\n1,50,yes\n1,61,yes\n1,43,yes\n0,52,no\n0,47,yes\n0,66,yes\n0,39,no\n",
    "all.csv": "a,b,twice,y\n0,0,0,no\n0,1,2,no\n1,0,0,no\n1,1,2,yes\n",
    "none.csv": "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n",
    "drug.svm": "1 3:1 7:50\n1 3:1 7:61\n-1 7:52\n1 7:47\n1 7:66\n-1 7:39\n",
    "three.csv": "a,b,kind\n0,0,x\n1,0,y\n5,5,z\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "code", "outcome", "lines"),
    [
        ("drug.csv", 1, "quasi-separable", {"+infinite": "drug", "Finite": "age, the intercept"}),
        ("none.csv", 1, "overlapping", {"Finite": "a, b, the intercept"}),
        (
            "all.csv",
            0,
            "completely separable",
            {"Collinear": "2·b - twice = 0", "+infinite": "a", "-infinite": "the intercept", "Unidentified": "b, twice"},
        ),
    ],
)
def test_it_names_columns_and_its_proof_holds(name, code, outcome, lines):
    result = run("certify", name, "--quasi", "--out", "proof.json")
    assert result.exit_code == code
    proof = load("proof.json")
    assert proof.outcome == outcome
    found = summary(result.stdout)
    assert found.pop("Result").startswith(proof.verdict())
    assert found == {**lines, "Saved": "proof.json"}
    for more in ([], ["--literal"], ["--fast"]):
        result = run("verify", "proof.json", name, *more)
        assert result.exit_code == 0
        found = summary(result.stdout)
        assert found["Result"] == "the proof holds"
        assert found["Proof"].startswith(str(proof))
    assert run("verify", "proof.json", "three.csv").exit_code == 1


def test_features_of_svmlight_have_their_numbers():
    found = summary(run("certify", "drug.svm", "--quasi").stdout)
    assert found["+infinite"] == "feature 3"
    assert found["Finite"] == "feature 7, the intercept"
    assert found["Unidentified"] == "feature 1, feature 2, feature 4, feature 5, feature 6"
    assert found["Collinear"] == "feature 1 = 0; feature 2 = 0; feature 4 = 0; feature 5 = 0; feature 6 = 0"


def test_json_and_classes():
    told = json.loads(run("certify", "three.csv", "--quasi", "--class", "z", "--json", "--no-intercept").stdout)
    assert (told["outcome"], told["rows"]) == ("quasi-separable", [0])  # a row of zeros
    refused(run("certify", "three.csv", "--quasi"), "three.csv: has 3 classes", "--class")


@pytest.mark.parametrize("other", [["--removal"], ["--kernel", "rbf"]])
def test_what_it_cannot_be_combined_with(other):
    refused(run("certify", "drug.csv", "--quasi", *other), "--quasi works neither with a kernel nor with --removal")
