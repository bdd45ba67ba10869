#include "redoubt/attack_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/check.hpp"
#include "core/enum_names.hpp"
#include "redoubt/error.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool are_equal(const Vector& a, const Vector& b) {
    return a.size() == b.size() && (a.array() == b.array()).all();
}

/// Is `value` what x + d gives when it should give `wanted`? Where |d| is the larger, doubles miss
/// it by a rounding of d.
bool is_landed(double value, double wanted, double x) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    return std::abs(value - wanted) <= 2.0 * eps * (std::abs(x) + std::abs(wanted));
}

/// Is exactly one member on at `moved`, reached from x?
bool is_one_on(const OneHotGroup& group, const VectorRef& x, const VectorRef& moved) {
    int n_on = 0;
    for (std::size_t i = 0; i < group.features.size(); ++i) {
        const int l = group.features[i];
        const bool is_on = is_landed(moved[l], group.on_value(i), x[l]);
        if (!is_on && !is_landed(moved[l], group.off_value(i), x[l])) return false;
        n_on += is_on ? 1 : 0;
    }
    return n_on == 1;
}

bool comes_before(const SwitchPrice& a, const SwitchPrice& b) {
    return a.from < b.from || (a.from == b.from && a.to < b.to);
}

/// The first price that is not before the pair.
std::vector<SwitchPrice>::const_iterator price_at(const std::vector<SwitchPrice>& prices, int from,
                                                  int to) {
    return std::lower_bound(prices.begin(), prices.end(), SwitchPrice{from, to}, comes_before);
}

constexpr EnumName<Direction> kDirectionNames[] = {
    {Direction::Both, "both"}, {Direction::Up, "up"}, {Direction::Down, "down"}};

}  // namespace

std::string_view to_string(Direction direction) noexcept {
    return name_of(kDirectionNames, direction);
}

Direction parse_direction(std::string_view name) {
    return value_of(kDirectionNames, "direction", name);
}

double IntegerFeature::steps_at(double model_scale) const {
    constexpr double kRounding = 1e-12;
    const double product = scale * model_scale;
    return std::abs(steps - product) <= kRounding * product ? steps : product;
}

double IntegerFeature::nearest(double value) const {
    return std::round(value * scale + offset);
}

double OneHotGroup::on_value(std::size_t member) const {
    return on.size() == 0 ? 1.0 : on[static_cast<Index>(member)];
}

double OneHotGroup::off_value(std::size_t member) const {
    return off.size() == 0 ? 0.0 : off[static_cast<Index>(member)];
}

double OneHotGroup::cost(std::size_t from, std::size_t to) const {
    if (from == to) return 0.0;
    if (prices.empty()) return switch_cost;
    const auto found = price_at(prices, static_cast<int>(from), static_cast<int>(to));
    const bool has_own = found != prices.end() && found->from == static_cast<int>(from) &&
                         found->to == static_cast<int>(to);
    return has_own ? found->cost : switch_cost;
}

std::size_t OneHotGroup::member_on(const VectorRef& x) const {
    std::size_t member = 0;
    double nearest = HUGE_VAL;
    for (std::size_t i = 0; i < features.size(); ++i) {
        const double way =
            std::abs(x[features[i]] - on_value(i)) / std::abs(on_value(i) - off_value(i));
        if (way < nearest) {
            nearest = way;
            member = i;
        }
    }
    return member;
}

double OneHotGroup::cost_between(const VectorRef& x, const VectorRef& moved) const {
    return prices.empty() ? switch_cost : cost(member_on(x), member_on(moved));
}

void OneHotGroup::set_cost(int from, int to, double cost) {
    std::erase_if(prices, [&](const SwitchPrice& each) {
        return (from < 0 || each.from == from) && (to < 0 || each.to == to);
    });
    if (from < 0 && to < 0) {
        switch_cost = cost;
        return;
    }
    const auto n = static_cast<int>(features.size());
    std::vector<SwitchPrice> all;
    for (int other = 0; other < (from < 0 || to < 0 ? n : 1); ++other) {
        const SwitchPrice next{from < 0 ? other : from, to < 0 ? other : to, cost};
        if (next.from != next.to) all.push_back(next);
    }
    std::vector<SwitchPrice> merged;
    std::merge(prices.begin(), prices.end(), all.begin(), all.end(), std::back_inserter(merged),
               comes_before);
    prices = std::move(merged);
}

