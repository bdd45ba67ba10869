#pragma once

#include <functional>
#include <vector>

#include "svm/hinge_problem.hpp"
#include "svm/large_cholesky.hpp"

namespace redoubt {

/// The rows of a hinge problem against a ball: with z = (w, b, s) and s = ||S w||_q every hinge is
/// affine, t = 1 + G z, and row j of G is  g_j = (-y_j (x_j - mean), -y_j, r_j).
/// Problems without an adversary have no s and no r.
///
/// Features are centred on their weighted mean, which only moves the bias (b here means
/// b + w'mean there) and keeps w and b apart where the data lie far from the origin.
/// Rows are never stored: every pass reads X itself. Sums run over fixed pieces of the rows and
/// are added in order, so a result does not depend on the number of threads.
class BallRows {
public:
    explicit BallRows(const HingeProblem& problem) : problem_(problem) {}

    /// Length of z, and where b and s stand in it.
    Index n_variables() const { return problem_.n() + (problem_.is_robust() ? 2 : 1); }
    Index bias() const { return problem_.n(); }
    Index size() const { return problem_.n() + 1; }

    /// out = G z.
    void multiply(const VectorRef& z, Vector& out) const;
    /// The same for a z with the bias of the features as they are, rounding errors included.
    void multiply_uncentred(const VectorRef& z, Vector& out) const;

    /// out = G'alpha. Reads only the rows with alpha_j != 0.
    void multiply_transposed(const VectorRef& alpha, Vector& out);

    /// H = sum over the given rows of weight_i g_i g_i', upper triangle of the leading block of
    /// n_variables; H is square with kernels::padded(n_variables) rows.
    void gram(const std::vector<int>& rows, const std::vector<double>& weights, Matrix& H);

    /// The same for many variables. False when stopped.
    bool gram(const std::vector<int>& rows, const std::vector<double>& weights, LargeCholesky& H);

    /// The sum over j in [0, m) of what `part(begin, end)` returns for pieces [begin, end).
    double sum(const std::function<double(Index, Index)>& part) const;

private:
    void multiply_shifted(const VectorRef& z, double shift, Vector& out) const;
    int threads_for(double n_operations) const;
    void pack_row(int row, double weight, double* out) const;

    const HingeProblem& problem_;
    std::vector<int> rows_;
    std::vector<double> coef_;
    std::vector<Vector> partial_sums_;
    std::vector<Matrix> partial_grams_;
    std::vector<std::vector<double>> panels_;
};

}  // namespace redoubt
