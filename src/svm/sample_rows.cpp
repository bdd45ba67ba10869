#include "svm/sample_rows.hpp"

#include <algorithm>
#include <utility>

namespace redoubt {

SampleRows::SampleRows(const PointsRef& X)
    : is_sparse_(X.is_sparse()), n_rows_(X.rows()), n_cols_(X.cols()) {
    if (is_sparse_) {
        sparse_ = X.sparse();
    } else {
        dense_ = {X.dense().data(), X.dense().outerStride(), X.cols()};
    }
}

SampleRows::SampleRows(SparseMatrix rows)
    : is_sparse_(true),
      n_rows_(rows.rows()),
      n_cols_(rows.cols()),
      compressed_(std::make_shared<const SparseMatrix>(std::move(rows))) {
    sparse_ = compressed_->view();
}

double SampleRows::n_numbers() const {
    return static_cast<double>(is_sparse_ ? sparse_.n_entries() : n_rows_ * n_cols_);
}

void SampleRows::compress(double largest_share) {
    if (is_sparse_) return;
    const auto limit = static_cast<Index>(largest_share * static_cast<double>(n_rows_ * n_cols_));
    SparseMatrix rows(n_cols_);
    for (Index j = 0; j < n_rows_; ++j) {
        const double* x = dense_row(j);
        for (Index l = 0; l < n_cols_; ++l) {
            if (x[l] != 0.0) rows.push_back(l, x[l]);
        }
        rows.end_row();
        if (rows.n_entries() > limit) return;
    }
    *this = SampleRows(std::move(rows));
}

double SampleRows::dot(Index j, const double* w) const {
    if (is_sparse_) return kernels::dot(sparse_.row(j), w);
    return kernels::dot(dense_row(j), w, n_cols_);
}

void SampleRows::add(Index j, double coef, double* out) const {
    if (is_sparse_) {
        kernels::add_row(sparse_.row(j), coef, out);
    } else {
        kernels::add_multiple(coef, dense_row(j), n_cols_, out);
    }
}

double SampleRows::squared_distance(Index j, const Vector& centre, double product,
                                    double square) const {
    if (!is_sparse_) {
        const Eigen::Map<const Vector> x(dense_row(j), n_cols_);
        return (x - centre).squaredNorm();
    }
    double sum = 0.0;
    for_each(j, [&](Index, double value) { sum += value * value; });
    return std::max(0.0, sum - 2.0 * product + square);
}

void SampleRows::copy(Index j, double* out) const {
    if (is_sparse_) {
        std::fill(out, out + n_cols_, 0.0);
        kernels::add_row(sparse_.row(j), 1.0, out);
    } else {
        const double* x = dense_row(j);
        std::copy(x, x + n_cols_, out);
    }
}

kernels::ThresholdSums SampleRows::threshold(Index j, const Vector& mean, const Vector& v,
                                             double step, double level) const {
    if (is_sparse_) return kernels::threshold_sums(sparse_.row(j), v.data(), step, level);
    return kernels::threshold_sums({dense_row(j), mean.data(), v.data(), step, level, n_cols_});
}

void SampleRows::multiply(const double* w, Index begin, Index end, double* out) const {
    if (!is_sparse_) {
        kernels::multiply_rows(dense_, w, begin, end, out);
        return;
    }
    for (Index j = begin; j < end; ++j) out[j] = dot(j, w);
}

void SampleRows::add_weighted(const int* rows, const double* coef, Index count, double* out) const {
    if (!is_sparse_) {
        kernels::add_weighted_rows(dense_, rows, coef, count, out);
        return;
    }
    for (Index i = 0; i < count; ++i) add(rows[i], coef[i], out);
}

}  // namespace redoubt
