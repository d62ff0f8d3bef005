"""From files to a learner: the same as from the matrix, however little memory there is."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

import novikoff
from novikoff import MarginPerceptron, Perceptron
from novikoff.data import sources
from novikoff.data.readers import nvkd
from novikoff.data.readers.nvkd import convert
from novikoff.data.sources import ReadError
from novikoff.engine.labelled_rows import examples
from novikoff.learning import pass_driver
from novikoff.learning.learner import Learner
from novikoff.learning.run import StopReason
from novikoff.learning.sweeping import sweep_piece
from novikoff.models.training import train


def problem(seed, rows=200, columns=30):
    """Sparse rows whose labels a hyperplane would give, but for a few."""
    rng = np.random.default_rng(seed)
    X = sp.random_array(
        (rows, columns), density=0.3, rng=rng, data_sampler=lambda size: np.round(rng.normal(size=size), 3)
    ).tocsr()
    X.data[X.data == 0] = 1.0
    y = np.where(X @ rng.normal(size=columns) + rng.normal(size=rows) * 0.3 > 0, 1, -1)
    y[:2] = 1, -1
    return X, y


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A file of several blocks, and what is in it."""
    X, y = problem(0)
    path = tmp_path_factory.mktemp("data") / "data.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path, X, y


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 2000)


@pytest.mark.parametrize("order", ["given", "once", "each"])
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_a_fit_to_a_file_is_that_to_its_matrix(file, small_chunks, order, readout):
    path, X, y = file
    by_hand = Learner("margin", order=order, readout=readout, seed=3)
    by_hand.fit(examples(X, y), 4)
    learner = Learner("margin", order=order, readout=readout, seed=3)
    training = train(learner, novikoff.open(path), 4)
    assert (learner.weights() == by_hand.weights()).all()
    assert learner.class_counts.tolist() == by_hand.class_counts.tolist()
    assert (training.rows, training.entries) == (200, X.nnz)
    assert "in memory" in training.how


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_with_little_memory_the_given_order_is_the_same(file, small_chunks, passes, readout):
    path, X, y = file
    learner, held = Learner("rosenblatt", readout=readout), Learner("rosenblatt", readout=readout)
    training = train(learner, novikoff.open(path), passes, memory=1)
    for _ in range(passes):
        held.learn(examples(X, y))
    assert (learner.weights() == held.weights()).all()
    assert learner.class_counts.sum() == learner.rows_fed == 200
    assert ("read for each pass" in training.how) == (passes > 1)
    assert [p.examples for p in training.run.passes] == [200] * passes
    ledger = learner.ledgers[0]
    assert sum(p.updates for p in training.run.passes) == ledger.updates
    assert ledger.entries.row.max() < 200


def test_with_little_memory_blocks_and_rows_are_shuffled(file, small_chunks, monkeypatch):
    path, _, _ = file
    monkeypatch.setattr(nvkd, "AT_A_TIME", 3000)
    order = []

    def spy(learner, piece):
        order.append((learner.passes, len(piece.examples), piece.order.tolist(), piece.examples.sheet.sqnorm.tolist()))
        return sweep_piece(learner, piece)

    monkeypatch.setattr(pass_driver, "sweep_piece", spy)
    learner = Learner("margin", readout="averaged", order="each", seed=1)
    training = train(learner, novikoff.open(path), 2, memory=1)
    assert "random order" in training.how
    for number in range(2):
        fed = [(size, rows) for passes, size, rows, _ in order if passes == number]
        assert len(fed) > 3
        assert all(sorted(rows) == list(range(size)) for size, rows in fed)
        assert sum(size for size, _ in fed) == 200
        assert any(rows != sorted(rows) for _, rows in fed)
    assert [norms for p, _, _, norms in order if p == 0] != [norms for p, _, _, norms in order if p == 1]
    again = Learner("margin", readout="averaged", order="each", seed=1)
    train(again, novikoff.open(path), 2, memory=1)
    assert (again.weights() == learner.weights()).all()


