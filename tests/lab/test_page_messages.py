"""What the page shows: errors within the window, sentences that are true at the moment, numbers that can be read."""

import random
import re

import numpy as np
import pytest
from browsing import IN_A_BROWSER, numbers, settled
from playwright.sync_api import expect

from novikoff import Perceptron, separate

AND = "#p=0,0n;0,1n;1,0n;1,1p&t=0"
XOR = "#p=0,0n;0,1p;1,0p;1,1n&t=0"
WIDTHS = pytest.mark.parametrize("width", [1600, 380])
pytestmark = IN_A_BROWSER


def noisy(n=40):
    draw = random.Random(3)
    return [(round(draw.gauss(0, 1), 6), round(draw.gauss(0, 1), 6), draw.choice((1, -1))) for _ in range(n)]


def link(points, more=""):
    return "#p=" + ";".join(f"{a},{b}{'p' if y > 0 else 'n'}" for a, b, y in points) + more + "&t=0"


def in_sight(page, selector):
    """Whether all of the element is within the window, with nothing on top of it."""
    return page.locator(selector).evaluate(
        """(node) => {
          const box = node.getBoundingClientRect();
          const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
          const inside = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
          return box.height > 0 && inside && node.contains(top);
        }"""
    )


@WIDTHS
def test_an_error_is_in_sight_of_the_button_that_caused_it(at, width):
    page = settled(at(XOR, width=width, height=900))
    page.fill("#csv", "1,2,a\n3,four,b\n")
    page.click("#use")
    page.wait_for_selector("#alert:not(:empty)")
    assert "'four' is not a number" in page.inner_text("#alert")
    assert page.evaluate("scrollY") > 0
    assert in_sight(page, "#alert")
    assert in_sight(page, "#use")
    page.click("#rescale")
    expect(page.locator("#alert")).to_contain_text("No line through the origin")
    assert in_sight(page, "#alert")
    assert in_sight(page, "#rescale")
    page.fill("#passes", "0")
    page.locator("#passes").blur()
    assert page.inner_text("#alert") == "Passes, at most: must be a whole number from 1 to 10000."
    assert in_sight(page, "#alert")


def test_why_the_run_ended_is_said_at_its_end_only(at):
    page = settled(at(AND))
    for _ in range(10):
        page.click("#mistake")
    assert page.inner_text("#where").startswith("Mistake 10 of 18")
    assert "changed nothing: every point" not in page.inner_text("main")
    page.click("#end")
    assert page.inner_text("#stopped") == "Pass 9 changed nothing: every point is on its own side."
    page.click("#back")
    assert page.inner_text("#stopped") == ""
    cycle = settled(at(XOR))
    cycle.click("#mistake")
    assert "repeats for ever" not in cycle.inner_text("main")
    cycle.click("#end")
    assert "repeats for ever" in cycle.inner_text("#stopped")
    assert "repeats for ever" in cycle.inner_text("#cycle")


def test_clear_leaves_nothing_of_the_run(at):
    page = settled(at(AND))
    page.click("#mistake")
    settled(page)
    assert page.locator(".card .hand circle").count() == 6
    page.click("#clear")
    settled(page)
    assert page.locator("main svg circle, main svg path.curve, main .hand *, main .hyperplane").count() == 1  # the radio button's
    assert [page.inner_text(f"#{name}-caption") for name in ("last", "averaged", "voted")] == ["last", "averaged", "voted"]
    assert page.inner_text("#made") == "0"
    for name in ("gauge", "proof", "interval", "angle", "update"):
        assert page.inner_text(f"#{name}-text") == ""
        assert page.get_attribute(f"#{name}", "aria-label") == "Nothing yet"


def test_one_is_one(at):
    page = settled(at("#p=1,1p;-1,-1n&t=0"))
    page.click("#mistake")
    settled(page)
    assert page.inner_text("#gauge-text").startswith("1 mistake so far; ")
    assert page.inner_text("#interval-text").startswith("1 update proves that ")
    page.click("#orders")
    page.wait_for_selector("#orders-text:not(:empty)")
    page.click("#rescale")
    page.wait_for_selector("#rescaled:not(:empty)")
    page.fill("#csv", "1,2,a\n3,4,b\n")
    assert not re.search(r"\b1 (mistakes|updates|passes|points|stretches|steps|times|runs|rows)\b", page.inner_text("main"))


