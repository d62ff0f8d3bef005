"""The page, as a person uses it: in a real browser, against the real server."""

import re

import numpy as np
import pytest
from browsing import IN_A_BROWSER, numbers, settled
from playwright.sync_api import expect

from novikoff import KernelPerceptron, Perceptron, max_margin, separate
from novikoff.data import datasets
from novikoff.solve.max_margin import with_constant_column

IRIS = "iris-setosa-versicolor-petal"
XOR = "#p=0,0n;0,1p;1,0p;1,1n&t=0"
pytestmark = IN_A_BROWSER


def click_at(page, x, y, **how):
    """Click on a point of the plane by its coordinates, in the view that the address tells."""
    box = page.locator("#plane").bounding_box()
    left, right, bottom, top = numbers(re.search(r"view=([^&]*)", page.url)[1])
    position = {"x": (x - left) / (right - left) * box["width"], "y": (top - y) / (top - bottom) * box["height"]}
    page.locator("#plane").click(position=position, **how)
    return {"x": box["x"] + position["x"], "y": box["y"] + position["y"]}


def points_of(page):
    settled(page)
    found = re.findall(r"([^;=,]+),([^;,]+)([pn])", re.search(r"p=([^&]*)", page.url)[1])
    return [(float(a), float(b), 1 if label == "p" else -1) for a, b, label in found]


def test_points_are_added_by_clicking_and_a_line_is_learned(at):
    page = at("#p=&view=-2,2,-2,2")
    assert "add points" in page.inner_text("#words")
    click_at(page, 1, 1)
    settled(page)
    assert "other class" in page.inner_text("#words")
    page.check("input[value=minus]")
    click_at(page, -1, -1)
    settled(page)
    first, second = points_of(page)
    assert np.allclose(first, (1, 1, 1), atol=0.02)
    assert np.allclose(second, (-1, -1, -1), atol=0.02)
    assert page.locator("#plane .point.plus").count() == 1
    assert page.locator("#plane .point.minus").count() == 1
    assert "Separable" in page.inner_text("#verdict")
    assert page.is_hidden("#alert")
    page.click("#end")
    assert page.locator("#plane line.hyperplane").count() == 1


def test_points_are_dragged_erased_and_brought_back(at):
    page = at("#p=1,1p;-1,-1n&view=-2,2,-2,2")
    settled(page)
    start = click_at(page, 1.9, 1.9, button="right")  # nothing is there to erase
    assert len(points_of(page)) == 2
    box = page.locator("#plane").bounding_box()
    unit = box["width"] / 4
    page.mouse.move(start["x"] - 0.9 * unit, start["y"] + 0.9 * unit)
    page.mouse.down()
    page.mouse.move(start["x"] - 0.9 * unit, start["y"], steps=4)
    page.mouse.up()
    moved = points_of(page)
    assert np.allclose(moved[0], (1, 1.9, 1), atol=0.02)
    assert moved[1] == (-1, -1, -1)
    page.check("input[value=erase]")
    click_at(page, -1, -1)
    assert len(points_of(page)) == 1
    page.click("#undo")
    assert points_of(page) == moved
    page.keyboard.press("Control+z")
    assert points_of(page) == [(1, 1, 1), (-1, -1, -1)]
    page.click("#redo")
    assert points_of(page) == moved
    page.click("#clear")
    assert points_of(page) == []


