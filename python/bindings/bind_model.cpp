#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "bindings.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model.hpp"
#include "redoubt/model_file.hpp"
#include "redoubt/moved_rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

TableCoding named_coding(const std::vector<std::string>& feature_names,
                         const ClassNames& classes) {
    TableCoding coding = TableCoding::numeric(std::ssize(feature_names), classes);
    for (std::size_t l = 0; l < feature_names.size(); ++l) {
        coding.columns[l].name = feature_names[l];
    }
    // The label has no name of its own: a feature that is called so comes first.
    if (std::count(feature_names.begin(), feature_names.end(), coding.columns.back().name) > 0) {
        coding.columns.pop_back();
    }
    return coding;
}

namespace {

/// A column as Python describes it: name, categories (None for numbers), other, fill (a number, a
/// category or None), indicator, missing_category.
using ColumnDescription = std::tuple<std::string, std::optional<std::vector<std::string>>, bool,
                                     std::variant<std::monostate, double, std::string>, bool, bool>;

CodedColumn coded_column(const ColumnDescription& description) {
    const auto& [name, categories, other, fill, indicator, missing_category] = description;
    CodedColumn column{name};
    column.categories = categories.value_or(std::vector<std::string>{});
    if (categories && categories->empty()) {
        throw InvalidInput("columns", "at least one category of '" + name + "'", "none");
    }
    column.entries = EntryRules{.fills = fill.index() != 0,
                                .missing_category = missing_category,
                                .other = other,
                                .indicator = indicator};
    if (const double* number = std::get_if<double>(&fill); number != nullptr && !categories) {
        column.fill = *number;
    } else if (const std::string* text = std::get_if<std::string>(&fill)) {
        const auto& all = column.categories;
        const auto found = std::find(all.begin(), all.end(), *text);
        if (found == all.end()) {
            throw InvalidInput("columns", "a fill of '" + name + "' that is one of its categories",
                               "'" + *text + "'");
        }
        column.fill = static_cast<double>(found - all.begin());
    } else if (fill.index() != 0) {
        throw InvalidInput("columns", "a fill of '" + name + "' that is one of its categories",
                           "a number");
    }
    return column;
}

/// Columns that say nothing about missing or unknown entries need no newer file than others.
TableCoding column_coding(const std::vector<ColumnDescription>& columns,
                          const ClassNames& classes,
                          const std::string& label_name) {
    TableCoding coding;
    coding.has_header = true;
    coding.classes = classes;
    bool is_plain = true;
    for (const ColumnDescription& each : columns) {
        coding.columns.push_back(coded_column(each));
        const CodedColumn& column = coding.columns.back();
        is_plain = is_plain && *column.entries == EntryRules{} &&
                   std::is_sorted(column.categories.begin(), column.categories.end());
        if (column.name == label_name) {
            throw InvalidInput("label_name", "a name that no feature has", "'" + label_name + "'");
        }
    }
    for (CodedColumn& column : coding.columns) {
        if (is_plain) column.entries.reset();
    }
    if (!label_name.empty()) coding.columns.push_back({label_name, ColumnRole::Label});
    return coding;
}

/// Features without names are matched by position. `Decision` is a vote of two classes or of more.
template <typename Decision>
Model make_model(const Decision& decision, const ClassNames& classes,
                 const std::vector<std::string>& feature_names, const std::string& scaling,
                 const Vector& center, const Vector& scale, const std::string& method,
                 const std::string& norm, const std::optional<Vector>& radii, Index n_points,
                 const std::string& status, bool is_partial,
                 const std::optional<AttackModel>& attack_model,
                 const std::optional<Matrix>& choice, const std::optional<double>& scale_of_data,
                 const std::optional<Matrix>& ranges,
                 const std::optional<std::vector<ColumnDescription>>& columns,
                 const std::string& label_name) {
    TableCoding coding;
    if (columns) {
        coding = column_coding(*columns, classes, label_name);
    } else {
        coding = feature_names.empty() ? TableCoding::numeric(decision.n_features(), classes)
                                       : named_coding(feature_names, classes);
        coding.has_header = !feature_names.empty();
    }
    TrainingRecord record;
    record.method = method;
    record.norm = parse_norm(norm);
    if (radii) record.radii = TrainingRadii::of(*radii);
    record.n_points = n_points;
    record.status = status;
    record.is_partial = is_partial;
    if (scale_of_data) {
        record.settings = {{"radius_rule", std::string("auto")}, {"radius_scale", *scale_of_data}};
    }
    if (choice) {
        record.choice.columns = kChoiceColumns;
        for (Index i = 0; i < choice->rows(); ++i) {
            record.choice.rows.emplace_back(choice->row(i).begin(), choice->row(i).end());
        }
    }
    if (ranges) record.ranges = {ranges->col(0), ranges->col(1)};
    return Model(Scaler(parse_scaling(scaling), center, scale), decision, coding, record,
                 attack_model);
}

AttackModel threat_of(const Model& model, const std::optional<std::string>& norm) {
    AttackModel threat = model.threat();
    if (norm) threat.norm = parse_norm(*norm);
    return threat;
}

AttackModel resolve_rules(const Model& model, const AttackRules& rules, bool is_scaled) {
    AttackedData data = AttackedData::of(model);
    // Of several classes Python knows itself which one attacks.
    if (model.class_vote()) data.classes = {"", ""};
    const Index n = model.ensemble().n_features();
    if (!is_scaled) data.unit = Vector::Ones(n);
    AttackModel resolved = rules.resolve(std::move(data));
    if (!is_scaled && resolved.scale.size() == 0) resolved.scale = Vector::Ones(n);
    return resolved;
}

void check_points(const Model& model, const AttackModel& rules, const MatrixRef& X,
                  const VectorRef& y, const RowFeatures& frozen) {
    rules.check_points(X, y, {.features = model.feature_names(), .first_feature = 0}, frozen);
}

/// Of two classes, too, their numbers.
Eigen::VectorXi answer_rows(const Model& model, const PointsRef& X, int n_threads) {
    const Eigen::VectorXi answers = model.predict_all(X, n_threads);
    if (model.class_vote()) return answers;
    return (answers.array() > 0).cast<int>();
}

/// A row of NaN is no step; an answer of -1 does not matter.
Matrix move_raw_rows(const Model& model, const AttackModel& rules, const MatrixRef& X,
                     const MatrixRef& steps, const std::vector<int>& answers) {
    std::vector<RowMove> moves;
    for (Index j = 0; j < X.rows(); ++j) {
        RowMove& move = moves.emplace_back();
        if (!steps.row(j).hasNaN()) move.step = steps.row(j).transpose();
        const int answer = answers.at(static_cast<std::size_t>(j));
        if (answer >= 0) move.answer = model.class_vote() ? answer : 2 * answer - 1;
    }
    return move_rows(model, rules, X, moves).rows.dense();
}

/// The same model, whose features have had no names: one for each.
Model with_feature_names(const Model& model, const std::vector<std::string>& names) {
    TableCoding coding = model.coding();
    coding.has_header = true;
    std::size_t next = 0;
    for (CodedColumn& column : coding.columns) {
        if (column.role != ColumnRole::Feature) continue;
        if (!column.categories.empty()) {
            throw InvalidInput("feature_names", "a model without text columns",
                               "'" + column.name + "' with categories");
        }
        column.name = names.at(next++);
    }
    if (const std::optional<ClassVote>& vote = model.class_vote())
        return Model(model.scaler(), *vote, coding, model.training(), model.attack_model());
    return Model(model.scaler(), model.ensemble(), coding, model.training(), model.attack_model());
}

template <typename Decision>
void bind_make_model(nb::module_& module) {
    module.def("make_model", &make_model<Decision>, "decision"_a, nb::kw_only(), "classes"_a,
               "feature_names"_a, "scaling"_a, "center"_a, "scale"_a, "method"_a, "norm"_a,
               "radii"_a.none(), "n_points"_a, "status"_a, "is_partial"_a, "attack_model"_a.none(),
               "choice"_a.none() = nb::none(), "scale_of_data"_a.none() = nb::none(),
               "ranges"_a.none() = nb::none(), "columns"_a.none() = nb::none(), "label_name"_a = "",
               "A model from its parts: of columns, or of features with names; without, by "
               "position.");
}

}  // namespace

