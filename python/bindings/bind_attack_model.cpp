#include "redoubt/attack_model.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using Groups = std::vector<std::pair<std::vector<int>, double>>;

AttackModel make_model(const std::string& norm, std::optional<Vector> scale,
                       const std::vector<std::string>& direction, std::optional<Vector> lower,
                       std::optional<Vector> upper, const std::vector<int>& whole,
                       const Groups& one_hot, std::optional<int> attacking_class) {
    AttackModel model;
    model.norm = parse_norm(norm);
    model.scale = std::move(scale).value_or(Vector());
    for (const std::string& each : direction) model.direction.push_back(parse_direction(each));
    model.lower = std::move(lower).value_or(Vector());
    model.upper = std::move(upper).value_or(Vector());
    for (int feature : whole) model.whole.push_back({.feature = feature});
    for (const auto& [features, cost] : one_hot)
        model.one_hot.push_back({.features = features, .switch_cost = cost});
    model.attacking_class = attacking_class;
    return model;
}

Vector move_sizes(const AttackModel& model, const MatrixRef& X, const MatrixRef& moves) {
    Vector sizes(X.rows());
    for (Index j = 0; j < X.rows(); ++j)
        sizes[j] = model.move_size(X.row(j).transpose(), moves.row(j).transpose());
    return sizes;
}

std::vector<bool> allowed_rows(const AttackModel& model, const MatrixRef& X,
                               const MatrixRef& moved) {
    std::vector<bool> allowed;
    for (Index j = 0; j < X.rows(); ++j)
        allowed.push_back(model.allows(X.row(j).transpose(), moved.row(j).transpose()));
    return allowed;
}

}  // namespace

void bind_attack_model(nb::module_& module) {
    nb::class_<AttackModel>(module, "AttackModel", "What an adversary may do to a point.")
        .def(
            "__init__",
            [](AttackModel* self, const std::string& norm, std::optional<Vector> scale,
               const std::vector<std::string>& direction, std::optional<Vector> lower,
               std::optional<Vector> upper, const std::vector<int>& whole, const Groups& one_hot,
               std::optional<int> attacking_class) {
                new (self)
                    AttackModel(make_model(norm, std::move(scale), direction, std::move(lower),
                                           std::move(upper), whole, one_hot, attacking_class));
            },
            nb::kw_only(), "norm"_a = "l2", "scale"_a.none() = nb::none(),
            "direction"_a = std::vector<std::string>{}, "lower"_a.none() = nb::none(),
            "upper"_a.none() = nb::none(), "whole"_a = std::vector<int>{}, "one_hot"_a = Groups{},
            "attacking_class"_a.none() = nb::none())
        .def("check", &AttackModel::check, "n_features"_a, "Raise unless the model makes sense.")
        .def(
            "check_point",
            [](const AttackModel& self, const VectorRef& x, Index row) {
                self.check_point(x, row);
            },
            "x"_a, "row"_a, "Raise, naming the row, unless the model allows the point.")
        .def("move_sizes", &move_sizes, "X"_a, "moves"_a, "The size of each row's move.")
        .def("allows", &allowed_rows, "X"_a, "moved"_a, "May each row of X move to that of moved?")
        .def("is_plain", &AttackModel::is_plain)
        .def("is_all_frozen", &AttackModel::is_all_frozen, "n_features"_a)
        .def("summary", &AttackModel::summary, "names"_a = std::vector<std::string>{});
}

}  // namespace redoubt::python
