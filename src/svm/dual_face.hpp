#pragma once

#include <vector>

#include "svm/ball_rows.hpp"
#include "svm/large_cholesky.hpp"

namespace redoubt {

/// One Newton step on the dual of dual_image.hpp, in the multipliers that are at no bound. Where
/// coordinate descent knows which those are, but creeps along them, a few such steps are the end.
///
/// With v = mu centre + sum alpha_j y_j z_j the dual's negative is, but for a constant,
///
///     (the distance of v to R B_p)^2 / (2 mu) - sum alpha + b_centre y'alpha + k/2 (y'alpha)^2 .
///
/// Its second derivative in the free multipliers is  (share Z Z' + a few terms p q') / mu,  Z being
/// the rows y_j z_j over those features whose part of w follows v. It may be singular, and features
/// come and go along the way: a multiple of the identity, which falls with the residual, keeps the
/// step short, and a line search makes sure that it leads down.
class DualFace {
public:
    /// Both must outlive this.
    DualFace(const HingeProblem& problem, BallRows& rows, StopFlag stop)
        : problem_(problem),
          rows_(rows),
          matrix_(problem.n_threads, stop),
          rest_(problem.n_threads, stop) {}

    /// The proximal problem of a DualDescent.
    struct Task {
        double mu;
        const Vector& centre;
        double softness;  ///< k
        bool is_bounded;  ///< multipliers are of the size of their bounds, not far below
    };
    /// Moves alpha, and the bias (of centred features) with it. False when stopped, or when no step
    /// leads down.
    bool step(const Task& task, Vector& alpha, double& bias);
    /// Numbers in a row of the last Z.
    Index n_following() const { return static_cast<Index>(following_.size()); }

private:
    struct Term {
        const Vector& p;
        const Vector& q;
        double strength;
    };

    double find_plane(const Task& task, const Vector& alpha);
    double merit(const Task& task, const Vector& alpha, double bias_centre);
    void find_free(const Vector& alpha);
    bool set_matrix();
    bool add_sparse_products();
    bool add_dense_products(const std::vector<int>& points, const std::vector<int>& features,
                            LargeCholesky& products) const;
    bool can_keep_products() const;
    bool add_kept_products();
    void add_terms(const std::vector<Term>& terms);
    void set_radial();
    double label(Index i) const { return problem_.y[free_[static_cast<std::size_t>(i)]]; }

    const HingeProblem& problem_;
    BallRows& rows_;
    LargeCholesky matrix_;
    LargeCholesky rest_;  ///< of the features that do not follow
    Matrix products_;     ///< of all points, over all features; empty: none yet
    std::vector<int> free_;
    std::vector<int> following_;
    std::vector<int> others_;  ///< features that do not follow
    Vector v_;
    Vector w_;
    double R_ = 0.0;
    double level_ = 0.0;  ///< as in threshold_image.hpp
    double size_ = 0.0;   ///< ||w||_q
    double share_ = 1.0;
    Vector radial_;  ///< of features: v / ||v||, or the signs of those that do (linf) or do not
                     ///< (l1) follow
    Vector along_;   ///< y_j z_j'radial
    Vector radii_;
};

}  // namespace redoubt
