"""Sparse matrices whose starts or indices lead outside their arrays, and every door that a matrix can come in by.

Run as a program, since a door that reads through them ends the process: `python tests/hostile.py [door]`. It prints each pair
of door and matrix before it tries it.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import novikoff

ROWS, WIDTH = 3, 3
GOOD = np.array([[1.0, 0, 2], [0, -1, 0], [3, 1, -1]])
Y = np.array([0, 1, 0])
MOST = 2**31 - 1


def with_parts(make, **parts):
    X = make(GOOD)
    for name, values in parts.items():
        setattr(X, name, values)
    return X


def compressed(make):
    """CSR and CSC alike: three starts and an end, six entries."""
    wrong = {
        "starts that fall": [0, 6, 0, 6],
        "starts that end at 0": [0, 2, 4, 0],
        "starts whose differences wrap around": [0, MOST, -2, 6],
        "starts beyond the end": [0, 2, 4, 10**6],
        "a first start that is not 0": [3, 3, 4, 6],
        "a negative start": [0, -(10**6), 4, 6],
        "too few starts": [0, 6],
    }
    for name, starts in wrong.items():
        yield name, with_parts(make, indptr=np.array(starts, np.int32))
    yield "starts of 64 bits that wrap around", with_parts(make, indptr=np.array([0, 2**63 - 1, -2, 6]))
    yield "starts that are no whole numbers", with_parts(make, indptr=np.array([0.0, 2.0, 4.0, 6.0]))
    yield "an index too large", with_parts(make, indices=np.array([0, 1, 2, 10**8, 1, 2], np.int32))
    yield "a negative index", with_parts(make, indices=np.array([0, 1, 2, -(10**8), 1, 2], np.int32))
    yield "an index of 64 bits", with_parts(make, indices=np.array([0, 1, 2, 2**40, 1, 2]))
    yield "too few indices", with_parts(make, indices=np.array([0, 1], np.int32))
    yield "too few values", with_parts(make, data=np.ones(2))
    yield "masked values", with_parts(make, data=np.ma.masked_array(np.ones(6), [1, 0, 0, 0, 0, 0]))


def matrices():
    """Names and matrices; all of them are to be refused."""
    for make in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        for name, X in compressed(make):
            yield f"{make.__name__}: {name}", X
    X = sp.bsr_array(np.kron(GOOD, np.ones((1, 1))), blocksize=(1, 1))
    X.indptr = np.array([0, MOST, -2, 6], np.int32)
    yield "bsr: starts whose differences wrap around", X
    X = sp.coo_array(GOOD)
    X.coords = (X.coords[0], X.coords[1] + 10**8)
    yield "coo: a column too large", X
    X = sp.lil_array(GOOD)
    X.data[0] = [1.0] * 10**5
    yield "lil: more values than columns", X
    X = sp.lil_array(GOOD)
    X.rows[0] = [0, 10**8]
    yield "lil: a column too large", X
    X = sp.dia_array(GOOD)
    X.offsets = X.offsets[:1]
    yield "dia: too few offsets", X
    yield "a masked array", np.ma.masked_array(GOOD, GOOD == 2)


def doors():
    """Everything that takes a matrix, by name."""
    from novikoff import plot
    from novikoff.data.readers import read
    from novikoff.distributed import shards
    from novikoff.engine.kernels import find_kernel
    from novikoff.engine.labelled_rows import examples
    from novikoff.engine.readouts.voted import Ballot
    from novikoff.estimators.feature_maps import Quadratic
    from novikoff.learning import losses
    from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
    from novikoff.proof.independent_parsers import read_plainly
    from novikoff.solve.constraint_files import read_constraints

    fitted = {kind.__name__: kind().fit(GOOD, Y) for kind in (novikoff.Perceptron, novikoff.KernelPerceptron)}
    proof, point = novikoff.separate(GOOD, Y), novikoff.solve_cone(GOOD)
    for kind in (
        novikoff.Perceptron,
        novikoff.MarginPerceptron,
        novikoff.PassiveAggressive,
        novikoff.KernelPerceptron,
        novikoff.ModifiedPerceptron,
        novikoff.RescaledPerceptron,
    ):
        yield f"{kind.__name__}().fit", lambda X, kind=kind: kind().fit(X, Y)
    yield "KernelPerceptron('precomputed').fit", lambda X: novikoff.KernelPerceptron("precomputed").fit(X, Y)
    for name, model in fitted.items():
        yield f"{name}().partial_fit", lambda X, model=model: type(model)().partial_fit(X, Y, classes=[0, 1])
        for what in ("predict", "decision_function", "predict_with_doubt"):
            yield f"{name}.{what}", lambda X, model=model, what=what: getattr(model, what)(X)
        for what in ("score", "certify", "facts"):
            yield f"{name}.{what}", lambda X, model=model, what=what: getattr(model, what)(X, Y)
        yield f"model of {name}.decisions", lambda X, model=model: model.as_model().decisions(X)
        yield f"report on {name}", lambda X, model=model: novikoff.report(model, X, Y)
    yield "development_curve", lambda X: novikoff.development_curve(novikoff.Perceptron(), X, Y, cv=2)
    yield "development_curve, dev", lambda X: novikoff.development_curve(novikoff.Perceptron(), GOOD, Y, dev=(X, Y))
    yield "QuadraticMap().fit", lambda X: novikoff.QuadraticMap().fit(X)
    yield "QuadraticMap().transform", lambda X: novikoff.QuadraticMap().fit(GOOD).transform(X)
    yield "Prepared().fit", lambda X: novikoff.Prepared().fit(X)
    yield "Prepared().transform", lambda X: novikoff.Prepared().fit(sp.csr_array(GOOD)).transform(X)
    yield "Prepared(weighting='tfidf').fit", lambda X: novikoff.Prepared(weighting="tfidf").fit(X)
    yield "Quadratic", lambda X: Quadratic(np.eye(3), np.ones(3), 0.0)(X)
    yield "examples", lambda X: examples(X, Y)
    yield "Learner through a kernel", lambda X: novikoff.Learner(kernel=find_kernel("rbf", gamma="scale")).space.look(X, Y)
    yield "separate", lambda X: novikoff.separate(X, Y)
    yield "separate, poly", lambda X: novikoff.separate(X, Y, kernel="poly", degree=2)
    yield "separate, rbf", lambda X: novikoff.separate(X, Y, kernel="rbf")
    yield "separate, rescaled", lambda X: novikoff.separate(X, Y, method="rescaled")
    yield "separate, many classes", lambda X: novikoff.separate(X, [0, 1, 2], multiclass="direct")
    yield "max_margin", lambda X: novikoff.max_margin(X, Y)
    yield "quasi_separate", lambda X: novikoff.quasi_separate(X, Y)
    yield "rows_in_the_way", lambda X: novikoff.rows_in_the_way(X, Y)
    yield "solve_cone", novikoff.solve_cone
    yield "solve_system", lambda X: novikoff.solve_system(X, 0, 1)
    yield "verify", lambda X: refused_by_verify(novikoff.verify(proof, X, Y))
    yield "verify, of a system", lambda X: refused_by_verify(novikoff.verify(point, X))
    for name in ("perceptron_loss", "perceptron_subgradient", "hinge_loss", "margin"):
        yield f"losses.{name}", lambda X, name=name: getattr(losses, name)(np.ones(3), X, [1, -1, 1])
    yield "losses.distance", lambda X: losses.distance(np.ones(3), X)
    yield "distributed, rows", lambda X: shards.as_rows("block 0", X)
    yield "distributed, learning", lambda X: shards.shard_of_block("block 0", X, Y)
    yield "plot.certificate", lambda X: plot.certificate(proof, X, Y)
    yield "plot.boundary", lambda X: plot.boundary(fitted["Perceptron"], X, Y)
    yield "plot.margins", lambda X: plot.margins(fitted["Perceptron"], X, Y)
    yield "archive", lambda X: through_an_archive(X, read)
    yield "archive, plainly", lambda X: through_an_archive(X, read_plainly)
    yield "archive of constraints", lambda X: through_an_archive(X, read_constraints)
    yield "archive of constraints, plainly", lambda X: through_an_archive(X, read_constraints_plainly)
    yield "stored rows of a model", lambda X: through_a_ballot(X, Ballot)


def refused_by_verify(verdict):
    assert not verdict
    raise ValueError(str(verdict))


def through_an_archive(X, read):
    """As `scipy.sparse.save_npz` lays it out, and y beside it."""
    if not sp.issparse(X) or X.format == "lil" or isinstance(X.data, np.ma.MaskedArray):
        raise ValueError("no file holds a masked array, or lists")
    if X.format in ("csr", "csc") and X.indptr.dtype.kind == "f":
        raise ValueError("whole numbers that are stored as floats are read as whole numbers")
    parts = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "bsr": ("indices", "indptr"), "dia": ("offsets",)}
    arrays = {name: getattr(X, name) for name in ("data", *parts.get(X.format, ()))}
    if X.format == "coo":
        arrays |= {"row": X.coords[0], "col": X.coords[1]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.npz"
        np.savez(path, format=X.format.encode(), shape=X.shape, **arrays, y=Y)
        read(str(path))


def through_a_ballot(X, kind):
    if not sp.issparse(X) or X.format != "csr" or isinstance(X.data, np.ma.MaskedArray):
        raise ValueError("models store rows as CSR alone")
    parts = {"numbers": np.arange(ROWS), "data": X.data, "indices": X.indices, "indptr": X.indptr}
    kind.of(parts, WIDTH)


def main(wanted):
    warnings.simplefilter("ignore")
    tried = 0
    for door, enter in doors():
        if wanted and wanted not in door:
            continue
        for name, X in matrices():
            print(f"{door} <- {name}", flush=True)
            try:
                enter(X)
            except ValueError as error:
                tried += 1
                if not str(error):
                    sys.exit("was refused without a sentence")
            else:
                sys.exit("was let in")
    print(f"{tried} refused")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
