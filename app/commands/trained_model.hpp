#pragma once

/// What happens to trained planes: a model file and a report. For `train` and `tune`.

#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/train_methods.hpp"
#include "options/training_input.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"

namespace redoubt::app {

/// What a training method does not know: the name of the data, which rows it saw, and their ranges.
void complete_record(TrainingRecord& record, const TrainingInput& input);

/// Checks before training that a model of these data can be written.
void rehearse_saving(const TrainingInput& input, const std::string& path);

void save_trained(const TrainingInput& input, const TrainedPlanes& trained, const std::string& path,
                  const MessageOptions& messages);

/// A warning, with a remedy, for a model that gives (almost) one answer to all of its training
/// points, or is no better than such a model.
void warn_of_constant(const TrainingInput& input, const MethodOptions& method,
                      const TrainedPlanes& trained);

/// Data, method, status, objective, number of planes.
void add_training_facts(Report& report, const MethodOptions& method, const TrainingInput& input,
                        const TrainedPlanes& trained);

struct CurveSettings {
    int n_threads;
    const std::vector<double>& radii;
    const MessageOptions& messages;
};

/// Certifies the test part (or, without one, the training part) and adds its attack curve. The exit
/// code tells whether every point was settled.
ExitCode add_test_curve(Report& report, OutputFormat format, const TrainingInput& input,
                        const TrainedPlanes& trained, const CurveSettings& settings);

/// The weights, if there is only one plane, or one per class.
void add_plane(Report& report, const TrainingInput& input, const TrainedPlanes& trained);

}  // namespace redoubt::app
