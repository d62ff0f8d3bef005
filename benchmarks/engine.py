"""Learning and proving: ours and scikit-learn's, in the same process on the same arrays, as ratios.

python benchmarks/engine.py [--only WORD]
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import problems
from measuring import ROUNDS, best, main, report
from scipy.optimize import linprog
from sklearn.linear_model import Perceptron as Theirs
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

from novikoff import AROW, Inseparable, MarginPerceptron, Perceptron, Separable, separate, verify
from novikoff.compiler.dispatch import compiled
from novikoff.engine.confidences.plain import Plain
from novikoff.engine.labelled_rows import examples
from novikoff.engine.prefetching import scouts
from novikoff.engine.readouts.last import Last
from novikoff.engine.rules.rosenblatt import Rosenblatt
from novikoff.engine.skipping import Everything
from novikoff.engine.sweep import new_page, new_team, sweep
from novikoff.learning.learner import Learner
from novikoff.learning.sweeping import NOTHING_FORETOLD


def ours(passes, **more):
    return Perceptron(order="each", max_iter=passes, random_state=0, **more)


def theirs(passes, **more):
    return Theirs(max_iter=passes, tol=None, random_state=0, **more)


def versus(name, X, y, bar, sweep_bar=None):
    a10, b10, b1 = best(*(lambda m=m: m.fit(X, y) for m in (ours(10), theirs(10), theirs(1))))
    report(f"fit, ten shuffled passes: {name}", b10 / a10, bar, note=f"{a10 * 1e3:.0f} against {b10 * 1e3:.0f} ms")
    if sweep_bar:
        a, b = min(sweep_alone(X, y) for _ in range(ROUNDS)), (b10 - b1) / 9
        report(f"the sweep alone, a pass: {name}", b / a, sweep_bar, note=f"{a * 1e3:.1f} against {b * 1e3:.1f} ms")


def sweep_alone(X, y):
    """Seconds a pass, of ten shuffled ones from w = 0, with the scout ahead as in `fit`. Theirs is the slope of `fit`."""
    seen = examples(X, y)
    team, page = new_team(1, X.shape[1] + 1, np.float64), new_page(len(y), np.float64, 1)
    team.target[0] = 1
    run, members, order, rng, spent = compiled(sweep), np.zeros(1, np.uint32), seen.fed.copy(), np.random.default_rng(0), 0.0
    for _ in range(10):
        rng.shuffle(order)
        began = time.perf_counter()
        with scouts.ahead(seen.sheet, order, page.at):
            run(Rosenblatt(), Plain(), Last(), Everything(), seen.sheet, order, members, team, page, NOTHING_FORETOLD)
        spent += time.perf_counter() - began
    return spent / 10


def bench_sparse():
    for dtype in (np.float64, np.float32):
        X, y = problems.sparse(dtype=dtype)
        versus(f"sparse 200 000 × 50 000, {dtype.__name__}", X, y, 2.0, 2.2)


def bench_dense():
    versus("dense 200 000 × 100, float64", *problems.dense(), 3.8)


def bench_averaged():
    for name, data in (("sparse", problems.sparse()), ("dense", problems.dense())):
        last, averaged = best(*(lambda m=m, data=data: m.fit(*data) for m in (ours(10), ours(10, readout="averaged"))))
        report(f"averaged ÷ last, {name}", averaged / last, 1.2, at_least=False)


def bench_confidence():
    """A pass is a ninth of what ten take longer than one."""
    X, y = problems.sparse()
    each = {}
    for confidence in (None, "diagonal"):
        one, ten = (ours(passes, confidence=confidence) for passes in (1, 10))
        a, b = best(lambda one=one: one.fit(X, y), lambda ten=ten: ten.fit(X, y))
        each[confidence] = (b - a) / 9
    note = f"{each['diagonal'] * 1e3:.1f} against {each[None] * 1e3:.1f} ms"
    report(
        "a pass with a diagonal confidence ÷ one without, sparse", each["diagonal"] / each[None], 1.8, at_least=False, note=note
    )


def bench_many_classes():
    X, y = problems.many_classes()
    X = Normalizer().fit_transform(X)
    a, b = best(
        lambda: AROW(1.0, "diagonal", max_iter=5, multiclass="ovr", random_state=0).fit(X, y),
        lambda: LinearSVC(C=1).fit(X, y),
        rounds=2,
        warm=False,
    )
    note = f"{a:.2f} against {b:.2f} s"
    report("105 classes, each against the rest, five passes ÷ LinearSVC(C=1)", a / b, 0.3, at_least=False, note=note)


def bench_ten_classes():
    X, y = problems.ten_classes()
    a, b = best(*(lambda m=m: m.fit(X, y) for m in (ours(1, n_jobs=2), theirs(1, n_jobs=2))), rounds=3)
    report("ten classes, two threads, dense 60 000 × 784, one pass", b / a, 3.0, note=f"{a * 1e3:.0f} against {b * 1e3:.0f} ms")


def bench_bandwidth():
    X, y = problems.sparse()
    seen = examples(X, y)
    team, page = new_team(1, X.shape[1] + 1, np.float64), new_page(len(y), np.float64, 1)
    team.target[0] = 1
    run, members = compiled(sweep), np.zeros(1, np.uint32)
    words = [X.data.view(np.int64), X.indices[: len(X.indices) // 2 * 2].view(np.int64)]
    a, b, c = best(
        lambda: run(Rosenblatt(), Plain(), Last(), Everything(), seen.sheet, seen.fed, members, team, page, NOTHING_FORETOLD),
        lambda: X.data.sum() + X.indices.sum(),
        lambda: sum(word.sum() for word in words),
        rounds=15,
    )
    report("sweep in the given order ÷ NumPy's sums of data and indices", a / b, 1.2, at_least=False, note=f"{a * 1e3:.1f} ms")
    report("the same ÷ NumPy's sums of the same bytes as 64-bit words", a / c, 1.2, at_least=False)


def bench_skipping():
    """To convergence, about a thousand passes; the first run, which compiles the kernels, is not timed."""
    X, y = problems.narrow_margin()
    seen = examples(X, y)
    for order in ("each", "given"):
        learners = []

        def run(skipping, order=order, learners=learners):
            learners.append(Learner(order=order, skipping=skipping))
            learners[-1].fit(seen, 10_000)

        run(True)
        b, a = best(lambda: run(False), lambda: run(True), rounds=2, warm=False)
        assert len({learner.team.w.tobytes() for learner in learners}) == 1
        note = f"{a:.1f} against {b:.1f} s, {learners[0].passes} passes, the same weights to the bit"
        report(f"to convergence, margin R/1000, order {order}: skipping", b / a, 2.5, note=note)


def bench_separate():
    """Ours decides and proves; the LP, for which any w will do, only decides."""
    X, y = problems.narrow_margin(margin=1e-2)
    (a,) = best(lambda: separate(X, y), rounds=3)
    (b,) = best(lambda: linear_program(X, y), rounds=1, warm=False)
    certificate = separate(X, y)
    assert isinstance(certificate, Separable)
    assert verify(certificate, X, y)
    report("separate, separable dense 200 000 × 100, margin R/100, ÷ the LP", b / a, 30, note=f"{a:.2f} against {b:.1f} s")


def bench_inseparable():
    X, y = problems.flipped()

    def proved():
        assert verify(separate(X, y), X, y)

    a, b = best(proved, lambda: linear_program(X, y), rounds=3)
    assert isinstance(separate(X, y), Inseparable)
    report("separate and verify, 20 000 × 50, 1 % flipped, ÷ the LP alone", b / a, 4, note=f"{a:.2f} against {b:.2f} s")


def linear_program(X, y):
    z = y[:, None] * np.hstack([X, np.ones((len(X), 1))])
    return linprog(np.zeros(z.shape[1]), A_ub=-z, b_ub=-np.ones(len(z)), bounds=(None, None))


def bench_verify():
    X, y = problems.sparse()
    w = Perceptron(order="each", max_iter=3, random_state=0).fit(X, y)
    y = np.where(w.decision_function(X) > 0, 1, -1)  # labels that these weights separate
    certificate = w.certify(X, y)
    assert isinstance(certificate, Separable)
    a = best(lambda: verify(certificate, X, y))[0]
    b = min(sweep_alone(X, y) for _ in range(ROUNDS))
    assert verify(certificate, X, y)
    note = f"{a * 1e3:.0f} ms against {b * 1e3:.1f}"
    report("verify of Separable, sparse 200 000 × 50 000, ÷ a training pass", a / b, 8, at_least=False, note=note)


def bench_memory():
    """In a process of its own: what earlier benchmarks freed would hide what this one takes."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import engine; print(engine.memory())"
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True).stdout
    report("peak memory beyond X in one pass, % of X", float(said), 10, "%", at_least=False)


