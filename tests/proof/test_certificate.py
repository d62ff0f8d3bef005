"""Certificate files: written and read back, and refused when anything in them was changed."""

import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from forged import changed_once, signed_again
from novikoff import Feasible, Infeasible, Inseparable, Separable, Undecided, separate, solve_system, verify
from novikoff.proof.certificate import (
    CertificateError,
    Classes,
    Data,
    Hull,
    ManyHull,
    ManySeparable,
    Margin,
    Mixing,
    System,
    Work,
    weights_array,
)
from novikoff.proof.certificate_files import from_json, load
from novikoff.proof.named_kernels import MOST_POWER_BITS, Kernel
from verdicts import holds, known

DATA = Data(3, 2, True, -1, 1, "0123456789abcdef")
WRITTEN = {name: value for name, value in DATA._asdict().items() if name != "kernel"}
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.fractions()
wholes = st.integers(0, 2**62)
finite = st.floats(allow_nan=False, allow_infinity=False)
mixings = st.builds(Mixing, wholes, wholes, st.booleans(), finite, finite, st.none() | finite)


@st.composite
def certificates(draw):
    rows = tuple(draw(st.lists(wholes, max_size=4)))
    hull = Hull(rows, tuple(draw(numbers) for _ in rows))
    kind = draw(st.sampled_from([Separable, Inseparable, Undecided, Feasible, Infeasible]))
    system = System(draw(wholes), draw(wholes), draw(st.text(max_size=5)))
    how = draw(st.text(max_size=20)), Work(draw(wholes), draw(wholes), draw(wholes))
    if kind is Feasible:
        return Feasible(system, weights_array(draw(st.lists(numbers, max_size=4))), *how)
    if kind is Infeasible:
        columns = tuple(draw(st.lists(wholes, max_size=4)))
        multipliers, of_columns = (tuple(draw(st.fractions()) for _ in named) for named in (rows, columns))
        return Infeasible(system, rows, multipliers, columns, of_columns, *how)
    data = DATA._replace(no=draw(st.none() | st.integers() | st.text(max_size=5)), yes=draw(st.integers() | st.text(max_size=5)))
    if kind is Inseparable:
        return Inseparable(data, rows, tuple(draw(st.fractions()) for _ in rows))
    high = draw(st.floats(0, allow_nan=False))
    mixing = draw(st.none() | mixings)
    if kind is Undecided:
        data = draw(st.sampled_from([data, system])) if mixing is None else data
        return Undecided(data, draw(st.text(max_size=20)), high, hull, mixing)
    weights = draw(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4))
    return Separable(data, np.array(weights, np.float64), draw(numbers), Margin(min(0.5, high), high), hull, mixing=mixing)


@given(certificates())
def test_what_is_written_is_read_back(certificate):
    again = from_json(certificate.to_json())
    assert again == certificate
    assert again.to_json() == certificate.to_json()


def test_rational_weights_and_very_long_numbers_are_read_back():
    long = Fraction(3**4000, 2**9000)
    certificate = Separable(DATA, np.array([long, Fraction(1)], object), -long, Margin(0.0, 1.0), Hull((0,), (long,)))
    again = from_json(certificate.to_json())
    assert again.weights.tolist() == [long, 1]
    assert (again.intercept, again.hull.multipliers) == (-long, (long,))


@given(certificates(), st.data())
def test_any_edit_is_refused(certificate, data):
    text = certificate.to_json()
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.characters(min_codepoint=32, max_codepoint=126))
    edited = text[:at] + put + text[at + data.draw(st.integers(0, 1)) :]
    assume(edited.rstrip() != text.rstrip())
    with pytest.raises(CertificateError):
        from_json(edited)


BROKEN = {
    "no JSON": ("proof", "not JSON"),
    "a list": ("[]", "does not say"),
    "another format": ('{"format": "x"}', "does not say"),
    "another version": ('{"format": "novikoff certificate", "version": 4}', "version 4"),
    "a version that is not a number": ('{"format": "novikoff certificate", "version": true}', "version True"),
    "no digest": ('{"format": "novikoff certificate", "version": 1}', "digest does not agree"),
    "deeply nested": ("[" * 100_000, "not JSON"),
    "a number that takes for ever": ('{"a": 1' + "0" * 10_000 + "}", "more than 1,001 decimal digits"),
    "a number beyond doubles": ('{"a": 1e999}', "1e999 is larger than any double"),
    "NaN": ('{"a": NaN}', "NaN is not a number"),
    "a field twice": ('{"a": 1, "a": 2}', "names a field twice"),
    "nothing": ("", "not JSON"),
}


