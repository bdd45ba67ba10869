#pragma once

/// The methods of `redoubt train`, one call for all.

#include <optional>
#include <string>

#include "redoubt/ensemble.hpp"
#include "redoubt/status.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training_record.hpp"
#include "train_options.hpp"

namespace redoubt::app {

struct TrainedPlanes {
    Status status = Status::NumericalFailure;
    /// Nothing if the training was stopped before the first plane.
    std::optional<Ensemble> ensemble{};
    TrainingRecord record{};
    /// Empty, or a sentence for the user.
    std::string warning{};
    /// Empty, or how much work it was, as in "31 Newton steps".
    std::string effort{};
};

/// `data` in scaled features. Stops when `stop` is raised; keeps and resumes a checkpoint as the
/// options say. Throws ParseError for a checkpoint that cannot be used.
TrainedPlanes train_planes(const TrainOptions& options, const SvmData& data,
                           const std::atomic<bool>& stop);

/// c_j = m / (2 m_class of j) for --class-weight balanced, else nothing.
Vector class_weights(const TrainOptions& options, const VectorRef& y);

}  // namespace redoubt::app
