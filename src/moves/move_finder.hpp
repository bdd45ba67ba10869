#pragma once

/// The one place that decides which search finds the least move under which threat.

#include <optional>
#include <vector>

#include "counting/count_flipper.hpp"
#include "flip/flipper.hpp"

namespace redoubt {

/// A vote and what threatens it, prepared for the search that the threat asks for and shared by all
/// points and threads.
class ThreatenedVote {
public:
    /// Both must outlive this.
    ThreatenedVote(const Ensemble& ensemble, const MoveSpace& space);

    const Ensemble& ensemble() const { return ensemble_; }
    const MoveSpace& space() const { return space_; }
    Norm norm() const { return space_.model->norm; }
    /// nullptr where changes are counted.
    const ThreatPlanes* planes() const { return planes_ ? &*planes_ : nullptr; }
    const CountedPlanes* counted() const { return counted_ ? &*counted_ : nullptr; }

private:
    const Ensemble& ensemble_;
    const MoveSpace& space_;
    std::optional<ThreatPlanes> planes_;
    std::optional<CountedPlanes> counted_;
};

/// Finds the least move that changes a point's answer. One per thread.
class MoveFinder {
public:
    /// The vote must outlive this.
    explicit MoveFinder(const ThreatenedVote& vote);

    /// See Flipper.
    void record_proofs(bool is_recorded);

    struct Answer {
        Flip flip;
        /// Where `flip.d` holds the steps of few features alone: these, ascending.
        std::vector<Index> features;
    };

    /// As Flipper and CountFlipper say. Of a dense point the move is written out in all features.
    Answer flip_answer(const PointRef& x, int current_label, const PointLimits& limits);
    Flip fool_planes(const VectorRef& x, int current_label, Index required_weight, double cutoff,
                     const PointLimits& limits);

private:
    std::optional<Flipper> flipper_;
    std::optional<CountFlipper> counter_;
};

}  // namespace redoubt
