"""The lab's routes and manners: whatever is sent, the answer is JSON that a browser reads, or one sentence."""

import json
import re

import pytest
from asking import JSON, PLACE, ask, post, refused, told
from hypothesis import given
from hypothesis import strategies as st

from novikoff import __version__
from novikoff.lab import answers
from novikoff.lab.checks import RefusedError
from novikoff.lab.presets import presets
from novikoff.lab.problems import BYTES, POINTS, Problem, problem_of
from novikoff.lab.workers import OWN_MISTAKE
from novikoff.learning.schedule import ORDERS

AND = [[0, 0, -1], [0, 1, -1], [1, 0, -1], [1, 1, 1]]
NAMES = ["and", "or", "xor", "clouds", "circles", "slowest", "narrow"] + [
    f"iris-{pair}-{part}"
    for part in ("petal", "sepal")
    for pair in ("setosa-versicolor", "versicolor-virginica", "setosa-virginica")
]


def strictly(answer):
    """JSON as browsers read it: NaN and infinity are none."""

    def none(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(answer.content, parse_constant=none)


def test_the_schema_has_presets_limits_and_version():
    schema = ask("GET", "/api/schema").json()
    assert [preset["name"] for preset in schema["presets"]] == NAMES
    assert schema["limits"] == {"points": POINTS, "bytes": BYTES, "view": 1e7}
    assert schema["readouts"] == ["last", "averaged", "voted"]
    assert schema["version"] == __version__


def test_the_schemas_choices_defaults_and_ends_are_those_that_requests_are_checked_against():
    settings = ask("GET", "/api/schema").json()["settings"]
    points = [[0, 0, 1], [1, 1, -1]]

    def accepted(name, value):
        return problem_of({"points": points, "settings": {name: value}})

    defaults = {name: setting["default"] for name, setting in settings.items()}
    assert (
        problem_of({"points": points, "settings": defaults})
        == problem_of({"points": points})
        == Problem(accepted("seed", 0).points)
    )
    assert settings["order"]["choices"].keys() == set(ORDERS)
    for name in ("rule", "order"):
        for choice in settings[name]["choices"]:
            assert getattr(accepted(name, choice), name) == choice
    for name in ("seed", "passes"):
        low, high = settings[name]["low"], settings[name]["high"]
        assert (getattr(accepted(name, low), name), getattr(accepted(name, high), name)) == (low, high)
        for beyond in (low - 1, high + 1):
            with pytest.raises(RefusedError, match=f"from {low} to {high}"):
                accepted(name, beyond)
    kernel = settings["kernel"]
    for name, choice in kernel["choices"].items():
        given = {each: kernel["parameters"][each]["default"] for each in choice["parameters"]}
        assert accepted("kernel", {"name": name, **given}) == accepted("kernel", {"name": name})
        for each in choice["parameters"]:
            for end in ("low", "high"):
                limit = kernel["parameters"][each][end]
                assert getattr(accepted("kernel", {"name": name, each: limit}).kernel, each) == limit


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_every_preset_runs_and_its_outcome_is_proved(preset):
    problem = {"points": preset.points, "settings": preset.settings}
    run = strictly(post("run", problem))
    separable = not re.search("xor|versicolor-virginica", preset.name)
    assert run["certificate"]["outcome"] == ("separable" if separable else "inseparable")
    assert run["checked"]
    assert (run["stop_reason"] == "clean pass") is separable
    K = len(run["updates"]["t"])
    assert sum(one["updates"] for one in run["passes"]) == K
    assert all(column is None or len(column) == K for column in run["updates"].values())
    for t in (0, run["examples"] - 1):
        assert told("look", {**problem, "t": t})["place"] == t % run["rows"]
    grid = told("boundary", {**problem, "t": run["examples"], "view": [0, 1, 0, 1], "columns": 4, "rows": 3})
    assert [len(grid[name]) for name in ("last", "averaged", "voted")] == [12] * 3
    assert (grid["errors"]["last"] == 0) is separable


def test_the_slowest_makes_five_mistakes():
    slowest = next(preset for preset in presets() if preset.name == "slowest")
    run = told("run", {"points": slowest.points, "settings": slowest.settings})
    assert len(run["updates"]["t"]) == 5
    assert run["updates"]["w"][-1] == [1, 2, 0]


def test_updates_at_their_times_have_the_ledgers_margins():
    run = told("run", {"points": AND})
    for k, t in enumerate(run["updates"]["t"]):
        look = told("look", {"points": AND, "t": t})
        assert look["margin"] == run["updates"]["margin"][k]
        assert look["row"] == run["updates"]["row"][k]
        assert look["after"] == run["updates"]["w"][k]
        assert look["update"] is True


def test_orders_rescaling_and_tables_are_answered():
    orders = told("orders", {"points": AND, "runs": 3})
    assert [len(orders["once"]), len(orders["each"])] == [3, 3]
    stretched = told("rescale", {"points": [[1, 2, 1], [2, 1, -1]]})
    assert "own side" in stretched["why"]
    assert len(stretched["stages"][0]["rows"]) == 2
    table = told("csv", {"text": "long,wide,kind\n1,2,setosa\n3.5,4,versicolor\n"})
    assert table == {
        "points": [[1, 2, -1], [3.5, 4, 1]],
        "labels": {"-1": "setosa", "1": "versicolor"},
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["is empty"]),
        ("1,2,a\n3,z,b\n", ["line 2, column 2", "not a number"]),
        ("1,2,a\n3,,b\n", ["line 2", "missing"]),
        ("1,2,3,a\n4,5,6,b\n", ["3 columns beside the label", "two columns of numbers"]),
        ("1,a\n2,b\n", ["1 column beside the label"]),
        ("1,2,a\n3,4,a\n", ["two classes", "(a)"]),
        ("1,2,a\n3,4,b\n5,6,c\n", ["3 different labels", "two classes"]),
        ("1,2,a\n3e9,4,b\n", ["x1 of point 1"]),
        ("\ud800", ["line 1", "UTF-8"]),
        (7, ["as text"]),
    ],
)
def test_a_table_that_is_none_is_refused_with_its_line(text, words):
    refused(ask("POST", "/api/csv", content=json.dumps({"text": text}), headers=JSON), 422, *words)


