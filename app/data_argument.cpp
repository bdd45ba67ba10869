#include "data_argument.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "validators.hpp"

namespace redoubt::app {
namespace {

/// The data set behind "NAME", "NAME:train" or "NAME:test"; nothing if NAME is not bundled.
std::optional<Dataset> load_if_bundled(const std::string& argument) {
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

std::string describe(const std::array<std::string, 2>& classes) {
    return "the classes '" + classes[0] + "' and '" + classes[1] + "'";
}

}  // namespace

void ReadOptions::add_to(CLI::App& command) {
    const char* const group = "Reading files";
    given = {
        command.add_option("--label", label, "Label column: a name, or a number (-1 is the last)")
            ->group(group),
        command
            .add_option("--positive", positive, "The label that becomes +1 (default: the larger)")
            ->group(group),
        command.add_option("--missing", missing, "Missing values: error, drop (the row) or median")
            ->check(one_of({"error", "drop", "median"}))
            ->group(group),
        command.add_flag("--one-hot", one_hot, "Turn text columns into 0/1 columns")->group(group)};
}

ReadSettings ReadOptions::settings() const {
    ReadSettings settings;
    settings.label = label;
    settings.positive = positive;
    settings.missing = missing == "drop"     ? MissingValues::Drop
                       : missing == "median" ? MissingValues::Median
                                             : MissingValues::Error;
    settings.text = one_hot ? TextColumns::OneHot : TextColumns::Error;
    return settings;
}

std::string ReadOptions::first_given() const {
    for (const CLI::Option* option : given) {
        if (option->count() > 0) return option->get_name();
    }
    return {};
}

TrainingData load_training_data(const std::string& argument, const ReadOptions& options) {
    std::optional<Dataset> bundled = load_if_bundled(argument);
    if (!bundled) return read_training_data(argument, options.settings());
    if (const std::string option = options.first_given(); !option.empty()) {
        throw InvalidInput(option, "a file as DATA", "the bundled data '" + argument + "'");
    }
    TableCoding coding = TableCoding::numeric(bundled->n_features(), bundled->classes);
    return {std::move(*bundled), std::move(coding)};
}

Dataset load_test_data(const std::string& argument, const TrainingData& training) {
    std::optional<Dataset> bundled = load_if_bundled(argument);
    if (!bundled) return read_dataset(argument, training.coding);
    if (bundled->n_features() != training.data.n_features()) {
        throw InvalidInput("--test", std::to_string(training.data.n_features()) + " features",
                           std::to_string(bundled->n_features()));
    }
    if (bundled->classes != training.data.classes) {
        throw InvalidInput("--test", describe(training.data.classes), describe(bundled->classes));
    }
    return std::move(*bundled);
}

}  // namespace redoubt::app
