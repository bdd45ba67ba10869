#pragma once

/// The one place that decides which search finds the least move under which threat.

#include <mutex>
#include <optional>
#include <vector>

#include "counting/count_flipper.hpp"
#include "flip/flipper.hpp"
#include "separable/step_flipper.hpp"

namespace redoubt {

/// A vote and its threat, prepared for the searches that the threat needs and shared by all points
/// and threads.
class ThreatenedVote {
public:
    /// Both must outlive this.
    ThreatenedVote(const Ensemble& ensemble, const MoveSpace& space);

    const Ensemble& ensemble() const { return ensemble_; }
    const MoveSpace& space() const { return space_; }
    bool counts() const { return space_.model->counts(); }
    /// nullptr unless the vote falls apart: as a whole, so that it needs no search, or but for the
    /// loose planes of a part.
    const StepVote* steps() const { return steps_ ? &*steps_ : nullptr; }
    // Built when first needed.
    /// For threats that do not count changes.
    const ThreatPlanes& planes() const;
    /// For threats that do.
    const CountedPlanes& counted() const;

private:
    const Ensemble& ensemble_;
    const MoveSpace& space_;
    std::optional<StepVote> steps_;
    mutable std::once_flag made_;
    mutable std::optional<ThreatPlanes> planes_;
    mutable std::optional<CountedPlanes> counted_;
};

/// Finds the least move that changes a point's answer. One per thread.
class MoveFinder {
public:
    /// The vote must outlive this.
    explicit MoveFinder(const ThreatenedVote& vote);

    /// See Flipper. A vote that needs no search is searched all the same if proofs are wanted.
    void record_proofs(bool is_recorded);

    struct Answer {
        Flip flip;
        /// The features, ascending, if `flip.d` holds only their steps.
        std::vector<Index> features;
    };

    /// As in Flipper. For a dense point the move is written out in all features.
    Answer flip_answer(const PointRef& x, int current_label, const PointLimits& limits);
    Flip fool_planes(const VectorRef& x, int current_label, Index required_weight, double cutoff,
                     const PointLimits& limits);

private:
    Answer find(const PointRef& x, int current_label, Index required_weight, double cutoff,
                const PointLimits& limits);
    Answer search(const PointRef& x, int current_label, Index required_weight, double cutoff,
                  const PointLimits& limits);
    Flipper& flipper();
    CountFlipper& counter();

    const ThreatenedVote& vote_;
    bool is_recorded_ = false;
    std::optional<StepFlipper> stepper_;
    std::optional<Flipper> flipper_;
    std::optional<CountFlipper> counter_;
};

}  // namespace redoubt
