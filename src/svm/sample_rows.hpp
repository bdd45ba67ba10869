#pragma once

#include <memory>

#include "linalg/kernels.hpp"
#include "redoubt/points.hpp"

namespace redoubt {

/// The rows of X as every pass of a solver reads them, dense or compressed: the one place that
/// knows which. Refers to the caller's numbers unless it was `compress`ed.
class SampleRows {
public:
    SampleRows() = default;
    explicit SampleRows(const PointsRef& X);
    /// Keeps the rows.
    explicit SampleRows(SparseMatrix rows);

    Index n_rows() const { return n_rows_; }
    Index n_cols() const { return n_cols_; }
    bool is_sparse() const { return is_sparse_; }
    /// Numbers that a pass reads.
    double n_numbers() const;

    /// Keeps a compressed copy of its own if at most `largest_share` of the numbers are not 0.
    void compress(double largest_share);

    /// The numbers of row j where they are not compressed.
    const double* dense_row(Index j) const { return dense_.data + j * dense_.stride; }
    /// x_j'w.
    double dot(Index j, const double* w) const;
    /// out += coef x_j.
    void add(Index j, double coef, double* out) const;
    /// ||x_j - centre||^2, given x_j'centre and ||centre||^2 (used where x_j is compressed).
    double squared_distance(Index j, const Vector& centre, double product, double square) const;
    /// out = x_j, n_cols numbers.
    void copy(Index j, double* out) const;
    /// Calls f(column, number) for the numbers of row j in ascending columns; zeros may be left
    /// out.
    template <typename F>
    void for_each(Index j, F&& f) const;

    /// What a threshold does to v + step z, with z = x_j - mean; of compressed rows z = x_j, and
    /// the sums are over its own columns.
    kernels::ThresholdSums threshold(Index j, const Vector& mean, const Vector& v, double step,
                                     double level) const;

    /// out[j] = x_j'w for j in [begin, end).
    void multiply(const double* w, Index begin, Index end, double* out) const;
    /// out += sum over i in [0, count) of coef[i] x_{rows[i]}.
    void add_weighted(const int* rows, const double* coef, Index count, double* out) const;

private:
    bool is_sparse_ = false;
    Index n_rows_ = 0;
    Index n_cols_ = 0;
    kernels::Rows dense_{};
    SparseView sparse_{};
    std::shared_ptr<const SparseMatrix>
        compressed_;  ///< what sparse_ refers to, if not the caller's
};

template <typename F>
void SampleRows::for_each(Index j, F&& f) const {
    if (is_sparse_) {
        sparse_.row(j).for_each(f);
    } else {
        const double* x = dense_row(j);
        for (Index l = 0; l < n_cols_; ++l) f(l, x[l]);
    }
}

}  // namespace redoubt
