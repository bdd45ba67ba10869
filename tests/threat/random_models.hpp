#pragma once

/// Seeded votes, points and attack models with every combination of rules.

#include <cstdint>
#include <string>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt::testing {

/// Which rules a model has, as bits.
enum Rule : unsigned {
    kScale = 1,
    kFrozen = 2,
    kOneSided = 4,
    kRange = 8,
    kIntegers = 16,
    kOneHot = 32,
};
inline constexpr unsigned kAllRules = 64;

std::string rules_text(unsigned rules);

struct ModelProblem {
    Ensemble ensemble;
    Vector x;
    AttackModel model;
};

/// What a switch between two members costs, by the list of prices.
double price_by_hand(const OneHotGroup& group, std::size_t from, std::size_t to);

/// 1 to 7 planes, 2 to 7 features. The groups of two seeds of five have prices of pairs. Odd seeds
/// of every third kind have planes and points of small integers: ties, points on planes, ends that
/// touch them. Equal arguments give equal problems.
ModelProblem make_model_problem(Norm norm, unsigned rules, std::uint64_t seed);

/// Are the numbers of this seed small whole ones?
bool is_on_grid(std::uint64_t seed);

}  // namespace redoubt::testing
