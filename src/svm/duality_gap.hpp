#pragma once

#include "svm/hinge_map.hpp"
#include "svm/hinge_problem.hpp"

namespace redoubt {

/// Both sides of the hinge problem at a point, per unit of total weight.
struct DualityGap {
    double hinge = 0.0;   ///< sum_j c_j [t_j]_+ with s = ||S w||_q
    double primal = 0.0;  ///< hinge + mu/2 ||w||^2
    double dual = 0.0;    ///< lower bound on the optimum

    /// (primal - dual) / max(primal, floor)
    double relative(double floor) const;
};

/// Evaluates z = (w, b, s), its t = 1 + G z and the multipliers a in [0, 1] for the problem with
/// the given `mu`. The dual value belongs to alpha = c a, made feasible by scaling down the heavier
/// class until y'alpha = 0:
///
///   mu > 0:  sum alpha - dist(v, R B_p)^2 / (2 mu),   v = sum alpha y x,  R = sum alpha r
///   mu = 0:  sum alpha - 2 ||w||_q (||v||_p - R)_+,   a bound over all w' with ||w'||_q <= 2
///   ||w||_q
///
/// With a scale S the ball becomes { S u : ||u||_p <= R }, and the bound for mu = 0 is
/// sum alpha - 2 ||w||_2 dist(v, that), over all w' with ||w'||_2 <= 2 ||w||_2.
/// Never less than 0, because no hinge is negative.
DualityGap measure_gap(const HingeProblem& problem, HingeMap& map, double mu, const Vector& z,
                       const Vector& t, const Vector& a);

}  // namespace redoubt
