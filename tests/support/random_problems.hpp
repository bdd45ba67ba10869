#pragma once

/// Seeded classification problems of every nasty kind that training has to survive.

#include <cstdint>
#include <string>
#include <vector>

#include "redoubt/svm.hpp"
#include "redoubt/types.hpp"

namespace redoubt::testing {

enum class ProblemKind {
    Separable,    ///< two clouds far apart
    Overlapping,  ///< two clouds that overlap
    Noise,        ///< labels that have nothing to do with the points
    Duplicated,   ///< every point several times, some with both labels
    Grid,         ///< small integers: many points on the same plane
    BadlyScaled,  ///< features between 1e-3 and 1e3
    FarAway,      ///< a cloud 1e3 away from the origin
    ZeroWeights,  ///< a third of the points weigh nothing
    FewPoints,    ///< fewer points than features
    OneFeature,   ///< a line
    Unbalanced,   ///< one point against all others
    ConstantFeatures,
};

const std::vector<ProblemKind>& all_problem_kinds();
std::string to_string(ProblemKind kind);

struct RandomProblem {
    Matrix X;
    Vector y;
    Vector weights;
    Vector radii;  ///< one per point, positive

    SvmData data() const { return {X, y, weights}; }
};

/// Equal arguments give equal problems. Both classes have positive weight.
RandomProblem make_random_problem(ProblemKind kind, std::uint64_t seed);

}  // namespace redoubt::testing
