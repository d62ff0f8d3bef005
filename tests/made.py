"""Files of every format, as hypothesis makes them, and what stands in them once they are read."""

import bz2
import gzip
import io
import json
import lzma
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import scipy.sparse as sp
import zstandard
from hypothesis import strategies as st

from novikoff.data import readers, sources
from novikoff.data.features import Hashed
from novikoff.data.readers import csv, npz, parquet

PACK = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}

numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["+1", "1.", ".5", "-0", "1E3", "00012.50e-02", "1e-400", "4.9406564584124654e-324"]),
)
labels = st.one_of(
    st.lists(st.sampled_from(["+1", "1", "-1", "1.0", "-1e0"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["0.5", "1", "2"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["ham", "spam", "größe", "1", "1,2"]), min_size=1, max_size=6),
)


@st.composite
def svmlight_text(draw):
    lines = []
    largest = draw(st.sampled_from([60, 60, 2**22 + 1, 2**31 + 1, 2**63 - 1]))
    index = st.one_of(st.integers(0, 60), st.integers(max(0, largest - 5), largest))
    for label in draw(labels):
        indices = draw(st.lists(index, max_size=6, unique=True))
        pairs = [f"{index}:{draw(numbers)}" for index in indices]
        query = draw(st.sampled_from([[], [], ["qid:4"]]))
        comment = draw(st.sampled_from(["", "", " # said: 1:2", "\r", "#\0"]))
        gap = draw(st.sampled_from([" ", "  ", "\t"]))
        lines += [gap.join([label, *query, *pairs]) + comment, *draw(st.sampled_from([[], [], [""], ["# x"]]))]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


words = st.sampled_from(["red", "green", "blue", "größe", "-", "a=b", "3rd", "2"])


@st.composite
def table_text(draw):
    separator = draw(st.sampled_from(",;\t"))
    width = draw(st.integers(1, 4))
    rows = []
    kinds = [draw(st.sampled_from([numbers, numbers, words, st.one_of(words, numbers)])) for _ in range(width)]
    for label in draw(labels):
        fields = [draw(kind) for kind in kinds]
        rows.append([f'"{field}"' if draw(st.booleans()) else f" {field} " for field in fields] + [f'"{label}"'])
    called = draw(st.sampled_from(["column {}", "column {}", "{}", "a=b", "column", "column=red", '"two\nlines {}"']))
    names = [called.format(j) if j or called == "{}" else "column" for j in range(width)]
    header = [[*names, "kind"]] if draw(st.booleans()) else []
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(separator.join(row) for row in header + rows) + draw(st.sampled_from(["", end]))


values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**20), 10**20), st.booleans(), words)
names = st.one_of(st.sampled_from(["a", "b", "a=b", "größe"]), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))


@st.composite
def json_rows(draw):
    rows = []
    for label in draw(
        st.one_of(labels, st.lists(st.one_of(st.integers(-3, 3), st.booleans(), st.just(0.5)), min_size=1, max_size=6))
    ):
        row = {"features": draw(st.dictionaries(names, values, max_size=5)), "label": label}
        if draw(st.booleans()):
            row["weight"] = draw(st.sampled_from([0, 1, 0.5, 3]))
        if draw(st.booleans()):
            row["id"] = [None, {"x": 1}]
        rows.append(row)
    return rows


def json_text(rows, escaped=False):
    return "".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows)


@st.composite
def arrow_tables(draw):
    n = draw(st.integers(1, 8))

    def column(kind, items):
        return pa.array(draw(st.lists(items, min_size=n, max_size=n)), kind)

    whole = st.integers(-100, 100)
    kinds = [
        lambda: column(pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
        lambda: column(pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
        lambda: column(pa.int8(), whole),
        lambda: column(pa.uint64(), st.integers(0, 2**64 - 1)),
        lambda: column(pa.bool_(), st.booleans()),
        lambda: column(pa.string(), words),
        lambda: column(pa.large_string(), words),
        lambda: column(pa.string(), words).dictionary_encode(),
        lambda: column(pa.int32(), whole).dictionary_encode(),
    ]
    columns = [draw(st.sampled_from(kinds))() for _ in range(draw(st.integers(1, 4)))]
    halves = [lambda: column(pa.float32(), whole.map(lambda k: k / 2))]
    label = draw(st.sampled_from([*halves, kinds[2], kinds[4], kinds[5], kinds[7]]))()
    return pa.table([*columns, label], [f"column {j}" for j in range(len(columns))] + ["kind"])


def parquet_bytes(table):
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer, row_group_size=3)
    return buffer.getvalue()


def arrow_bytes(table, stream):
    buffer = io.BytesIO()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return buffer.getvalue()


@st.composite
def npz_bytes(draw):
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(st.lists(st.sampled_from([0, 0, 1.5, -2.0]), min_size=d, max_size=d), min_size=n, max_size=n)))
    y = draw(st.sampled_from([np.arange(n) % 2, np.array(["a", "b"] * n)[:n], np.linspace(0, 1, n)]))
    buffer = io.BytesIO()
    if draw(st.booleans()):
        np.savez(buffer, X=X, y=y)
        return buffer.getvalue()
    sp.save_npz(buffer, sp.csr_array(X))
    buffer.seek(0)
    arrays = dict(np.load(buffer))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays, y=y)
    return buffer.getvalue()


