#include "redoubt/attack_curve.hpp"

#include <algorithm>
#include <cmath>

#include "certify/class_counts.hpp"
#include "core/check.hpp"

namespace redoubt {

namespace {

/// `is_attained`: a move of size `upper` is known to change the answer, also where it is `lower`.
AttackCurve curve_of(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                     const VectorRef& radii, bool is_attained) {
    check_length("upper", upper.size(), lower.size());
    check_length("y", y.size(), lower.size());
    const ClassCounts counts = count_classes(y);
    for (Index j = 0; j < lower.size(); ++j) {
        check_value(!std::isnan(lower[j]), "lower", "numbers", lower[j]);
        check_value(upper[j] >= lower[j], "upper", "numbers >= lower", upper[j]);
    }
    check_attack_radii(radii);
    const Vector zeros = Vector::Zero(radii.size());
    AttackCurve curve{radii, zeros, zeros,
                      zeros, zeros, counts.accuracy(std::max(counts.plus, counts.minus), 0.0)};
    for (Index i = 0; i < radii.size(); ++i) {
        double safe[2] = {0.0, 0.0};
        double undecided[2] = {0.0, 0.0};
        for (Index j = 0; j < y.size(); ++j) {
            // A zero is +0 for a correct point of class +1 on a plane and -0 for a wrong one of -1.
            const bool is_plus = y[j] > 0.0;
            const bool is_open = is_plus && !(is_attained && upper[j] == lower[j]);
            const bool is_safe = lower[j] > radii[i] || (is_open && lower[j] == radii[i]);
            const bool is_broken = !is_safe && upper[j] <= radii[i];
            if (!is_broken) (is_safe ? safe : undecided)[is_plus ? 0 : 1] += 1.0;
        }
        curve.accuracy[i] = counts.accuracy(safe[0], safe[1]);
        curve.balanced_accuracy[i] = counts.balanced_accuracy(safe[0], safe[1]);
        curve.undecided[i] = counts.accuracy(undecided[0], undecided[1]);
        curve.balanced_undecided[i] = counts.balanced_accuracy(undecided[0], undecided[1]);
    }
    return curve;
}

}  // namespace

AttackCurve attack_curve(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                         const VectorRef& radii) {
    return curve_of(lower, upper, y, radii, true);
}

AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y,
                         const VectorRef& radii) {
    for (Index j = 0; j < signed_radii.size(); ++j) {
        check_value(!std::isnan(signed_radii[j]), "signed_radii", "numbers", signed_radii[j]);
    }
    return curve_of(signed_radii, signed_radii, y, radii, false);
}

}  // namespace redoubt
