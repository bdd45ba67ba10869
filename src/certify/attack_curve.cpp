#include "redoubt/attack_curve.hpp"

#include <algorithm>
#include <cmath>

#include "certify/class_counts.hpp"
#include "core/check.hpp"

namespace redoubt {

AttackCounts::AttackCounts(const VectorRef& radii)
    : radii_(radii),
      safe_(Matrix::Zero(radii.size(), 2)),
      undecided_(Matrix::Zero(radii.size(), 2)) {
    check_attack_radii(radii);
}

void AttackCounts::add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y) {
    add(lower, upper, y, true);
}

/// `is_attained`: a move of size `upper` is known to change the answer, also where it is `lower`.
void AttackCounts::add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                       bool is_attained) {
    check_length("upper", upper.size(), lower.size());
    check_length("y", y.size(), lower.size());
    check_labels("y", y);
    for (Index j = 0; j < lower.size(); ++j) {
        check_value(!std::isnan(lower[j]), "lower", "numbers", lower[j]);
        check_value(upper[j] >= lower[j], "upper", "numbers >= lower", upper[j]);
    }
    const auto n_plus = static_cast<double>((y.array() > 0.0).count());
    n_plus_ += n_plus;
    n_minus_ += static_cast<double>(y.size()) - n_plus;
    for (Index i = 0; i < radii_.size(); ++i) {
        for (Index j = 0; j < y.size(); ++j) {
            // A zero is +0 for a correct point of class +1 on a plane and -0 for a wrong one of -1.
            const bool is_plus = y[j] > 0.0;
            const bool is_open = is_plus && !(is_attained && upper[j] == lower[j]);
            const bool is_safe = lower[j] > radii_[i] || (is_open && lower[j] == radii_[i]);
            const bool is_broken = !is_safe && upper[j] <= radii_[i];
            if (!is_broken) (is_safe ? safe_ : undecided_)(i, is_plus ? 0 : 1) += 1.0;
        }
    }
}

AttackCurve AttackCounts::curve() const {
    const ClassCounts counts{n_plus_, n_minus_};
    counts.check();
    const Vector zeros = Vector::Zero(radii_.size());
    AttackCurve curve{radii_, zeros, zeros,
                      zeros,  zeros, counts.accuracy(std::max(n_plus_, n_minus_), 0.0)};
    for (Index i = 0; i < radii_.size(); ++i) {
        curve.accuracy[i] = counts.accuracy(safe_(i, 0), safe_(i, 1));
        curve.balanced_accuracy[i] = counts.balanced_accuracy(safe_(i, 0), safe_(i, 1));
        curve.undecided[i] = counts.accuracy(undecided_(i, 0), undecided_(i, 1));
        curve.balanced_undecided[i] = counts.balanced_accuracy(undecided_(i, 0), undecided_(i, 1));
    }
    return curve;
}

AttackCurve attack_curve(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                         const VectorRef& radii) {
    AttackCounts counts(radii);
    counts.add(lower, upper, y);
    return counts.curve();
}

AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y,
                         const VectorRef& radii) {
    for (Index j = 0; j < signed_radii.size(); ++j) {
        check_value(!std::isnan(signed_radii[j]), "signed_radii", "numbers", signed_radii[j]);
    }
    AttackCounts counts(radii);
    counts.add(signed_radii, signed_radii, y, false);
    return counts.curve();
}

}  // namespace redoubt
