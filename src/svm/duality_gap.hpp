#pragma once

#include <algorithm>

namespace redoubt {

/// Both sides of the hinge problem at a point, per unit of total weight.
///
/// The lower side is weak duality for multipliers alpha >= 0 of the points and their moves, at most
/// c_j a point and with y'alpha = 0 (the heavier class is scaled down for that):
///
///     mu > 0:  sum alpha - distance^2 / (2 mu)
///     mu = 0:  sum alpha - 2 ||w|| distance,   a bound over all w' with ||w'|| <= 2 ||w||
///
/// where `distance` is that of v = sum alpha y x to minus the moves, summed up likewise. It is
/// Euclidean but for mu = 0 and a ball without scales: that has its own norm p, and w norm q.
struct DualityGap {
    double hinge = 0.0;        ///< sum_j c_j [t_j]_+ with the worst moves there are
    double primal = 0.0;       ///< hinge + mu/2 ||w||^2
    double dual = 0.0;         ///< lower bound on the optimum
    double multipliers = 0.0;  ///< sum alpha
    double distance = 0.0;
    double squared_distance = 0.0;

    /// (primal - dual) / max(primal, floor)
    double relative(double floor) const { return (primal - dual) / std::max(primal, floor); }

    /// The dual value of the formulas above; never less than 0, because no hinge is negative.
    void set_dual(double mu, double w_size) {
        const double loss = mu > 0.0 ? 0.5 * squared_distance / mu : 2.0 * w_size * distance;
        dual = std::max(multipliers - loss, 0.0);
    }
};

}  // namespace redoubt
