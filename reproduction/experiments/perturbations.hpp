#pragma once

#include "attack/exact_adversary.hpp"
#include "experiments/published_choices.hpp"

namespace redoubt::reproduction {

/// One of the perturbations within the ball that fool the most planes. A corner is looked for among
/// the planes `foolable` only, and only for few features (kMaxCornerFeatures): else the shortest
/// one is returned, as where no corner fools as many planes.
Vector worst_perturbation(const PointProblem& point, const std::vector<int>& foolable,
                          Perturbation choice, ExactAdversary& exact);

inline constexpr Index kMaxCornerFeatures = 12;

}  // namespace redoubt::reproduction
