#pragma once

/// Seeded points and small ensembles of every kind that the second opinions must agree on.

#include <cstdint>
#include <string>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"

namespace redoubt::testing {

enum class PlaneKind {
    Gaussian,   ///< planes in general position
    Grid,       ///< small whole numbers: ties, points on planes, planes with w = 0
    Opposite,   ///< planes repeated, reversed and scaled by powers of two
    Dependent,  ///< normals that span one dimension less than there are
};

std::string to_string(PlaneKind kind);
const std::vector<PlaneKind>& all_plane_kinds();

struct OpinionProblem {
    Ensemble ensemble;
    Vector x;
};

/// Equal arguments give equal problems; k = 1..7 planes, n = 1..5 features.
OpinionProblem make_opinion_problem(PlaneKind kind, std::uint64_t seed);

inline const std::vector<Norm> kAllNorms{Norm::L1, Norm::L2, Norm::LInf};

/// True when HiGHS is there. Otherwise false and the test should GTEST_SKIP, unless the environment
/// says that HiGHS is required: then the test has failed.
bool have_highs();

}  // namespace redoubt::testing