def test_steps_are_those_of_the_perceptron(at):
    X, y = datasets.boolean("and", 2)
    clf = Perceptron(max_iter=1000).fit(X, y)
    page = at("#p=0,0n;0,1n;1,0n;1,1p&t=0")
    settled(page)
    w = np.zeros(3)
    for k, update in enumerate(clf.ledger_, 1):
        page.click("#mistake")
        said = page.inner_text("#words")
        x = np.append(X[update.row], 1)
        assert f"point {update.row}, " in said
        assert "≤ 0, a mistake" in said
        assert numbers(said.split("≤")[0])[-1] == update.margin == update.y * (w @ x)
        w += update.y * x
        assert numbers(said.split("←", 1)[1]) == w.tolist()
        assert page.inner_text("#made") == str(k)
    assert (w == np.append(clf.coef_, clf.intercept_)).all()
    page.click("#mistake")  # there is none left: to the end
    assert f"example {len(y) * clf.n_iter_} of {len(y) * clf.n_iter_}" in page.inner_text("#where")
    page.click("#back")
    page.click("#back")
    assert page.inner_text("#made") == str(clf.n_mistakes_ - 1)
    page.click("#rewind")
    assert page.inner_text("#words").startswith("No example has been handled yet")
    page.click("#pass")
    assert f"example {len(y)} of" in page.inner_text("#where")
    assert page.inner_text("#made") == str(clf.passes_[0].mistakes)
    page.click("#rewind")
    page.click("#example")
    assert "example 1 of 4: point 0" in settled(page).inner_text("#words")
    page.click("#example")
    expect(page.locator("#words")).to_contain_text("example 2 of 4")


def test_an_example_that_is_right_is_shown_to_be(at):
    page = settled(at("#p=0,0n;0,1n;1,0n;1,1p&t=0"))
    page.click("#end")
    settled(page)
    said = page.inner_text("#words")
    assert "> 0: right, and nothing changes" in said
    X, y = datasets.boolean("and", 2)
    assert numbers(said.split(" > 0")[0])[-1] == Perceptron().fit(X, y).decision_function(X)[-1]


def test_it_plays_rewinds_and_is_scrubbed(at):
    page = settled(at(""))
    page.select_option("#preset", "clouds")
    settled(page)
    page.locator("#speed").fill("6")
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Play", timeout=20_000)
    last = int(page.get_attribute("#scrub", "max"))
    assert last > 3
    assert page.inner_text("#made") == str(last)
    page.locator("#scrub").fill("2")
    assert page.inner_text("#made") == "2"
    page.keyboard.press("Escape")
    page.locator("#scrub").blur()
    page.keyboard.press("Home")
    assert page.inner_text("#made") == "0"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#made") == "1"
    page.locator("#speed").fill("0")
    page.locator("#speed").blur()
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Space")
    assert page.inner_text("#play") == "Play"


def test_the_address_reproduces_it(at):
    page = settled(at(""))
    page.select_option("#preset", "iris-versicolor-virginica-petal")
    settled(page)
    page.select_option("#order", "each")
    page.fill("#seed", "7")
    page.fill("#passes", "30")
    page.locator("#passes").blur()
    page.uncheck("#intercept")
    settled(page)
    page.locator("#scrub").fill("11")
    page.click("#closer")
    settled(page)
    page.wait_for_timeout(400)  # the address follows a little later
    link = page.url
    told = [
        "words",
        "where",
        "made",
        "verdict",
        "stopped",
        "gauge-text",
        "interval-text",
        "last-caption",
        "averaged-caption",
        "voted-caption",
    ]
    seen = {each: page.inner_text(f"#{each}") for each in told}
    assert seen["made"] == "11"
    other = settled(at(link[link.index("#") :]))
    assert {each: other.inner_text(f"#{each}") for each in told} == seen
    assert other.input_value("#order") == "each"
    assert other.input_value("#seed") == "7"
    assert not other.is_checked("#intercept")
    assert other.url == link
    other.reload()
    other.wait_for_selector("#words:not(:empty)")
    assert {each: settled(other).inner_text(f"#{each}") for each in told} == seen


def test_xor_is_declared_inseparable_with_its_reason(at):
    page = settled(at(XOR))
    X, y = datasets.boolean("xor", 2)
    proof = separate(X, y)
    assert page.inner_text("#verdict") == str(proof).split("\n")[0]
    rows = [cells.inner_text().split("\t") for cells in page.locator("#multipliers tbody tr").all()]
    assert [(int(row[0]), row[3]) for row in rows] == [(i, str(m)) for i, m in zip(proof.rows, proof.multipliers, strict=True)]
    assert page.locator("#plane .hull").count() == 2
    assert page.locator("#plane .meeting").count() == 1
    assert page.locator("#plane .multiplier").all_text_contents() == ["λ = 1"] * 4
    assert "exact arithmetic" in page.inner_text("#checked")
    assert page.is_hidden("#cycle")
    assert "pass 1 repeats for ever" in settled(end(page)).inner_text("#cycle")
    page.select_option("#kernel", "poly")
    settled(page)
    assert "Separable through the kernel poly" in page.inner_text("#verdict")
    assert "0 of 4 wrong" in settled(end(page)).inner_text("#last-caption")
    assert page.locator("#plane path.hyperplane").get_attribute("d")


