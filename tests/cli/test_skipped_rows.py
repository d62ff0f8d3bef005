"""`predict --skip-bad-lines` prints as many lines as there are rows: an empty one for a bad line."""

import json

import numpy as np
import pytest
from calling import done, run

from novikoff.data import sources

# For each format: how a row of these numbers is written, with and without its label, and bad lines.
FORMATS = {
    "svm": (
        lambda label, a, b: f"{label} 1:{a} 2:{b}".strip(),
        [b"yes 1:x", b"no 1:1 1:2", b"yes 1:1e999", b"\xff 1:1", b"1:", b"yes 1:1 2"],
    ),
    "vw": (
        lambda label, a, b: f"{label} |f a:{a} b:{b}",
        [b"yes a:1", b"yes -1 |f a", b"no |f a:1e999", b"no |f \xff", b"|f:x a"],
    ),
    "text": (
        lambda label, a, b: f"{label}\t{'good' if a > 0 else 'poor'} word{round(b)}",
        [b"yes\tthis is \xff", b"no\tzero \0 byte", b"x" * 300 + b"\ta text"],
    ),
    "csv": (lambda label, a, b: f"{a},{b},{label}", [b"1,x,yes", b"1,yes", b"1,2,3,yes", b"1e999,2,no"]),
    "jsonl": (
        lambda label, a, b: json.dumps({"features": {"a": a, "b": b}} | ({"label": label} if label else {})),
        [b"{", b"[1]", b'{"label": "yes"}', b'{"features": {"a": [1]}, "label": "yes"}', b'{"features": {"a": 1e999}}'],
    ),
}
HEAD = {"csv": "a,b,label\n"}
NO_ROWS = {"svm": [b"", b"# a comment", b"  "], "vw": [b"", b"   "], "text": [b"", b"  "], "csv": [b""], "jsonl": [b"", b" "]}


def some_file(rng, kind, labelled):
    """Lines of which some are bad, and some are no rows; and for each row, whether it is bad."""
    write, wrong = FORMATS[kind]
    lines, bad = [], []
    for _ in range(rng.integers(1, 60)):
        if rng.random() < 0.15:
            lines.append(NO_ROWS[kind][rng.integers(len(NO_ROWS[kind]))])
            continue
        bad.append(rng.random() < rng.choice([0.1, 0.7]))
        label = ("yes" if rng.random() < 0.5 else "no") if labelled else ""
        good = write(label, *np.round(rng.normal(size=2), 3)).encode()
        lines.append(wrong[rng.integers(len(wrong))] if bad[-1] else good)
    return lines, bad


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("chunk", [64, sources.CHUNK])
def test_line_k_belongs_to_row_k(here, monkeypatch, kind, chunk):
    rng = np.random.default_rng(len(kind) + chunk)
    write, _ = FORMATS[kind]
    numbers = np.round(rng.normal(size=(40, 2)), 3)
    head = HEAD.get(kind, "")
    (here / f"a.{kind}").write_text(head + "".join(write("yes" if a > 0 else "no", a, b) + "\n" for a, b in numbers))
    done("fit", f"a.{kind}", "-o", "m.nvk", "-q")
    monkeypatch.setattr(sources, "CHUNK", chunk)
    for round_ in range(25):
        lines, bad = some_file(rng, kind, labelled=bool(round_ % 2))
        if not bad:
            continue
        (here / f"b.{kind}").write_bytes(head.encode() + b"".join(line + b"\n" for line in lines))
        for more, gap in (((), ""), (("--scores",), ""), (("--json",), json.dumps({"label": None}))):
            found = run("predict", f"b.{kind}", "-m", "m.nvk", "--skip-bad-lines", *more)
            assert found.exit_code == int(any(bad)), found.stderr
            printed = found.stdout.split("\n")[:-1]
            assert [line == gap for line in printed] == bad
            assert (f"skipped {sum(bad)} bad line" in found.stderr) == any(bad)
            good = head.encode() + b"".join(line + b"\n" for line in lines if line not in FORMATS[kind][1])
            (here / f"good.{kind}").write_bytes(good)
            if not all(bad):
                alone = done("predict", f"good.{kind}", "-m", "m.nvk", *more).split("\n")[:-1]
                assert [line for line in printed if line != gap] == alone


def test_without_skipping_a_bad_line_is_an_error(here):
    done("fit", "train.svm", "-o", "m.nvk", "-q")
    (here / "bad.svm").write_text("1 1:1\n-1 1:x\n")
    assert run("predict", "bad.svm", "-m", "m.nvk").exit_code == 3
    (here / "none.svm").write_text("\n\n")
    found = run("predict", "none.svm", "-m", "m.nvk", "--skip-bad-lines")
    assert (found.exit_code, found.stdout) == (3, "")
    assert "has no rows" in found.stderr
