#pragma once

/// What an adversary may do to a row of the data.

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
    /// True if its ranges are those of the data (--bounds data).
    bool has_data_bounds = false;
    /// True if no rules were requested: then it is `plain_threat`.
    bool is_default = false;

    /// What a model file stores: nothing for the default, whose norm is in the training record.
    std::optional<AttackModel> kept() const;
    /// The meaning of a radius of 1.
    std::string unit(Scaling scaling) const;
    /// Widens ranges taken from the data so that they hold these points, too. Throws InvalidInput,
    /// naming row and column, for a point that may move but that the model does not allow. Features
    /// that do not move (`frozen`) may have any value. `first_row` is the number of the first
    /// point.
    void admit(const PointsRef& raw, const VectorRef& y,
               const std::vector<std::string>& feature_names, const RowFeatures& missing,
               Index first_row = 1);
    /// True if `admit` changes the rules.
    bool follows_data() const { return has_data_bounds && model.lower.size() > 0; }
    void widen(const PointsRef& raw);
    /// The features that do not move because their entries are missing.
    RowFeatures frozen(const RowFeatures& missing) const {
        return model.missing_moves ? RowFeatures{} : missing;
    }
};

/// --attack-model, and quick rules without a file: --frozen, --increase-only, --decrease-only and
/// --bounds data.
struct AttackModelOption {
    /// Empty, "none" or a file.
    std::string argument;
    std::vector<std::string> frozen;
    std::vector<std::string> increase_only;
    std::vector<std::string> decrease_only;
    /// Empty or "data".
    std::string bounds;

    void add_to(CLI::App& command, const std::string& description);
    bool is_file() const { return !argument.empty() && argument != "none"; }
    bool has_quick_rules() const;
    /// True if a trained model's own attack model applies.
    bool leaves_own() const { return argument.empty() && !has_quick_rules(); }
    /// The rules of the file or the quick rules, the default without either, a ball for "none".
    /// `ranges` are those of --bounds data. Throws InvalidInput if both are given, or if ranges are
    /// needed and absent.
    AttackChoice load(const AttackedData& data, const FeatureRanges& ranges) const;
    /// The same; without any option it is a trained model's own, or else a ball in its norm.
    AttackChoice load_for(const Model& model) const;

private:
    AttackModel quick_rules(const AttackedData& data, const FeatureRanges& ranges) const;
};

/// What the adversary may do: one line per rule, with the names of features and classes.
std::vector<std::string> rule_lines(const AttackChoice& rules, const AttackedData& data);

/// The unit of radii and, unless there are none, the rules.
void add_rules(Report& report, const AttackChoice& rules, Scaling scaling,
               const AttackedData& data);

/// The norm and the above.
void add_rules(Report& report, const AttackChoice& rules, const Model& model);

}  // namespace redoubt::app
