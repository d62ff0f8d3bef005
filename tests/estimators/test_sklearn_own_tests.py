"""scikit-learn's tests of its Perceptron and its SGD classifier, imported as they are and run against ours.

They are given a class that spells our parameters as theirs does. What ours does not have (penalties, learning rates, losses)
it takes and leaves alone; tests that speak of those are left out below, each with the reason.
"""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.linear_model.tests import test_perceptron, test_sgd

from novikoff import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore")


class Respelled(Perceptron):
    def __init__(
        self, max_iter=5, shuffle=True, average=False, fit_intercept=True, class_weight=None, warm_start=False,
        random_state=42, n_jobs=None, tol=None, alpha=None, eta0=None, penalty=None, learning_rate=None, loss=None,
        l1_ratio=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            readout="averaged" if average else "last",
            order="each" if shuffle else "given",
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            warm_start=warm_start,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=bool(verbose),
        )
        self.l1_ratio = l1_ratio
        self.shuffle, self.average, self.tol, self.alpha = shuffle, average, tol, alpha
        self.eta0, self.penalty, self.learning_rate, self.loss = eta0, penalty, learning_rate, loss

    @property
    def t_(self):
        return self.n_iter_


class SparseRespelled(Respelled):
    def fit(self, X, *args, **more):
        return super().fit(sp.csr_array(X), *args, **more)

    def partial_fit(self, X, *args, **more):
        return super().partial_fit(sp.csr_array(X), *args, **more)

    def decision_function(self, X):
        return super().decision_function(sp.csr_array(X))


OF_SGD = {
    "test_warm_start": {"lr": "constant"},
    "test_input_format": {},
    "test_clone": {},
    "test_sgd_clf": {},
    "test_provide_coef": {},
    "test_set_intercept_offset": {"fit_params": {"intercept_init": np.zeros((3,))}},
    "test_set_intercept_offset_binary": {"fit_params": {"intercept_init": 0}},
    "test_set_intercept_to_intercept": {},
    "test_sgd_at_least_two_labels": {},
    "test_sgd_multiclass": {},
    "test_sgd_multiclass_with_init_coef": {},
    "test_sgd_multiclass_njobs": {},
    "test_set_coef_multiclass": {},
    "test_wrong_class_weight_label": {},
    "test_weights_multiplied": {},
    "test_wrong_sample_weights": {},
    "test_partial_fit_binary": {},
    "test_partial_fit_multiclass": {},
    "test_partial_fit_multiclass_average": {},
    "test_fit_then_partial_fit": {},
    "test_partial_fit_equal_fit_classif": {"lr": "constant"},
    "test_warm_start_multiclass": {},
    "test_multiple_fit": {},
}

WITHOUT_STORAGES = {
    "test_SGDClassifier_fit_for_all_backends": {"backend": "threading"},
    "test_numerical_stability_large_gradient": {},
    "test_sgd_numerical_consistency": {"SGDEstimator": Respelled},
    "test_sgd_random_state": {"Estimator": Respelled, "global_random_seed": 7},
    "test_sgd_verbose": {"Estimator": Respelled},
}

