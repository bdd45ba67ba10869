#pragma once

#include <vector>

#include "linalg/kernels.hpp"
#include "search/node_state.hpp"
#include "search/plane_set.hpp"
#include "search/small_inverse.hpp"
#include "search/straight_move.hpp"

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
class VertexNodes {
public:
    explicit VertexNodes(const PlaneSet& planes);

    void load(const PointMargins& margins) { margins_ = &margins; }
    void root(NodeState& state) const;
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    void prove(NodeState& state);
    /// l1: the best point on an axis that fools `required_weight` planes, if it beats the cutoff.
    bool move_straight(Index required_weight, double cutoff, NodeState& state);

    bool has_poor_dives() const { return false; }
    void prepare(const NodeState& state);
    /// One step of the dual method from the prepared vertex. Exact in most cases, and a bound in
    /// all.
    double bound(const NodeState& state, int j, double slack, double cutoff);
    double proven_of_bound(const NodeState& state);

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

    kernels::Rows rows() const {
        return {planes_.W().data(), planes_.W().cols(), planes_.W().cols()};
    }
    bool is_linf() const { return planes_.norm() == Norm::LInf; }
    void start_with(int i, NodeState& state);
    bool solve_vertex(NodeState& state);
    Violation find_violation(const NodeState& state) const;
    void find_direction(const NodeState& state, const Violation& violation);
    /// How far the direction may be followed, and what stops it.
    struct Step {
        double length = HUGE_VAL;
        std::size_t leaving = 0;  ///< position of the plane whose multiplier reaches 0, or
        int entering = -1;        ///< the feature whose g_l reaches its limit
        double side = 0.0;
        bool is_feasible = true;  ///< false: the multipliers at the end prove that no e exists
    };
    Step find_step(const NodeState& state, const Violation& violation);
    void find_entering(const NodeState& state, const Violation& violation, Step& step);
    bool cancels(const NodeState& state, const Violation& violation, const Step& step) const;
    std::size_t first_breakpoint();
    void pivot(const Violation& violation, const Step& step, NodeState& state);
    void follow(const NodeState& state, const Violation& violation, const Step& step);
    bool is_far_beyond(const NodeState& state, int i) const;
    bool restart(int n_restarts, NodeState& state);
    bool is_ray() const;
    void raise_proven(const std::vector<int>& planes, const std::vector<double>& lambda,
                      double& proven);

    const PlaneSet& planes_;
    const PointMargins* margins_ = nullptr;
    StraightMoves straight_;
    SmallInverse inverse_;
    Vector g_;            ///< W'lambda at the vertex
    Vector g_direction_;  ///< its change along the direction
    std::vector<double> lambda_direction_;
    std::vector<double> coefficients_;
    NodeState prepared_;
    Vector ratio_;  ///< step at which each feature reaches its limit
    /// Where a feature reaches its limit. Of equal steps the larger rate comes first: it makes the
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
    // The end of a step: planes, multipliers and their g.
    std::vector<int> end_planes_;
    std::vector<double> end_lambda_;
    Vector end_g_;
};

}  // namespace redoubt
