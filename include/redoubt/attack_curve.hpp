#pragma once

/// Accuracy under attack at every radius, from one certificate per point.

#include "redoubt/types.hpp"

namespace redoubt {

/// Entry i of each vector belongs to attack radius i. Shares are in [0, 1].
struct AttackCurve {
    Vector radii;
    Vector accuracy;           ///< share of points whose answer is right and stays so
    Vector balanced_accuracy;  ///< mean of that share within each class
    double
        constant_accuracy;  ///< of the best classifier that always gives one answer, at any radius
    /// Balanced, a constant classifier always scores this much.
    static constexpr double kConstantBalancedAccuracy = 0.5;
};

/// A point of signed radius R (certificate.hpp) withstands every attack of radius r when R > r, and
/// a correct point of class +1 also when R = r, because ties are answered with +1.
/// `signed_radii` and `y` (labels -1 and +1, both present) have one entry per point; the attack
/// radii are >= 0, in any order. Throws InvalidInput otherwise.
AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y, const VectorRef& radii);

}  // namespace redoubt
