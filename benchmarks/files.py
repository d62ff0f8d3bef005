"""Files, streams, text and start-up: ours and scikit-learn's, Vowpal Wabbit's and river's, in one process, as ratios.

python benchmarks/files.py [--only WORD]
"""

import os
import subprocess
import sys
import tempfile
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import online
import problems
import text
from measuring import best, main, report
from river import linear_model
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import Perceptron as Theirs
from vowpalwabbit import Workspace

import novikoff
from novikoff import OnlineLearner
from novikoff.data.readers.nvkd import convert
from novikoff.engine.labelled_rows import examples
from novikoff.learning.learner import Learner
from novikoff.models.training import train

FOLDER = tempfile.TemporaryDirectory()
COMMAND = [sys.executable, "-m", "novikoff"]


def file(name):
    return Path(FOLDER.name) / name


@cache
def big():
    """200 000 rows and 14.4 million entries as svmlight text, and the same as Vowpal Wabbit wants it."""
    X, y = problems.sparse()
    texts = np.char.mod("%.6g", np.round(X.data, 6)).tolist()
    pairs = [f"{j + 1}:{value}" for j, value in zip(X.indices.tolist(), texts, strict=True)]
    starts = X.indptr.tolist()
    lines = [" ".join(pairs[a:b]) for a, b in pairwise(starts)]
    labels = ["+1" if label > 0 else "-1" for label in y.tolist()]
    file("big.svm").write_text("".join(f"{label} {line}\n" for label, line in zip(labels, lines, strict=True)))
    file("big.vw").write_text("".join(f"{label} | {line}\n" for label, line in zip(labels, lines, strict=True)))
    return str(file("big.svm"))


def ours_from_file(path):
    train(Learner(order="given"), novikoff.open(path), 1)


def theirs_from_file(path):
    X, y = load_svmlight_file(path)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # or it is refused
    Theirs(max_iter=1, tol=None, shuffle=False).fit(X, y)


def vowpal_wabbit(path):
    Workspace(f"-d {path} --sgd --quiet").finish()


def bench_file_to_model():
    path = big()
    size = os.path.getsize(path) / 1e6
    a, vw = best(lambda: ours_from_file(path), lambda: vowpal_wabbit(file("big.vw")), rounds=7)
    (b,) = best(lambda: theirs_from_file(path), rounds=2, warm=False)
    note = f"{a:.2f} against {b:.2f} s, {size:.0f} MB"
    report("file to model, one pass, ÷ load_svmlight_file and Perceptron", b / a, 20, note=note)
    report("the same ÷ Vowpal Wabbit (--sgd)", vw / a, 3, note=f"{a:.2f} against {vw:.2f} s")


def bench_parsing():
    path = big()

    def count():
        with open(path, "rb") as opened:
            return opened.read().count(b"\n")

    a, b = best(lambda: sum(len(block.y) for block in novikoff.open(path)), count, rounds=9)
    report(
        "parsing alone, two threads, ÷ reading and counting lines", a / b, 1.5, at_least=False, note=f"{a:.3f} against {b:.3f} s"
    )


def bench_converted():
    path = str(file("big.nvkd"))
    convert(novikoff.open(big()), path)
    mapped, held = novikoff.open(path).read(), novikoff.open(big()).read()

    def passes(block):
        """Nine passes more than one: what a pass takes, and not what comes before it."""
        seen = examples(block.X, block.y)
        one, ten = best(lambda: Learner(order="each").fit(seen, 1), lambda: Learner(order="each").fit(seen, 10), rounds=3)
        return (ten - one) / 9

    a, b = min(passes(mapped) for _ in range(2)), min(passes(held) for _ in range(2))
    report(
        "converted form, a further pass ÷ one in memory",
        a / b,
        1.3,
        at_least=False,
        note=f"{a * 1e3:.0f} against {b * 1e3:.0f} ms",
    )


def bench_one_by_one():
    rows, labels = online.stream()
    two, one = OnlineLearner(), OnlineLearner()
    theirs, a, b = online.best(
        rows,
        labels,
        online.predict_then_learn(linear_model.Perceptron()),
        online.predict_then_learn(two),
        one.predict_and_learn_one,
    )
    report("predict_one and learn_one, 73 names, ÷ river's Perceptron", theirs / a, 1.4, note=f"{a:.1f} against {theirs:.1f} µs")
    report("predict_and_learn_one ÷ the same", theirs / b, 2, note=f"{b:.1f} against {theirs:.1f} µs")


def bench_text():
    texts = text.lines(50, plain=True)
    path = file("lines.text")
    path.write_text("".join(f"{'spam' if k % 3 else 'ham'}\t{line}\n" for k, line in enumerate(texts)), encoding="utf-8")
    vectorizer = HashingVectorizer(norm=None)
    a, b = best(lambda: sum(len(block.y) for block in novikoff.open(path)), lambda: vectorizer.transform(texts), rounds=3)
    report("text lines to features ÷ HashingVectorizer (words)", b / a, 5, note=f"{a:.2f} against {b:.2f} s, 50 MB")


def bench_commands():
    X, y = problems.sparse(rows=1000, columns=2000)
    small = file("small.svm")
    rows = [
        f"{label} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in zip(x.indices, x.data, strict=True))
        for label, x in zip(y, X, strict=True)
    ]
    small.write_text("".join(row + "\n" for row in rows))

    def run(*args):
        subprocess.run([*COMMAND, *map(str, args)], check=True, capture_output=True)

    a, b = best(lambda: run("--help"), lambda: run("fit", small, "-o", file("small.nvk")))
    report("novikoff --help", a, 0.25, "s", at_least=False)
    report("novikoff fit, 1 000 rows, kernels compiled before", b, 1.2, "s", at_least=False)


def bench_memory_of_streams():
    """The peak of a process that learns from 2 GB."""
    content = Path(big()).read_bytes()
    with open(file("2gb.svm"), "wb") as out:
        for _ in range(2 * 10**9 // len(content) + 1):
            out.write(content)
    for what, args in (
        ("learn", ["learn", file("2gb.svm"), "-m", file("2gb.nvk"), "-q"]),
        ("fit --memory 200M, 2 passes", ["fit", file("2gb.svm"), "--memory", "200M", "--passes", "2", "-q"]),
    ):
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True)"
        code += "; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        said = subprocess.run([sys.executable, "-c", code, *COMMAND, *map(str, args)], check=True, capture_output=True, text=True)
        report(f"peak memory of novikoff {what}, 2 GB of text", int(said.stdout) / 1e3, 500, "MB", at_least=False)
    file("2gb.svm").unlink()


BENCHES = [
    bench_file_to_model,
    bench_parsing,
    bench_converted,
    bench_one_by_one,
    bench_text,
    bench_commands,
    bench_memory_of_streams,
]

if __name__ == "__main__":
    main(BENCHES, __doc__)
