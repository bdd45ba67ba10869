#pragma once

#include <vector>

#include "threat/support.hpp"
#include "svm/move_rows.hpp"

namespace redoubt {

/// What an attack model does to every point of a hinge problem, given w: the move d with the
/// largest -y_j w'd within the radius r_j = problem.r[j]. Points with r_j = 0 or no weight stay.
///
/// For linf every feature goes its own way, so that a point's moves are a box (but for its one-hot
/// groups): those moves are handed out once as `boxes`, and what `find` finds is the rest.
class WorstMoves {
public:
    WorstMoves(const HingeProblem& problem, const AttackModel& model);

    const MoveBoxes& boxes() const { return boxes_; }

    /// Sets with a round boundary, whose maximiser changes with every w: l2.
    bool is_round() const { return space_.model->norm == Norm::L2; }

    /// Looks at every point; results are per point of the problem.
    void find(const VectorRef& w);

    /// h_j(-y_j w), boxes included.
    const Vector& gain() const { return gain_; }
    /// The move that reaches it, without what the box does.
    Vector move(Index point) const { return moves_.row(point); }

    /// sum_j weight_j (the second derivative of h_j at the last w): what tangents do not see of the
    /// round parts of l2 sets. Empty for the other norms. `mean_square` is that of the features.
    Matrix curvature(const Vector& weight, double mean_square);

private:
    void make_boxes();

    const HingeProblem& problem_;
    MoveSpace space_;
    MoveBoxes boxes_;
    std::vector<char> is_grouped_;
    Vector w_;
    Vector gain_;
    Matrix moves_;
};

}  // namespace redoubt