def test_the_voted_boundary_is_where_the_vote_changes(at):
    points = noisy()
    X, y = np.array([point[:2] for point in points]), [point[2] for point in points]
    voted = Perceptron(readout="voted", max_iter=30).fit(X, y)
    page = settled(at(link(points, "&passes=30")))
    page.click("#end")
    settled(page)
    left, right, bottom, top = numbers(re.search(r"view=([^&]*)", page.url)[1])
    width, height = numbers(page.locator("#voted svg").first.get_attribute("viewBox"))[2:]
    drawn = numbers(page.locator("#voted path.hyperplane").get_attribute("d"))
    ends = np.unique(np.reshape(drawn, (-1, 2)), axis=0)
    assert len(ends) > 30
    ring = np.exp(2j * np.pi * np.arange(16) / 16)  # a pixel around each end
    pixels = ends[:, None, :] + np.column_stack([ring.real, ring.imag])
    around = np.array([left, top]) + pixels * [(right - left) / width, (bottom - top) / height]
    votes = voted.decision_function(around.reshape(-1, 2)).reshape(len(ends), -1) > 0
    assert np.mean(votes.any(axis=1) & ~votes.all(axis=1)) > 0.98


@WIDTHS
def test_long_multipliers_are_shown_short_and_are_exact_on_hover(at, width):
    points = noisy()
    page = settled(at(link(points), width=width, height=900))
    proof = separate([point[:2] for point in points], [point[2] for point in points])
    assert max(len(str(each)) for each in proof.multipliers) > 25
    cells = page.locator("#multipliers tbody td:last-child").all()
    assert [cell.get_attribute("title") for cell in cells] == [str(each) for each in proof.multipliers]
    for cell, exact in zip(cells, proof.multipliers, strict=True):
        assert len(cell.inner_text()) <= 9
        assert float(cell.inner_text()) == pytest.approx(float(exact), rel=1e-3)
    shares = [float(text.removeprefix("λ = ")) for text in page.locator("#plane .multiplier").all_text_contents()]
    assert shares == pytest.approx([float(each / sum(proof.multipliers)) for each in proof.multipliers], rel=1e-3)
    assert "title" not in page.locator("#multipliers th").first.evaluate("(node) => node.getAttributeNames()")


def test_settings_are_those_of_the_schema(at, address):
    page = settled(at(AND))
    settings = page.evaluate("async () => (await (await fetch('api/schema')).json()).settings")
    for name in ("rule", "order"):
        shown = page.locator(f"#{name} option").evaluate_all(
            "(all) => Object.fromEntries(all.map((one) => [one.value, one.text]))"
        )
        assert shown == settings[name]["choices"]
        assert page.input_value(f"#{name}") == settings[name]["default"]
    for name in ("seed", "passes"):
        assert float(page.get_attribute(f"#{name}", "min")) == settings[name]["low"]
        assert float(page.get_attribute(f"#{name}", "max")) == settings[name]["high"]
        assert float(page.input_value(f"#{name}")) == settings[name]["default"]
    for kernel, choice in settings["kernel"]["choices"].items():
        page.select_option("#kernel", kernel)
        settled(page)
        seen = [name for name in settings["kernel"]["parameters"] if page.is_visible(f"#{name}")]
        assert seen == choice["parameters"]
        assert [float(page.input_value(f"#{name}")) for name in seen] == [
            settings["kernel"]["parameters"][name]["default"] for name in seen
        ]


def test_an_answer_about_other_points_is_not_shown(at):
    page = settled(at(AND))
    page.evaluate("() => { document.getElementById('orders').click(); document.getElementById('clear').click(); }")
    settled(page)
    assert page.inner_text("#orders-text") == ""
    assert page.is_hidden("#compared")


def test_a_far_origin_is_said_beside_the_bound(at):
    page = settled(at(link([(20, 20, -1), (20, 21, -1), (21, 20, -1), (21, 21, 1)])))
    assert "R² is 883, and 1.5 around their mean" in page.inner_text("#gauge-text")
    assert "origin" not in settled(at(AND)).inner_text("#gauge-text")
