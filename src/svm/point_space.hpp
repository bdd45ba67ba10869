#pragma once

#include <optional>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Are there so few points, and is the norm one that does not see rotations, that the problem is
/// best solved in coordinates of the points?
bool suits_point_space(const HingeProblem& problem);

/// Solves such a problem in as many dimensions as it has points: w is a combination of the points,
/// so that only their products matter. Any m points with the same products give the same
/// multipliers; the plane follows from these and is measured on the data as they came.
/// NumericalFailure where rounding leaves a larger gap than the tolerance.
SvmResult solve_in_point_space(const HingeProblem& problem, const SvmSettings& settings);

}  // namespace redoubt
