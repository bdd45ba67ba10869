#pragma once

#include <vector>

#include "search/node_state.hpp"
#include "search/plane_set.hpp"
#include "search/small_inverse.hpp"

namespace redoubt {

/// Node problems for l1 and linf:  min ||e||_p  s.t.  w_i'e >= goal_i for the members.
///
/// Both are linear programs with few active rows, solved by a simplex method on the dual,
///
///     max lambda'goal  s.t.  ||g||_q <= 1,  g = W'lambda,  lambda >= 0 .
///
/// A vertex has p active planes P and a square system  M (unknowns) = goal_P :
///   linf  p - 1 basic features, where g_l = 0 and e_l is inside its bounds; every other feature is
///   at
///         a side, e_l = t sign_l; the unknowns are the basic e_l and t = ||e||_inf
///   l1    p basic features, where |g_l| = 1; no other feature moves; the unknowns are the basic
///   e_l
/// A violated condition (a member that misses its goal, or a basic feature beyond its bound) gives
/// a direction in which lambda'goal grows; the step ends where a multiplier reaches 0 (that plane
/// leaves) or a feature's g_l its limit (that feature enters the basis). In linf a g_l may also
/// pass through 0 and change side as long as the objective keeps growing (bound flipping). Every
/// vertex on the way proves a bound, so a solve may stop as soon as the cutoff is reached.
class VertexNodes {
public:
    explicit VertexNodes(const PlaneSet& planes);

    void load(const PointMargins& margins) { margins_ = &margins; }
    void root(NodeState& state) const;
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    void slacks(const NodeState& state, std::vector<double>& slack) const;
    double quick_bound(const NodeState& state, int j, double slack) const;
    double quick_proven(const NodeState& state, int j, double slack) const;
    void point(const NodeState& state, Vector& e) const { e = state.e; }

private:
    /// A condition that the present vertex violates, by how much per unit of its own scale.
    struct Violation {
        int plane = -1;
        std::size_t basic = 0;  ///< position in the basis, when plane < 0
        double amount = 0.0;    ///< rate at which lambda'goal grows along the direction
        double measure = 0.0;   ///< comparable between planes and features
    };

    bool is_linf() const { return planes_.norm() == Norm::LInf; }
    void start_with(int i, NodeState& state);
    bool solve_vertex(NodeState& state);
    Violation find_violation(const NodeState& state) const;
    void find_direction(const NodeState& state, const Violation& violation);
    bool pivot(const Violation& violation, NodeState& state);
    /// What ends a step: a feature whose g_l reaches its limit, or nothing before `step`.
    struct Block {
        int feature = -1;
        double side = 0.0;
        double step = HUGE_VAL;
    };
    Block find_blocking_feature(const Violation& violation, double limit, NodeState& state);
    void prove(NodeState& state, const std::vector<double>& lambda, const Vector& g) const;
    void prove_infeasible(const Violation& violation, double step, NodeState& state);

    const PlaneSet& planes_;
    const PointMargins* margins_ = nullptr;
    SmallInverse inverse_;
    Vector g_;            ///< W'lambda at the vertex
    Vector g_direction_;  ///< its change along the direction
    std::vector<double> lambda_direction_;
    std::vector<double> coefficients_;
    struct Breakpoint {
        double step;
        int feature;
        double rate;
    };
    std::vector<Breakpoint> breakpoints_;
    NodeState ray_;
};

}  // namespace redoubt
