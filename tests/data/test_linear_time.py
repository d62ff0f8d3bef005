"""Everything that reads is linear in its input, whatever the input.

Each shape is a file that a reader might stumble over: eight times as much of it takes at most twenty times as long, in time of
the processor. What is linear takes eight times as long; what is quadratic, 64 times, at sizes where the quadratic part dominates.
A measurement may be disturbed, so there are three.
"""

import gc
import io
import os
import threading
import time
from contextlib import suppress
from itertools import chain

import pytest

from novikoff.data import sources
from novikoff.data.mail_text import text_of
from novikoff.data.readers import csv as tables
from novikoff.data.readers import open as opened
from novikoff.data.readers import read
from novikoff.data.sources import Source
from novikoff.proof.certificate_files import from_json
from novikoff.proof.independent_constraint_parsers import read_constraints_plainly
from novikoff.proof.independent_parsers import read_plainly
from novikoff.solve.constraint_files import read_constraints

SIZE = 15_000  # bytes
TIMES, MOST, BESIDE = 8, 20, 0.05  # so much larger, so much slower at most, but for so many seconds


def reading(format=None, **options):
    return lambda path: read(path, format=format, skip_bad_lines=True, **options)


DOORS = {
    "found": reading(),
    "svmlight": reading("svmlight"),
    "csv": reading("csv"),
    "gaps": reading("csv", prepared=True),
    "vw": reading("vw"),
    "text": reading("text"),
    "runs": reading("text", words=2, characters=3),
    "jsonl": reading("jsonl"),
    "mbox": reading("mail", unlabelled=True),
    "message": lambda path: text_of(path.read_bytes()),
    "plain": read_plainly,
    "constraints": read_constraints,
    "plain constraints": read_constraints_plainly,
    "certificate": lambda path: from_json(path.read_text("latin-1")),
}
TEXT = ("found", "svmlight", "csv", "vw", "text", "jsonl", "plain")
TABLES = ("found", "csv", "gaps", "plain")
SYSTEMS = ("constraints", "plain constraints")


