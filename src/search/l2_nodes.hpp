#pragma once

#include <vector>

#include "search/node_state.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Node problems for l2:  min 1/2 ||e||^2  s.t.  w_i'e >= goal_i for the members.
///
/// The dual active-set method of Goldfarb and Idnani (1983), entirely within the Gram matrix: e is
/// sum_i lambda_i w_i, so its products with all planes cost O(k) per multiplier, whatever n.
class L2Nodes {
public:
    explicit L2Nodes(const PlaneSet& planes);

    void load(const PointMargins& margins) { margins_ = &margins; }
    /// Keep the multipliers behind every proven distance (NodeState::by).
    void record(bool is_recorded) { is_recorded_ = is_recorded; }

    /// The state without members.
    void root(NodeState& state) const;

    /// child = parent with plane `i` as one more member. May stop early, with a valid bound instead
    /// of the least norm, once the distance is known to reach `cutoff`; that bound is proven. Below
    /// the cutoff the child keeps what the parent proved until `prove` is called.
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    /// Raises the proven distance of a state to what its multipliers prove.
    void prove(NodeState& state);

    /// Has no starting point of its own to offer.
    bool move_straight(Index /*required_weight*/, double /*cutoff*/, NodeState& /*state*/) {
        return false;
    }

    /// Call before the bounds of planes added to this state.
    bool has_poor_dives() const { return false; }
    void prepare(const NodeState& /*state*/) {}
    /// A lower bound on the distance after adding plane j, whose slack is negative, to the prepared
    /// state. Once it reaches the cutoff it may stop growing.
    double bound(const NodeState& state, int j, double slack, double cutoff);
    /// What the multipliers of the last bound prove.
    double proven_of_bound(const NodeState& state);
    /// The multipliers behind the last proven_of_bound, and behind the last quick_proven.
    const Refutation& last_refutation() const { return trial_.by; }
    void refute_quickly(const NodeState& state, int j, double slack);
    /// What these multipliers prove.
    double proven_by(const std::vector<int>& planes, const std::vector<double>& lambda);

    /// slack_j = w_j'e - goal_j for every plane.
    void slacks(const NodeState& state, std::vector<double>& slack) const;

    /// A bound on the distance after adding plane j, from its slack alone: every e for the members
    /// has ||e||^2 >= D^2 + ||e - e(I)||^2, and reaching plane j takes a step of viol_j / ||w_j||.
    double quick_bound(const NodeState& state, int j, double slack) const;
    /// The same proven: with the parent's proven distance and the floor.
    double quick_proven(const NodeState& state, int j, double slack) const;

    /// The point e itself.
    void point(const NodeState& state, Vector& e);

private:
    bool make_feasible_for(int p, double cutoff, NodeState& state);
    void factorize(const NodeState& state);
    void solve(std::vector<double>& x) const;
    void solve_transposed(std::vector<double>& x) const;
    double find_direction(const NodeState& state, int p);
    double square_outside(const std::vector<int>& active, int p, std::vector<double>& r);
    void drop(NodeState& state, std::size_t position) const;
    void prove_ray(int p, NodeState& state);
    double product(const NodeState& state, int j) const;

    const PlaneSet& planes_;
    const PointMargins* margins_ = nullptr;
    std::vector<double> factor_;  ///< Cholesky factor, row by row, `stride_` numbers apart
    std::size_t stride_ = 0;
    std::vector<int> factored_;  ///< the planes of its rows
    std::vector<double> r_;
    std::vector<double> row_multipliers_;
    std::vector<double> refinement_;
    Vector outside_;
    NodeState trial_;  ///< of the last bound, filled in when it is asked for
    int trial_plane_ = -1;
    double trial_step_ = 0.0;
    NodeState ray_;
    bool is_recorded_ = false;
};

}  // namespace redoubt
