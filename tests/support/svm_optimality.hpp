#pragma once

/// Optimality of a trained plane, recomputed from the data with plain loops. Knows the problem and
/// the answer, and nothing of how the answer was found.

#include "redoubt/norm.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/types.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {

/// The objective of train_svm at (w, b).
double svm_objective(const RandomProblem& problem, double C, const Hyperplane& plane);

/// The objective of train_robust_svm at (w, b).
double robust_objective(const RandomProblem& problem, const Vector& radii, Norm norm,
                        double regularization, const Hyperplane& plane);

/// A lower bound on the optimum of train_svm by weak duality, from multipliers alpha_j = C c_j
/// ratio_j. Each class is scaled down to the lighter one, so that y'alpha = 0 holds exactly.
double svm_lower_bound(const RandomProblem& problem, double C, const Vector& dual_ratio);

/// The same for train_robust_svm without regulariser, over all w with ||w||_q <= largest_size:
///   F(w, b) >= sum alpha (1 - y f + r ||w||_q) >= sum alpha - largest_size (||v||_p - r'alpha)_+ .
double robust_lower_bound(const RandomProblem& problem, const Vector& radii, Norm norm,
                          double largest_size, const Vector& dual_ratio);

}  // namespace redoubt::testing
