#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/amounts.hpp"
#include "search/incumbents.hpp"
#include "search/limits.hpp"
#include "search/node_state.hpp"
#include "search/plane_set.hpp"
#include "search/search_result.hpp"

namespace redoubt {

/// Least ||e|| that fools planes of the weight `required` together: branch and bound on the set of
/// planes that must be fooled. Where there are several counts, enough must be fooled in each.
///
/// A node has members I, which must be fooled, and free planes F, which may be. Nodes is L2Nodes or
/// VertexNodes. docs/algorithms.md, section 3, proves the rules used here.
template <typename Nodes, typename Watch = NoWatch>
class FlipSearch {
public:
    explicit FlipSearch(const PlaneSet& planes, Watch watch = {})
        : planes_(planes), nodes_(planes), watch_(watch), incumbents_(planes, nodes_) {}

    // The incumbents hold on to the nodes.
    FlipSearch(const FlipSearch&) = delete;
    FlipSearch& operator=(const FlipSearch&) = delete;

    const Watch& watch() const { return watch_; }
    Nodes& nodes() { return nodes_; }

    /// Looks for points nearer than `cutoff` only: `proven` is then at most a bound up to there.
    SearchResult run(const PointMargins& margins, const Amounts& required, double cutoff,
                     const PointLimits& limits, SearchWish wish = {});

private:
    /// Nodes before the incumbent is looked at again, and how many times as many before the next
    /// time.
    static constexpr std::int64_t kFirstLook = 64;
    static constexpr std::int64_t kNextLook = 8;

    struct Candidate {
        int plane;
        double distance;  ///< a lower bound on what the members cost together with it
    };

    struct Level {
        NodeState state;
        std::vector<int> free;
        std::vector<double> slack;
        std::vector<Candidate> candidates;
        Amounts fooled;
        bool is_watched = false;
        // Of a recorded search: the node in the log, and the one below it where the
        // members are those of the state.
        int node = -1;
        int tip = -1;
    };

    std::size_t count_to_branch(const Level& level) const;
    void find_incumbent();
    void improve_incumbent();
    void explore(std::size_t depth);
    bool needs_all(const Level& level);
    bool complete(Level& level);
    void collect_candidates(Level& level);
    bool make_candidate(Level& level, int j);
    void give_up_dropped();
    void skip(Level& level, std::size_t from, std::size_t count);
    int conflict(const NodeState& state, int j) const;
    void accept(Level& level);
    void keep(const NodeState& state);
    void give_up(double proven) { result_.proven = std::min(result_.proven, proven); }
    void note_refuted(Level& level);
    void note_bar(Level& level, int plane, const Refutation& by, double proven);
    void note_conflict(Level& level, int plane);

