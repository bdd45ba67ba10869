#include "redoubt/attack_curve.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "certify/class_counts.hpp"
#include "core/check.hpp"
#include "redoubt/dataset.hpp"

namespace redoubt {

AttackCounts::AttackCounts(const VectorRef& radii, Index n_classes)
    : radii_(radii),
      sizes_(Vector::Zero(n_classes)),
      safe_(Matrix::Zero(radii.size(), n_classes)),
      undecided_(Matrix::Zero(radii.size(), n_classes)) {
    check_attack_radii(radii);
    check_value(n_classes >= 2, "n_classes", "an integer >= 2", static_cast<double>(n_classes));
}

void AttackCounts::add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y) {
    add(lower, upper, y, true);
}

/// `is_attained`: a move of size `upper` is known to change the answer, also where it is `lower`.
void AttackCounts::add(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                       bool is_attained) {
    check_length("upper", upper.size(), lower.size());
    check_length("y", y.size(), lower.size());
    const Index n_classes = sizes_.size();
    if (n_classes == 2) check_labels("y", y);
    for (Index j = 0; j < lower.size(); ++j) {
        check_value(!std::isnan(lower[j]), "lower", "numbers", lower[j]);
        check_value(upper[j] >= lower[j], "upper", "numbers >= lower", upper[j]);
        const bool is_class =
            n_classes == 2 ||
            (y[j] >= 0.0 && y[j] < static_cast<double>(n_classes) && y[j] == std::floor(y[j]));
        check_value(is_class, "y", "classes 0 to " + std::to_string(n_classes - 1), y[j]);
    }
    for (Index j = 0; j < y.size(); ++j) {
        const auto c =
            static_cast<Index>(class_number(y[j], static_cast<std::size_t>(n_classes)));
        sizes_[c] += 1.0;
        // A zero is +0 for a correct point of class +1 on a plane and -0 for a wrong one of -1.
        const bool is_plus = n_classes == 2 && y[j] > 0.0;
        const bool is_open = is_plus && !(is_attained && upper[j] == lower[j]);
        for (Index i = 0; i < radii_.size(); ++i) {
            const bool is_safe = lower[j] > radii_[i] || (is_open && lower[j] == radii_[i]);
            const bool is_broken = !is_safe && upper[j] <= radii_[i];
            if (!is_broken) (is_safe ? safe_ : undecided_)(i, c) += 1.0;
        }
    }
}

AttackCurve AttackCounts::curve() const {
    const auto n_there = static_cast<double>((sizes_.array() > 0.0).count());
    if (sizes_.size() == 2) {
        ClassCounts{sizes_[1], sizes_[0]}.check();
    } else if (!(n_there >= 2.0)) {
        throw InvalidInput("y", "at least two classes", std::to_string(std::lround(n_there)));
    }
    const Vector zeros = Vector::Zero(radii_.size());
    const double n_points = sizes_.sum();
    AttackCurve curve{radii_, zeros, zeros, zeros, zeros, sizes_.maxCoeff() / n_points,
                      1.0 / n_there};
    const auto balanced = [&](const Matrix& counts, Index i) {
        double sum = 0.0;
        for (Index c = 0; c < sizes_.size(); ++c) {
            if (sizes_[c] > 0.0) sum += counts(i, c) / sizes_[c];
        }
        return sum / n_there;
    };
    for (Index i = 0; i < radii_.size(); ++i) {
        curve.accuracy[i] = safe_.row(i).sum() / n_points;
        curve.balanced_accuracy[i] = balanced(safe_, i);
        curve.undecided[i] = undecided_.row(i).sum() / n_points;
        curve.balanced_undecided[i] = balanced(undecided_, i);
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
