#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "io/json_field.hpp"
#include "io/model_json.hpp"
#include "io/text_tools.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"

namespace redoubt::io {

namespace {

constexpr std::size_t kHashDigits = 16;

/// Is it a model at all, and one that this version can read?
void check_model_format(const JsonField& model) {
    check_format(model, kModelFormat, kModelFormatVersion, "model");
    model.expect_fields({"format", "format_version", "library_version", "classes", "feature_names",
                         "coding", "scaler", "planes", "training", "checksum"});
}

CodedColumn read_column(const JsonField& column) {
    column.expect_fields({"name", "role", "categories", "fill"});
    return {column.at("name").text(), read_word(column.at("role"), kRoleWords),
            column.at("categories").texts(), column.at("fill").number()};
}

TableCoding read_coding(const JsonField& model) {
    const JsonField field = model.at("coding");
    field.expect_fields({"has_header", "missing", "unseen", "columns"});
    TableCoding coding;
    coding.has_header = field.at("has_header").truth();
    coding.missing = read_word(field.at("missing"), kMissingWords);
    coding.unseen = read_word(field.at("unseen"), kUnseenWords);
    for (const JsonField& column : field.at("columns").entries()) {
        coding.columns.push_back(read_column(column));
    }
    const JsonField classes = model.at("classes");
    const std::vector<std::string> texts = classes.texts();
    if (texts.size() != 2) classes.fail("a list of 2 texts");
    coding.classes = {texts[0], texts[1]};
    return coding;
}

/// The list is there for other readers; to us the coding says the same.
void check_feature_names(const JsonField& field, const std::vector<std::string>& wanted) {
    const std::vector<std::string> names = field.texts();
    if (names.size() != wanted.size()) {
        field.fail("a list of " + std::to_string(wanted.size()) + ", as coding has features");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == wanted[i]) continue;
        field.entries()[i].fail(quote_text(wanted[i]) + ", as in coding");
    }
}

Scaler read_scaler(const JsonField& field, Index n) {
    field.expect_fields({"kind", "offset", "scale"});
    const Scaling kind = read_word(field.at("kind"), kScalingWords);
    Vector offset = field.at("offset").numbers(n);
    const JsonField scale_field = field.at("scale");
    Vector scale = scale_field.numbers(n);
    for (Index j = 0; j < n; ++j) {
        if (scale[j] > 0.0) continue;
        scale_field.entries()[static_cast<std::size_t>(j)].fail("a number above 0");
    }
    return {kind, std::move(offset), std::move(scale)};
}

Ensemble read_planes(const JsonField& field, Index n) {
    const std::vector<JsonField> entries = field.entries();
    if (entries.empty()) field.fail("a list of at least 1 plane");
    std::vector<Hyperplane> planes;
    for (const JsonField& plane : entries) {
        plane.expect_fields({"w", "b"});
        planes.push_back({plane.at("w").numbers(n), plane.at("b").number()});
    }
    return Ensemble(planes);
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

RoundTable read_rounds(const JsonField& field) {
    field.expect_fields({"columns", "rows"});
    RoundTable rounds;
    rounds.columns = field.at("columns").texts();
    for (const JsonField& row : field.at("rows").entries()) {
        std::vector<double>& numbers = rounds.rows.emplace_back();
        for (const JsonField& entry : row.entries()) {
            constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
            numbers.push_back(entry.optional_number().value_or(kNotMeasured));
        }
    }
    return rounds;
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
    for (std::size_t i = 0; i < text.size(); i += kHashDigits) {
        const char* const end = text.data() + std::min(i + kHashDigits, text.size());
        std::uint64_t hash = 0;
        const auto [stop, error] = std::from_chars(text.data() + i, end, hash, 16);
        if (error != std::errc() || stop != text.data() + i + kHashDigits) {
            hashes.fail("a text of hexadecimal numbers of 16 digits");
        }
        rows.hashes.push_back(hash);
    }
    return rows;
}

TrainingRecord read_training(const JsonField& model) {
    const JsonField field = model.at("training");
    field.expect_fields({"method", "norm", "radii", "data", "n_points", "status", "is_partial",
                         "objective", "gap", "seconds", "seed", "settings", "rounds", "rows"});
    TrainingRecord training;
    training.method = field.at("method").text();
    training.norm = read_word(field.at("norm"), kNormWords);
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
    training.rounds = read_rounds(field.at("rounds"));
    training.rows = read_rows(field.at("rows"));
    training.library_version = model.at("library_version").text();
    return training;
}

}  // namespace

Model model_from_fields(Json fields, const std::string& origin) {
    const JsonField root(fields, origin);
    check_model_format(root);
    TableCoding coding = read_coding(root);
    const std::vector<std::string> names = coding.feature_names();
    check_feature_names(root.at("feature_names"), names);
    const auto n = static_cast<Index>(names.size());
    if (n == 0) root.at("feature_names").fail("a list of at least 1 text");
    try {
        Model model(read_scaler(root.at("scaler"), n), read_planes(root.at("planes"), n),
                    std::move(coding), read_training(root));
        // A file made by other means need not have one.
        if (fields.contains("checksum")) check_checksum(fields, origin);
        return model;
    } catch (const InvalidInput& error) {
        throw ParseError(origin, 0, 0, error.what());
    }
}

}  // namespace redoubt::io
