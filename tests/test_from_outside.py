"""What users add from outside the package is used like what is in it: fit, certify, verify, save and load.

A rule, a kernel or a reader is registered when its module is imported, and needs nothing else.
"""

import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import novikoff
from novikoff import KernelPerceptron, Separable, Undecided, separate, verify
from novikoff.engine import kernels
from novikoff.engine.kernels import OfProducts, kernel_named
from novikoff.proof.certificate_files import from_json, load

# ---- a kernel -------------------------------------------------------------------------------------------------------


class _Factor(NamedTuple):
    factor: int = 1


class Overlap(OfProducts, _Factor):
    """factor·Σ min(aⱼ, bⱼ), the overlap of two histograms. It does not bring its exact form."""

    def between(self, A, B, threads=None):
        return self.factor * np.minimum(A.X[:, None, :], B.X[None, :, :]).sum(axis=2)

    def of_itself(self, A):
        return self.factor * A.X.sum(axis=1)


class ExactOverlap(Overlap):
    """The same with its exact form."""

    def exact_value(self, a, b):
        return self.factor * sum(map(min, a, b))


# Histograms: no hyperplane through the origin separates them, but their overlaps do.
X = np.array([[4.0, 0.0], [0.0, 4.0], [2.0, 2.0], [3.0, 3.0], [8.0, 0.0], [0.0, 8.0]])
y = np.array([0, 0, 1, 1, 0, 0])
EQUAL = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 0.5]])


@pytest.fixture(autouse=True)
def registered(monkeypatch) -> None:
    """Register the kernels for one test, as importing a user's module does for good."""
    monkeypatch.setattr(kernels, "_KERNELS", kernels.kernels())
    kernel_named("overlap")(Overlap)
    kernel_named("exact overlap")(ExactOverlap)


def test_a_kernel_with_an_exact_form_goes_all_the_way(tmp_path):
    kernel = ExactOverlap(2)
    clf = KernelPerceptron(kernel=kernel, max_iter=1000).fit(X, y)
    assert clf.score(X, y) == 1
    for certificate in (clf.certificate_, clf.certify(X, y), separate(X, y, kernel=kernel)):
        assert isinstance(certificate, Separable)
        assert str(certificate).startswith("Separable through the kernel exact overlap (factor 2): ")
        certificate.save(tmp_path / "proof.json")
        again = load(tmp_path / "proof.json")
        assert again == certificate
        assert verify(again, X, y, kernel=kernel.exact_value)
    clf.save(tmp_path / "model.nvk")
    model = novikoff.load(tmp_path / "model.nvk")
    assert model.learner.kernel == kernel
    assert model.labels(X).tolist() == y.tolist()
    assert verify(model.certificates[0], X, y, kernel=kernel.exact_value)


def test_rows_that_cancel_out_are_found_by_the_exact_form():
    """φ of row 2 is the sum of φ of rows 0 and 1, which have the other label."""
    corners, kernel = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), ExactOverlap()
    for rows, labels, cancel in ((corners, [0, 0, 1], (0, 1, 2)), (EQUAL, [0, 1, 1], (0, 1))):
        certificate = separate(rows, labels, kernel=kernel)
        assert (certificate.outcome, certificate.rows) == ("inseparable", cancel)
        assert verify(certificate, rows, labels, kernel=kernel.exact_value)
    squares = verify(
        separate(corners, [0, 0, 1], kernel=kernel), corners, [0, 0, 1], kernel=lambda a, b: sum(map(min, a, b)) ** 2
    )
    assert "do not cancel out: something is left at row" in squares.why


def test_a_certificate_never_finds_the_exact_form_by_itself():
    certificate = from_json(separate(X, y, kernel=ExactOverlap()).to_json())
    for nothing in (None, "exact overlap", ExactOverlap()):
        assert (
            "the kernel exact overlap (factor 1), which is not one of this package"
            in verify(certificate, X, y, kernel=nothing).why
        )


@pytest.mark.parametrize(("form", "why"), [
    (lambda a, b: 0.5, "returns 0.5 for rows 0 and"),
    (lambda a, b: True, "returns True for rows 0 and"),
    (lambda a, b: Fraction(0), "is not on its own side"),
    (lambda a, b: -sum(map(min, a, b)), "is not on its own side"),
])  # fmt: skip
def test_another_exact_form_does_not_prove_it(form, why):
    assert why in verify(separate(X, y, kernel=ExactOverlap()), X, y, kernel=form).why


