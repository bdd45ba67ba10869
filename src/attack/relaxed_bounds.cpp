/// The bounds of the relaxed adversary's search and what follows from them, norm by norm.

#include <algorithm>
#include <cmath>
#include <limits>

#include "attack/relaxed_search.hpp"
#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Beyond this relative error of ||u|| the Gram matrix says too little about angles to narrow by.
constexpr double kMaxAngleError = 1e-3;

constexpr double kHuge = 1e300;

/// The least theta_l of the quadratic bound for LInf, as a share of the mean.
constexpr double kThetaFloor = 0.25;

/// Prices tried for the knapsack below; each costs a pass, and any price gives a valid bound.
constexpr int kKnapsackPrices = 3;

/// At least max { gain'x : cost'x <= budget, 0 <= x <= 1 } for gain, cost >= 0, and nearly equal:
/// for every price p >= 0 it is at most  p budget + sum [gain_l - p cost_l]_+,  convex in p.
double knapsack_bound(const double* gain, const double* cost, Index size, double budget) {
    const Eigen::Map<const Eigen::ArrayXd> gains(gain, size);
    const Eigen::Map<const Eigen::ArrayXd> costs(cost, size);
    double best = gains.sum();
    if (costs.sum() <= budget) return best;
    double low = 0.0;
    double high = best / budget;
    if (!(high > 0.0) || !std::isfinite(high)) return best;
    for (int trial = 0; trial < kKnapsackPrices; ++trial) {
        const double price = 0.5 * (low + high);
        best = std::min(best, price * budget + (gains - price * costs).max(0.0).sum());
        // The cost of what is worth its price, in a form that vectorises.
        const double spent = ((gains - price * costs) * kHuge).max(0.0).min(costs).sum();
        (spent > budget ? low : high) = price;
    }
    return best;
}

}  // namespace

void RelaxedSearch::evaluate(const Node& node) {
    constant_ = node.constant;
    for (const Index i : node.free) {
        const auto at = static_cast<std::size_t>(i);
        lambda_[i] =
            std::clamp((terms_->c[i] + node.hi[at]) / (node.hi[at] - node.lo[at]), 0.0, 1.0);
        constant_ -= lambda_[i] * node.lo[at];
    }
    if (planes_.norm == Norm::L2) {
        evaluate_l2(node);
    } else {
        evaluate_linf(node);
    }
}

void RelaxedSearch::evaluate_l2(const Node& node) {
    double square = node.fixed_square;
    double size = node.fixed_size;
    for (const Index i : node.free) {
        const double* row = gram_.row(i).data();
        double product = node.fixed[i];
        for (const Index j : node.free) product += lambda_[j] * row[j];
        step_[i] = product;
        square += lambda_[i] * (node.fixed[i] + product);
        size += lambda_[i] * size_[static_cast<std::size_t>(i)];
    }
    // ||u||^2 is a sum of products whose sizes add up to at most size^2.
    const double error = gram_error_ * kEps * size * size;
    square = std::max(square, 0.0) + error;
    norm_ = std::sqrt(square);
    norm_error_ = square > 0.0 ? gram_error_ * kEps * size / norm_ : 1.0;
    norm_error_ = std::max(norm_error_, square > 0.0 ? error / square : 1.0);
    const double factor = norm_ > 0.0 ? terms_->radius / norm_ : 0.0;
    for (const Index i : node.free) step_[i] *= factor;
    bound_ = constant_ + terms_->radius * norm_;
}

void RelaxedSearch::evaluate_linf(const Node& node) {
    u_ = node.fixed;
    for (const Index i : node.free) u_ += lambda_[i] * rows_.row(i).transpose();
    norm_ = u_.lpNorm<1>();
    direction_ = (u_.array() < 0.0).select(Vector::Constant(u_.size(), -1.0), 1.0);
    for (const Index i : node.free) step_[i] = terms_->radius * rows_.row(i).dot(direction_);
    bound_ = constant_ + terms_->radius * norm_;
}

void RelaxedSearch::narrow(Node& node) {
    if (planes_.norm == Norm::L2) {
        narrow_l2(node);
    } else {
        narrow_linf(node);
    }
    for (std::size_t j = node.free.size(); j-- > 0;) {
        const Index i = node.free[j];
        const auto at = static_cast<std::size_t>(i);
        if (terms_->c[i] + node.lo[at] >= 0.0) {
            decide(node, j, true);
        } else if (terms_->c[i] + node.hi[at] <= 0.0) {
            decide(node, j, false);
        }
    }
}

