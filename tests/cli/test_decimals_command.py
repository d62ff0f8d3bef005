"""`certify --decimals`: a number in a file is the decimal that stands there, and the certificate says so."""

import json
from fractions import Fraction

import numpy as np
import pytest
from calling import done, refused, run, summary
from hypothesis import given
from hypothesis import strategies as st

from made import PACK
from novikoff import separate
from novikoff.proof.certificate import DOUBLES, RATIONALS
from novikoff.proof.certificate_files import from_json, load
from novikoff.solve.separability import linear

IN_WORDS = "all numbers taken as the decimals or fractions they are"
OTHER = "it is about the nearest doubles, not about the decimals of the file"
# The rows, the labels, and whether they are separable as decimals and as doubles.
ON_A_LINE = [["0.1", "0.3"], ["0.2", "0.6"], ["0.3", "0.9"]], ["no", "yes", "no"], False, True  # 0.1 + 0.3 = 2·0.2
NEAR = [["0.1"], ["0.10000000000000001"]], ["no", "yes"], True, False  # the nearest double is the same
SPLIT = [["9007199254740992"], ["9007199254740993"], ["9007199254740994"]], ["no", "yes", "yes"], True, False


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, rows, labels):
    """The rows in a file, as svmlight or as a table."""
    if name.startswith("d.svm"):
        lines = [f"{y} " + " ".join(f"{j}:{x}" for j, x in enumerate(row, 1)) for row, y in zip(rows, labels, strict=True)]
    else:
        lines = [",".join([*row, y]) for row, y in zip(rows, labels, strict=True)]
    packed = "." + name.split(".")[2] if name.count(".") > 1 else ""
    with open(name, "wb") as file:
        file.write(PACK[packed]("".join(line + "\n" for line in lines).encode()))
    return name


@pytest.mark.parametrize("name", ["d.svm", "d.csv", "d.svm.gz", "d.csv.xz", "d.csv.zst", "d.svm.bz2"])
@pytest.mark.parametrize(("rows", "labels", "in_decimals", "in_doubles"), [ON_A_LINE, NEAR, SPLIT])
def test_decimals_and_doubles_are_two_questions(name, rows, labels, in_decimals, in_doubles):
    written(name, rows, labels)
    done("certify", name, "--out", "doubles.json", code=int(not in_doubles))
    printed = done("certify", name, "--decimals", "--out", "decimals.json", code=int(not in_decimals))
    assert IN_WORDS in summary(printed)["Result"]
    assert IN_WORDS not in str(load("doubles.json"))
    assert (load("doubles.json").data.numbers, load("decimals.json").data.numbers) == (DOUBLES, RATIONALS)
    assert '"numbers"' not in load("doubles.json").to_json()
    for way in ([], ["--literal"], ["--fast"], ["--fast", "--literal"]):
        for more in ([], ["--decimals"]):
            checked = summary(done("verify", "decimals.json", name, *way, *more))
            assert checked["Result"] == "the proof holds"
            assert IN_WORDS in checked["Proof"]
        assert IN_WORDS not in done("verify", "doubles.json", name, *way)
        assert OTHER in done("verify", "doubles.json", name, *way, "--decimals", code=1)


@pytest.mark.parametrize(("rows", "labels", "in_decimals", "in_doubles"), [ON_A_LINE, NEAR, SPLIT])
def test_the_kind_of_numbers_cannot_be_exchanged(rows, labels, in_decimals, in_doubles):
    """A proof about decimals is none about doubles, nor the other way round, whatever it says of itself."""
    name = written("d.csv", rows, labels)
    done("certify", name, "--out", "doubles.json", code=int(not in_doubles))
    done("certify", name, "--decimals", "--out", "decimals.json", code=int(not in_decimals))
    for path, numbers in (("doubles.json", RATIONALS), ("decimals.json", DOUBLES)):
        found = load(path)
        type(found)(**vars(found) | {"data": found.data._replace(numbers=numbers)}).save("forged.json")
        for way in ([], ["--literal"], ["--fast"]):
            assert "the proof does not hold" in done("verify", "forged.json", name, *way, code=1)


@given(st.data())
def test_the_answer_is_that_of_the_fractions(tmp_path_factory, data):
    """Points on decimal lines, and beside them by less than a double shows."""
    tenth = st.integers(-9, 9).map(lambda k: Fraction(k, 10))
    slope, shift = data.draw(tenth), data.draw(tenth)
    rows, labels = (
        [],
        data.draw(st.lists(st.sampled_from(["no", "yes"]), min_size=2, max_size=6).filter(lambda drawn: len(set(drawn)) == 2)),
    )
    for _ in labels:
        x, off = data.draw(tenth), data.draw(st.sampled_from([0, 0, 0, 1, -1]))
        rows.append([x, slope * x + shift + Fraction(off, 10**20)])
    texts = [[f"{x * 10}e-1", f"{y * 10**20}e-20"] for x, y in rows]
    assert [[Fraction(text) for text in row] for row in texts] == rows
    folder = tmp_path_factory.mktemp("d")
    expected = separate(np.array(rows, object), labels)
    for name in ("d.svm", "d.csv"):
        lines = [f"{y} 1:{a} 2:{b}" if name == "d.svm" else f"{a},{b},{y}" for (a, b), y in zip(texts, labels, strict=True)]
        (folder / name).write_text("\n".join(lines))
        done("certify", folder / name, "--decimals", "--out", folder / "p.json", code=int(expected.outcome != "separable"))
        found = load(folder / "p.json")
        assert found.outcome == expected.outcome
        assert found.data == expected.data._replace(numbers=RATIONALS)
        for way in ([], ["--literal"], ["--fast"]):
            done("verify", folder / "p.json", folder / name, *way)