@pytest.mark.parametrize(("text", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_malformed_files_are_refused_with_a_sentence(text, why, tmp_path):
    with pytest.raises(CertificateError, match=why):
        from_json(text)
    path = tmp_path / "proof.json"
    path.write_text(text)
    with pytest.raises(CertificateError, match=rf"proof\.json: not a certificate: .*{why}"):
        load(path)


def test_files_that_cannot_be_read_are_refused_with_a_sentence(tmp_path):
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(CertificateError, match="cannot be read"):
            load(path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(CertificateError, match="characters"):
        load(tmp_path / "bytes")


def test_files_larger_than_any_certificate_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "proof.json"
    separate([[0.0], [1.0]], [0, 1]).save(path)
    monkeypatch.setattr("novikoff.proof.certificate_files.LARGEST_FILE", path.stat().st_size)
    assert isinstance(load(path), Separable)
    monkeypatch.setattr("novikoff.proof.certificate_files.LARGEST_FILE", path.stat().st_size - 1)
    with pytest.raises(CertificateError, match="which no certificate has"):
        load(path)


@pytest.mark.parametrize("seed", range(100))
def test_with_the_digest_recomputed_a_changed_certificate_is_accepted_exactly_if_it_still_proves_what_it_says(seed):
    rng = np.random.default_rng(seed)
    X, y, fit_intercept, *_ = known(seed % 75 if seed % 15 not in (8, 9, 10) else 1)
    document = json.loads(separate(X, y, fit_intercept=fit_intercept).to_json())
    changed = changed_once(document, rng)
    with pytest.raises(CertificateError, match="digest"):
        from_json(json.dumps(changed))
    about, said = changed["data"], document["data"]
    try:
        accepted = bool(verify(from_json(signed_again(changed)), X, y))
    except CertificateError:
        accepted = False
    same_data = all(about[name] == said[name] for name in ("fingerprint", "rows", "columns", "no", "yes"))
    assert accepted == (same_data and holds(changed, X, y))


def test_the_digest_is_the_last_field_and_covers_all_others():
    lines = separate([[0.0], [1.0]], [0, 1]).to_json().splitlines(keepends=True)
    hull = next(k for k, line in enumerate(lines) if line.startswith('"hull"'))
    body = "".join(lines[:hull] + lines[hull + 1 : -2])
    text = f'{body}"digest": "{hashlib.sha256(body.encode()).hexdigest()}",\n{lines[hull].rstrip().rstrip(",")}\n}}\n'
    assert json.loads(text)["outcome"] == "separable"
    with pytest.raises(CertificateError, match="digest"):
        from_json(text)


HALF = np.array([0.5])
MIXED = Mixing(16, 7, True, 123.5, 5.625, 1.0)
PLAIN = {
    Separable(DATA, np.array([2.0, 3.0]), -4.0, Margin(0.125, 0.25), Hull((1,), (0.5,))): """{
"format": "novikoff certificate",
"version": 1,
"outcome": "separable",
"data": {"rows": 3, "columns": 2, "fit_intercept": true, "no": -1, "yes": 1, "fingerprint": "0123456789abcdef"},
"weights": [2.0, 3.0],
"intercept": -4.0,
"margin": [0.125, 0.25],
"hull": {"rows": [1], "multipliers": [0.5]},
""",
    ManySeparable(
        Classes(3, 1, True, (0, 1), "0123456789abcdef"), np.array([[0.5], [2.0]]), np.zeros(2), Margin(0.125, 0.25), ManyHull()
    ): """{
"format": "novikoff certificate",
"version": 1,
"outcome": "many separable",
"data": {"rows": 3, "columns": 1, "fit_intercept": true, "classes": [0, 1], "fingerprint": "0123456789abcdef"},
"weights": [[0.5], [2.0]],
"intercepts": [0.0, 0.0],
"margin": [0.125, 0.25],
"hull": {"rows": [], "rivals": [], "multipliers": []},
""",
    Undecided(DATA, "why", np.inf, Hull()): """{
"format": "novikoff certificate",
"version": 1,
"outcome": "undecided",
"data": {"rows": 3, "columns": 2, "fit_intercept": true, "no": -1, "yes": 1, "fingerprint": "0123456789abcdef"},
"why": "why",
"margin_at_most": null,
"hull": {"rows": [], "multipliers": []},
""",
}


@pytest.mark.parametrize(("certificate", "written"), PLAIN.items(), ids=[plain.outcome for plain in PLAIN])
def test_shards_are_in_the_file_only_where_there_were_any(certificate, written):
    body, _, _ = certificate.to_json().partition('"digest"')
    assert body == written
    told = replace(certificate, mixing=MIXED)
    body, _, _ = told.to_json().partition('"digest"')
    of_shards = '{"shards": 16, "passes": 7, "clean": true, "mistakes": 123.5, "radius": 5.625, "factor": 1.0}'
    assert body == f'{written}"mixing": {of_shards},\n'
    assert from_json(told.to_json()).mixing == MIXED
    assert from_json(certificate.to_json()).mixing is None
    assert told != certificate


@pytest.mark.parametrize("certificate", PLAIN, ids=[plain.outcome for plain in PLAIN])
def test_what_is_said_of_shards_has_its_fields_and_kinds(certificate):
    document = json.loads(replace(certificate, mixing=MIXED).to_json())
    mixing = document["mixing"]
    assert from_json(signed_again(document))
    odd = [None, [], mixing | {"extra": 1}, {name: value for name, value in mixing.items() if name != "factor"}]
    for wrong in odd:
        with pytest.raises(CertificateError, match="and nothing else"):
            from_json(signed_again(document | {"mixing": wrong}))
    odd = [{"shards": 16.0}, {"passes": True}, {"passes": None}, {"clean": 1}, {"mistakes": 3}, {"mistakes": None}]
    for wrong in (*odd, {"radius": "5"}, {"factor": 1}, {"factor": False}):
        with pytest.raises(CertificateError, match="the others are doubles"):
            from_json(signed_again(document | {"mixing": mixing | wrong}))


def test_nothing_else_is_learned_on_shards():
    """Neither what is known through a kernel, nor of constraints, nor what no weights prove."""
    kernel = DATA._replace(kernel=Kernel("rbf", gamma=1.0))
    through = Separable(kernel, HALF, 0.0, Margin(0.0, np.inf), Hull(), (0,), 0.0)
    undecided = [Undecided(data, "why", np.inf, Hull()) for data in (kernel, System(1, 1, "x"))]
    for certificate in (through, *undecided):
        with pytest.raises(CertificateError, match="no kernel in between"):
            replace(certificate, mixing=MIXED)
    inseparable = Inseparable(DATA, (0,), (Fraction(1),))
    for certificate, why in [
        (through, "kernel"),
        (undecided[0], "kernel"),
        (undecided[1], "kernel"),
        (inseparable, "'mixing' is unknown"),
    ]:
        document = json.loads(certificate.to_json())
        assert from_json(signed_again(document)) == certificate
        with pytest.raises(CertificateError, match=why):
            from_json(signed_again(document | {"mixing": dict(MIXED._asdict())}))


def test_shards_are_told_of_in_a_sentence():
    separable, many, undecided = PLAIN

    def told(certificate, mixing):
        rest, _, last = str(replace(certificate, mixing=mixing)).rpartition("\n")
        assert rest == str(certificate)
        return last

    begin = "Learned on 16 shards, mixed after each of 7 passes: the updates, weighted by the shares, are 123.5"
    for certificate in (separable, many):
        assert told(certificate, MIXED) == f"{begin}, and F20 allows 2025 with a margin of 0.125."
        assert told(certificate, MIXED._replace(factor=2.0)) == f"{begin}, and F20 allows 4050 with a margin of 0.125."
        assert told(certificate, MIXED._replace(factor=None)) == f"{begin}; F20 does not cover these settings."
    wherever = "wherever there is a margin γ; the last pass was not clean on all shards."
    open_ = MIXED._replace(clean=False)
    assert told(undecided, open_) == f"{begin}, and F20 allows (R/γ)² with R = 5.625 {wherever}"
    assert told(undecided, open_._replace(factor=2.5)) == f"{begin}, and F20 allows 2.5·(R/γ)² with R = 5.625 {wherever}"
    assert told(undecided, MIXED).endswith("wherever there is a margin γ.")
    nowhere = replace(separable, margin=Margin(0.0, 0.25))
    assert told(nowhere, MIXED).endswith("F20 allows (R/γ)² with R = 5.625 wherever there is a margin γ.")
    assert told(separable, MIXED._replace(shards=1, passes=1)).startswith("Learned on 1 shard, mixed after 1 pass: ")
    assert "F20 allows inf" in told(replace(separable, margin=Margin(5e-324, 1.0)), MIXED)


def test_the_slack_is_not_part_of_the_file():
    answer = solve_system([[1.0, 1.0]], 2, 2)
    again = from_json(answer.to_json())
    assert (answer.slack.tolist(), again.slack) == ([0.0], None)
    assert again == answer


TOO_LONG_TO_REDUCE = "0x" + "f" * 600_000 + "/0x" + "e" * 599_999 + "d"


@pytest.mark.parametrize(("change", "why"), [
    ({"weights": [1]}, "neither a double"),
    ({"weights": ["1/0"]}, "divides by zero"),
    ({"weights": [TOO_LONG_TO_REDUCE]}, "longer than 1,000,000 bits"),
    ({"intercept": True}, "neither a double"),
    ({"margin": [0, 1.0]}, "pair of doubles"),
    ({"margin": [0.5, float("nan")]}, "NaN is not a number"),
    ({"hull": {"rows": [True], "multipliers": [1.0]}}, "row numbers are whole"),
    ({"hull": {"rows": [-1], "multipliers": [1.0]}}, "row numbers are whole"),
    ({"hull": {"rows": [0.0], "multipliers": [1.0]}}, "row numbers are whole"),
    ({"data": WRITTEN | {"fit_intercept": 1}}, "fit_intercept is true or false"),
    ({"extra": 1}, "'extra' is unknown"),
])  # fmt: skip
def test_fields_of_another_kind_are_refused_though_the_digest_agrees(change, why):
    document = json.loads(separate([[0.0], [1.0]], [0, 1]).to_json())
    assert from_json(signed_again(document))
    with pytest.raises(CertificateError, match=why):
        from_json(signed_again(document | change))


@pytest.mark.parametrize(("change", "why"), [
    ({"rows": [-1]}, "row numbers are whole"),
    ({"columns": [0.0]}, "row numbers are whole"),
    ({"multipliers": [1.0]}, "not a rational"),
    ({"column_multipliers": "1"}, "not a list"),
    ({"method": 1}, "not text"),
    ({"work": {"steps": 1}}, "whole numbers"),
    ({"work": {"steps": 1.0, "stretches": 0, "calls": 0}}, "whole numbers"),
    ({"data": WRITTEN}, "not of the kind"),
    ({"data": {"rows": -1, "columns": 1, "fingerprint": ""}}, "whole numbers"),
    ({"slack": [0.0]}, "'slack' is unknown"),
])  # fmt: skip
def test_fields_of_a_system_of_another_kind_are_refused(change, why):
    document = json.loads(solve_system([[1.0], [-1.0]], 1, None).to_json())
    assert from_json(signed_again(document))
    with pytest.raises(CertificateError, match=why):
        from_json(signed_again(document | change))


def test_a_row_whose_ends_contradict_each_other_is_one_row():
    assert str(solve_system([[1], [1], [1]], [0, 2, 0], [1, 1, 1])).startswith("Infeasible: 1 of the 3 rows (1) contradict")
    assert str(solve_system([[1, 1]], 0, 1, (1, 0))).startswith("Infeasible: the bounds of 1 of the 2 coordinates contradict")


# ---- limits ---------------------------------------------------------------------------------------------------------

AT_THE_LIMIT = [
    ("weights", ["0x1" + "0" * 249_999], "0x1" + "0" * 250_000, "longer than 1,000,000 bits"),
    ("weights", ["1/0x1" + "0" * 249_999], "1/0x1" + "0" * 250_000, "longer than 1,000,000 bits"),
    ("weights", ["9" * 1001], "9" * 1002, "1,001 decimal digits"),
]


@pytest.mark.parametrize(("field", "most", "beyond", "why"), AT_THE_LIMIT)
def test_a_number_has_its_limit(field, most, beyond, why):
    document = json.loads(separate([[1.0], [-1.0]], [1, 0]).to_json())
    assert len(from_json(signed_again(document | {field: most})).weights) == 1
    with pytest.raises(CertificateError, match=f"{field}: a number is .*{why}"):
        from_json(signed_again(document | {field: [beyond]}))


@pytest.mark.parametrize("parameter", ["gamma", "coef0"])
@pytest.mark.parametrize("degree", [1, 8, 1000])
def test_a_kernels_parameter_has_a_limit_that_the_degree_lowers(parameter, degree):
    document = json.loads(separate([[1.0], [-1.0]], [1, 0], kernel="poly", degree=2, gamma=1.0, coef0=1.0).to_json())
    most = MOST_POWER_BITS // degree - 1  # bits, beside that of the denominator

    def with_bits(bits):
        kernel = document["data"]["kernel"] | {"degree": degree, parameter: hex(2**bits - 1)}
        return signed_again(document | {"data": document["data"] | {"kernel": kernel}})

    verify(from_json(with_bits(min(most, 10_000))), np.array([[1.0], [-1.0]]), np.array([1, 0]))
    assert from_json(with_bits(most)).data.kernel.degree == degree
    with pytest.raises(CertificateError, match=f"{parameter} has too many digits.*{MOST_POWER_BITS:,}.*lower the degree"):
        from_json(with_bits(most + 1))


def test_a_kernel_that_would_take_minutes_is_refused():
    document = json.loads(separate([[1.0], [-1.0]], [1, 0], kernel="poly", degree=2, gamma=1.0, coef0=1.0).to_json())
    kernel = document["data"]["kernel"] | {"degree": 1000, "gamma": hex(3**50_000)}
    with pytest.raises(CertificateError, match="gamma has too many digits"):
        from_json(signed_again(document | {"data": document["data"] | {"kernel": kernel}}))
