"""Certificates as JSON files, written and read back. `docs/certificates.md` describes the format.

A double is a JSON number that reads back as itself, a fraction is text "p/q", and an infinite upper end is null. A file that was
changed, or has a field of another type, is refused.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TypeGuard

import numpy as np

from novikoff.foundation.array_types import Array
from novikoff.proof.certificate import (
    NUMBERS,
    Certificate,
    CertificateError,
    Classes,
    Data,
    Feasible,
    Hull,
    Hulls,
    Infeasible,
    Inseparable,
    ManyHull,
    ManyInseparable,
    ManySeparable,
    Margin,
    Mixing,
    Optimal,
    Separable,
    System,
    Unbounded,
    Undecided,
    Work,
    weights_array,
)
from novikoff.proof.named_kernels import KERNELS, Kernel
from novikoff.proof.quasi_separation import (
    VERDICTS,
    Combination,
    CompletelySeparable,
    NullSpace,
    Overlapping,
    QuasiSeparable,
    SignProof,
)
from novikoff.proof.rationals import Number

FORMAT, VERSION = "novikoff certificate", 3
WITH_HULLS = 2  # the version before: constraints are of doubles, without names and objectives
WITHOUT_HULLS = 1  # margins are those of the extended space
LARGEST_FILE = 2**26  # bytes; certificates that this program writes are far smaller
MOST_BITS = 1_000_000  # of a numerator or a denominator; longer ones take long to reduce
MOST_DECIMALS = 1001  # digits of a whole number that is not in hexadecimal
LONG = 10**1000  # whole numbers from here on are written in hexadecimal, which is quick to read back
RATIONAL = re.compile(r"-?(0x[0-9a-f]+|[0-9]+)(/(0x[0-9a-f]+|[0-9]+))?")
OF_QUASI_SEPARATION = (CompletelySeparable, QuasiSeparable, Overlapping)
OF_CONSTRAINTS = (Feasible, Infeasible, Optimal, Unbounded)
KINDS = (Separable, Inseparable, ManySeparable, ManyInseparable, Undecided, *OF_CONSTRAINTS, *OF_QUASI_SEPARATION)
KINDS_SINCE_VERSION = (Optimal, Unbounded, *OF_QUASI_SEPARATION)  # the present one
SINCE_VERSION = ("numbers", "row_names", "column_names")
OUTCOMES: dict[str, type[Certificate]] = {kind.outcome: kind for kind in KINDS}


def load(path: str | Path) -> Certificate:
    """Read a certificate file. A file that was edited, or is not a certificate, is refused with a `CertificateError`."""
    return load_with_text(path)[0]


def load_with_text(path: str | Path) -> tuple[Certificate, str]:
    """Read a certificate file; return the certificate and the text of the file."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(content) > LARGEST_FILE:
        raise CertificateError(f"{path}: has more than {LARGEST_FILE:,} bytes, which no certificate has")
    try:
        text = content.decode("ascii", "surrogateescape")
        return from_json(text), text
    except CertificateError as error:
        raise CertificateError(f"{path}: not a certificate: {error}") from None


# ---- writing --------------------------------------------------------------------------------------------------------


def to_json(certificate: Certificate) -> str:
    """The certificate as the text of a file, one field a line. The last field is the digest of all lines before it."""
    document: dict[str, object] = {"format": FORMAT, "version": _version(certificate), "outcome": certificate.outcome}
    names = _fields_in_file(type(certificate), certificate.kernel is not None, certificate.is_mixed)
    document |= {name: _plain(getattr(certificate, name)) for name in names}
    lines = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in document.items()]
    body = "{\n" + "".join(line + ",\n" for line in lines)
    return f'{body}"digest": "{_digest(body)}"\n}}\n'


def _version(certificate: Certificate) -> int:
    """The first version that has everything that is in the certificate."""
    optional = set(_present(certificate.data)) & set(SINCE_VERSION)
    if type(certificate) in KINDS_SINCE_VERSION or optional:
        return VERSION
    return WITH_HULLS if isinstance(getattr(certificate, "hull", None), Hulls) else WITHOUT_HULLS