@st.composite
def labelled_text(draw):
    said = st.one_of(
        st.lists(st.sampled_from(["buy", "now", "größe", "don't", "1:2", "🙂"]), max_size=6).map(" ".join), st.text(max_size=12)
    )
    lines = [f"{label}\t{draw(said)}".replace("\n", " ").replace("\0", " ") for label in draw(labels)]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@st.composite
def vw_text(draw):
    feature = st.sampled_from(["a", "b:2", "7", "9:0.1", "größe:-1e-3", "c:red", ":3", "d:0.12345678901234567890123"])
    space = st.sampled_from(["|", "|f", "|f:0.5", "|größe"])
    lines = []
    for label in draw(labels.filter(lambda some: "1,2" not in some)):
        head = draw(st.sampled_from([f"{label} ", f"{label} 2 ", f"{label} 0.5 0 ", f"{label} 'tag", f"{label} 1 tag"]))
        rest = [draw(space) + " " + " ".join(draw(st.lists(feature, max_size=4))) for _ in range(draw(st.integers(1, 3)))]
        lines.append(head + " ".join(rest))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@st.composite
def mbox(draw):
    body = st.lists(st.sampled_from(["hello", "", "größe", "From here", ">From", "<b>x</b>", "http://a.b/c", "=20"]), max_size=5)
    mails = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["text/plain", "text/html", "multipart/mixed; boundary=x", "image/png"]))
        lines = ["From a@b", "Subject: offer", f"Content-Type: {kind}", "", *draw(body), ""]
        mails.append("\n".join(lines))
    return "\n".join(mails) + "\n"


FILES = {
    "svm": svmlight_text().map(str.encode),
    "csv": table_text().map(str.encode),
    "jsonl": json_rows().map(json_text).map(str.encode),
    "parquet": arrow_tables().map(parquet_bytes),
    "feather": arrow_tables().map(lambda table: arrow_bytes(table, False)),
    "arrow": arrow_tables().map(lambda table: arrow_bytes(table, True)),
    "npz": npz_bytes(),
    "text": labelled_text().map(str.encode),
    "vw": vw_text().map(str.encode),
    "mbox": mbox().map(str.encode),
}


@contextmanager
def small_blocks(size):
    """As if the files were so large that they come in many blocks."""
    with (
        mock.patch.object(sources, "CHUNK", size),
        mock.patch.object(csv, "FIELDS", max(1, size // 8)),
        mock.patch.object(parquet, "FIELDS", max(1, size // 8)),
        mock.patch.object(readers, "SHOWN", 1000),
        mock.patch.object(npz, "AT_A_TIME", max(1, size // 32)),
    ):
        yield


def rows_of(found, features):
    """Of each row its features by name, its label and its weight."""
    X = sp.csr_array(found.X, copy=True)  # which may be mapped
    X.eliminate_zeros()
    assert X.has_canonical_format
    assert X.shape[0] == len(found.y)
    rows = []
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        named = {
            j if isinstance(features, Hashed) else features.name(j): x
            for j, x in zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)
        }
        rows.append((named, found.y[i].item(), 1.0 if found.weight is None else float(found.weight[i])))
    return rows


def all_rows(path, size=None, **options):
    """All rows, in blocks of that size or, without one, at once; or what the refusal says. And what is said of lines left out."""
    dataset = readers.open(path, unlabelled="mbox" in str(path), bits=16, **options)
    try:
        if size is None:
            with small_blocks(sources.CHUNK):
                return rows_of(dataset.read(), dataset.features), dataset.reading.skipped
        with small_blocks(size):
            rows = [row for block in dataset for row in rows_of(block, dataset.features)]
        return rows, dataset.reading.skipped
    except sources.ReadError as error:
        return str(error), [*dataset.reading.skipped, str(error)]
