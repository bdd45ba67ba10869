#include "threat/support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace redoubt {

namespace {

/// Improvements below this share of the value are rounding.
constexpr double kGain = 1e-13;
/// Sizes that exceed the radius by less than this share of it do so by rounding.
constexpr double kRoom = 1e-12;
/// Boxes looked at before the best move found so far is taken; far more than any real model needs.
constexpr int kMaxBoxes = 2'000'000;

}  // namespace

const Vector& BoxSupport::maximise(Norm norm, const Vector& c, const Vector& lo, const Vector& hi,
                                   double radius) {
    c_ = &c;
    lo_ = &lo;
    hi_ = &hi;
    u_.setZero(c.size());
    switch (norm) {
        case Norm::LInf:
            for (Index j = 0; j < c.size(); ++j) {
                if (c[j] > 0.0) u_[j] = std::min(hi[j], radius);
                if (c[j] < 0.0) u_[j] = std::max(lo[j], -radius);
            }
            break;
        case Norm::L0:
        case Norm::L1:
            maximise_l1(radius);
            break;
        case Norm::L2:
            maximise_l2(radius);
            break;
    }
    return u_;
}

void BoxSupport::maximise_l1(double radius) {
    const Vector& c = *c_;
    order_.resize(static_cast<std::size_t>(c.size()));
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](int i, int j) {
        const double left = std::abs(c[i]);
        const double right = std::abs(c[j]);
        return left > right || (left == right && i < j);
    });
    double rest = radius;
    for (int j : order_) {
        if (c[j] == 0.0 || rest <= 0.0) return;
        const double step = std::min(rest, c[j] > 0.0 ? (*hi_)[j] : -(*lo_)[j]);
        u_[j] = std::copysign(step, c[j]);
        rest -= step;
    }
}

/// u = clip(c / nu). Clipping some leaves the others more, so nu falls and clipped ones stay so.
void BoxSupport::maximise_l2(double radius) {
    const Vector& c = *c_;
    const double largest = c.size() > 0 ? c.lpNorm<Eigen::Infinity>() : 0.0;
    if (!(largest > 0.0) || !(radius > 0.0)) return;
    is_clipped_.assign(static_cast<std::size_t>(c.size()), 0);
    double clipped_square = 0.0;
    for (Index round = 0; round <= c.size(); ++round) {
        double free_square = 0.0;
        for (Index j = 0; j < c.size(); ++j) {
            const double share = c[j] / largest;
            if (is_clipped_[static_cast<std::size_t>(j)] == 0) free_square += share * share;
        }
        // In units of the radius; what is left is 0 when the clipped ones use it up.
        const double left = std::sqrt(std::max(0.0, 1.0 - clipped_square));
        const double stretch = free_square > 0.0 ? left / std::sqrt(free_square) : 0.0;
        bool is_changed = false;
        for (Index j = 0; j < c.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (is_clipped_[at] != 0 || c[j] == 0.0) continue;
            const double wish = radius * (c[j] / largest * stretch);
            const double end = c[j] > 0.0 ? (*hi_)[j] : (*lo_)[j];
            u_[j] = wish;
            if (std::abs(wish) < std::abs(end)) continue;
            u_[j] = end;
            is_clipped_[at] = 1;
            is_changed = true;
            clipped_square += (end / radius) * (end / radius);
        }
        if (!is_changed) return;
    }
}

/// What each coordinate gains per unit, and each group by its best switches.
void Support::load_coordinates(const VectorRef& g) {
    const Index n = space_.size();
    const std::size_t n_groups = space_.groups.size();
    const Index n_all = n + static_cast<Index>(n_groups);
    c_.resize(n_all);
    lo_.setZero(n_all);
    hi_.setZero(n_all);
    fixed_.setZero(n_all);
    for (Index j = 0; j < n; ++j)
        c_[j] = g[space_.features[static_cast<std::size_t>(j)]] * space_.unit[j];
    if (space_.has_box) {
        lo_.head(n) = moves_.lo();
        hi_.head(n) = moves_.hi();
    } else {
        lo_.setConstant(-HUGE_VAL);
        hi_.setConstant(HUGE_VAL);
    }
    options_.resize(n_groups);
    free_member_.resize(n_groups);
    for (std::size_t group = 0; group < n_groups; ++group) {
        free_member_[group] = moves_.on(group);
        options_[group].clear();
        c_[n + static_cast<Index>(group)] = 0.0;
        if (moves_.group(group).prices.empty()) {
            load_group(group, g);
        } else {
            load_priced_group(group, g);
        }
    }
}

