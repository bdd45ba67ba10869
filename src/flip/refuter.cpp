#include "flip/refuter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Halvings of the interval that holds the best charge.
constexpr int kMaxHalvings = 64;
/// l2: a charge this near to the best one loses the square of that.
constexpr double kNearEnough = 1e-9;

}  // namespace

void Refuter::load(int label, MoveBox box, double radius, double power) {
    label_ = label;
    box_ = std::move(box);
    radius_ = radius;
    power_ = power;
}

void Refuter::ask(const std::vector<int>& planes, const std::vector<double>& lambda) {
    const Index n = x_.size();
    terms_ = static_cast<double>(n) + static_cast<double>(planes.size()) + 16.0;
    missing_ = 0.0;
    missing_error_ = 0.0;
    slope_.setZero(n);
    slope_error_.setZero(n);
    for (std::size_t a = 0; a < planes.size(); ++a) {
        const auto w = ensemble_.coef().row(planes[a]).transpose();
        const double b = ensemble_.intercept()[planes[a]];
        missing_ += lambda[a] * label_ * (w.dot(x_) + b);
        missing_error_ += lambda[a] * (w.cwiseAbs().dot(x_.cwiseAbs()) + std::abs(b));
        slope_ -= lambda[a] * label_ * w;
        slope_error_ += lambda[a] * w.cwiseAbs();
    }
    missing_error_ *= terms_ * kEps;
    slope_error_ *= terms_ * kEps;
}

/// The most that a coordinate adds when its slope is `slope` (by unit), rounded up; convex in that.
double Refuter::most_of(const MoveBox::Coordinate& one, double slope, double charge) const {
    const auto at = [&](double u) {
        const double size = std::max(0.0, (std::abs(u) - one.slack) * (1.0 - one.share));
        const double gain = slope * u;
        const double paid = norm_ == Norm::LInf ? 0.0 : charge * cost_power(size);
        return gain - paid + 8.0 * kEps * (std::abs(gain) + paid);
    };
    const auto inside = [&](double u) { return std::clamp(u, one.lo, one.hi); };
    double most = at(inside(0.0));
    if (slope == 0.0) return most;
    if (one.slack > 0.0) most = std::max(most, at(inside(std::copysign(one.slack, slope))));
    if (norm_ == Norm::L2 && charge > 0.0) {
        const double share = (1.0 - one.share) * (1.0 - one.share);
        const double u = slope / (2.0 * charge * share) + std::copysign(one.slack, slope);
        return std::max(most, at(inside(u)));
    }
    const double end = slope > 0.0 ? one.hi : one.lo;
    if (std::isfinite(end)) return std::max(most, at(end));
    // A far end is of no use where the charge eats up what it gains.
    const bool is_paid = norm_ == Norm::L1 && std::abs(slope) <= charge * (1.0 - one.share);
    return is_paid ? most : HUGE_VAL;
}

/// Minus infinity if no member is left.
double Refuter::most_of(const MoveBox::Group& group, double charge, double& error) const {
    double most = -HUGE_VAL;
    double largest = 0.0;
    for (const MoveBox::Member& member : group.members) {
        if (member.cost >= radius_) continue;
        double gain = 0.0;
        double size = 0.0;
        double off = 0.0;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const int l = group.features[i];
            const double change = member.change[static_cast<Index>(i)];
            gain += slope_[l] * change;
            size += std::abs(slope_[l] * change);
            off += slope_error_[l] * std::abs(change);
        }
        const double price = norm_ == Norm::LInf ? 0.0 : charge * cost_power(member.cost);
        most = std::max(most, gain - price);
        largest = std::max(largest, off + terms_ * kEps * (size + price));
    }
    error += largest;
    return most;
}

/// An upper end of what all moves below the radius add to lambda'g, up to `error`.
double Refuter::total(double charge, double& error) const {
    double sum = norm_ == Norm::LInf || charge == 0.0 ? 0.0 : charge * power_;
    double sizes = sum;
    for (const MoveBox::Coordinate& all : box_.coordinates) {
        MoveBox::Coordinate one = all;
        if (norm_ == Norm::LInf) {
            const double reach = radius_ * (1.0 + 2.0 * one.share + 4.0 * kEps) + one.slack;
            one.lo = std::max(one.lo, -reach);
            one.hi = std::min(one.hi, reach);
            if (one.lo > one.hi) return -HUGE_VAL;
        }
        const double slope = slope_[one.feature] * one.unit;
        const double off = slope_error_[one.feature] * one.unit + 4.0 * kEps * std::abs(slope);
        double most = most_of(one, slope, charge);
        if (off > 0.0) {
            most = std::max(most, most_of(one, slope - off, charge));
            most = std::max(most, most_of(one, slope + off, charge));
        }
        if (most == HUGE_VAL) return HUGE_VAL;
        sum += most;
        sizes += std::abs(most);
        if (one.value_error == 0.0 || slope == 0.0) continue;
        const double reach = std::max(std::abs(one.lo), std::abs(one.hi));
        error += (std::abs(slope) + off) *
                 (one.value_error + 8.0 * kEps * std::min(reach, 2.0 * radius_ + one.slack));
    }
    for (const MoveBox::Group& group : box_.groups) {
        const double most = most_of(group, charge, error);
        if (most == -HUGE_VAL) return -HUGE_VAL;
        sum += most;
        sizes += std::abs(most);
    }
    error += (terms_ + static_cast<double>(box_.coordinates.size())) * kEps * sizes;
    return sum;
}

