#include "proofs/moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "proofs/filter.hpp"

namespace redoubt::proofs {

Moves::Moves(const Rules& rules, const Vector& point, double radius, const std::vector<int>& frozen)
    : rules_(rules),
      point_(point),
      radius_(radius),
      is_movable_(static_cast<std::size_t>(point.size()), 1) {
    const auto movable = [&](int l) -> char& { return is_movable_[static_cast<std::size_t>(l)]; };
    for (Index l = 0; l < point.size(); ++l) movable(static_cast<int>(l)) = rules.scale[l] > 0.0;
    for (int l : frozen) movable(l) = 0;
    std::vector<char> is_bound(is_movable_.size(), 0);
    is_cheap_.assign(is_movable_.size(), 0);
    for (const GroupRule& group : rules.groups) {
        const bool is_still = std::any_of(group.features.begin(), group.features.end(),
                                          [&](int l) { return movable(l) == 0; });
        for (int l : group.features) {
            is_bound[static_cast<std::size_t>(l)] = 1;
            if (is_still) movable(l) = 0;
        }
        if (is_still) continue;
        groups_.push_back(&group);
        on_[&group] = group.member_on(point);
    }
    for (const IntegerRule& one : rules.integers) {
        is_bound[static_cast<std::size_t>(one.feature)] = 1;
        if (movable(one.feature) != 0) integers_.push_back(&one);
        if (rules.are_counted() && std::isfinite(radius))
            is_cheap_[static_cast<std::size_t>(one.feature)] =
                compare(one.step, ExactRatio(radius)) < 0;
    }
    bool is_fixed = true;
    ends_.resize(is_movable_.size());
    for (Index l = 0; l < point.size(); ++l) {
        const auto at = static_cast<std::size_t>(l);
        if (is_movable_[at] == 0 || is_bound[at] != 0) continue;
        (rules.are_counted() ? ranges_ : columns_).push_back(static_cast<int>(l));
        const std::string& side = rules.direction[at];
        ends_[at] = {side == "up" ? point[l] : std::min(point[l], rules.lower[l]),
                     side == "down" ? point[l] : std::max(point[l], rules.upper[l])};
        is_fixed = is_fixed && (rules.are_counted() || ends_[at].down == ends_[at].up);
    }
    near_budget_ = near_power(radius) * (1.0 + 4.0 * kEps);
    if (std::isinf(radius)) return;
    budget_ = rules.power(ExactRatio(radius));
    if (!rules.unit || !is_fixed) return;
    const ExactRatio unit = rules.power(*rules.unit);
    const double count = (budget_ / unit).ceiling();
    is_reached_ = std::isfinite(count);
    if (is_reached_) budget_ = unit * ExactRatio(count - 1.0);
}

bool Moves::needs_charge() const {
    return rules_.are_any && (rules_.norm == Norm::LInf || rules_.are_counted() ||
                              !groups_.empty() || !integers_.empty());
}

Box Moves::box() const {
    Box box;
    for (const GroupRule* group : groups_) {
        std::vector<int>& members = box.members[group->features.front()];
        members.resize(group->features.size());
        std::iota(members.begin(), members.end(), 0);
    }
    for (const IntegerRule* one : integers_) {
        const double now = one->nearest(point_[one->feature]);
        const std::string& side = rules_.direction[static_cast<std::size_t>(one->feature)];
        box.spans[one->feature] = {
            side == "up" ? now : one->inside(rules_.lower[one->feature], now, -1.0),
            side == "down" ? now : one->inside(rules_.upper[one->feature], now, 1.0)};
    }
    for (int l : ranges_) box.members[l] = {0, 1};
    return box;
}

const GroupRule* Moves::group_at(int feature) const {
    const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const GroupRule* group) {
        return group->features.front() == feature;
    });
    return found == groups_.end() ? nullptr : *found;
}

