#include "options/attack_rules.hpp"

#include <sstream>

#include "output/evaluation.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {

std::optional<AttackModel> AttackRules::scaled(const Scaler& scaler) const {
    if (!model) return std::nullopt;
    return model->scaled(scaler);
}

std::string AttackRules::unit(Scaling scaling) const {
    const bool has_scale = model && model->scale.size() > 0;
    return has_scale ? "the scales of the attack model" : unit_of(scaling);
}

void AttackRules::check_points(const MatrixRef& raw, const VectorRef& y,
                               const std::vector<std::string>& feature_names) const {
    if (!model) return;
    for (Index j = 0; j < raw.rows(); ++j) {
        if (!model->attacks(y[j] > 0.0 ? 1 : -1)) continue;
        const std::optional<PointMisfit> misfit = model->misfit(raw.row(j).transpose());
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
    if (argument.empty() || argument == "none") return std::nullopt;
    return load_attack_model(argument, data);
}

std::optional<AttackModel> AttackModelOption::load_for(const Model& model) const {
    return argument.empty() ? model.attack_model() : load(AttackedData::of(model));
}

std::vector<std::string> attack_model_lines(const AttackModel& model, const AttackedData& data) {
    // The summary knows no names of classes.
    AttackModel nameless = model;
    nameless.attacking_class.reset();
    std::vector<std::string> lines;
    std::istringstream summary(nameless.summary(data.feature_names));
    for (std::string line; std::getline(summary, line);) lines.push_back(line);
    if (model.attacking_class) {
        lines.push_back("only points of this class move: " +
                        data.classes[*model.attacking_class > 0 ? 1 : 0]);
    }
    return lines;
}

void add_rules(Report& report, const AttackRules& rules, const Model& model) {
    report.add_fact("norm", to_string(rules.norm));
    report.add_fact("unit of radii", rules.unit(model.scaler().kind()));
    if (!rules.model) return;
    report.add_fact("attack model", attack_model_lines(*rules.model, AttackedData::of(model)));
}

}  // namespace redoubt::app
