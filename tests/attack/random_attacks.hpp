#pragma once

/// Seeded points, planes and balls of every kind that an adversary meets, and the relaxed
/// adversary's optimum by brute force.

#include <cstdint>

#include "attack/adversary.hpp"
#include "support/balls.hpp"

namespace redoubt::testing {

enum class PlaneKind {
    Random,    ///< normals in all directions
    Bagged,    ///< normals close to each other, as trained planes are
    Whole,     ///< small integers: ties, planes through the point, zero components
    Repeated,  ///< duplicate, opposite and zero planes
    Scaled,    ///< sizes from 1e-6 to 1e6
    OnMargin,  ///< margins of exactly 0 or 1
};
inline constexpr PlaneKind kPlaneKinds[] = {PlaneKind::Random, PlaneKind::Bagged,
                                            PlaneKind::Whole,  PlaneKind::Repeated,
                                            PlaneKind::Scaled, PlaneKind::OnMargin};

inline constexpr Norm kNorms[] = {Norm::L1, Norm::L2, Norm::LInf};

struct RandomAttack {
    Ensemble ensemble;
    Vector x;
    int y;
    double radius;

    PointProblem point(Norm norm) const { return {ensemble, ball(norm), x, y, radius}; }
};

/// Equal arguments give equal problems; k planes, n features. The radius may be 0.
RandomAttack make_random_attack(PlaneKind kind, Index k, Index n, std::uint64_t seed);

/// sum_i [1 - y (w_i'(x + d) + b_i)]_+ in long double.
double hinge_sum(const PointProblem& point, const Vector& d);

/// max over v in {0,1}^k of r ||A'v||_q + c'v in long double, all 2^k of them.
double brute_force_relaxed(const PointProblem& point);

/// Sum of the sizes of the terms above: what tolerances are measured by.
double term_scale(const PointProblem& point);

}  // namespace redoubt::testing
