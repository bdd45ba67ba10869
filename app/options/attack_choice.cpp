#include "options/attack_choice.hpp"

#include <CLI/App.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "options/validators.hpp"
#include "output/evaluation.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

const char* const kQuickRules = "options";

/// "options: frozen[0]: expected .." as "--frozen: expected ..".
InvalidInput in_words_of_options(const ParseError& error) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{
        {{"frozen", "--frozen"},
         {"increase_only", "--increase-only"},
         {"decrease_only", "--decrease-only"},
         {"bounds", "--bounds"}}};
    std::string text = std::string(error.what()).substr(std::string_view(kQuickRules).size() + 2);
    for (const auto& [field, option] : kNames) {
        if (!text.starts_with(field)) continue;
        text = text.substr(text.find(": ") + 2);
        for (const auto& [other, its_option] : kNames) {
            const std::size_t place = text.find(" not in " + std::string(other) + ",");
            if (place != std::string::npos) text.replace(place + 8, other.size(), its_option);
        }
        return {option, text};
    }
    return {"rules", text};
}

}  // namespace

std::optional<AttackModel> AttackChoice::kept() const {
    if (is_default || model.is_plain()) return std::nullopt;
    return model;
}

std::string AttackChoice::unit(Scaling scaling) const {
    if (model.counts())
        return model.cost.size() > 0 ? "the costs of the attack model" : "changed features";
    if (!is_default && model.scale.size() > 0) return "the scales of the attack model";
    return unit_of(scaling) + (model.one_hot.empty() ? "" : "; a change of category counts 1");
}

void AttackChoice::admit(const PointsRef& raw, const VectorRef& y,
                         const std::vector<std::string>& feature_names, const RowFeatures& missing,
                         Index first_row) {
    widen(raw);
    model.check_points(raw, y,
                       {.argument = "DATA", .first_row = first_row, .features = feature_names},
                       frozen(missing));
}

void AttackChoice::widen(const PointsRef& raw) {
    if (!follows_data()) return;
    FeatureRanges ranges{model.lower, model.upper};
    ranges.widen(raw);
    model.lower = ranges.least;
    model.upper = ranges.greatest;
}

void AttackModelOption::add_to(CLI::App& command, const std::string& description) {
    command.add_option("--attack-model", argument, description)->type_name("FILE");
    const char* const group = "Quick rules for the adversary, instead of --attack-model";
    const auto add_list = [&](const char* name, std::vector<std::string>& features,
                              const char* meaning) {
        command.add_option(name, features, meaning)
            ->type_name("FEATURE")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group(group);
    };
    add_list("--frozen", frozen, "Features that never move");
    add_list("--increase-only", increase_only, "Features that only rise");
    add_list("--decrease-only", decrease_only, "Features that only fall");
    command
        .add_option("--bounds", bounds,
                    "data: keep features within their ranges in the training data and DATA")
        ->check(one_of({"data"}))
        ->group(group);
}

bool AttackModelOption::has_quick_rules() const {
    return !frozen.empty() || !increase_only.empty() || !decrease_only.empty() || !bounds.empty();
}

AttackChoice AttackModelOption::load(const AttackedData& data, const FeatureRanges& ranges) const {
    if (is_file() && has_quick_rules()) {
        throw InvalidInput(!frozen.empty()          ? "--frozen"
                           : !increase_only.empty() ? "--increase-only"
                           : !decrease_only.empty() ? "--decrease-only"
                                                    : "--bounds",
                           "cannot be combined with --attack-model; state the rule in the file");
    }
    if (is_file()) return {load_attack_model(argument, data)};
    if (argument == "none") {
        AttackChoice ball;
        ball.model.missing_moves = true;
        return ball;
    }
    if (!has_quick_rules()) {
        return {.model = plain_threat(Norm::L2, data.columns, data.unit), .is_default = true};
    }
    return {quick_rules(data, ranges), !bounds.empty()};
}

AttackModel AttackModelOption::quick_rules(const AttackedData& data,
                                           const FeatureRanges& ranges) const {
    // The norm is settled by --norm.
    nlohmann::json fields{{"norm", "l2"}};
    if (!frozen.empty()) fields["frozen"] = frozen;
    if (!increase_only.empty()) fields["increase_only"] = increase_only;
    if (!decrease_only.empty()) fields["decrease_only"] = decrease_only;
    if (!bounds.empty()) {
        if (!ranges.is_known()) {
            throw InvalidInput("--bounds",
                               "the model does not know the ranges of its training data; state "
                               "bounds in an --attack-model FILE");
        }
        std::vector<nlohmann::json> bounds_of(static_cast<std::size_t>(ranges.least.size()));
        for (const ColumnFeatures& column : data.columns) {
            if (column.is_text()) continue;
            bounds_of[static_cast<std::size_t>(column.first)] = {ranges.least[column.first],
                                                                 ranges.greatest[column.first]};
        }
        fields["bounds"] = bounds_of;
    }
    try {
        return attack_model_from_json(fields.dump(), data, kQuickRules);
    } catch (const ParseError& error) {
        throw in_words_of_options(error);
    }
}

AttackChoice AttackModelOption::load_for(const Model& model) const {
    if (leaves_own()) return {.model = model.threat(), .is_default = !model.attack_model()};
    AttackChoice choice = load(AttackedData::of(model), model.training().ranges);
    if (!is_file()) choice.model.norm = model.training().norm;
    return choice;
}

std::vector<std::string> rule_lines(const AttackChoice& rules, const AttackedData& data) {
    std::vector<std::string> lines;
    std::istringstream summary(rules.model.summary(
        {.features = data.feature_names, .classes = data.classes, .columns = data.columns}));
    for (std::string line; std::getline(summary, line);) lines.push_back(line);
    return lines;
}

void add_rules(Report& report, const AttackChoice& rules, Scaling scaling,
               const AttackedData& data) {
    report.add_fact("unit of radii", rules.unit(scaling));
    if (!rules.model.is_plain()) report.add_fact("attack model", rule_lines(rules, data));
}

void add_rules(Report& report, const AttackChoice& rules, const Model& model) {
    report.add_fact("norm", to_string(rules.model.norm));
    add_rules(report, rules, model.scaler().kind(), AttackedData::of(model));
}

}  // namespace redoubt::app
