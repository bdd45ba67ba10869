#pragma once

/// Moves that are counted, as a training sees them: every entry of a row has at most one place to
/// go, which is a change of size 1 (a word comes or goes), and a row may change so many entries. The worst move against w is then the sum of
/// the largest gains, and its convex hull is a capped simplex:
///
///     h_j(g) = max { sum_f g_f delta_jf e_f : 0 <= e_f <= 1, sum_f e_f <= a_j } .

#include <utility>
#include <vector>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// The moves in l1 that are the same to a training as these in l0 (Norm::L0), where features go from
/// one end of their range to the other: a change has size 1. CountedMoves says whether the points
/// are at such ends. Throws InvalidInput for one-hot groups and costs other than 1.
AttackModel counted_in_l1(const AttackModel& model, Index n_features);

class CountedMoves {
public:
    /// The problem must outlive this; it may have no adversary. With `shares_threshold` all rows
    /// are taken to have no entries of their own, which bounds h_j from above.
    /// Throws InvalidInput for one-hot groups, entries with two places to go, changes of another
    /// size, radii that are no integers, and where a shared threshold would be no bound: features that are there may change, too.
    CountedMoves(const HingeProblem& problem, bool shares_threshold);

    /// Can the problem's threat be seen so, rows with thresholds of their own?
    static bool suits(const HingeProblem& problem);

    /// a_j: entries of row j that may change; 0 for rows that do not move.
    Index budget(Index j) const { return budgets_.empty() ? 0 : budgets_[static_cast<std::size_t>(j)]; }
    /// By how much an entry changes that no row lists; 0 = it does not.
    const Vector& unlisted() const { return unlisted_; }
    /// By how much an entry changes that a row lists with this value.
    double listed(Index feature, double value) const;
    /// Rows have no entries of their own.
    bool shares_threshold() const { return shares_threshold_; }

private:
    double change(Index feature, double value) const;

    Vector least_, greatest_;  ///< where features may go; least above greatest = nowhere
    Vector unit_;              ///< the size of a change
    std::vector<Direction> direction_;
    Vector unlisted_;
    std::vector<Index> budgets_;
    bool shares_threshold_;
    bool changes_listed_ = false;
};

/// What the worst moves against one w gain, all entries that no row lists sorted once.
class CountedGains {
public:
    CountedGains(const HingeProblem& problem, const CountedMoves& moves);

    /// Must be called before `worst`.
    void set_plane(const Vector& w);
    /// h_j(-y_j w). The features of the move and their changes go to `changes`, if wanted.
    double worst(Index j, std::vector<std::pair<int, double>>* changes = nullptr);
    /// Features with a gain against points of this label, the greatest gain first.
    const std::vector<int>& order(double label) const { return order_[label > 0.0 ? 1 : 0]; }

private:
    const HingeProblem& problem_;
    const CountedMoves& moves_;
    Vector w_;
    std::vector<int> order_[2];
    std::vector<Index> stamp_;  ///< by feature: the row that lists it, + 1
    struct Gain {
        double gain;
        int feature;
        double change;
    };
    std::vector<Gain> own_;
};

}  // namespace redoubt
