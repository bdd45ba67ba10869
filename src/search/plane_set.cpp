#include "search/plane_set.hpp"

#include <cmath>
#include <limits>

#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Beyond this, scaling could push a smaller entry out of the range where it is exact.
constexpr int kLargestExponent = 400;
/// Distances below this, squared, are lost.
constexpr double kNoGap = 1e-100;
constexpr double kShareOfLeast = 1e-2;

/// Is a b = c d, without rounding? A product and its rounding error, which fma gives, are exact
/// together; where that may underflow the answer is no.
bool are_products_equal(double a, double b, double c, double d) {
    const double left = a * b;
    const double right = c * d;
    if (left != right) return false;
    if (left == 0.0) return (a == 0.0 || b == 0.0) && (c == 0.0 || d == 0.0);
    if (std::abs(left) < 1e-250) return false;
    return std::fma(a, b, -left) == std::fma(c, d, -right);
}

/// Is plane i exactly -c times plane j for some c > 0?
bool are_opposite(const Matrix& W, const Vector& b, Index i, Index j) {
    Index pivot = 0;
    W.row(j).cwiseAbs().maxCoeff(&pivot);
    const double p = W(i, pivot);
    const double q = W(j, pivot);
    if (!(p * q < 0.0)) return false;
    for (Index l = 0; l < W.cols(); ++l) {
        if (!are_products_equal(W(i, l), q, W(j, l), p)) return false;
    }
    return are_products_equal(b[i], q, b[j], p);
}

}  // namespace

PlaneSet::PlaneSet(const Ensemble& ensemble, Norm norm) : norm_(norm) {
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        if ((ensemble.coef().row(i).array() != 0.0).any()) {
            index_.push_back(static_cast<int>(i));
        } else {
            (ensemble.intercept()[i] >= 0.0 ? always_plus_ : always_minus_) +=
                ensemble.weight_units(i);
        }
    }
    W_ = ensemble.coef()(index_, Eigen::all);
    b_ = ensemble.intercept()(index_);
    load_weights(ensemble);
    scale_rows();
    measure_rows();
    if (norm == Norm::L2) gram_ = W_ * W_.transpose();
    find_opposites(W_, b_);
}

PlaneSet::PlaneSet(const Ensemble& ensemble, const MoveSpace& space) : norm_(space.model->norm) {
    const Matrix columns = ensemble.coef()(Eigen::all, space.features);
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const auto row = columns.row(i).array() * space.unit.transpose().array();
        if ((row != 0.0).any()) index_.push_back(static_cast<int>(i));
    }
    W_ = columns(index_, Eigen::all) * space.unit.asDiagonal();
    b_ = ensemble.intercept()(index_);
    load_weights(ensemble);
    scale_rows();
    measure_rows();
    // Rounding of the scaled columns could make planes look opposite that are not.
    find_opposites(ensemble.coef()(index_, Eigen::all), ensemble.intercept()(index_));
}

void PlaneSet::load_weights(const Ensemble& ensemble) {
    for (int i : index_) {
        weight_.push_back(ensemble.weight_units(i));
        total_weight_ += weight_.back();
        is_majority_ = is_majority_ && weight_.back() == 1;
    }
}

/// A plane may be scaled by any factor; a power of two rounds nothing, and brings all planes to
/// about the same size, which the node solvers' pivots rely on.
void PlaneSet::scale_rows() {
    scale_ = Vector::Ones(W_.rows());
    for (Index i = 0; i < W_.rows(); ++i) {
        const int exponent = std::ilogb(W_.row(i).cwiseAbs().maxCoeff());
        if (std::abs(exponent) > kLargestExponent) continue;
        scale_[i] = std::ldexp(1.0, -exponent);
        W_.row(i) *= scale_[i];
        b_[i] = std::ldexp(b_[i], -exponent);
    }
}

void PlaneSet::measure_rows() {
    size_.resize(W_.rows());
    const double rounding = 1.0 + static_cast<double>(W_.cols() + 4) * kEps;
    for (Index i = 0; i < W_.rows(); ++i)
        size_[i] = rounding * norm_value(dual(norm_), W_.row(i).transpose());
    for (Index l = 0; l < W_.cols(); ++l) {
        is_live_.push_back((W_.col(l).array() != 0.0).any() ? 1 : 0);
        n_live_features_ += is_live_.back();
    }
}

void PlaneSet::find_opposites(const Matrix& W, const Vector& b) {
    opposite_.resize(index_.size());
    for (Index i = 0; i < W.rows(); ++i) {
        for (Index j = 0; j < i; ++j) {
            if (!are_opposite(W, b, i, j)) continue;
            opposite_[static_cast<std::size_t>(i)].push_back(static_cast<int>(j));
            opposite_[static_cast<std::size_t>(j)].push_back(static_cast<int>(i));
        }
    }
}

void PointMargins::compute(const PlaneSet& planes, const VectorRef& x, int from_answer,
                           double slack_factor) {
    from = from_answer;
    const Index k = planes.n_planes();
    goal.resize(k);
    floor.resize(k);
    const double n = static_cast<double>(planes.n_features());
    for (Index i = 0; i < k; ++i) {
        const auto w = planes.W().row(i);
        const double margin = from * (w.dot(x) + planes.b()[i]);
        const double magnitude = w.cwiseAbs().dot(x.cwiseAbs()) + std::abs(planes.b()[i]);
        const double error =
            (n + 4.0) * kEps * magnitude + 2.0 * n * std::numeric_limits<double>::denorm_min();
        floor[i] = margin - error;
        // The second error is that of rounding x + d. Uneven multiples keep planes that are alike
        // from tying, on which a simplex method could stall.
        const double uneven =
            1.0 + 0.25 * std::fmod(0.618033988749895 * static_cast<double>(i + 1), 1.0);
        goal[i] = margin + slack_factor * uneven * (4.0 * error + 64.0 * kEps * std::abs(margin));
    }
    even_out(planes, slack_factor);
}

void PointMargins::even_out(const PlaneSet& planes, double slack_factor) {
    const auto gap = [&](Index i) { return (goal[i] - floor[i]) / planes.size()[i]; };
    double least = HUGE_VAL;
    for (Index i = 0; i < goal.size(); ++i) {
        if (gap(i) > kNoGap) least = std::min(least, gap(i));
    }
    least = least < HUGE_VAL ? kShareOfLeast * least : slack_factor * kNoGap;
    for (Index i = 0; i < goal.size(); ++i) {
        const double share =
            1.0 + 0.25 * std::fmod(0.618033988749895 * static_cast<double>(i), 1.0);
        if (slack_factor > 0.0 && gap(i) < least) goal[i] += share * least * planes.size()[i];
    }
}

void PointMargins::slacks(const PlaneSet& planes, const Vector& e,
                          std::vector<double>& slack) const {
    const Index k = planes.n_planes();
    slack.resize(static_cast<std::size_t>(k));
    const kernels::Rows rows{planes.W().data(), planes.W().cols(), planes.W().cols()};
    kernels::multiply_rows(rows, e.data(), 0, k, slack.data());
    Eigen::Map<Vector>(slack.data(), k) -= goal;
}

double PointMargins::widest_gap(const PlaneSet& planes) const {
    double widest = 0.0;
    for (Index i = 0; i < goal.size(); ++i)
        widest = std::max(widest, (goal[i] - floor[i]) / planes.size()[i]);
    return widest;
}

}  // namespace redoubt
