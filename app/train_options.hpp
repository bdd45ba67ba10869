#pragma once

/// What `redoubt train` can be asked for.

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data_argument.hpp"
#include "redoubt/types.hpp"

namespace redoubt::app {

struct TrainOptions {
    std::string data;
    std::string test;
    std::string model;
    std::string method = "ro-svm";
    std::string norm = "l2";
    double C = 1.0;
    Index n_planes = 15;
    Index n_epochs = 60;
    std::uint64_t seed = 0;
    std::string rule = "corrected";
    std::string class_weight = "none";
    double max_seconds = std::numeric_limits<double>::infinity();
    std::string checkpoint;
    bool resume = false;
    std::string scale = "standard";
    int n_threads = 0;
    std::vector<double> radii{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
    ReadOptions read;

    void add_to(CLI::App& command);

    /// Throws InvalidInput for options that the chosen method would not look at, or that do not go
    /// together.
    void check() const;

    /// --radius or, if it was not given, the method's default.
    double radius() const;
    bool is_ensemble() const { return method != "svm" && method != "ro-svm"; }
    bool is_robust_ensemble() const;

private:
    /// An option and the methods that look at it.
    struct MethodOption {
        const CLI::Option* option;
        std::vector<std::string> methods;
    };

    void add_method_options(CLI::App& command);
    void add_run_options(CLI::App& command);

    double given_radius_ = 0.0;
    const CLI::Option* radius_option_ = nullptr;
    std::vector<MethodOption> method_options_;
};

}  // namespace redoubt::app
