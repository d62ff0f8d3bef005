"""Reports: every number is the library's, whatever comes from data is text, and the page stands on its own."""

import os
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import novikoff
from html_pages import taken_apart
from novikoff import KernelPerceptron, MarginPerceptron, Perceptron, RescaledPerceptron, Undecided, report, separate
from novikoff.data.features import Named
from novikoff.data.readers import Labelled
from novikoff.learning.bounds import NoBound
from novikoff.learning.run import StopReason
from novikoff.models.model import Model
from novikoff.models.scoring import Scores
from novikoff.reporting import _prose as report_prose
from novikoff.reporting.survey import BINS, SAMPLE, Histogram, margins_of, survey
from novikoff.reporting.training import STOPPED

CHROMIUM = shutil.which("chromium")
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=http://example.org/x onerror=alert(1)>",
    "שלום \u202egnp.exe",
    "</title></style><svg onload=alert(1)>",
    "{{ 7*7 }} {% raw %}",
    "$x_1$ \x00\x1b[31m\ud800",
    "#010203",
    'id="q" c',
    "long " * 100_000,
]


def made(classes=2, n=240, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    scores = X @ np.random.default_rng(5).normal(size=(4, classes)) + noise * rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1)


def figures(model, X, y):
    found = Scores(model.learner.classes.tolist())
    found.add(model.learner, model.learner.decide(X), np.asarray(y))
    return found


def numbers(lines, column):
    return [line[column].numbers[0] if line[column].numbers else None for line in lines]


def check(page, model, X, y):
    """All that the page says of these rows is so."""
    scores = figures(model, X, y)
    plain = scores.plain()
    assert f"answers {scores.right:,} of {scores.rows:,} rows correctly: an accuracy of {plain['accuracy']:.4f}" in page.words()
    if len(plain["classes"]) <= 12:
        lines = page.table("By class")
        assert numbers(lines, 1) == scores.confusion.sum(axis=1).tolist()
        for column, what in ((2, "precision"), (3, "recall"), (4, "f1")):
            assert numbers(lines, column) == plain[what]
        matrix = page.table("Confusion matrix")
        assert [[cell.numbers[0] for cell in line[1:]] for line in matrix] == plain["confusion"]
    passes = page.table("Each pass")
    assert [[cell.numbers[0] for cell in line] for line in passes] == [one[:4] for one in model.run["each_pass"]]
    rows, margin = margins_of(model, model.learner.decide(X), np.asarray(y))
    wrong = sorted((m, int(i)) for i, m in zip(rows, margin, strict=True) if m <= 0)[:20]
    if wrong:
        lines = page.table("Wrong by the most")
        assert numbers(lines, 0) == [i for _, i in wrong]
        assert numbers(lines, 3) == [m for m, _ in wrong]
        assert [line[1].text for line in lines] == [str(y[i]) for _, i in wrong]
    grouped = len({c.why for c in model.certificates if isinstance(c, Undecided)}) < len(model.certificates)
    for certificate in model.certificates[:20]:
        shown = f"Undecided: {certificate.why}." if grouped and isinstance(certificate, Undecided) else str(certificate)
        assert shown.splitlines()[0].replace("`", "") in page.words()


MODELS = {
    "two": lambda X, y: Perceptron(max_iter=4).fit(X, y),
    "ovr": lambda X, y: MarginPerceptron(random_state=0).fit(X, y),
    "direct": lambda X, y: MarginPerceptron(multiclass="direct", random_state=0).fit(X, y),
    "kernel": lambda X, y: KernelPerceptron("rbf", max_iter=5).fit(X, y),
    "voted": lambda X, y: Perceptron(readout="voted", max_iter=3).fit(X, y),
}