const IntegerRule* Moves::integer_at(int feature) const {
    const auto found =
        std::find_if(integers_.begin(), integers_.end(),
                     [&](const IntegerRule* one) { return one->feature == feature; });
    return found == integers_.end() ? nullptr : *found;
}

bool Moves::is_range(int feature) const {
    return std::binary_search(ranges_.begin(), ranges_.end(), feature);
}

bool Moves::can_switch(const GroupRule& group, int member) const {
    return std::isfinite(group.price(on_.at(&group), member));
}

MostGain Moves::most(const Slopes& slope_of, const ExactNumber& charge, const Box& box) const {
    MostGain most;
    const bool is_charged = charge.sign() > 0;
    most.is_endless = is_charged && std::isinf(radius_);
    if (is_charged && !most.is_endless) most.value = charge * budget_;
    most.is_attained = !is_charged || is_reached_;
    for (const GroupRule* group : groups_)
        add_group(*group, box.members.at(group->features.front()), slope_of, charge, most);
    for (const IntegerRule* one : integers_)
        add_integer(*one, cut(*one, box.spans.at(one->feature)), slope_of(one->feature), charge,
                    most);
    for (int l : ranges_) add_range(l, box.members.at(l), slope_of(l), charge, most);
    if (most.is_empty) return most;
    for (int l : columns_) {
        const ExactNumber slope = slope_of(l);
        if (slope.sign() != 0) add_column(l, slope, charge, most);
    }
    return most;
}

double Moves::most_nearly(const NearSlopes& slopes, double charge, const Box& box) const {
    if (charge > 0.0 && !(charge > kLeast && charge < kGreatest && near_budget_ < kGreatest))
        return HUGE_VAL;
    double sum = charge > 0.0 ? charge * near_budget_ : 0.0;
    double sizes = sum;  // of all terms, for their roundings
    double n_terms = static_cast<double>(point_.size()) + 32.0;
    for (const GroupRule* group : groups_) {
        n_terms += static_cast<double>(group->features.size());
        sum += near_gain(*group, box.members.at(group->features.front()), slopes, charge, sizes);
    }
    for (const IntegerRule* one : integers_)
        sum += near_gain(*one, box.spans.at(one->feature), slopes, charge, sizes);
    for (int l : ranges_) sum += near_gain(l, box.members.at(l), slopes, charge, sizes);
    for (int l : columns_) {
        const Ends& ends = ends_[static_cast<std::size_t>(l)];
        const double up = slopes.value[l] + slopes.error[l];
        const double down = slopes.error[l] - slopes.value[l];
        double gain = 0.0;
        if (up > 0.0) gain = near_gain(l, up, ends.up, charge);
        if (down > 0.0) gain = std::max(gain, near_gain(l, down, ends.down, charge));
        sum += gain;
        sizes += gain;
    }
    const double most = sum + 4.0 * n_terms * kEps * sizes;
    return sizes < kGreatest ? most : HUGE_VAL;
}

/// Minus infinity if no member is left.
double Moves::near_gain(const GroupRule& group, const std::vector<int>& members,
                        const NearSlopes& slopes, double charge, double& sizes) const {
    const int start = on_.at(&group);
    double best = -HUGE_VAL;
    double largest = 0.0;
    for (int member : members) {
        const double cost = group.price(start, member);
        if (!(cost < radius_)) continue;
        const double paid = charge > 0.0 ? charge * near_power(cost) : 0.0;
        double gain = -paid;
        double size = paid;
        for (std::size_t i = 0; member != start && i < group.features.size(); ++i) {
            const auto at = static_cast<Index>(i);
            const int l = group.features[i];
            const double value = static_cast<int>(i) == member ? group.on[at] : group.off[at];
            const double change = value - point_[l];
            gain += slopes.value[l] * change + slopes.error[l] * std::abs(change);
            size += (std::abs(slopes.value[l]) + slopes.error[l]) * std::abs(change);
        }
        best = std::max(best, gain);
        largest = std::max(largest, size);
    }
    sizes += largest;
    return best;
}