bool OneHotGroup::operator==(const OneHotGroup& other) const {
    return features == other.features && switch_cost == other.switch_cost &&
           prices == other.prices && are_equal(on, other.on) && are_equal(off, other.off);
}

AttackModel AttackModel::ball(Norm norm) {
    AttackModel model;
    model.norm = norm;
    return model;
}

bool AttackModel::operator==(const AttackModel& other) const {
    return norm == other.norm && are_equal(scale, other.scale) && are_equal(cost, other.cost) &&
           direction == other.direction && are_equal(lower, other.lower) &&
           are_equal(upper, other.upper) && integers == other.integers &&
           one_hot == other.one_hot && attacking_class == other.attacking_class &&
           missing_moves == other.missing_moves;
}

double AttackModel::lower_of(Index feature) const {
    return lower.size() == 0 ? -kInfinity : lower[feature];
}

double AttackModel::upper_of(Index feature) const {
    return upper.size() == 0 ? kInfinity : upper[feature];
}

Direction AttackModel::direction_of(Index feature) const {
    return direction.empty() ? Direction::Both : direction[static_cast<std::size_t>(feature)];
}

bool AttackModel::is_plain() const {
    const bool is_unit = (scale.array() == 1.0).all();
    const bool is_free = (lower.array() == -kInfinity).all() && (upper.array() == kInfinity).all();
    const bool goes_both_ways = std::all_of(direction.begin(), direction.end(),
                                            [](Direction d) { return d == Direction::Both; });
    return !counts() && is_unit && is_free && goes_both_ways && integers.empty() &&
           one_hot.empty() && !attacking_class;
}

bool AttackModel::is_all_frozen(Index n_features) const {
    return scale.size() == n_features && (scale.array() == 0.0).all();
}

AttackModel AttackModel::against_rest(int c) const {
    AttackModel model = *this;
    if (attacking_class) model.attacking_class = *attacking_class == c ? 1 : -1;
    return model;
}

AttackModel AttackModel::within(const VectorRef& least, const VectorRef& greatest) const {
    check_length("greatest", greatest.size(), least.size());
    AttackModel limited = *this;
    limited.lower = least;
    limited.upper = greatest;
    for (Index l = 0; l < least.size(); ++l) {
        limited.lower[l] = std::max(lower_of(l), least[l]);
        limited.upper[l] = std::min(upper_of(l), greatest[l]);
    }
    for (const OneHotGroup& group : one_hot) {
        for (int member : group.features) {
            limited.lower[member] = lower_of(member);
            limited.upper[member] = upper_of(member);
        }
    }
    return limited;
}

AttackModel AttackModel::with_frozen(const std::vector<int>& features, Index n_features,
                                     const VectorRef& unit) const {
    AttackModel result = *this;
    std::vector<char> is_frozen(static_cast<std::size_t>(n_features), 0);
    for (int l : features) is_frozen[static_cast<std::size_t>(l)] = 1;
    std::erase_if(result.one_hot, [&](const OneHotGroup& group) {
        const bool has_frozen =
            std::any_of(group.features.begin(), group.features.end(),
                        [&](int l) { return is_frozen[static_cast<std::size_t>(l)] != 0; });
        for (int l : group.features) {
            if (has_frozen) is_frozen[static_cast<std::size_t>(l)] = 1;
        }
        return has_frozen;
    });
    std::erase_if(result.integers, [&](const IntegerFeature& one) {
        return is_frozen[static_cast<std::size_t>(one.feature)] != 0;
    });
    if (result.scale.size() == 0) {
        const bool has_unit = unit.size() > 0 && !counts();
        result.scale = has_unit ? Vector(unit) : Vector(Vector::Ones(n_features));
    }
    for (Index l = 0; l < n_features; ++l) {
        if (is_frozen[static_cast<std::size_t>(l)] == 0) continue;
        result.scale[l] = 0.0;
        if (result.lower.size() > 0) result.lower[l] = -kInfinity;
        if (result.upper.size() > 0) result.upper[l] = kInfinity;
    }
    return result;
}

