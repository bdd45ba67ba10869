#pragma once

/// The support function of an attack model by trying everything, and training problems to go with
/// it. Knows the model's definition and nothing of how the library computes with it.

#include <cstdint>
#include <string>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/types.hpp"

namespace redoubt::testing {

/// The move d of x, of size at most `radius`, with the largest g'd: every integer and every
/// member of a group is tried, and the rest is a norm ball within a box. Few features only.
Vector worst_move(const AttackModel& model, const Vector& x, const Vector& g, double radius);

enum class AttackKind { Scale, Frozen, OneSided, Range, Whole, OneHot, OneClass, Mixed };

const std::vector<AttackKind>& all_attack_kinds();
std::string to_string(AttackKind kind);

struct AttackProblem {
    Matrix X;
    Vector y;
    Vector weights;
    Vector radii;
    AttackModel model;
};

/// Equal arguments give equal problems; 2 to 4 features, every point allowed by the model. Odd
/// seeds are separable at small radii.
AttackProblem make_attack_problem(AttackKind kind, Norm norm, std::uint64_t seed);

}  // namespace redoubt::testing
