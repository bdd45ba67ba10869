#include "redoubt/ensemble.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/exact_sign.hpp"
#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

/// Rows answered by one task: long enough to pay for its start, short enough to share out.
constexpr Index kRowsPerBlock = 1024;
/// Planes answered at a time; their values live on the stack.
constexpr Index kPlanesPerBlock = 32;
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
/// Weights are multiples of this power of two of the largest one's leading bit: all that a double
/// has...
constexpr int kWeightBits = 52;
/// ... as far as their sum stays below this power of two.
constexpr int kTotalBits = 62;
/// A weight smaller than this share of the largest would lose its digits on that grid, unless it is
/// a point of it.
constexpr double kLeastWeight = 0x1p-40;
/// Neither sums nor units of weights leave the range of doubles.
constexpr double kLargestWeight = 1e100;

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

int sign_of_plane(const VectorRef& w, double b, const PointRef& x) {
    // In any order of summation |fl(w'x + b) - (w'x + b)| <= gamma_{n+1} (sum |w_l x_l| + |b|) plus
    // the underflow of n products; the bound itself is rounded, hence n + 4 and the doubled tiny.
    double value = b;
    double magnitude = std::abs(b);
    if (x.is_sparse()) {
        x.sparse().for_each([&](Index l, double number) {
            value += w[l] * number;
            magnitude += std::abs(w[l] * number);
        });
    } else {
        value = w.dot(x.dense()) + b;
        magnitude = w.cwiseAbs().dot(x.dense().cwiseAbs()) + std::abs(b);
    }
    const auto n = static_cast<double>(x.n_entries());
    const double error = (n + 4.0) * kEps * magnitude + 2.0 * n * kTiny;
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
    total_units_ = coef_.rows();
    size_.resize(coef_.rows());
    const double rounding = 1.0 + static_cast<double>(coef_.cols() + 4) * kEps;
    for (Index i = 0; i < coef_.rows(); ++i) size_[i] = rounding * coef_.row(i).stableNorm();
}

Ensemble::Ensemble(Matrix coef, Vector intercept, Vector weights)
    : Ensemble(std::move(coef), std::move(intercept)) {
    if (weights.size() > 0) set_weights(std::move(weights));
}

void Ensemble::set_weights(Vector weights) {
    check_length("weights", weights.size(), n_planes());
    check_finite("weights", VectorRef(weights), kLargestWeight);
    const double largest = weights.maxCoeff();
    check_value(largest > 0.0, "weights", "numbers > 0", largest);
    int n_bits = kTotalBits - 1;
    for (Index planes = 1; planes < n_planes(); planes *= 2) --n_bits;
    const int exponent = std::ilogb(largest) - std::min(n_bits, kWeightBits);
    const auto is_on_grid = [&](double weight) {
        const double multiple = std::ldexp(weight, -exponent);
        return multiple == std::floor(multiple);
    };
    for (double weight : weights) {
        check_value(weight > 0.0, "weights", "numbers > 0", weight);
        check_value(weight >= 1.0 / kLargestWeight, "weights", "numbers >= 1e-100", weight);
        check_value(weight >= kLeastWeight * largest || is_on_grid(weight), "weights",
                    "numbers of at least 2^-40 of the largest", weight);
    }
    weights_ = std::move(weights);
    units_.resize(static_cast<std::size_t>(n_planes()));
    std::int64_t divisor = 0;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        units_[i] = std::llround(std::ldexp(weights_[static_cast<Index>(i)], -exponent));
        divisor = std::gcd(divisor, units_[i]);
    }
    weight_unit_ = std::ldexp(static_cast<double>(divisor), exponent);
    for (std::int64_t& units : units_) units /= divisor;
    total_units_ = std::accumulate(units_.begin(), units_.end(), std::int64_t{0});
    if (total_units_ == n_planes()) units_.clear();
}

Ensemble Ensemble::with_quota(double quota) const {
    const double total = is_weighted() ? weights_.sum() : static_cast<double>(total_units_);
    const std::string wanted =
        is_weighted() ? "a number > 0 and <= the sum of the weights, " + format_number(total)
                      : "a number > 0 and <= the number of planes, " + std::to_string(n_planes());
    check_value(quota > 0.0 && quota <= total, "quota", wanted, quota);
    // The least integer u with u * unit >= quota: the division may be off by a rounding, the sign
    // of a fused difference is not.
    const auto reaches = [&](std::int64_t units) {
        return std::fma(static_cast<double>(units), weight_unit_, -quota) >= 0.0;
    };
    const double share = std::min(std::ceil(quota / weight_unit_), 0x1p62);
    auto units = static_cast<std::int64_t>(share);
    while (units > 1 && reaches(units - 1)) --units;
    while (units < total_units_ && !reaches(units)) ++units;
    if (quota == total) units = total_units_;
    Ensemble result = *this;
    result.quota_ = quota;
    result.quota_units_ = std::clamp<std::int64_t>(units, 1, total_units_);
    return result;
}