def memory():
    X, y = problems.sparse()
    ours(1).fit(X[:1000], y[:1000])
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # forget the peak so far
    before = _memory("VmRSS")
    ours(1).fit(X, y)
    return (_memory("VmHWM") - before) / (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) * 100


def _memory(what):
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith(what)).split()[1]) * 1024


def bench_start():
    fit = "import novikoff, numpy as np; novikoff.Perceptron().fit(np.eye(3), [0, 1, 1])"
    # scikit-learn imports pandas where it finds it, as it does here, since the tests need it; novikoff alone does not bring it.
    alone = f"import sys; sys.modules |= dict.fromkeys(['pandas', 'polars', 'pyarrow']); {fit}"
    a, b, with_pandas = best(*(lambda code=code: _python(code) for code in ("import novikoff", alone, fit)))
    (nothing, sklearn) = best(*(lambda code=code: _python(code) for code in ("pass", "import sklearn.base")))
    report("import novikoff", a - nothing, 0.3, "s", at_least=False)
    note = f"{with_pandas:.2f} s with pandas installed, of which `import sklearn.base` takes {sklearn:.2f}"
    report("a first fit in a new process, kernels compiled before", b, 2.0, "s", at_least=False, note=note)


def _python(code):
    subprocess.run([sys.executable, "-c", code], check=True)


def bench_real():
    for name in ("a9a", "reuters", "ijcnn1"):
        if (data := problems.real(name)) is None:
            print(f"{name}: the data is not here")
            continue
        train, test = data
        MarginPerceptron().fit(*train)
        began = time.perf_counter()
        score = MarginPerceptron(random_state=0).fit(*train).score(*test)
        took = time.perf_counter() - began
        began = time.perf_counter()
        svm = max(LinearSVC(C=C, max_iter=2000).fit(*train).score(*test) for C in (0.01, 0.1, 1, 10))
        note = f"{score:.4f} in {took:.2f} s against {svm:.4f} in {(time.perf_counter() - began) / 4:.2f} s a C"
        report(f"MarginPerceptron() below the best of four LinearSVC, {name}", (svm - score) * 100, 0.5, "pt", False, note)


BENCHES = [
    bench_start,
    bench_sparse,
    bench_dense,
    bench_averaged,
    bench_confidence,
    bench_many_classes,
    bench_ten_classes,
    bench_bandwidth,
    bench_skipping,
    bench_separate,
    bench_inseparable,
    bench_verify,
    bench_memory,
    bench_real,
]

if __name__ == "__main__":
    main(BENCHES, __doc__)
