#pragma once

/// Accuracy under attack at every radius, from one certificate per point, and a bound that no
/// classifier of any kind can beat.

#include "redoubt/norm.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// Entry i of each vector belongs to attack radius i. Shares are in [0, 1].
struct AttackCurve {
    Vector radii;
    Vector accuracy;           ///< share of points whose answer is right and proven to stay so
    Vector balanced_accuracy;  ///< mean of that share within each class
    /// What the points whose bracket contains the radius would add if they were all safe: the true
    /// values lie between accuracy and accuracy + undecided. Zero unless a limit was reached.
    Vector undecided;
    Vector balanced_undecided;
    /// Accuracy of the best classifier that always gives one answer, at any radius.
    double constant_accuracy;
    /// The balanced accuracy of a constant classifier of two classes is always this...
    static constexpr double kConstantBalancedAccuracy = 0.5;
    /// ... and of as many classes as there are, this.
    double constant_balanced_accuracy = kConstantBalancedAccuracy;
};

/// The points of a curve as counts, for data that arrive in parts.
class AttackCounts {
public:
    /// Throws InvalidInput unless the attack radii are finite and >= 0. Labels are -1 and +1, or
    /// class numbers if there are more than two classes.
    explicit AttackCounts(const VectorRef& radii, Index n_classes = 2);

    /// As `attack_curve`, but one class alone is allowed.
    void add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y);

    /// The curve of all points so far. With two classes, throws InvalidInput unless there are
    /// points of both; with more, classes without points are left out.
    AttackCurve curve() const;

private:
    friend AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y,
                                    const VectorRef& radii);

    void add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y, bool is_attained);

    Vector radii_;
    Vector sizes_;  ///< points per class
    /// One row per radius, one column per class.
    Matrix safe_;
    Matrix undecided_;
};

/// A point of signed radius R (certificate.hpp) withstands every attack of radius r if R > r. A
/// correct point of class +1 also withstands it if R = r, because ties are answered with +1, unless
/// a witness attains R (`upper` = R). The point is broken if some attack of radius r is known.
/// `lower` <= R <= `upper` and `y` (labels -1 and +1, both present) have one entry per point; the
/// attack radii are >= 0, in any order. Throws InvalidInput otherwise.
AttackCurve attack_curve(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                         const VectorRef& radii);

/// The same if R itself is known and, for class +1, not attained, as in every ball.
AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y, const VectorRef& radii);

/// The best that any classifier could reach on these points, whatever its form.
struct AccuracyCeiling {
    Vector radii;
    Vector accuracy;
    Vector balanced_accuracy;
};

/// Two points of opposite class whose balls of radius r meet cannot both be safe. So the safe
/// points form an independent set in the graph of such pairs: their number is at most m minus a
/// maximum matching, and their balanced accuracy at most 1 minus half a minimum-weight vertex
/// cover. A pair counts if its distance, rounded up, is at most 2r, so the ceiling holds in exact
/// arithmetic. Takes O(m^2 n) time for the distances and memory for the pairs within 2 max(radii):
/// meant for up to a few thousand points. Arguments as above; X has one finite row per point.
AccuracyCeiling accuracy_ceiling(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                                 Norm norm);

}  // namespace redoubt
