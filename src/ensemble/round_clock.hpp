#pragma once

#include "redoubt/status.hpp"
#include "redoubt/training.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// Watches the limits of a training and reports its progress.
class RoundClock {
public:
    explicit RoundClock(const TrainingControl& control);

    /// True once the time is up or the stop flag is raised; `status` tells which.
    bool is_up();
    Status status() const { return status_; }

    /// Passes progress on with the times filled in; within a round at most a few times a second.
    void report(TrainingProgress progress);

    double seconds() const;

private:
    const TrainingControl& control_;
    Clock::time_point start_;
    Clock::time_point deadline_;
    Clock::time_point next_report_;
    /// rounds done at the first report, more than 0 if the training was resumed
    Index first_round_ = -1;
    Status status_ = Status::Optimal;
};

}  // namespace redoubt
