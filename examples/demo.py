"""The main job on real data that scikit-learn ships: train, and print the answer."""

import time
import warnings

from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from novikoff import MarginPerceptron, Perceptron

warnings.simplefilter("ignore")

X, y = load_breast_cancer(return_X_y=True)
train, test, train_y, test_y = train_test_split(X, y, random_state=0)
scaler = StandardScaler().fit(train)
train, test = scaler.transform(train), scaler.transform(test)

print("breast cancer: is the tumour benign?", len(train), "rows to learn from,", len(test), "to be asked about")
clf = MarginPerceptron(random_state=0).fit(train, train_y)
labels, sure = clf.predict_with_doubt(test, sigma=0.05)
right = labels == test_y
print(f"  {right.mean():.1%} right; where it is sure ({sure.mean():.0%} of the rows) {right[sure].mean():.1%}")

textbook = Perceptron(max_iter=2000).fit(train, train_y)
print(f"  the textbook Perceptron: {textbook.n_mistakes_} mistakes in {textbook.n_iter_} passes")
print(f"  it stopped for: {textbook.stop_reason_}")
if textbook.stop_reason_ == "clean pass":
    print("  so a hyperplane separates the training rows, and this is one of them:")
    names = load_breast_cancer().feature_names
    for feature, size in list(textbook.feature_importance().items())[:3]:
        print(f"    {names[int(feature[1:])]:<24} |w| = {size:.1f}")

X, y = load_digits(return_X_y=True)
train, test, train_y, test_y = train_test_split(X, y, random_state=0)
MarginPerceptron().fit(train[:20], train_y[:20])  # compiled before the clock starts
began = time.perf_counter()
clf = MarginPerceptron(random_state=0).fit(train, train_y)
took = time.perf_counter() - began
print(f"digits: ten classes, {len(train)} rows, five passes in {took * 1e3:.0f} ms: {clf.score(test, test_y):.1%} right")
