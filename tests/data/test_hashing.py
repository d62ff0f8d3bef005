"""Hashes and words: the same as scikit-learn's and Vowpal Wabbit's, on whatever text."""

import re
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from novikoff.compiler.dispatch import compiled
from novikoff.data.feature_bags import LONGEST_NAME
from novikoff.data.features import Hashed, features_of
from novikoff.data.hashing import MOST_BITS, NOT_SIMPLE, Way, bag_of_texts, make_small, small_characters
from novikoff.data.murmur import hashed

# Letters that become two when they are made small, that are written otherwise at a word's end, marks, digits, blanks of all kinds
ODD = "aB_09 ,.-\t\r\u00a0\u2003\x1c\x85éßİΣσΑ\u0301¼²五中🂡𝔘𐐀\u200d\ufeff"
texts = st.lists(st.text(st.sampled_from(ODD) | st.characters(exclude_categories=("Cs",)), max_size=60), min_size=1, max_size=5)


def rows(bag, bits):
    return sp.csr_array((bag.values, bag.columns, bag.starts), shape=(len(bag.starts) - 1, 2**bits))


def by_scikit_learn(texts, way):
    """Texts as `bag_of_texts` sees them: each is one line."""
    texts = [text.replace("\n", " ").removesuffix("\r") for text in texts]
    how = {"norm": None, "n_features": 2**way.bits}
    X = sp.csr_array((len(texts), 2**way.bits))
    if way.words:
        X = X + HashingVectorizer(**how, ngram_range=(1, way.words)).transform(texts)
    if way.characters:
        X = X + HashingVectorizer(**how, ngram_range=(way.characters, way.characters), analyzer="char").transform(texts)
    return X


def cut(name):
    long = name.encode()
    return name if len(long) <= LONGEST_NAME else long[:LONGEST_NAME].decode("utf-8", "ignore") + "…"


@given(st.binary(max_size=40), st.integers(0, 2**32 - 1))
def test_the_hash_is_scikit_learns(content, seed):
    assert hashed(content, seed) == murmurhash3_32(content, seed, positive=True)


def test_the_hash_is_vowpal_wabbits():
    vw = pytest.importorskip("vowpalwabbit").Workspace("--quiet --hash all -b 20")
    for name in ("a", "word", "größe", "x" * 33, "12"):
        assert hashed(name.encode()) == vw.hash_space(name)
        assert hashed(name.encode(), 77) % 2**20 == vw.hash_feature(name, 77)


@given(texts, st.integers(0, 3), st.integers(0, 4), st.sampled_from([1, 5, 18, 20]))
def test_rows_are_those_of_scikit_learns_hashing_vectorizer(texts, words, characters, bits):
    way = Way(bits, words, characters)
    bag = bag_of_texts(texts, way)
    assert (rows(bag, bits) != by_scikit_learn(texts, way)).nnz == 0
    for row in np.split(bag.columns, bag.starts[1:])[:-1]:
        assert (np.diff(row) > 0).all()


def test_every_character_is_made_small_as_python_does():
    table = small_characters()
    some = "".join(chr(code) for code in np.flatnonzero(table != NOT_SIMPLE).tolist() if not 0xD800 <= code < 0xE000)
    by_python = re.sub(r"[^\w\x00-\x7f]", lambda found: " " * len(found[0].encode()), some.lower())
    small = np.frombuffer(bytearray(some.encode().lower()), np.uint8)
    assert compiled(make_small)(small, table)
    assert small.tobytes().decode() == by_python
    for code in np.flatnonzero(table == NOT_SIMPLE).tolist():
        assert not compiled(make_small)(np.frombuffer(bytearray(chr(code).encode()), np.uint8), table)


@pytest.mark.parametrize("bits", [3, 20, MOST_BITS])
def test_long_rows(bits):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 10**6, n)) for n in (39, 41, 5000)]
    assert (rows(bag_of_texts(texts, Way(bits)), bits) != by_scikit_learn(texts, Way(bits))).nnz == 0


@given(texts, st.sampled_from([2, 6, 18, 20]))
def test_names_and_collisions(texts, bits):
    features = Hashed(bits, words=2)
    features.note(bag_of_texts(texts, features.way).met)
    inside = {}
    for text in texts:
        words = re.findall(r"\b\w\w+\b", text.lower())
        for name in words + [" ".join(pair) for pair in pairwise(words)]:
            inside.setdefault(abs(murmurhash3_32(name.encode())) % 2**bits, []).append(name)
    assert features.collisions == sum(len(set(names)) > 1 for names in inside.values())
    for bucket, names in inside.items():
        signs = {cut(name): np.sign(murmurhash3_32(name.encode()) + 0.5) for name in names}
        assert features.sign(bucket) == signs[features.name(bucket)]
    unknown = next((bucket for bucket in range(2**bits) if bucket not in inside), None)
    assert unknown is None or features.name(unknown) == f"bucket {unknown}"


