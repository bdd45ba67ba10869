#pragma once

#include "svm/hinge_problem.hpp"
#include "svm/large_cholesky.hpp"
#include "threat/support.hpp"

namespace redoubt {

/// Every point's box of moves, feature by feature: one row per point of the problem, [middle -
/// half, middle + half]. Empty matrices = no boxes.
struct ThreatBoxes {
    Matrix middle;
    Matrix half;

    bool empty() const { return half.size() == 0; }
};

/// What a threat does to every point of a hinge problem, given w: the move d with the largest
/// -y_j w'd within the radius r_j = problem.r[j]. Points with r_j = 0 or no weight stay.
///
/// For linf every feature goes its own way, so that a point's moves are a box (but for its one-hot
/// groups): those moves are handed out once as `boxes`, and what `find` finds is the rest.
class ThreatOracle {
public:
    /// All points that move must pass threat.check_point. The problem must outlive this.
    /// A raised flag ends the setting up of boxes, which are then those of the first points only:
    /// less than the threat, so that what follows from them is still a lower bound.
    ThreatOracle(const HingeProblem& problem, StopFlag stop);

    const ThreatBoxes& boxes() const { return boxes_; }

    /// Sets with a round boundary, whose maximiser changes with every w: l2.
    bool is_round() const { return problem_.threat.norm == Norm::L2; }

    /// Looks at every point; results are per point of the problem.
    void find(const VectorRef& w);

    /// h_j(-y_j w), boxes included.
    const Vector& gain() const { return gain_; }
    /// The move that reaches it, without what the box does.
    auto move(Index point) const { return moves_.row(point).transpose(); }

    /// sum_j weight_j (the second derivative of h_j at the last w): what tangents do not see of the
    /// round parts of l2 sets. Empty for the other norms.
    Matrix curvature(const Vector& weight) const;

private:
    void make_boxes(StopFlag stop);
    void find_given(Index j, const Vector& g);
    bool can_move(Index point) const { return problem_.c[point] > 0.0 && problem_.r[point] > 0.0; }

    const HingeProblem& problem_;
    MoveSpace space_;
    ThreatBoxes boxes_;
    Vector is_boxed_;  ///< 1 for features that move in a box, 0 for the others
    Vector w_;
    Vector gain_;
    Matrix moves_;
};

}  // namespace redoubt
