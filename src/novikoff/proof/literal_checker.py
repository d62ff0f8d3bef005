"""The literal checker: docs/certificates.md word for word, on fractions, one number at a time.

It imports nothing of this package and nothing outside the standard library, so it shares no line with what made a certificate,
nor with `verify.py`. It is slow and short on purpose: read it, or write it anew.
"""

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import inf, isinf
from typing import Any, NamedTuple

Document = dict[str, Any]  # an object of JSON
Label = str | int | float | None
Number = float | Fraction  # a fraction only where there is no such double
Row = dict[int, Number]  # the numbers that are not 0, by column
Vector = dict[Any, Fraction]
Name = tuple[int, ...]  # of a z: its row; of many classes, its row and a rival class
Ends = tuple[Fraction, Fraction]  # a number lies between them, and is both where they are equal

WORD = 2**64
ZERO = Fraction(0)
FAR, NEARLY_ZERO = 12_000, Fraction(1, 10**5000)  # exp(−FAR) is less than that
DIGITS = 450  # of exp


class Wrong(Exception):  # noqa: N818  # an answer, not an error
    """What is wrong with a certificate."""


class Table(NamedTuple):
    """Rows and their labels."""

    columns: int
    rows: Sequence[Row]
    labels: Sequence[Label]


class Constraints(NamedTuple):
    """lower ≤ row·w ≤ upper for each row; low ≤ w ≤ high for each column."""

    columns: int
    rows: Sequence[Row]
    lower: Sequence[Number]
    upper: Sequence[Number]
    low: Sequence[Number]
    high: Sequence[Number]
    objective: Sequence[Number] = ()


def check(text: str, data: Table | Constraints) -> None:
    """Raise `Wrong` unless the certificate, given as the text of its file, proves of this data what it says."""
    document = json.loads(text)
    shape = document["data"]["rows"], document["data"]["columns"]
    require(shape == (len(data.rows), data.columns), "the certificate is of other rows or columns")
    try:
        _check_constraints(document, data) if isinstance(data, Constraints) else _check_classes(document, data)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise Wrong(f"a field is not of a kind that it can be ({error})") from None


def require(held: bool, otherwise: str) -> None:
    if not held:
        raise Wrong(otherwise)


def number(value: str | int | float) -> Fraction:
    """A double, or text "p/q" whose parts may be hexadecimal."""
    if isinstance(value, str):
        return Fraction(*(int(part, 16 if "x" in part else 10) for part in value.split("/")))
    return Fraction(value)


def dot(a: Vector, b: Vector) -> Fraction:
    return sum((value * b[key] for key, value in a.items() if key in b), ZERO)


def combined(vectors: Iterable[Vector], factors: Iterable[Fraction]) -> Vector:
    sums: Vector = {}
    for vector, factor in zip(vectors, factors, strict=True):
        for key, value in vector.items():
            sums[key] = sums.get(key, ZERO) + factor * value
    return sums


def eight_bytes(value: Number) -> bytes:
    """Of a double, its own; of a fraction, the first of the SHA-256 digest of "p/q"."""
    if not isinstance(value, Fraction):
        return struct.pack(">d", value)
    return hashlib.sha256(f"{value.numerator}/{value.denominator}".encode()).digest()[:8]


