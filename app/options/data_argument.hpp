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

/// A column with more values than this is hardly a label.
inline constexpr Index kMaxTrainedClasses = 100;

/// Whether the training radius of each point may come from a column.
enum class RadiusColumn { Yes, No };

/// The options that say how a file becomes numbers. They do not apply to bundled data.
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

/// "; OPTION does .." if an option could cure the problem of a training file; else empty.
std::string cure_of(const ParseError& error);

/// Training data with their weights and radii, if columns were named. Throws InvalidInput if a
/// reading option was given for bundled data.
TrainingData load_training_data(const std::string& argument, const ReadOptions& options);

/// Data read as the training data were; must have their features and classes.
Dataset load_test_data(const std::string& argument, const TrainingData& training);

/// The bundled data behind "NAME", "NAME:train" or "NAME:test"; empty if NAME is not bundled.
std::optional<Dataset> load_bundled_argument(const std::string& argument);

/// For DATA that is not a bundled set. Throws InvalidInput, listing the bundled sets, for a bare
/// word that is not a file either: it was probably meant as a set.
void check_data_argument(const std::string& argument);

/// Bundled data with the features in the order of the coding (by name, if it has names, else by
/// position) and its classes. Throws InvalidInput about `option` if features or classes differ from
/// the coding's.
Dataset fit_to_coding(Dataset data, const TableCoding& coding, const std::string& option);

}  // namespace redoubt::app
