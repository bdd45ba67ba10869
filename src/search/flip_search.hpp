#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/limits.hpp"
#include "search/node_state.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// A bracket no wider than this share of the distance counts as closed.
inline constexpr double kClosedGap = 1e-9;

/// What a search found. All distances are those of one point, unsigned.
struct FlipResult {
    Status status = Status::Optimal;
    /// The best point e and its distance for the goals; infinite and empty when there is none
    /// (below the cutoff).
    double distance = HUGE_VAL;
    Vector e;
    /// The planes that hold it there and their multipliers:  lambda'goal / ||W'lambda||_q =
    /// distance.
    std::vector<int> active;
    std::vector<double> lambda;
    /// No point nearer than this fools enough planes; holds in exact arithmetic, whatever the
    /// status.
    double proven = HUGE_VAL;
    std::int64_t n_nodes = 0;
};

/// What a search tells of its prunes; nothing, unless a test rides along.
struct NoWatch {
    /// May sets that complete these members with these free planes contain the watched one?
    bool is_below(const std::vector<int>& /*members*/, const std::vector<int>& /*free*/) const {
        return false;
    }
    /// Sets with `plane` are given up at this cutoff, below a node for which is_below was true.
    void on_drop(int /*plane*/, double /*cutoff*/) {}
    /// Sets whose dearest member among these candidates is number `at` are given up.
    template <typename Candidates>
    void on_skip(const Candidates& /*sorted*/, std::size_t /*at*/, double /*cutoff*/) {}
};

/// Least ||e|| that fools planes of weight `need` together: branch and bound on the set of planes
/// that must be fooled.
///
/// A node has members I, which must be fooled, and free planes F, which may be. Nodes is L2Nodes or
/// VertexNodes. docs/algorithms.md, section 3, proves the rules used here.
template <typename Nodes, typename Watch = NoWatch>
class FlipSearch {
public:
    explicit FlipSearch(const PlaneSet& planes, Watch watch = {})
        : planes_(planes), nodes_(planes), watch_(watch) {}

    const Watch& watch() const { return watch_; }

    /// Looks for points nearer than `cutoff` only: `proven` is then at most a bound up to there.
    FlipResult run(const PointMargins& margins, Index need, double cutoff,
                   const PointLimits& limits);

private:
    struct Candidate {
        int plane;
        double distance;  ///< a lower bound on what the members cost together with it
    };

    struct Level {
        NodeState state;
        std::vector<int> free;
        std::vector<double> slack;
        std::vector<Candidate> candidates;
        bool is_watched = false;
    };

    Index weight(int i) const { return planes_.weight(i); }
    void find_incumbent();
    void dive();
    void explore(std::size_t depth);
    bool needs_all(const Level& level) const;
    void complete(Level& level);
    Index collect_candidates(Level& level);
    bool make_candidate(Level& level, int j, double slack);
    void give_up_dropped(const Level& level, Index missing);
    void skip(const Level& level, std::size_t from);
    bool conflicts(const NodeState& state, int j) const;
    void accept(const Level& level);
    void keep(const NodeState& state);
    void give_up(double proven) { result_.proven = std::min(result_.proven, proven); }

    const PlaneSet& planes_;
    Nodes nodes_;
    Watch watch_;
    std::vector<Level> levels_;
    /// Planes of the node looked at that are no candidates, and what is proven of sets with them.
    std::vector<Candidate> dropped_;
    NodeState trial_;
    NodeState straight_;
    NodeState dive_;
    std::vector<double> dive_slack_;
    Index need_ = 0;
    double cutoff_ = HUGE_VAL;
    const PointLimits* limits_ = nullptr;
    bool is_towards_plus_ = false;
    bool is_stopped_ = false;
    FlipResult result_;
};

template <typename Nodes, typename Watch>
FlipResult FlipSearch<Nodes, Watch>::run(const PointMargins& margins, Index need, double cutoff,
                                         const PointLimits& limits) {
    need_ = need;
    cutoff_ = cutoff;
    limits_ = &limits;
    is_towards_plus_ = margins.from < 0;
    is_stopped_ = false;
    result_ = FlipResult{};
    const Index k = planes_.n_planes();
    if (need > planes_.total_weight()) return result_;
    // No plane weighs less than 1, and a node has one member more than its parent.
    const auto deepest = static_cast<std::size_t>(std::min(need, k));
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
    // Trouble at nodes whose bounds reach the incumbent all the same has done no harm.
    const bool is_closed = result_.proven >= result_.distance * (1.0 - kClosedGap);
    if (result_.status == Status::NumericalFailure && is_closed) result_.status = Status::Optimal;
    return result_;
}