def lines(line, each=lambda i: i):
    """So many lines, numbered, as have the size."""
    return lambda n: b"".join(line % each(i) for i in range(n // len(line % each(1000))))


def repeated(what, before=b"", after=b""):
    return lambda n: before + what * (n // len(what)) + after


def names(n, name=b"n%d"):
    return [name % i for i in range(n // 8)]


def table(n, header, *rows):
    """A table with a column for each name, and a label."""
    return b"\n".join(b",".join([*row, b"y"]) for row in (header, *([row] * len(header) for row in rows))) + b"\n"


def twice(features):
    """A line of JSON that has the last feature twice."""
    return b'{"label":1,"features":{%s}}' % b",".join(b'"%s":1' % name for name in [*features, features[-1]])


MAIL, HTML = b"From: a\n", b"From: a\nContent-Type: text/html\n\n"
MPS = b"NAME a\nROWS\n G r\nCOLUMNS\n"
LP = b"min\n obj: x\nst\n"

SHAPES = {
    # of every reader
    "newlines": (repeated(b"\n"), (*TEXT, *SYSTEMS)),
    "spaces": (repeated(b" "), (*TEXT, *SYSTEMS)),
    "spaces and a table": (repeated(b" ", after=b"\n1,2\n3,4\n"), (*TEXT, *SYSTEMS)),
    "tabs": (repeated(b"\t"), (*TEXT, *SYSTEMS)),
    "returns": (repeated(b"\r"), (*TEXT, *SYSTEMS)),
    "digits": (repeated(b"1"), (*TEXT, *SYSTEMS)),
    "zero bytes": (repeated(b"\0"), (*TEXT, *SYSTEMS)),
    "no UTF-8": (repeated(b"\xff\n"), (*TEXT, *SYSTEMS)),
    "blank lines": (repeated(b"  \r\n", after=b"1,2\n3,4\n"), (*TEXT, *SYSTEMS)),
    "words": (repeated(b"1 "), (*TEXT, *SYSTEMS)),
    "a label, a tab and words": (repeated(b"bb ", b"a\t"), TEXT),
    "a label, a tab, words and a tab": (repeated(b"bb ", b"a\t", b"\t"), TEXT),
    "a label and spaces": (repeated(b" ", b"a", b"1:1"), TEXT),
    # labels
    "bad labels": (lines(b"1e%d 1:1\n", lambda i: i + 400), ("found", "svmlight")),
    "bad labels of texts": (lines(b"1e%d\tab cd\n", lambda i: i + 400), ("found", "text")),
    "bad labels of vw": (lines(b"1e%d |a b\n", lambda i: i + 400), ("found", "vw")),
    "bad labels of a table": (lines(b"1,2,1e%d\n", lambda i: i + 400), ("found", "csv")),
    "bad labels of JSON": (lines(b'{"features":{"a":1},"label":"1e%d"}\n', lambda i: i + 400), ("found", "jsonl")),
    "labels that are no text": (lines(b"\xff%d 1:1\n"), ("svmlight",)),
    "labels": (lines(b"a%d 1:1\n"), ("found", "svmlight", "plain")),
    "a long number as a label": (lambda n: b"1" * n + b"x 1:1\n", ("svmlight", "plain")),
    # svmlight
    "bad pairs": (lines(b"1 %d:x\n"), ("svmlight",)),
    "pairs": (lambda n: b"1 " + b" ".join(b"%d:1" % i for i in range(1, n // 8)), ("found", "svmlight", "plain")),
    "pairs that fall": (lambda n: b"1 " + b" ".join(b"%d:1" % i for i in range(n // 8, 0, -1)), ("svmlight", "plain")),
    "huge indices": (lines(b"1 %d:1\n", lambda i: (i + 1) * 10**10), ("svmlight", "plain")),
    "one index": (repeated(b"1:1 ", b"1 "), ("svmlight", "plain")),
    "a long number": (lambda n: b"1 1:" + b"1" * n + b"x\n", ("svmlight", "plain")),
    "long numbers": (repeated(b"1 1:0.12345678901234567890123\n"), ("svmlight", "plain")),
    "comments": (repeated(b"# a\n", after=b"1 1:1\n"), ("found", "svmlight", "plain")),
    "a comment": (repeated(b"#", b"1 1:1 "), ("svmlight", "plain")),
    "a query": (repeated(b"a", b"1 qid:"), ("found", "svmlight", "plain")),
    # tables
    "a header": (lambda n: table(n, names(n), b"1", b"2"), TABLES),
    "a header with a name twice": (lambda n: table(n, [*names(n), names(n)[-1]], b"1", b"2"), TABLES),
    "a header of names with =": (lambda n: table(n, names(n, b"n%d=n"), b"1", b"2"), TABLES),
    "columns of words": (lambda n: b"a," + b"\n1,".join(table(n, names(n), b"w", b"v").splitlines()) + b"\n", TABLES),
    "words and numbers": (lambda n: table(n, [*names(n), *[b"1"] * (n // 8)], b"1", b"2"), TABLES),
    "a name of =": (lambda n: b"a" + b"=" * n + b",b,y\nw,1,1\nv,2,0\n", TABLES),
    "rows that are too short": (lambda n: b",".join([b"1"] * (n // 4)) + b"\n" + b"1\n" * (n // 4), TABLES),
    "rows with a word": (repeated(b"1,x,3\n", b"1,2,3\n" * 100), TABLES),
    "categories": (lines(b"w%d,1,2\n"), TABLES),
    "quotes": (repeated(b'"'), TABLES),
    "fields of two lines": (repeated(b'1,"a\nb",2\n', b"a,b,c\n"), TABLES),
    "gaps": (repeated(b"NA,,?\n", b"a,b,c\n1,x,2\n"), TABLES),
    "quoted names": (repeated(b'"a",', after=b"1\n"), TABLES),
    "a quoted field of lines": (repeated(b"\n", b'a,b\n1,"', b'"\n'), TABLES),
    "quotes that do not end": (repeated(b'"a', after=b"\n1,2\n"), TABLES),
    # Vowpal Wabbit and texts
    "bars": (repeated(b"|", b"1 "), ("found", "vw", "plain")),
    "namespaces": (repeated(b"|a ", b"1 "), ("found", "vw", "plain")),
    "a long namespace": (lambda n: b"1 |" + b"a" * (n // 2) + b" b" * (n // 4), ("found", "vw", "plain")),
    "bad lines of vw": (repeated(b"1 |a b:1x\n"), ("found", "vw", "plain")),
    "long numbers of vw": (repeated(b"b:0.12345678901234567890123 ", b"1 |a "), ("vw",)),
    "texts without a tab": (repeated(b"bb cc\n"), ("text",)),
    "texts": (lines(b"a\tw%d v%d\n", lambda i: (i, i)), ("text", "runs", "plain")),
    "a long word": (repeated(b"a", b"a\t"), ("text", "runs")),
    "odd capitals": (lambda n: b"a\t" + "İ".encode() * (n // 2), ("text", "runs")),
    # JSON
    "a feature twice": (lambda n: twice(names(n)), ("jsonl",)),
    "features": (lines(b'{"label":1,"features":{"n%d":1}}\n'), ("found", "jsonl")),
    "nested lists": (repeated(b"[", b'{"features":'), ("jsonl", "certificate")),
    "nested objects": (repeated(b'{"a":', b'{"features":'), ("jsonl", "certificate")),
    "a long number of JSON": (repeated(b"1", b'{"features":{"a":'), ("jsonl", "certificate")),
    "spaces and JSON": (repeated(b" ", after=b'{"features":{"a":1},"label":1}'), ("found", "jsonl", "plain", "certificate")),
    "no JSON": (repeated(b'{"\n'), ("found", "jsonl")),
    "escapes": (repeated(b"\\u0041", b'{"features":{"'), ("jsonl", "certificate")),
    # mail
    "empty messages": (repeated(b"From a\n\n"), ("found", "mbox")),
    "a header's lines": (repeated(b" a\n", b"Subject: a\n"), ("mbox", "message")),
    "headers": (repeated(b"Subject: a\n"), ("mbox", "message")),
    "encoded words": (repeated(b"=?utf-8?b?YWJj?= ", b"Subject: "), ("message",)),
    "brackets": (repeated(b"(", b"From: "), ("message",)),
    "addresses": (repeated(b"a@b,", b"From: "), ("message",)),
    "parameters": (lambda n: MAIL + b"Content-Type: text/plain" + lines(b";\n a*%d=b")(n) + b"\n\nb", ("message",)),
    "parts": (repeated(b"--a\n\nb\n", MAIL + b"Content-Type: multipart/mixed; boundary=a\n\n"), ("message",)),
    "nested parts": (
        lambda n: MAIL + lines(b"Content-Type: multipart/mixed; boundary=a%d\n\n--a%d\n", lambda i: (i, i))(n),
        ("message",),
    ),
    "nested messages": (repeated(b"Content-Type: message/rfc822\n\n", MAIL), ("message",)),
    "base64": (repeated(b"YWJj\n", MAIL + b"Content-Transfer-Encoding: base64\n\n"), ("message",)),
    "quoted-printable": (repeated(b"=\n", MAIL + b"Content-Transfer-Encoding: quoted-printable\n\n"), ("message",)),
    "tags that do not end": (repeated(b"<a", HTML), ("message",)),
    "comments that do not end": (repeated(b"<!--", HTML), ("message",)),
    "styles that do not end": (repeated(b"<style>", HTML), ("message",)),
    "links without an address": (repeated(b"href = ", HTML + b"<a ", b">"), ("message",)),
    "slashes": (repeated(b"/", HTML + b"<a href=", b">"), ("message",)),
    "ampersands": (repeated(b"&", HTML), ("message",)),
    "no mail": (repeated(b"X:\n"), ("found", "plain")),
    # constraints
    "stars": (repeated(b" *a\n"), SYSTEMS),
    "spaces and MPS": (repeated(b" \n", after=b"NAME"), SYSTEMS),
    "rows of MPS": (lambda n: MPS.replace(b" G r\n", lines(b" G r%d\n")(n)) + b" c r1 1\nRHS\nENDATA\n", SYSTEMS),
    "columns of MPS": (lambda n: MPS + lines(b" c%d r 1\n")(n) + b"RHS\nENDATA\n", SYSTEMS),
    "a long marker": (lambda n: MPS + b" " * n + b"'MARKER'" + b" " * n + b"\nENDATA\n", SYSTEMS),
    "a long number of MPS": (lambda n: MPS + b" c r " + b"1" * n + b"x\nRHS\nENDATA\n", SYSTEMS),
    "terms of LP": (lambda n: LP + b" ".join(names(n, b"+ 0.2y%d")) + b" >= 1\nend\n", SYSTEMS),
    "a long sum of LP": (lambda n: b"max " + b"\n".join(names(n, b"- .5 y%d")) + b"\nst\nend\n", SYSTEMS),
    "constraints of LP": (lambda n: LP + lines(b" c%d: x >= 1\n")(n) + b"end\n", SYSTEMS),
    "bounds of LP": (lambda n: LP + b"bounds\n" + lines(b" 1 <= y%d <= 2\n")(n) + b"end\n", SYSTEMS),
    "binaries of LP": (lambda n: LP + b"bin\n" + lines(b" y%d")(n) + b"\nend\n", SYSTEMS),
    "bounds of LP in a line": (lambda n: LP + b"bounds\n" + lines(b" 1 <= y%d <= 2")(n) + b"\nend\n", SYSTEMS),
    "signs of LP": (repeated(b"- ", LP, b"x >= 1\nend\n"), SYSTEMS),
    "a long name of LP": (repeated(b"y", LP, b" >= 1\nend\n"), SYSTEMS),
    "a long number of LP": (repeated(b"1", LP, b"x >= 1\nend\n"), SYSTEMS),
    "numbers of LP": (repeated(b"1 ", LP, b"x >= 1\nend\n"), SYSTEMS),
    "spaces after a name of LP": (repeated(b" ", LP + b"y", b"z >= 1\nend\n"), SYSTEMS),
    "spaces in a word of LP": (repeated(b" ", b"min x\nsubject", b"t"), SYSTEMS),
    "subjects of LP": (repeated(b"subject ", LP), SYSTEMS),
    "comments of LP": (repeated(b"\\ a\n", after=LP + b"end"), SYSTEMS),
    "comparisons of LP": (repeated(b"1 <= ", LP), SYSTEMS),
    "signs": (repeated(b"+", after=b"x\n"), SYSTEMS),
    "numbers": (repeated(b"1 "), SYSTEMS),
    "rows": (repeated(b"1,2\n", after=b"1,x\n"), SYSTEMS),
}  # fmt: skip
LARGER = {"bad labels": 4, "bad labels of texts": 4, "bad labels of vw": 4}  # where what is quadratic is quick
WITH_DOORS = [(shape, door) for shape, (_, doors) in SHAPES.items() for door in doors]
OTHERS = [(shape, door) for shape in SHAPES for door in DOORS if (shape, door) not in WITH_DOORS]


def seconds(asked, *what):
    """The processor's, whether it is answered or refused. How long garbage is looked for depends on what else there is."""
    gc.disable()
    begun = time.process_time()
    with suppress(ValueError):  # of every reader
        asked(*what)
    taken = time.process_time() - begun
    gc.enable()
    return taken


def require_linear(asked, made, size=SIZE):
    small, large = made(size), made(TIMES * size)
    asked_once = seconds(asked, small)  # what is compiled and loaded on the way does not count
    for _ in range(3):
        least, most = seconds(asked, small), seconds(asked, large)
        if most <= MOST * least + BESIDE:
            return
    raise AssertionError(f"{size:,} bytes took {least:.3f} s, {TIMES} times as many {most:.3f} s ({asked_once:.3f} s at first)")


def check(tmp_path, shape, door):
    def made(size):
        path = tmp_path / str(size)
        path.write_bytes(SHAPES[shape][0](size))
        return path

    require_linear(DOORS[door], made, LARGER.get(shape, 1) * SIZE)


@pytest.mark.parametrize(("shape", "door"), WITH_DOORS)
def test_what_is_read_is_read_in_linear_time(tmp_path, shape, door):
    check(tmp_path, shape, door)


@pytest.mark.full
@pytest.mark.parametrize(("shape", "door"), OTHERS)
def test_what_is_read_by_another_reader_is_read_in_linear_time(tmp_path, shape, door):
    check(tmp_path, shape, door)


@pytest.mark.parametrize("piped", [False, True])
def test_a_line_of_many_chunks_is_read_in_linear_time(monkeypatch, piped):
    monkeypatch.setattr(sources, "CHUNK", 64)
    monkeypatch.setattr(sources, "PEEK", 64)

    def all_chunks(content):
        if not piped:
            return sum(chunk.length for chunk in Source("a", "", io.BufferedReader(io.BytesIO(content))).chunks())
        end, begin = os.pipe()

        def write():
            with os.fdopen(begin, "wb") as file:
                file.write(content)

        thread = threading.Thread(target=write)
        thread.start()
        with io.BufferedReader(io.FileIO(end), 64) as file:
            length = sum(chunk.length for chunk in Source("a", "", file).chunks())
        thread.join()
        return length

    assert all_chunks(b"a" * 1000 + b"\n" + b"b" * 1000) == 2001
    require_linear(all_chunks, lambda n: b"a" * 10 * n)


@pytest.mark.parametrize("label", [b"a%d", b"%d"])
def test_labels_of_many_blocks_are_told_in_linear_time(tmp_path, monkeypatch, label):
    monkeypatch.setattr(tables, "FIELDS", 64)
    path = tmp_path / "a.csv"

    def all_labels(content):
        path.write_bytes(content)
        return [block.y.tolist() for block in opened(path)]

    told = all_labels(b"".join(b"1,2," + label % i + b"\n" for i in range(100)))
    assert list(chain(*told)) == [i if label == b"%d" else f"a{i}" for i in range(100)]
    require_linear(all_labels, lambda n: b"".join(b"1,2," + label % i + b"\n" for i in range(n // 10)))
