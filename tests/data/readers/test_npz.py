"""NumPy's archives, dense and sparse."""

import io
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from novikoff.data.features import Numbered
from novikoff.data.readers import open, read
from novikoff.data.sources import ReadError
from novikoff.proof.independent_parsers import PlainError, read_plainly

X = np.array([[0, 1.5], [2, 0], [0, 0]])


def saved(path, **arrays):
    np.savez_compressed(path, **arrays)
    return path


def saved_sparse(path, matrix, y):
    """What `scipy.sparse.save_npz` writes, and y beside it."""
    buffer = io.BytesIO()
    sp.save_npz(buffer, matrix)
    buffer.seek(0)
    np.savez(path, **dict(np.load(buffer)), y=y)
    return path


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int8, ">f8"])
def test_dense(tmp_path, kind):
    path = saved(tmp_path / "data.npz", X=np.asfortranarray(X.astype(kind)), y=[1, 0, 1])
    found = read(path)
    assert (X.astype(kind) == found.X).all()
    assert found.X.dtype == np.float64
    assert found.X.dtype.isnative
    assert found.X.flags.c_contiguous
    assert found.y.tolist() == [1, 0, 1]
    assert found.names is None
    rows, labels, width = read_plainly(path)
    assert (rows == found.X).all()
    assert labels.tolist() == [1, 0, 1]
    assert width == 2


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_sparse(tmp_path, make):
    path = saved_sparse(tmp_path / "data.npz", make(X), ["a", "b", "a"])
    for rows, labels in (read(path)[:2], read_plainly(path)[:2]):
        assert isinstance(rows, sp.csr_array)
        assert rows.dtype == np.float64
        assert (rows.toarray() == X).all()
        assert labels.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("y", "labels", "kind"),
    [
        (np.array([True, False, True]), [1, 0, 1], "i"),
        (np.array([1.0, -1.0, 1.0], np.float32), [1, -1, 1], "i"),
        (np.array([1.5, -0.0, 1.0]), [1.5, 0, 1], "f"),
        (np.array(["+1", "1", " -1 "]), [1, 1, -1], "i"),
        (np.array([b"yes", b"no", b"yes"]), ["yes", "no", "yes"], "U"),
        (np.array([3, 2, 255], np.uint8), [3, 2, 255], "i"),
    ],
)
def test_labels(tmp_path, y, labels, kind):
    path = saved(tmp_path / "data.npz", X=X, y=y)
    for found in (read(path).y, read_plainly(path)[1]):
        assert found.tolist() == labels
        assert found.dtype.kind == kind


def test_found_without_a_name(tmp_path):
    saved(tmp_path / "data.npz", X=X, y=[1, 0, 1])
    path = (tmp_path / "data.npz").rename(tmp_path / "data")
    assert (read(path).X == X).all()
    assert (read_plainly(path)[0] == X).all()


