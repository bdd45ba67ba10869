#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/node_state.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Good points to start a search with: each saves more nodes than it costs. Nodes is that of
/// FlipSearch; `load` it first.
template <typename Nodes>
class Incumbents {
public:
    Incumbents(const PlaneSet& planes, Nodes& nodes) : planes_(planes), nodes_(nodes) {}

    /// Greedy: adds the plane that looks nearest for its weight until enough are fooled. Null if
    /// that reaches the cutoff.
    const NodeState* dive(const Amounts& required, double cutoff);

    /// Another set near that of `best`: without one of the planes that determine it, and with the
    /// cheapest others instead. Null if none is nearer than the cutoff.
    const NodeState* exchange(const NodeState& best, const Amounts& required, double cutoff);

private:
    double gain(int i) const;
    bool look(const NodeState& state, const Amounts& required);
    void measure(const NodeState& state);
    int nearest() const;
    int cheapest(const NodeState& state, int without, double cutoff);
    int farthest(const std::vector<char>& among) const;
    bool go(int plane, double cutoff);
    bool fool_all(const std::vector<char>& wanted, double cutoff);
    bool fool_more(const Amounts& required, int without, double cutoff);

    const PlaneSet& planes_;
    Nodes& nodes_;
    NodeState state_;
    NodeState next_;
    std::vector<double> slack_;
    Amounts missing_;  ///< in the current state; negative if there is more than enough
    std::vector<char> wanted_;
};

template <typename Nodes>
const NodeState* Incumbents<Nodes>::dive(const Amounts& required, double cutoff) {
    nodes_.root(state_);
    while (!look(state_, required)) {
        const int plane = nodes_.has_poor_dives() ? cheapest(state_, -1, cutoff) : nearest();
        if (plane < 0 || !go(plane, cutoff)) return nullptr;
    }
    return state_.distance < cutoff ? &state_ : nullptr;
}

template <typename Nodes>
const NodeState* Incumbents<Nodes>::exchange(const NodeState& best, const Amounts& required,
                                             double cutoff) {
    measure(best);
    wanted_.resize(slack_.size());
    for (std::size_t i = 0; i < slack_.size(); ++i) wanted_[i] = slack_[i] >= 0.0 ? 1 : 0;
    for (int i : best.active) wanted_[static_cast<std::size_t>(i)] = 1;
    for (int paid : best.active) {
        wanted_[static_cast<std::size_t>(paid)] = 0;
        if (fool_all(wanted_, cutoff) && fool_more(required, paid, cutoff)) return &state_;
        wanted_[static_cast<std::size_t>(paid)] = 1;
    }
    return nullptr;
}

/// Slacks of all planes, none for members.
template <typename Nodes>
void Incumbents<Nodes>::measure(const NodeState& state) {
    nodes_.slacks(state, slack_);
    for (int j : state.members) slack_[static_cast<std::size_t>(j)] = 0.0;
}

/// The same, and whether enough planes are fooled.
template <typename Nodes>
bool Incumbents<Nodes>::look(const NodeState& state, const Amounts& required) {
    measure(state);
    missing_ = required;
    for (std::size_t j = 0; j < slack_.size(); ++j) {
        if (!(slack_[j] >= 0.0)) continue;
        for (std::size_t r = 0; r < missing_.size(); ++r)
            missing_[r] -= planes_.weight(static_cast<Index>(j), r);
    }
    for (std::size_t r = 0; r < missing_.size(); ++r) {
        if (missing_[r] > 0) return false;
    }
    return true;
}

/// The weight of a plane in the counts that still need some.
template <typename Nodes>
double Incumbents<Nodes>::gain(int i) const {
    Index sum = 0;
    for (std::size_t r = 0; r < missing_.size(); ++r) {
        if (missing_[r] > 0) sum += planes_.weight(i, r);
    }
    return static_cast<double>(sum);
}

template <typename Nodes>
int Incumbents<Nodes>::nearest() const {
    int nearest = -1;
    double least = HUGE_VAL;
    for (std::size_t j = 0; j < slack_.size(); ++j) {
        if (slack_[j] >= 0.0) continue;
        const double way =
            -slack_[j] / (planes_.size()[static_cast<Index>(j)] * gain(static_cast<int>(j)));
        if (way < least) {
            least = way;
            nearest = static_cast<int>(j);
        }
    }
    return nearest;
}

/// As `nearest`, by what the planes cost together with the members.
template <typename Nodes>
int Incumbents<Nodes>::cheapest(const NodeState& state, int without, double cutoff) {
    nodes_.prepare(state);
    int cheapest = -1;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < slack_.size(); ++i) {
        const auto j = static_cast<int>(i);
        if (slack_[i] >= 0.0 || j == without) continue;
        if (nodes_.quick_bound(state, j, slack_[i]) >= cutoff) continue;
        const double distance = nodes_.bound(state, j, slack_[i], cutoff);
        const double rise = (distance - state.distance) / gain(j);
        if (distance < cutoff && rise < least) {
            least = rise;
            cheapest = j;
        }
    }
    return cheapest;
}

template <typename Nodes>
int Incumbents<Nodes>::farthest(const std::vector<char>& among) const {
    int farthest = -1;
    double most = 0.0;
    for (std::size_t j = 0; j < slack_.size(); ++j) {
        const double way = -slack_[j] / planes_.size()[static_cast<Index>(j)];
        if (among[j] != 0 && way > most) {
            most = way;
            farthest = static_cast<int>(j);
        }
    }
    return farthest;
}

/// Adds a plane to the current state; false if that reaches the cutoff.
template <typename Nodes>
bool Incumbents<Nodes>::go(int plane, double cutoff) {
    nodes_.add(state_, plane, cutoff, next_);
    if (!next_.is_exact || next_.distance >= cutoff) return false;
    std::swap(state_, next_);
    return true;
}

/// From the start.
template <typename Nodes>
bool Incumbents<Nodes>::fool_all(const std::vector<char>& wanted, double cutoff) {
    nodes_.root(state_);
    while (true) {
        measure(state_);
        const int plane = farthest(wanted);
        if (plane < 0) return true;
        if (!go(plane, cutoff)) return false;
    }
}

template <typename Nodes>
bool Incumbents<Nodes>::fool_more(const Amounts& required, int without, double cutoff) {
    while (!look(state_, required)) {
        const int plane = cheapest(state_, without, cutoff);
        if (plane < 0 || !go(plane, cutoff)) return false;
    }
    return true;
}

}  // namespace redoubt
