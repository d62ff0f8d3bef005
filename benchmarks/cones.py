"""Cones: rescaling against the same in NumPy, and deciding them against SciPy's linear programs, as ratios.

python benchmarks/cones.py [--only WORD]
"""

import math

import numpy as np
import problems
from measuring import best, main, report
from scipy.optimize import linprog

from novikoff import Feasible, Infeasible, solve_cone, verify
from novikoff.data.datasets import lower_bound


def slowest_cone(n):
    X, y = lower_bound(n)
    return X * y[:, None]


def rescaled_in_numpy(A, seed=0):
    """F15 as one would write it in NumPy, step for step as `novikoff.solve.rescaling`. Returns w and the number of steps."""
    n, rng = A.shape[1], np.random.default_rng(seed)
    sigma, steps, space = 1 / (32 * n), 0, np.eye(n)
    rows = inside = A / np.linalg.norm(A, axis=1, keepdims=True)
    while True:
        gram = inside @ inside.T
        scores, taken = np.zeros(len(A)), np.zeros(len(A))
        for _ in range(16 * n * n):
            i = scores.argmin()
            if scores[i] > 0:
                return space @ (taken @ inside), steps
            taken[i] += 1
            scores += gram[i]
            steps += 1
        done = False
        while not done:
            x = rng.standard_normal(n)
            x /= np.linalg.norm(x)
            scores, taken, sqnorm = inside @ x, np.zeros(len(A)), 1.0
            for _ in range(math.floor(math.log(n) / sigma**2)):
                i = scores.argmin()
                score = scores[i]
                if not score < -sigma * math.sqrt(max(sqnorm, 0.0)):
                    break
                taken[i] -= score
                sqnorm -= score * score
                scores += -score * gram[i]
                steps += 1
            done = scores.min() >= -sigma * math.sqrt(max(sqnorm, 0.0))
        x = x + taken @ inside
        x /= np.linalg.norm(x)
        space += np.outer(space @ x, x)
        space /= np.abs(space).max()
        inside = rows @ space
        inside /= np.linalg.norm(inside, axis=1, keepdims=True)


def bench_rescaling():
    A = slowest_cone(24)
    answer = solve_cone(A, method="rescaled")
    assert verify(answer, A)
    (a,) = best(lambda: solve_cone(A, method="rescaled"), rounds=3)
    steps = []
    (b,) = best(lambda: steps.append(rescaled_in_numpy(A)[1]), rounds=1, warm=False)
    assert steps[0] == answer.work.steps, f"{steps[0]:,} steps in NumPy, {answer.work.steps:,} here"
    note = f"{a:.2f} against {b:.1f} s, {steps[0]:,} steps both"
    report("F8, n = 24, rescaled ÷ the same in NumPy", b / a, 15, note=note)


def bench_slowest():
    A = slowest_cone(40)
    (a,) = best(lambda: solve_cone(A, method="rescaled"), rounds=1, warm=False)
    answer = solve_cone(A, method="rescaled")
    assert isinstance(answer, Feasible)
    assert verify(answer, A)
    report("F8, n = 40, rescaled, solved and verified", a, 60, "s", at_least=False, note=f"{answer.work.steps:,} steps")


def linear_program(A):
    return linprog(np.zeros(A.shape[1]), A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None), method="highs")


def bench_feasible():
    A = problems.cone()
    assert isinstance(solve_cone(A), Feasible)
    assert verify(solve_cone(A), A)
    (a,) = best(lambda: solve_cone(A), rounds=3)
    (b,) = best(lambda: linear_program(A), rounds=1, warm=False)
    report("feasible cone 100 000 × 50, margin R/100, auto ÷ linprog", b / a, 20, note=f"{a:.2f} against {b:.1f} s")


def bench_infeasible():
    A = problems.empty_cone()

    def proved():
        answer = solve_cone(A)
        assert isinstance(answer, Infeasible)
        assert verify(answer, A)

    (a,) = best(proved, rounds=3)
    (b,) = best(lambda: linear_program(A), rounds=1, warm=False)
    report("infeasible cone 100 000 × 50, with its proof verified, ÷ linprog", b / a, 3, note=f"{a:.2f} against {b:.1f} s")


BENCHES = [bench_rescaling, bench_slowest, bench_feasible, bench_infeasible]

if __name__ == "__main__":
    main(BENCHES, __doc__)
