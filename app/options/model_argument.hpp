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

inline constexpr const char* kNoLabels = "no labels found; name their column with --label";

struct ModelArguments {
    std::string model;
    std::string data;
    /// Where the labels are, if their column has another name than in the training data.
    std::string label;
    /// Where the radii are, for commands that take one per point; empty if there are none.
    std::string radius_column;

    void add_to(CLI::App& command);

    /// Throws InvalidInput if model and data are both to come from standard input.
    Model load() const;

    /// DATA, read as the model's training data were: columns by name if both have names, else by
    /// position. Labels are optional. Notes columns in a different order. Throws InvalidInput if
    /// bundled data do not match the model or --label names no column.
    PointData load_points(const Model& model, const MessageOptions& messages) const;

    /// The same block by block.
    PointStream stream_points(const Model& model, const MessageOptions& messages) const;

    /// The same for an adversary whose ranges may follow DATA (`AttackChoice::follows_data`): they
    /// then cover all of DATA, which is read twice, or kept in memory if that is impossible.
    PointStream stream_points(const Model& model, AttackChoice& rules,
                              const MessageOptions& messages) const;

private:
    std::optional<PointData> load_bundled_points(const Model& model) const;
    TableCoding coding_for(const Model& model) const;
};

/// The labels of the points or, without labels, the model's answers.
Vector labels_of(const Model& model, const PointData& points);

/// The label text behind a number as in Dataset.
const std::string& label_of(const Model& model, double label);

}  // namespace redoubt::app
