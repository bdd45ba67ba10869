#pragma once

#include <vector>

#include "search/vertex_basis.hpp"

namespace redoubt {

/// Node problems for l1 and linf in a box:  min ||e||_p  s.t.  w_i'e >= goal_i for the members,
/// lo <= e <= hi. The simplex method of VertexNodes with ends for the features; docs/algorithms.md,
/// section 6.
///
/// A vertex has p active planes P and a square system  M (unknowns) = goal_P - (what is settled):
///   linf  p - 1 basic features, where g_l = 0; every other one is at a side, where it goes as far
///         as the level t or its end, whichever is nearer; the unknowns are the basic e_l and t
///   l1    p basic features, where |g_l| = 1; every other one stays where it is nearest to 0
///         (|g_l| <= 1) or is at an end (|g_l| >= 1)
/// `sign` of a state: linf: the side of a feature that is not basic; l1: the side of a basic
/// feature, or of the end that another one is at. A step that raises the dual objective moves
/// features from side to side, or from rest to an end, as long as the objective keeps growing.
class BoxVertexNodes : public VertexBasis {
public:
    explicit BoxVertexNodes(const PlaneSet& planes);

    void load(const PointMargins& margins);
    void root(NodeState& state) const;
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    void prove(NodeState& state);
    bool move_straight(Index required_weight, double cutoff, NodeState& state);

    /// l1: a dive judges the distance of a plane by its slope, which ends of features make wrong.
    bool has_poor_dives() const { return !is_linf(); }

    void prepare(const NodeState& state);
    double bound(const NodeState& state, int j, double slack, double cutoff);
    double proven_of_bound(const NodeState& state);
    /// As in L2Nodes.
    void record(bool is_recorded) { is_recorded_ = is_recorded; }
    const Refutation& last_refutation() const { return last_by_; }
    void refute_quickly(const NodeState& state, int j, double slack) {
        quick_proven(state, j, slack);
    }
    double proven_by(const std::vector<int>& planes, const std::vector<double>& lambda);

    double quick_bound(const NodeState& state, int j, double slack) const;
    double quick_proven(const NodeState& state, int j, double slack);

private:
    /// Where a feature reaches a limit. Of equal steps the heavier comes first: it gives the better
    /// conditioned basis.
    struct Breakpoint {
        double step;
        double weight;  ///< how much the slope of the dual objective falls there
        int feature;
        signed char side;  ///< l1: the limit
        signed char next;  ///< the feature's sign beyond it
        bool operator<(const Breakpoint& other) const {
            return step < other.step || (step == other.step && weight > other.weight);
        }
    };
    /// A single plane.
    struct Single {
        double distance;
        double lambda;
    };

    double clip(Index l, double value) const {
        return value < lo_[l] ? lo_[l] : value > hi_[l] ? hi_[l] : value;
    }
    double room(Index l, double side) const { return side > 0.0 ? hi_[l] : -lo_[l]; }
    bool is_far_beyond(const NodeState& state, int i) const;
    double find_bound(const NodeState& state, int j, double slack);
    bool start_with(int i, NodeState& state);
    bool start_linf(int i, NodeState& state);
    bool start_l1(int i, NodeState& state);
    void look_at_plane(Index j);
    bool restart(int n_restarts, NodeState& state);
    double level_of(const Vector& g, double value, double level) const;
    kernels::LevelSums sums_with_held(const Vector& g, double level, double& next) const;
    bool is_settled(const NodeState& state) const;
    void settle(const NodeState& state);
    void settle_with_held(const NodeState& state);
    bool solve_vertex(NodeState& state);
    bool solve_once(NodeState& state);
    Violation find_violation(const NodeState& state, double enough) const;
    void find_direction(const NodeState& state, const Violation& violation);
    Step find_step(const NodeState& state, const Violation& violation);
    void collect_linf(const NodeState& state, double longest);
    void collect_l1(const NodeState& state, const Violation& violation, double longest);
    void follow(const NodeState& state, const Violation& violation, const Step& step);
    bool pivot(const Violation& violation, const Step& step, NodeState& state);
    double end_value() const;
    void raise_proven(const std::vector<int>& planes, const std::vector<double>& lambda,
                      double hint, double& proven, Refutation& by);
    void raise_proven_of_end(double hint, double& proven, Refutation& by);

    Vector origin_;      ///< the point of the box nearest to 0
    double base_ = 0.0;  ///< its norm
    Vector goal_;        ///< l1: goals as seen from there; linf: goals
    Vector goal_from_;   ///< goals as seen from there
    Vector lo_;          ///< l1: the box as seen from there; linf: the box
    Vector hi_;
    Vector follow_;  ///< linf: the sides of the features that go as far as t
    // In a box that holds features away from 0: the levels for which follow_ and settled_ hold.
    double settled_from_ = 0.0;
    double settled_to_ = HUGE_VAL;
    Vector settled_;  ///< e of all other features that are not basic, seen as lo_ and hi_ are
    std::vector<char> is_basic_;
    double share_ = 0.0;                      ///< linf: of the multipliers, taken off the direction
    std::vector<std::vector<int>> steepest_;  ///< l1: each plane's features, the steepest first
    std::vector<Single> single_;
    std::vector<Breakpoint> breakpoints_;
    std::size_t n_passed_ = 0;  ///< breakpoints that the step passes, at the front
    double last_bound_ = 0.0;
    // linf, of a step without an end: the direction, and what it was before find_direction kept
    // lambda'goal the same.
    std::vector<double> ray_;
    std::vector<double> full_ray_;
    bool is_recorded_ = false;
    Refutation last_by_;
};

}  // namespace redoubt