/// A good point to begin with, which saves the search more nodes than it costs: one greedy dive,
/// then straight moves. (More dives, each without the plane that the last one paid most for, save
/// 5 % of the nodes and cost more than these.)
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::find_incumbent() {
    dive();
    if (nodes_.move_straight(need_, cutoff_, straight_)) keep(straight_);
}

/// Adds the plane that looks nearest for its weight until enough are fooled or the cutoff is
/// reached.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::dive() {
    nodes_.root(dive_);
    for (Index step = 0; step <= planes_.n_planes(); ++step) {
        nodes_.slacks(dive_, dive_slack_);
        for (int j : dive_.members) dive_slack_[static_cast<std::size_t>(j)] = 0.0;
        Index fooled = 0;
        int nearest = -1;
        double least = HUGE_VAL;
        for (std::size_t j = 0; j < dive_slack_.size(); ++j) {
            if (dive_slack_[j] >= 0.0) {
                fooled += weight(static_cast<int>(j));
            } else {
                const double gain = static_cast<double>(weight(static_cast<int>(j)));
                const double way = -dive_slack_[j] / (planes_.size()[static_cast<Index>(j)] * gain);
                if (way < least) {
                    least = way;
                    nearest = static_cast<int>(j);
                }
            }
        }
        if (fooled >= need_) {
            keep(dive_);
            return;
        }
        if (nearest < 0) return;
        nodes_.add(dive_, nearest, cutoff_, trial_);
        if (!trial_.is_exact || trial_.distance >= cutoff_) return;
        std::swap(dive_, trial_);
    }
}

template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::explore(std::size_t depth) {
    Level& level = levels_[depth];
    if (is_stopped_ || limits_->struck(result_.n_nodes, &result_.status)) {
        is_stopped_ = true;
        give_up(level.state.proven);
        return;
    }
    ++result_.n_nodes;
    if (!level.state.is_exact) {
        // A singular basis or too many pivots: nothing is lost but the proof beyond this bound.
        result_.status = Status::NumericalFailure;
        give_up(level.state.proven);
        return;
    }
    level.is_watched = watch_.is_below(level.state.members, level.free);
    nodes_.slacks(level.state, level.slack);
    if (needs_all(level)) {
        complete(level);
        return;
    }
    const Index fooled = collect_candidates(level);
    if (fooled >= need_) {
        accept(level);
        return;
    }
    // Any set that completes I has candidates of weight `missing` in it. Branch on its dearest one:
    // it and all cheaper ones weigh at least that much, and everything dearer is out.
    Index missing = need_ - fooled;
    std::vector<Candidate>& candidates = level.candidates;
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.distance < b.distance || (a.distance == b.distance && a.plane < b.plane);
    });
    const std::size_t n_satisfied = level.free.size();
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        missing -= weight(candidates[at].plane);
        if (missing > 0) continue;
        if (is_stopped_ || candidates[at].distance >= cutoff_) {
            skip(level, at);
            return;
        }
        Level& child = levels_[depth + 1];
        nodes_.add(level.state, candidates[at].plane, cutoff_, child.state);
        if (child.state.distance >= cutoff_) {
            if (level.is_watched) watch_.on_skip(candidates, at, cutoff_);
            give_up(child.state.proven);
            continue;
        }
        nodes_.prove(child.state);
        child.free.assign(level.free.begin(),
                          level.free.begin() + static_cast<std::ptrdiff_t>(n_satisfied));
        for (std::size_t i = 0; i < at; ++i) child.free.push_back(candidates[i].plane);
        explore(depth + 1);
    }
}

/// Does it take every free plane to fool enough? Then one set is left. The first child of every
/// node is such a one.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::needs_all(const Level& level) const {
    Index available = 0;
    Index lightest = planes_.total_weight();
    for (int j : level.state.members) available += weight(j);
    for (int j : level.free) {
        available += weight(j);
        lightest = std::min(lightest, weight(j));
    }
    return available - lightest < need_;
}

