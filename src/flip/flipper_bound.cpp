/// What Flipper knows of a box with undecided groups: the least size at which each plane alone can
/// be fooled there, switches paid for in part.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "flip/flipper.hpp"

namespace redoubt {

namespace {

using Lever = PlaneLever;

/// The least l1 size: the levers that gain most go first.
double least_l1(std::vector<Lever>& levers, double wanted) {
    std::sort(levers.begin(), levers.end(), [](auto& a, auto& b) { return a.rate > b.rate; });
    double size = 0.0;
    for (const Lever& lever : levers) {
        if (lever.rate * lever.room >= wanted) return size + wanted / lever.rate;
        wanted -= lever.rate * lever.room;
        size += lever.room;
    }
    return HUGE_VAL;
}

/// The least linf size: all go as far as it or to their ends.
double least_linf(std::vector<Lever>& levers, double wanted) {
    std::sort(levers.begin(), levers.end(), [](auto& a, auto& b) { return a.room < b.room; });
    double slope = 0.0;
    for (const Lever& lever : levers) slope += lever.rate;
    for (std::size_t j = 0; j < levers.size(); ++j) {
        if (slope * levers[j].room >= wanted) return wanted / slope;
        wanted -= levers[j].rate * levers[j].room;
        slope = 0.0;  // summed up again: a difference would lose digits
        for (std::size_t i = j + 1; i < levers.size(); ++i) slope += levers[i].rate;
    }
    return HUGE_VAL;
}

/// The least l2 size: moves in proportion to the rates, or to the ends.
double least_l2(std::vector<Lever>& levers, double wanted) {
    std::sort(levers.begin(), levers.end(),
              [](auto& a, auto& b) { return a.room * b.rate < b.room * a.rate; });
    double spent = 0.0;
    for (std::size_t j = 0; j < levers.size(); ++j) {
        double square = 0.0;
        for (std::size_t i = j; i < levers.size(); ++i) square += levers[i].rate * levers[i].rate;
        const double step = wanted / square;
        if (step * levers[j].rate <= levers[j].room) return std::sqrt(spent + step * step * square);
        wanted -= levers[j].rate * levers[j].room;
        spent += levers[j].room * levers[j].room;
    }
    return HUGE_VAL;
}

double least_size(Norm norm, std::vector<Lever>& levers, double wanted) {
    switch (norm) {
        case Norm::L0:
        case Norm::L1:
            return least_l1(levers, wanted);
        case Norm::LInf:
            return least_linf(levers, wanted);
        case Norm::L2:
            return least_l2(levers, wanted);
    }
    return 0.0;
}

}  // namespace

/// What each group could do for each plane, once per point. In part, a switch gains at the best
/// rate of all members, and no more than the best of them.
void Flipper::load_help() {
    const Index k = ensemble_.n_planes();
    help_.assign(space_.groups.size() * static_cast<std::size_t>(k), {});
    for (std::size_t g = 0; g < space_.groups.size(); ++g) {
        const OneHotGroup& group = moves_.group(g);
        for (Index i = 0; i < k; ++i) {
            const auto w = ensemble_.coef().row(i).transpose();
            Help& help = help_[g * static_cast<std::size_t>(k) + static_cast<std::size_t>(i)];
            double best = 0.0;
            const auto take = [&](auto&& look) {
                std::size_t member = 0;
                moves_.for_each_switch(g, w, [&](double change) {
                    look(-current_label_ * change, moves_.cost(g, member));
                    ++member;
                });
            };
            take([&](double gain, double cost) {
                best = std::max(best, gain);
                help.magnitude += std::abs(gain);
                if (cost == 0.0) help.free = std::max(help.free, gain);
            });
            for (int l : group.features) help.magnitude += 2.0 * std::abs(w[l] * moves_.x()[l]);
            if (!(best > help.free)) continue;
            double rate = 0.0;
            if (group.prices.empty()) {
                rate = best / group.switch_cost;
            } else {
                take([&](double gain, double cost) {
                    if (gain > help.free) rate = std::max(rate, (gain - help.free) / cost);
                });
            }
            if (std::isfinite(rate)) {
                help.lever = {rate, (best - help.free) / rate};
            } else {
                help.free = best;
            }
        }
    }
}

/// What a group gains for the plane that it helps most.
double Flipper::most_help(std::size_t group) const {
    const auto k = static_cast<std::size_t>(ensemble_.n_planes());
    double most = 0.0;
    for (std::size_t at = group * k; at < std::min((group + 1) * k, help_.size()); ++at)
        most = std::max(most, help_[at].free + help_[at].lever.rate * help_[at].lever.room);
    return most;
}

/// No move of the box is smaller, its switches aside: enough planes must be fooled, and each of
/// them takes what it takes alone.
double Flipper::bound_by_planes(const Node& node) {
    if (help_.empty()) load_help();
    const Vector& start = start_of_box();
    plane_sizes_.clear();
    for (Index i = 0; i < ensemble_.n_planes(); ++i) {
        plane_sizes_.emplace_back(least_size_of(static_cast<int>(i), node, start),
                                  static_cast<int>(i));
    }
    std::sort(plane_sizes_.begin(), plane_sizes_.end());
    double least = 0.0;
    for (std::size_t r = 0; r < required_.size(); ++r)
        least = std::max(least, least_size_in_count(r));
    return least;
}

/// The size of the plane that completes a count, the cheapest first.
double Flipper::least_size_in_count(std::size_t count) const {
    Index missing = required_[count];
    if (missing <= 0) return 0.0;
    for (const auto& [size, plane] : plane_sizes_) {
        missing -= threat_.weight(plane, count);
        if (missing <= 0) return size;
    }
    return HUGE_VAL;
}

double Flipper::least_size_of(int plane, const Node& node, const Vector& start) {
    const auto w = ensemble_.coef().row(plane).transpose();
    const double b = ensemble_.intercept()[plane];
    double margin = current_label_ * (w.dot(start) + b);
    double magnitude = w.cwiseAbs().dot(start.cwiseAbs()) + std::abs(b);
    levers_.clear();
    for (Index c = 0; c < space_.size(); ++c) {
        const double rate = w[space_.features[static_cast<std::size_t>(c)]] * space_.unit[c];
        const double room = rate > 0.0 ? margins_.hi[c] : -margins_.lo[c];
        if (rate != 0.0 && room > 0.0) levers_.push_back({std::abs(rate), room});
    }
    const auto k = static_cast<std::size_t>(ensemble_.n_planes());
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        if (node.member[g] >= 0) continue;
        const Help& help = help_[g * k + static_cast<std::size_t>(plane)];
        margin -= help.free;
        magnitude += help.magnitude;
        if (help.lever.rate > 0.0) levers_.push_back(help.lever);
    }
    // Twice: for the margin and gains, and for what is done with them.
    const double wanted = margin - 2.0 * margin_error(threat_.n_roundings(), magnitude);
    if (!(wanted > 0.0)) return 0.0;
    const double size = least_size(threat_.norm(), levers_, wanted);
    const double rounding = (static_cast<double>(levers_.size()) + 16.0) * kEps;
    return size > 0.0 ? size * (1.0 - rounding) : 0.0;
}

}  // namespace redoubt
