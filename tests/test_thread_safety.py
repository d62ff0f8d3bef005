"""What docs/threads.md says may be shared between threads can be: answers are those of one thread, to the last bit."""

import copy
import json
import os
import pickle
import random
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_info

import novikoff
from novikoff import (
    KernelPerceptron,
    MarginPerceptron,
    ModifiedPerceptron,
    OnlineLearner,
    PassiveAggressive,
    Perceptron,
    RescaledPerceptron,
)
from novikoff.data.features import Named
from novikoff.engine.kernels import Points
from novikoff.foundation import parallel
from novikoff.models.model import Model, load, save

THREADS = 6
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quick_switches():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*tasks):
    """The results of the tasks, all begun together, each on a thread of its own."""
    ready, found, failed = threading.Barrier(len(tasks)), [None] * len(tasks), []

    def run(k):
        ready.wait()
        try:
            found[k] = tasks[k]()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return found


def same(task, threads=THREADS, rounds=5):
    """Whether a task gives on many threads, time and again, what it gives on one."""
    alone = pickle.dumps(task())
    return all(pickle.dumps(found) == alone for _ in range(rounds) for found in at_once(*[task] * threads))


# ---- one example at a time --------------------------------------------------------------------------------------------


def sentences(seed, n, features=300, classes="abc"):
    rng = random.Random(seed)
    return [
        ({f"f{rng.randrange(features)}": rng.random() - 0.4 for _ in range(rng.randrange(1, 30))}, rng.choice(classes))
        for _ in range(n)
    ]


def taught(rows, **settings):
    learner = OnlineLearner(**settings)
    for x, y in rows:
        learner.learn_one(x, y)
    return learner


def shuffled(rows, seed):
    return random.Random(seed).sample(rows, len(rows))


def asked_by_many(ask, rows, rounds):
    """Whether each row is answered on many threads as on one, whatever was asked just before."""
    answers = {id(x): ask(x) for x, _ in rows}

    def task(seed):
        return lambda: [ask(x) == answers[id(x)] for _ in range(rounds) for x, _ in shuffled(rows, seed)]

    return all(map(all, at_once(*map(task, range(THREADS)))))


@pytest.mark.parametrize("rounds", [2, pytest.param(40, marks=pytest.mark.full)])
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_an_online_learner_answers_many_threads(readout, rounds):
    rows = sentences(0, 400)
    learner = taught(rows, readout=readout)
    for ask in (learner.score_one, learner.predict_one):
        assert asked_by_many(ask, rows, rounds)


class Noted(dict):
    """An example that writes down when it is looked at, which happens once a call, and while no other call is under way."""

    def values(self):
        notes = self.notes
        if not notes or notes[-1] is not self:
            notes.append(self)
        return super().values()


@pytest.mark.parametrize("n", [150, pytest.param(3000, marks=pytest.mark.full)])
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_an_online_learner_that_many_threads_teach_has_learned_in_some_order(readout, n, tmp_path):
    learner, notes = OnlineLearner(readout=readout), []
    labels = {}

    def task(k):
        rows = [(Noted(x), y) for x, y in sentences(k, n, features=2000, classes="ab" if k else "abcd")]
        for x, y in rows:
            x.notes, labels[id(x)] = notes, y

        def teach():
            for i, (x, y) in enumerate(rows):
                if i % 2:
                    learner.learn_one(x, y)
                else:
                    learner.predict_and_learn_one(x, y)

        return teach

    def look_on():
        """Whatever is copied, pickled or saved meanwhile is whole."""
        for k in range(10):
            path = tmp_path / f"{k}.nvk"
            learner.save(path)
            for each in (
                OnlineLearner.load(path),
                copy.deepcopy(learner),
                copy.copy(learner),
                pickle.loads(pickle.dumps(learner)),
            ):
                assert len(each.features) == each.learner.width
                each.learn_one({"of a copy": 1.0}, "a")
            assert "of a copy" not in learner.features

    at_once(*map(task, range(THREADS)), look_on)
    assert learner.learner.rows_fed == THREADS * n
    again = OnlineLearner(readout=readout)
    for x in notes:
        again.learn_one(dict(x), labels[id(x)])
    assert again.features == learner.features
    assert again.classes == learner.classes
    rows = sentences(99, 50)
    assert [again.score_one(x) for x, _ in rows] == [learner.score_one(x) for x, _ in rows]