/// Every switch costs the same: only the best one counts.
void Support::load_group(std::size_t group, const VectorRef& g) {
    const double cost = moves_.group(group).switch_cost;
    double best = 0.0;
    std::size_t best_member = moves_.on(group);
    std::size_t member = 0;
    moves_.for_each_switch(group, g, [&](double gain) {
        if (gain > best) {
            best = gain;
            best_member = member;
        }
        ++member;
    });
    if (!(best > 0.0)) return;
    if (cost == 0.0) {
        free_member_[group] = best_member;
        return;
    }
    const Index j = space_.size() + static_cast<Index>(group);
    c_[j] = best / cost;
    hi_[j] = cost;
    options_[group].push_back({cost, cost, best_member});
}

/// Switches that gain more than all cheaper ones. In the group's coordinate each is worth its gain
/// at the best rate of them all, so that it counts no more than it costs: a bound for every norm.
void Support::load_priced_group(std::size_t group, const VectorRef& g) {
    gains_.clear();
    std::size_t member = 0;
    moves_.for_each_switch(group, g, [&](double gain) {
        if (gain > 0.0) gains_.push_back({gain, moves_.cost(group, member), member});
        ++member;
    });
    std::stable_sort(gains_.begin(), gains_.end(), [](const Option& a, const Option& b) {
        return a.size < b.size || (a.size == b.size && a.u > b.u);
    });
    double free_gain = 0.0;
    double last_gain = 0.0;
    double rate = 0.0;
    for (const Option& one : gains_) {
        if (!(one.u > last_gain)) continue;
        last_gain = one.u;
        if (one.size == 0.0) {
            free_gain = one.u;
            free_member_[group] = one.member;
            continue;
        }
        options_[group].push_back({one.u - free_gain, one.size, one.member});
        rate = std::max(rate, options_[group].back().u / one.size);
    }
    if (!(rate > 0.0)) return;
    for (Option& one : options_[group]) one.u = std::min(one.u / rate, one.size);
    const Index j = space_.size() + static_cast<Index>(group);
    c_[j] = rate;
    hi_[j] = options_[group].back().u;
}

/// The value of its grid next to u on the side of 0; u itself where there is no grid. That of a
/// group is what its switches of this size are worth.
double Support::inwards(Index j, double u) const {
    if (j >= space_.size()) {
        const std::vector<Option>& options = options_[static_cast<std::size_t>(j - space_.size())];
        for (std::size_t i = options.size(); i-- > 0;) {
            if (u >= options[i].size * (1.0 - kRoom)) return options[i].u;
        }
        return 0.0;
    }
    const int integer = space_.integer_at[static_cast<std::size_t>(j)];
    if (integer < 0) return u;
    const IntegerRange& range = moves_.range(j);
    const double steps =
        u * space_.unit[j] * space_.model->integers[static_cast<std::size_t>(integer)].scale;
    const double inner = range.now + std::trunc(steps * (1.0 + kRoom));
    return moves_.u_of_integer(j, std::clamp(inner, range.first, range.last));
}

/// The next value of the grid beyond u on that side, or an infinite one.
double Support::next_outwards(Index j, double u, double side) const {
    const auto at = static_cast<std::size_t>(j);
    const IntegerFeature& one =
        space_.model->integers[static_cast<std::size_t>(space_.integer_at[at])];
    const IntegerRange& range = moves_.range(j);
    const double now = std::round(range.now + u * space_.unit[j] * one.scale);
    const double next = now + side;
    if (next < range.first || next > range.last) return side * HUGE_VAL;
    return moves_.u_of_integer(j, next);
}

void Support::offer(double fixed_value, const Vector& u) {
    double value = fixed_value;
    for (Index j = 0; j < u.size(); ++j) value += u[j] == 0.0 ? 0.0 : c_[j] * inwards(j, u[j]);
    if (value <= best_value_) return;
    best_value_ = value;
    best_ = fixed_;
    for (Index j = 0; j < u.size(); ++j) {
        if (u[j] != 0.0) best_[j] = inwards(j, u[j]);
    }
}