@pytest.mark.parametrize(("kind", "classes"), [("two", 2), ("ovr", 3), ("direct", 3), ("kernel", 2), ("voted", 2), ("voted", 3)])
def test_every_number_is_the_librarys(kind, classes, tmp_path):
    X, y = made(classes)
    clf = MODELS[kind](X, y)
    page = taken_apart(report(clf, X, y))
    check(page, clf.as_model(), X, y)
    found = clf.facts(X, y)
    each = list(found.values()) if isinstance(found, dict) else [found]
    lines = page.table("What theorems say")
    for line, facts in zip(lines, each, strict=True):
        *_, updates, mistakes, by_margin, by_losses = line
        assert (updates.numbers, mistakes.numbers) == ([facts.updates], [facts.mistakes])
        for said, bound in ((by_margin, facts.by_margin), (by_losses, facts.by_losses)):
            assert said.text == (
                f"none: {bound.why}" if isinstance(bound, NoBound) else f"at most {bound.value:,.1f} {bound.of} ({bound.theorem})"
            )
    clf.save(tmp_path / "model")
    other, labels = made(classes, seed=1)
    loaded = novikoff.load(tmp_path / "model")
    page = taken_apart(report(loaded, other, labels, tmp_path / "page.html"))
    assert taken_apart((tmp_path / "page.html").read_text("utf-8")).words() == page.words()
    check(page, loaded, other, labels)
    assert "the rows it learned from" not in page.words()
    times = np.bincount(np.concatenate([ledger.entries.row for ledger in clf._ledgers]))
    assert [n for _, n in loaded.run["hardest"]] == np.sort(times)[::-1][:20].tolist()
    assert all(times[row] == n for row, n in loaded.run["hardest"])
    for row, n in loaded.run["hardest"]:
        assert f"row {row:,} {n:,} update" in page.words()


def test_f1_is_scikit_learns():
    X, y = made(3, noise=1.0)
    clf = MarginPerceptron(random_state=0).fit(X, y)
    found = figures(clf.as_model(), X, y).plain()["f1"]
    assert found == pytest.approx(f1_score(y, clf.predict(X), average=None), abs=1e-15)


def test_separable_data_has_its_proof_and_its_bound():
    X, y = made(noise=0.0)
    clf = Perceptron(max_iter=1000).fit(X, y)
    assert clf.certificate_.outcome == "separable"
    facts = clf.facts(X, y)
    words = taken_apart(report(clf, X, y)).words()
    assert "It is proved that the training rows can be separated without error." in words
    assert f"at most {facts.by_margin.value:,.1f} mistakes (F5 (Novikoff))" in words
    model = clf.as_model()  # which knows R and the certificate, and so a bound, but no rows
    proved = clf.bound(radius=facts.radius, margin=clf.certificate_.margin.low)
    assert proved.value >= facts.mistakes
    assert f"at most {proved.value:,.1f} mistakes (F5 (Novikoff))" in taken_apart(report(model)).words()
    assert "needs the training rows" in taken_apart(report(model)).words()


def test_a_bound_that_does_not_hold_is_not_printed():
    X, y = made(noise=0.0)
    clf = Perceptron(max_iter=1000, warm_start=True).fit(X, y)
    clf.fit(X[:100], y[:100])
    words = taken_apart(report(clf.as_model())).words()
    assert "at most" not in words[words.index("What theorems say") : words.index("How well")]
    weighted = Perceptron(max_iter=1000, class_weight={0: 2.0}).fit(X, y)
    words = taken_apart(report(weighted, X, y)).words()
    assert "none: sample or class weights scale the steps" in words
    assert "By theorem there can be" not in words


def test_contradictions_are_named_with_their_multipliers():
    X = np.array([[1.0], [1.0], [2.0], [-1.0]])
    clf = Perceptron(max_iter=50).fit(X, [0, 1, 1, 0])
    certificate = clf.certificate_
    assert certificate.outcome == "inseparable"
    lines = taken_apart(report(clf, X, [0, 1, 1, 0])).table("Rows that contradict each other")
    assert numbers(lines, 0) == list(certificate.rows)
    assert [line[1].text for line in lines] == [str(m) for m in certificate.multipliers]


