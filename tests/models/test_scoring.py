"""The figures of `score` against those of scikit-learn."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support

from novikoff.learning.learner import Learner
from novikoff.models.scoring import Scores, class_of


@pytest.mark.parametrize("known", [2, 4])
def test_rows_with_a_label_never_seen_count_in_every_figure(known):
    rng = np.random.default_rng(known)
    names = np.array(["a", "b", "c", "d", "strange", "stranger"])
    learner = Learner()
    X = rng.normal(size=(80, 5))
    learner.fit(learner.space.look(X, names[np.arange(80) % known], constant=1), 2)
    y, decisions = rng.choice(names, 300, p=[0.1, 0.2, 0.1, 0.1, 0.4, 0.1]), learner.decide(rng.normal(size=(300, 5)))
    answers, scores = learner.classes[learner.codes(decisions)], Scores(learner.classes.tolist())
    for some in np.array_split(np.arange(300), 3):
        scores.add(learner, decisions[some], y[some])
    found = scores.plain()
    labels = [one["label"] for one in found["by_class"]]
    assert sorted(labels) == sorted(set(y) | set(answers))
    precision, recall, f1, support = precision_recall_fscore_support(y, answers, labels=labels, zero_division=0)
    for name, theirs in (("precision", precision), ("recall", recall), ("f1", f1), ("rows", support)):
        assert [one[name] or 0 for one in found["by_class"]] == pytest.approx(theirs.tolist()), name
    assert found["precision"] == [one["precision"] for one in found["by_class"][:known]]
    assert found["macro_f1"] == pytest.approx(f1_score(y, answers, average="macro"))
    assert found["accuracy"] == accuracy_score(y, answers)
    assert found["baseline"]["label"] == "strange"
    assert found["baseline"]["accuracy"] == DummyClassifier(strategy="most_frequent").fit(y, y).score(y, y)


def test_labels_are_found_whether_a_file_has_them_as_numbers_or_as_texts():
    numbers, texts = np.array([2, 10]), np.array(["10", "2", "ham"])
    assert class_of(numbers, np.array(["10", "maybe", "2.0", "+2"])).tolist() == [1, -1, 0, 0]
    assert class_of(texts, np.array([2.0, 10.0, 2.5])).tolist() == [1, 0, -1]
    assert class_of(numbers, np.array([10, 3])).tolist() == [1, -1]