    const PlaneSet& planes_;
    Nodes nodes_;
    Watch watch_;
    std::vector<Level> levels_;
    // Of the node looked at: planes that are not fooled at its point; those of them that are no
    // candidates, and what is proven of sets with them.
    std::vector<int> open_;
    std::vector<Candidate> dropped_;
    Amounts spare_;      ///< weight that the open planes have beyond what is needed of them
    Amounts available_;  ///< weight of all planes that may still be fooled
    NodeState trial_;
    NodeState straight_;
    NodeState best_;
    Incumbents<Nodes> incumbents_;
    std::int64_t next_look_ = 0;
    Amounts required_;
    double cutoff_ = HUGE_VAL;
    const PointLimits* limits_ = nullptr;
    int current_label_ = 1;
    bool is_stopped_ = false;
    bool is_recorded_ = false;
    SearchResult result_;
};

template <typename Nodes, typename Watch>
SearchResult FlipSearch<Nodes, Watch>::run(const PointMargins& margins, const Amounts& required,
                                           double cutoff, const PointLimits& limits,
                                           SearchWish wish) {
    is_recorded_ = wish.proof;
    nodes_.record(wish.proof);
    required_ = required;
    cutoff_ = cutoff;
    limits_ = &limits;
    current_label_ = margins.current_label;
    is_stopped_ = false;
    result_ = SearchResult{};
    next_look_ = kFirstLook;
    const Index k = planes_.n_planes();
    if (!planes_.total().covers(required)) return result_;
    // A node has one member more than its parent, which weighs 1 at least where some is missing.
    Index most = 0;
    for (std::size_t r = 0; r < required.size(); ++r) most += std::clamp<Index>(required[r], 0, k);
    const auto deepest = static_cast<std::size_t>(std::min(most, k));
    result_.active.reserve(deepest);
    result_.lambda.reserve(deepest);
    nodes_.load(margins);
    // Never resized while the recursion holds references into it.
    if (levels_.size() < deepest + 1) levels_.resize(deepest + 1);
    Level& root = levels_[0];
    nodes_.root(root.state);
    root.free.resize(static_cast<std::size_t>(k));
    for (Index i = 0; i < k; ++i) root.free[static_cast<std::size_t>(i)] = static_cast<int>(i);
    find_incumbent();
    explore(0);
    if (wish.point && result_.distance < HUGE_VAL) nodes_.point(best_, result_.e);
    // Trouble at nodes whose bounds reach the incumbent all the same has done no harm.
    const bool is_closed = result_.proven >= result_.distance * (1.0 - kClosedGap);
    if (result_.status == Status::NumericalFailure && is_closed) result_.status = Status::Optimal;
    return result_;
}

/// One greedy dive, then straight moves. (More dives, each without the plane that the last one paid
/// most for, save 5 % of the nodes and cost more than these.)
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::find_incumbent() {
    if (const NodeState* found = incumbents_.dive(required_, cutoff_)) keep(*found);
    if (required_.size() == 1 && nodes_.move_straight(required_[0], cutoff_, straight_))
        keep(straight_);
}

/// Where a search grows long for want of a good incumbent, that deserves another look. (It costs
/// more than it saves where dives end within 1 % of the best.)
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::improve_incumbent() {
    if (result_.n_nodes < next_look_ || !nodes_.has_poor_dives()) return;
    if (result_.distance == HUGE_VAL) return;
    next_look_ = kNextLook * result_.n_nodes;
    while (const NodeState* found = incumbents_.exchange(best_, required_, cutoff_))
        keep(*found);
}

template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::explore(std::size_t depth) {
    Level& level = levels_[depth];
    if (is_recorded_) level.node = level.tip = result_.log.add_node();
    if (is_stopped_ || limits_->reached(result_.n_nodes, &result_.status)) {
        is_stopped_ = true;
        note_refuted(level);
        return;
    }
    improve_incumbent();
    ++result_.n_nodes;
    if (!level.state.is_exact) {
        // A singular basis or too many pivots: nothing is lost but the proof beyond this bound.
        result_.status = Status::NumericalFailure;
        note_refuted(level);
        return;
    }
    level.is_watched = watch_.is_below(level.state.members, level.free);
    nodes_.slacks(level.state, level.slack);
    const bool takes_all = needs_all(level);
    // Branching for one count leaves out planes that another one may need.
    if (!available_.covers(required_)) return;
    if (takes_all && complete(level)) return;
    collect_candidates(level);
    if (level.fooled.covers(required_)) {
        accept(level);
        return;
    }
    std::vector<Candidate>& candidates = level.candidates;
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.plane < b.plane);
    });
    // Any set that completes I has candidates of weight `missing` in it. Branch on its costliest
    // one: it and all cheaper ones weigh at least that much, and everything costlier is out, unless
    // it has no weight in this count.
    const std::size_t count = count_to_branch(level);
    Index missing = required_[count] - level.fooled[count];
    const std::size_t n_satisfied = level.free.size();
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        const Index weight = planes_.weight(candidates[at].plane, count);
        missing -= weight;
        if (missing > 0 || weight == 0) continue;
        if (is_stopped_ || candidates[at].distance >= cutoff_) {
            skip(level, at, count);
            return;
        }
        Level& child = levels_[depth + 1];
        nodes_.add(level.state, candidates[at].plane, cutoff_, child.state);
        if (child.state.distance >= cutoff_) {
            if (level.is_watched) watch_.on_skip(candidates, at, cutoff_);
            note_bar(level, candidates[at].plane, child.state.by, child.state.proven);
            give_up(child.state.proven);
            continue;
        }
        nodes_.prove(child.state);
        child.free.assign(level.free.begin(),
                          level.free.begin() + static_cast<std::ptrdiff_t>(n_satisfied));
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const bool is_in = i < at || (i > at && planes_.weight(candidates[i].plane, count) == 0);
            if (is_in) child.free.push_back(candidates[i].plane);
        }
        explore(depth + 1);
        if (is_recorded_) {
            result_.log.add_child(level.tip, candidates[at].plane, child.node);
        }
    }
}

