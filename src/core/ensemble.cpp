#include "redoubt/ensemble.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "core/exact_sign.hpp"
#include "core/parallel.hpp"

namespace redoubt {

namespace {

/// Rows answered by one task: long enough to pay for its start, short enough to share out.
constexpr Index kRowsPerBlock = 1024;

Matrix stack_rows(const std::vector<Hyperplane>& planes) {
    if (planes.empty()) throw InvalidInput("planes", "at least one plane", "none");
    Matrix coef(static_cast<Index>(planes.size()), planes.front().w.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
        check_length("planes[" + std::to_string(i) + "].w", planes[i].w.size(), coef.cols());
        coef.row(static_cast<Index>(i)) = planes[i].w.transpose();
    }
    return coef;
}

Vector stack_intercepts(const std::vector<Hyperplane>& planes) {
    Vector intercept(static_cast<Index>(planes.size()));
    for (std::size_t i = 0; i < planes.size(); ++i) intercept[static_cast<Index>(i)] = planes[i].b;
    return intercept;
}

}  // namespace

int sign_of_plane(const VectorRef& w, double b, const VectorRef& x) {
    // In any order of summation |fl(w'x + b) - (w'x + b)| <= gamma_{n+1} (sum |w_l x_l| + |b|) plus
    // the underflow of n products; the bound itself is rounded, hence n + 4 and the doubled tiny.
    constexpr double eps = std::numeric_limits<double>::epsilon();
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    const double value = w.dot(x) + b;
    const double magnitude = w.cwiseAbs().dot(x.cwiseAbs()) + std::abs(b);
    const auto n = static_cast<double>(w.size());
    const double error = (n + 4.0) * eps * magnitude + 2.0 * n * tiny;
    if (std::isfinite(magnitude) && std::abs(value) > error) return value > 0.0 ? 1 : -1;
    return exact_sign(w, b, x) >= 0 ? 1 : -1;
}

Ensemble::Ensemble(Matrix coef, Vector intercept)
    : coef_(std::move(coef)), intercept_(std::move(intercept)) {
    if (coef_.rows() < 1) throw InvalidInput("coef", "at least one plane (row)", "none");
    if (coef_.cols() < 1) throw InvalidInput("coef", "at least one feature (column)", "none");
    check_length("intercept", intercept_.size(), coef_.rows());
    check_finite("coef", MatrixRef(coef_));
    check_finite("intercept", VectorRef(intercept_));
}

Ensemble::Ensemble(const Hyperplane& plane) : Ensemble(std::vector<Hyperplane>{plane}) {}

Ensemble::Ensemble(const std::vector<Hyperplane>& planes)
    : Ensemble(stack_rows(planes), stack_intercepts(planes)) {}

Vector Ensemble::margins(const VectorRef& x) const {
    return coef_ * x + intercept_;
}

int Ensemble::vote(const VectorRef& x) const {
    int sum = 0;
    for (Index i = 0; i < n_planes(); ++i) {
        sum += sign_of_plane(coef_.row(i).transpose(), intercept_[i], x);
    }
    return sum;
}

Eigen::VectorXi Ensemble::votes(const MatrixRef& X, int n_threads) const {
    if (X.cols() != n_features()) {
        throw InvalidInput("X", std::to_string(n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_finite("X", X);
    Eigen::VectorXi result(X.rows());
    const Index n_blocks = (X.rows() + kRowsPerBlock - 1) / kRowsPerBlock;
    parallel_for(n_blocks, n_threads, [&](Index block) {
        const Index end = std::min(X.rows(), (block + 1) * kRowsPerBlock);
        for (Index j = block * kRowsPerBlock; j < end; ++j) result[j] = vote(X.row(j).transpose());
    });
    return result;
}

Eigen::VectorXi Ensemble::predict_all(const MatrixRef& X, int n_threads) const {
    return votes(X, n_threads).unaryExpr([](int vote) { return vote >= 0 ? 1 : -1; });
}

}  // namespace redoubt