@given(st.lists(texts, max_size=3), texts)
def test_features_are_saved_and_go_on(before, after):
    features = Hashed(4, 2, 3, "mail")
    for some in before:
        features.note(bag_of_texts(some, features.way).met)
    again = features_of(features.header(), features.tensors())
    for each in (features, again):
        each.note(bag_of_texts(after, features.way).met)
    assert again.header() == features.header()
    assert again.collisions == features.collisions
    assert [(again.name(c), again.sign(c)) for c in range(16)] == [(features.name(c), features.sign(c)) for c in range(16)]


def test_only_names_that_matter_are_saved():
    features = Hashed(10)
    bag = bag_of_texts(["alpha beta gamma"], features.way)
    features.note(bag.met)
    columns = bag.columns
    again = features_of(features.header(), features.tensors(columns[:1]))
    assert again.name(columns[0]) == features.name(columns[0])
    assert again.name(columns[1]) == f"bucket {columns[1]}"


def test_frozen_features_learn_no_names():
    features = Hashed(10)
    features.frozen = True
    bag = bag_of_texts(["alpha"], features.way)
    features.note(bag.met)
    assert features.name(bag.columns[0]) == f"bucket {bag.columns[0]}"


def test_what_is_no_way_to_hash():
    for wrong in ({"bits": 0}, {"bits": 31}, {"words": 0}, {"words": -1, "characters": 2}):
        with pytest.raises(ValueError, match=r"bits, not|must not be negative"):
            Hashed(**wrong)


def test_damaged_names_are_refused():
    features = Hashed(6)
    features.note(bag_of_texts(["alpha beta gamma delta epsilon"], features.way).met)
    whole = features.tensors()
    names = len(whole["lengths"])
    for name, damaged in (
        ("columns", np.array([64], np.int32)),
        ("columns", np.array([-1], np.int32)),
        ("columns", np.zeros(names + 1, np.int32)),
        ("columns", whole["columns"].astype(float)),
        ("check", np.ones(1, np.uint32)),
        ("text", whole["text"][:-1]),
        ("lengths", whole["lengths"][:-1]),
        ("lengths", whole["lengths"] + np.uint8(100)),
        ("lengths", whole["lengths"][:, None]),
        ("shared", np.zeros(3, np.uint8)),
        ("shared", np.array([64], np.int32)),
    ):
        more = {"check": np.zeros(len(damaged), np.uint32)} if name == "columns" else {}
        with pytest.raises(ValueError, match="the names are damaged"):
            features_of(features.header(), whole | more | {name: damaged})


def in_the_old_layout(features):
    """The tables as version 1 of the files had them: every column and check, where names end, a bit for each bucket."""
    columns = np.flatnonzero(features._check)
    length = features._length[columns].astype(np.int64)
    names = [features._names[a : a + n].tobytes() for a, n in zip(features._at[columns], length, strict=True)]
    tables = {"columns": columns.astype(np.int32), "check": features._check[columns], "ends": np.cumsum(length)}
    return tables | {"text": np.frombuffer(b"".join(names), np.uint8), "shared": np.packbits(features._shared)}


@given(texts)
def test_tables_of_older_files_are_taken(some):
    features = Hashed(4, 2, 3)
    features.note(bag_of_texts(some, features.way).met)
    old = in_the_old_layout(features)
    again = features_of(features.header(), old)
    assert again.collisions == features.collisions
    assert [(again.name(c), again.sign(c)) for c in range(16)] == [(features.name(c), features.sign(c)) for c in range(16)]
    for name, damaged in (("ends", old["ends"] + 1), ("ends", old["ends"][:0]), ("shared", old["shared"][:1])):
        if len(old["ends"]):
            with pytest.raises(ValueError, match="the names are damaged"):
                features_of(features.header(), old | {name: damaged})


def test_names_that_tell_their_buckets_are_stored_without_them():
    features = Hashed(20, words=2)
    features.note(bag_of_texts(["alpha beta " + "x" * 70, "gamma"], features.way).met)
    tables = features.tensors()
    assert len(tables["lengths"]) == 6  # 4 words, of which one is cut, 2 pairs, of which one is cut
    assert len(tables["columns"]) == len(tables["check"]) == 2
    assert tables["text"].tobytes().startswith(b"alphaalpha betabetagamma")


@pytest.mark.parametrize("change", [{"words": 1.0}, {"words": 0.5, "characters": 10**400}, {"bits": True}, {"characters": None}])
def test_settings_of_other_types_are_refused(change):
    features = Hashed(4, 2, 3, "mail")
    with pytest.raises(ValueError, match="damaged"):
        features_of(features.header() | change, features.tensors())