/// Fools all free planes, the one farthest away first: there is nothing to choose, so no bounds are
/// needed on the way.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::complete(Level& level) {
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
            return;
        }
        if (conflicts(level.state, farthest)) return;
        nodes_.add(level.state, farthest, cutoff_, trial_);
        if (!trial_.is_exact || trial_.distance >= cutoff_) {
            if (trial_.distance < cutoff_) result_.status = Status::NumericalFailure;
            if (level.is_watched) watch_.on_drop(farthest, cutoff_);
            nodes_.prove(level.state);
            give_up(std::max(level.state.proven, trial_.proven));
            return;
        }
        level.state = trial_;
        free.erase(std::find(free.begin(), free.end(), farthest));
        nodes_.slacks(level.state, level.slack);
    }
}

/// Gives up the sets whose dearest candidate is `from` or a later one: it reaches the cutoff by
/// now, or the search was stopped.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::skip(const Level& level, std::size_t from) {
    if (is_stopped_) {
        give_up(level.state.proven);
        return;
    }
    nodes_.prepare(level.state);
    for (std::size_t at = from; at < level.candidates.size(); ++at) {
        if (level.is_watched) watch_.on_skip(level.candidates, at, cutoff_);
        const int j = level.candidates[at].plane;
        nodes_.bound(level.state, j, level.slack[static_cast<std::size_t>(j)], cutoff_);
        give_up(nodes_.proven_of_bound(level.state));
    }
}

/// Splits the free planes into those fooled at the node's point, which stay in `free`, and
/// candidates, which cost more; drops those that reach the cutoff. Returns the weight of I and the
/// first.
template <typename Nodes, typename Watch>
Index FlipSearch<Nodes, Watch>::collect_candidates(Level& level) {
    level.candidates.clear();
    Index fooled = 0;
    for (int j : level.state.members) fooled += weight(j);
    for (int j : level.free)
        fooled += level.slack[static_cast<std::size_t>(j)] >= 0.0 ? weight(j) : 0;
    if (fooled >= need_) return fooled;
    nodes_.prepare(level.state);
    dropped_.clear();
    std::size_t kept = 0;
    for (int j : level.free) {
        const double slack = level.slack[static_cast<std::size_t>(j)];
        if (slack >= 0.0) {
            level.free[kept++] = j;
            continue;
        }
        if (!make_candidate(level, j, slack) && level.is_watched) watch_.on_drop(j, cutoff_);
    }
    level.free.resize(kept);
    give_up_dropped(level, need_ - fooled);
    return fooled;
}

/// Gives up the sets with a dropped plane. Candidates and cheaper dropped planes may not weigh
/// enough to complete one: then it has a dearer one in it, too.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::give_up_dropped(const Level& level, Index missing) {
    if (dropped_.empty()) return;
    for (const Candidate& candidate : level.candidates) missing -= weight(candidate.plane);
    std::sort(dropped_.begin(), dropped_.end(),
              [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    for (const Candidate& dropped : dropped_) {
        missing -= weight(dropped.plane);
        if (missing > 0) continue;
        give_up(dropped.distance);
        return;
    }
}

/// Adds plane j to the candidates, or drops it, and with it all sets that it is in.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::make_candidate(Level& level, int j, double slack) {
    if (conflicts(level.state, j)) return false;
    if (nodes_.quick_bound(level.state, j, slack) >= cutoff_) {
        dropped_.push_back({j, nodes_.quick_proven(level.state, j, slack)});
        return false;
    }
    const double distance = nodes_.bound(level.state, j, slack, cutoff_);
    if (distance >= cutoff_) {
        dropped_.push_back({j, nodes_.proven_of_bound(level.state)});
        return false;
    }
    level.candidates.push_back({j, distance});
    return true;
}

/// Two exactly opposite planes never answer -1 both. Their closed half-spaces do meet, so no bound
/// on distances would say so.
template <typename Nodes, typename Watch>
bool FlipSearch<Nodes, Watch>::conflicts(const NodeState& state, int j) const {
    if (is_towards_plus_) return false;
    for (int opposite : planes_.opposite(j)) {
        if (std::find(state.members.begin(), state.members.end(), opposite) !=
            state.members.end()) {
            return true;
        }
    }
    return false;
}

template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::accept(const Level& level) {
    // A bound with margins a little smaller than the goals: see NodeState.
    give_up(level.state.proven);
    if (level.state.distance >= cutoff_) return;
    keep(level.state);
}

/// A new incumbent.
template <typename Nodes, typename Watch>
void FlipSearch<Nodes, Watch>::keep(const NodeState& state) {
    cutoff_ = state.distance;
    result_.distance = state.distance;
    result_.active = state.active;
    result_.lambda = state.lambda;
    nodes_.point(state, result_.e);
}

}  // namespace redoubt