/// Branch and bound, depth first: with some coordinates fixed the rest is relaxed to its box, which
/// bounds what is left to gain; the coordinate that loses most by rounding is fixed next. Returns
/// the bound.
double Support::search(double fixed_value, double radius) {
    const Norm norm = space_.model->norm;
    const Vector u = box_.maximise(norm, c_, lo_, hi_, radius);
    const double bound = fixed_value + c_.dot(u);
    const auto is_done = [&] { return bound <= best_value_ * (1.0 + kGain); };
    if (is_done() || n_left_-- <= 0) return bound;
    offer(fixed_value, u);
    if (is_done()) return bound;
    Index split = -1;
    double most = 0.0;
    for (Index j = 0; j < u.size(); ++j) {
        const double lost = u[j] == 0.0 ? 0.0 : std::abs(c_[j] * (u[j] - inwards(j, u[j])));
        if (lost > most) {
            most = lost;
            split = j;
        }
    }
    if (split >= 0) branch(split, inwards(split, u[split]), fixed_value, radius);
    return bound;
}

/// All switches of a group, or none. The bound is concave in the value of any other coordinate:
/// from the relaxed one it falls both ways.
void Support::branch(Index j, double inner, double fixed_value, double radius) {
    const Norm norm = space_.model->norm;
    const double old_lo = lo_[j];
    const double old_hi = hi_[j];
    const double side = c_[j] > 0.0 ? 1.0 : -1.0;
    const double c = c_[j];
    const auto is_worth_at = [&](double value, double size) {
        const double rest = rest_of_size(norm, radius * (1.0 + kRoom), size);
        if (rest < 0.0) return false;
        lo_[j] = hi_[j] = 0.0;
        fixed_[j] = value;
        const double bound = search(fixed_value + c * value, std::min(rest, radius));
        lo_[j] = old_lo;
        hi_[j] = old_hi;
        fixed_[j] = 0.0;
        return bound > best_value_ * (1.0 + kGain);
    };
    if (j >= space_.size()) {
        const std::vector<Option>& options = options_[static_cast<std::size_t>(j - space_.size())];
        for (std::size_t i = options.size(); i-- > 0;) is_worth_at(options[i].u, options[i].size);
        is_worth_at(0.0, 0.0);
        return;
    }
    const auto is_worth = [&](double value) { return is_worth_at(value, std::abs(value)); };
    double value = next_outwards(j, inner, side);
    while (std::isfinite(value) && is_worth(value)) value = next_outwards(j, value, side);
    value = inner;
    while (std::isfinite(value) && value * side >= 0.0 && is_worth(value)) {
        if (value == 0.0) return;
        value = next_outwards(j, value, -side);
    }
}

Vector Support::maximise(const VectorRef& g, double radius) {
    if (space_.is_ball) return steepest_step(space_.model->norm, g, radius);
    if (space_.model->counts()) return maximise_count(g, radius);
    load_coordinates(g);
    const Norm norm = space_.model->norm;
    best_value_ = 0.0;
    best_.setZero(c_.size());
    n_left_ = kMaxBoxes;
    if (space_.is_convex()) {
        best_ = box_.maximise(norm, c_, lo_, hi_, radius);
    } else if (norm == Norm::LInf) {
        // Every coordinate for itself.
        best_ = box_.maximise(norm, c_, lo_, hi_, radius);
        const Index n = space_.size();
        for (Index j = 0; j < best_.size(); ++j) best_[j] = inwards(j, j < n ? best_[j] : radius);
    } else {
        search(0.0, radius);
    }
    return to_move();
}

double Support::value(const VectorRef& g, double radius) {
    if (space_.is_ball) return radius * norm_value(dual(space_.model->norm), g);
    return g.dot(maximise(g, radius));
}

Vector Support::to_move() const {
    Vector moved = moves_.x();
    const Index n = space_.size();
    for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (best_[j] == 0.0) continue;
        const int integer = space_.integer_at[at];
        double value = moves_.value_at(j, best_[j]);
        if (integer >= 0) {
            const IntegerFeature& one = space_.model->integers[static_cast<std::size_t>(integer)];
            value = moves_.value_of_integer(j, one.nearest(value));
        }
        moved[space_.features[at]] = value;
    }
    for (std::size_t group = 0; group < options_.size(); ++group) {
        std::size_t member = free_member_[group];
        for (const Option& one : options_[group]) {
            if (one.u == best_[n + static_cast<Index>(group)]) member = one.member;
        }
        if (member != moves_.on(group)) moves_.apply_switch(group, member, moved);
    }
    return moves_.step_to(moved);
}

}  // namespace redoubt
