#pragma once

/// --attack-model: what an adversary may do to a row of the data.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "output/report.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/model.hpp"

namespace redoubt::app {

/// The adversary of one run.
struct AttackRules {
    /// That of the attack model, if there is one.
    Norm norm = Norm::L2;
    /// In the units of the data; nothing for a ball of scaled features.
    std::optional<AttackModel> model{};

    /// The same for scaled features.
    std::optional<AttackModel> scaled(const Scaler& scaler) const;
    /// What a radius of 1 is.
    std::string unit(Scaling scaling) const;
    /// Throws InvalidInput, naming row and column, for a point that moves but that the model does
    /// not allow.
    void check_points(const MatrixRef& raw, const VectorRef& y,
                      const std::vector<std::string>& feature_names) const;
};

struct AttackModelOption {
    /// Empty, "none" or a file.
    std::string argument;

    void add_to(CLI::App& command, const std::string& description);
    /// The model of the file; nothing if there is no file.
    std::optional<AttackModel> load(const AttackedData& data) const;
    /// The same, but without the option a trained model's own.
    std::optional<AttackModel> load_for(const Model& model) const;
};

/// One line per rule, with the names of features and classes.
std::vector<std::string> attack_model_lines(const AttackModel& model, const AttackedData& data);

/// The norm, the unit of radii and, if there is one, the attack model, as facts.
void add_rules(Report& report, const AttackRules& rules, const Model& model);

}  // namespace redoubt::app
