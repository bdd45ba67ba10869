#include "options/model_argument.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "options/data_argument.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"

namespace redoubt::app {
namespace {

/// The coding with its label column under another name.
TableCoding with_label(TableCoding coding, const std::string& label) {
    const auto quoted = [&] { return "'" + label + "'"; };
    if (!coding.has_header) {
        throw InvalidInput("--label",
                           "the model was trained without column names, so it cannot "
                           "look for " +
                               quoted());
    }
    CodedColumn* label_column = nullptr;
    for (CodedColumn& column : coding.columns) {
        if (column.role == ColumnRole::Label) label_column = &column;
        if (column.role == ColumnRole::Feature && column.name == label) {
            throw InvalidInput("--label", quoted() + " is a feature of the model");
        }
    }
    if (label_column == nullptr) {
        coding.columns.push_back({label, ColumnRole::Label});
    } else {
        label_column->name = label;
    }
    return coding;
}

}  // namespace

void ModelArguments::add_to(CLI::App& command) {
    command.add_option("MODEL", model, "A model file written by 'redoubt train --model'")
        ->required();
    command
        .add_option("DATA", data,
                    "Points: a file, - for standard input, or bundled (bcw, bcw:test, ..)")
        ->required();
    command
        .add_option("--label", label,
                    "Label column of DATA (default: that of the training data, if present)")
        ->type_name("COLUMN");
}

Model ModelArguments::load() const {
    if (model == "-" && data == "-") {
        throw InvalidInput("DATA", "MODEL is already read from standard input; specify a file");
    }
    try {
        return load_model(model);
    } catch (const ParseError& error) {
        if (error.cause() != ParseCause::NotModel) throw;
        throw ParseError(error.path(), 0, 0,
                         "expected a model file (JSON); are MODEL and DATA swapped?");
    }
}

std::optional<PointData> ModelArguments::load_bundled_points(const Model& loaded) const {
    std::optional<Dataset> bundled = load_bundled_argument(data);
    if (!bundled) {
        check_data_argument(data);
        return std::nullopt;
    }
    for (const auto& [option, value] :
         {std::pair("--label", label), std::pair("--radius-column", radius_column)}) {
        if (value.empty()) continue;
        throw InvalidInput(option, "does not apply to the bundled data '" + data + "'");
    }
    Dataset fitted = fit_to_coding(*std::move(bundled), loaded.coding(), "DATA");
    return PointData{std::move(fitted.X), std::move(fitted.y), loaded.feature_names()};
}

TableCoding ModelArguments::coding_for(const Model& loaded) const {
    return label.empty() ? loaded.coding() : with_label(loaded.coding(), label);
}

PointData ModelArguments::load_points(const Model& loaded, const MessageOptions& messages) const {
    const Stopwatch watch;
    const ProgressBar bar(messages, "reading " + data);
    std::optional<PointData> points = load_bundled_points(loaded);
    if (!points) {
        points = read_points(data, coding_for(loaded), {}, {.radius_column = radius_column});
    }
    messages.detail("read " + std::to_string(points->X.rows()) + " rows in " + watch.text());
    check_points(*points, label, messages);
    return *std::move(points);
}

PointStream ModelArguments::stream_points(const Model& loaded,
                                          const MessageOptions& messages) const {
    if (load_bundled_argument(data)) return PointStream(load_points(loaded, messages));
    check_data_argument(data);
    return PointStream(PointReader(data, coding_for(loaded), {}, {.radius_column = radius_column}),
                       label, messages);
}

PointStream ModelArguments::stream_points(const Model& loaded, AttackChoice& rules,
                                          const MessageOptions& messages) const {
    if (!rules.follows_data()) return stream_points(loaded, messages);
    std::error_code error;
    if (!std::filesystem::is_regular_file(data, error)) {
        return PointStream(load_points(loaded, messages));
    }
    for (PointStream first = stream_points(loaded, {.quiet = true}); first.next();) {
        rules.widen(first.points().X);
    }
    return stream_points(loaded, messages);
}

Vector labels_of(const Model& model, const PointData& points) {
    return points.y ? *points.y : Vector(model.predict_all(points.X).cast<double>());
}

const std::string& label_of(const Model& model, double label) {
    return model.classes()[class_number(label, model.classes().size())];
}

}  // namespace redoubt::app