def test_words_labels_and_headers_beside_decimals():
    with open("d.csv", "w") as file:
        file.write("kind,colour,a,b\n0.1,red,0.1,0.3\n0.2,red,0.2,0.6\n0.1,red,0.3,0.90000000000000000000\n0.2,blue,9,9\n")
    done("certify", "d.csv", "--label", "kind", "--decimals", "--out", "p.json", code=1)
    assert (load("p.json").data.no, load("p.json").data.yes) == (0.1, 0.2)
    for way in ([], ["--literal"], ["--fast"]):
        assert "row 1 (line 3)" in done("verify", "p.json", "d.csv", "--label", "kind", *way)


def test_json_is_read_back():
    name = written("d.csv", *ON_A_LINE[:2])
    printed = done("certify", name, "--decimals", "--json", code=1)
    about = json.loads(printed)
    assert about["version"] == 3
    assert about["data"]["numbers"] == "rationals"
    assert from_json(printed).to_json() == printed


def test_standard_input():
    text = "no 1:0.1\nyes 1:0.10000000000000001\n"
    shown = done("certify", "-", "--decimals", "--out", "p.json", input=text)
    assert IN_WORDS in shown
    for way in ([], ["--literal"], ["--fast"]):
        done("verify", "p.json", "-", *way, input=text)
        done("verify", "p.json", "-", *way, input="no 1:0.1\nyes 1:0.1\n", code=1)


def test_rows_are_removed_by_their_decimals():
    name = written("d.csv", *ON_A_LINE[:2])
    shown = done("certify", name, "--decimals", "--removal", "--show-rows", code=1)
    assert "Without 1 of the rows the rest is separable" in shown
    assert "row 1 (line 2), multiplier 2: 0.2,0.6,yes" in shown


def test_one_class_of_many_and_no_intercept():
    rows, labels = ON_A_LINE[0] + [["5", "5"]], ON_A_LINE[1] + ["more"]
    name = written("d.svm", rows, labels)
    done("certify", name, "--decimals", "--class", "yes", "--out", "p.json", code=1)
    done("verify", "p.json", name, "--literal")
    with open("zero.csv", "w") as file:
        file.write("0.10000000000000001,a\n0,b\n")
    shown = done("certify", "zero.csv", "--decimals", "--no-intercept", "--out", "p.json", code=1)
    assert f"row 1 (labels 'a' and 'b') is zero, {IN_WORDS}, and no hyperplane" in shown
    done("verify", "p.json", "zero.csv")


def test_an_undecided_proof_says_of_which_numbers(monkeypatch):
    monkeypatch.setattr(linear.Question, "contradiction", lambda self: None)
    monkeypatch.setattr(linear.Question, "by_a_perceptron", lambda self, until: (np.ones(len(self.z), int), None))
    name = written("d.csv", *ON_A_LINE[:2])
    shown = done("certify", name, "--decimals", "--budget", "1e-9", "--out", "p.json", code=2)
    assert IN_WORDS in shown
    assert IN_WORDS in done("verify", "p.json", name)


def test_what_decimals_do_not_go_with():
    name = written("d.csv", *ON_A_LINE[:2])
    refused(
        run("certify", name, "--decimals", "--kernel", "poly"), "--decimals works neither with a kernel nor with --quasi; leave"
    )
    refused(run("certify", name, "--decimals", "--quasi"), "--decimals works neither with a kernel nor with --quasi; leave")
    refused(run("certify", name, "--decimals", "--multiclass", "direct"), "--decimals does not work with --multiclass direct")
    np.savez("d.npz", X=[[0.1], [0.2]], y=[0, 1])
    refused(run("certify", "d.npz", "--decimals"), "d.npz: is npz; decimals are taken from svmlight text and tables only")
    written("e.csv", *ON_A_LINE[:2])
    refused(run("certify", "?.csv", "--decimals"), "d.csv: is one of several files", "join the files")
    done("certify", name, "--decimals", "--out", "p.json", code=1)
    refused(run("verify", "p.json", "d.npz", "--fast"), "d.npz: is npz; decimals are taken from")


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "1e-99999999999999999999"])
@pytest.mark.parametrize("name", ["d.svm", "d.csv"])
def test_numbers_without_measure_are_an_error_of_one_sentence(number, name):
    written(name, [["1"], ["2"]], ["no", "yes"])
    done("certify", name, "--decimals", "--out", "p.json")
    written(name, [["1"], [number]], ["no", "yes"])
    refused(run("certify", name, "--decimals"), f"{name}:2", number)
    refused(run("verify", "p.json", name), f"{name}: line 2", number)
    refused(run("verify", "p.json", name, "--fast"), f"{name}:2", number)


def test_proofs_about_constraints():
    with open("rows.csv", "w") as file:
        file.write("2,1\n-1,1\n")
    done("solve", "rows.csv")
    assert IN_WORDS in done("verify", "rows.solution.json", "rows.csv", "--decimals")
