"""Files as shards, whatever their format: the same features, rows and proofs as one machine has that reads them in turn."""

import json
import subprocess
import sys

import numpy as np
import pytest
from clusters import cluster_of
from rich.console import Console
from sklearn.datasets import dump_svmlight_file

import novikoff
from novikoff import Learner, Separable
from novikoff.distributed import fit, predict, verify
from novikoff.distributed.epochs import Epoch, PassProgress
from novikoff.distributed.progress import Bar
from novikoff.learning.run import Pass
from novikoff.models import model as models
from novikoff.models.training import train

RNG = np.random.default_rng(0)
WORDS = np.array(["red", "green", "blue", "loud", "quiet", "warm", "cold", "old", "new"])


def lines_of(kind, k):
    """A file of fifty rows; later shards have features that earlier ones have not."""
    said = []
    for _ in range(50):
        y, x = int(RNG.integers(0, 2)), RNG.normal()
        words = [*RNG.choice(WORDS[: 4 + 2 * k], 3), "yes" if y else "no"]
        said.append(
            {
                "svmlight": f"{2 * y - 1} 1:{y - 0.5} {3 + k}:{x:.3f} {90 + 7 * k}:1\n",
                "csv": f"{x:.3f},{y - 0.5},{words[0]},{'spam' if y else 'ham'}\n",
                "text": f"{'spam' if y else 'ham'}\t{' '.join(words)}\n",
                "jsonl": json.dumps({"label": y, "features": {words[0]: x, "side": y - 0.5, words[1]: "often"}}) + "\n",
                "vw": f"{2 * y - 1} {RNG.integers(0, 3)} |a side:{y - 0.5} {words[0]}\n",
            }[kind]
        )
    return ("x,side,colour,kind\n" if kind == "csv" else "") + "".join(said)


@pytest.mark.parametrize("kind", ["svmlight", "csv", "text", "jsonl", "vw"])
def test_shards_have_the_columns_that_one_reading_gives(client, tmp_path, kind):
    for k in range(3):
        (tmp_path / f"part-{k}.{kind}").write_text(lines_of(kind, k))
    pattern, how = str(tmp_path / f"part-*.{kind}"), {"format": kind, "bits": 12}
    model = fit(pattern, client=client, passes=50, **how)
    data = novikoff.open(pattern, **how)
    whole = data.read()
    assert model.features.header() == data.features.header()
    columns = range(model.features.width)
    assert [model.features.name(j) for j in columns if model.learner.weights()[:, j].any()] == [
        data.features.name(j) for j in columns if model.learner.weights()[:, j].any()
    ]
    assert (predict(model, pattern, client=client, format=kind) == model.labels(whole.X)).all()
    if kind != "vw":  # where rows of weight 0 are not learned from, and need not be right
        proof = model.certificates[0]
        assert isinstance(proof, Separable)
        assert novikoff.verify(proof, whole.X, whole.y)
        assert verify(proof, pattern, client=client, **how)
    if kind == "vw":
        assert model.certificates[0].mixing.factor is None  # weighted
    alone = Learner("rosenblatt")
    one = fit(str(tmp_path / f"part-0.{kind}"), client=client, passes=4, **how)
    train(alone, novikoff.open(str(tmp_path / f"part-0.{kind}"), **how), 4)
    assert one.learner.weights().tobytes() == alone.weights().tobytes()


def test_indices_that_count_from_0_in_one_shard_do_in_all(client, tmp_path):
    (tmp_path / "a.svm").write_text("+1 1:1\n-1 1:-1\n")
    (tmp_path / "b.svm").write_text("+1 0:1\n-1 0:-1 5000000:1\n")
    paths = [str(tmp_path / "a.svm"), str(tmp_path / "b.svm")]
    model, whole = fit(paths, client=client, passes=5), novikoff.open(paths)
    X = whole.read().X
    assert [model.features.name(j) for j in range(model.features.width)] == ["0", "1", "5000000"]
    assert [whole.features.name(j) for j in range(whole.features.width)] == ["0", "1", "5000000"]
    assert verify(model.certificates[0], paths, client=client)
    assert novikoff.verify(model.certificates[0], X, whole.read().y)


def test_addresses_and_packed_files(client, tmp_path):
    import gzip

    for k in range(2):
        (tmp_path / f"p{k}.svm.gz").write_bytes(gzip.compress(lines_of("svmlight", k).encode()))
    by_path = fit(str(tmp_path / "p*.svm.gz"), client=client, passes=3)
    by_address = fit(f"file://{tmp_path}/p*.svm.gz", client=client, passes=3)
    assert by_path.learner.weights().tobytes() == by_address.learner.weights().tobytes()
    assert all(name.startswith("file://") for name in by_address.run["files"])


