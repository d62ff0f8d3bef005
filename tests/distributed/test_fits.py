"""A fit on a cluster: the single machine on one shard, the same bits on any number of workers, and what it is defined to be."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from clusters import cluster_of
from hypothesis import given
from hypothesis import strategies as st
from splitting import split, stacked

import novikoff
from novikoff import Learner, ManySeparable, Separable, Undecided
from novikoff.data import datasets
from novikoff.data.readers import Options
from novikoff.distributed import fit, predict, verify
from novikoff.distributed.cluster import Cluster, ClusterError
from novikoff.distributed.sharded_data import Shards
from novikoff.engine.labelled_rows import examples
from novikoff.models import model as models


def blobs(classes, n=300, columns=6, seed=0, sparse=False, apart=2.0):
    """Noisy clouds, a class each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    X = rng.normal(size=(n, columns)) + apart * rng.normal(size=(classes, columns))[y]
    if sparse:
        X = sp.csr_array(np.where(rng.random(X.shape) < 0.5, X, 0.0))
    return X, np.array(["red", "green", "blue", "grey"])[y] if classes > 2 else y


def alone(X, y, passes, fit_intercept=True, **settings):
    """The learner of a single machine."""
    learner = Learner(**{"rule": "rosenblatt"} | settings)
    run = learner.fit(examples(X, y, constant=int(fit_intercept)), passes)
    return learner, run


