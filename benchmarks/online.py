"""Ours and river's, one example at a time, in one process, best of several, as ratios.

python benchmarks/online.py
"""

import random
import time

from river import linear_model

from novikoff import OnlineLearner

EXAMPLES, FEATURES, NAMES, SLICE, ROUNDS = 2000, 73, 5000, 100, 30


def stream(seed=0):
    dice = random.Random(seed)
    names = [f"feature_{k}" for k in range(NAMES)]
    signs = {name: dice.choice([-1, 1]) for name in names}
    rows = [{name: dice.random() for name in dice.sample(names, FEATURES)} for _ in range(EXAMPLES)]
    return rows, [sum(signs[name] * value for name, value in x.items()) > dice.gauss(0, 3) for x in rows]


def best(rows, labels, *tasks):
    """The time of each task for an example, in microseconds: of each slice the best, so that noisy moments hit nobody.

    The tasks take turns, another one first in each round: whoever comes later finds the rows near.
    """
    least = [[float("inf")] * (EXAMPLES // SLICE) for _ in tasks]
    for turn in range(ROUNDS):
        for k in range(EXAMPLES // SLICE):
            part = list(zip(rows, labels, strict=True))[k * SLICE : (k + 1) * SLICE]
            for who in (*range(turn % len(tasks), len(tasks)), *range(turn % len(tasks))):
                task, began = tasks[who], time.perf_counter()
                for x, y in part:
                    task(x, y)
                least[who][k] = min(least[who][k], time.perf_counter() - began)
    return [sum(times) / EXAMPLES * 1e6 for times in least]


def predict_then_learn(model):
    def both(x, y):
        model.predict_one(x)
        model.learn_one(x, y)

    return both


def main():
    rows, labels = stream()
    for readout in ("last", "averaged"):
        two, one = OnlineLearner(readout=readout), OnlineLearner(readout=readout)
        theirs, ours, at_once = best(
            rows, labels, predict_then_learn(linear_model.Perceptron()), predict_then_learn(two), one.predict_and_learn_one
        )
        print(f"river, predict_one and learn_one: {theirs:.1f} µs an example; ours ({readout}):")
        print(f"  predict_one and learn_one {ours:.1f} µs, {theirs / ours:.2f} × as fast (at least 1.4)")
        print(f"  predict_and_learn_one     {at_once:.1f} µs, {theirs / at_once:.2f} × as fast (at least 2)")


if __name__ == "__main__":
    main()