def test_a_kernel_without_an_exact_form_is_refused_by_name(tmp_path):
    clf = KernelPerceptron(kernel=Overlap(), max_iter=1000).fit(X, y)
    assert clf.score(X, y) == 1
    assert isinstance(clf.certificate_, Undecided)
    refused = "there are no proofs for the kernel 'overlap'"
    assert refused in str(clf.certificate_)
    for ask in (lambda: separate(X, y, kernel=Overlap()), lambda: clf.certify(X, y)):
        with pytest.raises(ValueError, match=refused):
            ask()
    clf.save(tmp_path / "model.nvk")
    assert novikoff.load(tmp_path / "model.nvk").labels(X).tolist() == y.tolist()


# ---- a rule and a reader --------------------------------------------------------------------------------------------

OUTSIDE = '''
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.data.features import Named
from novikoff.data.readers import Part, format
from novikoff.engine.rules import NoBound, no_update_margin, require_positive, rule, step


@rule("twofold")
class Twofold(NamedTuple):
    """Steps of `factor` for mistakes, of 1 for rows that are right by less than `enough`."""

    factor: float = 2.0
    enough: float = 0.25

    def check(self):
        require_positive("factor", self.factor)
        require_positive("enough", self.enough)

    def bound(self, evidence):
        return NoBound("nobody has proved one for this rule")


@step.register(Twofold)
def _step(rule, margin, sqnorm):
    return 0.0 if margin > rule.enough else 1.0 if margin > 0 else rule.factor


@no_update_margin.register(Twofold)
def _no_update_margin(rule, sqnorm):
    return rule.enough


@format("pairs", ".pairs", recognises=lambda line: line.startswith(b"pairs "))
def parts(source, reading):
    """Lines such as `pairs yes a=1 b=2`."""
    lines = bytes(source.whole()).decode().splitlines()
    rows = [[field.split("=") for field in line.split()[2:]] for line in lines]
    features = reading.features_of(Named, Named, source.name)
    columns = [features.columns([name for name, _ in row]) for row in rows]
    X = np.zeros((len(rows), features.width))
    for i, row in enumerate(rows):
        X[i, columns[i]] = [float(value) for _, value in row]
    codes = reading.labels.codes([line.split()[1] for line in lines], lambda i: f"{source.name}:{i + 1}")
    yield Part(sp.csr_array(X), codes)
'''

ALL_THE_WAY = """
import sys
import numpy as np
import novikoff
import outside
from novikoff import Perceptron, Separable, verify
from novikoff.data.readers import formats
from novikoff.learning.learner import Learner
from novikoff.models.training import train

data = novikoff.open(sys.argv[1]).read()
assert data.names == ("a", "b", "c") and data.y.tolist() == ["yes", "no", "yes", "no"]
assert "pairs" in formats()
clf = Perceptron(rule=outside.Twofold(3.0), max_iter=100).fit(data.X, data.y)
assert clf.stop_reason_ == "clean pass" and clf.score(data.X, data.y) == 1
assert {update.step for update in clf.ledger_} <= {1.0, 3.0}
assert "nobody has proved one" in str(clf.facts(data.X, data.y))
for certificate in (clf.certificate_, clf.certify(data.X, data.y)):
    assert isinstance(certificate, Separable) and verify(certificate, data.X, data.y)
clf.save("model.nvk")
model = novikoff.load("model.nvk")
assert model.learner.rule == outside.Twofold(3.0)
assert model.labels(data.X).tolist() == data.y.tolist()
learner = Learner("twofold")
training = train(learner, novikoff.open(sys.argv[1]), 100)
assert training.run.stop_reason == "clean pass"
"""
PAIRS = "pairs yes a=1 b=2\npairs no a=-1 c=0.5\npairs yes a=3\npairs no b=-1 c=1\n"


def test_a_rule_and_a_reader_go_all_the_way(tmp_path):
    """In a process of their own: a rule is there for all of a process."""
    (tmp_path / "outside.py").write_text(OUTSIDE)
    (tmp_path / "rows.pairs").write_text(PAIRS)
    for code in (ALL_THE_WAY, "import outside, novikoff.__main__ as program; program.run()"):
        how = [sys.executable, "-W", "ignore", "-c", code]
        how += [] if code is ALL_THE_WAY else ["fit", "-o", "by_command.nvk", "--rule", "twofold"]
        ended = subprocess.run([*how, "rows.pairs"], cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
