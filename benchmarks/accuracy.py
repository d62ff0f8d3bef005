"""How often it is right, with nothing tuned: against scikit-learn's linear classifiers, Vowpal Wabbit and river.

python benchmarks/accuracy.py [--sets a9a,iris] [--splits N] [--data FOLDER] [--markdown FILE]   # writes docs/accuracy.md
"""

import argparse
import warnings
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import progressive
import real_sets
import river
import sklearn
import vowpalwabbit
from candidate import CANDIDATE, NAME
from measuring import best, geometric_mean, markdown_table, report
from real_sets import chosen
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

import novikoff
from novikoff.foundation.parallel import cores

CS = (0.01, 0.1, 1, 10)
ROUNDS = 3
CALIBRATED_SPLITS = 5  # a calibrated SVM is five of them


class Accuracy(NamedTuple):
    """What one data set shows. Accuracies are means over the splits."""

    name: str
    rows: int  # of the first split's training rows
    columns: int
    classes: int
    splits: str
    ours: float
    svc: float
    C: float
    logistic: float
    sgd: float
    error: float  # standard error of the difference to the SVM
    time: float  # ÷ the SVM's

    @property
    def difference(self):
        return self.ours - self.svc

    @property
    def shortfall(self):
        """Points below the SVM, if that is more than a standard error."""
        return 100 * max(0.0, -self.difference) if -self.difference > self.error else 0.0


class LogLoss(NamedTuple):
    """Log losses on test rows, means over the splits."""

    name: str
    splits: int
    ours: float
    svc: float

    @property
    def ratio(self):
        return self.ours / self.svc


accuracies: list[Accuracy] = []
log_losses: list[LogLoss] = []


def ours():
    return CANDIDATE(random_state=0)


def svc(C=1.0):
    return LinearSVC(C=C, random_state=0)


def right_answers(split):
    """Which test rows each classifier gets right."""
    classifiers = {"ours": ours(), "logistic": LogisticRegression(), "sgd": SGDClassifier(random_state=0)}
    classifiers |= {C: svc(C) for C in CS}
    return {name: one.fit(split.X, split.y).predict(split.X_test) == split.y_test for name, one in classifiers.items()}


def standard_error(ours, theirs):
    """Of the difference of two mean accuracies: over the splits, or over the test rows if there is one split."""
    apart = [mine.astype(float) - other for mine, other in zip(ours, theirs, strict=True)]
    samples = apart[0] if len(apart) == 1 else np.array([split.mean() for split in apart])
    return float(samples.std(ddof=1) / np.sqrt(len(samples)))


def accuracy(name, data):
    answers, first = [], None
    for split in data.splits():
        first = first or split
        answers.append(right_answers(split))
    right = {who: [one[who] for one in answers] for who in answers[0]}
    mean = {who: float(np.mean([rows.mean() for rows in each])) for who, each in right.items()}
    C = max(CS, key=mean.__getitem__)
    seconds, svc_seconds = best(*(lambda m=m: m.fit(first.X, first.y) for m in (ours(), svc())), rounds=ROUNDS)
    return Accuracy(
        name,
        *first.X.shape,
        classes=len(np.unique(first.y)),
        splits="given" if isinstance(data, real_sets.Given) else str(len(answers)),
        ours=mean["ours"],
        svc=mean[C],
        C=C,
        logistic=mean["logistic"],
        sgd=mean["sgd"],
        error=standard_error(right["ours"], right[C]),
        time=seconds / svc_seconds,
    )


def bench_accuracy():
    for name, data in real_sets.found():
        row = accuracy(name, data)
        accuracies.append(row)
        difference = f"{100 * row.difference:+.2f} ± {100 * row.error:.2f} points"
        others = f"logistic {row.logistic:.4f}, SGD {row.sgd:.4f}"
        print(
            f"{name:16} {row.ours:.4f}, SVC {row.svc:.4f} (C={row.C:g}), {difference}; {others}; time {row.time:.2f}", flush=True
        )
    if accuracies:
        mean, worst = np.mean([row.difference for row in accuracies]), max(accuracies, key=lambda row: row.shortfall)
        what = f"{NAME} below the best of four LinearSVC"
        note = f"{worst.name}; differences within a standard error count as 0"
        report(f"{what}, mean of {len(accuracies)} sets", -100 * mean, 0.1, "pt", at_least=False)
        report(f"{what}, the worst set", worst.shortfall, 0.5, "pt", at_least=False, note=note)
        times = geometric_mean([row.time for row in accuracies])
        report("time of that fit ÷ LinearSVC(C=1), geometric mean", times, 0.35, at_least=False)


def loss_of(classifier, split):
    fitted = classifier.fit(split.X, split.y)
    return log_loss(split.y_test, fitted.predict_proba(split.X_test), labels=fitted.classes_)


