"""How tests call the command, on what, and what they expect of a refusal."""

import re

import numpy as np
from click.testing import CliRunner

from novikoff.cli import main


def run(*args, **more):
    return CliRunner().invoke(main, [str(arg) for arg in args], **more)


def done(*args, code=0, **more):
    found = run(*args, **more)
    assert found.exit_code == code, found.stderr
    return found.stdout


def summary(printed):
    """The texts of a printed summary by their headings; of a text with several lines the indent is taken off."""
    texts, heading = {}, ""
    for line in printed.splitlines():
        own, text = re.fullmatch(r"(\S*) +(.*)", line).groups()
        heading = own or heading
        texts[heading] = f"{texts[heading]}\n{text}" if heading in texts else text
    return texts


def refused(result, *words):
    """One line on standard error, nothing else, exit code 3."""
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("novikoff: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


def rows(seed, n=300, classes=("-1", "1"), noise=0.2):
    """Lines of svmlight text whose labels are nearly those of a hyperplane, or of the largest of several."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 6)), 3)
    scores = (
        X @ np.random.default_rng(7).normal(size=(6, len(classes) if len(classes) > 2 else 1)) + rng.normal(size=(n, 1)) * noise
    )
    code = scores.argmax(axis=1) if len(classes) > 2 else (scores[:, 0] > 0).astype(int)
    lines = [f"{classes[c]} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) for c, x in zip(code, X, strict=True)]
    return "".join(line + "\n" for line in lines)
