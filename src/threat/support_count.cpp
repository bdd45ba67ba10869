/// The support function where changed features are counted: a knapsack of changes.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "threat/support.hpp"

namespace redoubt {

namespace {

/// Choices looked at before the best one found so far is taken.
constexpr int kMostChoices = 2'000'000;
/// Sums of costs that exceed the radius by less than this share do so by rounding.
constexpr double kSpare = 1e-12;

/// Changes of one feature or group, of which at most one happens.
struct CountedChange {
    double gain = 0.0;
    double cost = 1.0;
    int lever = 0;
    std::size_t place = 0;  ///< of the caller's
};

/// Picks changes of the largest sum of gains that cost at most a budget: depth first, in the order
/// of gains per cost, which bounds what is left.
class ChangeKnapsack {
public:
    ChangeKnapsack(std::vector<CountedChange> changes, int n_levers)
        : changes_(std::move(changes)), is_used_(static_cast<std::size_t>(n_levers), 0) {
        std::sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) {
            const double left = a.gain / a.cost;
            const double right = b.gain / b.cost;
            return left > right || (left == right && a.place < b.place);
        });
    }

    std::vector<std::size_t> best(double budget) {
        search(0, budget, 0.0);
        std::sort(best_.begin(), best_.end());
        return std::move(best_);
    }

private:
    double bound(std::size_t next, double budget) const {
        double sum = 0.0;
        for (; next < changes_.size() && budget > 0.0; ++next) {
            const CountedChange& one = changes_[next];
            if (is_used_[static_cast<std::size_t>(one.lever)] != 0) continue;
            const double share = std::min(1.0, budget / one.cost);
            sum += share * one.gain;
            budget -= share * one.cost;
        }
        return sum;
    }

    void search(std::size_t next, double budget, double gain) {
        if (gain > best_gain_) {
            best_gain_ = gain;
            best_ = chosen_;
        }
        for (; next < changes_.size(); ++next) {
            const double most = gain + bound(next, budget);
            if (most <= best_gain_ * (1.0 + 4.0 * kEps) || n_left_-- <= 0) return;
            const CountedChange& one = changes_[next];
            char& mark = is_used_[static_cast<std::size_t>(one.lever)];
            if (mark != 0 || one.cost > budget * (1.0 + kSpare)) continue;
            mark = 1;
            chosen_.push_back(one.place);
            search(next + 1, std::max(0.0, budget - one.cost), gain + one.gain);
            chosen_.pop_back();
            mark = 0;
        }
    }

    std::vector<CountedChange> changes_;
    std::vector<char> is_used_;
    std::vector<std::size_t> chosen_;
    std::vector<std::size_t> best_;
    double best_gain_ = 0.0;
    int n_left_ = kMostChoices;
};

}  // namespace

Vector Support::maximise_count(const VectorRef& g, double radius) {
    const AttackModel& model = *space_.model;
    std::vector<CountedChange> changes;
    struct Target {
        Index coordinate;
        double value;
        std::size_t group;
        std::size_t member;
    };
    std::vector<Target> targets;
    int n_levers = 0;
    const auto add = [&](double gain, double cost, const Target& target) {
        if (!(gain > 0.0)) return;
        changes.push_back({gain, cost, n_levers, targets.size()});
        targets.push_back(target);
    };
    for (Index c = 0; c < space_.size(); ++c, ++n_levers) {
        const int l = space_.features[static_cast<std::size_t>(c)];
        if (g[l] == 0.0) continue;
        const bool is_up = g[l] > 0.0;
        const bool is_integer = space_.integer_at[static_cast<std::size_t>(c)] >= 0;
        double value = 0.0;
        if (is_integer) {
            const IntegerRange& range = moves_.range(c);
            value = moves_.value_of_integer(c, is_up ? range.last : range.first);
        } else {
            value = moves_.value_at(c, is_up ? moves_.hi()[c] : moves_.lo()[c]);
        }
        add(g[l] * (value - moves_.x()[l]), model.cost_of(l), {c, value, 0, 0});
    }
    for (std::size_t group = 0; group < space_.groups.size(); ++group, ++n_levers) {
        std::size_t member = 0;
        moves_.for_each_switch(group, g, [&](double gain) {
            add(gain, moves_.cost(group, member), {-1, 0.0, group, member});
            ++member;
        });
    }
    Vector moved = moves_.x();
    for (std::size_t place : ChangeKnapsack(std::move(changes), n_levers).best(radius)) {
        const Target& target = targets[place];
        if (target.coordinate >= 0) {
            moved[space_.features[static_cast<std::size_t>(target.coordinate)]] = target.value;
        } else {
            moves_.apply_switch(target.group, target.member, moved);
        }
    }
    return moves_.step_to(moved);
}

}  // namespace redoubt
