#pragma once

/// The adversaries as `attack` calls them, one point at a time. Each has a module of its own.

#include <cstdint>

#include "redoubt/attack.hpp"
#include "search/limits.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// One point and the threat to it. Refers to the caller's data, which have been checked: the model
/// allows the point, and the point's class attacks.
struct PointProblem {
    const Ensemble& ensemble;
    const AttackModel& threat;
    Eigen::Ref<const Vector> x;
    int y;          ///< -1 or +1
    double radius;  ///< >= 0
};

/// `objective` is the adversary's own count at d, `bound` a proven upper bound on what any move of
/// size <= radius reaches, rounding included (infinity for the heuristic). In a ball ||d||_p <=
/// radius as evaluated; under rules the size may exceed the radius by 1e-12 of it.
struct AdversaryAnswer {
    Status status = Status::NumericalFailure;
    Vector d{};
    double objective = 0.0;
    double bound = 0.0;
    std::int64_t n_nodes = 0;
};

/// max over all moves of sum_i [c_i + a_i'd]_+ with c_i = 1 - y (w_i'x + b_i), a_i = -y w_i.
/// Optimal: bound - objective is rounding only, about 1e-12 of the size of the terms in a ball and
/// 1e-11 under rules.
/// Ties: the first optimum in the order of the search, which is fixed.
/// NumericalFailure: the terms overflow; then d = 0 and the bound is infinite.
AdversaryAnswer relaxed_adversary(const PointProblem& point, const PointLimits& limits);

/// The move that goes farthest along -y g, g = sum_i beta_i w_i, beta_i = alpha_i [1 + m_i]_+
/// normalised to sum 1. Published (balls only): without the factor -y, and for L2 of length 1
/// whatever r. `objective` is the weight of the planes fooled at d.
AdversaryAnswer heuristic_adversary(const PointProblem& point, HeuristicRule rule);

/// Throws InvalidInput for the published rule with a threat other than a ball.
void check_rule(HeuristicRule rule, const AttackModel& threat);

/// The second opinions on Exact and Relaxed, from the optional part `reference`: integer programs
/// on HiGHS, and enumeration of every subset.
AdversaryAnswer reference_adversary(Solver solver, Adversary adversary, const PointProblem& point,
                                    const PointLimits& limits);

/// Shrinks a step until its length, as `norm_value` evaluates it, is within the radius.
void fit_into_ball(Norm norm, double radius, Vector& d);

}  // namespace redoubt
