#pragma once

/// How far a training is, on one line of a terminal that is written over and over.

#include "redoubt/training.hpp"

namespace redoubt::app {

/// Writes to standard error if that is a terminal, else nothing. The line is wiped at the end.
class ProgressLine {
public:
    /// `noun` is what a round is called: "plane" or "epoch".
    explicit ProgressLine(const char* noun);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const TrainingProgress& progress);

private:
    void wipe();

    const char* noun_;
    bool is_terminal_;
    bool is_dirty_ = false;
};

}  // namespace redoubt::app
