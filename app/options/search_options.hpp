#pragma once

/// The options of every command that searches: norm, attack model, solver, limits, threads.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "options/attack_choice.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/model.hpp"
#include "redoubt/solver.hpp"
#include "shell/cli_forward.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {

struct SearchOptions {
    /// Empty is the model's own.
    std::string norm;
    AttackModelOption attack_model;
    std::string solver = "native";
    SearchLimits limits{};
    int n_threads = 0;

    void add_to(CLI::App& command);
    /// The adversary: the attack model of the option or else the model's own, if there is one.
    /// --norm replaces its norm.
    AttackChoice rules_for(const Model& model) const;
    /// The first of --solver and the limits that was given; empty if none was.
    std::string first_given() const;

    /// CertifySettings or AttackSettings from these options, with Ctrl-C and progress.
    /// `seconds_spent` of the time limit are used up.
    template <class Settings>
    Settings settings(const Model& model, const AttackChoice& rules, const RowFeatures& missing,
                      Progress progress, double seconds_spent = 0.0) const {
        Settings settings;
        settings.frozen = rules.frozen(missing);
        settings.attack_model = rules.model.scaled(model.scaler());
        settings.solver = parse_solver(solver);
        settings.limits = limits;
        settings.limits.max_seconds = std::max(0.0, limits.max_seconds - seconds_spent);
        settings.limits.stop = &stop_on_interrupt();
        settings.n_threads = n_threads;
        settings.progress = std::move(progress);
        return settings;
    }

private:
    std::vector<const CLI::Option*> search_only_;
};

}  // namespace redoubt::app
