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

    /// H += factor * (the derivative of the projection at the last `point`), upper triangle of the
    /// leading n x n block and of the row and column `sigma`. With a `scale` that is not empty, the
    /// derivative D becomes S D S: that of the projection of (S w, s), pulled back to (w, s).
    void add_derivative(double factor, Index sigma, Eigen::Ref<Matrix> H,
                        const Vector& scale = {}) const;

private:
    void project_l1();
    void project_l2();
    void project_linf();

    Norm p_;
    Index n_;
    Vector point_;
    Vector image_;
    std::vector<double> sorted_;
    // The derivative is  diag(d, 0) + scale g g'  restricted to one face; see norm_cone.cpp.
    Vector diagonal_;
    Vector direction_;
    double direction_scale_ = 0.0;
};

}  // namespace redoubt
