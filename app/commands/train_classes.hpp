#pragma once

/// More than two classes: one training per class, which tells it from all others.

#include "commands/train_methods.hpp"
#include "options/train_options.hpp"
#include "options/training_input.hpp"

namespace redoubt::app {

/// `input` has more than two classes. The scores of the classes are compared as values if each has
/// one plane, and else as votes of as many planes each. Throws InvalidInput for options that are
/// about two classes.
TrainedPlanes train_classes(const TrainOptions& options, MethodOptions& method,
                            const TrainingInput& input, const TrainingControl& control);

}  // namespace redoubt::app
