#pragma once

#include "svm/hinge_problem.hpp"
#include "svm/large_cholesky.hpp"

namespace redoubt {

/// The dual of the SVM without an adversary and with mu > 0,
///
///     min  ||sum alpha_j y_j z_j||^2 / (2 mu) - sum alpha_j ,   y'alpha = 0,   0 <= alpha <= c ,
///
/// by a primal-dual interior-point method: some dozens of steps, each a factorisation in the
/// points, however badly the features are scaled. For few points on which descents stall.
class InteriorDual {
public:
    /// The problem must outlive this.
    InteriorDual(const HingeProblem& problem, StopFlag stop);

    static bool suits(const HingeProblem& problem);

    /// Products of all points. False when stopped.
    bool prepare();
    /// One step. False when stopped, or when rounding leaves none.
    bool step();
    /// a_j = alpha_j / c_j in [0, 1]; 0 for points of weight 0.
    Vector multipliers() const;

private:
    bool factorize();
    void solve(const Vector& right, double balance, Vector& d_alpha, double& d_bias) const;

    const HingeProblem& problem_;
    LargeCholesky matrix_;
    Matrix products_;          ///< Q, upper triangle
    std::vector<int> points_;  ///< of positive weight
    Vector y_, c_;
    Vector alpha_;
    Vector low_;   ///< multipliers of alpha >= 0
    Vector high_;  ///< of alpha <= c
    double bias_ = 0.0;
    Vector labels_;  ///< (Q + D)^-1 y
};

}  // namespace redoubt
