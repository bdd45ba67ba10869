#pragma once

#include <algorithm>

#include "svm/grouped_hinge.hpp"
#include "svm/worst_moves.hpp"

namespace redoubt {

/// Both sides of the hinge problem against an attack model, per unit of total weight.
struct AttackBounds {
    double hinge = 0.0;   ///< sum_j c_j [t_j]_+ with the worst moves there are
    double primal = 0.0;  ///< hinge + mu/2 ||w||^2
    double dual = 0.0;    ///< lower bound on the optimum
    /// For mu = 0 the dual value is `multipliers - 2 ||w||_2 distance`.
    double multipliers = 0.0;
    double distance = 0.0;
    /// By how much the hinges over the known moves fall short of the true ones.
    double missed = 0.0;

    double relative(double floor) const { return (primal - dual) / std::max(primal, floor); }
};

/// Evaluates the stage's z and multipliers for the problem with the given `mu`. `worst` must have
/// looked at the present w.
AttackBounds measure_bounds(const GroupedHinge& stage, const MoveRows& rows,
                            const WorstMoves& worst, double mu);

/// Weak duality with the present rows and multipliers, the heavier class scaled down until
/// y'alpha = 0:
///
///   mu > 0:  sum alpha - dist^2 / (2 mu),      dist = ||v||_2,  v = sum alpha y (x + d)
///   mu = 0:  sum alpha - 2 ||w||_2 dist,       a bound over all w' with ||w'||_2 <= 2 ||w||_2
///
/// and never less than 0. With boxes dist is that of v to { |v_l| <= sum alpha half_l }.
void measure_dual(const GroupedHinge& stage, const MoveRows& rows, double mu, AttackBounds& bounds);

}  // namespace redoubt