def test_a_copy_shares_nothing():
    learner = taught(sentences(0, 20))
    for each in (copy.copy(learner), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        each.learn_one({"of a copy": 1.0}, "a")
        assert "of a copy" not in learner.features
        learner.learn_one({"f0": 1.0}, "b")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_for_the_call_under_way():
    """The child has a learner that is whole, and whose lock is free."""
    rows = sentences(0, 300)
    learner, going_on = taught(rows), True

    def teach():
        while going_on:
            for x, y in rows:
                learner.learn_one(x, y)

    def compare():
        copied = pickle.loads(pickle.dumps(learner))
        os._exit([copied.score_one(x) for x, _ in rows] != [learner.score_one(x) for x, _ in rows])

    teaching = threading.Thread(target=teach)
    teaching.start()
    try:
        for _ in range(10):
            assert forked(compare) == 0
    finally:
        going_on = False
        teaching.join()


class Slow:
    """Rows that are turned only when they are told to."""

    dtype, shape = object, (0, 0)

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    @property
    def T(self):  # noqa: N802
        self.begun.set()
        self.go_on.wait()


def forked(task):
    """How a child process ends that does the task; one that hangs is killed."""
    child = os.fork()
    if not child:
        signal.alarm(20)
        task()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_does_not_wait_for_what_another_thread_was_finding_out():
    slow = Slow()
    finding_out = threading.Thread(target=lambda: Points(slow, None).turned)
    finding_out.start()
    assert slow.begun.wait(20)
    assert forked(lambda: Points(np.eye(2), None).turned) == 0
    slow.go_on.set()
    finding_out.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_is_not_limited_to_one_thread_by_threads_that_it_has_not():
    """Matrix products take one thread each while a solver runs, in the whole process."""
    inside, go_on = threading.Event(), threading.Event()

    def solve():
        with parallel.alone:
            inside.set()
            go_on.wait()

    def limits():
        return [library["num_threads"] for library in threadpool_info()]

    before = limits()
    solving = threading.Thread(target=solve)
    solving.start()
    assert inside.wait(20)
    assert forked(lambda: os._exit(limits() != before or parallel.alone._inside)) == 0
    with parallel.alone:
        assert forked(lambda: os._exit(parallel.alone._inside != 1)) == 0
    go_on.set()
    solving.join()
    assert limits() == before


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.full)])
def test_a_classifier_of_rivers_answers_many_threads(rounds):
    pytest.importorskip("river")
    from novikoff.estimators.river_adapter import OnlineClassifier

    rows = sentences(0, 200)
    model = OnlineClassifier()
    for x, y in rows:
        model.learn_one(x, y)
    assert asked_by_many(model.predict_one, rows, rounds)


# ---- whole tables -------------------------------------------------------------------------------------------------------

rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(150, 5)), 2)
TWO = (X @ [1, -2, 0.5, 0, 1] > 0.1).astype(int)
THREE = np.argmax(X @ rng.normal(size=(5, 3)), axis=1)

ESTIMATORS = {
    "perceptron": (lambda: Perceptron(max_iter=20), TWO),
    "averaged, shuffled": (lambda: MarginPerceptron(max_iter=5, order="each", random_state=0), THREE),
    "voted": (lambda: Perceptron(readout="voted", max_iter=5), THREE),
    "pocket": (lambda: Perceptron(readout="pocket", max_iter=5), TWO),
    "all classes at once": (lambda: Perceptron(multiclass="direct", max_iter=5), THREE),
    "passive-aggressive": (lambda: PassiveAggressive(max_iter=5, random_state=0), THREE),
    "kernel": (lambda: KernelPerceptron(kernel="rbf", max_iter=5), THREE),
    "kernel, voted": (lambda: KernelPerceptron(kernel="poly", readout="voted", max_iter=3), TWO),
    "modified": (lambda: ModifiedPerceptron(random_state=0), TWO),
    "rescaled": (lambda: RescaledPerceptron(random_state=0), TWO),
}
FEW = ["averaged, shuffled", "kernel", "voted"]
SOME = [name if name in FEW else pytest.param(name, marks=pytest.mark.full) for name in ESTIMATORS]


@pytest.mark.parametrize("name", SOME)
def test_fitted_estimators_answer_many_threads(name):
    make, y = ESTIMATORS[name]
    fitted = make().fit(X, y)
    for rows in (X, sp.csr_array(X)):
        assert same(lambda rows=rows: (fitted.decision_function(rows), fitted.predict(rows)))


@pytest.mark.parametrize("name", SOME)
def test_each_thread_may_fit_an_estimator_of_its_own_to_the_same_rows(name):
    make, y = ESTIMATORS[name]
    assert same(lambda: make().fit(X, y).decision_function(X), rounds=2)


