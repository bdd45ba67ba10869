#pragma once

#include <optional>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Is the problem one for `solve_wide`: many features, and a ball without scales or no adversary?
bool suits_wide_route(const HingeProblem& problem);

/// Solves a hinge problem by coordinate descent on its dual, and from where that gets slow by the
/// Newton steps of staged_solver.hpp; docs/algorithms.md, 1. The threat must be a ball without
/// scales, or none; any number of features will do. As `solve_hinge_problem` otherwise.
SvmResult solve_wide(const HingeProblem& problem, const SvmSettings& settings,
                     const std::optional<SvmStart>& start);

}  // namespace redoubt
