#pragma once

#include <optional>

#include "svm/counted_descent.hpp"
#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Solves a hinge problem against counted moves, or against none, with a box of weights,
/// by coordinate descent on its dual (counted_descent.hpp). Time and memory go with the entries
/// that are not 0, and with the features that moves use.
///
/// `n_passes` bounds the passes over the rows. Of the settings tolerance and stop count. Values of
/// the result are per unit of total weight. The gap holds for the problem itself, which with a
/// shared threshold has the larger hinges; with mu = 0 for all planes in the box with ||w||_2 at
/// most twice that of the answer.
SvmResult solve_counted(const HingeProblem& problem, const WeightBox& box, bool shares_threshold,
                        const SvmSettings& settings, Index n_passes,
                        const std::optional<SvmStart>& start);

}  // namespace redoubt
