"""Labelled texts: what is read, and what is refused in which words."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from novikoff import MarginPerceptron
from novikoff.data import sources
from novikoff.data.features import Hashed
from novikoff.data.readers import open as opened
from novikoff.data.readers import read
from novikoff.data.readers.text import _recognises
from novikoff.data.sources import ReadError

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "text"


def same(X, Y):
    return X.shape == Y.shape and (X != Y).nnz == 0


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.text"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def by_scikit_learn(texts, **how):
    return HashingVectorizer(norm=None, **how).transform(texts)


def test_labels_and_texts(write):
    data = opened(write("\ufeffspam\tBuy now, buy\n\nham \tHello there\tGröße\r\n  \t \nspam\t\n"))
    X, y, names, weight = data.read()
    assert y.tolist() == ["spam", "ham", "spam"]
    assert same(X, by_scikit_learn(["buy now buy", "hello there größe", ""]))
    assert (names, weight) == (None, None)
    assert {data.features.name(column) for column in X.indices} == {"buy", "now", "hello", "there", "größe"}
    assert data.features.collisions == 0


def test_labels_that_are_numbers_and_long_ones(write):
    assert read(write("+1\tone\n-1\ttwo\n1.0\tthree")).y.tolist() == [1, -1, 1]
    assert read(write("a long label\tone\na long labe\ttwo\nb\tthree")).y.tolist() == ["a long label", "a long labe", "b"]


def test_what_the_user_says_of_features(write):
    lines, texts = write("a\tThe quick  brown fox\nb\ta lazy dog"), ["The quick  brown fox", "a lazy dog"]
    X = read(lines, bits=9, words=2, characters=3).X
    how = {"n_features": 2**9}
    runs = by_scikit_learn(texts, analyzer="char", ngram_range=(3, 3), **how)
    assert same(X, by_scikit_learn(texts, ngram_range=(1, 2), **how) + runs)
    assert same(read(lines, words=0, characters=3, bits=9).X, runs)
    with pytest.raises(ReadError, match="1 to 30 bits, not 31"):
        read(lines, bits=31)
    with pytest.raises(ReadError, match="not both 0"):
        read(lines, words=0)


def test_spaces_after_the_tab(write):
    X = read(write("a \t \t one  two\nb\t  \n"), characters=2).X
    assert same(X, by_scikit_learn([" one two", " "]) + by_scikit_learn([" one two", " "], analyzer="char", ngram_range=(2, 2)))


def test_the_features_of_a_model_decide(write):
    features = Hashed(8, words=2)
    features.frozen = True
    data = opened(write("a\tone two"), features=features)
    assert data.read().X.shape == (1, 256)
    assert features.name(data.read().X.indices[0]).startswith("bucket")
    with pytest.raises(ReadError, match="hashed as text, but those of earlier files as vw; use files of one kind"):
        opened(write("a\tone two"), features=Hashed(8, scheme="vw")).read()


def test_texts_without_labels(write):
    lines = write("one two\nspam\tthree four\n\tfive six\n")
    assert read(lines, format="text", unlabelled=True).y.tolist() == ["", "spam", ""]
    assert same(read(lines, unlabelled=True).X, by_scikit_learn(["one two", "three four", "five six"]))
    with pytest.raises(ReadError, match=r"data\.text:1: has no tab after its label; write it like"):
        read(lines)
    with pytest.raises(ReadError, match=r"data\.text:1: the label is missing"):
        read(write("\tfive six\n"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\tone\nb\tt\xffwo\n", ":2: is not UTF-8 text; convert it with iconv"),
        (b"a\tone\nb\tt\0wo\n", ":2: has a zero byte, which no text has"),
        ("a\tone\n\n\nb two\n", ":4: has no tab after its label"),
        ("a\tone\nnan\ttwo\n", ":2: the label is nan"),
        ("a\tone\n" + "b" * 201 + "\ttwo\n", ":2: the label has 201 characters"),
        ("", "has no rows"),
    ],
)
def test_refused(write, content, said):
    with pytest.raises(ReadError) as caught:
        read(write(content))
    assert said in str(caught.value)
    assert "data.text" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_lines_can_be_skipped(write):
    data = opened(write(b"a\tone\nb\tt\xffwo\nthree\nnan\tfour\nb\tf\0ive\nc\tsix six"), skip_bad_lines=True)
    X, y, *_ = data.read()
    assert y.tolist() == ["a", "c"]
    assert same(X, by_scikit_learn(["one", "six six"]))
    assert data.reading.n_skipped == 4
    assert [said.split(": ")[1].split(";")[0] for said in data.reading.skipped] == [
        "is not UTF-8 text",
        "has no tab after its label",
        "the label is nan",
        "has a zero byte, which no text has",
    ]


def test_label_columns_are_for_tables(write):
    with pytest.raises(ReadError, match="leave the label column out"):
        read(write("a\tone"), label=1)


@pytest.mark.parametrize(
    ("line", "is_text"),
    [
        (b"spam\tBuy now, or never", True),
        (b"1\tBuy now", True),
        ("1\tgrößer als".encode(), True),
        (b"1\t2", False),
        (b"1\t2 3", False),
        (b"name\tage", False),
        (b"a\tb c\td e", False),
        (b"1\t1:0.5 2:0.5", False),
        (b"1 |f a\tb c", False),
        (b"a,b\tc d", False),
        (b"Buy now, or never", False),
    ],
)
def test_how_it_is_recognised(line, is_text):
    assert _recognises(line) == is_text


lines = st.lists(
    st.tuples(st.sampled_from(["spam", "ham", "a longer label"]), st.text(st.sampled_from("aBcé -\t\u2003İß"), max_size=30)),
    min_size=1,
    max_size=12,
)


@given(lines, st.integers(1, 50), st.integers(0, 3))
def test_a_stream_in_pieces_is_the_whole(tmp_path_factory, lines, size, characters):
    path = tmp_path_factory.mktemp("stream") / "data.text"
    path.write_text("\n".join("\t".join(line) for line in lines), encoding="utf-8", newline="")
    whole = opened(path, bits=10, words=2, characters=characters)
    X, y, *_ = whole.read()
    assert y.tolist() == [label for label, _ in lines]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "CHUNK", size)
        stream = opened(path, bits=10, words=2, characters=characters)
        blocks = list(stream)
    assert same(sp.vstack([block.X for block in blocks]).tocsr(), X)
    assert np.concatenate([block.y for block in blocks]).tolist() == y.tolist()
    assert stream.features.collisions == whole.features.collisions
    assert [stream.features.name(c) for c in X.indices] == [whole.features.name(c) for c in X.indices]


@given(st.binary(max_size=80) | st.lists(st.sampled_from([b"a\tb", b"\n", b"\t", b"\xff", b"\0", b"\r\n", b"bc"])).map(b"".join))
def test_whatever_the_bytes_there_are_rows_or_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "data.text"
    path.write_bytes(content)
    for how in ({}, {"unlabelled": True}, {"skip_bad_lines": True, "characters": 2}):
        try:
            X, y, *_ = read(path, **how)
        except ReadError as error:
            assert "data.text" in str(error)  # noqa: PT017
        else:
            assert X.shape == (len(y), 2**20)
            assert len(y)


@pytest.mark.parametrize(("name", "least"), [("sentence_polarity", 0.73), ("subjectivity", 0.88)])
@pytest.mark.filterwarnings("ignore")
def test_real_sentences(tmp_path, name, least):
    if not (REAL / f"{name}.zip").exists():
        pytest.skip("the data is not beside the project")
    with zipfile.ZipFile(REAL / f"{name}.zip") as archive:
        files = [file for file in archive.namelist() if not file.endswith(("/", "README.txt"))]
        texts = [archive.read(file).decode("latin-1").strip().split("\n") for file in files]
    path = tmp_path / "sentences.text"
    lines = [f"{Path(file).name}\t{' '.join(text.split())}\n" for file, some in zip(files, texts, strict=True) for text in some]
    path.write_text("".join(lines), encoding="utf-8")
    X, y, *_ = read(path, words=2)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[1000:], order[:1000]
    model = MarginPerceptron(random_state=0).fit(X[train], y[train])
    assert model.score(X[test], y[test]) >= least
