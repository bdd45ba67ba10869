#pragma once

/// --radius auto: lets the training data choose the radius and, for ens-c, the number of planes.

#include "commands/train_methods.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "redoubt/radius_choice.hpp"

namespace redoubt::app {

/// Chooses them and sets them in `method`. `job` is the training to come: its data, attack model,
/// stop flag and time limit. `has_planes`: the number of planes was given and is kept.
RadiusChoice choose_radius_for(MethodOptions& method, const TrainingJob& job, bool has_planes,
                               const MessageOptions& messages);

/// The same with more than two classes: the radius in `method` is the mean of theirs.
ClassRadiusChoice choose_class_radii_for(MethodOptions& method, const TrainingJob& job,
                                         std::size_t n_classes, const MessageOptions& messages);

/// Stores the choice in the record of the training, for the model file.
void record_choice(TrainingRecord& record, const RadiusChoice& choice);

/// The candidates of a record, if there are any.
void add_choice(Report& report, const TrainingRecord& record);

}  // namespace redoubt::app
