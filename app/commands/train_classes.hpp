#pragma once

/// More than two classes: one training per class, against the rest.

#include "commands/train_methods.hpp"
#include "options/train_options.hpp"
#include "options/training_input.hpp"

namespace redoubt::app {

/// `input` has more than two classes. Scores of classes are compared as values if each class has
/// one plane, and otherwise as votes of equally many planes. Throws InvalidInput for options that
/// need two classes.
TrainedPlanes train_classes(const TrainOptions& options, MethodOptions& method,
                            const TrainingInput& input, const TrainingControl& control);

}  // namespace redoubt::app