/// On the sphere, u'd >= t is a cap of half-angle theta around u, and a row at the angle phi from u
/// takes the values  r ||a|| cos(phi - theta .. phi + theta)  there.
void RelaxedSearch::narrow_l2(Node& node) {
    if (norm_error_ > kMaxAngleError) return;
    const double reach = terms_->radius * norm_;
    const double error = 2.0 * norm_error_ + 16.0 * kEps;
    const double cos_theta = (best_.value - terms_->slack - constant_) / reach - error;
    if (cos_theta <= -1.0) return;
    if (cos_theta >= 1.0) return;  // rounding only: the bound was not below the incumbent
    const double sin_theta = std::sqrt((1.0 - cos_theta) * (1.0 + cos_theta));
    for (const Index i : node.free) {
        const auto at = static_cast<std::size_t>(i);
        const double length = terms_->radius * size_[at];
        const double cos_phi = step_[i] / length;
        const double near = std::clamp(cos_phi + error, -1.0, 1.0);
        const double far = std::clamp(cos_phi - error, -1.0, 1.0);
        const double margin = 8.0 * kEps * length;
        if (near < cos_theta) {
            const double sin_phi = std::sqrt((1.0 - near) * (1.0 + near));
            node.hi[at] =
                std::min(node.hi[at], length * (near * cos_theta + sin_phi * sin_theta) + margin);
        }
        if (far > -cos_theta) {
            const double sin_phi = std::sqrt((1.0 - far) * (1.0 + far));
            node.lo[at] =
                std::max(node.lo[at], length * (far * cos_theta - sin_phi * sin_theta) - margin);
        }
    }
}

/// A vertex d that beats the incumbent differs from sgn(u) in coordinates of total cost
/// sum 2 r |u_l| <= gap. So it has the sign of u_l wherever that alone costs too much, and what the
/// others can change a row by is a knapsack.
void RelaxedSearch::narrow_linf(Node& node) {
    const double r = terms_->radius;
    const double gap = bound_ - best_.value + terms_->slack;
    open_.clear();
    for (Index l = 0; l < u_.size(); ++l) {
        if (2.0 * r * std::abs(u_[l]) <= gap) open_.push_back(static_cast<int>(l));
    }
    const double budget = gap / (2.0 * r);
    const double margin = static_cast<double>(rows_.cols() + 8) * 4.0 * kEps * r;
    for (const Index i : node.free) {
        const auto at = static_cast<std::size_t>(i);
        const double* row = rows_.row(i).data();
        // Flips that lower the row to the front, those that raise it to the back.
        Index front = 0;
        Index back = gain_.size();
        for (const int l : open_) {
            const double gain = row[l] * direction_[l];
            const Index place = gain > 0.0 ? front++ : --back;
            gain_[place] = std::abs(gain);
            cost_[place] = std::abs(u_[l]);
        }
        const double down = knapsack_bound(gain_.data(), cost_.data(), front, budget);
        const double up =
            knapsack_bound(gain_.data() + back, cost_.data() + back, gain_.size() - back, budget);
        node.hi[at] = std::min(node.hi[at], step_[i] + 2.0 * r * up + margin * size_[at]);
        node.lo[at] = std::max(node.lo[at], step_[i] - 2.0 * r * down - margin * size_[at]);
    }
}

void RelaxedSearch::prepare_quadratic() {
    has_quadratic_ = true;
    double radius = terms_->radius;
    if (planes_.norm == Norm::LInf) {
        // Best where |u| is proportional to theta: the incumbent's u, kept away from zero.
        value_of(best_.v);
        theta_ = sum_.cwiseAbs();
        theta_.array() += kThetaFloor * theta_.mean() + std::numeric_limits<double>::min();
        radius *= std::sqrt(theta_.sum());
        const Matrix scaled = rows_ * theta_.cwiseSqrt().cwiseInverse().asDiagonal();
        gram_.noalias() = scaled * scaled.transpose();
    }
    quadratic_.prepare(gram_, radius, terms_->c, rows_.cols());
}

bool RelaxedSearch::reduce_quadratic(Node& node) {
    if (!has_quadratic_) {
        prepare_quadratic();
        node.guess = Vector::Constant(rows_.rows(), 0.5);
    }
    double bound = 0.0;
    if (planes_.norm == Norm::L2) {
        double size = node.fixed_size;
        for (const Index i : node.free) size += size_[static_cast<std::size_t>(i)];
        bound = quadratic_.evaluate(node.free, node.fixed, node.fixed_square, node.constant, size,
                                    node.guess);
    } else {
        weighted_ = node.fixed.cwiseQuotient(theta_);
        products_.resize(rows_.rows());
        const double square = node.fixed.dot(weighted_);
        double size = std::sqrt(square);
        for (const Index i : node.free) {
            products_[i] = rows_.row(i).dot(weighted_);
            size += std::sqrt(gram_(i, i));
        }
        bound = quadratic_.evaluate(node.free, products_, square, node.constant, size, node.guess);
    }
    node.bound = std::min(node.bound, bound);
    if (node.bound <= best_.value + tolerance_) return false;
    bool decided = false;
    for (std::size_t j = node.free.size(); j-- > 0;) {
        const Index i = node.free[j];
        const double slope = quadratic_.slope()[i];
        // Without the tolerance: what is cut off here is not recorded in the bound.
        if (bound - std::abs(slope) > best_.value) continue;
        decide(node, j, slope > 0.0);
        decided = true;
    }
    return decided;
}

}  // namespace redoubt
