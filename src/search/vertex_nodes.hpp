#pragma once

#include <vector>

#include "search/vertex_basis.hpp"

namespace redoubt {

/// Node problems for l1 and linf:  min ||e||_p  s.t.  w_i'e >= goal_i for the members.
///
/// Both are linear programs with few active rows, solved by a simplex method on the dual,
///
///     max lambda'goal  s.t.  ||g||_q <= 1,  g = W'lambda,  lambda >= 0 .
///
/// A vertex has p active planes P and a square system  M (unknowns) = goal_P :
///   linf  p - 1 basic features, where g_l = 0 and e_l is inside its bounds; every other feature on
///         which a plane depends is at a side, e_l = t sign_l; the unknowns are the basic e_l and
///         t = ||e||_inf
///   l1    p basic features, where |g_l| = 1; no other feature moves; the unknowns are the basic
///   e_l
/// A violated condition (a member that misses its goal, or a basic feature beyond its bound) gives
/// a direction in which lambda'goal grows; the step ends where a multiplier reaches 0 (that plane
/// leaves) or a feature's g_l its limit (that feature enters the basis). In linf a g_l may also
/// pass through 0 and change side as long as the objective keeps growing (bound flipping). Every
/// vertex on the way proves a bound, so a solve may stop as soon as the cutoff is reached.
class VertexNodes : public VertexBasis {
public:
    explicit VertexNodes(const PlaneSet& planes) : VertexBasis(planes) {}

    void load(const PointMargins& margins) { margins_ = &margins; }
    /// As in L2Nodes.
    void record(bool is_recorded) { is_recorded_ = is_recorded; }
    void root(NodeState& state) const;
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    void prove(NodeState& state);
    /// l1: the best point on an axis that fools `required_weight` planes, if it beats the cutoff.
    bool move_straight(Index required_weight, double cutoff, NodeState& state);

    bool has_poor_dives() const { return false; }
    void prepare(const NodeState& state);
    /// One step of the dual method from the prepared vertex. Exact in most cases, and always a
    /// bound.
    double bound(const NodeState& state, int j, double slack, double cutoff);
    double proven_of_bound(const NodeState& state);
    const Refutation& last_refutation() const { return last_by_; }
    void refute_quickly(const NodeState& state, int j, double slack);
    double proven_by(const std::vector<int>& planes, const std::vector<double>& lambda);

    double quick_bound(const NodeState& state, int j, double slack) const;
    double quick_proven(const NodeState& state, int j, double slack) const;

private:
    void start_with(int i, NodeState& state);
    bool solve_vertex(NodeState& state);
    Violation find_violation(const NodeState& state) const;
    void find_direction(const NodeState& state, const Violation& violation);
    /// `is_feasible` is false if the final multipliers prove that no e exists.
    Step find_step(const NodeState& state, const Violation& violation, bool& is_feasible);
    void find_entering(const NodeState& state, const Violation& violation, Step& step);
    bool cancels(const NodeState& state, const Violation& violation, const Step& step) const;
    std::size_t first_breakpoint();
    void pivot(const Violation& violation, const Step& step, NodeState& state);
    void follow(const NodeState& state, const Violation& violation, const Step& step);
    bool is_far_beyond(const NodeState& state, int i) const;
    bool restart(int n_restarts, NodeState& state);
    bool is_ray() const;
    void raise_proven(const std::vector<int>& planes, const std::vector<double>& lambda,
                      double& proven, Refutation& by);

    /// Where a feature reaches its limit. Of equal steps the larger rate comes first: it gives the
    /// better conditioned basis.
    struct Breakpoint {
        double step;
        double rate;
        int feature;
        bool operator<(const Breakpoint& other) const {
            return step < other.step || (step == other.step && rate > other.rate);
        }
    };
    std::vector<Breakpoint> breakpoints_;
    std::vector<int> flipped_;  ///< features that change side on the way
    bool is_recorded_ = false;
    Refutation last_by_;
};

}  // namespace redoubt