def test_many_classes_that_contradict_each_other():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]])
    clf = Perceptron(max_iter=50, multiclass="direct").fit(X, ["a", "b", "c", "b"])
    certificate = clf.certificate_
    assert certificate.outcome == "many inseparable"
    lines = taken_apart(report(clf, X, ["a", "b", "c", "b"])).table("Rows that contradict each other")
    assert numbers(lines, 0) == list(certificate.rows)
    assert [line[1].text for line in lines] == ["abc"[r] for r in certificate.rivals]


def test_the_largest_weights_are_there_by_name():
    X, y = made()
    model = Perceptron(max_iter=3).fit(X, y).as_model()
    named = Model(model.learner, Named(["alpha", "beta", "gamma", "delta"]), model.certificates, model.run)
    lines = taken_apart(report(named)).table("Above 0 for 1, below 0 for 0")
    assert [(line[0].text, line[1].numbers[0]) for line in lines] == named.largest(20)[0]


def test_what_comes_from_data_is_text():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(140, len(HOSTILE)))
    y = np.array(HOSTILE, object)[rng.integers(len(HOSTILE), size=140)]
    y[:20] = ["<b>never</b>"] * 20
    clf = MarginPerceptron(random_state=0).fit(X[20:], y[20:].tolist())
    model = clf.as_model()
    model.features = Named(HOSTILE)
    command = ("novikoff", "fit", HOSTILE[1])
    model.run = replace(model.run, files=tuple(HOSTILE[:2]), command=command, reading={"label": HOSTILE[0]})
    text = report(model, X, y)
    page = taken_apart(text)
    shown = " ".join(page.bdi)
    assert HOSTILE[0] in shown
    assert HOSTILE[1] in shown
    assert "שלום \\u202egnp.exe" in shown
    assert "{{ 7*7 }} {% raw %}" in shown
    assert "$x_1$ \\x00\\x1b[31m\\ud800" in shown
    assert "<b>never</b>" in shown
    assert "\u202e" not in text
    assert "\x00" not in text
    assert max(len(name) for name in page.bdi) < 1000
    assert "<script" not in text
    assert text.encode("utf-8")
    assert {"#010203", 'id="q" c'} <= set(page.bdi)


def test_names_in_pictures_are_text_too():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), ["#010203", 'id="q" c', 'id="q" c']
    text = report(Perceptron(max_iter=100).fit(X, y), X, y)
    drawings = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(drawings) == 5
    shown = [re.findall(r"<text[^>]*>([^<]*)</text>", one) for one in drawings if 'id="q" c' in one]
    assert len(shown) == 2  # the certificate and the boundary have legends with classes
    assert all({"#010203", 'id="q" c'} <= set(texts) for texts in shown)
    tags = "".join(re.findall(r"<[^>]*>", text))
    assert "#010203" not in tags
    named = re.findall(r'\bid="([^"]*)"', tags)
    assert len(set(named)) == len(named)


def test_the_proof_is_along_what_it_says():
    X, y = made(noise=0.0)
    for readout, u in (("voted", "the last weights"), ("averaged", "the weights that answer")):
        clf = Perceptron(readout=readout, max_iter=5).fit(X, y)
        assert f"along u, {u};" in taken_apart(report(clf, X, y)).words()


def test_every_reason_to_end_is_told():
    assert STOPPED.keys() == {str(reason) for reason in StopReason}


def test_many_classes_are_told_by_what_is_confused_most():
    X, y = made(30, n=900, noise=2.0)
    clf = MarginPerceptron(random_state=0, multiclass="direct", max_iter=2).fit(X, y)
    page = taken_apart(report(clf, X, y))
    confusion = figures(clf.as_model(), X, y).confusion
    np.fill_diagonal(confusion, 0)
    assert not page.has("Confusion matrix")
    lines = page.table("The pairs that are confused most")
    assert numbers(lines, 2) == np.sort(confusion.ravel())[::-1][:20].tolist()
    assert all(confusion[int(line[0].text), int(line[1].text)] == line[2].numbers[0] for line in lines)
    assert len(page.table("The 20 of 30 classes with the lowest F1")) == 20