AttackModel AttackModel::scaled(const Scaler& scaler) const {
    check(scaler.n_features());
    AttackModel result = *this;
    const auto scale_value = [&](Index feature, double value) {
        return (value - scaler.offset()[feature]) / scaler.scale()[feature];
    };
    // A feature counts as changed whatever its unit.
    for (Index l = 0; l < scale.size() && !counts(); ++l)
        result.scale[l] = scale[l] / scaler.scale()[l];
    for (Index l = 0; l < lower.size(); ++l) result.lower[l] = scale_value(l, lower[l]);
    for (Index l = 0; l < upper.size(); ++l) result.upper[l] = scale_value(l, upper[l]);
    for (IntegerFeature& one : result.integers) {
        if (scale.size() != 0) one.steps = one.steps_at(scale[one.feature]);
        one.offset += one.scale * scaler.offset()[one.feature];
        one.scale *= scaler.scale()[one.feature];
    }
    for (OneHotGroup& group : result.one_hot) {
        Vector on(static_cast<Index>(group.features.size()));
        Vector off(on.size());
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            on[static_cast<Index>(i)] = scale_value(group.features[i], group.on_value(i));
            off[static_cast<Index>(i)] = scale_value(group.features[i], group.off_value(i));
        }
        group.on = on;
        group.off = off;
    }
    return result;
}

AttackModel AttackModel::unscaled(const Scaler& scaler) const {
    check(scaler.n_features());
    AttackModel result = *this;
    const auto raw_value = [&](Index feature, double value) {
        return value * scaler.scale()[feature] + scaler.offset()[feature];
    };
    if (!counts()) {
        result.scale = scaler.scale();
        for (Index l = 0; l < scale.size(); ++l) result.scale[l] *= scale[l];
    }
    for (Index l = 0; l < lower.size(); ++l) result.lower[l] = raw_value(l, lower[l]);
    for (Index l = 0; l < upper.size(); ++l) result.upper[l] = raw_value(l, upper[l]);
    for (IntegerFeature& one : result.integers) {
        one.steps = one.steps_at(scale_of(one.feature));
        one.scale /= scaler.scale()[one.feature];
        one.offset -= one.scale * scaler.offset()[one.feature];
    }
    for (OneHotGroup& group : result.one_hot) {
        Vector on(static_cast<Index>(group.features.size()));
        Vector off(on.size());
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            on[static_cast<Index>(i)] = raw_value(group.features[i], group.on_value(i));
            off[static_cast<Index>(i)] = raw_value(group.features[i], group.off_value(i));
        }
        group.on = on;
        group.off = off;
    }
    return result;
}

double AttackModel::move_size(const VectorRef& x, const VectorRef& d) const {
    const auto [decided, rest] = split_move(*this, x, d);
    return join_sizes(norm, decided.ends().up, rest);
}

bool AttackModel::allows(const VectorRef& x, const VectorRef& moved) const {
    std::vector<char> is_grouped(static_cast<std::size_t>(x.size()), 0);
    for (const OneHotGroup& group : one_hot) {
        bool is_moved = false;
        bool is_frozen = false;
        for (int l : group.features) {
            is_grouped[static_cast<std::size_t>(l)] = 1;
            is_moved = is_moved || moved[l] != x[l];
            is_frozen = is_frozen || scale_of(l) == 0.0;
        }
        if (!is_moved) continue;
        if (is_frozen || !is_one_on(group, x, moved)) return false;
        if (group.cost_between(x, moved) == kInfinity) return false;
    }
    for (Index l = 0; l < x.size(); ++l) {
        if (is_grouped[static_cast<std::size_t>(l)] != 0 || moved[l] == x[l]) continue;
        if (scale_of(l) == 0.0) return false;
        const bool is_below = moved[l] < lower_of(l) && !is_landed(moved[l], lower_of(l), x[l]);
        const bool is_above = moved[l] > upper_of(l) && !is_landed(moved[l], upper_of(l), x[l]);
        if (is_below || is_above) return false;
        if (direction_of(l) == Direction::Up && moved[l] < x[l]) return false;
        if (direction_of(l) == Direction::Down && moved[l] > x[l]) return false;
    }
    return std::all_of(integers.begin(), integers.end(), [&](const IntegerFeature& one) {
        const double value = moved[one.feature];
        const double start = x[one.feature];
        return value == start || is_landed(value, one.value(one.nearest(value)), start);
    });
}

}  // namespace redoubt
