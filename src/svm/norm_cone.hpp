#pragma once

/// The cone  K = { (w, s) : ||w||_q <= s }  through which the robust SVM's norm enters, seen from
/// its polar  K° = { (v, -tau) : ||v||_p <= tau },  where the multipliers live.

#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

#include <vector>

namespace redoubt {

/// Projection onto K° and its (generalised) derivative. `p` is the adversary's norm, dual to q.
/// A point (v, sigma) is stored as one vector of length n + 1 with sigma last.
class PolarNormCone {
public:
    PolarNormCone(Norm p, Index n);

    /// The nearest point of K° to `point`, in the l2 sense. Cost O(n), and a sort for p = 1 and
    /// inf. Remembers the face it landed on, for `add_derivative`.
    const Vector& project(const VectorRef& point);

    /// H += factor * S D S, upper triangle of the leading n x n block and of the row and column
    /// `sigma`. D is the derivative of the projection at the last `point`; S = diag(scale, 1) pulls
    /// it back from (S w, s) to (w, s).
    void add_derivative(double factor, Index sigma, const Vector& scale,
                        Eigen::Ref<Matrix> H) const;

    /// The same in parts: the diagonal, sigma last, is added to `diagonal` (of length n + 1), and
    /// the terms strength (p, c)(p, c)' to what is returned, c being the number in row sigma.
    struct Term {
        Vector p;
        double c;
        double strength;
    };
    std::vector<Term> derivative_parts(double factor, const Vector& scale, Vector& diagonal) const;

private:
    void project_l1(double tau);
    void project_l2(double tau);
    void project_linf(double tau);

    Norm p_;
    Index n_;
    Vector point_;
    Vector image_;
    std::vector<double> sizes_;
    // The derivative is  diag(d, 0) + scale g g'  restricted to one face; see norm_cone.cpp.
    Vector diagonal_;
    Vector direction_;
    double direction_scale_ = 0.0;
};

/// The level L >= 0 with  sum_l (|v_l| - L)_+ = radius,  0 when v is in the l1 ball of that radius.
double ball_threshold(const VectorRef& v, double radius);

/// l2 distance of v to the ball { S u : ||u||_p <= radius } with S = diag(scale), the identity for
/// an empty scale. Never less than it really is: for a scaled ball that of a point of the ball that
/// is nearest but for rounding.
double distance_to_ball(Norm p, const Vector& scale, const VectorRef& v, double radius);

}  // namespace redoubt
