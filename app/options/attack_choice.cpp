#include "options/attack_choice.hpp"

#include <CLI/App.hpp>
#include <sstream>

#include "output/evaluation.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {

std::optional<AttackModel> AttackChoice::kept() const {
    if (model.is_plain()) return std::nullopt;
    return model;
}

std::string AttackChoice::unit(Scaling scaling) const {
    return model.scale.size() > 0 ? "the scales of the attack model" : unit_of(scaling);
}

void AttackChoice::check_points(const MatrixRef& raw, const VectorRef& y,
                                const std::vector<std::string>& feature_names) const {
    model.check_points(raw, y, {.argument = "DATA", .first_row = 1, .features = feature_names});
}

void AttackModelOption::add_to(CLI::App& command, const std::string& description) {
    command.add_option("--attack-model", argument, description)->type_name("FILE");
}

std::optional<AttackModel> AttackModelOption::load(const AttackedData& data) const {
    if (!is_file()) return std::nullopt;
    return load_attack_model(argument, data);
}

AttackChoice AttackModelOption::load_for(const Model& model) const {
    if (argument.empty()) return {model.threat()};
    return {load(AttackedData::of(model)).value_or(AttackModel::ball(model.training().norm))};
}

void add_rules(Report& report, const AttackChoice& rules, Scaling scaling,
               const AttackedData& data) {
    report.add_fact("unit of radii", rules.unit(scaling));
    if (rules.model.is_plain()) return;
    std::vector<std::string> lines;
    std::istringstream summary(rules.model.summary({data.feature_names, data.classes}));
    for (std::string line; std::getline(summary, line);) lines.push_back(line);
    report.add_fact("attack model", lines);
}

void add_rules(Report& report, const AttackChoice& rules, const Model& model) {
    report.add_fact("norm", to_string(rules.model.norm));
    add_rules(report, rules, model.scaler().kind(), AttackedData::of(model));
}

}  // namespace redoubt::app
