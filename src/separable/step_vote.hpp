#pragma once

/// Votes that fall apart: every plane looks at one feature, at one group, or at features of its own,
/// so that an adversary decides feature by feature, group by group and plane by plane.

#include <memory>
#include <optional>
#include <vector>

#include "counting/counted_planes.hpp"
#include "flip/threat_planes.hpp"
#include "redoubt/ensemble.hpp"
#include "threat/exact_size.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// A plane as a step of its feature: its answer changes at `first`, the least double to the right
/// of its threshold. The threshold itself lies above the double before that.
struct Step {
    double first;
    int plane;
    int left;  ///< the answer for smaller values; the other one from `first` on
};

/// A plane of a vote as a vote of its own, prepared for the search that the threat asks for.
struct PrivatePlane {
    /// Both must outlive this.
    PrivatePlane(const Ensemble& ensemble, Index plane, const MoveSpace& space);
    PrivatePlane(const PrivatePlane&) = delete;

    Ensemble vote;
    std::optional<ThreatPlanes> planes;    ///< unless changes are counted
    std::optional<CountedPlanes> counted;  ///< where they are
};

/// A vote of such planes, prepared once and shared by all points and threads.
class StepVote {
public:
    /// Nothing unless what may move splits up so that every plane looks at a feature, at a group, or
    /// at features that are no other plane's.
    static std::optional<StepVote> of(const Ensemble& ensemble, const MoveSpace& space);
    /// Of a vote that nearly falls apart: half of its planes at least look at one feature, or at one
    /// group. The others are `loose`; in linf they are private blocks as well, of no features, as
    /// there every plane may be moved for itself at no higher size. Nothing if none is loose.
    static std::optional<StepVote> part_of(const Ensemble& ensemble, const MoveSpace& space);

    /// The planes of one feature that may move, ascending.
    struct Block {
        int feature;
        Index coordinate;  ///< of the space
        std::vector<Step> steps;
    };
    /// The planes that look at one group that may switch: its place in the space.
    struct GroupBlock {
        std::size_t group;
        std::vector<int> planes;
    };
    /// A plane and the features that it alone looks at.
    struct PrivateBlock {
        int plane;
        std::vector<int> features;
        std::shared_ptr<const PrivatePlane> alone;
    };
    const std::vector<Block>& blocks() const { return blocks_; }
    const std::vector<GroupBlock>& group_blocks() const { return group_blocks_; }
    const std::vector<PrivateBlock>& private_blocks() const { return private_blocks_; }
    /// Planes that move and are in no block.
    const std::vector<int>& loose() const { return loose_; }
    const Ensemble& ensemble() const { return *ensemble_; }
    const MoveSpace& space() const { return *space_; }
    const AttackModel& model() const { return *space_->model; }
    /// By coordinate, as in the model's integers; -1: any value.
    int integer_of(const Block& block) const {
        return space_->integer_at[static_cast<std::size_t>(block.coordinate)];
    }
    /// Where integers and groups alone move planes, and sizes are not counted: the sizes there are.
    const std::optional<DiscreteSizes>& discrete_sizes() const { return discrete_; }

private:
    StepVote(const Ensemble& ensemble, const MoveSpace& space)
        : ensemble_(&ensemble), space_(&space) {}

    void add_groups(std::vector<std::vector<int>>& planes_of_group);
    void add_steps(const std::vector<std::vector<int>>& planes_of_coordinate);
    void find_discrete_sizes();

    const Ensemble* ensemble_;
    const MoveSpace* space_;
    std::vector<Block> blocks_;
    std::vector<GroupBlock> group_blocks_;
    std::vector<PrivateBlock> private_blocks_;
    std::vector<int> loose_;
    std::optional<DiscreteSizes> discrete_;
};

}  // namespace redoubt
