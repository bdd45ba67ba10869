#include <nanobind/stl/array.h>
#include <nanobind/stl/string_view.h>

#include <array>

#include "bindings.hpp"
#include "redoubt/model.hpp"
#include "redoubt/model_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

TableCoding named_coding(const std::vector<std::string>& feature_names,
                         const std::array<std::string, 2>& classes) {
    TableCoding coding = TableCoding::numeric(std::ssize(feature_names), classes);
    for (std::size_t l = 0; l < feature_names.size(); ++l) {
        coding.columns[l].name = feature_names[l];
    }
    return coding;
}

namespace {

/// A model whose features are not scaled.
Model make_model(const Ensemble& ensemble, const std::array<std::string, 2>& classes,
                 const std::vector<std::string>& feature_names, bool has_header,
                 const std::string& method, const std::string& norm, std::optional<double> radius,
                 const std::string& status, bool is_partial,
                 const std::optional<AttackModel>& attack_model) {
    TableCoding coding = named_coding(feature_names, classes);
    coding.has_header = has_header;
    const Index n = ensemble.n_features();
    TrainingRecord record;
    record.method = method;
    record.norm = parse_norm(norm);
    if (radius) record.radii = TrainingRadii::of(Vector::Constant(1, *radius));
    record.status = status;
    record.is_partial = is_partial;
    return Model(Scaler(Scaling::None, Vector::Zero(n), Vector::Ones(n)), ensemble, coding, record,
                 attack_model);
}

}  // namespace

void bind_model(nb::module_& module) {
    nb::class_<Model>(module, "Model", "Planes with the scaling and the labels of their data.")
        .def_prop_ro("ensemble", &Model::ensemble, "The planes, in scaled features.")
        .def_prop_ro("classes", &Model::classes, "The labels that -1 and +1 stand for.")
        .def_prop_ro("feature_names", &Model::feature_names)
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
        .def("predict_signs", &Model::predict_all, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(), "-1 or +1 for every row of raw features.")
        .def("to_json", &model_to_json, "The text of the model file.")
        .def(
            "save", [](const Model& self, const std::string& path) { save_model(self, path); },
            "path"_a, nb::call_guard<nb::gil_scoped_release>());

    module.def("make_model", &make_model, "ensemble"_a, nb::kw_only(), "classes"_a,
               "feature_names"_a, "has_header"_a, "method"_a, "norm"_a, "radius"_a.none(),
               "status"_a, "is_partial"_a, "attack_model"_a.none(), "A model of raw features.");
    module.def(
        "load_model", [](const std::string& path) { return load_model(path); }, "path"_a,
        nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "model_from_json", [](std::string_view text) { return model_from_json(text); }, "text"_a);
}

}  // namespace redoubt::python
