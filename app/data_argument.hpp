#pragma once

/// DATA on the command line: a file, "-" for standard input, or a bundled data set by name with an
/// optional part, as in "bcw", "bcw:train", "bcw:test". A file whose name is also a bundled one is
/// reached as "./bcw".

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "redoubt/data_files.hpp"
#include "redoubt/dataset.hpp"

namespace redoubt::app {

/// The options that say how a file becomes numbers. They mean nothing for bundled data.
struct ReadOptions {
    std::string label = "-1";
    std::string positive;
    std::string missing = "error";
    bool one_hot = false;
    std::vector<CLI::Option*> given;

    void add_to(CLI::App& command);
    ReadSettings settings() const;
    /// The name of the first of these options on the command line; empty if there is none.
    std::string first_given() const;
};

/// Training data. Throws InvalidInput when a reading option was given for bundled data.
TrainingData load_training_data(const std::string& argument, const ReadOptions& options);

/// Data read the way the training data were; must have their features and classes.
Dataset load_test_data(const std::string& argument, const TrainingData& training);

}  // namespace redoubt::app
