/// Where the boxes of Flipper are split.

#include <algorithm>
#include <cmath>

#include "flip/flipper.hpp"

namespace redoubt {

void Flipper::branch(const Node& node, const SearchResult& result) {
    const bool has_open_group =
        std::any_of(node.member.begin(), node.member.end(), [](int m) { return m < 0; });
    if (has_open_group) {
        branch_group(node, result);
        return;
    }
    // The integer that is missed by most; without a point, the one with the most room.
    std::size_t best = integers_.size();
    double most = -1.0;
    double at = 0.0;
    bool is_between = false;
    for (std::size_t w = 0; w < integers_.size(); ++w) {
        const Index c = integers_[w];
        const Span& span = node.spans[w];
        if (span.first == span.last) continue;
        const auto coordinate = static_cast<std::size_t>(c);
        const IntegerFeature& one =
            space_.model->integers[static_cast<std::size_t>(space_.integer_at[coordinate])];
        const double now = moves_.range(c).now;
        double value = std::clamp(now, span.first, span.last);
        double missed = 0.0;
        if (result.e.size() > 0) {
            value = now - current_label_ * result.e[c] * space_.unit[c] * one.scale;
            value = std::clamp(value, span.first, span.last);
            missed = std::abs(value - std::round(value));
        } else if (std::isfinite(span.last - span.first)) {
            value = 0.5 * (span.first + span.last);
        }
        const bool is_missed = missed > kIntegral;
        if (is_between && !is_missed) continue;
        const double score = is_missed ? missed : 0.5 - 1.0 / (2.0 + span.last - span.first);
        if (best == integers_.size() || (is_missed && !is_between) || score > most) {
            best = w;
            most = score;
            at = value;
            is_between = is_missed;
        }
    }
    split(node, best, at, !is_between);
}

/// Two parts below and above a value between integers, or three with the value's own.
void Flipper::split(const Node& node, std::size_t w, double at, bool keeps_middle) {
    const Span span = node.spans[w];
    const double middle = std::round(at);
    const double below = keeps_middle ? middle - 1.0 : std::floor(at);
    const double above = keeps_middle ? middle + 1.0 : below + 1.0;
    if (below >= span.first) {
        Node part = node;
        part.spans[w] = {span.first, below};
        push(std::move(part));
    }
    if (keeps_middle) {
        Node part = node;
        part.spans[w] = {middle, middle};
        push(std::move(part));
    }
    if (above <= span.last) {
        Node part = node;
        part.spans[w] = {above, span.last};
        push(std::move(part));
    }
}

/// The undecided group that could help most: one child per member that is worth a switch, and one
/// that stays.
void Flipper::branch_group(const Node& node, const SearchResult& result) {
    std::size_t best = node.member.size();
    double most = -1.0;
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        if (node.member[g] >= 0) continue;
        double help = result.active.empty() ? most_help(g) : 0.0;
        for (int i : result.active) {
            const auto w = ensemble_.coef().row(planes_.index(i)).transpose();
            double gain = 0.0;
            moves_.for_each_switch(g, w, [&](double change) {
                gain = std::max(gain, -current_label_ * change * planes_.scale(i));
            });
            help += gain / planes_.size()[i];
        }
        if (help > most) {
            most = help;
            best = g;
        }
    }
    const auto on = static_cast<int>(moves_.on(best));
    const auto push_member = [&](int member) {
        Node child = node;
        child.member[best] = member;
        push(std::move(child));
    };
    const std::vector<int>& useful = threat_.useful(current_label_, best).members;
    bool has_pushed_on = false;
    for (int member : useful) {
        if (member >= on && !has_pushed_on) {
            push_member(on);
            has_pushed_on = true;
        }
        const bool is_possible = moves_.can_switch(best, static_cast<std::size_t>(member));
        if (member != on && is_possible) push_member(member);
    }
    if (!has_pushed_on) push_member(on);
}

}  // namespace redoubt
