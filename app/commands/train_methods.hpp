#pragma once

/// The methods of `redoubt train` behind one call.

#include <optional>
#include <string>

#include "commands/train_checkpoint.hpp"
#include "options/method_options.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/class_vote.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/status.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"
#include "redoubt/training_record.hpp"

namespace redoubt::app {

/// One training. `data` in scaled features; `radii` one for all points or one per point.
struct TrainingJob {
    const MethodOptions& method;
    SvmData data;
    Vector radii;
    /// Stop flag, time limit and progress. For a single plane only the flag matters.
    TrainingControl control{};
    CheckpointFile checkpoint{};
    /// What the adversary may do, in scaled features; empty for a ball.
    AttackModel attack_model{};
    /// True for one class of more than two against the rest.
    bool is_one_of_many = false;
    /// More than 2: all classes together, whose numbers are the labels (is_trained_jointly).
    Index n_classes = 2;
};

struct TrainedPlanes {
    Status status = Status::NumericalFailure;
    /// Empty if the training was stopped before the first plane.
    std::optional<Ensemble> ensemble{};
    /// How the planes answer if there are more than two classes.
    std::optional<ClassVote> class_vote{};
    TrainingRecord record{};
    /// Empty, or a sentence for the user.
    std::string warning{};
    /// Empty, or how much work it was, as in "31 Newton steps".
    std::string effort{};
};

/// Throws ParseError for an unusable checkpoint.
TrainedPlanes train_planes(const TrainingJob& job);

/// What a progress bar counts: "planes" or "epochs"; empty if the end is not known.
std::string progress_noun(const MethodOptions& method);

}  // namespace redoubt::app