def test_labels_never_seen_are_errors_and_are_told():
    X, y = made()
    clf = Perceptron(max_iter=3).fit(X, y)
    strange = np.where(np.arange(len(y)) < 7, 5, y)
    page = taken_apart(report(clf, X, strange))
    check(page, clf.as_model(), X, strange)
    assert [(line[0].text, line[1].numbers) for line in page.table("Labels never seen")] == [("5", [7.0])]


def rare(recall, n=1000, share=0.3):
    """A classifier of one feature that recognises this share of a rare class, and rows to ask it about."""
    few = round(n * share)
    y = np.array(["rare"] * few + ["common"] * (n - few))
    X = np.where(np.arange(n) < recall * few, 1.0, -1.0)[:, None]
    return Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], ["rare", "common"]), X, y


def test_an_accuracy_that_hides_a_weak_class_draws_a_remark():
    clf, X, y = rare(0.065)
    page = taken_apart(report(clf, X, y))
    said = "The accuracy of 0.7200 hides a class that is rarely recognised: only 20 of 300 rows of rare are answered correctly"
    assert f"{said} (recall 0.067)." in page.words()
    assert "Answering common for every row would give an accuracy of 0.7000." in page.words()
    assert "no better" not in page.words()
    assert "hides a class" in taken_apart(report(*rare(0.49))).words()
    assert "hides" not in taken_apart(report(*rare(0.5))).words()
    clf, X, y = rare(0.2, n=10)  # three rows say little
    assert "hides" not in taken_apart(report(clf, X, y)).words()
    clf, X, y = rare(0.1, share=0.9)  # an accuracy that nobody takes for good
    assert "hides" not in taken_apart(report(clf, X, y)).words()


def test_a_model_that_is_no_better_than_one_answer_draws_a_remark():
    said = "Answering common for every row would give an accuracy of 0.7000. The model is no better than that"
    for recall, enough in ((0.0, True), (0.01, False)):
        clf, X, y = rare(recall)
        assert (said in taken_apart(report(clf, X, y)).words()) == enough
    clf, X, y = rare(0.9, share=1.0)  # rows of one class cannot tell
    assert "no better" not in taken_apart(report(clf, X, y)).words()


@pytest.mark.parametrize("classes", [4, 30])
def test_classes_with_the_same_verdict_share_a_line(classes):
    X, y = made(classes, n=900, noise=2.0)
    clf = MarginPerceptron(random_state=0, max_iter=2).fit(X, y)
    assert [each.outcome for each in clf.as_model().certificates] == ["undecided"] * classes
    (line,) = taken_apart(report(clf)).table("What is proved about each class")
    shown = ", ".join(map(str, range(min(classes, 20)))) + (f", and {classes - 20} more classes" if classes > 20 else "")
    assert line[0].text == shown
    assert line[1].text == "undecided"