def end(page):
    page.click("#end")
    return page


@pytest.mark.parametrize("name", ["circles", *(pytest.param(n, marks=pytest.mark.full) for n in ("slowest", "clouds", IRIS))])
def test_the_numbers_are_the_librarys(at, name):
    page = settled(at(""))
    page.select_option("#preset", name)
    settled(end(settled(page)))
    points = np.array(points_of(page))
    X, y = points[:, :2], points[:, 2].astype(int)
    intercept = page.is_checked("#intercept")
    kernel = {}
    if page.input_value("#kernel"):
        kernel = {"kernel": page.input_value("#kernel"), "degree": int(page.input_value("#degree"))}
        kernel["coef0"] = float(page.input_value("#coef0"))
    learn = KernelPerceptron if kernel else Perceptron
    clf = learn(max_iter=1000, fit_intercept=intercept, **kernel).fit(X, y)
    assert page.inner_text("#made") == str(clf.n_mistakes_)
    assert f"pass {clf.n_iter_} of {clf.n_iter_}" in page.inner_text("#where")
    for readout in ("last", "averaged", "voted"):
        answers = learn(max_iter=1000, fit_intercept=intercept, readout=readout, **kernel).fit(X, y).decision_function(X)
        wrong = int((~(answers * y > 0)).sum())
        assert page.inner_text(f"#{readout}-caption") == f"{readout}: {wrong} of {len(y)} wrong"
    high = numbers(page.inner_text("#interval-text").split("above")[1])[0]
    assert np.isclose(high, np.sqrt(clf.ledger_.tally.hull_sq), rtol=5e-4)
    if not kernel:
        proof = max_margin(X, y, fit_intercept=intercept)
        extended = max_margin(with_constant_column(X), y, fit_intercept=False) if intercept else proof
        facts = clf.facts(X, y)
        bound = clf.bound(radius=facts.radius, margin=extended.margin.low)
        assert np.isclose(numbers(page.inner_text("#at-most"))[0], bound.value, rtol=5e-4)
        assert page.inner_text("#certificate").split() == str(proof).split()
        below, along, norm, above = numbers(page.inner_text("#proof-text"))[1:5]
        w = np.append(clf.coef_, clf.intercept_)
        u = np.append(extended.weights, [] if intercept else [0.0]).astype(float)
        wanted = [clf.n_mistakes_ * extended.margin.low, w @ u / np.linalg.norm(u), np.linalg.norm(w)]
        assert np.allclose([below, along, norm], wanted, rtol=5e-4)
        assert np.isclose(above, np.sqrt(clf.n_mistakes_) * facts.radius, rtol=5e-4)
    below, along, norm, above = numbers(page.inner_text("#proof-text"))[1:5]
    assert below <= along * 1.001 <= norm * 1.002 <= above * 1.003


def test_the_effect_of_order_is_shown(at):
    page = settled(at("#p=0,0n;0,1n;1,0n;1,1p&t=0"))
    page.click("#orders")
    page.wait_for_selector("#orders-text:not(:empty)")
    X, y = datasets.boolean("and", 2)
    counts = [Perceptron(order="each", random_state=None).set_params(max_iter=1000).fit(X, y).n_mistakes_ for _ in range(3)]
    given, _, low_once, high_once, _, low, high, bound = numbers(page.inner_text("#orders-text"))
    assert given == Perceptron().fit(X, y).n_mistakes_
    assert low <= high <= bound
    assert low_once <= high_once <= bound
    assert max(counts) <= bound
    assert page.locator("#ordered .dot").count() == 61
    assert page.locator("#ordered .level").count() == 1


