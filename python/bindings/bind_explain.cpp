#include "redoubt/explain.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "redoubt/error.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using Names = std::vector<std::string>;

/// A model of numbers from memory whose features have names.
Model make_model(const Ensemble& ensemble, const Vector& center, const Vector& scale,
                 const std::array<std::string, 2>& classes, const Names& feature_names) {
    if (static_cast<Index>(feature_names.size()) != ensemble.n_features()) {
        throw InvalidInput("feature_names", std::to_string(ensemble.n_features()) + " names",
                           std::to_string(feature_names.size()));
    }
    TableCoding coding = TableCoding::numeric(ensemble.n_features(), classes);
    for (std::size_t l = 0; l < feature_names.size(); ++l) {
        coding.columns[l].name = feature_names[l];
    }
    return Model(Scaler(Scaling::Standard, center, scale), ensemble, coding);
}

std::vector<Explanation> explain_rows(const Ensemble& ensemble, const MatrixRef& X,
                                      const Vector& center, const Vector& scale,
                                      const std::array<std::string, 2>& classes,
                                      const Names& feature_names, const std::string& norm,
                                      const std::optional<AttackModel>& attack_model, int n_named,
                                      std::optional<std::int64_t> max_nodes,
                                      double max_seconds_per_point) {
    const Model model = make_model(ensemble, center, scale, classes, feature_names);
    ExplainSettings settings;
    settings.attack_model = threat_of(norm, attack_model);
    settings.limits =
        make_limits(max_nodes, max_seconds_per_point, std::numeric_limits<double>::infinity());
    settings.n_named = n_named;
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        std::vector<Explanation> explanations;
        for (Index j = 0; j < X.rows(); ++j) {
            explanations.push_back(explain(model, X.row(j).transpose(), settings));
        }
        return explanations;
    });
}

void bind_changes(nb::module_& module) {
    nb::class_<FeatureMove>(module, "FeatureMove", "What the cheapest attack does to one feature.")
        .def_ro("feature", &FeatureMove::feature)
        .def_ro("before", &FeatureMove::from)
        .def_ro("after", &FeatureMove::to)
        .def_ro("size", &FeatureMove::size)
        .def_ro("share", &FeatureMove::share);
    nb::class_<SingleChange>(module, "SingleChange",
                             "The least change of one feature alone that changes the answer.")
        .def_ro("feature", &SingleChange::feature)
        .def_ro("before", &SingleChange::from)
        .def_ro("up_to", &SingleChange::up_to)
        .def_ro("down_to", &SingleChange::down_to)
        .def_ro("up_size", &SingleChange::up_size)
        .def_ro("down_size", &SingleChange::down_size)
        .def_ro("partner", &SingleChange::partner)
        .def_ro("goes_on", &SingleChange::goes_on);
}

}  // namespace

void bind_explain(nb::module_& module) {
    bind_changes(module);
    nb::class_<Explanation>(module, "Explanation", "One answer, feature by feature.")
        .def_ro("answer", &Explanation::answer)
        .def_prop_ro("radius", [](const Explanation& self) { return self.certificate.radius; })
        .def_prop_ro("lower", [](const Explanation& self) { return self.certificate.lower; })
        .def_prop_ro("upper", [](const Explanation& self) { return self.certificate.upper; })
        .def_prop_ro("fooled", [](const Explanation& self) { return self.certificate.fooled; })
        .def_prop_ro(
            "status",
            [](const Explanation& self) { return std::string(to_string(self.certificate.status)); })
        .def_prop_ro("n_nodes", [](const Explanation& self) { return self.certificate.n_nodes; })
        .def_prop_ro("solve_seconds",
                     [](const Explanation& self) { return self.certificate.solve_seconds; })
        .def_prop_ro(
            "moved", [](const Explanation& self) { return Vector(self.moved); },
            "Empty where no attack is known.")
        .def_ro("is_changed", &Explanation::is_changed)
        .def_ro("attack", &Explanation::attack)
        .def_ro("singles", &Explanation::singles)
        .def_ro("sentence", &Explanation::sentence);

    module.def("explain", &explain_rows, "ensemble"_a, "X"_a, nb::kw_only(), "center"_a, "scale"_a,
               "classes"_a, "feature_names"_a, "norm"_a = "l2",
               "attack_model"_a.none() = nb::none(), "n_named"_a = 3,
               "max_nodes"_a.none() = nb::none(),
               "max_seconds_per_point"_a = std::numeric_limits<double>::infinity(),
               "Explains the answer at every row of raw features.");
}

}  // namespace redoubt::python