def test_classes_with_other_verdicts_have_lines_of_their_own():
    X = np.array([[0.0, 3.0], [0.1, 3.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    clf = Perceptron(max_iter=100).fit(X, ["up", "up", "a", "b", "b"])
    certificates = clf.as_model().certificates
    lines = taken_apart(report(clf, X, ["up", "up", "a", "b", "b"])).table("What is proved about each class")
    assert sorted(label for line in lines for label in line[0].text.split(", ")) == ["a", "b", "up"]
    assert len(lines) == len({str(each).splitlines()[0] for each in certificates})


def test_code_in_sentences_is_set_as_code_and_backticks_in_names_stay():
    X, y = made(3, noise=1.0)
    clf = MarginPerceptron(random_state=0).fit(X, np.array(["`a`", "b`", "c"])[y])
    text = report(clf, X, np.array(["`a`", "b`", "c"])[y])
    page = taken_apart(text)
    assert {"`a`", "b`"} <= set(page.bdi)
    assert "`" not in re.sub(r"<bdi.*?</bdi>", "", text.replace("b`", "").replace("`a`", ""))
    sentence = str(report_prose("use `novikoff certify <b>` now"))
    assert sentence == "use <code>novikoff certify &lt;b&gt;</code> now"
    assert str(report_prose("a lone ` & more")) == "a lone ` &amp; more"


def test_long_multipliers_are_short_on_the_page_and_exact_on_hover():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    proof = separate(X, y)
    assert max(len(str(each)) for each in proof.multipliers) > 25
    model = Perceptron(max_iter=2).fit(X, y).as_model()
    model.certificates = [proof]
    page = taken_apart(report(model))
    lines = page.table("Rows that contradict each other")
    assert all(len(line[1].text) <= 12 for line in lines)
    assert [float(line[1].text) for line in lines] == pytest.approx([float(m) for m in proof.multipliers], rel=1e-3)
    exact = [attributes["title"] for tag, attributes in page.elements if tag == "abbr"]
    assert exact == [str(m) for m in proof.multipliers]


def test_a_score_of_zero_is_no_answer():
    clf = Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0])
    page = taken_apart(report(clf, [[0.0], [2.0]], [0, 1]))
    assert "1 row has a score of exactly 0" in page.words()
    assert page.table("Wrong by the most")[0][2].text == "none: the score is 0"


@pytest.mark.parametrize("clf", [RescaledPerceptron(random_state=0), MarginPerceptron(random_state=0)])
def test_one_feature_and_other_estimators(clf):
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0]]), [1, 1, 0, 0]
    assert "answers 4 of 4 rows correctly" in taken_apart(report(clf.fit(X, y), X, y)).words()


def test_a_stream_and_one_class():
    clf = Perceptron().partial_fit([[1.0], [2.0]], ["a", "a"])
    assert "answers 2 of 2 rows correctly" in taken_apart(report(clf, [[1.0], [2.0]], ["a", "a"])).words()
    clf.partial_fit([[-1.0]], ["b"])
    assert "it learned from a stream" in taken_apart(report(clf, [[1.0]], ["a"])).words()


