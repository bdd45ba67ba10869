#pragma once

/// The options of every command that searches: norm, solver, limits, threads.

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "redoubt/model.hpp"
#include "redoubt/solver.hpp"

namespace redoubt::app {

struct SearchOptions {
    /// Empty is the model's own.
    std::string norm;
    std::string solver = "native";
    double seconds_per_point = 0.0;
    std::int64_t nodes_per_point = 0;
    int n_threads = 0;

    CLI::Option* solver_option = nullptr;
    CLI::Option* time_option = nullptr;
    CLI::Option* node_option = nullptr;

    void add_to(CLI::App& command);
    Norm norm_for(const Model& model) const;
    SearchLimits limits() const;
    /// The name of the first of --solver, --time-limit and --node-limit that was given, or nothing.
    std::string first_given() const;
};

}  // namespace redoubt::app
