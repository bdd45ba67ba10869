#include "options/data_argument.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "options/validators.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "shell/suggestion.hpp"

namespace redoubt::app {
namespace {

std::string describe(const ClassNames& classes) {
    if (classes.size() > 2) return std::to_string(classes.size()) + " classes: " + some_of(classes);
    return "the classes '" + classes[0] + "' and '" + classes[1] + "'";
}

/// For bundled data with names, later files are matched by name.
TableCoding coding_of(const Dataset& data) {
    TableCoding coding = TableCoding::numeric(data.n_features(), data.classes);
    coding.has_header = !data.feature_names.empty();
    for (std::size_t j = 0; j < data.feature_names.size(); ++j) {
        coding.columns[j].name = data.feature_names[j];
    }
    return coding;
}

/// For each wanted name its place among the names.
std::vector<Index> find_names(const std::vector<std::string>& wanted,
                              const std::vector<std::string>& names, const std::string& option) {
    std::vector<Index> places;
    for (const std::string& name : wanted) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            throw InvalidInput(option, "the feature '" + name + "' is missing");
        }
        places.push_back(found - names.begin());
    }
    return places;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// As a shell takes it.
std::string as_word(const std::string& text) {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c >= 0x80 || c == '_' || c == '.' || c == '-';
    });
    return is_plain ? text : "'" + text + "'";
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
        text += (i > 0 ? ", '" : "'") + names[i] + "'";
    }
    if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
    return text;
}

std::optional<Dataset> load_bundled_argument(const std::string& argument) {
    const std::size_t colon = argument.find(':');
    const std::string name = argument.substr(0, colon);
    const std::vector<std::string_view> known = bundled_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) return std::nullopt;
    if (colon == std::string::npos) return load_bundled(name);

    const std::string part = argument.substr(colon + 1);
    if (part != "train" && part != "test") {
        throw InvalidInput("DATA", "'" + name + "', '" + name + ":train' or '" + name + ":test'",
                           "'" + argument + "'");
    }
    const Split split = published_split(name);
    return load_bundled(name).subset(part == "train" ? split.train : split.test);
}

void check_data_argument(const std::string& argument) {
    // What has a dot or a slash was meant as a path; the reader says what is wrong with it.
    const std::string name = argument.substr(0, argument.find(':'));
    if (name.empty() || name.find_first_of("./") != std::string::npos || argument == "-" ||
        std::filesystem::exists(argument)) {
        return;
    }
    std::vector<std::string> known;
    for (std::string_view one : bundled_names()) known.emplace_back(one);
    const std::optional<std::string> near = nearest(name, known);
    throw InvalidInput("DATA", "a file, '-' or a bundled set (" + joined(known) + ")",
                       "'" + argument + "'" + (near ? "; did you mean '" + *near + "'?" : ""));
}

void ReadOptions::add_to(CLI::App& command, RadiusColumn with_radius) {
    const char* const group = "Reading files";
    given = {
        command.add_option("--label", label, "Label column: a name, or a number (-1 is the last)")
            ->type_name("COLUMN")
            ->group(group),
        command
            .add_option("--positive", positive, "The label that becomes +1 (default: the larger)")
            ->type_name("LABEL")
            ->group(group),
        command
            .add_option("--missing", missing,
                        "Missing values: error, drop (the row), median, category (text: a "
                        "category of its own) or indicator (median and an extra 0/1 column)")
            ->check(one_of({"error", "drop", "median", "category", "indicator"}))
            ->capture_default_str()
            ->group(group),
        command
            .add_flag("--one-hot", one_hot,
                      "One-hot encode text columns (one 0/1 column per category)")
            ->group(group),
        command
            .add_option("--unseen", unseen,
                        "Categories of later files that DATA does not have: error, or other (one "
                        "more category)")
            ->check(one_of({"error", "other"}))
            ->capture_default_str()
            ->group(group),
        command
            .add_option("--text-columns", text_columns,
                        "One-hot encode these columns, whatever they hold: names or numbers")
            ->type_name("COLUMN")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group(group),
        command
            .add_option("--weight-column", weight_column,
                        "Column with one weight >= 0 per point: a name or a number")
            ->type_name("COLUMN")
            ->group(group)};
    if (with_radius == RadiusColumn::No) return;
    given.push_back(
        command
            .add_option("--radius-column", radius_column,
                        "Column with one training radius per point, instead of --radius")
            ->type_name("COLUMN")
            ->group(group));
    radius_option = given.back();
}

