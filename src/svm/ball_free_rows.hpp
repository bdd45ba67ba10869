#pragma once

#include "svm/free_row_system.hpp"
#include "svm/hinge_problem.hpp"

namespace redoubt {

/// z_i = -y_j (x_j - mean) for the free points j.
class BallFreeRows : public FreeRows {
public:
    /// The problem must outlive this.
    explicit BallFreeRows(const HingeProblem& problem) : problem_(problem) {}
    void set(const std::vector<int>& points) { points_ = points; }

    Index count() const override { return static_cast<Index>(points_.size()); }
    void multiply(const Vector& w, Vector& out) const override;
    void add_transposed(const Vector& lambda, Vector& out) const override;
    bool add_gram(const Vector& diagonal, LargeCholesky& matrix) const override;

private:
    bool add_sparse_gram(const Vector& diagonal, LargeCholesky& matrix) const;

    const HingeProblem& problem_;
    std::vector<int> points_;
};

}  // namespace redoubt
