#include "redoubt/certificate.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/highs.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using Answers = std::vector<std::string>;
using PlaneLists = std::vector<std::vector<int>>;

template <typename Result>
Answers statuses(const std::vector<Result>& results) {
    Answers names;
    for (const Result& result : results) names.emplace_back(to_string(result.status));
    return names;
}

template <typename Result>
PlaneLists fooled(const std::vector<Result>& results) {
    PlaneLists lists;
    for (const Result& result : results) lists.push_back(result.fooled);
    return lists;
}

/// One perturbation per row; a row of NaN where there is none.
template <typename Result, typename Field>
Matrix rows(const std::vector<Result>& results, Field field, Index n_features) {
    Matrix values = Matrix::Constant(static_cast<Index>(results.size()), n_features,
                                     std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < results.size(); ++j) {
        if ((results[j].*field).size() > 0)
            values.row(static_cast<Index>(j)) = (results[j].*field).transpose();
    }
    return values;
}

struct CertificateList {
    std::vector<Certificate> items;
    Index n_features;
};

struct AttackList {
    std::vector<Attack> items;
    Index n_features;
};

CertificateList certify_rows(const Ensemble& ensemble, const MatrixRef& X,
                             const std::optional<Vector>& y, const std::string& norm,
                             const std::string& solver, std::optional<std::int64_t> max_nodes,
                             double max_seconds_per_point, double max_seconds, int n_threads,
                             const std::optional<AttackModel>& attack_model) {
    CertifySettings settings;
    settings.attack_model = threat_of(norm, attack_model);
    settings.solver = parse_solver(solver);
    settings.limits = make_limits(max_nodes, max_seconds_per_point, max_seconds);
    settings.n_threads = n_threads;
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        return CertificateList{
            y ? certify(ensemble, X, *y, settings) : certify(ensemble, X, settings),
            ensemble.n_features()};
    });
}

AttackList attack_rows(const Ensemble& ensemble, const MatrixRef& X, const VectorRef& y,
                       const VectorRef& radii, const std::string& norm,
                       const std::string& adversary, const std::string& rule,
                       const std::string& solver, std::optional<std::int64_t> max_nodes,
                       double max_seconds_per_point, double max_seconds, int n_threads,
                       const std::optional<AttackModel>& attack_model) {
    AttackSettings settings;
    settings.attack_model = threat_of(norm, attack_model);
    settings.adversary = parse_adversary(adversary);
    settings.rule = parse_heuristic_rule(rule);
    settings.solver = parse_solver(solver);
    settings.limits = make_limits(max_nodes, max_seconds_per_point, max_seconds);
    settings.n_threads = n_threads;
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        return AttackList{attack(ensemble, X, y, radii, settings), ensemble.n_features()};
    });
}

