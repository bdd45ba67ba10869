#include "svm/ball_free_rows.hpp"

namespace redoubt {

void BallFreeRows::multiply(const Vector& w, Vector& out) const {
    out.resize(count());
    const double shift = problem_.mean.dot(w);
    for (Index i = 0; i < count(); ++i) {
        const int j = points_[static_cast<std::size_t>(i)];
        out[i] = -problem_.y[j] * (problem_.rows.dot(j, w.data()) - shift);
    }
}

void BallFreeRows::add_transposed(const Vector& lambda, Vector& out) const {
    double balance = 0.0;
    for (Index i = 0; i < count(); ++i) {
        const int j = points_[static_cast<std::size_t>(i)];
        const double coef = -problem_.y[j] * lambda[i];
        problem_.rows.add(j, coef, out.data());
        balance += coef;
    }
    out -= balance * problem_.mean;
}

bool BallFreeRows::add_gram(const Vector& diagonal, LargeCholesky& matrix) const {
    if (problem_.rows.is_sparse()) return add_sparse_gram(diagonal, matrix);
    const Vector scale = diagonal.cwiseSqrt().cwiseInverse();
    return matrix.add_columns(problem_.n(), [&](Index i, Index begin, Index end, double* out) {
        const int j = points_[static_cast<std::size_t>(i)];
        const double sign = -problem_.y[j];
        const double* x = problem_.rows.dense_row(j);
        for (Index l = begin; l < end; ++l)
            out[l - begin] = sign * (x[l] - problem_.mean[l]) * scale[l];
    });
}

/// Every row is spread out once and multiplied with those after it.
bool BallFreeRows::add_sparse_gram(const Vector& diagonal, LargeCholesky& matrix) const {
    const Vector mean = problem_.mean.cwiseQuotient(diagonal);
    const double square = mean.dot(problem_.mean);
    Vector product(count());
    for (Index i = 0; i < count(); ++i)
        product[i] = problem_.rows.dot(points_[static_cast<std::size_t>(i)], mean.data());
    Vector spread = Vector::Zero(problem_.n());
    for (Index i = 0; i < count(); ++i) {
        const int j = points_[static_cast<std::size_t>(i)];
        if (matrix.is_stopped()) return false;
        problem_.rows.for_each(j, [&](Index l, double value) { spread[l] = value / diagonal[l]; });
        for (Index k = i; k < count(); ++k) {
            const int other = points_[static_cast<std::size_t>(k)];
            const double inner = problem_.rows.dot(other, spread.data());
            matrix.at(i, k) +=
                problem_.y[j] * problem_.y[other] * (inner - product[i] - product[k] + square);
        }
        problem_.rows.for_each(j, [&](Index l, double) { spread[l] = 0.0; });
    }
    return true;
}

}  // namespace redoubt
