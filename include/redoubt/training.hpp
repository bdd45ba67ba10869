#pragma once

/// What all trainings of ensembles share: how they report progress and when they stop.

#include "redoubt/types.hpp"

#include <atomic>
#include <functional>
#include <limits>

namespace redoubt {

/// A round is one plane (bagging, robust ensembles) or one epoch (collaborative ensembles).
struct TrainingProgress {
    Index round = 0;  ///< rounds done
    Index n_rounds = 0;
    Index point = 0;  ///< points attacked or certified within this round
    Index n_points = 0;
    double seconds = 0.0;       ///< since the start
    double seconds_left = 0.0;  ///< estimated from the rounds done; infinite before the first
};

/// When a limit is reached, the training returns what it has: a valid ensemble, marked as partial.
struct TrainingControl {
    /// Raise it from any thread to stop. May be null.
    const std::atomic<bool>* stop = nullptr;
    /// For the whole training, >= 0; checked between rounds and batches.
    double max_seconds = std::numeric_limits<double>::infinity();
    /// Called after each round and from time to time within one, one call at a time. May be empty.
    std::function<void(const TrainingProgress&)> progress{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

}  // namespace redoubt
