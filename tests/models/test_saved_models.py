"""Models of many classes and of kernels are saved, loaded and go on learning."""

import numpy as np
import pytest

from kernel_problems import circles
from novikoff import KernelPerceptron, OnlineLearner, Perceptron, load
from novikoff.engine.labelled_rows import examples
from novikoff.models.model import to_text


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket", "voted"])
def test_saved_loaded_and_gone_on_with(readout, tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 4)), rng.choice(["a", "b", "c"], 60)
    clf = Perceptron(readout=readout, max_iter=3, multiclass="direct").fit(X, y)
    clf.save(tmp_path / "model")
    model = load(tmp_path / "model")
    assert model.learner.multiclass == "direct"
    assert model.decisions(X).tolist() == clf.decision_function(X).tolist()
    assert model.labels(X).tolist() == clf.predict(X).tolist()
    assert model.certificates == [clf.certificate_]
    again, went_on = model.learner, clf._learner
    later = examples(X[::-1] + 1, np.append(y[1:], "aa"))  # with a class that is new, and comes second
    for learner in (again, went_on):
        learner.fit(later, 2)
    assert again.decide(X).tolist() == went_on.decide(X).tolist()
    assert again.weights().tolist() == went_on.weights().tolist()
    assert again.classes.tolist() == ["a", "aa", "b", "c"]


@pytest.mark.parametrize("settings", [{}, {"readout": "averaged"}, {"readout": "voted"}, {"readout": "pocket"}, {"budget": 9}])
def test_models_are_saved_and_go_on(settings, tmp_path):
    X, y = circles()
    clf = KernelPerceptron("poly", degree=2, max_iter=3, **settings).fit(X, y)
    clf.save(tmp_path / "model.nvk")
    model = load(tmp_path / "model.nvk")
    assert model.decisions(X)[:, 0].tolist() == clf.decision_function(X).tolist()
    if settings != {"readout": "voted"}:
        more = model.learner.space.look(X[:50], y[:50], constant=0)
        model.learner.learn(more)
        clf.partial_fit(X[:50], y[:50])
        assert model.decisions(X)[:, 0].tolist() == clf.decision_function(X).tolist()


def test_what_a_file_cannot_hold_or_do_is_said(tmp_path):
    X, y = circles(40)
    with pytest.raises(ValueError, match="is a function, and model files contain no code: use a named kernel"):
        KernelPerceptron(lambda a, b: a @ b.T, max_iter=2).fit(X, y).save(tmp_path / "model.nvk")
    KernelPerceptron().fit(X, y).save(tmp_path / "model.nvk")
    model = load(tmp_path / "model.nvk")
    for use in (to_text, OnlineLearner.of):
        with pytest.raises(ValueError, match=r"has a kernel|features are numbered"):
            use(model)
    with pytest.raises(AttributeError, match="no weights of columns"):
        _ = KernelPerceptron().fit(X, y).coef_