SETTINGS = [
    {},
    {"readout": "averaged"},
    {"rule": "margin", "readout": "averaged", "class_weight": "balanced"},
    {"rule": "pa-i", "order": "each", "seed": 3},
    {"readout": "averaged", "order": "once", "seed": 5},
    {"multiclass": "direct", "readout": "averaged"},
    {"rule": "arow", "order": "each", "seed": 1},
    {"rule": "arow", "confidence": "full"},
    {"rule": "stream", "multiclass": "direct"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("classes", [2, 4])
def test_one_shard_is_the_single_machine_to_the_bit(client, settings, classes):
    for sparse in (False, True):
        X, y = blobs(classes, seed=classes, sparse=sparse)
        model = fit([X], [y], client=client, passes=7, **settings)
        learner, run = alone(X, y, 7, **settings)
        assert model.learner.weights().tobytes() == learner.weights().tobytes()
        assert [one[:4] for one in model.run["each_pass"]] == [list(one[:4]) for one in run.passes]
        assert model.run["stop_reason"] == str(run.stop_reason)
        assert (model.labels(X) == learner.classes[learner.codes(learner.decide(X))]).all()


@given(st.integers(0, 10**6), st.sampled_from(SETTINGS), st.integers(2, 4))
def test_a_pass_from_where_another_ended_is_the_next_pass(seed, settings, classes):
    """What a shard alone does on a worker, without one: the learner is put together anew for each pass."""
    X, y = blobs(classes, n=40, seed=seed)
    settings = {"rule": "rosenblatt"} | settings
    whole, _ = alone(X, y, 3, **settings)
    seen, classes_there = examples(X, y), np.unique(y)
    w, late, clock = None, None, 0
    for number in range(whole.passes):
        part = Learner(**settings)
        part.begin(classes_there, X.shape[1], 1)
        own = part.answering
        part.take_up(part.shared() if w is None else w, clock, late)
        if settings.get("class_weight") == "balanced":
            counts = np.unique(y, return_counts=True)[1]
            part.class_weight = dict(zip(classes_there.tolist(), (len(y) / (len(counts) * counts)).tolist(), strict=True))
        part.go_over(seen, number)
        w, clock = part.shared(), int(part.team.clock[0])
        late = part.readout_state.late[own].copy() if part.readout == "averaged" else None
    assert part.weights().tobytes() == whole.weights().tobytes()


def test_the_result_does_not_depend_on_the_workers(client):
    cases = [
        (classes, shards, sparse, settings)
        for (classes, shards, sparse), each in (
            ((2, 4, False), ({}, {"readout": "averaged", "mixing": "mistakes", "order": "each"})),
            ((2, 7, True), ({"readout": "averaged"},)),
            ((4, 5, True), ({"class_weight": "balanced", "mixing": "mistakes"}, {"multiclass": "direct", "readout": "averaged"})),
            ((3, 16, False), ({"rule": "margin", "readout": "averaged"}, {"rule": "arow"}, {"rule": "stream"})),
            ((2, 5, True), ({"rule": "arow", "confidence": "full"}, {"rule": "arow"})),
        )
        for settings in each
    ]

    def all_of_them(client):
        found = []
        for classes, shards, sparse, settings in cases:
            X, y = blobs(classes, seed=shards, sparse=sparse)
            model = fit(*split(X, y, shards), client=client, passes=5, **settings)
            w = model.learner.weights()
            found.append((w.tobytes(), model.run["each_pass"][-1][:4], [str(proof) for proof in model.certificates]))
        return found

    with_two = all_of_them(client)
    for workers in (1, 3):
        with cluster_of(workers) as other:
            assert all_of_them(other) == with_two
    assert len({found[0] for found in with_two}) == len(cases)  # they could have differed


def mixed_plainly(blocks, labels, passes, mixing, intercept=True):
    """Iterative parameter mixing and its average, written down once more, in Python's own arithmetic on whole numbers."""
    width = blocks[0].shape[1] + intercept
    w, total, count, counts = [0.0] * width, [0.0] * width, 0, []
    for _ in range(passes):
        ends, made = [], []
        for X, y in zip(blocks, labels, strict=True):
            mine, mistakes = list(w), 0
            for row, label in zip(X.tolist(), y.tolist(), strict=True):
                x = [*row, 1.0] if intercept else row
                if label * sum(a * b for a, b in zip(mine, x, strict=True)) <= 0:
                    mine = [a + label * b for a, b in zip(mine, x, strict=True)]
                    mistakes += 1
                total = [a + b for a, b in zip(total, mine, strict=True)]
                count += 1
            ends.append(mine)
            made.append(mistakes)
        counts.append(made)
        if not any(made):
            break
        shares = made if mixing == "mistakes" else [1] * len(made)
        w = [sum(m * end[j] for m, end in zip(shares, ends, strict=True)) / sum(shares) for j in range(width)]
    return np.array(w), np.array(total) / count, counts


@pytest.mark.parametrize("mixing", ["uniform", "mistakes"])
@pytest.mark.parametrize("shards", [2, 4, 5])
def test_it_is_what_it_is_defined_to_be(client, mixing, shards):
    rng = np.random.default_rng(shards)
    exactly = mixing == "uniform" and shards != 5  # on whole numbers; elsewhere a score of 0 would depend on how it is rounded
    X = rng.integers(-3, 4, (80, 4)).astype(float) if exactly else rng.normal(size=(80, 4))
    y = np.where(X @ [1, -2, 1, 0] + rng.integers(-2, 3, 80) > 0, 1, -1)
    blocks, labels = split(X, y, shards)
    heard = []
    last = fit(blocks, labels, client=client, passes=6, mixing=mixing, on_pass=lambda epoch: heard.append(epoch.mistakes))
    average = fit(blocks, labels, client=client, passes=6, mixing=mixing, readout="averaged")
    w, mean, counts = mixed_plainly(blocks, labels, 6, mixing)
    assert np.allclose(last.learner.weights()[0], w, rtol=0 if exactly else 1e-12, atol=0 if exactly else 1e-12)
    assert np.allclose(average.learner.weights()[0], mean, rtol=1e-12, atol=1e-12)
    assert heard == [tuple(made) for made in counts]
    assert [one[3] for one in last.run["each_pass"]] == [sum(made) for made in counts]


def shard_by_shard(blocks, labels, passes, kind):
    """Mixing by confidence, written down once more: the updates of each shard by a learner, the mixture by the formula of F30."""
    width, shards = blocks[0].shape[1] + 1, len(blocks)
    w, sigma = np.zeros(width), np.ones(width) if kind == "diagonal" else np.eye(width)
    precision = (lambda s: 1 / s) if kind == "diagonal" else np.linalg.inv
    rows = []
    for number in range(passes):
        ends = []
        for X, y in zip(blocks, labels, strict=True):
            shard = Learner("arow", confidence=kind)
            shard.begin(np.array([-1, 1]), width - 1, 1)
            shard.take_up(np.concatenate([w, sigma.ravel()])[None], 0, None)
            shard.go_over(examples(X, y), number)
            ends.append((shard.team.w[0].copy(), shard.vectors.confidence.sigma[0].copy()))
            rows += [(*x, 1.0, t) for x, t in _updates(X, y, w, sigma, kind)]
        before = precision(sigma)
        more = [precision(s) - before for _, s in ends]
        if kind == "diagonal":
            total = sum(more)
            w = w + sum(m * (end - w) for m, (end, _) in zip(more, ends, strict=True)) / np.where(total > 0, total, 1)
            sigma = 1 / (before + total / shards)
        else:
            b = before @ w + sum(precision(s) @ end - before @ w for end, s in ends)
            sigma = np.linalg.inv(before + sum(more))
            w = sigma @ b
    return w, np.array(rows)


def _updates(X, y, w, sigma, kind):
    """The rows that AROW learns from on a shard that starts from w and Σ, one row at a time."""
    for x, t in zip(X, y, strict=True):
        z = np.array([*x, 1.0])
        along = sigma * z if kind == "diagonal" else sigma @ z
        if t * (w @ z) < 1:
            yield x, t
            w = w + t * (1 - t * (w @ z)) / (along @ z + 1) * along
            sigma = sigma - (along**2 if kind == "diagonal" else np.outer(along, along)) / (1 + along @ z)


@pytest.mark.parametrize("kind", ["diagonal", "full"])
@pytest.mark.parametrize("shards", [2, 5])
def test_with_a_confidence_it_is_what_f30_says(client, shards, kind):
    rng = np.random.default_rng(shards)
    X = rng.normal(size=(80, 4))
    y = np.where(X @ [1, -2, 1, 0] + rng.normal(size=80) > 0, 1, -1)
    blocks, labels = split(X, y, shards)
    model = fit(blocks, labels, client=client, passes=3, rule="arow", confidence=kind)
    w, rows = shard_by_shard(blocks, labels, 3, kind)
    np.testing.assert_allclose(model.learner.weights()[0], w, rtol=1e-9, atol=1e-12)
    assert model.run["how"].startswith(f"on a cluster, {shards} shards mixed by how sure they are")
    assert model.certificates[0].mixing.factor is None  # F20 does not hold
    if kind == "full":  # the ridge regression on the rows of all updates
        Z, t = rows[:, :-1], rows[:, -1]
        np.testing.assert_allclose(w, np.linalg.solve(np.eye(5) + Z.T @ Z, Z.T @ t), rtol=1e-6)


def test_each_shard_is_shuffled_by_a_seed_of_its_own(client):
    """So equal shards, which otherwise learn the same, do not."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (50, 4)).astype(float), rng.integers(0, 2, 50)
    for order, same in (("given", True), ("once", False), ("each", False)):
        of_one, of_two = (fit([X] * n, [y] * n, client=client, passes=3, order=order).learner.weights() for n in (1, 2))
        assert (of_one == of_two).all() == same


def test_a_clean_pass_over_all_shards_is_a_proof_that_anybody_can_check(client):
    for settings in ({}, {"multiclass": "direct"}, {"fit_intercept": False}):
        X, y = blobs(3, n=120, columns=8, apart=9.0, seed=1)
        blocks, labels = split(X, y, 5)
        model = fit(blocks, labels, client=client, passes=300, **settings)
        whole = stacked(blocks, labels)
        assert model.run["stop_reason"] == "clean pass"
        for proof in model.certificates:
            assert isinstance(proof, ManySeparable if settings.get("multiclass") else Separable)
            assert proof.mixing.clean
            assert verify(proof, blocks, labels, client=client)
            assert novikoff.verify(proof, *whole)
            assert not verify(proof, blocks[::-1], labels[::-1], client=client)
            yes = "red" if settings.get("multiclass") else proof.data.yes
            wrong = [*labels[:-1], np.where(labels[-1] == yes, "blue" if yes != "blue" else "red", labels[-1])]
            refused = verify(proof, blocks, wrong, client=client)
            assert not refused
            assert "fingerprint" in refused.why
        assert models.from_bytes(models.to_bytes(model)).certificates == model.certificates


def test_proofs_of_all_kinds_are_checked_on_workers(client):
    """Certificates that were found elsewhere, with evidence among the rows: brought together from their shards."""
    X, y, _ = datasets.gaussian_pair(60, 3, margin=0.1, seed=0)
    many, kinds = blobs(3, n=60, apart=9.0, seed=2)
    noisy = np.where(np.arange(60) % 7 == 0, -y, y)
    direct = novikoff.Perceptron(multiclass="direct", max_iter=300).fit(many, kinds).certificate_
    for proof, rows, labels in (
        (novikoff.separate(X, y), X, y),
        (novikoff.separate(X, noisy), X, noisy),
        (novikoff.separate(X, y, fit_intercept=False), X, y),
        (direct, many, kinds),
    ):
        parts = np.array_split(np.arange(60), 4)
        blocks, own = [rows[part] for part in parts], [labels[part] for part in parts]
        assert novikoff.verify(proof, rows, labels)
        assert verify(proof, blocks, own, client=client), str(proof)
        moved = [blocks[0] + 1e-9, *blocks[1:]]
        assert not verify(proof, moved, own, client=client)


def test_a_row_that_refutes_a_proof_is_named_as_it_is_here(client):
    X, y, _ = datasets.gaussian_pair(60, 3, margin=0.1, seed=0)
    many, kinds = blobs(3, n=60, apart=9.0, seed=2)
    two, direct = novikoff.separate(X, y), novikoff.Perceptron(multiclass="direct", max_iter=300).fit(many, kinds).certificate_
    for proof, rows, labels in ((two, X, y), (direct, many, kinds)):
        wider = replace(proof, margin=proof.margin._replace(low=proof.margin.high))
        wrong = novikoff.verify(wider, rows, labels)
        for cut in (5, 55):  # the row is in one of the shards, whichever it is
            assert verify(wider, [rows[:cut], rows[cut:]], [labels[:cut], labels[cut:]], client=client) == wrong
        assert re.search(r"row \d+ is nearer", wrong.why)


def test_what_is_not_clean_is_undecided_and_says_what_f20_says(client):
    X, y = blobs(2, apart=0.3)
    proof = fit(*split(X, y, 3), client=client, passes=2).certificates[0]
    assert isinstance(proof, Undecided)
    assert not proof.mixing.clean
    assert "F20 allows" in str(proof)
    balanced = fit(*split(X, y, 3), client=client, passes=2, class_weight="balanced").certificates[0]
    assert balanced.mixing.factor is None
    assert fit(*split(X, y, 3), client=client, passes=2, rule="pa").certificates[0].mixing.factor is None


def test_class_weights_are_those_of_all_rows(client):
    X, y = blobs(3, seed=4)
    y = np.where(np.arange(len(y)) < 250, "red", y)  # so that shards differ
    blocks, labels = [X[:100], X[100:]], [y[:100], y[100:]]
    names, counts = np.unique(y, return_counts=True)
    each = dict(zip(names.tolist(), (len(y) / (len(names) * counts)).tolist(), strict=True))
    balanced = fit(blocks, labels, client=client, passes=3, class_weight="balanced")
    told = fit(blocks, labels, client=client, passes=3, class_weight=each)
    plain = fit(blocks, labels, client=client, passes=3)
    assert balanced.learner.weights().tobytes() == told.learner.weights().tobytes() != plain.learner.weights().tobytes()


# ---- kinds of data --------------------------------------------------------------------------------------------------


def test_arrays_frames_and_delayed_blocks_are_blocks(client):
    X, y = blobs(2)
    parts = np.array_split(np.arange(len(y)), 3)
    blocks, labels = [X[part] for part in parts], [y[part] for part in parts]
    wanted = fit(blocks, labels, client=client, passes=4)
    lengths = tuple(map(len, labels))
    Xa, ya = da.from_array(X, chunks=(lengths, 2)), da.from_array(y, chunks=100)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(kind=y)
    divided = dd.from_map(lambda part: frame.iloc[part[0] : part[-1] + 1], [part.tolist() for part in parts])
    answers = wanted.labels(X)
    for data, target, how in (
        (Xa, ya, {}),
        (Xa, y, {}),
        (divided.drop(columns=["kind"]), divided["kind"], {}),
        (divided, None, {"label": "kind"}),
        ([dask.delayed(block) for block in blocks], [dask.delayed(label) for label in labels], {}),
        (client.scatter(blocks), client.scatter(labels), {}),
        ([sp.csr_array(block) for block in blocks], labels, {}),
    ):
        model = fit(data, target, client=client, passes=4, **how)
        if not (isinstance(data, list) and sp.issparse(data[0])):  # whose sums are in another order
            assert model.learner.weights().tobytes() == wanted.learner.weights().tobytes()
        asked = data.drop(columns=["kind"]) if how else data
        found = predict(model, asked, client=client)
        if isinstance(found, da.Array):
            found = found.compute()
        assert (np.concatenate(found) if isinstance(found, list) else found).tolist() == answers.tolist()


def test_rows_stay_where_they_are_and_neighbours_lie_together_if_they_were_at_hand(client):
    def sent():
        return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    lazy = da.random.default_rng(0).normal(size=(1600, 500), chunks=(100, 500))
    rows, sides = lazy.compute(), (lazy[:, 0] > 0).astype(int)
    for data, labels in ((lazy, sides), (np.split(rows, 16), np.split(rows[:, 0] > 0, 16))):
        before = sent()
        fit(data, labels, client=client, passes=1)
        assert sent() - before < 0.1 * rows.nbytes
    with Cluster(client) as cluster:
        shards = Shards(cluster, np.split(rows, 16), np.split(rows[:, 0] > 0, 16), Options(), True)
        one, other = cluster.workers
        assert shards.homes == cluster.homes(shards.prepared) == [one] * 8 + [other] * 8


def test_a_frame_keeps_its_names_and_an_empty_partition_is_left_out(client):
    X, y = blobs(2, columns=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=y)
    divided = dd.from_map(lambda part: frame.iloc[part[0] : part[1]], [(0, 150), (150, 150), (150, 300)])
    model = fit(divided, client=client, label="kind", passes=3)
    assert model.features.names == ("a", "b", "c")
    assert model.run["how"].startswith("on a cluster, 2 shards")
    wanted = fit([X[:150], X[150:]], [y[:150], y[150:]], client=client, passes=3)
    assert model.learner.weights().tobytes() == wanted.learner.weights().tobytes()
    turned = divided[["c", "a", "b"]]
    assert predict(model, turned, client=client).compute().tolist() == model.labels(X).tolist()


REFUSALS = [
    ({"readout": "voted"}, "readout='voted' does not work on a cluster: a vote needs every update"),
    ({"readout": "pocket"}, "readout='pocket' does not work on a cluster"),
    ({"rule": "arow", "readout": "averaged"}, "has no average: use readout='last'"),
    ({"order": "global"}, "there is no order 'global' on a cluster; the orders of the rows within a shard are given, once, each"),
    ({"kernel": "rbf"}, "a kernel cannot be distributed"),
    ({"mixing": "harmonic"}, "there is no mixing 'harmonic'; it is 'uniform' or 'mistakes'"),
    ({"passes": 0}, "passes must be a whole number, at least 1; it is 0"),
    ({"checkpoint": "/nowhere/at/all.nvk"}, "/nowhere/at/all.nvk: a checkpoint cannot be written there"),
    ({"resume": True}, "resume=True needs a file to resume from: give checkpoint="),
    ({"rule": "nonsense"}, "there is no rule 'nonsense'"),
    ({"class_weight": {"blue": 2}}, "class_weight names 'blue', which is not a class: the classes are [0, 1]"),
]


@pytest.mark.parametrize(("settings", "sentence"), REFUSALS, ids=lambda case: str(case)[:30])
def test_what_cannot_be_distributed_is_refused_by_name(client, settings, sentence):
    X, y = blobs(2)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        fit([X[:100], X[100:]], [y[:100], y[100:]], client=client, **settings)


@pytest.mark.parametrize(
    ("data", "labels", "sentence"),
    [
        ([np.eye(3)], [np.zeros(3)], "all rows are of class 0.0; learning needs two classes or more"),
        ([np.eye(3)], [np.zeros(2)], "block 0: has 3 rows and labels of shape (2,); each row needs one"),
        ([np.eye(3)], None, "rows need labels: give y as well"),
        ([np.eye(3)], [], "there are 1 blocks of rows and 0 blocks of labels; give as many of each"),
        ([], [], "there are no blocks of rows; give at least one"),
        (
            [np.eye(3), np.eye(3)],
            [np.arange(3), np.array(list("abc"))],
            "the labels of block 0 are numbers, but those of block 1 are not",
        ),
        ([np.full((3, 2), np.nan)], [np.arange(3)], "block 0: row 0, column 0 is NaN"),
        ([np.eye(3)], [np.array([0, 1, np.nan])], "block 0: the label of row 2 is nan"),
        (
            [np.array([["a", "b"]])],
            [np.arange(1)],
            "block 0: rows must be a two-dimensional array of numbers; this has shape (1, 2) and type <U1",
        ),
        ("-", None, "-: standard input cannot be read by workers; save it to files first"),
        ({1, 2}, [1], "set cannot be distributed: give files or patterns"),
        (da.ones((4, 2), chunks=2), np.arange(3), "there are 4 rows and 3 labels: each row needs one"),
        (da.ones(4, chunks=2), np.arange(4), "rows must be two-dimensional"),
    ],
)
def test_data_that_is_none_is_refused_with_a_sentence(client, data, labels, sentence):
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        fit(data, labels, client=client)


def test_what_goes_wrong_in_a_users_own_task_is_told_as_it_is(client):
    """An error of the operating system is not taken for one of the cluster's."""

    def load():
        return open("/nowhere/at/all.npy")

    with pytest.raises(FileNotFoundError, match=r"/nowhere/at/all\.npy"):
        fit([dask.delayed(load)()], [np.arange(3)], client=client)


def test_too_little_memory_is_told_in_a_sentence(client):
    def load():
        raise MemoryError("Unable to allocate 9 TiB. Consider something else")

    with pytest.raises(
        ClusterError,
        match=r"^a worker does not have enough memory \(Unable to allocate 9 TiB\), which happens if a shard is larger",
    ):
        fit([dask.delayed(load)()], [np.arange(3)], client=client)


def test_a_client_is_a_client():
    with pytest.raises(TypeError, match=r"client must be a dask\.distributed\.Client, not 'tcp://x'"):
        fit([np.eye(2)], [np.arange(2)], client="tcp://x")


def test_a_model_goes_on_learning_where_the_cluster_left_it(client):
    X, y = blobs(2)
    model = fit(*split(X, y, 4), client=client, passes=2, readout="averaged")
    kept = models.from_bytes(models.to_bytes(model))
    for each in (model, kept):
        each.learner.learn(examples(X[:50], y[:50]))
    assert model.learner.weights().tobytes() == kept.learner.weights().tobytes()
    assert model.learner.rows_fed == len(y) + 50


@pytest.mark.full
def test_threads_may_fit_through_one_client_at_once(client):
    """As docs/threads.md says."""
    tasks = [blobs(classes, seed=seed) for classes in (2, 3) for seed in range(3)]

    def weights(task):
        return fit(*split(*task, 4), client=client, passes=3).learner.weights().tobytes()

    with ThreadPoolExecutor(len(tasks)) as pool:
        assert list(pool.map(weights, tasks)) == list(map(weights, tasks))


def test_shards_of_tables_are_prepared_alike(client, tmp_path):
    """Statistics are those of all shards together, gaps and categories that few shards have included."""
    rng = np.random.default_rng(0)
    lines = []
    for k in range(300):
        size, kind = rng.normal(1000, 50), "ab"[k % 2]
        job = ["own", "state", ""][k % 3] if k > 200 else "state"
        lines.append(f"{'' if k == 7 else size + 100 * (kind == 'a')},{job},{kind}")
    paths = []
    for shard in range(3):
        paths.append(str(tmp_path / f"part-{shard}.csv"))
        (tmp_path / f"part-{shard}.csv").write_text("\n".join(["size,job,kind", *lines[100 * shard : 100 * (shard + 1)]]) + "\n")
    model = fit(paths, client=client, passes=3, rule="arow", prepare=True)
    whole = novikoff.open(paths, prepared=True)
    found = whole.settle()
    assert set(whole.features.names) == set(model.features.names)
    for j, name in enumerate(model.features.names):
        at = whole.features.names.index(name)
        assert np.isclose(model.preparer.found.mean[j] * model.preparer.found.filled[j], found.mean[at] * found.filled[at])
        assert model.preparer.found.gaps[j] == found.gaps[at]
    right = np.concatenate([[line[-1] for line in lines]]) == predict(model, paths, client=client)
    assert right.mean() > 0.75
    models.save(model, tmp_path / "model.nvk")
    assert novikoff.load(tmp_path / "model.nvk").preparer.found.rows == 300
    begun = {"client": client, "rule": "arow", "checkpoint": tmp_path / "checkpoint"}
    fit(paths[1], passes=2, prepare=True, **begun)
    with pytest.raises(
        ValueError, match=r"is the checkpoint of a fit with the preparation \{'method': 'variance'.*, and not None"
    ):
        fit(paths[1], passes=3, resume=True, prepare=False, **begun)