void bind_results(nb::module_& module) {
    nb::class_<CertificateList>(module, "CertificateList", "One certificate per row, as arrays.")
        .def_prop_ro(
            "radius",
            [](const CertificateList& self) { return column(self.items, &Certificate::radius); })
        .def_prop_ro(
            "lower",
            [](const CertificateList& self) { return column(self.items, &Certificate::lower); })
        .def_prop_ro(
            "upper",
            [](const CertificateList& self) { return column(self.items, &Certificate::upper); })
        .def_prop_ro(
            "n_nodes",
            [](const CertificateList& self) { return column(self.items, &Certificate::n_nodes); })
        .def_prop_ro("solve_seconds",
                     [](const CertificateList& self) {
                         return column(self.items, &Certificate::solve_seconds);
                     })
        .def_prop_ro("witness",
                     [](const CertificateList& self) {
                         return rows(self.items, &Certificate::witness, self.n_features);
                     })
        .def_prop_ro("status", [](const CertificateList& self) { return statuses(self.items); })
        .def_prop_ro("fooled", [](const CertificateList& self) { return fooled(self.items); });

    nb::class_<AttackList>(module, "AttackList", "One attack per row, as arrays.")
        .def_prop_ro(
            "perturbation",
            [](const AttackList& self) { return rows(self.items, &Attack::d, self.n_features); })
        .def_prop_ro("objective",
                     [](const AttackList& self) { return column(self.items, &Attack::objective); })
        .def_prop_ro("bound",
                     [](const AttackList& self) { return column(self.items, &Attack::bound); })
        .def_prop_ro("success",
                     [](const AttackList& self) { return column(self.items, &Attack::success); })
        .def_prop_ro("n_nodes",
                     [](const AttackList& self) { return column(self.items, &Attack::n_nodes); })
        .def_prop_ro(
            "solve_seconds",
            [](const AttackList& self) { return column(self.items, &Attack::solve_seconds); })
        .def_prop_ro("status", [](const AttackList& self) { return statuses(self.items); })
        .def_prop_ro("fooled", [](const AttackList& self) { return fooled(self.items); });

    nb::class_<AttackCurve>(module, "AttackCurve", "Accuracy under attack, one entry per radius.")
        .def_prop_ro("radii", [](const AttackCurve& self) { return Vector(self.radii); })
        .def_prop_ro("accuracy", [](const AttackCurve& self) { return Vector(self.accuracy); })
        .def_prop_ro("balanced_accuracy",
                     [](const AttackCurve& self) { return Vector(self.balanced_accuracy); })
        .def_prop_ro("undecided", [](const AttackCurve& self) { return Vector(self.undecided); })
        .def_prop_ro("balanced_undecided",
                     [](const AttackCurve& self) { return Vector(self.balanced_undecided); })
        .def_ro("constant_accuracy", &AttackCurve::constant_accuracy);

    nb::class_<AccuracyCeiling>(module, "AccuracyCeiling",
                                "What no classifier can beat, one entry per radius.")
        .def_prop_ro("radii", [](const AccuracyCeiling& self) { return Vector(self.radii); })
        .def_prop_ro("accuracy", [](const AccuracyCeiling& self) { return Vector(self.accuracy); })
        .def_prop_ro("balanced_accuracy",
                     [](const AccuracyCeiling& self) { return Vector(self.balanced_accuracy); });
}

}  // namespace

void bind_certificate(nb::module_& module) {
    bind_results(module);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    module.def("certify", &certify_rows, "ensemble"_a, "X"_a, "y"_a.none() = nb::none(),
               nb::kw_only(), "norm"_a = "l2", "solver"_a = "native",
               "max_nodes"_a.none() = nb::none(), "max_seconds_per_point"_a = infinity,
               "max_seconds"_a = infinity, "n_threads"_a = 1, "attack_model"_a.none() = nb::none(),
               "The signed radius of every row, with bracket and witness.");
    module.def("attack", &attack_rows, "ensemble"_a, "X"_a, "y"_a, "radii"_a, nb::kw_only(),
               "norm"_a = "l2", "adversary"_a = "exact", "rule"_a = "corrected",
               "solver"_a = "native", "max_nodes"_a.none() = nb::none(),
               "max_seconds_per_point"_a = infinity, "max_seconds"_a = infinity, "n_threads"_a = 1,
               "attack_model"_a.none() = nb::none(),
               "The worst move within a ball, for every row.");
    module.def(
        "attack_curve",
        [](const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
           const VectorRef& radii) { return attack_curve(lower, upper, y, radii); },
        "lower"_a, "upper"_a, "y"_a, "radii"_a,
        "Accuracy under attack at many radii, from one certificate per point.");
    module.def(
        "accuracy_ceiling",
        [](const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
           const std::string& norm) { return accuracy_ceiling(X, y, radii, parse_norm(norm)); },
        "X"_a, "y"_a, "radii"_a, "norm"_a = "l2", nb::call_guard<nb::gil_scoped_release>(),
        "What no classifier can beat under attack at many radii.");
    module.def("set_highs_library", &set_highs_library, "path"_a, "Where to look for HiGHS first.");
    module.def("highs_version", &highs_version,
               "The version of HiGHS, or None when it cannot be loaded.");
}

}  // namespace redoubt::python
