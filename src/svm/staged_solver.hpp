#pragma once

#include <optional>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Solves the hinge problem, whatever its threat, by the proximal method of multipliers with a
/// semismooth Newton method inside; docs/algorithms.md tells the whole story.
///
/// Of the settings tolerance, max_iterations and stop count. The start must fit the problem. Values
/// of the result are per unit of total weight; `warning` and `solve_seconds` are not set.
SvmResult solve_hinge_problem(const HingeProblem& problem, const SvmSettings& settings,
                              const std::optional<SvmStart>& start);

}  // namespace redoubt