/// As if steps could be parts of integers, and with room for the rounding of
/// values.
double Moves::near_gain(const IntegerRule& one, Box::Span span, const NearSlopes& slopes,
                        double charge, double& sizes) const {
    const double x = point_[one.feature];
    const double now = one.nearest(x);
    const double step = one.near_step;
    if (rules_.are_counted()) {
        span = cut(one, span);
    } else if (std::isfinite(radius_)) {
        const double reach = std::floor(radius_ / step * (1.0 + 8.0 * kEps));
        span = {std::max(span.first, now - reach), std::min(span.last, now + reach)};
    }
    if (span.first > span.last) return -HUGE_VAL;
    const double slope = std::abs(slopes.value[one.feature]) + slopes.error[one.feature];
    if (slope == 0.0 && charge == 0.0) return 0.0;
    if (!(std::max(std::abs(span.first), std::abs(span.last)) < 0x1p50)) return HUGE_VAL;
    const double largest =
        std::max(std::abs(one.value(span.first)), std::abs(one.value(span.last)));
    const double price = charge * near_power(step);
    if (!(price < kGreatest)) return HUGE_VAL;
    const auto at = [&](double steps) {
        // Both signs that the slope may have.
        const double change = (now + steps - one.offset) / one.scale - x;
        const double gain = slopes.value[one.feature] * change;
        const double count =
            rules_.are_counted() ? (steps == 0.0 ? 0.0 : 1.0) : near_power(std::abs(steps));
        return gain + slopes.error[one.feature] * std::abs(change) - price * count;
    };
    const double low = span.first - now;
    const double high = span.last - now;
    double best = std::max({at(low), at(high), at(std::clamp(0.0, low, high))});
    if (rules_.norm == Norm::L2 && price > 0.0) {
        const double steps = slope / (2.0 * price * one.scale);
        // The peak is flat: its own rounding costs the square of that.
        for (double side : {-1.0, 1.0})
            best = std::max(best, at(std::clamp(side * steps, low, high)) +
                                      8.0 * kEps * slope * std::min(steps, high - low) / one.scale);
    }
    const double at_rest = (now - one.offset) / one.scale - x;
    const double farthest = std::max(std::abs(low), std::abs(high)) / one.scale;
    const double size = slope * (largest + std::abs(x) + farthest +
                                 (std::abs(one.offset) + std::abs(now)) / one.scale) +
                        price * near_power(std::max(std::abs(low), std::abs(high)));
    sizes += size;
    const bool has_sign = std::abs(slopes.value[one.feature]) > slopes.error[one.feature];
    if (!has_sign && slope > 0.0) best = std::max(best, slope * (farthest + std::abs(at_rest)));
    const bool stays = span.first <= now && now <= span.last;
    return (stays ? std::max(best, 0.0) : best) + 32.0 * kEps * size;
}

/// Of a feature without a grid, to one side.
double Moves::near_gain(int feature, double slope, double reached, double charge) const {
    const double scale = rules_.scale[feature];
    const double end = std::abs(reached - point_[feature]) * (1.0 + kEps);
    const double room = 1.0 + 16.0 * kEps;
    if (!(slope > kLeast && slope < kGreatest && scale > kLeast && scale < kGreatest))
        return HUGE_VAL;
    if (rules_.norm == Norm::LInf && std::isfinite(radius_))
        return slope * std::min(end, radius_ * scale) * room;
    if (charge == 0.0) return slope * end * room;
    if (rules_.norm == Norm::L1) {
        const double left = slope * room - charge / scale;
        return left <= 0.0 ? 0.0 : end * left * room;
    }
    if (slope * scale * scale * (1.0 - 8.0 * kEps) <= 2.0 * charge * end) {
        const double gain = slope * scale;
        return gain * gain / (4.0 * charge) * room;
    }
    const double gain =
        slope * end * room - charge * (end / scale) * (end / scale) * (1.0 - 16.0 * kEps);
    return std::isfinite(gain) ? gain : HUGE_VAL;
}

