#pragma once

#include "redoubt/ensemble.hpp"
#include "svm/ball_rows.hpp"
#include "svm/duality_gap.hpp"

namespace redoubt {

/// Both sides of a hinge problem against a ball at any plane and any multipliers, from the data:
/// the one proof of the gap, whichever route led there.
class BallGap {
public:
    /// Both must outlive this.
    BallGap(const HingeProblem& problem, BallRows& rows) : problem_(problem), rows_(rows) {}

    /// ||S w||_q.
    double size_of(const VectorRef& w) const;

    /// At z = (w, b, s), with its t = 1 + G z and the multipliers a in [0, 1] of the points.
    DualityGap measure(double mu, const Vector& z, const Vector& t, const Vector& a);

    /// (w, b, s) for this w, with the middle of the optimal biases (of centred features), and t.
    void complete(const Vector& w, Vector& z, Vector& t) const;

    /// Gives plane.w the middle of its optimal biases, in the caller's features, and measures both
    /// sides of the problem there. Hinges of at most `largest_stretch` are stretched to zero, as
    /// those of a hard margin.
    DualityGap finish(Hyperplane& plane, const Vector& a, double largest_stretch);

private:
    double class_weight(const Vector& a, double label) const;

    const HingeProblem& problem_;
    BallRows& rows_;
};

}  // namespace redoubt
