"""A curved boundary, learned by a linear classifier on mapped columns and by kernel machines: how right, and in what time?

`python examples/feature_maps.py 100000` takes as many rows. The first use of a classifier compiles it, and is not timed.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from novikoff import KernelPerceptron, MarginPerceptron, QuadraticMap

warnings.simplefilter("ignore")

BOUNDARIES = {  # both of points in a square
    "a quadratic": lambda x1, x2: x1**2 + x2**2 - 3 * x1 * x2,
    "rings": lambda x1, x2: np.cos(2.5 * np.pi * np.hypot(x1, x2)),
}
CONTENDERS = {
    "raw columns": MarginPerceptron(random_state=0),
    "QuadraticMap": make_pipeline(QuadraticMap(), MarginPerceptron(random_state=0)),
    "RBFSampler": make_pipeline(RBFSampler(gamma=10, n_components=300, random_state=0), MarginPerceptron(random_state=0)),
    "Nystroem": make_pipeline(Nystroem(gamma=10, n_components=300, random_state=0), MarginPerceptron(random_state=0)),
    "kernel": KernelPerceptron("rbf", gamma=10, rule="margin", readout="averaged", max_iter=5),
    "SVC": SVC(gamma=10),
}


def main(rows):
    X = np.random.default_rng(0).uniform(-1, 1, size=(rows, 2))
    for boundary, above in BOUNDARIES.items():
        train, test, train_y, test_y = train_test_split(X, above(*X.T) > 0, random_state=0)
        print(f"\n{boundary:<14}{'right':>8}{'learning':>12}{'answering':>12}")
        for name, model in CONTENDERS.items():
            model.fit(train[:500], train_y[:500]).predict(test[:1])
            began = time.perf_counter()
            model.fit(train, train_y)
            learned = time.perf_counter()
            right = (model.predict(test) == test_y).mean()
            answered = time.perf_counter()
            print(f"{name:<14}{right:>8.1%}{(learned - began) * 1e3:>9.0f} ms{(answered - learned) * 1e3:>9.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