def test_rescaling_stretches_the_plane(at):
    page = settled(at("#p=1,0.001p;1,-0.001n&intercept=no&t=0"))
    page.click("#rescale")
    page.wait_for_selector("#rescaled:not(:empty)")
    assert page.locator("#stages .point").count() == 2
    stretches = int(page.get_attribute("#stage", "max"))
    assert f"Stretched 0 of {stretches} times" in page.inner_text("#stage-text")
    page.locator("#stage").fill(str(stretches))
    assert f"Stretched {stretches} of {stretches} times" in page.inner_text("#stage-text")
    assert page.locator("#stages .hyperplane").count() == 1


def test_a_table_is_pasted_uploaded_and_written_down(at):
    page = settled(at(XOR))
    page.fill("#csv", "a,b,kind\n1,2,cat\n3,4,dog\n5,1.5,cat\n")
    page.click("#use")
    settled(page)
    assert {row[:2] for row in points_of(page)} == {(1, 2), (3, 4), (5, 1.5)}
    page.click("#write")
    assert page.input_value("#csv").splitlines() == ["x1,x2,label", "1,2,-1", "3,4,1", "5,1.5,-1"]
    page.click("#use")
    assert points_of(page) == [(1, 2, -1), (3, 4, 1), (5, 1.5, -1)]
    page.set_input_files("#file", {"name": "t.csv", "mimeType": "text/csv", "buffer": b"0,1,x\n2,3,y\n"})
    page.wait_for_url("**2,3**")
    assert len(points_of(page)) == 2


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("1,2,a\n3,four,b\n5,6,a\n", "four"),
        pytest.param("1,2\n3,4\n", "column beside the label", marks=pytest.mark.full),
        pytest.param("", "is empty", marks=pytest.mark.full),
        pytest.param("1,2,a\n2,3,b\n3,4,c\n", "two classes", marks=pytest.mark.full),
        ('1,2,<img src=x onerror=alert(1)>\n2,nan,"<script>"\n', "line 2|finite|nan"),
    ],
)
def test_a_bad_table_is_refused_and_the_page_goes_on(at, table, why):
    page = settled(at(XOR))
    page.fill("#csv", table)
    page.click("#use")
    page.wait_for_selector("#alert:not(:empty)")
    assert re.search(why, page.inner_text("#alert"))
    assert page.locator("#alert *").count() == 0
    assert len(points_of(page)) == 4
    page.click("#mistake")
    assert page.inner_text("#made") == "1"


BAD_LINKS = [
    "#p=1,2p;3",
    "#p=1,1p&kernel=poly",
    "#p=1,1p&order=odd",
    "#p=1,1p&t=-3",
    "#p=1,1p&view=1,0,0,1",
    "#p=1,1p&view=-1e9,1,0,1",
]


@pytest.mark.parametrize(
    "state",
    ["#p=0,0x", "#nonsense", "#p=1,1p&p=2,2n", "#%E0%A4%A", *(pytest.param(bad, marks=pytest.mark.full) for bad in BAD_LINKS)],
)
def test_a_bad_link_is_named_and_the_page_stays_usable(at, state):
    page = settled(at(state))
    assert "This link cannot be read" in page.inner_text("#alert")
    page.click("#mistake")
    assert page.inner_text("#made") == "1"


@pytest.mark.parametrize(
    "state", ["#p=1e99,0p;0,0n", "#p=0,0p;1,1n&passes=99999999", "#p=0,0n;" + ";".join(f"{i},1p" for i in range(1500))]
)
def test_a_link_beyond_the_limits_is_refused_with_a_sentence(at, address, browser, state):
    page = browser.new_page()
    page.goto(address + state)
    page.wait_for_selector("#alert:not(:empty)")
    assert len(page.inner_text("#alert")) > 20
    page.select_option("#preset", "and")
    page.wait_for_selector("#words:not(:empty)")
    page.click("#mistake")
    assert page.inner_text("#made") == "1"
    page.close()


@pytest.mark.parametrize("preset", ["xor", "and"])
def test_what_is_forgotten_is_not_shown_when_it_comes(at, preset):
    page = settled(at(""))
    page.evaluate(
        """(name) => {
          const preset = document.getElementById("preset");
          preset.value = name;
          preset.dispatchEvent(new Event("change"));
          document.getElementById("clear").click();
        }""",
        preset,
    )
    settled(page)
    assert "Click on the plane" in page.inner_text("#words")
    assert page.inner_text("#verdict") == ""
    assert page.is_disabled("#end")
    page.select_option("#preset", "or")
    assert "Separable" in settled(page).inner_text("#verdict")


