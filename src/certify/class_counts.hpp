#pragma once

#include "core/check.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// The number of points in each class, for dividing.
struct ClassCounts {
    double plus = 0.0;
    double minus = 0.0;

    double all() const { return plus + minus; }
    double accuracy(double n_plus, double n_minus) const { return (n_plus + n_minus) / all(); }
    double balanced_accuracy(double n_plus, double n_minus) const {
        return 0.5 * (n_plus / plus + n_minus / minus);
    }

    /// Throws InvalidInput unless both occur.
    void check() const {
        if (plus > 0.0 && minus > 0.0) return;
        throw InvalidInput("y", "both classes",
                           plus > 0.0 ? "only +1" : (minus > 0.0 ? "only -1" : "no points"));
    }
};

/// Throws InvalidInput unless the labels are -1 and +1 and both occur.
inline ClassCounts count_classes(const VectorRef& y) {
    check_labels("y", y);
    ClassCounts counts;
    counts.plus = static_cast<double>((y.array() > 0.0).count());
    counts.minus = static_cast<double>(y.size()) - counts.plus;
    counts.check();
    return counts;
}

inline void check_attack_radii(const VectorRef& radii) {
    for (Index i = 0; i < radii.size(); ++i) {
        check_value(radii[i] >= 0.0 && std::isfinite(radii[i]), "radii", "finite numbers >= 0",
                    radii[i]);
    }
}

}  // namespace redoubt
