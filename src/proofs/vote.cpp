#include "proofs/vote.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace redoubt::proofs {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Between these, products of numbers of a filter neither underflow nor overflow.
constexpr double kLeast = 1e-140;
constexpr double kGreatest = 1e140;

bool is_ordinary(double value) {
    return value > kLeast && value < kGreatest;
}

}  // namespace

ExactNumber Vote::margin(Index plane, const Vector& point) const {
    ExactNumber sum(intercepts[plane]);
    for (Index l = 0; l < point.size(); ++l) {
        const double w = planes(plane, l);
        if (w != 0.0 && point[l] != 0.0) sum += ExactNumber(w) * ExactNumber(point[l]);
    }
    return sum;
}

double Vote::near_margin(Index plane, const Vector& point, double& error) const {
    double sum = intercepts[plane];
    double sizes = std::abs(sum);
    for (Index l = 0; l < point.size(); ++l) {
        const double term = planes(plane, l) * point[l];
        sum += term;
        sizes += std::abs(term);
    }
    error =
        is_ordinary(sizes) ? (static_cast<double>(point.size()) + 8.0) * kEps * sizes : HUGE_VAL;
    return sum;
}

int Vote::answer(const Vector& point) const {
    std::int64_t total = 0;
    for (Index i = 0; i < planes.rows(); ++i) {
        double error = 0.0;
        const double near = near_margin(i, point, error);
        const bool is_clear = std::abs(near) > error;
        const bool is_plus = is_clear ? near > 0.0 : margin(i, point).sign() >= 0;
        const std::int64_t weight = weights[static_cast<std::size_t>(i)];
        total += is_plus ? weight : -weight;
    }
    return total >= 0 ? 1 : -1;
}

Claim::Claim(const Vote& vote, Vector point, double radius, const std::vector<int>& frozen)
    : vote_(vote),
      point_(std::move(point)),
      radius_(radius),
      moves_(vote.rules, point_, radius, frozen),
      scale_(Vector::Zero(point_.size())),
      answer_(vote.answer(point_)),
      near_support_(vote.planes.rows()),
      support_error_(vote.planes.rows()),
      support_(static_cast<std::size_t>(vote.planes.rows())) {
    std::int64_t total = 0;
    for (Index i = 0; i < vote.planes.rows(); ++i) {
        near_support_[i] = answer_ * vote.near_margin(i, point_, support_error_[i]);
        total += vote.weights[static_cast<std::size_t>(i)];
    }
    for (int l : moves_.columns()) scale_[l] = vote.rules.scale[l];
    need_ = answer_ > 0 ? total / 2 + 1 : (total + 1) / 2;
}

const ExactNumber& Claim::support(int plane) const {
    std::optional<ExactNumber>& known = support_[static_cast<std::size_t>(plane)];
    if (!known) {
        known = vote_.margin(plane, point_);
        if (answer_ < 0) known = -*known;
    }
    return *known;
}

/// Most refutations are far from equality. Doubles show that, with room for all their roundings.
bool Claim::refutes_clearly(const std::vector<int>& planes,
                            const std::vector<double>& multipliers) const {
    const double n_terms = static_cast<double>(planes.size()) + static_cast<double>(point_.size());
    const double share = (n_terms + 16.0) * kEps;
    double total = 0.0;
    double sizes = 0.0;
    double errors = 0.0;
    Vector slope = Vector::Zero(point_.size());
    Vector slope_size = slope;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const auto w = vote_.planes.row(planes[i]).transpose();
        const double term = multipliers[i] * near_support_[planes[i]];
        total += term;
        sizes += std::abs(term);
        errors += multipliers[i] * support_error_[planes[i]];
        slope += multipliers[i] * w;
        slope_size += multipliers[i] * w.cwiseAbs();
    }
    // An upper end of each |c_l s_l|.
    slope = (slope.cwiseAbs() + share * slope_size).cwiseProduct(scale_);
    const double dual = norm_value(redoubt::dual(vote_.rules.norm), slope);
    const double least = total - share * sizes - errors * (1.0 + share);
    for (double value : {least, sizes, dual, radius_}) {
        if (!is_ordinary(value)) return false;
    }
    return least > radius_ * dual * (1.0 + 4.0 * share);
}

/// Of sum_i lambda_i w_i.
ExactNumber Claim::slope_of(int feature, const std::vector<int>& planes,
                            const std::vector<double>& multipliers) const {
    ExactNumber slope;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const double w = vote_.planes(planes[i], feature);
        if (w != 0.0) slope += ExactNumber(multipliers[i]) * ExactNumber(w);
    }
    return slope;
}

bool Claim::refutes(const std::vector<int>& planes, const std::vector<double>& multipliers,
                    std::optional<double> charge, const Box& box) const {
    if (!charge && !moves_.needs_charge())
        return !planes.empty() && refutes_in_ball(planes, multipliers);
    const MostGain most = moves_.most(
        [&](int l) {
            const ExactNumber slope = slope_of(l, planes, multipliers);
            return answer_ > 0 ? -slope : slope;
        },
        ExactNumber(charge.value_or(0.0)), box);
    if (most.is_empty) return true;
    if (most.is_endless) return false;
    ExactNumber total;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        total += ExactNumber(multipliers[i]) * support(planes[i]);
    }
    const int sign = compare(ExactRatio(total), most.value);
    return sign > 0 || (sign == 0 && (!most.is_attained || (answer_ > 0 && !planes.empty())));
}

bool Claim::refutes_in_ball(const std::vector<int>& planes,
                            const std::vector<double>& multipliers) const {
    if (refutes_clearly(planes, multipliers)) return true;
    ExactNumber total;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        total += ExactNumber(multipliers[i]) * support(planes[i]);
    }
    ExactNumber sum;
    ExactNumber greatest;
    ExactNumber square;
    for (Index l = 0; l < point_.size(); ++l) {
        if (scale_[l] == 0.0) continue;
        ExactNumber slope = slope_of(static_cast<int>(l), planes, multipliers);
        if (slope.sign() == 0) continue;
        slope = (slope * ExactNumber(scale_[l])).size();
        if (vote_.rules.norm == Norm::L2) square += slope * slope;
        if (vote_.rules.norm == Norm::LInf) sum += slope;
        if (vote_.rules.norm != Norm::L1 ? greatest.sign() == 0 : compare(slope, greatest) > 0)
            greatest = slope;
    }
    // No move changes their sum: they are fooled now or never.
    if (greatest.sign() == 0) return total.sign() > 0 || (total.sign() == 0 && answer_ > 0);
    if (std::isinf(radius_)) return false;
    if (total.sign() <= 0) return total.sign() == 0 && radius_ == 0.0;
    // Equality is enough: no move of a smaller size attains the bound.
    const ExactNumber r(radius_);
    if (vote_.rules.norm == Norm::L2) return compare(total * total, r * r * square) >= 0;
    return compare(total, r * (vote_.rules.norm == Norm::L1 ? greatest : sum)) >= 0;
}

}  // namespace redoubt::proofs
