#pragma once

/// The adversaries as `attack` calls them, one point at a time. Each lives in a module of its own.

#include <cstdint>

#include "redoubt/attack.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// One point and the ball around it. Refers to the caller's data; everything is checked already.
struct PointProblem {
    const Ensemble& ensemble;
    Eigen::Ref<const Vector> x;
    int y;          ///< -1 or +1
    double radius;  ///< >= 0
    Norm norm;
};

/// `objective` is the adversary's own count at d, `bound` a proven upper bound on what any d in the
/// ball reaches, rounding included (infinity for the heuristic). ||d||_p <= radius as evaluated.
struct AdversaryAnswer {
    Status status = Status::NumericalFailure;
    Vector d{};
    double objective = 0.0;
    double bound = 0.0;
    std::int64_t n_nodes = 0;
};

/// max over ||d||_p <= r of sum_i [c_i + a_i'd]_+ with c_i = 1 - y (w_i'x + b_i), a_i = -y w_i.
/// Optimal: bound - objective is rounding only, about 1e-12 of the size of the terms.
/// L1, LInf with few features: no search and no limits. LInf, L2: branch and bound, see
/// relaxed_search.hpp.
/// Ties: the first optimum in the order of the search, which is fixed.
/// NumericalFailure: the terms overflow; then d = 0 and the bound is infinite.
AdversaryAnswer relaxed_adversary(const PointProblem& point, const PointLimits& limits);

/// One step of length r along -y g, g = sum_i beta_i w_i, beta_i = [1 + m_i]_+ normalised to sum 1.
/// Published: without the factor -y, and for L2 of length 1 whatever r. `objective` counts the
/// planes fooled at d.
AdversaryAnswer heuristic_adversary(const PointProblem& point, HeuristicRule rule);

/// Most planes fooled, then least ||d||_p.
AdversaryAnswer exact_adversary(const PointProblem& point, const PointLimits& limits);

/// The second opinions on Exact and Relaxed: the integer programs on HiGHS, and every subset.
AdversaryAnswer mip_adversary(const PointProblem& point, Adversary adversary,
                              const PointLimits& limits);
AdversaryAnswer enumerate_adversary(const PointProblem& point, Adversary adversary);

}  // namespace redoubt
