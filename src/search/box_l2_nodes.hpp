#pragma once

#include <vector>

#include "linalg/kernels.hpp"
#include "search/node_state.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Node problems for l2 in a box:  min 1/2 ||e||^2  s.t.  w_i'e >= goal_i for the members,
/// lo <= e <= hi.
///
/// The dual has one multiplier per member:  max lambda'goal - sum_l max over the box of (g_l e_l -
/// e_l^2 / 2)  with g = W'lambda, and e = clip(g). It is concave and piecewise quadratic. Newton
/// steps on the active multipliers, each with an exact line search, find the right piece and end on
/// it. Every point on the way proves a bound. FlipSearch explains what the functions are for.
class BoxL2Nodes {
public:
    explicit BoxL2Nodes(const PlaneSet& planes);

    void load(const PointMargins& margins);
    void root(NodeState& state) const;
    void add(const NodeState& parent, int i, double cutoff, NodeState& child);
    void prove(NodeState& state);
    bool move_straight(Index /*required_weight*/, double /*cutoff*/, NodeState& /*state*/) {
        return false;
    }

    bool has_poor_dives() const { return false; }
    void prepare(const NodeState& state);
    double bound(const NodeState& state, int j, double slack, double cutoff);
    double proven_of_bound(const NodeState& state);
    /// As in L2Nodes.
    void record(bool is_recorded) { is_recorded_ = is_recorded; }
    const Refutation& last_refutation() const { return last_by_; }
    void refute_quickly(const NodeState& state, int j, double slack);
    double proven_by(const std::vector<int>& planes, const std::vector<double>& lambda);

    void slacks(const NodeState& state, std::vector<double>& slack) const;
    double quick_bound(const NodeState& state, int j, double slack) const;
    double quick_proven(const NodeState& state, int j, double slack) const;
    void point(const NodeState& state, Vector& e) const { e = state.e; }

private:
    /// Where a feature starts or stops counting along a direction.
    struct Event {
        double step;
        double curve;
        int inside;
    };

    kernels::Rows rows() const {
        return {planes_.W().data(), planes_.W().cols(), planes_.W().cols()};
    }
    void gather(const std::vector<int>& active, const std::vector<double>& lambda, Vector& g) const;
    void clip(const Vector& g, Vector& e) const;
    double value_at(const std::vector<int>& active, const std::vector<double>& lambda,
                    const Vector& g) const;
    bool is_free(Index l) const { return g_[l] > margins_->lo[l] && g_[l] < margins_->hi[l]; }
    void find_free();
    void factorize(const std::vector<int>& active);
    void solve(std::vector<double>& x) const;
    int most_violated(const NodeState& state) const;
    double slope_along(double rise, double step, double& curve) const;
    double best_step(double rise, double slope, double longest, double weight);
    double useful_step(double distance, double slope, double cutoff) const;
    void newton_step(double cutoff, NodeState& state, bool& is_ray);
    void raise_proven(const std::vector<int>& active, const std::vector<double>& lambda,
                      double hint, double& proven, Refutation& by);
    void prove_ray(const std::vector<int>& active, double& proven, Refutation& by);

    const PlaneSet& planes_;
    const PointMargins* margins_ = nullptr;
    Vector origin_;  ///< the point of the box nearest to 0
    Vector g_;
    Vector g_direction_;
    Vector scratch_;
    std::vector<int> free_;  ///< features inside the box at g_
    Matrix free_rows_;       ///< their columns of the active planes
    std::vector<double> factor_;
    std::size_t n_factored_ = 0;
    std::vector<Event> events_;
    std::vector<double> residual_;
    std::vector<double> direction_;
    // The end of the last bound's step.
    std::vector<int> trial_planes_;
    std::vector<double> trial_lambda_;
    double trial_bound_ = 0.0;
    bool is_recorded_ = false;
    Refutation last_by_;
};

}  // namespace redoubt
