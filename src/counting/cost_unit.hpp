#pragma once

/// What costs of changes have in common.

#include <cstddef>
#include <set>

#include "redoubt/attack_model.hpp"

namespace redoubt {

/// Different costs that are looked at for a unit.
inline constexpr std::size_t kMostCosts = 1000;

/// What all costs > 0 are multiples of; 0: of nothing that is large enough.
double common_unit(const std::set<double>& costs);

/// The same of every cost that a model names, frozen or not: what proofs are counted in.
double cost_unit(const AttackModel& model);

}  // namespace redoubt
