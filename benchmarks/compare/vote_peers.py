"""Gurobi, SCIP and HiGHS, each with a Program of vote_models: one thread, built before it is timed.

`tolerance` tightens how far a row may be violated; without it each solver keeps its own default.
"""

import numpy as np

NO_TIME_LIMIT = 1e20


class GurobiProgram:
    """Needs the package gurobipy; its free licence allows models of this size."""

    title = "Gurobi"
    takes_ball = takes_square = True

    def __init__(self, program, *, tolerance=None, time_limit=NO_TIME_LIMIT):
        import gurobipy

        self.optimal = gurobipy.GRB.OPTIMAL
        self.model = gurobipy.Model(env=_gurobi_environment())
        settings = {"Threads": 1, "TimeLimit": time_limit}
        if tolerance is not None:
            settings |= {"FeasibilityTol": tolerance, "IntFeasTol": tolerance}
        for name, value in settings.items():
            self.model.setParam(name, value)
        kinds = np.where(program.is_binary, gurobipy.GRB.BINARY, gurobipy.GRB.CONTINUOUS)
        self.x = self.model.addMVar(
            len(program.cost), lb=program.lower, ub=program.upper, vtype=kinds
        )
        self._add_rows(program)
        if program.square:
            step = self.x[: program.square]
            self.model.setObjective(step @ step)
        else:
            self.model.setObjective(program.cost @ self.x)
        if program.ball is not None:
            step, radius = self.x[: program.ball[0]], program.ball[1]
            self.model.addConstr(step @ step <= radius**2)
        self.model.update()

    def _add_rows(self, program):
        equal = program.row_lower == program.row_upper
        below = np.isfinite(program.row_lower) & ~equal
        above = np.isfinite(program.row_upper) & ~equal
        for rows, sides in ((below, program.row_lower), (above, program.row_upper)):
            if rows.any():
                left = program.A[rows] @ self.x
                self.model.addConstr(left >= sides[rows] if rows is below else left <= sides[rows])
        if equal.any():
            self.model.addConstr(program.A[equal] @ self.x == program.row_lower[equal])

    def solve(self):
        self.model.optimize()

    @property
    def is_optimal(self):
        return self.model.Status == self.optimal

    def solution(self):
        """x, or None where none was found."""
        return self.x.X if self.model.SolCount else None

    def objective(self):
        return self.model.ObjVal

    def close(self):
        self.model.dispose()


class ScipProgram:
    """Needs the package pyscipopt."""

    title = "SCIP"
    takes_ball, takes_square = True, False

    def __init__(self, program, *, tolerance=None, time_limit=NO_TIME_LIMIT):
        import pyscipopt

        self.model = pyscipopt.Model()
        self.model.hideOutput()
        self.model.setParam("parallel/maxnthreads", 1)
        self.model.setParam("limits/time", time_limit)
        if tolerance is not None:
            self.model.setParam("numerics/feastol", tolerance)
        self.x = [
            self.model.addVar(lb=low, ub=high, obj=cost, vtype="B" if binary else "C")
            for low, high, cost, binary in zip(
                program.lower, program.upper, program.cost, program.is_binary
            )
        ]
        for row, low, high in zip(program.A, program.row_lower, program.row_upper):
            terms = pyscipopt.quicksum(row[j] * self.x[j] for j in np.flatnonzero(row))
            if np.isfinite(low):
                self.model.addCons(terms >= low)
            if np.isfinite(high):
                self.model.addCons(terms <= high)
        if program.ball is not None:
            n, radius = program.ball
            self.model.addCons(pyscipopt.quicksum(v * v for v in self.x[:n]) <= radius**2)

    def solve(self):
        self.model.optimize()

    @property
    def is_optimal(self):
        return self.model.getStatus() == "optimal"

    def solution(self):
        if self.model.getNSols() == 0:
            return None
        return np.array([self.model.getVal(variable) for variable in self.x])

    def objective(self):
        return self.model.getObjVal()

    def close(self):
        self.model.freeProb()


class HighsProgram:
    """Needs the package highspy. No integer programs with a ball or a square."""

    title = "HiGHS"
    takes_ball = takes_square = False

    def __init__(self, program, *, tolerance=None, time_limit=NO_TIME_LIMIT):
        import highspy
        import scipy.sparse as sparse

        self.optimal = highspy.HighsModelStatus.kOptimal
        A = sparse.csc_matrix(program.A)
        model = highspy.HighsLp()
        model.num_row_, model.num_col_ = A.shape
        model.col_cost_ = program.cost
        model.col_lower_, model.col_upper_ = program.lower, program.upper
        model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
        model.integrality_ = [
            highspy.HighsVarType.kInteger if binary else highspy.HighsVarType.kContinuous
            for binary in program.is_binary
        ]
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        model.a_matrix_.start_, model.a_matrix_.index_ = A.indptr, A.indices
        model.a_matrix_.value_ = A.data
        settings = {"output_flag": False, "threads": 1, "time_limit": time_limit}
        if tolerance is not None:
            names = ("mip_feasibility_tolerance", "primal_feasibility_tolerance")
            settings |= dict.fromkeys(names, tolerance)
        self.highs = highspy.Highs()
        for name, value in settings.items():
            if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                raise RuntimeError(f"HiGHS does not know {name} = {value}")
        self.highs.passModel(model)

    def solve(self):
        self.highs.run()

    @property
    def is_optimal(self):
        return self.highs.getModelStatus() == self.optimal

    def solution(self):
        found = self.highs.getSolution()
        return np.asarray(found.col_value) if found.value_valid else None

    def objective(self):
        return self.highs.getObjectiveValue()

    def close(self):
        self.highs.clear()


_environment = None


def _gurobi_environment():
    """One silent environment for all models: starting it takes longer than many solves."""
    global _environment
    if _environment is None:
        import gurobipy

        _environment = gurobipy.Env(params={"OutputFlag": 0})
    return _environment
