#pragma once

/// Trainings of two classes, and of more: one per class, against the rest.

#include <string>

#include "commands/train_methods.hpp"
#include "output/messages.hpp"

namespace redoubt::app {

/// Of a job whose labels are the numbers of more than two classes: class c against the rest.
TrainedPlanes train_class(const TrainingJob& job, int c);

/// All of them, with the radii of the job, or one for each class if there are `class_radii`. Scores
/// of classes are compared as values if each class has one plane, and otherwise as votes of equally
/// many planes. No ensemble if a limit was reached before each class had a plane.
TrainedPlanes train_classes(const TrainingJob& job, const ClassNames& classes,
                            const Vector& class_radii, const MessageOptions& messages);

/// True for more than two classes that are trained together: Ens-C with one plane for each.
bool is_trained_jointly(const MethodOptions& method);
/// What their planes, in the order of the classes, answer.
ClassVote vote_of_classes(const Ensemble& planes, std::size_t n_classes);

/// Of two classes or more, with a progress bar.
TrainedPlanes train_all(TrainingJob job, const ClassNames& classes, const Vector& class_radii,
                        const MessageOptions& messages, const std::string& what = "training");

}  // namespace redoubt::app
