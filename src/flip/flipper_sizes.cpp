/// What Flipper knows exactly of the sizes of moves: those of switches and integers.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "flip/flipper.hpp"

namespace redoubt {

namespace {

/// Boxes of one point that are split although their bounds are those of the witness up to rounding.
constexpr int kMaxTies = 256;

}  // namespace

/// Planes see the values of integers, which are rounded; sizes count steps.
void Flipper::load_sizes() {
    excess_ = 0.0;
    excess_share_ = 0.0;
    is_discrete_ = space_.has_box;
    for (Index c = 0; space_.has_box && c < space_.size(); ++c) {
        if (space_.integer_at[static_cast<std::size_t>(c)] < 0) {
            is_discrete_ = is_discrete_ && moves_.lo()[c] == moves_.hi()[c];
            continue;
        }
        const Excess one = excess_of(c);
        excess_ += one.size;
        excess_share_ = std::max(excess_share_, one.share);
    }
}

Flipper::Excess Flipper::excess_of(Index c) const {
    const auto at = static_cast<std::size_t>(c);
    const IntegerFeature& one =
        space_.model->integers[static_cast<std::size_t>(space_.integer_at[at])];
    const double x = moves_.x()[one.feature];
    const double value = one.value(moves_.range(c).now);
    const bool is_raw = one.scale == 1.0 && one.offset == 0.0;
    const double rounding = is_raw ? 0.0 : 4.0 * kEps;
    const SizeUnit step = space_.step_unit(c);
    const long double ratio = static_cast<long double>(step.top) * one.scale *
                              static_cast<long double>(space_.unit[c]) / step.bottom;
    const auto share = static_cast<double>(std::abs(1.0L / ratio - 1.0L));
    return {(std::abs(x - value) * (1.0 + kEps) + rounding * std::abs(value)) / space_.unit[c] *
                (1.0 + 4.0 * kEps),
            share > 0.0 || !is_raw ? share + rounding + kEps : 0.0};
}

/// What the node's switches cost together with the least steps of its integers.
ExactSize Flipper::decided_size(const Node& node) const {
    ExactSize size(threat_.norm());
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        const bool is_switched =
            node.member[g] >= 0 && static_cast<std::size_t>(node.member[g]) != moves_.on(g);
        if (is_switched) size.add(moves_.cost(g, static_cast<std::size_t>(node.member[g])));
    }
    for (std::size_t w = 0; w < integers_.size(); ++w) {
        const double now = moves_.range(integers_[w]).now;
        const double nearest = std::clamp(now, node.spans[w].first, node.spans[w].last);
        if (nearest != now) size.add(std::abs(nearest - now), steps_[w]);
    }
    return size;
}

/// Raises a bound of the node to that; to the last bit only if it `is_last` or where that may
/// decide.
void Flipper::raise_to_decided(const Node& node, bool is_last, double& lower) const {
    if (space_.is_convex()) return;
    const ExactSize size = decided_size(node);
    const double value = size.value();
    if (lower > value * (1.0 + size.error())) return;
    const bool is_near = is_last || value >= cutoff() * (1.0 - kClosedGap);
    lower = std::max(lower, is_near ? size.ends().down : value * (1.0 - size.error()));
}

/// The size of the node's switches and a move of this size, rounded down.
double Flipper::size_with_switches(double proven) const {
    if (space_.is_ball) return proven;
    double size = join_sizes(threat_.norm(), price_, proven) * (1.0 - 4.0 * kEps);
    if (excess_ > 0.0 || excess_share_ > 0.0)
        size = std::max(0.0, (size - excess_) * (1.0 - excess_share_ - 2.0 * kEps));
    return is_discrete_ ? sizes_.least_from(size) : size;
}

/// Nothing below this bound is worth looking for.
bool Flipper::is_closed(double lower) const {
    // A cutoff has a margin beyond the radius that is asked about, which bounds must pass.
    if (lower >= std::min(floor_, cutoff_ * (1.0 - 0.5 * kClosedGap))) return true;
    return lower >= flip_.upper * (1.0 - kClosedGap) && !is_tie(lower);
}

/// Is the bound that of the witness but for rounding, where more can be known?
bool Flipper::is_tie(double lower) const {
    return floor_ < HUGE_VAL && lower < floor_ && lower >= flip_.upper * (1.0 - kClosedGap) &&
           n_ties_ < kMaxTies;
}

}  // namespace redoubt
