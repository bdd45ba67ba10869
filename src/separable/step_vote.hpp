#pragma once

/// Votes that need no search: every plane looks at one feature, so that an adversary moves features
/// one by one.

#include <cstdint>
#include <optional>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// A plane as a step of its feature: its answer changes at `first`, the least double to the right
/// of its threshold. The threshold itself lies above the double before that.
struct Step {
    double first;
    int plane;
    int left;  ///< the answer for smaller values; the other one from `first` on
};

/// A vote of such planes, prepared once and shared by all points and threads.
class StepVote {
public:
    /// Nothing unless every plane has one weight at most, and the rules of the features that have
    /// some can be taken one by one: no groups among them, and integers in l0 alone.
    static std::optional<StepVote> of(const Ensemble& ensemble, const MoveSpace& space);

    /// The planes of one feature that may move, ascending.
    struct Block {
        int feature;
        std::vector<Step> steps;
    };
    const std::vector<Block>& blocks() const { return blocks_; }
    const Ensemble& ensemble() const { return *ensemble_; }
    const MoveSpace& space() const { return *space_; }
    const AttackModel& model() const { return *space_->model; }
    /// By feature, as in the model's integers; empty: there are none.
    int integer_of(int feature) const {
        return integer_of_.empty() ? -1 : integer_of_[static_cast<std::size_t>(feature)];
    }

private:
    StepVote(const Ensemble& ensemble, const MoveSpace& space)
        : ensemble_(&ensemble), space_(&space) {}

    const Ensemble* ensemble_;
    const MoveSpace* space_;
    std::vector<Block> blocks_;
    std::vector<int> integer_of_;
};

}  // namespace redoubt