void Moves::add_group(const GroupRule& group, const std::vector<int>& members,
                      const Slopes& slope_of, const ExactNumber& charge, MostGain& most) const {
    const int start = on_.at(&group);
    std::vector<ExactNumber> slopes;
    for (int l : group.features) slopes.push_back(slope_of(l));
    bool is_empty = true;
    ExactRatio best;
    for (int member : members) {
        const double cost = group.price(start, member);
        if (!(cost < radius_)) continue;
        ExactRatio gain = -(ExactRatio(charge) * rules_.power(ExactRatio(cost)));
        for (std::size_t i = 0; member != start && i < slopes.size(); ++i) {
            const auto at = static_cast<Index>(i);
            const double value = static_cast<int>(i) == member ? group.on[at] : group.off[at];
            gain += slopes[i] * (ExactNumber(value) + -ExactNumber(point_[group.features[i]]));
        }
        if (is_empty || compare(gain, best) > 0) best = gain;
        is_empty = false;
    }
    most.is_empty = most.is_empty || is_empty;
    most.value += best;
}

/// The integers of a span to which a move is smaller than the radius.
Box::Span Moves::cut(const IntegerRule& one, Box::Span span) const {
    if (std::isinf(radius_) || is_cheap_[static_cast<std::size_t>(one.feature)] != 0) return span;
    const double now = one.nearest(point_[one.feature]);
    const double reach = (ExactRatio(radius_) / one.step).ceiling() - 1.0;
    return {std::max(span.first, now - reach), std::min(span.last, now + reach)};
}

void Moves::add_integer(const IntegerRule& one, Box::Span span, const ExactNumber& slope,
                        const ExactNumber& charge, MostGain& most) const {
    if (span.first > span.last) {
        most.is_empty = true;
        return;
    }
    if (charge.sign() > 0 && !rules_.are_counted()) {
        add_charged_integer(one, span, slope, charge, most);
        return;
    }
    const double now = one.nearest(point_[one.feature]);
    const bool stays = span.first <= now && now <= span.last;
    // There is one only in l0, for any number of steps.
    const ExactRatio paid = ExactRatio(charge) * one.step;
    if (slope.sign() == 0) {
        if (!stays) most.value += -paid;
        return;
    }
    const double far = slope.sign() > 0 ? span.last : span.first;
    if (std::isinf(far)) {
        most.is_endless = true;
        return;
    }
    ExactRatio gain;
    if (far != now) {
        gain = slope * (ExactNumber(one.value(far)) + -ExactNumber(point_[one.feature]));
        gain += -paid;
        if (stays && gain.sign() < 0) gain = {};
    }
    most.value += gain;
}

/// Linear but for rounding, less the charge: looks for the best number of steps to the side.
void Moves::add_charged_integer(const IntegerRule& one, Box::Span span, const ExactNumber& slope,
                                const ExactNumber& charge, MostGain& most) const {
    const double now = one.nearest(point_[one.feature]);
    const double side = slope.sign() >= 0 ? 1.0 : -1.0;
    const double near = std::min(side * (span.first - now), side * (span.last - now));
    const double far = std::max(side * (span.first - now), side * (span.last - now));
    const ExactRatio rate = ExactRatio(slope.size()) / ExactRatio(one.scale);
    const ExactRatio price = ExactRatio(charge) * rules_.power(one.step);
    double best = compare(rate, price) > 0 ? far : 0.0;
    if (rules_.norm == Norm::L2)
        best = ((rate / price - ExactRatio(1.0)) * ExactRatio(0.5)).ceiling();
    const double steps = std::min(std::max({best, 0.0, near}), far);
    const ExactNumber change =
        ExactNumber(one.value(now + side * steps)) + -ExactNumber(point_[one.feature]);
    ExactRatio gain =
        ExactRatio(slope * change) - price * rules_.power(ExactRatio(std::abs(steps)));
    if (!one.is_raw()) {
        const double largest =
            std::max(std::abs(one.value(span.first)), std::abs(one.value(span.last)));
        const ExactNumber rounding =
            ExactNumber(largest) * ExactNumber(0x1p-50) + ExactNumber(0x1p-1000);
        gain += slope.size() * rounding;
    }
    const bool stays = span.first <= now && now <= span.last;
    if (stays && gain.sign() < 0) gain = {};
    most.value += gain;
}