Ensemble::Ensemble(const Hyperplane& plane) : Ensemble(std::vector<Hyperplane>{plane}) {}

Ensemble::Ensemble(const std::vector<Hyperplane>& planes)
    : Ensemble(stack_rows(planes), stack_intercepts(planes)) {}

Vector Ensemble::margins(const PointRef& x) const {
    if (!x.is_sparse()) return coef_ * x.dense() + intercept_;
    Vector margins = intercept_;
    for (Index i = 0; i < n_planes(); ++i)
        margins[i] += kernels::dot(x.sparse(), coef_.row(i).data());
    return margins;
}

/// Calls take(plane, answer) for every plane. The filter is that of sign_of_plane with
/// sum |w_l x_l| <= ||w||_2 ||x||_2, which one pass over the planes serves.
template <typename Take>
void Ensemble::for_each_answer(const PointRef& x, Take take) const {
    const kernels::Rows rows{coef_.data(), coef_.cols(), coef_.cols()};
    const auto n = static_cast<double>(x.n_entries());
    const double length = x.norm() * (1.0 + (n + 4.0) * kEps) + std::sqrt(n * kTiny);
    std::array<double, kPlanesPerBlock> values;
    for (Index begin = 0; begin < n_planes(); begin += kPlanesPerBlock) {
        const Index end = std::min(n_planes(), begin + kPlanesPerBlock);
        if (x.is_sparse()) {
            for (Index i = begin; i < end; ++i)
                values[static_cast<std::size_t>(i - begin)] =
                    kernels::dot(x.sparse(), rows.data + i * rows.stride);
        } else {
            kernels::multiply_rows({rows.data + begin * rows.stride, rows.stride, rows.cols},
                                   x.dense().data(), 0, end - begin, values.data());
        }
        for (Index i = begin; i < end; ++i) {
            const double value = values[static_cast<std::size_t>(i - begin)] + intercept_[i];
            const double magnitude = size_[i] * length + std::abs(intercept_[i]);
            const double error = (n + 8.0) * kEps * magnitude + 4.0 * n * kTiny;
            const bool is_clear = std::abs(value) > error && error < HUGE_VAL;
            take(i, is_clear ? (value > 0.0 ? 1 : -1)
                             : sign_of_plane(coef_.row(i).transpose(), intercept_[i], x));
        }
    }
}

Eigen::VectorXi Ensemble::answers(const PointRef& x) const {
    Eigen::VectorXi result(n_planes());
    for_each_answer(x, [&](Index i, int answer) { result[i] = answer; });
    return result;
}

int Ensemble::vote(const PointRef& x) const {
    int sum = 0;
    for_each_answer(x, [&](Index, int answer) { sum += answer; });
    return sum;
}

std::int64_t Ensemble::vote_units(const PointRef& x) const {
    if (units_.empty()) return vote(x);
    std::int64_t sum = 0;
    for_each_answer(
        x, [&](Index i, int answer) { sum += answer * units_[static_cast<std::size_t>(i)]; });
    return sum;
}

/// Calls take(j, x) for every row x of X, which is checked.
template <typename Take>
void Ensemble::for_each_row(const PointsRef& X, int n_threads, Take take) const {
    if (X.cols() != n_features()) {
        throw InvalidInput("X", std::to_string(n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_points("X", X);
    parallel_blocks(X.rows(), kRowsPerBlock, n_threads, [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) take(j, X.row(j));
    });
}

Eigen::VectorXi Ensemble::votes(const PointsRef& X, int n_threads) const {
    Eigen::VectorXi result(X.rows());
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) { result[j] = vote(x); });
    return result;
}

Vector Ensemble::weighted_votes(const PointsRef& X, int n_threads) const {
    Vector result(X.rows());
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) { result[j] = weighted_vote(x); });
    return result;
}

Eigen::VectorXi Ensemble::predict_all(const PointsRef& X, int n_threads) const {
    Eigen::VectorXi result(X.rows());
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) { result[j] = predict(x); });
    return result;
}

}  // namespace redoubt