def test_too_many_points_in_a_table_are_refused():
    refused(post("csv", {"text": "1,2,a\n3,4,b\n" * POINTS}), 422, "leave some out")


# ---- manners --------------------------------------------------------------------------------------------------------


def test_the_page_is_served_with_headers_that_keep_others_out():
    page = ask("GET", "/")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    for answer in (page, ask("GET", "/api/schema"), ask("GET", "/nothing"), ask("GET", "/", place="http://evil.example")):
        policy = "default-src 'self'; frame-ancestors 'none'"
        assert answer.headers["content-security-policy"] == policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/nothing", "/../server.py", "/%2e%2e/server.py", "/docs", "/openapi.json", "/api/nothing"])
def test_what_is_not_there_is_said(path):
    refused(ask("GET", path), 404, "the lab is at /")


def test_the_wrong_method_is_said():
    refused(ask("POST", "/api/schema"), 405, "POST")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:9999", "127.0.0.1.evil.example:8000", "", "[::1]:8000"])
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/api/schema"), ("POST", "/api/run")])
def test_by_another_name_nothing_is_answered(method, path, host):
    refused(ask(method, path, headers={"host": host} | JSON), 403, PLACE, "no other name")


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "127.0.0.1", "localhost"])
def test_its_own_names_are_answered(host):
    assert ask("GET", "/api/schema", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1"},
        {"origin": "https://127.0.0.1:8000"},
        {"sec-fetch-site": "cross-site"},
        {"origin": PLACE, "sec-fetch-site": "cross-site"},
    ],
)
def test_another_page_is_not_answered(headers):
    refused(post("run", {"points": AND}, headers=headers), 403, "another page")


@pytest.mark.parametrize("headers", [{}, {"origin": PLACE, "sec-fetch-site": "same-origin"}, {"origin": "http://localhost:8000"}])
def test_its_own_page_is_answered(headers):
    assert post("run", {"points": AND}, headers=headers).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_only_json_is_read(kind):
    refused(ask("POST", "/api/run", content=json.dumps({"points": AND}), headers={"content-type": kind}), 415, "application/json")


