#include "flip/exact_infeasibility.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

namespace {

/// Multipliers below this share of the largest are rounding errors.
constexpr double kNoShare = 1e-8;
/// Farther off than this share of its terms, a sum is not the matter of rounding that is asked for.
constexpr double kClear = 1e-5;

}  // namespace

ExactInfeasibility::ExactInfeasibility(const Ensemble& ensemble, const PlaneSet& planes,
                                       const PointMoves& moves)
    : ensemble_(ensemble), planes_(planes), moves_(moves) {}

void ExactInfeasibility::load(int from, Vector lowest, Vector highest,
                              std::vector<std::size_t> open_groups) {
    from_ = from;
    lowest_ = std::move(lowest);
    highest_ = std::move(highest);
    open_groups_ = std::move(open_groups);
    is_open_.assign(static_cast<std::size_t>(lowest_.size()), 0);
    for (std::size_t g : open_groups_) {
        for (int l : moves_.group(g).features) is_open_[static_cast<std::size_t>(l)] = 1;
    }
}

bool ExactInfeasibility::holds(const std::vector<int>& planes,
                               const std::vector<double>& lambda) const {
    clear();
    share_.clear();
    double largest = 0.0;
    for (std::size_t a = 0; a < planes.size(); ++a)
        largest = std::max(largest, lambda[a] * planes_.size()[planes[a]]);
    if (!(largest > 0.0 && largest < HUGE_VAL)) return false;
    for (std::size_t a = 0; a < planes.size(); ++a) {
        if (!(lambda[a] * planes_.size()[planes[a]] > kNoShare * largest)) continue;
        ask(planes[a]);
        share_.push_back(lambda[a] * planes_.scale(planes[a]));
    }
    if (!may_hold()) return false;
    if (find_integer_multiples() && is_shown()) return true;
    if (asked_.size() != 2) return false;
    // Along a feature without an end two planes must cancel, on a grid or not.
    for (Index l = 0; l < lowest_.size(); ++l) {
        const bool is_endless = std::isinf(lowest_[l]) || std::isinf(highest_[l]);
        if (is_endless && find_opposite_multiples(l)) return is_shown();
    }
    return false;
}

void ExactInfeasibility::clear() const {
    asked_.clear();
    one_stays_ = false;
}

void ExactInfeasibility::ask(Index i) const {
    asked_.push_back(planes_.index(i));
    one_stays_ = one_stays_ || planes_.answer_at_zero(i) == from_;
}

/// Does the rounded sum leave it open whether the planes can be fooled?
bool ExactInfeasibility::may_hold() const {
    double value = 0.0;
    double magnitude = 0.0;
    for (std::size_t a = 0; a < asked_.size(); ++a) {
        const double term = share_[a] * ensemble_.intercept()[asked_[a]];
        value += term;
        magnitude += std::abs(term);
    }
    for (Index l = 0; l < lowest_.size(); ++l) {
        if (is_open_[static_cast<std::size_t>(l)] != 0) continue;
        double slope = 0.0;
        double sizes = 0.0;
        for (std::size_t a = 0; a < asked_.size(); ++a) {
            const double term = share_[a] * ensemble_.coef()(asked_[a], l);
            slope += term;
            sizes += std::abs(term);
        }
        if (sizes == 0.0) continue;
        double end = -from_ * slope > 0.0 ? highest_[l] : lowest_[l];
        if (std::isinf(end)) {
            if (std::abs(slope) > kClear * sizes) return false;
            end = 0.0;
        }
        value += slope * end;
        magnitude += sizes * std::abs(end);
    }
    // Groups only help the planes.
    return !open_groups_.empty() || -from_ * value <= kClear * magnitude;
}

bool ExactInfeasibility::find_integer_multiples() const {
    multiple_ = integer_multiples(share_);
    return !multiple_.empty();
}

/// Multipliers of two planes that cancel exactly along a feature.
bool ExactInfeasibility::find_opposite_multiples(Index feature) const {
    const double one = ensemble_.coef()(asked_[0], feature);
    const double other = ensemble_.coef()(asked_[1], feature);
    if (!(one * other < 0.0)) return false;
    multiple_ = {std::abs(other), std::abs(one)};
    return true;
}

bool ExactInfeasibility::add_values(Index feature, double value, double factor,
                                    ExactTerms& terms) const {
    bool is_exact = true;
    for (std::size_t a = 0; is_exact && a < asked_.size(); ++a)
        is_exact = terms.add(factor * multiple_[a], ensemble_.coef()(asked_[a], feature), value);
    return is_exact;
}

/// Of sum_i c_i w_il.
int ExactInfeasibility::slope_sign(Index feature) const {
    slope_.clear();
    for (std::size_t a = 0; a < asked_.size(); ++a)
        slope_.add(multiple_[a], ensemble_.coef()(asked_[a], feature));
    return slope_.sign();
}

bool ExactInfeasibility::is_shown() const {
    sum_.clear();
    for (std::size_t a = 0; a < asked_.size(); ++a)
        sum_.add(multiple_[a], ensemble_.intercept()[asked_[a]]);
    for (Index l = 0; l < lowest_.size(); ++l) {
        if (is_open_[static_cast<std::size_t>(l)] != 0) continue;
        const int sign = slope_sign(l);
        if (sign == 0) continue;
        const double end = sign == -from_ ? highest_[l] : lowest_[l];
        if (std::isinf(end) || !add_values(l, end, 1.0, sum_)) return false;
    }
    for (std::size_t g : open_groups_) {
        if (!add_group(g)) return false;
    }
    const int sign = from_ * sum_.sign();
    // A plane that stays at zero takes the sum past it.
    return sign > 0 || (sign == 0 && one_stays_);
}

/// Adds the member that helps most.
bool ExactInfeasibility::add_group(std::size_t group) const {
    const std::vector<int>& features = moves_.group(group).features;
    Vector best = moves_.x();
    Vector other = moves_.x();
    for (std::size_t m = 0; m < features.size(); ++m) {
        if (m == moves_.on(group) || !moves_.can_switch(group, m)) continue;
        moves_.apply_switch(group, m, other);
        slope_.clear();
        for (int l : features) {
            if (other[l] == best[l]) continue;
            if (!add_values(l, other[l], 1.0, slope_)) return false;
            if (!add_values(l, best[l], -1.0, slope_)) return false;
        }
        if (slope_.sign() == -from_) best = other;
    }
    return std::all_of(features.begin(), features.end(),
                       [&](int l) { return add_values(l, best[l], 1.0, sum_); });
}

bool ExactInfeasibility::is_never_fooled(Index i) const {
    clear();
    ask(i);
    multiple_.assign(1, 1.0);
    return is_shown();
}

bool ExactInfeasibility::is_always_fooled(Index i) const {
    if (!open_groups_.empty()) return false;
    const auto w = ensemble_.coef().row(planes_.index(i)).transpose();
    Vector corner(w.size());
    for (Index l = 0; l < w.size(); ++l) {
        corner[l] = w[l] == 0.0 ? 0.0 : from_ * w[l] > 0.0 ? highest_[l] : lowest_[l];
        if (std::isinf(corner[l])) return false;
    }
    const double b = ensemble_.intercept()[planes_.index(i)];
    const int answer = planes_.answer_at_zero(i) > 0 ? sign_of_plane(w, b, corner)
                                                     : -sign_of_plane(-w, -b, corner);
    return answer != from_;
}

}  // namespace redoubt