/// A feature without a grid, where it is counted whether it changes.
void Moves::add_range(int feature, const std::vector<int>& cases, const ExactNumber& slope,
                      const ExactNumber& charge, MostGain& most) const {
    const Ends& ends = ends_[static_cast<std::size_t>(feature)];
    const double cost = rules_.cost[feature];
    const bool stays = cases.front() == 0;
    if (cases.back() == 0 || !(cost < radius_)) {
        most.is_empty = most.is_empty || !stays;
        return;
    }
    const double reached = slope.sign() > 0 ? ends.up : ends.down;
    ExactRatio gain = -(ExactRatio(charge) * ExactRatio(cost));
    if (slope.sign() != 0 && std::isinf(reached)) {
        most.is_endless = true;
    } else if (slope.sign() != 0) {
        gain += slope * (ExactNumber(reached) + -ExactNumber(point_[feature]));
    }
    if (!stays || gain.sign() > 0) most.value += gain;
}

double Moves::near_gain(int feature, const std::vector<int>& cases, const NearSlopes& slopes,
                        double charge, double& sizes) const {
    const Ends& ends = ends_[static_cast<std::size_t>(feature)];
    const double cost = rules_.cost[feature];
    const bool stays = cases.front() == 0;
    if (cases.back() == 0 || !(cost < radius_)) return stays ? 0.0 : -HUGE_VAL;
    const double up = slopes.value[feature] + slopes.error[feature];
    const double down = slopes.error[feature] - slopes.value[feature];
    double gain = 0.0;
    if (up > 0.0) gain = up * (ends.up - point_[feature]);
    if (down > 0.0) gain = std::max(gain, down * (point_[feature] - ends.down));
    const double paid = charge * cost;
    if (!(gain < kGreatest && paid < kGreatest)) return HUGE_VAL;
    sizes += gain + paid;
    return stays ? std::max(gain - paid, 0.0) : gain - paid;
}

/// A feature without a grid.
void Moves::add_column(int feature, const ExactNumber& slope, const ExactNumber& charge,
                       MostGain& most) const {
    const Ends& ends = ends_[static_cast<std::size_t>(feature)];
    const double reached = slope.sign() > 0 ? ends.up : ends.down;
    const bool is_endless = std::isinf(reached);
    const ExactNumber size = slope.size();
    const ExactNumber scale(rules_.scale[feature]);
    const ExactNumber end =
        is_endless ? ExactNumber() : (ExactNumber(reached) + -ExactNumber(point_[feature])).size();
    if (rules_.norm == Norm::LInf && std::isfinite(radius_)) {
        const ExactNumber reach = ExactNumber(radius_) * scale;
        if (is_endless || compare(end, reach) >= 0) {
            most.value += size * reach;
            most.is_attained = false;
            return;
        }
    } else if (charge.sign() > 0 && rules_.norm == Norm::L1) {
        if (compare(size * scale, charge) <= 0) return;
        if (!is_endless) {
            most.value += ExactRatio(end * (size * scale + -charge)) / ExactRatio(scale);
            return;
        }
    } else if (charge.sign() > 0) {
        const ExactNumber two(2.0);
        if (is_endless || compare(size * scale * scale, two * charge * end) <= 0) {
            most.value += ExactRatio(size * scale * size * scale) / ExactRatio(two * two * charge);
        } else {
            most.value += ExactRatio(size * end * scale * scale + -(charge * end * end)) /
                          ExactRatio(scale * scale);
        }
        return;
    }
    if (is_endless) {
        most.is_endless = true;
    } else {
        most.value += size * end;
    }
}

}  // namespace redoubt::proofs