def broken_csr(column, twice=False):
    matrix = sp.csr_array(X)
    matrix.indices = np.array([0, 0] if twice else [1, column], np.int32)
    if twice:
        matrix.indptr = np.array([0, 2, 2, 2], np.int32)
    return matrix


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"X": X}, "has no array y"),
        ({"y": [1, 0, 1]}, "has no array X"),
        ({"X": X, "y": [1, 0]}, "X has the shape (3, 2) and y (2,)"),
        ({"X": X[0], "y": [1, 0]}, "X has the shape (2,)"),
        ({"X": X, "y": [[1], [0], [1]]}, "and y (3, 1)"),
        ({"X": X[:0], "y": []}, "has no rows"),
        ({"X": X[:, :0], "y": [1, 0, 1]}, "X has no columns"),
        ({"X": X * np.nan, "y": [1, 0, 1]}, "X[0, 0] is nan, which is not finite"),
        ({"X": X + 1j, "y": [1, 0, 1]}, "X has the type complex128"),
        ({"X": X.astype(str), "y": [1, 0, 1]}, "X has the type"),
        ({"X": X, "y": [1, np.nan, 1]}, "y[1] is nan, which is not a valid class"),
        ({"X": X, "y": [1, 2**60, 1]}, "y[1] is 1152921504606846976"),
        ({"X": X, "y": ["a", "", "b"]}, "y[1]: the label is missing"),
        ({"X": X, "y": [b"a", b"\xff", b"b"]}, "not valid text"),
        ({"X": X, "y": np.array([1, None, 2], object)}, "not an archive of plain arrays"),
        ({"X": X.astype(object), "y": [1, 0, 1]}, "not an archive of plain arrays"),
        ({"format": "csr", "y": [1, 0, 1]}, "stored as 'csr'"),
        ({"format": b"csr", "y": [1, 0, 1]}, "not an archive of plain arrays"),
    ],
)
def test_refused(tmp_path, arrays, said):
    path = saved(tmp_path / "data.npz", **arrays)
    with pytest.raises(ReadError) as caught:
        read(path)
    assert said in str(caught.value)
    assert "data.npz" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(PlainError):
        read_plainly(path)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (sp.dia_array(X), "stored as b'dia'; save it as CSR"),
        (broken_csr(7), "the CSR matrix is broken: indices["),
        (broken_csr(-1), "the CSR matrix is broken: indices["),
        (broken_csr(0, twice=True), "stored twice"),
        (sp.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(3, 2)), "stored twice"),
        (sp.csr_array(X * np.where(X == 2, np.inf, 1)), "X[1, 0] is inf"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_sparse_refused(tmp_path, matrix, said):
    if np.isnan(matrix.data).any():
        matrix.data = np.nan_to_num(matrix.data, nan=1.5)
    path = saved_sparse(tmp_path / "data.npz", matrix, [1, 0, 1])
    with pytest.raises(ReadError) as caught:
        read(path)
    assert said in str(caught.value)
    with pytest.raises(PlainError):
        read_plainly(path)


def test_damaged(tmp_path):
    path = saved(tmp_path / "data.npz", X=X, y=[1, 0, 1])
    whole = path.read_bytes()
    np.save(tmp_path / "one.npy", X)
    one = (tmp_path / "one.npy").read_bytes()
    for content in (b"", b"PK", b"1,2,3\n", one, whole[:-30], whole[: len(whole) // 2], whole[:60] + b"\xaa" * 20 + whole[80:]):
        path.write_bytes(content)
        with pytest.raises(ReadError, match="is not an archive of plain arrays"):
            read(path)
        with pytest.raises(PlainError):
            read_plainly(path)
    path.write_bytes(whole)
    with pytest.raises(ReadError, match="leave the label column out"):
        read(path, label="y")
    with pytest.raises(PlainError):
        read_plainly(path, "y")


def test_labels_may_lack_where_they_are_to_be_predicted(tmp_path):
    path = saved(tmp_path / "data.npz", X=X)
    found = open(path, unlabelled=True).read()
    assert (found.X == X).all()
    assert found.y.tolist() == ["", "", ""]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("known", "columns"), [(Numbered(0, 1), [0]), (Numbered(0, 4), [0, 1, None, None]), (Numbered(1, 0, [9, 2]), [None, 1])]
)
def test_a_model_keeps_its_columns(tmp_path, make, known, columns):
    known.frozen = True
    path = (
        saved_sparse(tmp_path / "d.npz", make(X), [1, 0, 1])
        if sp.issparse(make(X))
        else saved(tmp_path / "d.npz", X=X, y=[1, 0, 1])
    )
    found = open(path, features=known).read().X
    found = found.toarray() if sp.issparse(found) else found
    assert found.T.tolist() == [[0.0] * 3 if j is None else X[:, j].tolist() for j in columns]


def test_wider_and_wider_files(tmp_path):
    paths = [saved(tmp_path / "a.npz", X=X[:, :1], y=[1, 0, 1]), saved(tmp_path / "b.npz", X=X, y=[1, 0, 1])]
    assert read(paths).X.tolist() == [[0, 0], [2, 0], [0, 0], *X.tolist()]


def test_very_wide_sparse_rows(tmp_path):
    wide = sp.csr_array(([1.0, 2.0], ([0, 1], [3, 2**24])), shape=(2, 2**24 + 1))
    found = read(saved_sparse(tmp_path / "d.npz", wide, [0, 1])).X
    assert found.shape == wide.shape
    assert (found != wide).nnz == 0


@pytest.mark.parametrize("name", ["X", "y"])
def test_members_that_are_no_arrays_are_refused(tmp_path, name):
    path = tmp_path / "d.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for member, array in {"X": X, "y": np.array([1, 0, 1])}.items():
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(f"{member}.npy", b"no array" if member == name else content.getvalue())
    with pytest.raises(ReadError, match=f"{name} is not an array"):
        read(path)
    with pytest.raises(PlainError, match="X or y is no array"):
        read_plainly(path)


def test_labels_of_characters_that_are_none_are_refused(tmp_path):
    y = np.frombuffer(np.array([97, 2**31 - 1, 98], np.uint32).tobytes(), "U1")
    path = saved(tmp_path / "d.npz", X=X, y=y)
    with pytest.raises(ReadError, match="not valid text; save them as text"):
        read(path)
    with pytest.raises(PlainError, match="characters that no text has"):
        read_plainly(path)


@pytest.mark.parametrize("shape", [(2**51, 0), (2**51, 0, 3), (0,)])
def test_a_shape_alone_takes_no_memory(tmp_path, shape):
    np.savez(tmp_path / "a.npz", X=np.zeros(shape))
    with pytest.raises(ReadError, match="X has"):
        open(tmp_path / "a.npz", unlabelled=True).read()