def test_undo_brings_back_the_settings_and_a_preset_can_be_chosen_again(at):
    page = settled(at(XOR))
    assert page.is_disabled("#undo")
    page.select_option("#preset", "slowest")
    settled(page)
    assert not page.is_checked("#intercept")
    page.click("#undo")
    settled(page)
    assert page.is_checked("#intercept")
    assert len(points_of(page)) == 4
    assert page.input_value("#preset") == ""
    page.select_option("#order", "once")
    settled(page)
    page.click("#undo")
    assert settled(page).input_value("#order") == "given"
    page.select_option("#preset", "slowest")
    assert len(points_of(settled(page))) == 2


def test_without_a_bias_the_hull_that_has_the_origin_is_shown(at):
    page = settled(at("#p=1,1p;2,2n&intercept=no&t=0"))
    assert "Not separable" in page.inner_text("#verdict")
    assert page.locator("#plane .hull").count() == 1
    assert page.locator("#plane .turned").count() == 2
    assert page.locator("#plane .meeting").count() == 1


def test_a_view_survives_its_own_address(at):
    page = settled(at("#p=100000,100000p;100000.1,100000.1n&t=0"))
    page.evaluate("() => { for (let k = 0; k < 60; k++) document.getElementById('closer').click(); }")
    settled(page)
    link = page.url
    page.reload()
    page.wait_for_selector("#words:not(:empty)")
    assert page.is_hidden("#alert")
    assert settled(page).url == link
    assert len(points_of(page)) == 2


NAMES = ["<script>document.title='hacked'</script>", "'\"&quot;><b>", "שלום עולם", "n" * 200]


@pytest.mark.parametrize(
    "name",
    [NAMES[0], NAMES[3], *(pytest.param(name, marks=pytest.mark.full) for name in NAMES[1:3])],
    ids=["script", "long", "quotes", "right-to-left"],
)
def test_hostile_names_are_text(at, name):
    page = settled(at(XOR, width=380, height=800))
    quoted = '"' + name.replace('"', '""') + '"'
    page.fill("#csv", f"{quoted},b,kind\n1,2,{quoted}\n3,4,other\n")
    page.click("#use")
    settled(page)
    assert page.inner_text("#alert") == ""
    assert len(points_of(page)) == 2
    assert name[:30] in page.inner_text("#about")
    assert page.title() == "novikoff lab"
    assert page.locator("#about *, #status *, #alert *").count() == 0
    assert fits(page)


def fits(page):
    return page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_keyboard_is_enough(at):
    page = at("#p=&view=-2,2,-2,2")
    page.locator("#plane").focus()
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    assert "of class +1 at (0, " in page.locator("#status").text_content()
    page.check("input[value=minus]")
    page.locator("#plane").focus()
    for _ in range(2):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    settled(page)
    (_, high, yes), (_, low, no) = points_of(page)
    assert (yes, no) == (1, -1)
    assert high > 0 > low
    page.locator("#plane").focus()
    page.keyboard.press("ArrowLeft")
    for _ in range(2):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("m")
    assert len(points_of(page)) == 2
    page.keyboard.press("Delete")
    page.locator("#plane").blur()
    page.keyboard.press("End")
    assert page.is_hidden("#alert")


@pytest.mark.parametrize(("width", "scheme"), [(380, "dark"), (1600, "light")])
@pytest.mark.parametrize("state", [XOR, "", pytest.param("#p=", marks=pytest.mark.full)], ids=["xor", "separable", "empty"])
def test_axe_finds_no_serious_fault(at, width, scheme, state):
    from axe_playwright_python.sync_playwright import Axe

    page = settled(at(state, width=width, height=900, color_scheme=scheme))
    if state != "#p=":
        page.click("#end")
        page.click("#orders")
        page.click("#rescale")
        settled(page)
    faults = Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in faults if each["impact"] in ("serious", "critical")] == []
    assert fits(page)
