#pragma once

/// The worst an adversary can do to a classifier of several classes within a ball: the least move
/// that makes the answer wrong, if it lies in the ball, and no move otherwise.

#include "redoubt/attack.hpp"
#include "redoubt/class_vote.hpp"

#include <vector>

namespace redoubt {

/// `objective` is 1 for a success and 0 otherwise, and `bound` is 0 if it is proven that there is
/// none. `fooled` holds one number at most: the class that is answered instead of the label.
struct ClassAttack : Attack {
    int answer = 0;        ///< at x
    int moved_answer = 0;  ///< at x + d
};

/// Attacks every row of X, with labels y (class numbers), as `attack` of two classes does. A point
/// that is wrong to begin with stays. The solver must be native, the adversary exact, and changes
/// cannot be counted (l0). Throws InvalidInput.
std::vector<ClassAttack> attack(const ClassVote& vote, const PointsRef& X, const Eigen::VectorXi& y,
                                const VectorRef& radii, const AttackSettings& settings = {});

}  // namespace redoubt