def _present(data: Data | Classes | System) -> list[str]:
    """The fields that are written: not those that may be left out and have their default."""
    defaults = data._field_defaults
    return [name for name in data._fields if name not in defaults or getattr(data, name) != defaults[name]]


def _fields_in_file(kind: type[Certificate], through_a_kernel: bool, mixed: bool) -> list[str]:
    written = {True: True, "through a kernel": through_a_kernel, "mixed": mixed, False: False}
    return [each.name for each in fields(kind) if written[each.metadata.get("in_file", True)]]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: object) -> object:
    """The value as lists, dictionaries, text and numbers."""
    if isinstance(value, Kernel):
        return {name: _plain(getattr(value, name)) for name in ("name", *KERNELS[value.name])}
    if isinstance(value, Data | Classes | System):
        return {name: _plain(getattr(value, name)) for name in _present(value)}
    if isinstance(value, Hull | Hulls | ManyHull | Mixing | Work | Combination | NullSpace | SignProof):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and np.isfinite(value).all():
        return value.tolist()
    if isinstance(value, np.ndarray | tuple | list):
        return [_plain(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, Fraction):
        return rational_text(value)
    if isinstance(value, float) and math.isinf(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def rational_text(value: Fraction) -> str:
    """The fraction as "p/q", or "p" if it is whole."""
    parts = (value.numerator,) if value.denominator == 1 else (value.numerator, value.denominator)
    return "/".join(str(part) if abs(part) < LONG else hex(part) for part in parts)


# ---- reading --------------------------------------------------------------------------------------------------------


def from_json(text: str) -> Certificate:
    """The certificate that `to_json` wrote as this text."""
    if not text.isascii():
        raise CertificateError("it has characters that no certificate has")
    try:
        document = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant, parse_int=_whole, parse_float=_real
        )
    except (json.JSONDecodeError, RecursionError) as error:
        raise CertificateError(f"it is not JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CertificateError(f'it does not say "format": "{FORMAT}"')
    version = document.get("version")
    if type(version) is not int or not WITHOUT_HULLS <= version <= VERSION:
        raise CertificateError(f"it has version {version!r}; this program reads versions {WITHOUT_HULLS} to {VERSION}")
    body, mark, _ = text.rpartition('"digest": "')
    if not mark or text.rstrip() != f'{body}"digest": "{_digest(body)}"\n}}':
        raise CertificateError("its digest does not agree with its content: it was changed after it was written")
    if not isinstance(document.get("outcome"), str) or document["outcome"] not in OUTCOMES:
        raise CertificateError(f"its outcome is {document.get('outcome')!r}; the outcomes are {', '.join(OUTCOMES)}")
    kind = OUTCOMES[document["outcome"]]
    if kind in KINDS_SINCE_VERSION and version < VERSION:
        raise CertificateError(f"its outcome is one that version {version} does not have")
    through_a_kernel = isinstance(document.get("data"), dict) and "kernel" in document["data"]
    names = _fields_in_file(kind, through_a_kernel, "mixing" in document)
    expected = {"format", "version", "outcome", "digest", *names}
    if set(document) != expected:
        odd = min(set(document) ^ expected)
        raise CertificateError(f"the field {odd!r} is {'unknown' if odd in document else 'missing'}")
    readers = _READERS | (_READERS_OF_MANY if kind is ManySeparable else {})
    certificate = kind(**{name: readers[name](document[name], name) for name in names})  # type: ignore[arg-type]
    if type(certificate.data) not in kind.data_types:
        raise CertificateError(f"its data is not of the kind that a certificate with the outcome {kind.outcome!r} has")
    if isinstance(certificate, Separable | ManySeparable | Undecided):
        _check_hull(certificate, version)
    if version < VERSION == _version(certificate):
        raise CertificateError(f"it has fields that version {version} does not have")
    return certificate


def _check_hull(certificate: Separable | ManySeparable | Undecided, version: int) -> None:
    if isinstance(certificate.hull, Hulls):
        if version == WITHOUT_HULLS:
            raise CertificateError(f"its hull is one that version {WITHOUT_HULLS} does not have")
        if not isinstance(certificate.data, Data) or not certificate.data.fit_intercept or certificate.kernel is not None:
            raise CertificateError(
                "its hull is of each class, which fits two classes with an intercept and without a kernel only"
            )
    if isinstance(certificate.hull, ManyHull) != isinstance(certificate.data, Classes):
        raise CertificateError("its hull does not fit its data: with many classes rows have rivals, with two they have none")


# ---- numbers --------------------------------------------------------------------------------------------------------


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise CertificateError("it names a field twice")
    return dict(pairs)


def _no_constant(name: str) -> object:
    raise CertificateError(f"{name} is not a number")


def _whole(text: str) -> int:
    if len(text) > MOST_DECIMALS:
        raise CertificateError(f"it has a number of more than {MOST_DECIMALS:,} decimal digits; write it in hexadecimal, as text")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise CertificateError(f"{text[:40]} is larger than any double")
    return value


def _number(value: object, name: str) -> Number:
    if isinstance(value, str):
        return _fraction(value, name)
    if isinstance(value, float):
        return value
    raise CertificateError(f'{name}: {str(value)[:40]!r} is neither a double with a decimal point nor text "p/q"')


def _fraction(value: object, name: str) -> Fraction:
    if not (isinstance(value, str) and RATIONAL.fullmatch(value)):
        raise CertificateError(f'{name}: {str(value)[:40]!r} is not a rational number, text "p/q"')
    top, _, bottom = value.partition("/")
    for part in (top.removeprefix("-"), bottom):
        if len(part) > (2 + MOST_BITS // 4 if part.startswith("0x") else MOST_DECIMALS):
            raise CertificateError(f"{name}: a number is longer than {MOST_BITS:,} bits, or {MOST_DECIMALS:,} decimal digits")
    if bottom and not int(bottom, 0 if "x" in bottom else 10):
        raise CertificateError(f"{name}: {value[:40]!r} divides by zero")
    return Fraction(int(top, 0 if "x" in top else 10), int(bottom, 0 if "x" in bottom else 10) if bottom else 1)


def _upper(value: object, name: str) -> float:
    if value is not None and not isinstance(value, float):
        raise CertificateError(f"{name}: {str(value)[:40]!r} is neither a double nor null")
    return math.inf if value is None else value


def _tolerance(value: object, name: str) -> float:
    if not isinstance(value, float) or value < 0:
        raise CertificateError(f"{name} is not a double of at least 0.0")
    return value


# ---- lists ----------------------------------------------------------------------------------------------------------


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise CertificateError(f"{name} is not a list")
    return value


def _rows(value: object, name: str) -> tuple[int, ...]:
    rows = tuple(row for row in _list(value, name) if _is_count(row) and row < 2**63)
    if len(rows) != len(_list(value, name)):
        raise CertificateError(f"{name}: row numbers are whole and not negative")
    return rows


def _numbers(value: object, name: str) -> tuple[Number, ...]:
    return tuple(_number(item, name) for item in _list(value, name))


def _fractions(value: object, name: str) -> tuple[Fraction, ...]:
    return tuple(_fraction(item, name) for item in _list(value, name))


def _weights(value: object, name: str) -> Array:
    return weights_array(_numbers(value, name))


def _matrix(value: object, name: str) -> Array:
    rows = [_weights(row, name) for row in _list(value, name)]
    if len({len(row) for row in rows}) != 1:
        raise CertificateError(f"{name} is not a table of numbers")
    return np.stack(rows)


def _margin(value: object, name: str) -> Margin:
    ends = _list(value, name)
    if len(ends) != 2 or not isinstance(ends[0], float):
        raise CertificateError(f"{name} is not a pair of doubles")
    margin = Margin(ends[0], _upper(ends[1], name))
    if not margin.low <= margin.high:
        raise CertificateError(f"{name}: the lower end, {margin.low}, is above the upper end, {margin.high}")
    return margin


# ---- objects --------------------------------------------------------------------------------------------------------


def _is_object_of(value: object, names: tuple[str, ...], most: tuple[str, ...] = ()) -> TypeGuard[dict[str, object]]:
    """Whether it has these names, and no others; or, with `most`, some of those."""
    return isinstance(value, dict) and set(names) <= set(value) <= set(most or names)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _is_label(value: object) -> TypeGuard[str | int | float]:
    return isinstance(value, str | int | float)


def _hull(value: object, name: str) -> Hull | Hulls | ManyHull:
    if _is_object_of(value, Hulls._fields):
        no, yes = (_hull(value[side], name) for side in Hulls._fields)
        if not isinstance(no, Hull) or not isinstance(yes, Hull):
            raise CertificateError(f"{name}: no and yes do not have rows and multipliers, and nothing else")
        return Hulls(no, yes)
    if _is_object_of(value, ManyHull._fields):
        return ManyHull(_rows(value["rows"], name), _rows(value["rivals"], name), _numbers(value["multipliers"], name))
    if not _is_object_of(value, Hull._fields):
        raise CertificateError(f"{name} does not have rows and multipliers, and nothing else")
    return Hull(_rows(value["rows"], name), _numbers(value["multipliers"], name))


def _data(value: object, name: str) -> Data | Classes | System:
    if _is_object_of(value, Classes._fields):
        return _classes(value, name)
    if _is_object_of(value, System._fields[:3], System._fields):
        return _system(value, name)
    own, optional = [field for field in Data._fields if field not in Data._field_defaults], list(Data._field_defaults)
    if not _is_object_of(value, tuple(own), Data._fields):
        raise CertificateError(f"{name} does not have the fields {', '.join(own)}, and no others but {', '.join(optional)}")
    rows, columns = _shape(value, name)
    intercept, fingerprint, no, yes = _fit_intercept(value, name), _fingerprint(value, name), value["no"], value["yes"]
    if not (no is None or _is_label(no)) or not _is_label(yes):
        raise CertificateError(f"{name}: labels are text or numbers; only `no` may be null")
    kernel = _kernel(value["kernel"], name) if "kernel" in value else None
    return Data(rows, columns, intercept, no, yes, fingerprint, kernel, _kind_of_numbers(value, name))


def _system(value: dict[str, object], name: str) -> System:
    rows, columns = _shape(value, name)
    names = []
    for field, many in (("row_names", rows), ("column_names", columns)):
        listed = _list(value.get(field, []), field)
        if field in value and (len(listed) != many or not all(isinstance(each, str) for each in listed)):
            raise CertificateError(f"{name}: {field} are not one text for each")
        names.append(tuple(map(str, listed)))
    return System(rows, columns, _fingerprint(value, name), _kind_of_numbers(value, name), *names)


def _kind_of_numbers(value: dict[str, object], name: str) -> str:
    kind = value.get("numbers", NUMBERS[0])
    if not isinstance(kind, str) or kind not in NUMBERS:
        raise CertificateError(f"{name}: numbers are {' or '.join(NUMBERS)}, not {str(kind)[:40]!r}")
    return kind


def _classes(value: dict[str, object], name: str) -> Classes:
    given = _list(value["classes"], name)
    labels = tuple(label for label in given if _is_label(label))
    if len(labels) != len(given):
        raise CertificateError(f"{name}: labels are text or numbers")
    return Classes(*_shape(value, name), _fit_intercept(value, name), labels, _fingerprint(value, name))


def _shape(value: dict[str, object], name: str) -> tuple[int, int]:
    rows, columns = value["rows"], value["columns"]
    if not _is_count(rows) or not _is_count(columns):
        raise CertificateError(f"{name}: rows and columns are whole numbers")
    return rows, columns


def _fit_intercept(value: dict[str, object], name: str) -> bool:
    if not isinstance(value["fit_intercept"], bool):
        raise CertificateError(f"{name}: fit_intercept is true or false")
    return value["fit_intercept"]


def _fingerprint(value: dict[str, object], name: str) -> str:
    if not isinstance(value["fingerprint"], str):
        raise CertificateError(f"{name}: the fingerprint is text")
    return value["fingerprint"]


def _kernel(value: object, name: str) -> Kernel:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or value["name"] not in KERNELS:
        raise CertificateError(f"{name}: the kernel has no name, or one that is not among {', '.join(KERNELS)}")
    if "function" in value and not isinstance(value["function"], str):
        raise CertificateError(f"{name}: the function is given by its name, as text")
    if not set(value) <= set(Kernel._fields) or None in value.values():
        raise CertificateError(f"{name}: the kernel has other fields than {', '.join(KERNELS[value['name']]) or 'its name'}")
    kernel = Kernel(**(value | {each: _number(value[each], each) for each in ("gamma", "coef0") if each in value}))
    try:
        kernel.check()
    except ValueError as error:
        raise CertificateError(f"{name}: {error}") from None
    return kernel


def _work(value: object, name: str) -> Work:
    if not _is_object_of(value, Work._fields) or not all(type(number) is int for number in value.values()):
        raise CertificateError(f"{name} does not have {', '.join(Work._fields)}, whole numbers")
    return Work(**value)  # type: ignore[arg-type]


def _mixing(value: object, name: str) -> Mixing:
    if not _is_object_of(value, Mixing._fields):
        raise CertificateError(f"{name} does not have {', '.join(Mixing._fields)}, and nothing else")
    mixing = Mixing(**value)  # type: ignore[arg-type]
    doubles = (mixing.mistakes, mixing.radius, *(() if mixing.factor is None else (mixing.factor,)))
    whole = all(type(number) is int for number in (mixing.shards, mixing.passes))
    if not whole or type(mixing.clean) is not bool or not all(type(number) is float for number in doubles):
        raise CertificateError(f"{name}: shards and passes are whole numbers, clean is true or false, the others are doubles")
    return mixing


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise CertificateError(f"{name} is not text")
    return value


def _sense(value: object, name: str) -> str:
    if value not in ("maximize", "minimize"):
        raise CertificateError(f"{name} is neither maximize nor minimize")
    return str(value)


def _verdicts(value: object, name: str) -> tuple[str, ...]:
    verdicts = tuple(_text(item, name) for item in _list(value, name))
    if not set(verdicts) <= set(VERDICTS):
        raise CertificateError(f"{name}: what can be said of a coefficient is {', '.join(VERDICTS)}")
    return verdicts


def _combination(value: object, name: str) -> Combination:
    if not _is_object_of(value, Combination._fields):
        raise CertificateError(f"{name}: a vector does not have {', '.join(Combination._fields)}, and nothing else")
    return Combination(_rows(value["columns"], name), _fractions(value["factors"], name))


def _null_space(value: object, name: str) -> NullSpace:
    if not _is_object_of(value, NullSpace._fields):
        raise CertificateError(f"{name} does not have {', '.join(NullSpace._fields)}, and nothing else")
    vectors = tuple(_combination(item, name) for item in _list(value["vectors"], name))
    return NullSpace(_rows(value["rows"], name), _rows(value["columns"], name), vectors)


def _sign_proof(value: object, name: str) -> SignProof:
    if not _is_object_of(value, SignProof._fields) or not _is_count(value["column"]):
        raise CertificateError(f"{name}: one does not have a column, a whole number, and rows and multipliers")
    return SignProof(value["column"], _rows(value["rows"], name), _fractions(value["multipliers"], name))


def _sign_proofs(value: object, name: str) -> tuple[SignProof, ...]:
    return tuple(_sign_proof(item, name) for item in _list(value, name))


def _directions(value: object, name: str) -> tuple[Array, ...]:
    return tuple(_weights(item, name) for item in _list(value, name))


_READERS: dict[str, Callable[[object, str], object]] = {
    "data": _data,
    "weights": _weights,
    "intercept": _number,
    "margin": _margin,
    "hull": _hull,
    "support": _rows,
    "tolerance": _tolerance,
    "rows": _rows,
    "rivals": _rows,
    "multipliers": _fractions,
    "why": _text,
    "margin_at_most": _upper,
    "w": _weights,
    "ray": _weights,
    "sense": _sense,
    "value": _number,
    "columns": _rows,
    "column_multipliers": _fractions,
    "method": _text,
    "work": _work,
    "mixing": _mixing,
    "coefficients": _verdicts,
    "collinear": _null_space,
    "collinear_in_overlap": _null_space,
    "signs": _sign_proofs,
    "directions": _directions,
}
_READERS_OF_MANY: dict[str, Callable[[object, str], object]] = {"weights": _matrix, "intercepts": _weights}