def test_a_clean_pass_ends_it_in_pieces_too(tmp_path, small_chunks):
    path = tmp_path / "easy.svm"
    path.write_text("".join(f"{1 if i % 2 else -1} 1:{1 if i % 2 else -1} 2:0.125\n" for i in range(500)))
    run = train(Learner(), novikoff.open(path), 50, memory=1).run
    assert run.stop_reason is StopReason.CLEAN_PASS
    assert run.passes[-1].updates == 0
    assert len(run.passes) < 50


def test_all_of_one_class_is_refused(tmp_path):
    path = tmp_path / "one.svm"
    path.write_text("1 1:1\n1 2:1\n")
    for passes, memory in ((1, None), (5, None), (5, 0)):
        for order in ("given", "each"):
            with pytest.raises(ReadError, match="all rows are of class 1; learning needs two classes or more"):
                train(Learner(order=order), novikoff.open(path), passes, memory=memory)


def test_estimators_take_files_and_blocks(file, small_chunks):
    path, X, y = file
    whole = MarginPerceptron(random_state=0).fit(novikoff.open(path))
    assert (whole.coef_ == MarginPerceptron(random_state=0).fit(X, y).coef_).all()
    streamed = Perceptron()
    for block in novikoff.open(path):
        streamed.partial_fit(block)
    assert (streamed.coef_ == Perceptron(max_iter=1).fit(X, y).coef_).all()
    assert streamed.predict(X).tolist() == Perceptron(max_iter=1).fit(X, y).predict(X).tolist()


# ---- the converted form ----------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_what_is_converted_is_what_was_read(tmp_path_factory, seed):
    X, y = problem(seed, rows=40, columns=8)
    folder = tmp_path_factory.mktemp("converted")
    dump_svmlight_file(X, y, str(folder / "d.svm"), zero_based=False)
    data = novikoff.open(folder / "d.svm")
    assert convert(data, str(folder / "d.nvkd")) == 40
    again, whole = novikoff.open(folder / "d.nvkd").read(), novikoff.open(folder / "d.svm").read()
    assert (again.X != whole.X).nnz == 0
    assert again.X.shape == whole.X.shape
    assert again.y.tolist() == whole.y.tolist()
    blocks = list(novikoff.open(folder / "d.nvkd"))
    assert np.concatenate([block.y for block in blocks]).tolist() == whole.y.tolist()


def test_tables_keep_their_names_and_safetensors_can_be_read(tmp_path):
    from safetensors.numpy import load_file

    path = tmp_path / "pets.csv"
    path.write_text("weight,colour,kind\n4.5,red,cat\n30,black,dog\n5,red,cat\n")
    convert(novikoff.open(path), str(tmp_path / "pets.nvkd"))
    found = novikoff.open(tmp_path / "pets.nvkd").read()
    assert found.names == ("weight", "colour=red", "colour=black")
    assert found.X.toarray().tolist() == novikoff.open(path).read().X.toarray().tolist()
    assert found.y.tolist() == ["cat", "dog", "cat"]
    assert load_file(tmp_path / "pets.nvkd")["codes"].tolist() == [0, 1, 0]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 2), st.integers(0, 255))
def test_damaged_converted_data_is_refused_or_read(tmp_path_factory, place, how, byte):
    """Never an error of another kind, and never a column out of range."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "d.svm").write_text("1 1:1 3:2\n-1 2:1\n1 3:1.5\n")
    convert(novikoff.open(folder / "d.svm"), str(folder / "d.nvkd"))
    content = bytearray((folder / "d.nvkd").read_bytes())
    at = place % len(content)
    match how:
        case 0:
            content[at] = byte
        case 1:
            del content[at:]
        case 2:
            content.insert(at, byte)
    (folder / "d.nvkd").write_bytes(content)
    try:
        found = novikoff.open(folder / "d.nvkd").read()
    except ReadError:
        found = None
    if found is not None:
        assert found.X.shape[0] == len(found.y)
        assert found.X.nnz == 0 or 0 <= found.X.indices.min() <= found.X.indices.max() < found.X.shape[1]
