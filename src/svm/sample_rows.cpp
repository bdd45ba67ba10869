#include "svm/sample_rows.hpp"

#include <algorithm>

namespace redoubt {

SampleRows::SampleRows(kernels::Rows dense, Index n_rows)
    : n_rows_(n_rows), n_cols_(dense.cols), dense_(dense) {}

double SampleRows::n_numbers() const {
    return is_sparse_ ? static_cast<double>(value_.size()) : static_cast<double>(n_rows_ * n_cols_);
}

void SampleRows::compress(double largest_share) {
    if (is_sparse_) return;
    const auto limit =
        static_cast<std::size_t>(largest_share * static_cast<double>(n_rows_ * n_cols_));
    start_.assign(1, 0);
    index_.clear();
    value_.clear();
    for (Index j = 0; j < n_rows_; ++j) {
        const double* x = dense_.data + j * dense_.stride;
        for (Index l = 0; l < n_cols_; ++l) {
            if (x[l] == 0.0) continue;
            index_.push_back(static_cast<std::int32_t>(l));
            value_.push_back(x[l]);
        }
        start_.push_back(static_cast<std::int64_t>(value_.size()));
        if (value_.size() > limit) {
            start_ = {};
            index_ = {};
            value_ = {};
            return;
        }
    }
    is_sparse_ = true;
}

double SampleRows::dot(Index j, const double* w) const {
    if (is_sparse_) return kernels::dot_row(sparse(), j, w);
    return kernels::dot(dense_.data + j * dense_.stride, w, n_cols_);
}

void SampleRows::add(Index j, double coef, double* out) const {
    if (is_sparse_) {
        kernels::add_row(sparse(), j, coef, out);
    } else {
        kernels::add_multiple(coef, dense_.data + j * dense_.stride, n_cols_, out);
    }
}

double SampleRows::squared_distance(Index j, const Vector& centre, double product,
                                    double square) const {
    if (!is_sparse_) {
        const Eigen::Map<const Vector> x(dense_.data + j * dense_.stride, n_cols_);
        return (x - centre).squaredNorm();
    }
    double sum = 0.0;
    for_each(j, [&](Index, double value) { sum += value * value; });
    return std::max(0.0, sum - 2.0 * product + square);
}

void SampleRows::copy(Index j, double* out) const {
    if (is_sparse_) {
        std::fill(out, out + n_cols_, 0.0);
        kernels::add_row(sparse(), j, 1.0, out);
    } else {
        const double* x = dense_.data + j * dense_.stride;
        std::copy(x, x + n_cols_, out);
    }
}

kernels::ThresholdSums SampleRows::threshold(Index j, const Vector& mean, const Vector& v,
                                             double step, double level) const {
    if (is_sparse_) return kernels::threshold_sums(sparse(), j, v.data(), step, level);
    return kernels::threshold_sums(
        {dense_.data + j * dense_.stride, mean.data(), v.data(), step, level, n_cols_});
}

void SampleRows::multiply(const double* w, Index begin, Index end, double* out) const {
    if (!is_sparse_) {
        kernels::multiply_rows(dense_, w, begin, end, out);
        return;
    }
    const kernels::SparseRows rows = sparse();
    for (Index j = begin; j < end; ++j) out[j] = kernels::dot_row(rows, j, w);
}

void SampleRows::add_weighted(const int* rows, const double* coef, Index count, double* out) const {
    if (!is_sparse_) {
        kernels::add_weighted_rows(dense_, rows, coef, count, out);
        return;
    }
    const kernels::SparseRows all = sparse();
    for (Index i = 0; i < count; ++i) kernels::add_row(all, rows[i], coef[i], out);
}

}  // namespace redoubt