def fingerprint(rows: Iterable[Row], codes: Iterable[int]) -> str:
    def mix(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
        x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
        return x ^ x >> 31

    total = 0
    for row, code in zip(rows, codes, strict=True):
        bits = {j: int.from_bytes(eight_bytes(value), "big") for j, value in row.items() if value}
        entries = sum(mix(b ^ (j + 1) * 0x9E3779B97F4A7C15 % WORD) for j, b in bits.items())
        total = (total * 0x5851F42D4C957F2D + mix((entries + code * 0xD1B54A32D192ED03) % WORD)) % WORD
    return f"{total:016x}"


# ---- classes --------------------------------------------------------------------------------------------------------


def _check_classes(document: Document, data: Table) -> None:
    about, many = document["data"], "classes" in document["data"]
    names = about["classes"] if many else [about["no"], about["yes"]]
    codes = [_code(label, names) for label in data.labels]
    named = {k for k, name in enumerate(names) if name is not None}
    require({*range(1, len(names))} <= named <= set(codes), "no row has a label that is spoken of")
    require(len(names) > 1 and about["fingerprint"] == fingerprint(data.rows, codes), "the certificate is of other data")
    if "kernel" in about:
        _check_through_a_kernel(document, data, [2 * code - 1 for code in codes])
        return
    one = {data.columns: Fraction(1)} if about["fit_intercept"] else {}
    xs: list[Vector] = [{j: Fraction(value) for j, value in row.items()} | one for row in data.rows]

    def z(i: int, rival: int | None = None) -> Vector:
        """y·x; of many classes x in the coordinates of its class, −x in those of the rival."""
        require(0 <= i < len(xs) and (rival is not None) == many, f"there is no row {i}")
        if rival is None:
            return {j: value * (2 * codes[i] - 1) for j, value in xs[i].items()}
        require(0 <= rival < len(names) and rival != codes[i], f"{rival} is no rival of row {i}")
        return {(codes[i], j): v for j, v in xs[i].items()} | {(rival, j): -v for j, v in xs[i].items()}

    if document["outcome"] in ("completely separable", "quasi-separable", "overlapping"):
        _check_quasi_separation(document, {i: z(i) for i in range(len(xs))}, data.columns, len(one))
        return
    code_of = codes.__getitem__ if one and not many else None
    rivals = [(r,) for r in range(len(names))] if many else [()]
    if document["outcome"].endswith("inseparable"):
        columns = [document["rows"], *([document["rivals"]] if many else [])]
        vectors, factors = _named(columns, document["multipliers"], z)
        require(len(vectors) <= len(rivals) * (data.columns + len(one)) + 1, "there are more rows than are ever needed")
        require(not any(combined(vectors, factors).values()), "the rows do not cancel out")
    elif document["outcome"].endswith("separable"):
        w = _weights(document, names, data.columns, bool(one)) if many else _weights_of_two(document, data.columns, bool(one))
        least = min(dot(z(i, *r), w) for i, code in enumerate(codes) for r in rivals if r != (code,))
        low, high = _margin(document)
        require(least > 0, "a row is on the wrong side")
        of_columns = {j: v for j, v in w.items() if "yes" not in document["hull"] or j != data.columns}
        square = dot(of_columns, of_columns)
        require(not low or (square > 0 and least**2 >= Fraction(low) ** 2 * square), f"the margin is less than {low}")
        _check_hull(document["hull"], high, z, many, code_of)
        if "mixing" in document:
            _check_mixing(document, xs, many, least**2 / dot(w, w) if "yes" in document["hull"] else Fraction(low) ** 2)
    else:
        _check_hull(document["hull"], _high(document["margin_at_most"]), z, many, code_of)
        if "mixing" in document:
            _check_mixing(document, xs, many, ZERO)


def _code(label: Label, names: Sequence[Label]) -> int:
    """Which of the names this is. A first name of None stands for every other label."""
    found = [k for k, name in enumerate(names) if isinstance(name, str) == isinstance(label, str) and name == label]
    found = found or ([0] if names[0] is None else [])
    require(len(found) == 1, f"the label {label!r} is not among the certificate's, or twice")
    return found[0]


def _weights_of_two(document: Document, columns: int, intercept: bool) -> Vector:
    w, b = [number(value) for value in document["weights"]], number(document["intercept"])
    require(len(w) == columns and (intercept or b == 0), "there are other weights than columns")
    return dict(enumerate([*w, b]))


def _weights(document: Document, names: Sequence[Label], columns: int, intercept: bool) -> Vector:
    table, b = document["weights"], [number(value) for value in document["intercepts"]]
    require(len(table) == len(b) == len(names) and all(len(w) == columns for w in table), "there are other weights than columns")
    require(intercept or not any(b), "there is an intercept")
    return {(k, j): v for k, w in enumerate(table) for j, v in enumerate([*map(number, w), b[k]])}


def _high(value: float | None) -> float:
    return inf if value is None else value


def _margin(document: Document) -> tuple[float, float]:
    low, high = document["margin"][0], _high(document["margin"][1])
    require(0 <= low <= high and low < inf, f"the margin cannot lie between {low} and {high}")
    return low, high


def _named(columns: list[list[int]], values: list[str | float], z: Callable[..., Vector]) -> tuple[list[Vector], list[Fraction]]:
    """The z's that are named, and their multipliers."""
    names, factors = list(zip(*columns, strict=True)), [number(value) for value in values]
    require(len(set(names)) == len(names) == len(factors), "a row is named twice, or there are more or fewer multipliers")
    require(min(factors, default=ZERO) >= 0 and any(factors), "a multiplier is negative, or all are 0")
    return [z(*name) for name in names], factors


def _is_empty(hull: Document) -> bool:
    return not any(any(side.values()) for side in ((hull["no"], hull["yes"]) if "yes" in hull else (hull,)))


def _shares(
    hull: Document, z: Callable[..., Vector], many: bool, code_of: Callable[[int], int] | None
) -> tuple[list[Vector], list[Fraction]]:
    """The z's that are named, and their shares: of all of them; or, of the rows of each class, twice of all."""
    require(("rivals" in hull) == many, "of many classes, and of those alone, rows have rivals")
    if "yes" not in hull:
        vectors, factors = _named([hull["rows"], *([hull["rivals"]] if many else [])], hull["multipliers"], z)
        total = sum(factors, ZERO)
        return vectors, [factor / total for factor in factors]
    require(code_of is not None, "the classes have hulls of their own only if there is an intercept")
    shares = list[Fraction]()
    vectors = list[Vector]()
    for code, side in enumerate((hull["no"], hull["yes"])):
        named, factors = _named([side["rows"]], side["multipliers"], z)
        require(all(code_of is not None and code_of(i) == code for i in side["rows"]), "a row is on the other side")
        vectors += named
        twice = 2 * sum(factors, ZERO)
        shares += [factor / twice for factor in factors]
    return vectors, shares


def _check_hull(
    hull: Document, high: float, z: Callable[..., Vector], many: bool, code_of: Callable[[int], int] | None = None
) -> None:
    """No margin is above `high`, since ‖Σ shares·z‖ ≤ high."""
    require(("rivals" in hull) == many and (code_of is not None or "yes" not in hull), "the hull does not fit the data")
    if isinf(high) and _is_empty(hull):
        return
    point = combined(*_shares(hull, z, many, code_of))
    require(high >= 0 and (isinf(high) or dot(point, point) <= Fraction(high) ** 2), f"{high} is not shown")


def _check_mixing(document: Document, xs: Sequence[Vector], many: bool, margin_sq: Fraction) -> None:
    shards, passes, clean, mistakes, radius, factor = (
        document["mixing"][name] for name in ("shards", "passes", "clean", "mistakes", "radius", "factor")
    )
    separable = "margin" in document
    require(1 <= shards <= len(xs) and 1 <= passes < 2**63, "there cannot be so many shards or passes")
    require(0 <= mistakes <= (passes - clean) * (len(xs) - shards + 1), "there cannot be so many updates")
    require(mistakes >= 1 / shards or (clean and not separable), "there cannot be so few updates")
    require(radius > 0 and all(dot(x, x) <= Fraction(radius) ** 2 for x in xs), "a row is longer than the radius")
    require(factor is None or factor >= 1 + many, "the factor is too small")
    require(clean or not separable, "the last pass was not clean")
    if separable and factor is not None:
        bound = Fraction(factor) * Fraction(radius) ** 2
        require(Fraction(mistakes) * margin_sq <= bound, "there are more updates than F20 allows")


# ---- quasi-separation -----------------------------------------------------------------------------------------------


def _check_quasi_separation(document: Document, zs: dict[int, Vector], columns: int, intercept: int) -> None:
    overlap, length = set(document["rows"]), columns + intercept
    directions = [list(_weights_of_two(document, columns, bool(intercept)).values())[:length]]
    directions += [[number(value) for value in values] for values in document["directions"]]
    require(all(len(w) == length for w in directions), "there are other weights than columns")
    for k, w in enumerate(directions):
        for i, z in zs.items():
            score = dot(z, dict(enumerate(w)))
            require(score >= 0 if k else (score == 0 if i in overlap else score > 0), f"row {i} is on the wrong side")
    if overlap or document["multipliers"]:
        vectors, factors = _named([document["rows"]], document["multipliers"], zs.__getitem__)
        require(min(factors) > 0 and not any(combined(vectors, factors).values()), "the rows do not cancel out")
    outcome = "completely separable" if not overlap else "overlapping" if len(overlap) == len(zs) else "quasi-separable"
    require(document["outcome"] == outcome, f"the outcome is {outcome}")
    _check_null_space(document["collinear"], zs, length)
    _check_null_space(document["collinear_in_overlap"], {i: zs[i] for i in overlap}, length)
    signs = dict[int, Fraction]()
    for proof in document["signs"]:
        rows, factors = proof["rows"], [number(value) for value in proof["multipliers"]]
        require(len(set(rows)) == len(rows) == len(factors), "a row is named twice, or there are more or fewer multipliers")
        require(all(f >= 0 or i in overlap for i, f in zip(rows, factors, strict=True)), "a multiplier is negative")
        left = {j: value for j, value in combined([zs[i] for i in rows], factors).items() if value}
        require(set(left) == {proof["column"]}, "the rows do not leave one coordinate")
        signs |= left
    moved = [{j for v in document[name]["vectors"] for j in v["columns"]} for name in ("collinear", "collinear_in_overlap")]
    require(len(document["coefficients"]) == length, "there are other verdicts than coefficients")
    for j, said in enumerate(document["coefficients"]):
        if j in moved[0] or j not in moved[1]:
            shown = "unidentified" if j in moved[0] else "finite"
        elif j in signs:
            shown = "+infinite" if signs[j] > 0 else "-infinite"
        else:
            both = any(w[j] > 0 for w in directions) and any(w[j] < 0 for w in directions)
            shown = "undetermined" if both else "not shown"
        require(said == shown, f"coefficient {j} is {shown}")


def _check_null_space(space: Document, zs: dict[int, Vector], length: int) -> None:
    """The vectors are orthogonal to these z's; the rows, without the vectors' own columns, are as many, and independent."""
    own, rows = space["columns"], space["rows"]
    require(len(set(own)) == len(own) == len(space["vectors"]) and all(j < length for j in own), "other vectors than columns")
    for j, vector in zip(own, space["vectors"], strict=True):
        entries = {k: number(value) for k, value in zip(vector["columns"], vector["factors"], strict=True)}
        require(len(entries) == len(vector["columns"]) and all(0 <= k < length for k in entries), "there is no such column")
        require(all(entries.values()) and set(own) & set(entries) == {j}, "a vector is not 0 in the column of another")
        require(not any(dot(z, entries) for z in zs.values()), "a vector is not orthogonal to a row")
    left = [[zs[i].get(j, ZERO) for j in range(length) if j not in own] for i in rows]
    require(len(left) == length - len(own), "there are other rows than columns")
    while left:
        pivot = next((row for row in left if row[0]), None)
        require(pivot is not None, "the rows are not independent")
        first, *rest = pivot or []
        left.remove(pivot or [])
        left = [[a - row[0] / first * b for a, b in zip(row[1:], rest, strict=True)] for row in left]


# ---- through a kernel -----------------------------------------------------------------------------------------------


def _exp(t: Fraction, digits: int = DIGITS) -> Ends:
    """exp(t), t ≤ 0."""
    if t < -FAR:
        return ZERO, NEARLY_ZERO
    context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    value = Fraction(context.exp(context.divide(Decimal(t.numerator), Decimal(t.denominator))))
    off = value / 10**digits if t else ZERO
    return value - off, min(Fraction(1), value + off)


def _value(kernel: Document, rows: Sequence[Row], i: int, j: int) -> Ends:
    """K(xᵢ, xⱼ)."""
    name, gamma, c = kernel["name"], number(kernel.get("gamma", 1.0)), number(kernel.get("coef0", 0.0))
    a, b = ({k: Fraction(value) for k, value in rows[at].items()} for at in (i, j))
    match name:
        case "precomputed":
            return a.get(j, ZERO), a.get(j, ZERO)
        case "rbf" | "laplacian":
            apart = [a.get(k, ZERO) - b.get(k, ZERO) for k in a.keys() | b.keys()]
            return _exp(-gamma * sum((v * v if name == "rbf" else abs(v) for v in apart), ZERO))
        case "linear":
            return dot(a, b), dot(a, b)
        case "poly":
            value = (gamma * dot(a, b) + c) ** kernel["degree"]
            return value, value
        case "sigmoid":
            t = gamma * dot(a, b) + c
            lost = max(0, t.denominator.bit_length() - t.numerator.bit_length())  # 1 − exp(−2·|t|) begins with as many zeros
            low, high = _exp(-2 * abs(t), DIGITS + lost)
            ends = (1 - high) / (1 + high), (1 - low) / (1 + low)
            return ends if t >= 0 else (-ends[1], -ends[0])
    raise Wrong(f"the literal checker cannot compute the kernel {name}")


def _check_through_a_kernel(document: Document, data: Table, sign: Sequence[int]) -> None:
    kernel, intercept, rows = document["data"]["kernel"], document["data"]["fit_intercept"], data.rows
    positive = kernel["name"] in ("linear", "rbf", "laplacian") or (kernel["name"] == "poly" and number(kernel["coef0"]) >= 0)
    require(kernel["name"] != "precomputed" or len(rows) == data.columns, "values of a kernel are a square matrix")
    require(kernel["name"] != "custom", f"the literal checker cannot compute the kernel {kernel.get('function')}")

    def z(i: int) -> Vector:
        """y·(φ(x), 1), in coordinates of which only the products are known."""
        require(0 <= i < len(rows), f"there is no row {i}")
        return {i: Fraction(sign[i])} | ({"constant": Fraction(sign[i])} if intercept else {})

    def square(w: Vector) -> Fraction:
        """‖w‖², or a little more."""
        terms = [(w[i] * w[j], _value(kernel, rows, i, j)) for i in w for j in w if "constant" not in (i, j)]
        return sum((f * (high if f > 0 else low) for f, (low, high) in terms), w.get("constant", ZERO) ** 2)

    def check_hull(high: float) -> None:
        hull = document["hull"]
        require("rivals" not in hull and "yes" not in hull, "the hull is of many classes, or of each class")
        require(positive or (isinf(high) and not any(hull.values())), "the kernel has no upper end")
        if any(hull.values()) or not isinf(high):
            point = combined(*_shares(hull, z, False, None))
            require(high >= 0 and (isinf(high) or square(point) <= Fraction(high) ** 2), f"{high} is not shown")

    if document["outcome"] == "inseparable":
        vectors, factors = _named([document["rows"]], document["multipliers"], z)
        left = combined(vectors, factors)
        require(not left.pop("constant", ZERO), "something is left in the constant coordinate")
        equal = combined(({frozenset(rows[i].items()): Fraction(1)} for i in left), left.values())
        if any(equal.values()):
            require(kernel["name"] in ("linear", "poly", "precomputed"), "rows that are not equal may not cancel out")
            for j in range(len(rows)):
                rest = sum(factor * _value(kernel, rows, i, j)[0] for i, factor in left.items())
                require(rest == 0, f"the rows do not cancel out: something is left at row {j}")
    elif document["outcome"] == "separable":
        support, alpha = document["support"], [number(value) for value in document["weights"]]
        b, tolerance, (low, high) = number(document["intercept"]), Fraction(document["tolerance"]), _margin(document)
        require(len(support) == len(set(support)) == len(alpha) and 0 <= tolerance < 1, "other weights than rows")
        require(tolerance > 0 or kernel["name"] in ("linear", "poly", "precomputed"), "the tolerance is 0")
        require((intercept or b == 0) and (positive or low == 0), "there is an intercept, or a margin where there is none")
        w = combined(map(z, support), [a * sign[i] for i, a in zip(support, alpha, strict=True)]) | {"constant": b}
        least = []
        for i, side in enumerate(sign):
            terms = [(side * w[k], _value(kernel, rows, i, k)) for k in support]
            score = side * b + sum(f * (lower if f > 0 else upper) for f, (lower, upper) in terms)
            size = sum(abs(f) * max(map(abs, ends)) for f, ends in terms)
            require(score > 0 and score > tolerance * size, f"row {i} is on the wrong side, or may be")
            least.append(score)
        require(not low or min(least) ** 2 >= Fraction(low) ** 2 * square(w), f"the margin is less than {low}")
        check_hull(high)
    else:
        check_hull(_high(document["margin_at_most"]))


# ---- constraints ----------------------------------------------------------------------------------------------------


def _check_constraints(document: Document, data: Constraints) -> None:
    best = "sense" in document
    ends = [dict(enumerate(end)) for end in (data[2:] if best else data[2:6])]
    optional = {"numbers", "row_names", "column_names"}
    require(set(document["data"]) - optional == {"rows", "columns", "fingerprint"}, "the certificate is of classes")
    require(all(v < inf for v in [*data.lower, *data.low]), "a lower end is one that no number satisfies")
    require(all(v > -inf for v in [*data.upper, *data.high]), "an upper end is one that no number satisfies")
    listed = [*data.rows, *ends]
    require(document["data"]["fingerprint"] == fingerprint(listed, [1] * len(listed)), "the certificate is of another system")
    objective = {j: Fraction(value) for j, value in enumerate(data.objective) if value}

    def row(i: int) -> Vector:
        require(0 <= i < len(data.rows), f"there is no row {i}")
        return {j: Fraction(value) for j, value in data.rows[i].items()}

    def coordinate(j: int) -> Vector:
        require(0 <= j < data.columns, f"there is no column {j}")
        return {j: Fraction(1)}

    def point() -> Vector:
        w = dict(enumerate(number(value) for value in document["w"]))
        require(len(w) == data.columns, "the point has other coordinates")
        for j in range(data.columns):
            require(data.low[j] <= w[j] <= data.high[j], f"coordinate {j} is not within its bounds")
        for i in range(len(data.rows)):
            require(data.lower[i] <= dot(row(i), w) <= data.upper[i], f"row {i} is not satisfied")
        return w

    def weighted(positive_is_upper: bool) -> tuple[Vector, Fraction]:
        """What the constraints add up to, and their ends."""
        vectors, factors, total = list[Vector](), list[Fraction](), ZERO
        for named, values, vector, low, high in (
            (document["rows"], document["multipliers"], row, data.lower, data.upper),
            (document["columns"], document["column_multipliers"], coordinate, data.low, data.high),
        ):
            for k, value in zip(named, values, strict=True):
                vectors.append(vector(k))
                factors.append(number(value))
                end = high[k] if (factors[-1] > 0) == positive_is_upper else low[k]
                require(factors[-1] != 0 and not isinf(end), f"the multiplier of {k} is 0, or {k} has no such end")
                total += factors[-1] * Fraction(end)
        return {j: left for j, left in combined(vectors, factors).items() if left}, total

    if document["outcome"] == "feasible":
        point()
    elif document["outcome"] == "infeasible":
        left, total = weighted(positive_is_upper=False)
        require(not left, "the constraints do not cancel out")
        require(total > 0, "the constraints do not contradict each other")
    elif document["outcome"] == "optimal":
        value = number(document["value"])
        require(dot(objective, point()) == value, "the objective has another value at the point")
        left, total = weighted(positive_is_upper=document["sense"] == "maximize")
        require(left == objective, "the constraints do not add up to the objective")
        require(total == value, "a better point is not ruled out")
    elif document["outcome"] == "unbounded":
        point()
        ray = dict(enumerate(number(value) for value in document["ray"]))
        require(len(ray) == data.columns, "the ray has other coordinates")
        require(dot(objective, ray) * (1 if document["sense"] == "maximize" else -1) > 0, "the objective does not get better")
        for low, high, along in (
            (data.low, data.high, [ray[j] for j in range(data.columns)]),
            (data.lower, data.upper, [dot(row(i), ray) for i in range(len(data.rows))]),
        ):
            for k, change in enumerate(along):
                require(change == 0 or isinf(low[k] if change < 0 else high[k]), f"the ray leaves the limits of {k}")
    else:
        _check_hull(document["hull"], _high(document["margin_at_most"]), row, many=False)
