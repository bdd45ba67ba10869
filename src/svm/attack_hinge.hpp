#pragma once

#include <optional>

#include "redoubt/attack_model.hpp"
#include "svm/hinge_solver.hpp"

namespace redoubt {

/// The hinge problem with the support functions of an attack model,
///
///     min over w, b   mu/2 ||w||_2^2 + sum_j c_j [1 - y_j (w'x_j + b) + h_j(-y_j w)]_+ ,
///     h_j(g) = max { g'd : d is a move of x_j of size at most r_j },
///
/// by cutting planes: moves are found one by one, and the problem with the moves found so far is
/// solved by the proximal method of multipliers (GroupedHinge). docs/algorithms.md tells why the
/// gap is proven. r_j must be 0 for points of a class that does not attack; problem.norm and
/// problem.scale are not looked at. All points must pass model.check_point.
HingeSolution solve_attack_problem(const HingeProblem& problem, const AttackModel& model,
                                   const HingeSettings& settings,
                                   const std::optional<HingeStart>& start);

}  // namespace redoubt
