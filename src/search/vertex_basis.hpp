#pragma once

#include <vector>

#include "linalg/kernels.hpp"
#include "search/node_state.hpp"
#include "search/plane_set.hpp"
#include "search/small_inverse.hpp"
#include "search/straight_move.hpp"

namespace redoubt {

/// What the node problems of l1 and linf share, with ends for the features (BoxVertexNodes) and
/// without (VertexNodes): the square system of a vertex, its multipliers, the direction that
/// reduces a violation, and the exchange at the end of a step.
class VertexBasis {
public:
    void slacks(const NodeState& state, std::vector<double>& slack) const {
        margins_->slacks(planes_, state.e, slack);
    }
    void point(const NodeState& state, Vector& e) const { e = state.e; }

protected:
    /// A condition that the current vertex violates, by how much per unit of its own scale.
    struct Violation {
        int plane = -1;
        std::size_t basic = 0;  ///< position in the basis, if plane < 0
        double side = 0.0;      ///< the direction of that feature's g_l
        double amount = 0.0;    ///< rate at which the dual objective grows along the direction
        double measure = 0.0;   ///< comparable between planes and features
    };
    /// How far the direction can be followed, and what stops it.
    struct Step {
        double length = HUGE_VAL;
        std::size_t leaving = 0;  ///< position of the plane whose multiplier reaches 0, or
        int entering = -1;        ///< the feature whose g_l reaches its limit
        double side = 0.0;
    };

    explicit VertexBasis(const PlaneSet& planes);

    kernels::Rows rows() const {
        return {planes_.W().data(), planes_.W().cols(), planes_.W().cols()};
    }
    bool is_linf() const { return planes_.norm() == Norm::LInf; }

    /// Clears members, planes and features of a state.
    void clear(NodeState& state) const;
    /// The plane to start again from: the newest, then the hardest, then the oldest. Another way to
    /// the same vertex rarely meets the same trouble. A plane that is already fooled has no vertex
    /// of its own; the hardest replaces it.
    int restart_plane(int n_restarts, const Vector& goal, const std::vector<int>& members) const;
    /// linf: every feature at the side that the plane favours.
    void take_sides(int plane, NodeState& state) const;
    /// Solves M (unknowns) = right_ into coefficients_, the multipliers and g_. linf: the level's
    /// column of M is W `follow`. False if M is singular.
    bool solve_system(const Vector& follow, NodeState& state);
    /// lambda_direction_ on the active planes (the violated plane itself grows at rate 1) and the
    /// resulting change of g, such that the conditions that hold with equality keep holding.
    void solve_direction(const Vector& follow, const NodeState& state, const Violation& violation);
    /// linf: subtracts a share of the present multipliers from the direction. Only the direction of
    /// lambda matters, so it is the same ray, but nothing on it lies at infinity.
    void take_off(double share, const NodeState& state);
    /// The step to the first multiplier that reaches 0.
    Step step_to_leaving(const NodeState& state) const;
    /// Exchanges planes and features at the end of a step.
    void exchange(const Violation& violation, const Step& step, NodeState& state) const;
    /// end_g_ = W'lambda.
    void sum_end(const std::vector<int>& planes, const std::vector<double>& lambda);

    const PlaneSet& planes_;
    const PointMargins* margins_ = nullptr;
    StraightMoves straight_;
    SmallInverse inverse_;
    std::vector<double> right_;
    std::vector<double> coefficients_;
    Vector g_;            ///< W'lambda at the vertex
    Vector g_direction_;  ///< its change along the direction
    std::vector<double> lambda_direction_;
    NodeState prepared_;
    Vector ratio_;  ///< step at which each feature reaches its limit
    // The end of a step: planes, multipliers and their g.
    std::vector<int> end_planes_;
    std::vector<double> end_lambda_;
    Vector end_g_;
};

}  // namespace redoubt
