"""Systems of constraints from MPS files, the format in which linear programs are exchanged. HiGHS reads them."""

import re
from collections.abc import Callable, Iterable
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from novikoff.data.opening import opened
from novikoff.data.sources import ReadError, Source
from novikoff.foundation.array_types import Array
from novikoff.foundation.atomic_files import scratch
from novikoff.foundation.matrix_checks import checked
from novikoff.proof.independent_constraint_parsers import integers_remark

PLACES = 80  # characters of a line in which everything has its place
PIECE = 127  # characters of a line that HiGHS reads at a time
WORDS = {"ROWS": (2,), "COLUMNS": (3, 5), "RHS": (2, 3, 4, 5), "RANGES": (2, 3, 4, 5), "BOUNDS": (2, 3, 4)}  # of a line
OTHERS = "NAME OBJSENSE ENDATA QUADOBJ QMATRIX QSECTION QCMATRIX SOS SOS1 SOS2 CSECTION INDICATORS LAZYCONS USERCUTS MODELCUTS"
SECTIONS = {*WORDS, *OTHERS.split()}
NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][+-]?[0-9]+)?|[+-]?(?i:inf|infinity)")
MARKER = re.compile(rb"\s*\S+\s+'MARKER'\s+('INTORG'|'INTEND')")


class Mps(NamedTuple):
    """lower ≤ A·x ≤ upper; `bounds` has a pair for each column. `remarks` are sentences on what is not as in the file."""

    A: sp.csr_array
    lower: Array
    upper: Array
    bounds: Array
    row_names: list[str]
    column_names: list[str]
    remarks: list[str]


def read_mps(path: str | PathLike[str]) -> Mps:
    """The constraints of an MPS file, packed or not. The objective is left out, and no column need be a whole number."""
    with opened(fspath(path)) as source:
        return mps_of(source)


def mps_of(source: Source) -> Mps:
    import highspy  # where it is needed

    name = source.name
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    # HiGHS goes by how a name ends, and says what it makes of a file in a log.
    with scratch() as folder:
        plain, log = folder / "plain.mps", folder / "log"
        try:
            with plain.open("wb") as file:
                file.writelines(_well_formed(name, (_line(name, line) for line in source.file)))
        except OSError as error:
            raise ReadError(f"{name}: cannot be put into a temporary file ({error.strerror}); free some space") from None
        if not plain.stat().st_size:
            raise ReadError(f"{name}: is empty; give an MPS file")
        options: dict[str, bool | float | str] = {"log_to_console": False, "log_file": str(log)}
        options |= {"small_matrix_value": 1e-12, "large_matrix_value": np.inf}
        for option, value in options.items():
            highs.setOptionValue(option, value)
        status = highs.readModel(str(plain))
        said = log.read_text(errors="replace").splitlines() if log.exists() else []
    model = highs.getLp()
    if status == highspy.HighsStatus.kError or not model.num_row_ + model.num_col_:
        raise ReadError(f"{name}: is not an MPS file that describes a system, or it is damaged; check it")
    kinds = list(model.integrality_)
    unlike = sum(kind not in (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger) for kind in kinds)
    if unlike:
        raise ReadError(f"{name}: {unlike} of its columns are semi-continuous, which is no linear constraint")
    whole = kinds.count(highspy.HighsVarType.kInteger)
    remarks = ["the objective is left out"] if np.any(model.col_cost_) or model.offset_ else []
    remarks += integers_remark(whole)
    remarks += [f"HiGHS says: {' '.join(line.split()[1:])}" for line in said if line.startswith("WARNING:")]
    matrix, shape = model.a_matrix_, (model.num_row_, model.num_col_)
    return Mps(
        checked(sp.csc_array((np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)), shape)).tocsr(),
        np.array(model.row_lower_),
        np.array(model.row_upper_),
        np.stack([model.col_lower_, model.col_upper_], axis=1),
        _names(lambda: model.row_names_, model.num_row_),
        _names(lambda: model.col_names_, model.num_col_),
        remarks,
    )


def _well_formed(name: str, lines: Iterable[bytes]) -> list[bytes]:
    """The lines, if each has as many words as its section wants, or else all have their fields in the places of the fixed format.

    HiGHS takes a file with one line of other words for the fixed format, and reads it wrongly, or crashes, if it is not.
    """
    kept, section = list(lines), ""
    odd, misplaced = 0, 0  # the numbers of the first such lines, from 1
    for number, line in enumerate(kept, 1):
        if begins := _begun(line):
            section = begins
        elif line.strip() and section in WORDS and not MARKER.match(line):
            odd = odd or number * (len(line.split()) not in WORDS[section])
            misplaced = misplaced or number * (not _has_places(section, line))
    if odd and misplaced:
        words = kept[odd - 1].decode("ascii", "replace").split()
        many = f"{len(words)} word{'s' * (len(words) != 1)}"
        raise ReadError(
            f"{name}: a line of {_section_of(kept, odd)} has {many} ({' '.join(words)[:40]!r}), "
            "and the file is not in the fixed format either; correct the line"
        )
    return kept


def _begun(line: bytes) -> str:
    """The section that begins with this line; empty if none does."""
    word = line.split()[0].decode("ascii", "replace").upper() if line[:1].strip() else ""
    return word if word in SECTIONS else ""


def _section_of(lines: list[bytes], number: int) -> str:
    """The section of this line, counted from 1."""
    return next(section for line in lines[number - 1 :: -1] if (section := _begun(line)))


def _has_places(section: str, line: bytes) -> bool:
    """Whether the fields are where the fixed format has them: the numbers, if the section has some."""
    if section == "ROWS":
        return bool(line[1:3].strip() and line[4:12].strip())
    numbers = [line[24:36].strip(), line[49:61].strip()]
    wanted = [section != "BOUNDS" or bool(numbers[0]), bool(line[36:61].strip())]
    return all(bool(NUMBER.fullmatch(number)) for number, needed in zip(numbers, wanted, strict=True) if needed)


def _line(name: str, line: bytes) -> bytes:
    """As HiGHS can read it. Where names have spaces, it counts characters: an empty line and one of 127 keep it reading for
    ever, and it looks for numbers and for the second word of a marker in their places, beyond the end of the line if need be.
    """
    text = line.rstrip()
    if not text or text.startswith(b"*"):
        return b""
    if b"\0" in text:
        raise ReadError(f"{name}: a line has a zero byte, which no text has; check the file's kind")
    if marker := MARKER.fullmatch(text):
        text = b"    MARKER    'MARKER'                 " + marker[1]
    elif b"'MARKER" in text:
        raise ReadError(f"{name}: a line has 'MARKER' in it and is no marker; check it")
    text = text.ljust(PLACES)
    return text + (b" \n" if len(text) % PIECE == 0 else b"\n")


def _names(given: Callable[[], Any], number: int) -> list[str]:
    """The names, or numbers where they are not UTF-8, as where HiGHS cut one short."""
    try:
        return list(given())
    except UnicodeDecodeError:
        return [str(k) for k in range(number)]
