"""Workers and clients that are killed, machines that differ, files that are wrong."""

import os
import re
import signal
import subprocess
import sys
from threading import Thread

import dask
import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from clusters import cluster_of
from distributed import Client
from machines import machines, until
from sklearn.datasets import dump_svmlight_file

from novikoff import Learner
from novikoff.cli import main
from novikoff.data.readers import Options
from novikoff.data.sources import ReadError
from novikoff.distributed import VersionsError, fit, predict
from novikoff.distributed.cluster import Cluster, ClusterError
from novikoff.distributed.fitting import fitted
from novikoff.models import model as models

COMMAND = [sys.executable, "-m", "novikoff"]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Six files that no hyperplane separates."""
    folder, rng = tmp_path_factory.mktemp("parts"), np.random.default_rng(0)
    truth = rng.normal(size=12)
    for k in range(6):
        X = rng.normal(size=(400, 12))
        dump_svmlight_file(
            X, np.where(X @ truth + rng.normal(size=400) > 0, 1, -1), str(folder / f"part-{k}.svm"), zero_based=False
        )
    return folder


def bits(model):
    return model.learner.weights().tobytes(), [one[:4] for one in model.run["each_pass"]], model.run["distributed"]


def learned(client, parts, readout="last", on_shard=None):
    """As `fit` does it, with an ear for every shard."""
    learner = Learner(readout=readout, ledger_cap=0)
    how = {"passes": 5, "mixing": "mistakes", "fit_intercept": True}
    return fitted(str(parts / "*.svm"), None, learner, Options(), client=client, on_shard=on_shard, **how).model


def process_of_a_worker(client):
    return next(iter(client.run(os.getpid).values()))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_killed_in_the_middle_of_a_pass_changes_nothing(client, parts, workers):
    """Its shards are read again elsewhere, or by the one that comes in its place."""
    killed = []
    with cluster_of(workers) as fragile:

        def kill(stand):
            if stand.number == 2 + len(killed) and len(killed) < workers:
                killed.append(process_of_a_worker(fragile))
                os.kill(killed[-1], signal.SIGKILL)

        assert bits(learned(fragile, parts, "averaged", kill)) == bits(learned(client, parts, "averaged"))
        assert len(set(killed)) == workers


def test_blocks_that_only_the_client_had_are_sent_again(client):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    blocks, labels = [X[:100], X[100:200], X[200:]], [y[:100], y[100:200], y[200:]]
    killed = []
    with cluster_of(1) as fragile:

        def kill(epoch):
            if epoch.made.number == 2:
                killed.append(process_of_a_worker(fragile))
                os.kill(killed[-1], signal.SIGKILL)

        found = fit(blocks, labels, client=fragile, passes=4, on_pass=kill)
    assert killed
    assert bits(found) == bits(fit(blocks, labels, client=client, passes=4))


def die_once(mark, X):
    """Rows whose first worker does not live to see them."""
    if not mark.exists():
        if mark.parent.exists():  # otherwise no worker does
            mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return X


def test_a_worker_that_dies_before_it_has_answered_is_asked_again(tmp_path):
    """With the model, which only the client has, since the worker was the only one."""
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.repeat([0, 1], 30)
    with cluster_of(1) as fragile:
        model = fit([X], [y], client=fragile, passes=2)
        found = predict(model, [X, dask.delayed(die_once)(tmp_path / "killed", X)], client=fragile)
        assert (tmp_path / "killed").exists()
    assert [one.tolist() for one in found] == [model.labels(X).tolist()] * 2


def test_a_worker_that_lost_the_weights_is_sent_all_of_them(client):
    """As one has that has just come: it knows nothing of the passes before; or one that was not asked in the last."""
    from novikoff.distributed import sweeping

    rng = np.random.default_rng(0)
    blocks = [sp.random_array((60, 2000), density=0.01, format="csr", rng=rng) for _ in range(4)]
    labels = [rng.integers(0, 2, 60) for _ in blocks]

    def forgotten(epoch):
        if epoch.made.number == 2:
            client.run(sweeping._bases.clear)
        if epoch.made.number == 4:
            client.run(lambda: sweeping._bases.update({fit: (2, w + 1) for fit, (_, w) in sweeping._bases.items()}))

    assert bits(fit(blocks, labels, client=client, passes=6, on_pass=forgotten)) == bits(
        fit(blocks, labels, client=client, passes=6)
    )


def command(*options, **how):
    return subprocess.run([*COMMAND, *map(str, options)], capture_output=True, text=True, timeout=120, **how)


def test_two_workers_by_hand_a_client_that_dies_and_one_that_goes_on(client, parts, tmp_path):
    out, data = tmp_path / "model.nvk", str(parts / "part-*.svm")
    options = ["fit", data, "--rule", "rosenblatt", "--readout", "averaged", "--passes", "400", "--mixing", "mistakes", "-o", out]
    with machines(tmp_path, 2) as there:
        options += ["--cluster", there.address]
        dying = subprocess.Popen([*COMMAND, *map(str, options)])
        checkpoint = tmp_path / "model.nvk.checkpoint"
        until(checkpoint.exists)
        standing = until(lambda: (model := models.load(checkpoint)).learner.passes >= 3 and model)
        os.kill(dying.pid, signal.SIGKILL)
        dying.wait()
        assert not out.exists()
        assert 3 <= standing.learner.passes < 400
        assert standing.labels(np.zeros((1, 12))).shape == (1,)  # a checkpoint is a model
        passes = models.load(checkpoint).learner.passes + 5
        options[options.index("400")] = str(passes)
        for wrong, sentence in (
            (["--mixing", "uniform"], "is the checkpoint of a fit with mixing 'mistakes', and not 'uniform'"),
            (["--readout", "last"], "is the checkpoint of a fit with readout 'averaged', and not 'last'"),
            (["--confidence", "diagonal", "--readout", "last"], "is the checkpoint of a fit with confidence None, and not {"),
            (["--no-intercept"], "is the checkpoint of a fit with constant 1.0, and not 0.0"),
        ):
            refused = command(*options, *wrong, "--resume")
            assert refused.returncode == 3
            assert sentence in refused.stderr
        gone_on = command(*options, "--resume")
        assert gone_on.returncode == 0, gone_on.stderr
        assert not checkpoint.exists()
        at_once = command(*options[:-4], "-o", tmp_path / "other.nvk", "--cluster", there.address)
        assert at_once.returncode == 0, at_once.stderr
        assert bits(models.load(out)) == bits(models.load(tmp_path / "other.nvk"))
        again = command(*options, "--resume")
        assert "there is no" in again.stderr
    here = fit(data, client=client, passes=passes, mixing="mistakes", readout="averaged")
    assert bits(here) == bits(models.load(out))


@pytest.mark.parametrize(("which", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_with_the_last_pass_and_leaves_the_checkpoint(parts, tmp_path, which, code):
    out, checkpoint = tmp_path / "model.nvk", tmp_path / "model.nvk.checkpoint"
    options = ["fit", str(parts / "part-*.svm"), "--passes", "100000", "-o", str(out)]
    with machines(tmp_path, 1) as there:
        running = subprocess.Popen(
            [*COMMAND, *options, "--cluster", there.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        until(checkpoint.exists)
        running.send_signal(which)
        said, complained = running.communicate(timeout=60)
    assert running.returncode == code, complained
    assert "Result   interrupted; " in said
    assert "Traceback" not in complained
    assert models.load(out).learner.passes == models.load(checkpoint).learner.passes > 0


@pytest.mark.parametrize(("which", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_signals_of_a_terminal_reach_the_workers_of_this_machine_too_and_they_do_not_mind(parts, tmp_path, which, code):
    """A terminal tells all processes that were started in it."""
    out, checkpoint = tmp_path / "model.nvk", tmp_path / "model.nvk.checkpoint"
    running = subprocess.Popen(
        [*COMMAND, "fit", str(parts / "part-*.svm"), "--passes", "100000", "-o", str(out), "--cluster", "local"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until(checkpoint.exists)
    os.killpg(running.pid, which)
    said, complained = running.communicate(timeout=60)
    assert running.returncode == code, complained
    assert "Result   interrupted; " in said
    assert complained == f"novikoff: interrupted; the model learned so far is in {out}\n"


def test_a_cluster_with_other_versions_is_refused(parts, tmp_path):
    other = tmp_path / "other.py"
    other.write_text("import novikoff\nnovikoff.__version__ = '0.0.7'\n")
    with machines(tmp_path, 0) as there:
        there.worker("--preload", str(other))
        with (
            Client(there.address) as differing,
            pytest.raises(VersionsError, match=r"worker tcp://\S+ has novikoff 0.0.7, but this process has [0-9.]+: results"),
        ):
            fit(str(parts / "*.svm"), client=differing)
        refused = command("fit", parts / "part-0.svm", "--cluster", there.address)
        assert refused.returncode == 3
        assert re.fullmatch(
            r"novikoff: worker \S+ has novikoff 0\.0\.7, .*; install the same versions everywhere\n", refused.stderr
        )


def test_a_worker_that_came_later_with_other_versions_is_refused(client, parts):
    """Not seen when the fit begins, but when it is given work."""
    from novikoff.distributed import sweeping

    def renewed(epoch):
        client.run(_pretend, "9.9.9")

    try:
        with pytest.raises(VersionsError, match=r"a worker that came later has novikoff 9.9.9"):
            fit(str(parts / "*.svm"), client=client, passes=4, on_pass=renewed)
    finally:
        client.run(_pretend, sweeping.own_versions()["novikoff"])


def _pretend(version):
    from novikoff.distributed import sweeping

    sweeping.own_versions()["novikoff"] = version


# ---- files that are wrong -------------------------------------------------------------------------------------------


def refused(client, data, **how):
    with pytest.raises(ReadError) as error:
        fit(data, client=client, **how)
    return str(error.value)


def test_a_bad_line_is_named_with_its_file(client, parts, tmp_path):
    bad = tmp_path / "bad.svm"
    bad.write_text("+1 1:2\n-1 1:x\n+1 2:1\n")
    assert refused(client, [str(parts / "part-0.svm"), str(bad)]).startswith(f"{bad}:2")
    model = fit([str(parts / "part-0.svm"), str(bad)], client=client, passes=1, skip_bad_lines=True)
    assert (model.run["skipped_lines"], model.run["rows"]) == (1, 402)


def test_a_missing_file_stops_before_anything_is_read(client, parts, tmp_path):
    gone = tmp_path / "gone.svm"
    said = refused(client, [str(parts / "part-0.svm"), str(gone)], on_pass=lambda epoch: pytest.fail("it was trained"))
    assert said.startswith(f"{gone}: worker tcp://")
    assert "cannot see it" in said
    assert refused(client, str(tmp_path / "none-*.svm")).endswith("no file matches; check the pattern")


def test_shards_that_do_not_fit_together_are_refused(client, tmp_path):
    def file(name, text):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    numbers, words = file("a.svm", "+1 1:2\n-1 1:1\n"), file("b.svm", "cat 1:2\ndog 1:1\n")
    table, other = file("a.csv", "x,z,kind\n1,2,cat\n2,1,dog\n"), file("b.csv", "x,z,kind\nred,1,cat\nblue,2,dog\n")
    assert "are numbers, but those of" in refused(client, [numbers, words])
    assert "is csv, but" in refused(client, [numbers, table])
    assert "the column x holds categories, but numbers in" in refused(client, [table, other])
    assert refused(client, [file("e.svm", ""), file("f.svm", "\n")]).startswith("no shard has any rows")
    empty = fit([numbers, file("e.svm", "")], client=client, passes=2)
    assert empty.run["files"] == [numbers]


def test_a_scheduler_that_dies_ends_the_fit_with_a_sentence_and_its_checkpoint(parts, tmp_path, monkeypatch):
    monkeypatch.setattr("novikoff.distributed.cluster.SCHEDULER_TIMEOUT", 1)
    out, checkpoint = tmp_path / "model.nvk", tmp_path / "model.nvk.checkpoint"
    with machines(tmp_path, 1) as there:
        options = ["fit", str(parts / "part-*.svm"), "--passes", "100000", "-o", str(out), "--cluster", there.address]
        killer = Thread(target=lambda: until(checkpoint.exists) and there.processes[0].kill())
        killer.start()
        ended = CliRunner().invoke(main, options)
        killer.join()
    assert ended.exit_code == 3
    assert ended.stderr.startswith("novikoff: the scheduler was lost; start it and its workers again")
    assert ended.stderr.endswith(f"; then continue with --resume, from {checkpoint}\n")
    assert models.load(checkpoint).learner.passes > 0
    assert not out.exists()


def test_there_must_be_a_cluster(monkeypatch):
    monkeypatch.setattr("distributed.client._get_global_client", lambda: None)  # another test's may be there
    with pytest.raises(ClusterError, match=r"there is no cluster: make a dask\.distributed\.Client first"):
        Cluster(None)
    monkeypatch.setattr("novikoff.distributed.cluster.SCHEDULER_TIMEOUT", 1)
    nobody = CliRunner().invoke(main, ["fit", "x.svm", "--cluster", "tcp://127.0.0.1:1"])
    assert nobody.exit_code == 3
    assert "tcp://127.0.0.1:1: no scheduler answers" in nobody.stderr


@pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.full)])
def test_a_shard_that_ends_every_worker_is_given_up(tmp_path, alone):
    """As one does that is larger than their memory; what lies beside it is lost with them."""
    shard, labels = dask.delayed(die_once)(tmp_path / "no folder" / "killed", 0), [0, 1]
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        cluster_of(1) as fragile,
        pytest.raises(ClusterError, match=r"has ended 2 workers in a row, which happens if a shard is larger"),
    ):
        fit([shard], [dask.delayed(labels) if alone else labels], client=fragile)


def test_a_pass_that_loses_its_workers_again_and_again_is_given_up(parts, monkeypatch):
    monkeypatch.setattr("novikoff.distributed.cluster.ATTEMPTS", 2)
    with cluster_of(1) as fragile, pytest.raises(ClusterError, match=r"has lost workers 2 times in a row"):
        learned(fragile, parts, on_shard=lambda stand: os.kill(process_of_a_worker(fragile), signal.SIGKILL))
