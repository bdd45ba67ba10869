#include "redoubt/attack_curve.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace redoubt {

AttackCurve attack_curve(const VectorRef& signed_radii, const VectorRef& y,
                         const VectorRef& radii) {
    check_length("y", y.size(), signed_radii.size());
    check_labels("y", y);
    const auto n_plus = static_cast<double>((y.array() > 0.0).count());
    const double n_minus = static_cast<double>(y.size()) - n_plus;
    if (n_plus == 0.0 || n_minus == 0.0) {
        throw InvalidInput("y", "both classes",
                           n_plus > 0.0 ? "only +1" : (n_minus > 0.0 ? "only -1" : "no points"));
    }
    for (Index j = 0; j < signed_radii.size(); ++j) {
        check_value(!std::isnan(signed_radii[j]), "signed_radii", "numbers", signed_radii[j]);
    }
    for (Index i = 0; i < radii.size(); ++i) {
        check_value(radii[i] >= 0.0 && std::isfinite(radii[i]), "radii", "finite numbers >= 0",
                    radii[i]);
    }
    AttackCurve curve{radii, Vector(radii.size()), Vector(radii.size()),
                      std::max(n_plus, n_minus) / (n_plus + n_minus)};
    for (Index i = 0; i < radii.size(); ++i) {
        double safe_plus = 0.0;
        double safe_minus = 0.0;
        for (Index j = 0; j < y.size(); ++j) {
            // A zero is +0 for a correct point of class +1 on a plane and -0 for a wrong one of -1.
            const bool is_plus = y[j] > 0.0;
            if (signed_radii[j] > radii[i] || (is_plus && signed_radii[j] == radii[i])) {
                (is_plus ? safe_plus : safe_minus) += 1.0;
            }
        }
        curve.accuracy[i] = (safe_plus + safe_minus) / (n_plus + n_minus);
        curve.balanced_accuracy[i] = 0.5 * (safe_plus / n_plus + safe_minus / n_minus);
    }
    return curve;
}

}  // namespace redoubt
