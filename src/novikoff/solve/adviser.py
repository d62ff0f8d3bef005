"""HiGHS as an adviser of exact solvers: it proposes bases, in floats."""

import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.foundation.array_types import Array
from novikoff.proof.exact import Signed
from novikoff.solve.nearest_point import column_scales, row_scales
from novikoff.solve.objectives import Objective


class Adviser:
    """HiGHS, which proposes bases in floats. Rows and columns are scaled by powers of two, which does not change bases."""

    def __init__(self, z: Signed, objective: Objective | None = None) -> None:
        import highspy  # only when needed

        columns = column_scales(z)
        sizes = row_scales(z, columns)
        self.A = sp.csr_array(z.rows(np.arange(len(z)), columns, sizes))
        self.rows, self.width, self.units = len(z), z.length, np.concatenate([1 / columns, sizes])
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.width, self.rows
        model.col_cost_ = model.col_lower_ = model.col_upper_ = np.zeros(self.width)
        if objective is not None:
            model.col_cost_ = _about_1(-objective.sign * objective.c.floats * columns)
        model.row_lower_ = model.row_upper_ = np.zeros(self.rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = self.A.indptr, self.A.indices, self.A.data
        self.highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        options: dict[str, bool | float | str] = {
            "output_flag": False,
            "presolve": "off",
            "solver": "simplex",
            "parallel": "off",
            "threads": 1,
        }
        options |= {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        for name, value in options.items():
            self.highs.setOptionValue(name, value)
        self.highs.passModel(model)

    def proposal(self, low: Array, high: Array, until: float) -> tuple[Array, Array, int | None] | None:
        """The variables that are basic at the end, those at their upper ends, and one whose row may be a contradiction."""
        from highspy import HighsBasisStatus, HighsModelStatus, HighsStatus

        with np.errstate(over="ignore"):
            low, high = low * self.units, high * self.units
        every = np.arange(len(low), dtype=np.int32)
        self.highs.changeColsBounds(self.width, every[: self.width], low[: self.width], high[: self.width])
        self.highs.changeRowsBounds(self.rows, every[: self.rows], low[self.width :], high[self.width :])
        self.highs.setOptionValue("time_limit", max(0.0, until - time.monotonic()))
        if self.highs.run() == HighsStatus.kError:
            self.highs.setOptionValue("threads", 0)  # the number may have been set elsewhere in this process
            self.highs.run()
        infeasible = self.highs.getModelStatus() == HighsModelStatus.kInfeasible
        ray = self.highs.getDualRay()[2] if infeasible and self.highs.getDualRayExist()[1] else None
        found = self.highs.getBasis()
        status = np.array([int(s) for s in [*found.col_status, *found.row_status]])
        basic = status == int(HighsBasisStatus.kBasic)
        if not found.valid or len(status) != len(every) or basic.sum() != self.rows:
            return None
        # A ray is a row of the tableau, up to rounding: it has only one basic variable.
        suspect = None if ray is None else int(np.argmax(np.abs(np.concatenate([self.A.T @ ray, ray])) * basic))
        return basic, status == int(HighsBasisStatus.kUpper), suspect


def _about_1(cost: Array) -> Array:
    """The cost times a power of two, so that the largest is about 1. What is not finite then, HiGHS does without."""
    with np.errstate(over="ignore", invalid="ignore"):
        exponent = int(np.frexp(np.abs(cost[np.isfinite(cost)]).max(initial=0))[1])
        return np.nan_to_num(np.ldexp(cost, -exponent), nan=0.0, posinf=0.0, neginf=0.0)
