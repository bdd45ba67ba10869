#pragma once

/// A bound for planes that point in many directions, where chords are weak.
///
///     maximise  r sqrt(s + 2 z'v + v'G v) + c'v   over  v in {0,1}^k,   G = A A'
///
/// As v_i^2 = v_i, the root holds  s + (2 z + mu g)'v + v'M v  with g = diag G, M = G - mu diag(g).
/// With mu the largest eigenvalue of G scaled to a unit diagonal, M is negative semidefinite: the
/// problem over [0,1]^k is concave, and its tangent at any point bounds it from above.

#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

class QuadraticBound {
public:
    /// `gram` is G, computed from rows of `n_features` numbers. Cost: O(k^3).
    void prepare(const Matrix& gram, double radius, const VectorRef& c, Index n_features);

    /// Over the v that are zero outside `free`, given z, s >= 0 and the contribution of the decided
    /// planes. `point` is where to start; a few sweeps of coordinate ascent improve it in place. On
    /// return slope_i bounds the gain of v_i = 1, so v_i = 1 (0) reaches at most bound -
    /// [-slope_i]_+ ([slope_i]_+). Infinite if nothing can be said. `size` bounds ||A'v|| and is
    /// the scale of rounding errors.
    double evaluate(const std::vector<int>& free, const Vector& z, double s, double constant,
                    double size, Vector& point);

    const Vector& slope() const { return slope_; }

private:
    /// `root` is the square root at `point`, before and after.
    void climb(const std::vector<int>& free, const Vector& z, double s, Vector& point,
               double& root);
    double square(const std::vector<int>& free, const Vector& z, double s,
                  const Vector& point) const;

    Matrix M_{};
    Vector diagonal_{};
    Vector c_{};
    Vector product_{};  ///< M v
    Vector slope_{};
    double radius_ = 0.0;
    double n_roundings_ = 0.0;
    double mu_ = 1.0;
    bool is_usable_ = false;
};

}  // namespace redoubt