def test_a_body_has_its_limit_whether_its_length_is_told_or_not():
    body = json.dumps({"points": AND}).encode()
    fits, long = body.ljust(BYTES), body.ljust(BYTES + 1)
    assert ask("POST", "/api/run", content=fits, headers=JSON).status_code == 200
    refused(ask("POST", "/api/run", content=long, headers=JSON), 413, f"{BYTES:,} bytes")

    async def pieces():
        for start in range(0, len(long), 65536):
            yield long[start : start + 65536]

    answer = ask("POST", "/api/run", content=pieces(), headers=JSON)
    assert "content-length" not in answer.request.headers
    refused(answer, 413, f"{BYTES:,} bytes")


def problem(**settings):
    return {"points": AND, "settings": settings}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", ["not JSON"]),
        (b"{", ["not JSON"]),
        (b"\xff\xfe", ["not JSON"]),
        (b"[" * 100_000, ["not JSON"]),
        (b'{"points": ' + b"[" * 900 + b"]" * 900 + b"}", ["point 0"]),
        (b"9" * 5000, ["not JSON"]),
        (b"[]", ["JSON object"]),
        (b"{}", ['"points"']),
        (b'{"points": [[NaN, 0, 1]]}', ["x1 of point 0", "nan"]),
        (b'{"points": [[0, 1e400, 1]]}', ["x2 of point 0", "inf"]),
        (b'{"points": [[' + b"9" * 400 + b", 0, 1]]}", ["x1 of point 0", "many digits"]),
        ({"points": 3}, ['"points"']),
        ({"points": [[0, 0, 1]] * (POINTS + 1)}, [f"{POINTS:,}", "leave some out"]),
        ({"points": [[0, 0]]}, ["point 0", "three numbers"]),
        ({"points": [[0, 0, 1], [0, 0, 2]]}, ["label of point 1", "1 or -1"]),
        ({"points": [[0, 0, True]]}, ["label of point 0"]),
        ({"points": [["1", 0, 1]]}, ["x1 of point 0", "'1'"]),
        ({"points": [[True, 0, 1]]}, ["x1 of point 0", "true"]),
        ({"points": [[1.1e6, 0, 1]]}, ["x1 of point 0", "1e+06"]),
        ({"points": [[1e-60, 0, 1]]}, ["x1 of point 0", "make it 0"]),
        ({"points": []}, ["no points"]),
        ({"points": [[0, 0, 1]]}, ["other class"]),
        ({"points": AND, "more": 1}, ["'more'", "points, settings"]),
        ({"points": AND, "settings": []}, ['"settings"']),
        (problem(speed=3), ["'speed'", "rule, order"]),
        (problem(rule="delta"), ["rosenblatt, margin", "'delta'"]),
        (problem(rule=None), ['"rule"', "null"]),
        (problem(order=["given"]), ['"order"', "a list"]),
        (problem(seed=-1), ['"seed"']),
        (problem(seed=1.5), ['"seed"', "1.5"]),
        (problem(seed=2**200), ['"seed"', "many digits"]),
        (problem(passes=0), ['"passes"', "1 to 10000"]),
        (problem(passes=10_001), ['"passes"']),
        (problem(passes=True), ['"passes"', "true"]),
        (problem(intercept=1), ['"intercept"', "true or false"]),
        (problem(kernel="rbf"), ['"kernel"']),
        (problem(kernel={}), ["name of the kernel", "null"]),
        (problem(kernel={"name": "precomputed"}), ["name of the kernel"]),
        (problem(kernel={"name": "poly", "degree": 99}), ['"degree"']),
        (problem(kernel={"name": "poly", "degree": 2.0}), ['"degree"']),
        (problem(kernel={"name": "rbf", "gamma": 0}), ['"gamma"', "from 1e-06"]),
        (problem(kernel={"name": "rbf", "gamma": "scale"}), ['"gamma"']),
        (problem(kernel={"name": "poly", "coef0": -1}), ['"coef0"', "from 0"]),
        (problem(kernel={"name": "rbf", "sigma": 1}), ["'sigma'"]),
    ],
)
def test_what_is_wrong_with_a_problem_is_said(body, words):
    content = body if isinstance(body, bytes) else json.dumps(body)
    refused(ask("POST", "/api/run", content=content, headers=JSON), 422, *words)


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("look", {}, ['"t"', "null"]),
        ("look", {"t": -1}, ['"t"', "0 to 35"]),
        ("look", {"t": 36}, ['"t"', "0 to 35"]),
        ("look", {"t": 1.0}, ['"t"']),
        ("look", {"t": 0, "view": []}, ["'view'"]),
        ("boundary", {"t": 37}, ['"t"']),
        ("boundary", {"t": 36, "columns": 121}, ['"columns"', "2 to 120"]),
        ("boundary", {"t": 36, "rows": 1}, ['"rows"']),
        ("boundary", {"t": 36, "view": [0, 1, 2]}, ['"view"', "four numbers"]),
        ("boundary", {"t": 36, "view": [0, 1, 2, 1e300]}, ['"view"']),
        ("orders", {}, ['"runs"']),
        ("orders", {"runs": 101}, ['"runs"', "1 to 100"]),
    ],
)
def test_what_is_wrong_with_a_question_is_said(name, more, words):
    given = {"view": [0, 1, 0, 1], "columns": 2, "rows": 2} if name == "boundary" else {}
    refused(post(name, {"points": AND, **given, **more}), 422, *words)


