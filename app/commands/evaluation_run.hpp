#pragma once

/// A model on labelled points, block by block: what `evaluate` prints and a card shows.

#include <cstdint>
#include <string>
#include <vector>

#include "options/attack_choice.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "redoubt/model.hpp"
#include "redoubt/row_sketch.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

struct EvaluationOptions {
    ModelArguments input;
    std::vector<double> radii = kUsualAttackRadii;
    double holdout = 0.0;
    std::uint64_t seed = 0;
    SearchOptions search;
    MessageOptions messages;

    CLI::Option* seed_option = nullptr;

    /// Everything except the messages.
    void add_to(CLI::App& command);
    /// Throws InvalidInput for contradictory options.
    void check() const;
    /// "patients.csv, 20 % held out".
    std::string data_text() const;
};

struct EvaluationRun {
    Evaluation evaluation{};
    AttackChoice rules{};
    SeenRows seen{};
    double seconds = 0.0;
    /// Stopped by Ctrl-C before the end.
    bool is_stopped = false;
};

/// Warns about points that were in the model's training data. Throws InvalidInput for points
/// without labels or, with two classes, without one of them.
EvaluationRun run_evaluation(const EvaluationOptions& options, const Model& model);

/// "ens-c, 15 planes, partial".
std::string method_text(const Model& model);

/// "12 of these 140 rows"; estimated if not all were looked up.
std::string seen_text(const SeenRows& seen);

/// The reason why there is no ceiling.
std::string no_ceiling_text(const Evaluation& evaluation, const Model& model);

/// "evaluated 140 points in 0.0123 s", and the exit code, with a warning about open points.
ExitCode end_evaluation(const EvaluationRun& run, const EvaluationOptions& options);

}  // namespace redoubt::app
