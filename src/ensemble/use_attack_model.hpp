#pragma once

#include "redoubt/attack_model.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// The settings with the norm of their attack model; a plain ball is left to the code without one,
/// which is faster. Throws InvalidInput when the model does not fit the points.
template <typename Settings>
Settings with_attack_model(const Settings& settings, const MatrixRef& X, const VectorRef& y) {
    Settings result = settings;
    if (!settings.attack_model) return result;
    const AttackModel& model = *settings.attack_model;
    model.check(X.cols());
    model.check_points(X, y);
    result.norm = model.norm;
    if (model.is_plain()) result.attack_model.reset();
    return result;
}

}  // namespace redoubt