ReadSettings ReadOptions::settings() const {
    ReadSettings settings;
    settings.label = label;
    settings.positive = positive;
    settings.max_classes = max_classes;
    settings.weight_column = weight_column;
    settings.radius_column = radius_column;
    settings.missing = missing == "drop"        ? MissingValues::Drop
                       : missing == "median"    ? MissingValues::Median
                       : missing == "category"  ? MissingValues::Category
                       : missing == "indicator" ? MissingValues::Indicator
                                                : MissingValues::Error;
    settings.unseen = unseen == "other" ? UnseenCategory::Other : UnseenCategory::Error;
    settings.text = one_hot ? TextColumns::OneHot : TextColumns::Error;
    settings.text_columns = text_columns;
    return settings;
}

std::string ReadOptions::first_given() const {
    for (const CLI::Option* option : given) {
        if (option->count() > 0) return option->get_name();
    }
    return {};
}

std::string cure_of(const ParseError& error) {
    const std::vector<std::string>& columns = error.columns();
    const std::string column = columns.empty() ? "" : as_word(columns.front());
    switch (error.cause()) {
        case ParseCause::Text:
            return "; --one-hot turns text into 0/1 columns" +
                   (columns.empty() ? "" : ", --label " + column + " makes it the label");
        case ParseCause::StrayText:
            return "; correct it, empty it and use --missing drop or median, or treat the column "
                   "as text "
                   "with --text-columns " +
                   column;
        case ParseCause::DecimalComma:
            return "; write the numbers with a point, as pandas.read_csv(.., sep=\";\", "
                   "decimal=\",\").to_csv(..) does" +
                   (columns.empty() ? "" : ", or name categories with --text-columns " + column);
        case ParseCause::MissingFeature:
            return "; --missing drop leaves out such rows, --missing median fills them in" +
                   std::string(columns.empty() ? "" : ", --missing category makes them a category");
        case ParseCause::MissingLabel:
            return "; --missing drop leaves out such rows";
        case ParseCause::Classes:
            if (columns.empty()) break;
            return "; two values are in " + some_of(columns) + ", so perhaps --label " + column;
        case ParseCause::UnseenCategory:
            return "; a model trained with --unseen other takes it";
        case ParseCause::NotModel:
        case ParseCause::Other:
            break;
    }
    return "";
}

TrainingData load_training_data(const std::string& argument, const ReadOptions& options) {
    std::optional<Dataset> bundled = load_bundled_argument(argument);
    if (!bundled) {
        check_data_argument(argument);
        return read_training_data(argument, options.settings());
    }
    if (const std::string option = options.first_given(); !option.empty()) {
        throw InvalidInput(option, "does not apply to the bundled data '" + argument + "'");
    }
    TableCoding coding = coding_of(*bundled);
    return {.data = std::move(*bundled), .coding = std::move(coding)};
}

Dataset load_test_data(const std::string& argument, const TrainingData& training) {
    std::optional<Dataset> bundled = load_bundled_argument(argument);
    if (!bundled) {
        check_data_argument(argument);
        return read_dataset(argument, training.coding);
    }
    return fit_to_coding(*std::move(bundled), training.coding, "--test");
}

Dataset fit_to_coding(Dataset data, const TableCoding& coding, const std::string& option) {
    const std::vector<std::string> names = coding.feature_names();
    if (data.n_features() != static_cast<Index>(names.size())) {
        throw InvalidInput(option, std::to_string(names.size()) + " features",
                           std::to_string(data.n_features()));
    }
    if (coding.has_header && !data.feature_names.empty() && data.feature_names != names) {
        // Bundled points are dense.
        data.X = Matrix(data.X.dense()(Eigen::all, find_names(names, data.feature_names, option)));
        data.feature_names = names;
    }
    if (data.classes == coding.classes) return data;
    const bool are_swapped = coding.classes.size() == 2 && data.classes[0] == coding.classes[1] &&
                             data.classes[1] == coding.classes[0];
    if (!are_swapped) {
        throw InvalidInput(option, describe(coding.classes), describe(data.classes));
    }
    data.classes = coding.classes;
    data.y = -data.y;
    return data;
}

}  // namespace redoubt::app
