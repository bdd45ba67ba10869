#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "io/json_field.hpp"
#include "io/model_json.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"

namespace redoubt::io {

namespace {

constexpr std::size_t kHashDigits = 16;

/// Is it a model at all, and one that this version can read?
void check_model_format(const JsonField& model) {
    check_format(model, kModelFormat, kModelFormatVersion, "model");
    model.expect_fields({"format", "format_version", "library_version", "classes", "feature_names",
                         "coding", "scaler", "planes", "weights", "quota", "decision", "training",
                         "attack_model", "checksum"});
}

/// Of a column that says what it makes of missing and unknown entries: a number, a category, or
/// null where they are an error.
void read_fill(const JsonField& field, CodedColumn& column) {
    column.entries->fills = !field.is_null();
    if (field.is_null()) return;
    if (column.categories.empty()) {
        column.fill = field.number();
        return;
    }
    const auto& all = column.categories;
    const auto found = std::find(all.begin(), all.end(), field.text());
    if (found == all.end()) field.fail("one of the categories, or null");
    column.fill = static_cast<double>(found - all.begin());
}

CodedColumn read_column(const JsonField& field) {
    field.expect_fields(
        {"name", "role", "categories", "fill", "other", "indicator", "missing_category"});
    CodedColumn column{field.at("name").text(), read_name(field.at("role"), kRoleNames),
                       field.at("categories").texts()};
    // Version 4 on, and only for columns that have rules of their own.
    if (field.at("other").is_missing() && field.at("indicator").is_missing() &&
        field.at("missing_category").is_missing()) {
        column.fill = field.at("fill").number();
        return column;
    }
    column.entries = EntryRules{.missing_category = field.at("missing_category").truth(),
                                .other = field.at("other").truth(),
                                .indicator = field.at("indicator").truth()};
    read_fill(field.at("fill"), column);
    return column;
}

TableCoding read_coding(const JsonField& model) {
    const JsonField field = model.at("coding");
    field.expect_fields({"has_header", "missing", "unseen", "columns"});
    TableCoding coding;
    coding.has_header = field.at("has_header").truth();
    coding.missing = read_name(field.at("missing"), kMissingNames);
    coding.unseen = read_name(field.at("unseen"), kUnseenNames);
    const JsonField columns = field.at("columns");
    for (std::size_t i = 0; i < columns.n_entries(); ++i) {
        coding.columns.push_back(read_column(columns.entry(i)));
    }
    const JsonField classes = model.at("classes");
    const JsonField decision = model.at("decision");
    if (decision.is_missing() && classes.n_entries() != 2) classes.fail("a list of 2 texts");
    coding.classes = classes.texts();
    return coding;
}

/// The list is there for other readers; to us the coding says the same. Returns its length.
///
/// Name by name: all of them together can be far longer than the file if a column with a long name
/// has many categories. Once they are known to be in the file they cannot.
Index check_feature_names(const JsonField& field, const TableCoding& coding) {
    const Index n = n_coded_features(coding);
    if (static_cast<Index>(field.n_entries()) != n) {
        field.fail("a list of " + std::to_string(n) + ", as coding has features");
    }
    if (n == 0) field.fail("a list of at least 1 text");
    std::size_t i = 0;
    for (const CodedColumn& column : coding.columns) {
        for_each_feature(column, [&](const std::string& wanted) {
            const JsonField name = field.entry(i++);
            if (name.text() != wanted) name.fail(quote_text(wanted) + ", as in coding");
        });
    }
    return n;
}

Scaler read_scaler(const JsonField& field, Index n) {
    field.expect_fields({"kind", "offset", "scale"});
    const Scaling kind = read_name(field.at("kind"), kScalingNames);
    Vector offset = field.at("offset").numbers(n);
    const JsonField scale_field = field.at("scale");
    Vector scale = scale_field.numbers(n);
    for (Index j = 0; j < n; ++j) {
        if (scale[j] > 0.0) continue;
        scale_field.entry(static_cast<std::size_t>(j)).fail("a number above 0");
    }
    return {kind, std::move(offset), std::move(scale)};
}

/// Version 6 on, and only for votes that have one.
Ensemble with_quota(const JsonField& model, Ensemble ensemble) {
    const JsonField quota = model.at("quota");
    if (quota.is_missing()) return ensemble;
    try {
        return ensemble.with_quota(quota.number());
    } catch (const InvalidInput& error) {
        quota.fail_with(error.what());
    }
}

Ensemble read_planes(const JsonField& model, Index n) {
    const JsonField field = model.at("planes");
    const std::vector<Hyperplane> planes = read_plane_list(field, n);
    if (planes.empty()) field.fail("a list of at least 1 plane");
    Ensemble majority(planes);
    const JsonField weights = model.at("weights");
    if (weights.is_missing()) return majority;
    try {
        return Ensemble(majority.coef(), majority.intercept(),
                        weights.numbers(majority.n_planes()));
    } catch (const InvalidInput& error) {
        weights.fail_with(error.what());
    }
}

/// Of more than two classes: which of the planes are whose.
ClassVote read_decision(const JsonField& field, Ensemble planes) {
    field.expect_fields({"score", "planes_per_class", "minus_at_zero"});
    const ClassScore score = read_name(field.at("score"), kClassScoreNames);
    const auto n_planes = static_cast<std::uint64_t>(planes.n_planes());
    const JsonField counts = field.at("planes_per_class");
    std::vector<Index> per_class;
    for (std::size_t c = 0; c < counts.n_entries(); ++c)
        per_class.push_back(static_cast<Index>(counts.entry(c).count(n_planes)));
    std::vector<char> is_minus;
    const JsonField minus = field.at("minus_at_zero");
    if (!minus.is_missing()) is_minus.assign(n_planes, 0);
    for (std::size_t i = 0; !minus.is_missing() && i < minus.n_entries(); ++i)
        is_minus[minus.entry(i).count(n_planes - 1)] = 1;
    try {
        return {std::move(planes), std::move(per_class), score, std::move(is_minus)};
    } catch (const InvalidInput& error) {
        field.fail_with(error.what());
    }
}

TrainingRadii read_radii(const JsonField& field) {
    field.expect_fields({"count", "least", "greatest", "mean"});
    return {static_cast<Index>(field.at("count").count(kMaxJsonCount)), field.at("least").number(),
            field.at("greatest").number(), field.at("mean").number()};
}

std::vector<TrainingSetting> read_settings(const JsonField& field) {
    std::vector<TrainingSetting> settings;
    for (const auto& [name, value] : field.fields()) {
        if (value.is_text()) {
            settings.push_back({name, value.text()});
        } else {
            settings.push_back({name, value.number()});
        }
    }
    return settings;
}

RoundTable read_table(const JsonField& field) {
    field.expect_fields({"columns", "rows"});
    RoundTable table;
    table.columns = field.at("columns").texts();
    const JsonField rows = field.at("rows");
    table.rows.reserve(rows.n_entries());
    for (std::size_t i = 0; i < rows.n_entries(); ++i) {
        table.rows.push_back(rows.entry(i).optional_numbers());
    }
    return table;
}

RowSketch read_rows(const JsonField& field) {
    // Files of earlier versions, or made by other means, need not have it.
    if (field.is_missing() || field.is_null()) return {};
    field.expect_fields({"is_sample", "repeated_share", "hashes"});
    RowSketch rows;
    rows.is_sample = field.at("is_sample").truth();
    rows.repeated_share = field.at("repeated_share").number();
    const JsonField hashes = field.at("hashes");
    const std::string& text = hashes.text();
    const bool is_sound = !text.empty() && text.size() % kHashDigits == 0 &&
                          text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_sound) hashes.fail("a text of hexadecimal numbers of 16 digits");
    for (std::size_t i = 0; i < text.size(); i += kHashDigits) {
        std::uint64_t& hash = rows.hashes.emplace_back();
        std::from_chars(text.data() + i, text.data() + i + kHashDigits, hash, 16);
    }
    return rows;
}

FeatureRanges read_ranges(const JsonField& field, Index n) {
    if (field.is_missing() || field.is_null()) return {};
    field.expect_fields({"least", "greatest"});
    return {field.at("least").numbers(n), field.at("greatest").numbers(n)};
}

TrainingRecord read_training(const JsonField& model, Index n) {
    const JsonField field = model.at("training");
    field.expect_fields({"method", "norm", "radii", "data", "n_points", "status", "is_partial",
                         "objective", "gap", "seconds", "seed", "settings", "rounds", "rows",
                         "choice", "ranges"});
    TrainingRecord training;
    training.method = field.at("method").text();
    training.norm = read_name(field.at("norm"), kNormNames);
    training.radii = read_radii(field.at("radii"));
    training.data = field.at("data").text();
    training.n_points = static_cast<Index>(field.at("n_points").count(kMaxJsonCount));
    training.status = field.at("status").text();
    training.is_partial = field.at("is_partial").truth();
    training.objective = field.at("objective").optional_number();
    training.gap = field.at("gap").optional_number();
    training.seconds = field.at("seconds").optional_number();
    const JsonField seed = field.at("seed");
    if (!seed.is_null()) training.seed = seed.count(std::numeric_limits<std::uint64_t>::max());
    training.settings = read_settings(field.at("settings"));
    training.rounds = read_table(field.at("rounds"));
    // Version 3 on, and only where the radius was chosen.
    if (!field.at("choice").is_missing()) training.choice = read_table(field.at("choice"));
    training.rows = read_rows(field.at("rows"));
    training.ranges = read_ranges(field.at("ranges"), n);
    training.library_version = model.at("library_version").text();
    return training;
}

std::optional<AttackModel> read_model_of_attack(const JsonField& model, const TableCoding& coding,
                                                const Scaler& scaler) {
    const JsonField field = model.at("attack_model");
    // Version 1 knew none.
    if (field.is_missing() || field.is_null()) return std::nullopt;
    return read_attack_model(field, AttackedData::of(coding, scaler));
}

}  // namespace

Model model_from_fields(Json fields, const std::string& origin) {
    const JsonField root(fields, origin);
    check_model_format(root);
    TableCoding coding = read_coding(root);
    const Index n = check_feature_names(root.at("feature_names"), coding);
    try {
        Scaler scaler = read_scaler(root.at("scaler"), n);
        std::optional<AttackModel> attack_model = read_model_of_attack(root, coding, scaler);
        Ensemble planes = with_quota(root, read_planes(root, n));
        TrainingRecord training = read_training(root, n);
        const JsonField decision = root.at("decision");
        Model model = decision.is_missing()
                          ? Model(std::move(scaler), std::move(planes), std::move(coding),
                                  std::move(training), std::move(attack_model))
                          : Model(std::move(scaler), read_decision(decision, std::move(planes)),
                                  std::move(coding), std::move(training), std::move(attack_model));
        // A file made by other means need not have one.
        if (fields.contains("checksum")) check_checksum(fields, origin);
        return model;
    } catch (const InvalidInput& error) {
        throw ParseError(origin, 0, 0, error.what());
    }
}

}  // namespace redoubt::io
