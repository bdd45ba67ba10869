#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"
#include "search/amounts.hpp"
#include "search/infeasibility_proof.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// The planes of a vote, prepared once for one threat and shared by all points and threads. Counts
/// are weights: in units of the ensemble, 1 for every plane of a majority vote.
class PlaneSet {
public:
    /// The planes on the coordinates of the space: column c is that of feature space.features[c]
    /// times its scale, rounded. Planes without a coordinate are left out.
    PlaneSet(const Ensemble& ensemble, const MoveSpace& space, const CountingRules& rules = {});
    /// The planes of a ball on some of the features, ascending. Planes without any weight at all
    /// are left out; every other one must have a weight among these features. The sizes, and
    /// therefore what l1 searches prove, are those of all features; l2 and linf need all features
    /// with a weight.
    ///
    /// linf: `merged` are features on which no two planes have weights of different sign. Each
    /// moves to the side given by that sign, all of them equally far, so they act as one feature
    /// whose weights are the sums of theirs; it is the last column, its sums rounded up.
    PlaneSet(const Ensemble& ensemble, Norm norm, std::vector<Index> features,
             const std::vector<Index>& merged = {});

    Norm norm() const { return norm_; }
    Index n_features() const { return W_.cols(); }
    /// Planes with a coordinate, in the order of the ensemble; `index(i)` is a plane's index there.
    Index n_planes() const { return W_.rows(); }
    int index(Index i) const { return index_[static_cast<std::size_t>(i)]; }
    /// The planes, each scaled by a power of two: W row i = scale(i) w_i.
    const Matrix& W() const { return W_; }
    double scale(Index i) const { return scale_[i]; }
    /// ||w_i||_q, rounded up a little.
    const Vector& size() const { return size_; }
    /// w_i'w_j, for l2 without a box only.
    const Matrix& gram() const { return gram_; }
    /// The planes that are exact negative multiples of this one.
    const std::vector<int>& opposite(Index i) const {
        return opposite_[static_cast<std::size_t>(i)];
    }
    /// Multipliers of rows i and j of the ensemble's planes, which are opposite, that cancel
    /// exactly; scaled as multipliers of W.
    std::array<double, 2> cancelling(Index i, Index j) const;
    /// The largest of plane i's weights on features that are not here, rounded up; 0 if there are
    /// none.
    double largest_elsewhere(Index i) const { return elsewhere_.size() > 0 ? elsewhere_[i] : 0.0; }
    /// True if some plane depends on feature l; other features never need to move.
    bool is_live(Index l) const { return is_live_[static_cast<std::size_t>(l)] != 0; }
    Index n_live_features() const { return n_live_features_; }
    /// True if all weights are 1.
    bool is_majority() const { return is_majority_; }
    std::size_t n_counts() const { return total_.size(); }
    /// The weight in the first count, which is the only one of a vote.
    Index weight(Index i) const { return weight(i, 0); }
    Index weight(Index i, std::size_t count) const {
        return weight_[static_cast<std::size_t>(i) * total_.size() + count];
    }
    void add_weight(Index i, Amounts& sum) const {
        for (std::size_t r = 0; r < total_.size(); ++r) sum[r] += weight(i, r);
    }
    /// The weight of all planes with a coordinate.
    const Amounts& total() const { return total_; }
    Index total_weight() const { return total_[0]; }
    /// The answer of plane i where it is exactly 0.
    int answer_at_zero(Index i) const { return at_zero_[static_cast<std::size_t>(i)]; }

private:
    void append_merged(const Matrix& coef, const std::vector<Index>& merged);
    void load_weights(const Ensemble& ensemble, const CountingRules& rules);
    void scale_rows();
    void measure_rows();
    void find_opposites(const Ensemble& ensemble);

    Norm norm_;
    Matrix W_;
    Vector scale_;
    Vector size_;
    Matrix gram_;
    Vector elsewhere_;  ///< empty when all features are here
    std::vector<int> index_;
    std::vector<std::vector<int>> opposite_;
    std::vector<double> largest_;  ///< the size of each plane's largest weight
    std::vector<char> is_live_;
    Index n_live_features_ = 0;
    std::vector<Index> weight_;  ///< plane by plane, with all counts of each
    Amounts total_{};
    std::vector<signed char> at_zero_;
    bool is_majority_ = true;
};

/// What the search knows about one point: by how much each plane favours its current label c.
///
/// The search looks for the oriented move e = -c d: plane i leaves c at x + d iff w_i'e >= m_i (c =
/// -1) or w_i'e > m_i (c = +1), where m_i = c (w_i'x + b_i). Floating point gives m_i only up to an
/// error, so two margins stand in for it:
///   goal_i  > m_i   reaching it certainly fools the plane, even after x + d is rounded
///   floor_i < m_i   whatever fools the plane reaches at least this much
struct PointMargins {
    int current_label = 1;
    Vector goal;
    Vector floor;
    /// The box of e for the searches that have one; it need not contain 0.
    Vector lo{};
    Vector hi{};
    /// Used by searches in a box if rounding leaves open whether there is a point at all.
    const InfeasibilityProof* proof = nullptr;

    void resize(int label, Index n_planes);

    /// The goal and the floor of plane i, whose margin m_i is known up to `error` (both before the
    /// plane is scaled). `slack_factor` >= 1 widens goal - m_i; raise it if a witness failed to
    /// flip the vote; 0 puts the goal on the margin itself.
    void set(const PlaneSet& planes, Index i, double margin, double error, double slack_factor) {
        // The second error is that of rounding x + d. Uneven multiples keep similar planes from
        // tying, on which a simplex method could stall.
        const double uneven =
            1.0 + 0.25 * std::fmod(0.618033988749895 * static_cast<double>(i + 1), 1.0);
        const double rounding = std::numeric_limits<double>::epsilon() * std::abs(margin);
        const double slack = slack_factor * uneven * (4.0 * error + 64.0 * rounding);
        floor[i] = (margin - error) * planes.scale(i);
        goal[i] = (margin + slack) * planes.scale(i);
    }

    /// By how much each plane is beyond its goal at e.
    void slacks(const PlaneSet& planes, const Vector& e, std::vector<double>& slack) const;

    /// If a point has no digits in a plane's features, its goal would be no farther from its floor
    /// than the smallest double; this brings it closer to the gaps of the other planes.
    void even_out(const PlaneSet& planes, double slack_factor);

    /// The largest distance between a plane's floor and its goal; differences smaller than this are
    /// unknown.
    double widest_gap(const PlaneSet& planes) const;
};

/// The rounding error of a margin after `n_roundings` operations on terms of this magnitude.
inline double margin_error(double n_roundings, double magnitude) {
    using Limits = std::numeric_limits<double>;
    return n_roundings * (Limits::epsilon() * magnitude + 2.0 * Limits::denorm_min());
}

}  // namespace redoubt