/// The sets of this node are given up for what is proven of its members.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::note_refuted(Level& level) {
    if (is_recorded_) result_.log.refute(level.tip, level.state.by);
    give_up(level.state.proven);
}

template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::note_bar(Level& level, int plane, const Refutation& by,
                                        double proven) {
    if (is_recorded_) result_.log.add_bar(level.tip, plane, by, proven);
}

/// The count that leaves the least choice: its first candidate to branch on is the costliest.
template <typename Nodes, typename Watch>
std::size_t FlipSearch<Nodes, Watch>::count_to_branch(const Level& level) const {
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t r = 0; required_.size() > 1 && r < required_.size(); ++r) {
        Index missing = required_[r] - level.fooled[r];
        if (missing <= 0) continue;
        double first = HUGE_VAL;
        for (const Candidate& candidate : level.candidates) {
            missing -= planes_.weight(candidate.plane, r);
            if (missing > 0) continue;
            first = candidate.distance;
            break;
        }
        if (!(first > most)) continue;
        most = first;
        best = r;
    }
    return best;
}

/// Does it take every free plane to fool enough? Then one set is left. The first child of every
/// node is such a one.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::needs_all(const Level& level) {
    available_.reset(required_.size());
    for (int j : level.state.members) planes_.add_weight(j, available_);
    for (int j : level.free) planes_.add_weight(j, available_);
    return std::all_of(level.free.begin(), level.free.end(), [&](int j) {
        for (std::size_t r = 0; r < required_.size(); ++r) {
            if (available_[r] - planes_.weight(j, r) < required_[r]) return true;
        }
        return false;
    });
}

/// Fools all free planes, the one farthest away first: there is nothing to choose, so no bounds are
/// needed on the way. False where a plane meets numerical trouble: the node has come so far, and
/// another order of the planes may do better.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::complete(Level& level) {
    std::vector<int>& free = level.free;
    while (true) {
        int farthest = -1;
        double most = 0.0;
        for (int j : free) {
            const double way = -level.slack[static_cast<std::size_t>(j)] / planes_.size()[j];
            if (way > most) {
                most = way;
                farthest = j;
            }
        }
        if (farthest < 0) {
            nodes_.prove(level.state);
            accept(level);
            return true;
        }
        if (conflict(level.state, farthest) >= 0) {
            note_conflict(level, farthest);
            return true;
        }
        nodes_.add(level.state, farthest, cutoff_, trial_);
        if (trial_.distance < cutoff_ && !trial_.is_exact) {
            nodes_.prove(level.state);
            return false;
        }
        if (trial_.distance >= cutoff_) {
            if (level.is_watched) watch_.on_drop(farthest, cutoff_);
            nodes_.prove(level.state);
            note_bar(level, farthest, trial_.by, trial_.proven);
            if (trial_.proven < level.state.proven) {
                note_refuted(level);
            } else {
                give_up(trial_.proven);
            }
            return true;
        }
        if (is_recorded_) {
            const int below = result_.log.add_node();
            result_.log.add_child(level.tip, farthest, below);
            level.tip = below;
        }
        level.state = trial_;
        free.erase(std::find(free.begin(), free.end(), farthest));
        nodes_.slacks(level.state, level.slack);
    }
}

/// Gives up the sets whose costliest candidate is `from` or a later one: it reaches the cutoff by
/// now, or the search was stopped.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::skip(Level& level, std::size_t from, std::size_t count) {
    if (is_stopped_) {
        note_refuted(level);
        return;
    }
    nodes_.prepare(level.state);
    for (std::size_t at = from; at < level.candidates.size(); ++at) {
        if (level.is_watched) watch_.on_skip(level.candidates, at, cutoff_);
        const int j = level.candidates[at].plane;
        if (planes_.weight(j, count) == 0) continue;
        nodes_.bound(level.state, j, level.slack[static_cast<std::size_t>(j)], cutoff_);
        const double proven = nodes_.proven_of_bound(level.state);
        note_bar(level, j, nodes_.last_refutation(), proven);
        give_up(proven);
    }
}

