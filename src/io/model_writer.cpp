#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "io/model_json.hpp"
#include "redoubt/model_file.hpp"

namespace redoubt::io {

namespace {

Json optional_field(const auto& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// A number, a category, or null where nothing is filled in.
Json fill_of(const CodedColumn& column) {
    if (!column.entries) return column.fill;
    if (!column.entries->fills) return nullptr;
    if (column.categories.empty()) return column.fill;
    return column.categories[static_cast<std::size_t>(column.fill)];
}

Json coding_fields(const TableCoding& coding) {
    Json columns = Json::array();
    for (const CodedColumn& column : coding.columns) {
        Json fields = {{"name", column.name},
                       {"role", name_of(kRoleNames, column.role)},
                       {"categories", column.categories},
                       {"fill", fill_of(column)}};
        if (column.entries) {
            fields["other"] = column.entries->other;
            fields["indicator"] = column.entries->indicator;
            fields["missing_category"] = column.entries->missing_category;
        }
        columns.push_back(std::move(fields));
    }
    return {{"has_header", coding.has_header},
            {"missing", name_of(kMissingNames, coding.missing)},
            {"unseen", name_of(kUnseenNames, coding.unseen)},
            {"columns", std::move(columns)}};
}

Json plane_list(const Ensemble& ensemble) {
    Json planes = Json::array();
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        planes.push_back(plane_fields(ensemble.coef().row(i).transpose(), ensemble.intercept()[i]));
    }
    return planes;
}

/// Which of the planes are whose, of more than two classes.
Json decision_fields(const ClassVote& vote) {
    if (vote.tie_values()) {
        throw InvalidInput("decision", "votes whose ties go to the first class",
                           "ties that values settle, for which model files have no place");
    }
    Json counts = Json::array();
    for (Index c = 0; c < vote.n_classes(); ++c)
        counts.push_back(static_cast<std::uint64_t>(vote.n_planes(c)));
    Json fields = {{"score", to_string(vote.score())}, {"planes_per_class", std::move(counts)}};
    if (vote.is_minus_at_zero().empty()) return fields;
    Json planes = Json::array();
    for (Index i = 0; i < vote.planes().n_planes(); ++i) {
        if (vote.answer_at_zero(i) < 0) planes.push_back(static_cast<std::uint64_t>(i));
    }
    fields["minus_at_zero"] = std::move(planes);
    return fields;
}

Json settings_fields(const std::vector<TrainingSetting>& settings) {
    Json fields = Json::object();
    for (const TrainingSetting& setting : settings) {
        std::visit([&](const auto& value) { fields[setting.name] = value; }, setting.value);
    }
    return fields;
}

Json table_fields(const RoundTable& table) {
    Json rows = Json::array();
    for (const std::vector<double>& row : table.rows) {
        Json numbers = Json::array();
        for (double number : row) {
            numbers.push_back(std::isnan(number) ? Json(nullptr) : Json(number));
        }
        rows.push_back(std::move(numbers));
    }
    return {{"columns", table.columns}, {"rows", std::move(rows)}};
}

/// The hashes as one text, 16 hexadecimal digits each: a list would take three times the room.
Json row_fields(const RowSketch& rows) {
    if (rows.hashes.empty()) return nullptr;
    std::string text;
    for (std::uint64_t hash : rows.hashes) {
        for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[hash >> shift & 15];
    }
    return {{"is_sample", rows.is_sample},
            {"repeated_share", rows.repeated_share},
            {"hashes", std::move(text)}};
}

Json training_fields(const TrainingRecord& training) {
    Json fields = {{"method", training.method},
                   {"norm", to_string(training.norm)},
                   {"radii",
                    {{"count", static_cast<std::uint64_t>(training.radii.count)},
                     {"least", training.radii.least},
                     {"greatest", training.radii.greatest},
                     {"mean", training.radii.mean}}},
                   {"data", training.data},
                   {"n_points", static_cast<std::uint64_t>(training.n_points)},
                   {"status", training.status},
                   {"is_partial", training.is_partial},
                   {"objective", optional_field(training.objective)},
                   {"gap", optional_field(training.gap)},
                   {"seconds", optional_field(training.seconds)},
                   {"seed", optional_field(training.seed)},
                   {"settings", settings_fields(training.settings)},
                   {"rounds", table_fields(training.rounds)},
                   {"rows", row_fields(training.rows)}};
    if (!training.choice.rows.empty()) fields["choice"] = table_fields(training.choice);
    if (training.ranges.is_known()) {
        fields["ranges"] = {{"least", list_of(training.ranges.least)},
                            {"greatest", list_of(training.ranges.greatest)}};
    }
    return fields;
}

/// Without a header the names are made up; rules then go by number.
AttackedData attacked_data(const Model& model) {
    AttackedData data = AttackedData::of(model);
    if (!model.coding().has_header) data.feature_names.assign(data.feature_names.size(), "");
    return data;
}

bool has_entry_rules(const TableCoding& coding) {
    return std::any_of(coding.columns.begin(), coding.columns.end(),
                       [](const CodedColumn& column) { return column.entries.has_value(); });
}

/// Does the attack model say something about text columns, pairs of categories or missing entries?
bool has_column_rules(const Model& model) {
    if (!model.attack_model()) return false;
    const auto& groups = model.attack_model()->one_hot;
    const bool has_prices = std::any_of(groups.begin(), groups.end(), [](const OneHotGroup& group) {
        return !group.prices.empty() || std::isinf(group.switch_cost);
    });
    if (has_prices) return true;
    const Json rules = attack_model_fields(*model.attack_model(), attacked_data(model));
    return rules.contains("text_columns") || rules.contains("missing");
}

/// The first version of the format that knows all that is in the model.
std::uint64_t version_of(const Model& model) {
    if (model.class_vote()) return 7;
    if (model.ensemble().has_quota()) return 6;
    if (model.scaler().kind() == Scaling::MaxAbs) return 5;
    for (Index i = 0; i < model.ensemble().n_planes(); ++i) {
        if (is_written_sparse(model.ensemble().coef().row(i).transpose())) return 5;
    }
    if (has_entry_rules(model.coding()) || has_column_rules(model)) return 4;
    const bool is_new = !model.training().choice.rows.empty() ||
                        model.training().ranges.is_known() ||
                        model.scaler().kind() == Scaling::Custom;
    return is_new ? 3 : model.attack_model() || model.ensemble().is_weighted() ? 2 : 1;
}

}  // namespace

Json model_to_fields(const Model& model) {
    Json fields = {{"format", kModelFormat},
                   {"format_version", version_of(model)},
                   {"library_version", model.training().library_version},
                   {"classes", model.classes()},
                   {"feature_names", model.feature_names()},
                   {"coding", coding_fields(model.coding())},
                   {"scaler",
                    {{"kind", to_string(model.scaler().kind())},
                     {"offset", list_of(model.scaler().offset())},
                     {"scale", list_of(model.scaler().scale())}}},
                   {"planes", plane_list(model.ensemble())},
                   {"training", training_fields(model.training())}};
    if (model.ensemble().is_weighted()) fields["weights"] = list_of(model.ensemble().weights());
    if (model.ensemble().has_quota()) fields["quota"] = model.ensemble().quota();
    if (model.class_vote()) fields["decision"] = decision_fields(*model.class_vote());
    if (model.attack_model()) {
        fields["attack_model"] = attack_model_fields(*model.attack_model(), attacked_data(model));
    }
    fields["checksum"] = checksum_of(fields);
    return fields;
}

}  // namespace redoubt::io