def test_a_mistake_of_its_own_is_one_sentence(monkeypatch):
    monkeypatch.setattr(answers, "run_of", lambda problem: 1 / 0)
    status, content = answers.answered("run", json.dumps({"points": AND}).encode())
    assert (status, json.loads(content)) == (500, {"error": OWN_MISTAKE})


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
COORDINATE = st.floats(-1e6, 1e6) | st.integers(-2, 2) | ODD
POINT = st.tuples(COORDINATE, COORDINATE, st.sampled_from([-1, 1]) | ODD).map(list)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "rule": st.sampled_from(["rosenblatt", "margin"]) | ODD,
        "order": st.sampled_from(["given", "once", "each"]) | ODD,
        "seed": st.integers(0, 9) | ODD,
        "passes": st.integers(1, 30) | ODD,
        "intercept": st.booleans() | ODD,
        "kernel": st.none() | st.fixed_dictionaries({"name": st.sampled_from(["poly", "linear"]) | ODD}) | ODD,
    },
)
FIELDS = {
    "t": st.integers(-1, 20) | ODD,
    "view": st.lists(st.floats(-9, 9) | ODD, min_size=3, max_size=5) | ODD,
    "columns": st.integers(1, 5) | ODD,
    "rows": st.integers(1, 5) | ODD,
    "runs": st.integers(0, 3) | ODD,
    "text": st.text() | st.lists(st.sampled_from(["1", "2.5", ",", "\n", "a", "b", "e9"]), max_size=30).map("".join) | ODD,
}
WANTED = {
    "run": [],
    "look": ["t"],
    "boundary": ["t", "view", "columns", "rows"],
    "orders": ["runs"],
    "rescale": [],
    "csv": ["text"],
}
GOOD_POINT = st.tuples(
    st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-50 else 0.0), st.integers(-3, 3), st.sampled_from([-1, 1])
)


@st.composite
def questions(draw):
    name = draw(st.sampled_from(sorted(WANTED)))
    points = draw(st.lists(GOOD_POINT.map(list), min_size=2, max_size=8) | st.lists(POINT, max_size=4) | ODD)
    body = {} if name == "csv" else {"points": points}
    if draw(st.booleans()):
        body["settings"] = draw(SETTINGS)
    return name, body | {field: draw(FIELDS[field]) for field in WANTED[name]}


@given(question=questions())
def test_whatever_is_asked_is_answered_or_refused(question):
    name, body = question
    answer = ask("POST", f"/api/{name}", content=json.dumps(body), headers=JSON)
    assert answer.status_code in (200, 422), answer.text
    assert ("error" in strictly(answer)) == (answer.status_code == 422)
