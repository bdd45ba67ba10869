#include "options/attack_rules.hpp"

#include <sstream>

#include "output/evaluation.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {

std::optional<AttackModel> AttackRules::kept() const {
    if (model.is_plain()) return std::nullopt;
    return model;
}

std::string AttackRules::unit(Scaling scaling) const {
    return model.scale.size() > 0 ? "the scales of the attack model" : unit_of(scaling);
}

void AttackRules::check_points(const MatrixRef& raw, const VectorRef& y,
                               const std::vector<std::string>& feature_names) const {
    for (Index j = 0; j < raw.rows(); ++j) {
        if (!model.attacks(y[j] > 0.0 ? 1 : -1)) continue;
        const std::optional<PointMisfit> misfit = model.misfit(raw.row(j).transpose());
        if (!misfit) continue;
        // The library counts rows from 0 and knows features by number; a user knows them by name.
        const std::string& name = feature_names.at(static_cast<std::size_t>(misfit->feature));
        throw InvalidInput("DATA", misfit->wanted,
                           misfit->got + " '" + name + "' in row " + std::to_string(j + 1));
    }
}

void AttackModelOption::add_to(CLI::App& command, const std::string& description) {
    command.add_option("--attack-model", argument, description)->type_name("FILE");
}

std::optional<AttackModel> AttackModelOption::load(const AttackedData& data) const {
    if (!is_file()) return std::nullopt;
    return load_attack_model(argument, data);
}

AttackRules AttackModelOption::load_for(const Model& model) const {
    if (argument.empty()) return {model.threat()};
    return {load(AttackedData::of(model)).value_or(AttackModel::ball(model.training().norm))};
}

void add_rules(Report& report, const AttackRules& rules, Scaling scaling,
               const AttackedData& data) {
    report.add_fact("unit of radii", rules.unit(scaling));
    if (rules.model.is_plain()) return;
    // The summary knows no names of classes.
    AttackModel nameless = rules.model;
    nameless.attacking_class.reset();
    std::vector<std::string> lines;
    std::istringstream summary(nameless.summary(data.feature_names));
    for (std::string line; std::getline(summary, line);) lines.push_back(line);
    if (rules.model.attacking_class) {
        lines.push_back("only points of this class move: " +
                        data.classes[*rules.model.attacking_class > 0 ? 1 : 0]);
    }
    report.add_fact("attack model", lines);
}

void add_rules(Report& report, const AttackRules& rules, const Model& model) {
    report.add_fact("norm", to_string(rules.model.norm));
    add_rules(report, rules, model.scaler().kind(), AttackedData::of(model));
}

}  // namespace redoubt::app
