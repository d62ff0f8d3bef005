# ruff: noqa: E501  # lines of the verifier, and what they are turned into
"""A verifier that is broken in one place is noticed. Each mutant turns a comparison, loosens a bound or leaves out a check.

A mutant is a copy of the package with one replacement in one file; the tests named here are run against it, and must fail.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff

PACKAGE, TESTS = Path(novikoff.__file__).parent, Path(__file__).parent
VERIFY, EXACT, EXACT_MANY, EXACT_CONSTRAINTS, EXACT_KERNELS, RATIONAL, FINGERPRINT = (
    f"proof/{name}.py"
    for name in ("verify", "exact", "exact_many_classes", "exact_constraints", "exact_kernels", "rational_matrix", "fingerprint")
)
TWO, MANY, SHARDS, KERNELS, CONSTRAINTS = (
    f"proof/claims/{name}.py" for name in ("two_classes", "many_classes", "shards", "through_kernels", "constraints")
)
QUASI = "proof/claims/quasi_separation.py"
MUTANTS = [
    # labels
    (VERIFY, "if name is not None and code not in occurring:", "if False:"),
    (VERIFY, "if (found < 0).any():", "if False:"),
    (VERIFY, "if found != data.fingerprint:", "if False:"),
    # a separator, and the lower end of its margin
    (TWO, "    if not least > 0:\n        raise RejectedError(f\"row {row} is not on its own side of",
     "    if not least >= 0:\n        raise RejectedError(f\"row {row} is not on its own side of"),
    (MANY, "    if not least > 0:\n        raise RejectedError(f\"row {row} does not have",
     "    if not least >= 0:\n        raise RejectedError(f\"row {row} does not have"),
    (TWO, "if least**2 < Fraction(low) ** 2 * square:", "if least**2 * 2 < Fraction(low) ** 2 * square:"),
    (TWO, "    if lower_end(low) and not square:", "    if False:"),
    (TWO, "square = w.sqnorm_of_columns if isinstance(certificate.hull, Hulls) else w.sqnorm", "square = w.sqnorm_of_columns"),
    (TWO, "square = w.sqnorm_of_columns if isinstance(certificate.hull, Hulls) else w.sqnorm", "square = w.sqnorm"),
    (MANY, "or least < lower_end(low) * norm_above(whole):", "or least * (1 + Fraction(1, 10**9)) < lower_end(low) * norm_above(whole):"),
    (MANY, "        if least**2 < Fraction(low) ** 2 * squares:", "        if least**2 <= Fraction(low) ** 2 * squares:"),
    (TWO, "if not z.fit_intercept and certificate.intercept != 0:", "if False:"),
    (MANY, "if not many.fit_intercept and b.any():", "if False:"),
    # the upper end
    (TWO, "if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:", "if high < inf and z.sqnorm_of(hull) > Fraction(high):"),
    (TWO, "if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:", "if high < inf and z.sqnorm_of(hull) >= Fraction(high) ** 2:"),
    (TWO, "z.norm_above(hull) <= high:", "z.norm_above(hull) * (1 - 1e-9) <= high:"),
    (TWO, "    if isinstance(hull, Hulls) and not z.fit_intercept:", "    if False:"),
    (TWO, "        if (z.signs(side.rows) != sign).any():", "        if False:"),
    (TWO, "if not all(0 <= multiplier < inf for multiplier in multipliers):", "if False:"),
    (TWO, "if not any(multipliers):", "if False:"),
    (TWO, "    if len(set(rows)) < len(rows):\n        raise RejectedError(\"a row is named twice\")\n", ""),
    (TWO, "    if not all(0 <= row < len(z) for row in rows):", "    if not all(0 <= row <= len(z) for row in rows):"),
    # rows that cancel out
    (TWO, "        if total:\n            where", "        if total > 0:\n            where"),
    (TWO, "if len(certificate.rows) > z.length + 1:", "if len(certificate.rows) > z.length + 2:"),
    (MANY, "or rival == many.code[row]:", "or False:"),
    (MANY, "    if len(set(zip(rows, rivals, strict=True))) < len(rows):", "    if False:"),
    # shards
    (SHARDS, "or shards > n or passes", "or passes"),
    (SHARDS, "most = (passes - bool(clean)) * (n - shards + 1)", "most = passes * (n - shards + 1)"),
    (SHARDS, "most = (passes - bool(clean)) * (n - shards + 1)", "most = (passes - bool(clean)) * n"),
    (SHARDS, "if mistakes < 1 / shards and (separable or not clean):", "if False:"),
    (SHARDS, "Fraction(mixing.mistakes) * margin_sq > (", "Fraction(mixing.mistakes) * margin_sq > 2 * ("),
    # through a kernel
    (KERNELS, "if not 0 <= tolerance < 1:", "if not 0 <= tolerance:"),
    (KERNELS, "    if z.fit_intercept and sum(signed, Fraction(0)):", "    if False:"),
    (KERNELS, "    if not values.kernel.positive:\n        raise RejectedError(f\"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper",
     "    if False:\n        raise RejectedError(f\"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper"),
    (EXACT_KERNELS, "signed * (low if signed > 0 else high) - Fraction(tolerance)", "signed * (high if signed > 0 else low) - Fraction(tolerance)"),
    (EXACT_KERNELS, "- Fraction(tolerance) * abs(a) * max(abs(low), abs(high))", ""),
    (EXACT_KERNELS, "total += signed * (high if signed > 0 else low)", "total += signed * (low if signed > 0 else high)"),
    (EXACT_KERNELS, "(reach ** (degree - 1) * doubts + 2 * EPSILON * reach**degree) + TINY", "0"),
    (EXACT_KERNELS, "doubts = (width + 8) * EPSILON * sizes + TINY", "doubts = 0 * sizes"),
    (EXACT_KERNELS, "above = (total + 2 * doubt) * (1 + 16 * EPSILON) + TINY", "above = total"),
    (EXACT_KERNELS, "        kernel.check()\n", ""),
    # constraints
    (CONSTRAINTS, "if not system.low[j] <= number <= system.high[j]:", "if not system.low[j] <= number:"),
    (CONSTRAINTS, "    if not total > 0:\n        raise RejectedError(\"the constraints cancel out", "    if not total >= 0:\n        raise RejectedError(\"the constraints cancel out"),
    (CONSTRAINTS, "            upper = (multiplier > 0) is upper_if_positive", "            upper = (multiplier < 0) is upper_if_positive"),
    (CONSTRAINTS, "            if not isfinite(ends[upper].floats[k]):", "            if False:"),
    (CONSTRAINTS, "        if left:\n            raise RejectedError(f\"the constraints do not", "        if left > 0:\n            raise RejectedError(f\"the constraints do not"),
    # objectives
    (CONSTRAINTS, "    if _objective_at(numbers, system) != value:", "    if False:"),
    (CONSTRAINTS, "        if sums.pop(j, 0) != c:", "        if sums.pop(j, 0) > c:"),
    (CONSTRAINTS, "    if total != value:", "    if total < value:"),
    (CONSTRAINTS, "    if total != value:", "    if total > value:"),
    (CONSTRAINTS, "upper_if_positive=certificate.sense == \"maximize\"", "upper_if_positive=certificate.sense == \"minimize\""),
    (CONSTRAINTS, "    _check_point(numbers, system)\n    value", "    value"),
    (CONSTRAINTS, "    _check_point(certificate.w.tolist(), system)\n    ray", "    ray"),
    (CONSTRAINTS, "    if not (gain > 0 if certificate.sense == \"maximize\" else gain < 0):", "    if not (gain >= 0 if certificate.sense == \"maximize\" else gain <= 0):"),
    (CONSTRAINTS, "(change < 0 and isfinite(low.floats[k])) or", ""),
    (CONSTRAINTS, " or (change > 0 and isfinite(high.floats[k]))", ""),
    (VERIFY, "objective = maximize if certificate.sense == \"maximize\" else minimize", "objective = maximize if maximize is not None else minimize"),
    # rational numbers
    (RATIONAL, "sign * exact[j] if j in exact else value", "value"),
    (RATIONAL, "return self.exact[k] if k in self.exact else float(self.floats[k])", "return float(self.floats[k])"),
    (FINGERPRINT, "        _correct(hashes, X)\n", "        pass\n"),
    # quasi-separation
    (QUASI, "        if not all(certificate.multipliers):", "        if False:"),
    (QUASI, "        if any(z.combined(certificate.rows, certificate.multipliers)[0].values()):", "        if False:"),
    (QUASI, "    if not fits[type(certificate)]:", "    if False:"),
    (QUASI, "    if not z.fit_intercept and certificate.intercept != 0:", "    if False:"),
    (QUASI, "        if not least > 0:", "        if not least >= 0:"),
    (QUASI, "    _check_zero(w, z, on_it, \"the weights\")\n", ""),
    (QUASI, "    if row is not None:\n        raise RejectedError(f\"a direction", "    if False:\n        raise RejectedError(f\"a direction"),
    (QUASI, "        if own & entries.keys() != {j}:", "        if False:"),
    (QUASI, "    if len(own) != len(space.columns) or len(own) != len(space.vectors)", "    if len(space.columns) != len(space.vectors)"),
    (QUASI, "or not all(entries.values()):", "or False:"),
    (QUASI, "if len(entries) != len(vector.columns) or", "if"),
    (QUASI, "        _check_zero(weights([entries.get(k, Fraction(0)) for k in range(z.length)]), z, rows, f\"{name}: a vector\")\n", ""),
    (QUASI, "    if len(space.rows) != len(others) or not among.issuperset(space.rows):", "    if len(space.rows) != len(others):"),
    (QUASI, "    if not _is_regular([_whole_row(z, i, others) for i in space.rows]):", "    if False:"),
    (QUASI, "            return _determinant(matrix) != 0", "            return False"),
    (QUASI, "    _check_null_space(certificate.collinear_in_overlap, z, rows, \"collinear_in_overlap\")\n", ""),
    (QUASI, "multiplier < 0 and not overlap[row]", "False"),
    (QUASI, "        if left.keys() != {column}:", "        if column not in left:"),
    (QUASI, "if len(rows) != len(multipliers) or len(set(rows)) < len(rows) or", "if len(rows) != len(multipliers) or"),
    (QUASI, "any(w.whole[j] > 0 for w in directions) and any(w.whole[j] < 0 for w in directions)", "any(w.whole[j] != 0 for w in directions)"),
    (QUASI, "        if shown != said:", "        if shown != said and said == \"finite\":"),
    # floats that filter
    (EXACT, "    found: Array = np.ldexp(factors, -exponent)\n", "    found: Array = factors\n    exponent = 0\n"),
    (EXACT, "    return None if (np.ldexp(found, exponent) != factors).any() else found", "    return found"),
    (EXACT, "reach = point + (1 + two) * (len(rows) + 4 + self.rounded) * EPSILON * size + TINY", "reach = point + TINY"),
    (EXACT, "part / (2 * part.sum()) if two else part", "part / (4 * part.sum()) if two else part"),
    (EXACT, "            if two and factors.min(initial=1, where=factors > 0) < FAR_FROM_SUBNORMAL:\n                return math.inf\n", ""),
    (EXACT_MANY, "    return Fraction(norm) * Fraction(2) ** exponent", "    return Fraction(math.ldexp(norm, exponent))"),
    (EXACT_MANY, "float(np.linalg.norm(np.ldexp(w, -exponent))) * (1 + (w.size + 10) * EPSILON)", "float(np.linalg.norm(np.ldexp(w, -exponent))) * (1 - 4 * EPSILON)"),
    (EXACT, "        return np.flatnonzero(~(s - doubt > limit))", "        return np.flatnonzero(~(s > limit))"),
    (EXACT, "            return (filled + 5 + self.rounded) * EPSILON * size + TINY", "            return 0.0"),
    (EXACT_MANY, "            doubt = doubt[sides, code][:, None] + doubt", "            doubt = 0 * doubt"),
    (EXACT_CONSTRAINTS, "(room >= doubt) & (doubt < math.inf)", "(room >= 0 * doubt)"),
    (EXACT_CONSTRAINTS, "        if not lower[i] <= z.score(i, w) <= upper[i]:", "        if not lower[i] <= z.score(i, w):"),
    (EXACT, "return all(self.sqnorm(i) <= Fraction(radius) ** 2 for i in may_be.tolist())", "return True"),
    (EXACT, "    return rounded if abs(rounded) > SUBNORMAL or rounded == number else math.nan", "    return rounded"),
]  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=range(len(MUTANTS)))
def test_the_line_that_a_mutant_breaks_is_there_once(mutant):
    file, whole, _ = mutant
    assert (PACKAGE / file).read_text().count(whole) == 1, f"{file} has changed: {whole}"


@pytest.mark.full
@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_broken_verifier_is_noticed(mutant, tmp_path):
    file, whole, broken = MUTANTS[mutant]
    copy = tmp_path / "novikoff"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "page"))
    source = (copy / file).read_text()
    assert source.count(whole) == 1, f"{file} has changed: {whole}"
    (copy / file).write_text(source.replace(whole, broken))
    named = [str(TESTS / f"test_{name}.py") for name in ("literal_checker", "quasi_separation_proofs", "verify", "exact")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not full", "-p", "no:cacheprovider", "-p", "no:xdist", *named]
    found = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, cwd=TESTS.parents[1]
    )
    assert found.returncode == 1, f"nobody notices: {whole!r} → {broken!r}\n{found.stdout[-2000:]}{found.stderr[-2000:]}"
