#pragma once

/// The options of `redoubt train`.

#include <limits>
#include <string>
#include <vector>

#include "options/method_options.hpp"
#include "options/training_input.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

struct TrainOptions {
    TrainingInputOptions input;
    MethodOptions method;
    std::string model;
    double max_seconds = std::numeric_limits<double>::infinity();
    std::string checkpoint;
    bool resume = false;
    std::vector<double> radii = kUsualAttackRadii;
    OutputOptions output{OutputOptions::Usual::Text};
    MessageOptions messages;

    void add_to(CLI::App& command);

    /// Throws InvalidInput for options that have no effect on the chosen method, or that contradict
    /// each other.
    void check() const;

    /// True if the number of planes is given, by --planes or because --quota is out of it.
    bool has_planes() const;

private:
    void add_method_options(CLI::App& command);
    void add_plane_options(CLI::App& command);
    void add_run_options(CLI::App& command);
    void check_checkpoint() const;

    const CLI::Option* radius_option_ = nullptr;
    const CLI::Option* planes_option_ = nullptr;
    const CLI::Option* seed_option_ = nullptr;
};

}  // namespace redoubt::app
