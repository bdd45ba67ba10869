#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "core/random.hpp"
#include "svm/dual_image.hpp"
#include "svm/large_cholesky.hpp"

namespace redoubt {

/// Coordinate descent on the dual of a hinge problem against a ball without scales: the problem of
/// dual_image.hpp. The bias is not penalised: it has a proximal term (b - b_centre)^2 / (2 k),
/// which makes b = b_centre + k y'alpha, and b_centre follows b. A pass visits the points in random
/// order (always the same one) and leaves out those that seem to stay at their bound.
class DualDescent {
public:
    /// The problem must outlive this.
    DualDescent(const HingeProblem& problem, StopFlag stop);

    /// alpha_j = c_j a_j to begin with, a_j in [0, 1]; `set_regularizer` must follow.
    void start(const Vector& a);
    /// The term mu/2 ||w - centre||^2; multiplies all multipliers by `factor` (at most to their
    /// bounds).
    void set_regularizer(double mu, const Vector& centre, double factor = 1.0);
    /// The same without a centre, against an l2 ball, and with a fixed ||w|| in the hinges; see
    /// dual_image.hpp.
    void fix_size(double mu, double size);
    /// ||v|| and R of l2 balls.
    double length() const { return image_->length(); }
    double radius_sum() const { return image_->radius_sum(); }
    /// The best bias, of centred features, is known to be this one.
    void set_bias(double bias);

    /// Goes on from these multipliers c_j a_j, with this best bias of centred features.
    void move_to(const Vector& alpha, double bias);

    /// All points are visited again.
    void restore();
    /// One pass over the points that are not left out. False when stopped.
    bool pass();

    double mu() const { return mu_; }
    double softness() const { return softness_; }
    const Vector& centre() const { return centre_; }
    const Vector& alpha() const { return alpha_; }
    Vector w() const { return image_->w(); }
    /// a_j = alpha_j / c_j in [0, 1]; 0 for points of weight 0.
    Vector multipliers() const;
    /// Points with 0 < alpha_j < c_j.
    Index n_free() const;
    /// Is one of them at its bound c_j?
    bool has_full() const;
    /// Points visited by all passes so far.
    double n_visits() const { return n_visits_; }

private:
    bool visit(Index j);
    void soften(double mu);

    const HingeProblem& problem_;
    StopFlag stop_;
    std::unique_ptr<DualImage> image_;
    Random random_;
    double mu_ = 1.0;
    double softness_ = 0.0;  ///< k
    double bias_centre_ = 0.0;
    double balance_ = 0.0;  ///< y'alpha
    Vector centre_;
    Vector alpha_;
    std::vector<int> points_;  ///< of positive weight; the first n_active_ are visited
    std::size_t n_active_ = 0;
    double largest_ = 0.0;  ///< of the slopes that a pass saw, as far as alpha can follow
    double smallest_ = 0.0;
    double last_largest_ = HUGE_VAL;
    double last_smallest_ = -HUGE_VAL;
    double n_visits_ = 0.0;
};

}  // namespace redoubt