/// Splits the free planes into those fooled at the node's point, which stay in `free`, and
/// candidates, which cost more; drops those that reach the cutoff. Adds up the weight of I and the
/// first. There are no candidates when more is dropped than the node can spare: then every set that
/// completes it has a dropped plane in it, and the other planes need no bounds.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::collect_candidates(Level& level) {
    level.candidates.clear();
    open_.clear();
    dropped_.clear();
    level.fooled.reset(required_.size());
    spare_.reset(required_.size());
    for (int j : level.state.members) planes_.add_weight(j, level.fooled);
    std::size_t kept = 0;
    for (int j : level.free) {
        if (level.slack[static_cast<std::size_t>(j)] >= 0.0) {
            planes_.add_weight(j, level.fooled);
            level.free[kept++] = j;
        } else {
            open_.push_back(j);
        }
    }
    if (level.fooled.covers(required_)) return;
    level.free.resize(kept);
    // All that may be fooled, less what must be.
    spare_ = available_;
    spare_ -= required_;
    nodes_.prepare(level.state);
    // The costliest of the parent come last, and they are the likeliest to be dropped.
    for (std::size_t i = open_.size(); i-- > 0 && !spare_.has_negative();) {
        const int j = open_[i];
        if (make_candidate(level, j)) continue;
        if (level.is_watched) watch_.on_drop(j, cutoff_);
        for (std::size_t r = 0; r < spare_.size(); ++r) spare_[r] -= planes_.weight(j, r);
    }
    if (spare_.has_negative()) level.candidates.clear();
    give_up_dropped();
}

/// Gives up the sets with a dropped plane. What the others lack to complete one, -spare, must come
/// from dropped planes: if the cheapest do not weigh that much, a costlier one is in it, too.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::give_up_dropped() {
    std::sort(dropped_.begin(), dropped_.end(),
              [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    const std::size_t lacking = spare_.has_negative() ? spare_.first_negative() : 0;
    Index spare = spare_[lacking];
    for (const Candidate& dropped : dropped_) {
        spare += planes_.weight(dropped.plane, lacking);
        if (spare < 0) continue;
        give_up(dropped.distance);
        return;
    }
}

/// Adds plane j to the candidates, or drops it, and with it all sets that it is in.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::make_candidate(Level& level, int j) {
    const double slack = level.slack[static_cast<std::size_t>(j)];
    if (conflict(level.state, j) >= 0) {
        note_conflict(level, j);
        return false;
    }
    if (nodes_.quick_bound(level.state, j, slack) >= cutoff_) {
        dropped_.push_back({j, nodes_.quick_proven(level.state, j, slack)});
        if (is_recorded_) {
            nodes_.refute_quickly(level.state, j, slack);
            note_bar(level, j, nodes_.last_refutation(), dropped_.back().distance);
        }
        return false;
    }
    const double distance = nodes_.bound(level.state, j, slack, cutoff_);
    if (distance >= cutoff_) {
        dropped_.push_back({j, nodes_.proven_of_bound(level.state)});
        note_bar(level, j, nodes_.last_refutation(), dropped_.back().distance);
        return false;
    }
    level.candidates.push_back({j, distance});
    return true;
}

/// Two exactly opposite planes are never fooled both, if one of them takes more than a touch. Their
/// closed half-spaces do meet, so no bound on distances would say so. The member that plane j is
/// opposite to, or -1.
template <typename Nodes, typename Watch>
int FlipSearch<Nodes, Watch>::conflict(const NodeState& state, int j) const {
    for (int opposite : planes_.opposite(j)) {
        const bool may_touch = planes_.answer_at_zero(j) != current_label_ &&
                               planes_.answer_at_zero(opposite) != current_label_;
        if (!may_touch &&
            std::find(state.members.begin(), state.members.end(), opposite) !=
            state.members.end()) {
            return opposite;
        }
    }
    return -1;
}

/// Multiples of the two planes cancel exactly: each by the size of an entry of the other.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::note_conflict(Level& level, int plane) {
    if (!is_recorded_) return;
    const int other = conflict(level.state, plane);
    const auto [one, two] = planes_.cancelling(plane, other);
    note_bar(level, plane, {{plane, other}, {one, two}}, HUGE_VAL);
}

template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::accept(Level& level) {
    // A bound with margins a little smaller than the goals: see NodeState.
    note_refuted(level);
    if (level.state.distance >= cutoff_) return;
    keep(level.state);
}

/// A new incumbent.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::keep(const NodeState& state) {
    best_ = state;
    cutoff_ = state.distance;
    result_.distance = state.distance;
    result_.active = state.active;
    result_.lambda = state.lambda;
}

}  // namespace redoubt
