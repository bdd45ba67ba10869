#pragma once

/// Seeded points and small ensembles of every kind that the reference solvers must agree on.

#include <cstdint>
#include <string>
#include <vector>

#include "attack/adversary.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"

namespace redoubt::testing {

enum class PlaneKind {
    Gaussian,   ///< planes in general position
    Grid,       ///< small integers: ties, points on planes, planes with w = 0
    Opposite,   ///< planes repeated, reversed and scaled by powers of two
    Dependent,  ///< normals that span one dimension less than there are
};

std::string to_string(PlaneKind kind);
const std::vector<PlaneKind>& all_plane_kinds();

struct ReferenceProblem {
    Ensemble ensemble;
    Vector x;
};

/// Equal arguments give equal problems; k = 1..7 planes, n = 1..5 features.
ReferenceProblem make_reference_problem(PlaneKind kind, std::uint64_t seed);

inline const std::vector<Norm> kAllNorms{Norm::L1, Norm::L2, Norm::LInf};

/// The threat without rules.
AttackModel ball(Norm norm);

/// One attack by a reference solver.
AdversaryAnswer attack_by(Solver solver, Adversary adversary, const Ensemble& ensemble,
                          const AttackModel& threat, const Vector& x, int y, double radius,
                          const PointLimits& limits = {});

/// The weight of the planes that do not answer `label` at x + d, in units of the ensemble.
std::int64_t weight_fooled(const Ensemble& ensemble, const Vector& x, const Vector& d, int label);

/// sum_i alpha_i [1 - y (w_i'(x + d) + b_i)]_+
double hinge_sum(const Ensemble& ensemble, const Vector& x, const Vector& d, int y);

/// True when HiGHS is there. Otherwise false and the test should GTEST_SKIP, unless the environment
/// says that HiGHS is required: then the test has failed.
bool have_highs();

}  // namespace redoubt::testing