@pytest.mark.parametrize("rounds", [20, pytest.param(400, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", ["averaged, shuffled", "all classes at once"])
def test_predictions_do_not_disturb_what_is_learned_meanwhile(name, rounds):
    make, y = ESTIMATORS[name]

    def learned(*others):
        model, done = make(), threading.Event()
        model.partial_fit(X[:9], y[:9], classes=np.unique(y))

        def learn():
            for _ in range(rounds):
                model.partial_fit(X, y)
            done.set()

        def predict():
            while not done.is_set():
                model.predict(X)

        at_once(learn, *[predict] * len(others))
        return model.decision_function(X).tobytes()

    assert learned(1, 2, 3) == learned()


def test_models_are_loaded_and_asked_by_many_threads(tmp_path):
    learner = taught(sentences(0, 100)).learner
    width = learner.width
    path = tmp_path / "a.nvk"
    save(Model(learner, Named([f"f{k}" for k in range(width)])), path)
    rows = np.random.default_rng(1).normal(size=(50, width))
    model = load(path)
    assert same(lambda: model.decisions(rows))
    assert same(lambda: load(path).labels(rows), rounds=2)


# ---- files --------------------------------------------------------------------------------------------------------------

FILES = {
    "svm": "1 1:1 2:0.5\n-1 1:-1 3:0.25\n" * 200,
    "csv": "a,b,y\n" + "1,2,yes\n3,4.5,no\n" * 200,
    "vw": "1 | a:2 b\n-1 | c d:3\n" * 200,
    "txt": "spam\tcheap pills\nham\tdear friend\n" * 200,
    "jsonl": '{"label": 1, "features": {"a": 2}}\n{"label": 0, "features": {"b": 3}}\n' * 200,
}


def plain(found):
    matrix = sp.csr_array(found.X)
    return matrix.data.tobytes(), matrix.indices.tolist(), matrix.indptr.tolist(), found.y.tolist(), found.names


@pytest.mark.parametrize("suffix", FILES)
def test_each_thread_may_read_a_file_with_a_dataset_of_its_own(suffix, tmp_path):
    path = tmp_path / f"a.{suffix}"
    path.write_text(FILES[suffix])
    options = {"format": "text"} if suffix == "txt" else {}
    assert same(lambda: plain(novikoff.open(path, **options).read()), rounds=2)


@pytest.mark.parametrize("suffix", ["svm", "csv", "vw"])
def test_features_that_are_frozen_may_be_shared(suffix, tmp_path):
    """As where many threads answer for files with one model."""
    path = tmp_path / f"a.{suffix}"
    path.write_text(FILES[suffix])
    dataset = novikoff.open(path)
    dataset.read()
    dataset.features.frozen = True
    assert same(lambda: plain(novikoff.open(path, features=dataset.features).read()), rounds=2)


# ---- proofs -------------------------------------------------------------------------------------------------------------


def content(certificate):
    """What a certificate says, but for how much work it was."""
    return {name: part for name, part in json.loads(certificate.to_json()).items() if name != "work"}


@pytest.mark.parametrize("y", [TWO, THREE % 2], ids=["separable", "not separable"])
def test_separability_is_decided_and_verified_by_many_threads(y):
    certificate = novikoff.separate(X, y)
    assert same(lambda: content(novikoff.separate(X, y)), rounds=2)
    assert same(lambda: str(novikoff.verify(certificate, X, y)), rounds=2)


def test_systems_cones_and_margins_are_solved_by_many_threads():
    A = np.abs(X[:20])
    tasks = [
        lambda: content(novikoff.solve_cone(A)),
        lambda: content(novikoff.solve_system(A, np.ones(20), None)),
        lambda: content(novikoff.solve_system(X[:20], np.ones(20), None)),
        lambda: content(novikoff.max_margin(X[:40], TWO[:40])),
        lambda: content(novikoff.quasi_separate(X[:40], THREE[:40] % 2)),
        lambda: novikoff.rows_in_the_way(X[:20], THREE[:20] % 2),
    ]
    alone = [pickle.dumps(task()) for task in tasks]
    assert list(map(pickle.dumps, at_once(*tasks, *tasks))) == alone * 2


def test_threads_that_save_one_learner_are_not_taken_for_other_processes(tmp_path):
    learner = OnlineLearner()
    for label in ("yes", "no"):
        learner.learn_one({label: 1.0}, label)
    learner.save(tmp_path / "model.nvk")

    def work(k):
        for i in range(5):
            learner.learn_one({"a": 1.0 + k + i}, "yes" if i % 2 else "no")
            learner.save(tmp_path / "model.nvk")

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(work, range(3)))
    assert OnlineLearner.load(tmp_path / "model.nvk").learner.rows_fed == 17
