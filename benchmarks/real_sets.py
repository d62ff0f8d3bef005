"""Real data for comparisons: 15 data sets from ../shared/data and 4 that scikit-learn ships, prepared and split.

A preparation, such as a scaler, is fitted on training rows alone. Where a data set has a test set of its own, it is used; all
others are split at random, 70 to 30, each class alike. Nothing here knows a learner.
"""

import csv
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
SPLITS = 20


class Split(NamedTuple):
    X: Any
    y: Any
    X_test: Any
    y_test: Any


class Given(NamedTuple):
    """A data set with a test set of its own."""

    split: Split

    def splits(self) -> Iterator[Split]:
        yield self.split


class Drawn(NamedTuple):
    """A data set that is split at random, the same way in every run."""

    rows: Any
    y: Any
    preparation: Any

    def splits(self) -> Iterator[Split]:
        drawn = StratifiedShuffleSplit(chosen.splits, test_size=0.3, random_state=0)
        for train, test in drawn.split(np.zeros(len(self.y)), self.y):
            fitted = self.preparation.fit(self.rows[train])
            yield Split(fitted.transform(self.rows[train]), self.y[train], fitted.transform(self.rows[test]), self.y[test])


AS_IT_IS = FunctionTransformer()
SCALED = StandardScaler()
WORDS = TfidfVectorizer()


def svmlight(*files):
    """(X, y) of each file. All have the same columns."""
    read = datasets.load_svmlight_files(files)
    return [(_narrow(X), y.astype(int)) for X, y in zip(read[::2], read[1::2], strict=True)]


def _narrow(X):
    """With 32-bit indices, which scikit-learn's SVM insists on and its own reader does not give."""
    return sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def given(folder, *names):
    train, test = svmlight(*(str(_there(folder / "svm" / name)) for name in names))
    return Given(Split(*train, *test))


def drawn(folder, name, preparation):
    ((X, y),) = svmlight(str(_there(folder / "svm" / name)))
    return Drawn(X, y, preparation)


def rcv1(folder):
    """Vowpal Wabbit's text, which is svmlight's but for the namespace."""
    texts = [(folder / "vw" / name).read_bytes() for name in ("rcv1_small.dat", "rcv1_small_test.data")]
    train, test = svmlight(*(io.BytesIO(text.replace(b"|f", b"")) for text in texts))
    return Given(Split(*train, *test))


def table(folder, name):
    with open(folder / "dense" / name, newline="") as file:
        lines = [line for line in csv.reader(file) if line]
    X = np.array([line[:-1] for line in lines], float)
    return Drawn(X, _numbered([line[-1] for line in lines]), SCALED)


def sentences(folder, name):
    """One sentence a line; each class has a file of its own."""
    texts, labels = [], []
    with zipfile.ZipFile(folder / "text" / name) as archive:
        for member in sorted(archive.namelist()):
            if not member.endswith(("/", "README.txt")):
                lines = [line for line in archive.read(member).decode("latin1").splitlines() if line.strip()]
                texts += lines
                labels += [member] * len(lines)
    return Drawn(np.array(texts, object), _numbered(labels), WORDS)


def mail(folder, name, is_spam):
    with tarfile.open(folder / "mail" / name) as archive:
        members = [member for member in archive if member.isfile() and member.name.endswith(".txt")]
        members = [member for member in members if is_spam(member.name) is not None]
        texts = [archive.extractfile(member).read().decode("latin1") for member in members]
    labels = np.array([is_spam(member.name) for member in members], int)
    return Drawn(np.array(texts, object), labels, WORDS)


def in_enron(name):
    return {"spam": True, "ham": False}.get(Path(name).parent.name)


def in_lingspam(name):
    return Path(name).name.startswith("spmsg")


def shipped(load):
    return Drawn(*load(return_X_y=True), SCALED)


def _numbered(labels):
    return np.unique(labels, return_inverse=True)[1]


def _there(path):
    if not path.exists():
        raise FileNotFoundError(path)
    return path


SETS: dict[str, Callable[[Path], Given | Drawn]] = {
    "a9a": lambda folder: given(folder, "a9a", "a9a.t"),
    "w8a": lambda folder: drawn(folder, "w8a", AS_IT_IS),
    "ijcnn1": lambda folder: given(folder, "ijcnn1.trn.bz2", "ijcnn1.tst.bz2"),
    "reuters": lambda folder: given(folder, "reuters.trn.bz2", "reuters.tst.bz2"),
    "news20": lambda folder: drawn(folder, "news20.bz2", TfidfTransformer()),
    "rcv1_small": rcv1,
    "agaricus": lambda folder: given(folder, "agaricus.txt.train", "agaricus.txt.test"),
    "mushrooms": lambda folder: drawn(folder, "mushrooms", AS_IT_IS),
    "sonar": lambda folder: table(folder, "sonar.csv"),
    "banknote": lambda folder: table(folder, "banknote_authentication.csv"),
    "ionosphere": lambda folder: table(folder, "ionosphere.csv"),
    "polarity": lambda folder: sentences(folder, "sentence_polarity.zip"),
    "subjectivity": lambda folder: sentences(folder, "subjectivity.zip"),
    "enron": lambda folder: mail(folder, "enron1.tar.gz", in_enron),
    "lingspam": lambda folder: mail(folder, "lingspam-part1-5.tar.gz", in_lingspam),
    "breast_cancer": lambda _: shipped(datasets.load_breast_cancer),
    "digits": lambda _: shipped(datasets.load_digits),
    "wine": lambda _: shipped(datasets.load_wine),
    "iris": lambda _: shipped(datasets.load_iris),
}
TEXTS = ("polarity", "subjectivity", "enron", "lingspam")
STREAMS = ("a9a", "ijcnn1", "reuters", "rcv1_small", *TEXTS)  # two classes each


@dataclass
class Chosen:
    """What of all this is measured, and what of that was not there."""

    names: tuple[str, ...] = tuple(SETS)
    splits: int = SPLITS  # at most so many a set
    folder: Path = FOLDER
    absent: set[str] = field(default_factory=set)


chosen = Chosen()


def found(names=tuple(SETS)):
    """(name, data) of each of these sets that is chosen and there."""
    for name in names:
        if name in chosen.names:
            try:
                data = SETS[name](chosen.folder)
            except FileNotFoundError:
                if name not in chosen.absent:
                    print(f"{name}: the data is not here")
                chosen.absent.add(name)
            else:
                yield name, data


def stream(data):
    """(X, y), with y −1 or +1, to be read once and in order.

    Training files are taken in their own order. Texts lie there class by class, so they are shuffled; their rows are counts of
    words, scaled to length 1. That needs nothing of the rows that come later.
    """
    if isinstance(data, Given):
        X, y = data.split.X, data.split.y
    else:
        order = np.random.default_rng(0).permutation(len(data.y))
        X, y = make_pipeline(CountVectorizer(), Normalizer()).fit_transform(data.rows[order]), data.y[order]
    return X, np.where(y == y.max(), 1, -1)
