"""`novikoff mail`: learns from mailboxes, goes on, and answers by its exit code."""

import json
import mailbox
import random
from email.message import EmailMessage

import pytest
from click.testing import CliRunner

from novikoff.cli import main
from novikoff.models.model import load

WORDS = {"spam": ["viagra", "casino", "winner", "free", "click"], "ham": ["meeting", "report", "budget", "lunch", "project"]}


def message(kind, seed):
    rng = random.Random(f"{kind}{seed}")
    new = EmailMessage()
    new["Subject"], new["From"] = rng.choice(WORDS[kind]), "someone@example.org"
    new.set_content(" ".join(rng.choices(WORDS[kind] + ["the", "and", "you"], k=30)))
    return new


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*args, **extra):
        return CliRunner().invoke(main, ["mail", *map(str, args)], **extra)

    return run


@pytest.fixture
def boxes(tmp_path):
    spam, ham = mailbox.mbox(tmp_path / "spam.mbox"), mailbox.Maildir(tmp_path / "ham")
    for i in range(20):
        spam.add(message("spam", i))
    for i in range(60):
        ham.add(message("ham", i))
    spam.close()
    ham.close()
    (tmp_path / "ham" / "dovecot-uidlist").write_text("3 V1 N2\n")
    return ["--spam", tmp_path / "spam.mbox", "--ham", tmp_path / "ham"]


def test_learn_and_classify(run, boxes):
    learned = run("learn", *boxes, "-m", "mail.nvk")
    assert learned.exit_code == 0, learned.output
    assert "Learned  20 spam and 60 ham (80 messages in total)\nSaved    mail.nvk\n" in learned.output
    assert "ignored 1 file that is not mail" in learned.output
    for kind, code in (("spam", 0), ("ham", 1)):
        answer = run("classify", input=bytes(message(kind, "new")))
        assert answer.exit_code == code
        assert answer.output.startswith(f"{kind}\t")
        assert (float(answer.output.split()[1]) > 0) == (kind == "spam")
    unsure = run("classify", "--sigma", "1", input=bytes(message("ham", "new")))
    assert (unsure.exit_code, unsure.output.split()[0]) == (2, "unsure")
    nothing = run("classify", input=b"Subject:\n\n")
    assert nothing.exit_code in (0, 1, 2)


def test_several_messages(run, boxes, tmp_path):
    run("learn", *boxes)
    answer = run("classify", "--json", tmp_path / "spam.mbox")
    lines = [json.loads(line) for line in answer.output.splitlines()]
    assert answer.exit_code == 0
    assert len(lines) == 20
    assert {line["answer"] for line in lines} == {"spam"}
    assert lines[3]["message"].endswith("spam.mbox, message 4")
    answer = run("classify", tmp_path / "ham")
    assert answer.exit_code == 1
    assert answer.output.count("\tham\t") == 60


def test_a_model_goes_on(run, boxes, tmp_path):
    run("learn", *boxes[2:], "-q")
    assert load("mail.nvk").learner.classes.tolist() == ["ham", "spam"]
    run("learn", *boxes, "--bits", "5")
    again = run("learn", *boxes[:2], "--json")
    assert json.loads(again.stdout.splitlines()[-1]) == {"spam": 20, "ham": 0, "rows": 160, "passed_over": 0, "model": "mail.nvk"}
    model = load("mail.nvk")
    assert model.learner.rows_fed == 160
    assert model.features.width == 2**20
    assert run("classify", input=bytes(message("spam", "new"))).exit_code == 0
    assert run("classify", input=bytes(message("ham", "new"))).exit_code == 1


def test_the_order_of_options_makes_no_difference(run, boxes):
    run("learn", *boxes, "-m", "one.nvk")
    run("learn", *boxes[2:], *boxes[:2], "-m", "other.nvk")
    one, other = load("one.nvk"), load("other.nvk")
    assert (one.learner.weights() == other.learner.weights()).all()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["learn"], "there is no mail to learn from; give some with --spam, --ham or both"),
        (["learn", "--spam", "-"], "-: mail is read twice, which standard input does not allow; save it to a file first"),
        (
            ["learn", "--spam", "none"],
            "none: cannot be read (No such file or directory); check the path; the model was",
        ),
        (["learn", "--spam", "notes"], "notes: is not mail; give an mbox file"),
        (["learn", "--spam", "empty"], "mail.nvk: there were no messages to learn from, so no model was saved"),
        (["learn", "--spam", "notes", "-m", "none/mail.nvk"], "the folder none does not exist; create it first"),
        (["learn", "--spam", "notes", "-m", "notes"], "notes: is an input file"),
        (["classify", "notes"], "mail.nvk: cannot be read"),
        (["classify", "-m", "notes"], "notes: this is not a model"),
    ],
)
def test_refused(run, tmp_path, args, said):
    (tmp_path / "notes").write_text("notes\n")
    (tmp_path / "empty").mkdir()
    result = run(*args)
    assert result.exit_code == 3
    assert said in result.output
    assert not (tmp_path / "mail.nvk").exists()


def test_a_model_of_something_else_is_refused(run, tmp_path, boxes):
    (tmp_path / "data.text").write_text("spam\tone two\nham\tthree four\n")
    assert CliRunner().invoke(main, ["learn", "data.text", "-m", "text.nvk"]).exit_code == 0
    before = (tmp_path / "text.nvk").read_bytes()
    for args in (["learn", *boxes, "-m", "text.nvk"], ["classify", "-m", "text.nvk", tmp_path / "spam.mbox"]):
        result = run(*args)
        assert result.exit_code == 3
        assert "text.nvk: is not a mail model; give one made by `novikoff mail learn`" in result.output
    assert (tmp_path / "text.nvk").read_bytes() == before
