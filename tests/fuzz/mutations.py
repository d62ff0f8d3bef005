"""Valid inputs made invalid: bits flipped, pieces cut, doubled and exchanged, numbers put where they hurt."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from copy import deepcopy

import zstandard

PACKERS = (gzip.compress, lzma.compress, bz2.compress, zstandard.compress)
WHOLE = (
    0,
    1,
    -1,
    2,
    3,
    127,
    128,
    255,
    2**15,
    2**16,
    2**31 - 1,
    -(2**31),
    2**31,
    2**32 - 1,
    2**53,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
)
TOKENS = (
    *(str(number).encode() for number in WHOLE),
    *(
        b"1e400",
        b"-1e308",
        b"5e-324",
        b"1e-400",
        b"nan",
        b"-inf",
        b"0x10",
        b"1_000",
        b"1.",
        b".5",
        b".",
        b"-",
        b"+",
        b"1e",
        b"--1",
    ),
    *(b"9" * 400, b"-" + b"9" * 400, b"0." + b"0" * 400 + b"1", b"1" * 30, b"0" * 70 + b"1", b"a" * 300, b" " * 200, b"\t" * 70),
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\x1a",
    ),
    *(
        b":",
        b"|",
        b",",
        b";",
        b'"',
        b'""',
        b"'",
        b"#",
        b"=",
        b"{",
        b"}",
        b"[",
        b"]",
        b"null",
        b"true",
        b"\\u0000",
        b"\\ud800",
        b"%",
    ),
    *(
        b"<",
        b">",
        b"<!--",
        b"</",
        b"&#x110000;",
        b"=?utf-8?q?=zz?=",
        b"From ",
        b"Content-Type: ",
        b"--x",
        b"qid:1",
        b"1:1",
        b"0:1",
    ),
)
JSON = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**63,
    -(2**63),
    10**400,
    0.5,
    -0.0,
    1e308,
    5e-324,
    float("inf"),
    float("nan"),
    "",
    "a",
)
JSON += ("1/0", "1/3", "-7/2", "9" * 400, "\ud800", "\0", [], {}, [[]], [1, 2], {"a": 1}, [None], "rbf", "voted", "margin")


def mutated(rng, content, others=()):
    """The content, changed in one to six ways."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        _change(rng, content, others)
    return bytes(content)


def _change(rng, content, others):
    at = rng.randrange(len(content) + 1)
    end = min(len(content), at + rng.choice((1, 1, 2, 4, 8, 30, 200)))
    match rng.randrange(11):
        case 0 if content:
            content[at % len(content)] ^= 1 << rng.randrange(8)
        case 1 if content:
            content[at % len(content)] = rng.choice((0, 1, 9, 10, 13, 32, 34, 45, 48, 58, 127, 128, 255))
        case 2:
            del content[at:end]
        case 3:
            del content[at:]
        case 4:
            content[at:at] = content[at:end] * rng.choice((1, 1, 2, 50))
        case 5:
            content[at:at] = rng.choice(TOKENS)
        case 6:
            content[at:end] = rng.choice(TOKENS)
        case 7:
            size = rng.choice((1, 2, 4, 8))
            at -= at % size
            content[at : at + size] = (rng.choice(WHOLE) % 2 ** (8 * size)).to_bytes(
                size, rng.choice(("little", "little", "big"))
            )
        case 8:
            other = rng.choice(others) if others else bytes(content)
            begin = rng.randrange(len(other) + 1)
            content[at:end] = other[begin : begin + rng.choice((4, 30, 200, 2000))]
        case 9:
            content += bytes(content)
        case _:
            content[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 4, 20))))


def packed(rng, content):
    """The content, now and then in a container, which may be damaged itself."""
    if rng.random() < 0.85:
        return content
    content = rng.choice(PACKERS)(content)
    return mutated(rng, content) if rng.random() < 0.7 else content + (content if rng.random() < 0.2 else b"")


def archive(rng, content):
    """A zip archive with members that are changed, in which all checksums are right."""
    with zipfile.ZipFile(io.BytesIO(content)) as before:
        members = {name: before.read(name) for name in before.namelist()}
    for name in rng.sample(sorted(members), k=min(len(members), rng.choice((1, 1, 2)))):
        members[name] = mutated(rng, members[name], list(members.values()))
    if rng.random() < 0.1:
        members.pop(rng.choice(sorted(members)))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as after:
        for name, member in members.items():
            after.writestr(name, member)
    return made.getvalue()


def tree(rng, value):
    """What JSON holds, with one to three of its parts exchanged, left out or doubled."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(value))
        if not places:
            return deepcopy(rng.choice(JSON))
        holder, key = rng.choice(places)
        match rng.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 2:
                holder[key] = rng.choice(places)[0]
                value = json.loads(_flat(value))
            case 3 if type(holder[key]) in (int, float) and abs(holder[key]) < 1e300:
                holder[key] = rng.choice((holder[key] + 1, -holder[key], holder[key] * 2, float(holder[key]), str(holder[key])))
            case _:
                holder[key] = deepcopy(rng.choice(JSON))
    return value


def _flat(value):
    """As text; a value that has come to hold itself is cut off."""
    try:
        return json.dumps(value)
    except ValueError:
        return "[]"


def _places(value):
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])
