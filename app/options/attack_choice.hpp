#pragma once

/// --attack-model: what an adversary may do to a row of the data.

#include <optional>
#include <string>
#include <vector>

#include "output/report.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/model.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// The adversary of one run.
struct AttackChoice {
    /// In the units of the data. Without scales, as in a ball, radius 1 is one scaled unit.
    AttackModel model{};

    /// What a model file keeps: nothing for a ball, whose norm the training record has.
    std::optional<AttackModel> kept() const;
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
    bool is_file() const { return !argument.empty() && argument != "none"; }
    /// The rules of the file; nothing if there is no file.
    std::optional<AttackModel> load(const AttackedData& data) const;
    /// The same, but a trained model's own without the option, and a ball in its norm for "none".
    AttackChoice load_for(const Model& model) const;
};

/// The unit of radii and, unless they are those of a ball, the rules: one line each, with the names
/// of features and classes.
void add_rules(Report& report, const AttackChoice& rules, Scaling scaling,
               const AttackedData& data);

/// The norm and the above.
void add_rules(Report& report, const AttackChoice& rules, const Model& model);

}  // namespace redoubt::app
