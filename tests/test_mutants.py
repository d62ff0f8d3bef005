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
VERIFICATION, EXACT, KERNELS, CERTIFICATE, LITERAL = (
    f"{name}.py" for name in ("verification", "exact", "exact_kernels", "certificate", "literal")
)
MUTANTS = [
    # labels
    (VERIFICATION, "if name is not None and code not in occurring:", "if False:"),
    (VERIFICATION, "if (found < 0).any():", "if False:"),
    (VERIFICATION, "if found != data.fingerprint:", "if False:"),
    # a separator, and the lower end of its margin
    (VERIFICATION, "    if not least > 0:\n        raise _WrongError(f\"row {row} is not on its own side of",
     "    if not least >= 0:\n        raise _WrongError(f\"row {row} is not on its own side of"),
    (VERIFICATION, "    if not least > 0:\n        raise _WrongError(f\"row {row} does not have",
     "    if not least >= 0:\n        raise _WrongError(f\"row {row} does not have"),
    (VERIFICATION, "if least**2 < _lower_end(low) ** 2 * w.sqnorm:", "if least**2 * 2 < _lower_end(low) ** 2 * w.sqnorm:"),
    (VERIFICATION, "if least < _lower_end(low) * norm_above(whole):", "if least * (1 + Fraction(1, 10**9)) < _lower_end(low) * norm_above(whole):"),
    (VERIFICATION, "        if least**2 < Fraction(low) ** 2 * squares:", "        if least**2 <= Fraction(low) ** 2 * squares:"),
    (VERIFICATION, "if not z.fit_intercept and certificate.intercept != 0:", "if False:"),
    (VERIFICATION, "if not many.fit_intercept and b.any():", "if False:"),
    # the upper end
    (VERIFICATION, "if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:", "if high < inf and z.sqnorm_of(hull) > Fraction(high):"),
    (VERIFICATION, "if high < inf and z.sqnorm_of(hull) > Fraction(high) ** 2:", "if high < inf and z.sqnorm_of(hull) >= Fraction(high) ** 2:"),
    (VERIFICATION, "z.norm_above(hull) <= high:", "z.norm_above(hull) * (1 - 1e-9) <= high:"),
    (VERIFICATION, "if not all(0 <= multiplier < inf for multiplier in multipliers):", "if False:"),
    (VERIFICATION, "if not any(multipliers):", "if False:"),
    (VERIFICATION, "    if len(set(rows)) < len(rows):\n        raise _WrongError(\"a row is named twice\")\n", ""),
    (VERIFICATION, "    if not all(0 <= row < len(z) for row in rows):", "    if not all(0 <= row <= len(z) for row in rows):"),
    # rows that cancel out
    (VERIFICATION, "        if total:\n            where", "        if total > 0:\n            where"),
    (VERIFICATION, "if len(certificate.rows) > z.length + 1:", "if len(certificate.rows) > z.length + 2:"),
    (VERIFICATION, "or rival == many.code[row]:", "or False:"),
    (VERIFICATION, "    if len(set(zip(rows, rivals, strict=True))) < len(rows):", "    if False:"),
    # shards
    (VERIFICATION, "or shards > n or passes", "or passes"),
    (VERIFICATION, "most = (passes - bool(clean)) * (n - shards + 1)", "most = passes * (n - shards + 1)"),
    (VERIFICATION, "most = (passes - bool(clean)) * (n - shards + 1)", "most = (passes - bool(clean)) * n"),
    (VERIFICATION, "if mistakes < 1 / shards and (separable or not clean):", "if False:"),
    (VERIFICATION, "Fraction(mixing.mistakes) * Fraction(low) ** 2 > (", "Fraction(mixing.mistakes) * Fraction(low) ** 2 > 2 * ("),
    # through a kernel
    (VERIFICATION, "if not 0 <= tolerance < 1:", "if not 0 <= tolerance:"),
    (VERIFICATION, "    if z.fit_intercept and sum(signed, Fraction(0)):", "    if False:"),
    (VERIFICATION, "    if not values.kernel.positive:\n        raise _WrongError(f\"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper",
     "    if False:\n        raise _WrongError(f\"the kernel {values.kernel} is not known to be positive semidefinite: there is no upper"),
    (KERNELS, "signed * (low if signed > 0 else high) - Fraction(tolerance)", "signed * (high if signed > 0 else low) - Fraction(tolerance)"),
    (KERNELS, "- Fraction(tolerance) * abs(a) * max(abs(low), abs(high))", ""),
    (KERNELS, "total += signed * (high if signed > 0 else low)", "total += signed * (low if signed > 0 else high)"),
    (KERNELS, "(reach ** (degree - 1) * doubts + 2 * EPSILON * reach**degree) + TINY", "0"),
    (KERNELS, "doubts = (width + 8) * EPSILON * sizes + TINY", "doubts = 0 * sizes"),
    (KERNELS, "above = (total + 2 * doubt) * (1 + 16 * EPSILON) + TINY", "above = total"),
    (KERNELS, "        kernel.check()\n", ""),
    # constraints
    (VERIFICATION, "if not float(system.low[j]) <= number <= float(system.high[j]):", "if not float(system.low[j]) <= number:"),
    (VERIFICATION, "    if not total > 0:\n        raise _WrongError(\"the constraints cancel out", "    if not total >= 0:\n        raise _WrongError(\"the constraints cancel out"),
    (VERIFICATION, "            end = ends[multiplier < 0][k]", "            end = ends[multiplier > 0][k]"),
    (VERIFICATION, "            if not isfinite(end):", "            if False:"),
    (VERIFICATION, "        if left:\n            raise _WrongError(f\"the constraints do not", "        if left > 0:\n            raise _WrongError(f\"the constraints do not"),
    # floats that filter
    (EXACT, "            factors = np.ldexp(given, -exponent)\n", "            factors = given\n"),
    (EXACT, "            if (np.ldexp(factors, exponent) != given).any():\n                return math.inf\n", ""),
    (EXACT, "reach = point + (len(rows) + 4) * EPSILON * size + TINY", "reach = point + TINY"),
    (EXACT, "    return Fraction(norm) * Fraction(2) ** exponent", "    return Fraction(math.ldexp(norm, exponent))"),
    (EXACT, "float(np.linalg.norm(np.ldexp(w, -exponent))) * (1 + (w.size + 10) * EPSILON)", "float(np.linalg.norm(np.ldexp(w, -exponent))) * (1 - 4 * EPSILON)"),
    (EXACT, "        return np.flatnonzero(~(s - doubt > limit))", "        return np.flatnonzero(~(s > limit))"),
    (EXACT, "            return (filled + 5) * EPSILON * size + TINY", "            return 0.0"),
    (EXACT, "            doubt = doubt[sides, code][:, None] + doubt", "            doubt = 0 * doubt"),
    (EXACT, "(room >= doubt) & (doubt < math.inf)", "(room >= 0 * doubt)"),
    (EXACT, "        if not float(lower[i]) <= score <= float(upper[i]):", "        if not float(lower[i]) <= score:"),
    (EXACT, "return all(self.sqnorm(i) <= Fraction(radius) ** 2 for i in may_be.tolist())", "return True"),
    (EXACT, "    return rounded if abs(rounded) > SUBNORMAL or rounded == number else math.nan", "    return rounded"),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_broken_verifier_is_noticed(mutant, tmp_path):
    file, whole, broken = MUTANTS[mutant]
    copy = tmp_path / "novikoff"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "page"))
    source = (copy / file).read_text()
    assert source.count(whole) == 1, f"{file} has changed: {whole}"
    (copy / file).write_text(source.replace(whole, broken))
    named = [str(TESTS / f"test_{name}.py") for name in ("literal", "verification", "exact")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not full", "-p", "no:cacheprovider", "-p", "no:xdist", *named]
    found = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, cwd=TESTS.parent
    )
    assert found.returncode == 1, f"nobody notices: {whole!r} → {broken!r}\n{found.stdout[-2000:]}{found.stderr[-2000:]}"