bool Refuter::is_shown(double charge) const {
    double error = missing_error_;
    const double most = total(charge, error);
    if (most == -HUGE_VAL) return true;
    return most < HUGE_VAL && std::isfinite(error) && missing_ - error > most;
}

/// What moves below the radius may spend, less what they do spend at this charge: negative while
/// the charge is too low.
double Refuter::left_over(double charge) const {
    double left = power_;
    for (const MoveBox::Coordinate& one : box_.coordinates) {
        const double slope = slope_[one.feature] * one.unit;
        double u = 0.0;
        if (norm_ == Norm::L1) {
            if (std::abs(slope) > charge) u = slope > 0.0 ? one.hi : one.lo;
        } else {
            u = charge > 0.0 ? slope / (2.0 * charge) : slope == 0.0 ? 0.0 : slope * HUGE_VAL;
        }
        u = std::clamp(u, one.lo, one.hi);
        left -= cost_power(std::max(0.0, std::abs(u) - one.slack));
        if (!(left >= 0.0)) return -1.0;
    }
    for (const MoveBox::Group& group : box_.groups) {
        double most = -HUGE_VAL;
        double spent = 0.0;
        for (const MoveBox::Member& member : group.members) {
            if (member.cost >= radius_) continue;
            double gain = -charge * cost_power(member.cost);
            for (std::size_t i = 0; i < group.features.size(); ++i)
                gain += slope_[group.features[i]] * member.change[static_cast<Index>(i)];
            if (gain > most) {
                most = gain;
                spent = cost_power(member.cost);
            }
        }
        left -= spent;
    }
    return left;
}

/// The lowest charge at which moves spend what they may, where no group has a say: step by step,
/// with one coordinate more at its end each time.
double Refuter::lowest_charge() const {
    struct Step {
        double charge;  ///< below this the coordinate goes to its end
        double end;     ///< what that costs
        double slope;
    };
    std::vector<Step> steps;
    for (const MoveBox::Coordinate& one : box_.coordinates) {
        if (one.slack > 0.0 || one.lo > 0.0 || one.hi < 0.0) return 0.0;
        const double slope = std::abs(slope_[one.feature] * one.unit);
        const double end = std::abs(slope_[one.feature] > 0.0 ? one.hi : one.lo);
        if (slope == 0.0 || end == 0.0) continue;
        const double charge = norm_ == Norm::L1 ? slope : slope / (2.0 * end);
        steps.push_back({charge, cost_power(end), slope});
    }
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.charge > b.charge; });
    // l2: the coordinates before their ends spend slope^2 / (2 charge)^2 each.
    double squares = 0.0;
    for (const Step& one : steps) squares += one.slope * one.slope;
    double left = power_;
    for (const Step& one : steps) {
        if (norm_ == Norm::L1) {
            if (one.end > left) return one.charge;
        } else if (const double free = 4.0 * one.charge * one.charge; squares > left * free) {
            return std::sqrt(squares / (4.0 * left));
        }
        left -= one.end;
        squares = std::max(0.0, squares - one.slope * one.slope);
    }
    return 0.0;
}

double Refuter::best_charge() const {
    if (norm_ == Norm::LInf || power_ == HUGE_VAL || left_over(0.0) >= 0.0) return 0.0;
    if (box_.groups.empty()) {
        const double charge = lowest_charge() * (1.0 + terms_ * kEps);
        if (charge > 0.0 && charge < HUGE_VAL) return charge;
    }
    double high = 1e-3 * (slope_.lpNorm<Eigen::Infinity>() + missing_error_);
    if (!(high > 0.0 && high < HUGE_VAL)) return 0.0;
    double low = 0.0;
    for (int i = 0; i < kMaxHalvings && left_over(high) < 0.0; ++i) {
        low = high;
        high *= 16.0;
    }
    const double enough = norm_ == Norm::L2 ? kNearEnough : 0.5 * kEps;
    for (int i = 0; i < 2 * kMaxHalvings && high - low > enough * high; ++i) {
        const double middle = 0.5 * (low + high);
        (left_over(middle) < 0.0 ? low : high) = middle;
    }
    // l1: a slope that the charge must reach is rounded like every other.
    return norm_ == Norm::L1 ? high * (1.0 + terms_ * kEps) : high;
}

}  // namespace redoubt
