#include "search/plane_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rounding.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

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

/// Is plane i exactly -c times plane j, whose largest weight is at `pivot`, for some c > 0?
bool are_opposite(const Matrix& W, const Vector& b, int i, int j, Index pivot) {
    const double p = W(i, pivot);
    const double q = W(j, pivot);
    if (!(p * q < 0.0)) return false;
    for (Index l = 0; l < W.cols(); ++l) {
        if (!are_products_equal(W(i, l), q, W(j, l), p)) return false;
    }
    return are_products_equal(b[i], q, b[j], p);
}

}  // namespace

PlaneSet::PlaneSet(const Ensemble& ensemble, const MoveSpace& space, const CountingRules& rules)
    : norm_(space.model->norm) {
    const Matrix& coef = ensemble.coef();
    const auto has_coordinate = [&](Index i) {
        if (space.is_ball) return (coef.row(i).array() != 0.0).any();
        for (Index c = 0; c < space.size(); ++c) {
            // Not only the weight: the product may vanish.
            if (coef(i, space.features[static_cast<std::size_t>(c)]) * space.unit[c] != 0.0)
                return true;
        }
        return false;
    };
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        if (has_coordinate(i)) index_.push_back(static_cast<int>(i));
    }
    if (space.is_ball) {
        W_ = coef(index_, Eigen::all);
    } else {
        W_ = coef(index_, space.features) * space.unit.asDiagonal();
    }
    load_weights(ensemble, rules);
    scale_rows();
    measure_rows();
    if (norm_ == Norm::L2 && !space.has_box) gram_ = W_ * W_.transpose();
    find_opposites(ensemble);
}

PlaneSet::PlaneSet(const Ensemble& ensemble, Norm norm, std::vector<Index> features,
                   const std::vector<Index>& merged)
    : norm_(norm) {
    const Matrix& coef = ensemble.coef();
    const double rounding = 1.0 + static_cast<double>(coef.cols() + 4) * kEps;
    std::vector<char> is_here(static_cast<std::size_t>(coef.cols()), 0);
    for (Index l : features) is_here[static_cast<std::size_t>(l)] = 1;
    for (Index l : merged) is_here[static_cast<std::size_t>(l)] = 1;
    std::vector<double> sizes;
    std::vector<double> elsewhere;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const double size = norm_value(dual(norm), coef.row(i).transpose());
        if (!(size > 0.0)) continue;
        index_.push_back(static_cast<int>(i));
        sizes.push_back(rounding * size);
        double largest = 0.0;
        for (Index l = 0; l < coef.cols(); ++l) {
            if (is_here[static_cast<std::size_t>(l)] == 0)
                largest = std::max(largest, std::abs(coef(i, l)));
        }
        elsewhere.push_back(largest);
    }
    W_ = coef(index_, features);
    if (!merged.empty()) append_merged(coef, merged);
    load_weights(ensemble, {});
    scale_rows();
    measure_rows();
    size_ = Eigen::Map<const Vector>(sizes.data(), W_.rows()).cwiseProduct(scale_);
    elsewhere_ = Eigen::Map<const Vector>(elsewhere.data(), W_.rows()).cwiseProduct(scale_);
    if (norm_ == Norm::L2) gram_ = W_ * W_.transpose();
    find_opposites(ensemble);
}

void PlaneSet::append_merged(const Matrix& coef, const std::vector<Index>& merged) {
    W_.conservativeResize(Eigen::NoChange, W_.cols() + 1);
    for (std::size_t i = 0; i < index_.size(); ++i) {
        const auto w = coef.row(index_[i]);
        double sum = 0.0;
        double rest = 0.0;
        // What an addition rounds off is exact, so that however many terms there are, the total is
        // off by a few units in the last place at most.
        for (Index l : merged) {
            const double term = std::abs(w[l]);
            const double next = sum + term;
            rest += sum >= term ? (sum - next) + term : (term - next) + sum;
            sum = next;
        }
        W_(static_cast<Index>(i), W_.cols() - 1) = (sum + rest) * (1.0 + 4.0 * kEps);
    }
}

void PlaneSet::load_weights(const Ensemble& ensemble, const CountingRules& rules) {
    const std::size_t n_counts = std::max<std::size_t>(1, rules.weights.size());
    total_.reset(n_counts);
    is_majority_ = n_counts == 1;
    for (int i : index_) {
        at_zero_.push_back(static_cast<signed char>(rules.answer_at_zero(i)));
        for (std::size_t r = 0; r < n_counts; ++r) {
            const Index weight = rules.weights.empty()
                                     ? ensemble.weight_units(i)
                                     : rules.weights[r][static_cast<std::size_t>(i)];
            weight_.push_back(weight);
            total_[r] += weight;
            is_majority_ = is_majority_ && weight == 1;
        }
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
    }
}

void PlaneSet::measure_rows() {
    size_.resize(W_.rows());
    const double rounding = 1.0 + static_cast<double>(W_.cols() + 4) * kEps;
    for (Index i = 0; i < W_.rows(); ++i)
        size_[i] = rounding * norm_value(dual(norm_), W_.row(i).transpose());
    // Row by row, as they lie in memory.
    is_live_.assign(static_cast<std::size_t>(W_.cols()), 0);
    for (Index i = 0; i < W_.rows(); ++i) {
        for (Index l = 0; l < W_.cols(); ++l) {
            if (W_(i, l) != 0.0) is_live_[static_cast<std::size_t>(l)] = 1;
        }
    }
    n_live_features_ = std::count(is_live_.begin(), is_live_.end(), 1);
}

/// By the planes themselves: rounded columns could look opposite where the planes are not.
void PlaneSet::find_opposites(const Ensemble& ensemble) {
    opposite_.resize(index_.size());
    const Matrix& coef = ensemble.coef();
    std::vector<Index> pivot(index_.size(), 0);
    for (std::size_t i = 0; i < index_.size(); ++i)
        coef.row(index_[i]).cwiseAbs().maxCoeff(&pivot[i]);
    for (std::size_t i = 0; i < index_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!are_opposite(coef, ensemble.intercept(), index_[i], index_[j], pivot[j])) continue;
            opposite_[i].push_back(static_cast<int>(j));
            opposite_[j].push_back(static_cast<int>(i));
        }
    }
    for (int i : index_) largest_.push_back(ensemble.coef().row(i).cwiseAbs().maxCoeff());
}

/// The largest weights of opposite planes are those of the same feature.
std::array<double, 2> PlaneSet::cancelling(Index i, Index j) const {
    const auto largest = [&](Index k) { return largest_[static_cast<std::size_t>(k)]; };
    return {largest(j) / scale_[i], largest(i) / scale_[j]};
}

void PointMargins::resize(int label, Index n_planes) {
    current_label = label;
    goal.resize(n_planes);
    floor.resize(n_planes);
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
