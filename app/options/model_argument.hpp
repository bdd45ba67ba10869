#pragma once

/// MODEL DATA on the command line: a model file, and points to use it on.

#include <optional>
#include <string>

#include "options/attack_choice.hpp"
#include "options/point_stream.hpp"
#include "output/messages.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/model.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

struct ModelArguments {
    std::string model;
    std::string data;
    /// Where the labels are, if the column is called otherwise than in the training data.
    std::string label;
    /// Where the radii are, for commands that take one per point; empty if there are none.
    std::string radius_column;

    void add_to(CLI::App& command);

    /// Throws InvalidInput when model and data are both to come from standard input.
    Model load() const;

    /// DATA, read the way the model's training data were: columns by name if both have names, else
    /// by position. Labels are optional. Says so when columns are in another order. Throws
    /// InvalidInput when bundled data do not fit the model or --label names no column.
    PointData load_points(const Model& model, const MessageOptions& messages) const;

    /// The same block by block.
    PointStream stream_points(const Model& model, const MessageOptions& messages) const;

    /// The same for an adversary whose ranges may follow DATA (`AttackChoice::follows_data`): they
    /// hold all of DATA then, which is read twice, or kept in memory if it cannot be.
    PointStream stream_points(const Model& model, AttackChoice& rules,
                              const MessageOptions& messages) const;

private:
    std::optional<PointData> load_bundled_points(const Model& model) const;
    TableCoding coding_for(const Model& model) const;
};

/// The labels of the points or, without, the model's answers.
Vector labels_of(const Model& model, const PointData& points);

/// The label of the data that a number as in Dataset stands for.
const std::string& label_of(const Model& model, double label);

}  // namespace redoubt::app