def test_the_command_on_a_cluster_of_this_machine(client, tmp_path):
    rng = np.random.default_rng(1)
    for k in range(3):
        X = rng.normal(size=(60, 4))
        dump_svmlight_file(X, np.where(X[:, 0] > 0, 1, -1), str(tmp_path / f"part-{k}.svm"), zero_based=False)
    command = [sys.executable, "-m", "novikoff", "fit", str(tmp_path / "part-*.svm"), "--cluster", "local"]
    done = subprocess.run([*command, "-o", str(tmp_path / "m.nvk"), "--json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told, model = json.loads(done.stdout), models.load(tmp_path / "m.nvk")
    assert (told["rows"], told["order"], told["readout"]) == (180, "given", "last")
    assert told["passes"] <= 10
    assert model.run["distributed"]["mixing"] == "uniform"
    here = fit(str(tmp_path / "part-*.svm"), client=client, rule="arow")
    assert here.learner.weights().tobytes() == model.learner.weights().tobytes()
    assert "Learned on 3 shards" in told["certificates"][0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--mixing", "mistakes"], "--mixing and --resume need a cluster; name it, as in --cluster local"),
        (["--resume"], "--mixing and --resume need a cluster"),
        (
            ["--cluster", "local", "--resume"],
            "--resume continues from the checkpoint beside a model; name the model",
        ),
        (["--cluster", "local", "--memory", "1G"], "--memory is for this machine only"),
        (["--cluster", "local", "--report", "r.html"], "r.html: fit cannot write a report on a cluster"),
        (["--cluster", "local", "--readout", "voted"], "readout='voted' does not work on a cluster"),
        (["--cluster", "local", "--kernel", "rbf", "--readout", "last"], "a kernel cannot be distributed"),
        (["--cluster", "nonsense"], "nonsense"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, monkeypatch, options, sentence):
    from click.testing import CliRunner

    from novikoff.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.svm").write_text("+1 1:1\n-1 1:-1\n")
    result = CliRunner().invoke(main, ["fit", "x.svm", *options])
    assert result.exit_code == 3
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_the_bar_shows_passes_shards_and_the_mistakes_of_each():
    console = Console(record=True, width=120, force_terminal=True)
    with Bar(9, console) as bar:
        bar.on_shard(PassProgress(1, 1, 3, None))
        bar.on_shard(PassProgress(2, 2, 3, Epoch(Pass(1, 30, 13, 12, 0.1), (5, 4, 3), (10, 10, 10), (0.1, 0.1, 0.1))))
    shown = console.export_text()
    assert "pass 2/9" in shown
    assert "2 of 3 shards; mistakes in pass 1: 12 (5 4 3)" in shown


@pytest.mark.full
def test_shards_that_do_not_fit_a_worker_are_spilled_and_nothing_changes(client, tmp_path):
    """1.2 GB in a worker that may have 1 GB; what it learns and what it proves."""
    rng, parts, spilled = np.random.default_rng(0), [], []
    for k in range(12):
        X = rng.normal(size=(125_000, 100))
        X[:, 0] += np.copysign(2, X[:, 0])
        np.savez(tmp_path / f"p{k}.npz", X=X, y=X[:, 0] > 0)
        parts.append(str(tmp_path / f"p{k}.npz"))
    wanted = fit(parts, client=client, passes=20)
    with cluster_of(1, memory_limit="1GB") as small:
        found = fit(parts, client=small, passes=20, on_pass=lambda epoch: spilled.append(sum(small.run(_spilled).values())))
        assert verify(found.certificates[0], parts, client=small)
    assert max(spilled) > 0
    assert found.learner.weights().tobytes() == wanted.learner.weights().tobytes()
    assert isinstance(found.certificates[0], Separable)
    assert found.certificates == wanted.certificates


def _spilled(dask_worker):
    return len(dask_worker.data.slow)


def test_where_a_worker_is_crowded_each_shard_is_a_task_and_nothing_changes(client, tmp_path, monkeypatch):
    for k in range(6):
        (tmp_path / f"p{k}.svm").write_text(lines_of("svmlight", k))
    pattern, tasks = str(tmp_path / "p*.svm"), []
    wanted = fit(pattern, client=client, passes=3, readout="averaged")
    with monkeypatch.context() as patch:
        patch.setattr("novikoff.distributed.epochs.MEMORY_SHARE", 0)
        patch.setattr("novikoff.distributed.cluster.Cluster.submit", _heard(tasks))
        found = fit(pattern, client=client, passes=3, readout="averaged")
    assert found.learner.weights().tobytes() == wanted.learner.weights().tobytes()
    assert sum(name.startswith("novikoff-sweep-1-") for name in tasks) == 6


def _heard(tasks):
    from novikoff.distributed.cluster import Cluster

    submit = Cluster.submit

    def heard(self, name, *arguments, **how):
        tasks.append(name)
        return submit(self, name, *arguments, **how)

    return heard