void bind_model(nb::module_& module) {
    nb::class_<Model>(module, "Model", "Planes with the scaling and the labels of their data.")
        .def_prop_ro("ensemble", &Model::ensemble,
                     "The planes, in scaled features; of more than two classes those of all.")
        .def_prop_ro("class_vote", &Model::class_vote,
                     "How they answer, of more than two classes; else None.")
        .def_prop_ro("classes", &Model::classes,
                     "The labels; of two those that -1 and +1 stand for.")
        .def_prop_ro("feature_names", &Model::feature_names)
        .def_prop_ro("has_names", [](const Model& self) { return self.coding().has_header; })
        .def("with_feature_names", &with_feature_names, "feature_names"_a,
             "The same model with names for features that have none.")
        .def(
            "with_ensemble",
            [](const Model& self, const Ensemble& ensemble) {
                return Model(self.scaler(), ensemble, self.coding(), self.training(),
                             self.attack_model());
            },
            "ensemble"_a, "The same model with other planes.")
        .def_prop_ro("center", [](const Model& self) { return Vector(self.scaler().offset()); })
        .def_prop_ro("scale", [](const Model& self) { return Vector(self.scaler().scale()); })
        .def_prop_ro("method", [](const Model& self) { return self.training().method; })
        .def_prop_ro("norm",
                     [](const Model& self) { return std::string(to_string(self.training().norm)); })
        .def_prop_ro("is_partial", [](const Model& self) { return self.training().is_partial; })
        .def(
            "transform",
            [](const Model& self, const MatrixRef& X) { return self.scaler().transform(X); }, "X"_a,
            nb::call_guard<nb::gil_scoped_release>(), "Raw features, scaled.")
        .def("answers", &answer_rows, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(),
             "The class of every row of raw features, as a place in `classes`.")
        .def("threat", &threat_of, "norm"_a.none() = nb::none(),
             "What an adversary may do where nobody says otherwise, in the units of the data.")
        .def("resolve", &resolve_rules, "rules"_a, "is_scaled"_a,
             "Rules for the columns of the model, as the program reads them. Unless `is_scaled`, a "
             "feature without a scale moves by one unit of the data at radius 1.")
        .def("check_points", &check_points, "attack_model"_a, "X"_a, "y"_a, "frozen"_a,
             "Raise, naming row and feature, unless the attack model allows the rows.")
        .def("move_rows", &move_raw_rows, "attack_model"_a, "X"_a, "steps"_a, "answers"_a,
             nb::call_guard<nb::gil_scoped_release>(),
             "Steps of scaled features as rows in the units of the data.")
        .def(
            "scaled_rules",
            [](const Model& self, const AttackModel& rules) { return rules.scaled(self.scaler()); },
            "attack_model"_a, "The same rules for scaled features.")
        .def("to_json", &model_to_json, "The text of the model file.")
        .def(
            "save", [](const Model& self, const std::string& path) { save_model(self, path); },
            "path"_a, nb::call_guard<nb::gil_scoped_release>());

    bind_make_model<Ensemble>(module);
    bind_make_model<ClassVote>(module);
    module.def(
        "load_model", [](const std::string& path) { return load_model(path); }, "path"_a,
        nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "model_from_json", [](std::string_view text) { return model_from_json(text); }, "text"_a);
}

}  // namespace redoubt::python