LEFT_OUT = {
    "test_class_weights": "a penalty must let the weights turn a hyperplane that separates already",
    "test_sample_weights": "a penalty must let the weights turn a hyperplane that separates already",
    "test_l1_ratio": "about penalties",
    "test_large_regularization": "about penalties",
    "test_multi_core_gridsearch_and_early_stopping": "there is no early stopping",
    "test_multi_thread_multi_class_and_early_stopping": "there is no early stopping",
    "test_sgd_dtype_match": "it demands float32 weights for float32 data; here w is always float64",
    "test_sgd_error_on_zero_validation_weight": "there is no early stopping",
    "test_tol_parameter": "there is no tolerance",
    "test_validation_mask_correctly_subsets": "there is no early stopping",
    "test_learning_rate_PA_raises": "about a learning rate that is a loss",
    "test_plain_has_no_average_attr": "about private attributes",
    "test_late_onset_averaging_not_reached": "averaging starts with the first example here",
    "test_late_onset_averaging_reached": "averaging starts with the first example here",
    "test_early_stopping": "there is no early stopping: a run ends at a clean pass",
    "test_adaptive_longer_than_constant": "about learning rates",
    "test_validation_set_not_used_for_training": "there is no early stopping",
    "test_n_iter_no_change": "there is no tolerance",
    "test_not_enough_sample_for_early_stopping": "there is no early stopping",
    "test_sgd_l1_ratio_not_used": "about penalties",
    "test_sgd_failing_penalty_validation": "about penalties",
    "test_power_t_limits": "about learning rates",
    "test_sgd_early_stopping_with_partial_fit": "there is no early stopping",
    "test_average_binary_computed_correctly": "averages a squared loss; ours is checked in readouts/test_averaged.py",
    "test_partial_fit_weight_class_balanced": "it demands a refusal; here it works, by running counts",
    "test_sgd_multiclass_average": "averages a squared loss; ours is checked in readouts/test_averaged.py",
    "test_sgd_predict_proba_method_access": "about losses with probabilities",
    "test_sgd_proba": "about losses with probabilities",
    "test_sgd_l1": "about penalties",
    "test_equal_class_weight": "a penalty must hold w in place: here a weight of 1/2 halves w",
    "test_balanced_weight": "it demands that imbalance hurts the unweighted one; ours it hurts too little",
    "test_partial_fit_exception": "it demands a refusal without classes=; here classes may appear at any time",
    "test_regression_losses": "about regression losses",
    "test_underflow_or_overflow": "it demands sklearn's words; ours are in engine/test_labelled_rows.py",
}


@pytest.mark.parametrize("klass", [Respelled, SparseRespelled])
@pytest.mark.parametrize("name", OF_SGD)
def test_of_sgd(name, klass, monkeypatch):
    monkeypatch.setattr(test_sgd, "SGDClassifier", Respelled)
    monkeypatch.setattr(test_sgd, "SparseSGDClassifier", SparseRespelled)
    getattr(test_sgd, name)(klass=klass, **OF_SGD[name])


@pytest.mark.parametrize("name", WITHOUT_STORAGES)
def test_of_sgd_without_storages(name, monkeypatch):
    monkeypatch.setattr(test_sgd, "SGDClassifier", Respelled)
    getattr(test_sgd, name)(**WITHOUT_STORAGES[name])


def test_none_is_forgotten():
    if not sklearn.__version__.startswith("1.9."):
        pytest.skip("the list is of scikit-learn 1.9")
    of_classifiers = {
        name
        for name, f in inspect.getmembers(test_sgd, inspect.isfunction)
        if name.startswith("test_") and "SGDClassifier" in _told(f)
    }
    assert of_classifiers == set(OF_SGD) | set(WITHOUT_STORAGES) | set(LEFT_OUT)


def _told(test):
    """What a test is about: its source, and the classes it is parametrised with."""
    marks = getattr(test, "pytestmark", [])
    return inspect.getsource(test) + " ".join(getattr(c, "__name__", "") for m in marks for a in m.args[1:] for c in a)


@pytest.mark.parametrize("container", [np.array, sp.csr_matrix, sp.csr_array])
def test_perceptron_accuracy(container, monkeypatch):
    monkeypatch.setattr(test_perceptron, "Perceptron", Respelled)
    test_perceptron.test_perceptron_accuracy(container)


def test_perceptron_correctness(monkeypatch):
    """Left out of sklearn's file: `test_perceptron_l1_ratio`, about penalties, and `test_undefined_methods`, which demands that
    there is no `predict_proba`.
    """
    monkeypatch.setattr(test_perceptron, "Perceptron", Respelled)
    test_perceptron.test_perceptron_correctness()
