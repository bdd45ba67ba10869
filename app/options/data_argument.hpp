#pragma once

/// DATA on the command line: a file, "-" for standard input, or a bundled data set by name with an
/// optional part, as in "bcw", "bcw:train", "bcw:test". A file whose name is also a bundled one is
/// reached as "./bcw".

#include <optional>
#include <string>
#include <vector>

#include "redoubt/data_files.hpp"
#include "redoubt/dataset.hpp"
#include "redoubt/error.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// A label of more values than this is hardly one.
inline constexpr Index kMaxTrainedClasses = 100;

/// May the training radius of each point come from a column?
enum class RadiusColumn { Yes, No };

/// The options that say how a file becomes numbers. They mean nothing for bundled data.
struct ReadOptions {
    std::string label = "-1";
    std::string positive;
    std::string missing = "error";
    std::string unseen = "error";
    std::string weight_column;
    std::string radius_column;
    bool one_hot = false;
    std::vector<std::string> text_columns;
    /// Not an option: what the command can train.
    Index max_classes = 2;
    std::vector<CLI::Option*> given;
    const CLI::Option* radius_option = nullptr;

    void add_to(CLI::App& command, RadiusColumn with_radius);
    ReadSettings settings() const;
    /// The name of the first of these options on the command line; empty if there is none.
    std::string first_given() const;
};

/// "'a', 'b', 'c', 'd', 'e' and 4 more".
std::string some_of(const std::vector<std::string>& names);

/// "; OPTION does .." for what an option could cure in a training file; empty if there is none.
std::string cure_of(const ParseError& error);

/// Training data with their weights and radii, if columns were named. Throws InvalidInput when a
/// reading option was given for bundled data.
TrainingData load_training_data(const std::string& argument, const ReadOptions& options);

/// Data read the way the training data were; must have their features and classes.
Dataset load_test_data(const std::string& argument, const TrainingData& training);

/// The bundled data behind "NAME", "NAME:train" or "NAME:test"; nothing if NAME is not bundled.
std::optional<Dataset> load_bundled_argument(const std::string& argument);

/// For DATA that is no bundled set. Throws InvalidInput, listing the bundled sets, for a bare word
/// that names no file either: it was meant as one.
void check_data_argument(const std::string& argument);

/// Bundled data with the features in the order of the coding (by name, if it has names, else by
/// position) and the labels as in its classes. Throws InvalidInput, on behalf of `option`, when
/// they are not those of the coding.
Dataset fit_to_coding(Dataset data, const TableCoding& coding, const std::string& option);

}  // namespace redoubt::app
