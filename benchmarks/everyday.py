"""Everyday data: raw tables and raw texts, through the command line, against what people use.

python benchmarks/everyday.py [--only WORD]
"""

import json
import os
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import real_sets
from click.testing import CliRunner
from measuring import best, main, report
from sklearn import datasets
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from novikoff import load
from novikoff.cli import main as novikoff
from novikoff.data.preparation import Statistics
from novikoff.data.preparer import Wanted, preparer_for
from novikoff.data.readers import Dataset, Options

FOLDER = tempfile.TemporaryDirectory()
FOLDS, SPLITS = 5, 10
BELOW = 0.3  # points
MEGABYTES = 200


def file(name):
    return str(Path(FOLDER.name) / name)


def called(*words):
    """What a command prints."""
    ended = CliRunner().invoke(novikoff, [str(word) for word in words])
    if ended.exit_code:
        raise RuntimeError(f"novikoff {' '.join(map(str, words))}: {ended.output}")
    return ended.stdout


def accuracy_of(train, test):
    called("fit", train, "-o", file("model.nvk"), "-q", "--yes")
    return json.loads(called("score", test, "-m", file("model.nvk"), "--json"))["accuracy"]


# ---- accuracy of tables ----------------------------------------------------------------------------------------------


def adult_like(rows=8000, seed=0):
    """Numbers of different scales, categories, gaps in both, and a label that depends on all of them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(17, 90, rows).astype(float),
            "weight": np.round(rng.lognormal(12, 0.5, rows)),
            "gain": np.where(rng.random(rows) < 0.9, 0.0, np.round(rng.lognormal(8, 1, rows))),
            "hours": rng.integers(1, 99, rows).astype(float),
            "work": rng.choice(["private", "state", "own", "none"], rows, p=[0.6, 0.2, 0.15, 0.05]),
            "school": rng.choice([f"school {k}" for k in range(12)], rows),
            "city": rng.choice([f"city {k}" for k in range(60)], rows),
        }
    )
    score = 0.05 * (table["age"] - 50) + 0.5 * np.log1p(table["gain"]) + 0.03 * (table["hours"] - 50)
    score += (
        table["work"].map({"private": 0.3, "state": 0, "own": 1, "none": -2}) + table["school"].str[7:].astype(int) * 0.2 - 1.2
    )
    table["income"] = np.where(score + rng.logistic(0, 1, rows) > 1.5, ">50K", "<=50K")
    for column, share in (("age", 0.02), ("work", 0.06), ("hours", 0.01)):
        table[column] = table[column].astype(object).where(rng.random(rows) >= share, None)
    return table


def tables():
    for name, frame in (("breast cancer", datasets.load_breast_cancer), ("wine", datasets.load_wine)):
        yield name, frame(as_frame=True).frame
    yield "adult-like", adult_like()
    for name in ("ionosphere", "banknote_authentication", "sonar"):
        path = real_sets.FOLDER / "dense" / f"{name}.csv"
        if path.exists():
            table = pd.read_csv(path, header=None)
            yield name, table.set_axis([*(f"x{j}" for j in range(table.shape[1] - 1)), "label"], axis=1)


def what_people_use():
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    categories = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    chosen = make_column_selector(dtype_include=np.number), make_column_selector(dtype_exclude=np.number)
    return make_pipeline(
        make_column_transformer((numbers, chosen[0]), (categories, chosen[1])), LogisticRegression(max_iter=1000)
    )


def bench_tables():
    for name, table in tables():
        y, differences, ours = table.iloc[:, -1].to_numpy(), [], []
        table.to_csv(file("whole.csv"), index=False)
        whole = pd.read_csv(file("whole.csv"))
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y):
            whole.iloc[train].to_csv(file("train.csv"), index=False)
            whole.iloc[test].to_csv(file("test.csv"), index=False)
            theirs = what_people_use().fit(whole.iloc[train, :-1], y[train]).score(whole.iloc[test, :-1], y[test])
            ours.append(accuracy_of(file("train.csv"), file("test.csv")))
            differences.append(theirs - ours[-1])
        note = f"{100 * np.mean(ours):.2f} %, {FOLDS} folds"
        report(f"raw {name}, points below logistic regression", 100 * np.mean(differences), BELOW, "pt", False, note)


# ---- accuracy of texts -----------------------------------------------------------------------------------------------


def bench_texts():
    for name, data in real_sets.found(real_sets.TEXTS):
        rows, y, differences, ours = data.rows, data.y, [], []
        lines = [f"c{label}\t{' '.join(str(text).replace(chr(0), ' ').split())}\n" for label, text in zip(y, rows, strict=True)]
        for train, test in StratifiedShuffleSplit(SPLITS, test_size=0.3, random_state=0).split(y, y):
            for part, which in (("train.text", train), ("test.text", test)):
                Path(file(part)).write_text("".join(lines[i] for i in which), encoding="utf-8")
            words = TfidfVectorizer().fit(rows[train])
            svc = LinearSVC(C=1).fit(words.transform(rows[train]), y[train])
            ours.append(accuracy_of(file("train.text"), file("test.text")))
            differences.append(svc.score(words.transform(rows[test]), y[test]) - ours[-1])
        note = f"{100 * np.mean(ours):.2f} %, {SPLITS} splits"
        report(f"raw text {name}, points below tf-idf and LinearSVC", 100 * np.mean(differences), BELOW, "pt", False, note)
        if name == "polarity":
            _model_size()


def _model_size():
    """Of the last text model."""
    model, size = load(file("model.nvk")), os.path.getsize(file("model.nvk"))
    used = int((model.learner.weights()[:, :-1] != 0).any(axis=0).sum())
    report("model file ÷ 16 bytes per feature with a weight", size / (16 * used), 1.5, "×", False, f"{size / 1e6:.1f} MB")


# ---- speed of tables -------------------------------------------------------------------------------------------------


@cache
def numeric_file():
    rng = np.random.default_rng(0)
    block = rng.normal(size=(20_000, 20)).round(6)
    label = (block[:, :5].sum(axis=1) + rng.normal(size=len(block)) > 0).astype(int)
    text = pd.DataFrame(block).assign(label=label).to_csv(index=False, header=False)
    head = ",".join([*(f"x{j}" for j in range(20)), "label"]) + "\n"
    Path(file("numeric.csv")).write_text(head + text * round(MEGABYTES * 1e6 / len(text)))
    return file("numeric.csv")


@cache
def mixed_file():
    table = adult_like(20_000).assign(pi=np.random.default_rng(1).normal(size=20_000).round(5))
    table = table[[*(name for name in table if name != "income"), "income"]]
    text = table.to_csv(index=False, header=False)
    Path(file("mixed.csv")).write_text(",".join(table) + "\n" + text * round(MEGABYTES * 1e6 / len(text)))
    return file("mixed.csv")


def bench_speed_of_tables():
    for name, path in (("numeric", numeric_file()), ("mixed", mixed_file())):
        ours, theirs = best(
            lambda path=path: called("fit", path, "-o", file("fast.nvk"), "-q", "--yes"),
            lambda path=path: pd.read_csv(path),
            rounds=3,
        )
        size = os.path.getsize(path) / 1e6
        note = f"{ours:.2f} against {theirs:.2f} s, {size:.0f} MB"
        report(f"CSV to a model, {name}, ÷ pandas.read_csv alone", ours / theirs, 1.0, at_least=False, note=note)
        data = Dataset(path, Options(prepared=True))
        held = data.read()

        def prepare(data=data, held=held):
            found = Statistics()
            found.add(held.X)
            preparer_for(Wanted(), data.features, found).apply(held.X, data.features)

        reading, preparing = best(lambda path=path: Dataset(path, Options(prepared=True)).read(), prepare, rounds=3)
        note = f"{preparing:.2f} against {reading:.2f} s"
        report(f"preparing ÷ parsing, {name}", preparing / reading, 0.5, at_least=False, note=note)


BENCHES = [bench_tables, bench_texts, bench_speed_of_tables]

if __name__ == "__main__":
    main(BENCHES, __doc__)