@pytest.mark.parametrize(
    ("model", "X", "y", "sentence"),
    [
        (object(), None, None, "a report takes one of novikoff's classifiers or models"),
        (0, [[1.0, 2.0]], None, "compares answers with labels: give y"),
        (0, [[1.0, 2.0]], [1, 2], "their shapes are"),
        (0, np.empty((0, 2)), [], "there are no rows"),
        (0, [[1.0]], [1], "these rows have 1 column; the model was trained on 2"),
    ],
)
def test_refusals_leave_nothing_behind(model, X, y, sentence, tmp_path):
    model = Perceptron().fit([[1.0, 0.0], [0.0, 1.0]], [0, 1]).as_model() if model == 0 else model
    with pytest.raises((ValueError, TypeError), match=sentence):
        report(model, X, y, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setattr("novikoff.reporting.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'novikoff\[plot\]'"):
        report(Perceptron().fit([[1.0], [0.0]], [0, 1]))


@given(st.lists(st.lists(st.floats(-1e300, 1e300), max_size=20), min_size=1, max_size=5))
def test_no_number_is_in_another_bin_than_its_own(blocks):
    spread = Histogram(2)
    for block in blocks:
        spread.add(np.array(block, float), np.array([x <= 0 for x in block], np.intp))
    every = np.array([x for block in blocks for x in block])
    assume(len(every))
    assert spread.counts.shape[1] <= BINS
    assert spread.counts.sum() == len(every)
    for low, high, counts in zip(spread.edges[:-1], spread.edges[1:], spread.counts.T, strict=True):
        inside = every[(every >= low) & (every < high)]
        assert counts.tolist() == [int((inside > 0).sum()), int((inside <= 0).sum())]


@given(st.integers(1, 60), st.integers(0, 3))
def test_blocks_and_storage_make_no_difference(size, seed):
    X, y = made(3, n=60, noise=1.0, seed=seed)
    model = MarginPerceptron(random_state=0, max_iter=2).fit(X, y).as_model()
    whole = survey(model, [Labelled(X, y)])
    pieces = survey(model, [Labelled(sp.csr_array(X[i : i + size]), y[i : i + size]) for i in range(0, 60, size)])
    assert whole.scores.plain() == pieces.scores.plain()
    assert [one[1:4] for one in whole.worst] == [one[1:4] for one in pieces.worst]
    assert np.allclose([one.margin for one in whole.worst], [one.margin for one in pieces.worst])
    assert whole.margins.counts.sum(axis=1).tolist() == pieces.margins.counts.sum(axis=1).tolist()


def test_pictures_are_of_some_rows_and_the_page_stays_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    clf = MarginPerceptron(max_iter=2, random_state=0).fit(X, y)
    found = survey(clf.as_model(), [Labelled(X[i : i + 9000], y[i : i + 9000]) for i in range(0, len(X), 9000)])
    assert found.scores.rows == found.margins.counts.sum() == len(X)
    assert len(found.sample.y) == SAMPLE
    assert abs(found.sample.X.mean()) < 0.1
    page = taken_apart(report(clf, X, y))
    check(page, clf.as_model(), X, y)
    assert f"with {SAMPLE:,}, chosen at random, of 200,000 rows" in page.words()


def test_pictures_say_what_they_show_and_take_the_pages_ink():
    X = made()[0]
    clf = Perceptron(max_iter=1000).fit(X[:, :2], (X[:, 0] > X[:, 1]).astype(int))
    text = report(clf, X[:, :2], (X[:, 0] > X[:, 1]).astype(int))
    page = taken_apart(text)
    shown = [attributes["aria-labelledby"] for tag, attributes in page.elements if tag == "svg"]
    assert shown == [f"{what}-title" for what in ("certificate", "mistakes", "proof", "margins", "boundary")]
    facts = clf.facts(X[:, :2], (X[:, 0] > X[:, 1]).astype(int))
    made_in = [one.mistakes for one in facts.per_pass]
    assert f"{made_in[0]:,} in the first, {made_in[-1]:,} in the last, {facts.mistakes:,} in all" in page.words()
    assert f"Margins of all {len(X):,} rows" in page.words()
    assert f"with all of {len(X):,} rows" in page.words()
    assert "currentColor" in text
    assert "#010203" not in text
    other = taken_apart(report(clf, X[:50, :2], (X[:50, 0] > X[:50, 1]).astype(int)))  # of which nothing was proved
    shown = [attributes["aria-labelledby"] for tag, attributes in other.elements if tag == "svg"]
    assert shown == ["mistakes-title", "margins-title", "boundary-title"]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open the page in")
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.full)])
def test_a_browser_finds_nothing_to_complain_about(scheme, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    X, y = made(3, noise=1.0)
    report(MarginPerceptron(random_state=0).fit(X, y), X, y, tmp_path / "page.html")
    quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.fspath(CHROMIUM), args=quiet)
        for width in (380, 1200):
            shown = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}).new_page()
            asked, said = [], []
            shown.on("request", lambda request, asked=asked: asked.append(request.url))
            shown.on("console", lambda message, said=said: said.append(message.text))
            shown.goto((tmp_path / "page.html").as_uri())
            assert len(asked) == 1
            assert said == []
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
            shown.evaluate("document.querySelector('meta[http-equiv]').remove()")
            found = axe.Axe().run(shown)
            assert found.violations_count == 0, found.generate_report()
        browser.close()


def test_labels_that_are_none_or_of_two_kinds_are_refused_with_a_sentence():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    model = Perceptron().fit(X, ["a", "b", "b"])
    with pytest.raises(ValueError, match="the label of row 1 is None"):
        report(model.as_model(), X, np.array(["a", None, "b"], object))
    with pytest.raises(ValueError, match="different kinds"):
        report(model.as_model(), X, np.array(["a", 1, "b"], object))
