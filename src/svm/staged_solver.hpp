#pragma once

#include <optional>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Solves the hinge problem, whatever its threat, by the proximal method of multipliers with a
/// semismooth Newton method inside; docs/algorithms.md tells the whole story.
///
/// Chosen by shape: with few features at once in stages, with many from where coordinate descent on
/// the dual leads (wide_solver.hpp).
///
/// Of the settings tolerance, max_iterations and stop count. The start must fit the problem. Values
/// of the result are per unit of total weight; `warning` and `solve_seconds` are not set.
SvmResult solve_hinge_problem(const HingeProblem& problem, const SvmSettings& settings,
                              const std::optional<SvmStart>& start);

/// Where the stages take over from another method that is close to the optimum.
struct StagedStart {
    Hyperplane plane;  ///< the bias is that of centred features
    Vector a;          ///< multipliers in [0, 1], one per point
    double eps = 0.0;  ///< the first smoothing
    /// Of a problem without a regulariser: the first mu to try, 0 = as usual.
    double mu = 0.0;
    /// Any optimum will do, not only that of least norm: mu/2 ||w - w_now||^2 from the first stage
    /// on. Far easier where mu would have to be tiny.
    bool is_any_optimum = false;
};

/// The stages alone, from such a start or from any other. With `in_features` all Newton steps are
/// solved in the space of the features: slower with many of them, but rounding does least harm.
SvmResult solve_in_stages(const HingeProblem& problem, const SvmSettings& settings,
                          const StagedStart& start);
SvmResult solve_in_stages(const HingeProblem& problem, const SvmSettings& settings,
                          const std::optional<SvmStart>& start, bool in_features = false);

}  // namespace redoubt