def bench_calibration():
    if not hasattr(CANDIDATE, "predict_proba"):
        print(f"{NAME} has no predict_proba: its probabilities are not measured")
        return
    for name, data in real_sets.found():
        splits = islice(data.splits(), CALIBRATED_SPLITS)
        losses = [(loss_of(ours(), split), loss_of(CalibratedClassifierCV(svc()), split)) for split in splits]
        row = LogLoss(name, len(losses), *np.mean(losses, axis=0).tolist())
        log_losses.append(row)
        print(f"{name:16} log loss {row.ours:.4f} ÷ {row.svc:.4f} = {row.ratio:.3f}", flush=True)
    if log_losses:
        mean, worst = geometric_mean([row.ratio for row in log_losses]), max(log_losses, key=lambda row: row.ratio)
        what = "log loss ÷ a calibrated LinearSVC"
        report(f"{what}, geometric mean of {len(log_losses)} sets", mean, 1.0, at_least=False)
        report(f"{what}, the largest", worst.ratio, 1.2, at_least=False, note=worst.name)


def accuracy_section():
    if not accuracies:
        return []
    head = ["data", "training", "classes", "splits", NAME, "best SVC (C)", "logistic", "SGD", "difference", "±", "time"]
    lines = [
        [
            row.name,
            f"{row.rows:,} × {row.columns:,}",
            str(row.classes),
            row.splits,
            f"{100 * row.ours:.2f}",
            f"{100 * row.svc:.2f} ({row.C:g})",
            f"{100 * row.logistic:.2f}",
            f"{100 * row.sgd:.2f}",
            f"{100 * row.difference:+.2f}",
            f"{100 * row.error:.2f}",
            f"{row.time:.2f}",
        ]
        for row in accuracies
    ]
    worst, times = min(accuracies, key=lambda row: row.difference), geometric_mean([row.time for row in accuracies])
    return [
        "## Whole data sets",
        "",
        f"The table shows test accuracies in per cent. `{NAME}`, `LogisticRegression()` and `SGDClassifier()` have their",
        f"default settings. `LinearSVC` has the best C of {', '.join(f'{C:g}' for C in CS)}: the one with the highest mean",
        "accuracy on the test rows, which is in favour of the SVM. If a data set has no test set of its own, accuracies are",
        "means over random splits, 70 % for training and 30 % for the test, with each class in the same proportion.",
        "Scalers and tf-idf are fitted on the training rows.",
        f"Differences are `{NAME}` − SVM, in points; ± is their standard error, over the splits or, if there is only one,",
        f"over the test rows. Times are by the clock: a fit of `{NAME}` ÷ a fit of `LinearSVC(C=1)` on the first split,",
        f"the best of {ROUNDS} each.",
        "",
        *markdown_table(head, lines),
        f"Mean difference: {100 * np.mean([row.difference for row in accuracies]):+.2f} points. "
        f"Worst: {100 * worst.difference:+.2f} ({worst.name}). Geometric mean of the times: {times:.2f}.",
        "",
    ]


def calibration_section():
    if not hasattr(CANDIDATE, "predict_proba"):
        return ["## Probabilities", "", f"Not measured: `{NAME}` has no `predict_proba`.", ""]
    if not log_losses:
        return []
    mean, worst = geometric_mean([row.ratio for row in log_losses]), max(log_losses, key=lambda row: row.ratio)
    lines = [[row.name, str(row.splits), f"{row.ours:.4f}", f"{row.svc:.4f}", f"{row.ratio:.2f}"] for row in log_losses]
    return [
        "## Probabilities",
        "",
        f"The table shows the log loss of `predict_proba` on test rows, for `{NAME}` and for",
        f"`CalibratedClassifierCV(LinearSVC())`: means over the first {CALIBRATED_SPLITS} splits, or all if there are fewer.",
        "",
        *markdown_table(["data", "splits", NAME, "calibrated SVC", "ratio"], lines),
        f"Geometric mean of the ratios: {mean:.2f}. Largest: {worst.ratio:.2f} ({worst.name}).",
        "",
    ]


def page():
    """What was measured, in Markdown; None if nothing was."""
    if not (accuracies or progressive.measured or log_losses):
        return None
    lines = [
        "# How accurate, measured",
        "",
        f"Written by `make bench`: novikoff {novikoff.__version__}, scikit-learn {sklearn.__version__}, Vowpal Wabbit",
        f"{vowpalwabbit.__version__} and river {river.__version__}, on a shared machine with {cores()} cores.",
        "Nothing of ours is tuned to a data set; but the defaults were chosen with these sets in view, so other data may gain",
        "less. `benchmarks/real_sets.py` has the data sets and how each is prepared.",
        "",
    ]
    if chosen.absent:
        lines += [f"Not measured, because the files were not there: {', '.join(sorted(chosen.absent))}.", ""]
    return "\n".join(lines + accuracy_section() + progressive.section() + calibration_section())


BENCHES = [bench_accuracy, progressive.bench_progressive, bench_calibration]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(chosen.names), help="their names, with commas in between (default: all)")
    parser.add_argument("--splits", type=int, default=chosen.splits, help=f"the most splits of a set (default: {chosen.splits})")
    parser.add_argument("--data", type=Path, default=chosen.folder, help="where the data is (default: ../shared/data)")
    parser.add_argument("--markdown")
    given = parser.parse_args()
    chosen.names, chosen.splits, chosen.folder = tuple(given.sets.split(",")), given.splits, given.data
    if unknown := set(chosen.names) - set(real_sets.SETS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; the sets are {', '.join(real_sets.SETS)}")
    warnings.simplefilter("ignore")
    for bench in BENCHES:
        bench()
    if given.markdown and (text := page()):
        Path(given.markdown).write_text(text)


if __name__ == "__main__":
    main()
