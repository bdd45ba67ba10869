#include "redoubt/randomised_vote.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using Scores = std::vector<RandomisedScore>;

struct ScoreList {
    Scores items;
    Index n_points;
};

/// Radii x points.
Matrix rows(const ScoreList& scores, Vector RandomisedScore::*field) {
    Matrix values(static_cast<Index>(scores.items.size()), scores.n_points);
    for (Index i = 0; i < values.rows(); ++i) {
        values.row(i) = (scores.items[static_cast<std::size_t>(i)].*field).transpose();
    }
    return values;
}

/// Radii x the classes -1 and +1.
Matrix classes(const ScoreList& scores, double (RandomisedScore::*field)[2]) {
    Matrix values(static_cast<Index>(scores.items.size()), 2);
    for (Index i = 0; i < values.rows(); ++i) {
        for (Index c = 0; c < 2; ++c) {
            values(i, c) = (scores.items[static_cast<std::size_t>(i)].*field)[c];
        }
    }
    return values;
}

ScoreList score_rows(const Ensemble& ensemble, const MatrixRef& X, const VectorRef& y,
                     const VectorRef& radii, const std::string& norm, const std::string& solver,
                     std::optional<std::int64_t> max_nodes, double max_seconds_per_point,
                     double max_seconds, int n_threads,
                     const std::optional<AttackModel>& attack_model) {
    AttackSettings settings;
    settings.attack_model = threat_of(norm, attack_model);
    settings.solver = parse_solver(solver);
    settings.limits = make_limits(max_nodes, max_seconds_per_point, max_seconds);
    settings.n_threads = n_threads;
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        return ScoreList{worst_expected_accuracy(ensemble, X, y, radii, settings), X.rows()};
    });
}

}  // namespace

void bind_randomised_vote(nb::module_& module) {
    nb::class_<ScoreList>(module, "RandomisedScoreList", "One score per radius, as arrays.")
        .def_prop_ro(
            "mean",
            [](const ScoreList& self) { return column(self.items, &RandomisedScore::mean); })
        .def_prop_ro(
            "mean_lower",
            [](const ScoreList& self) { return column(self.items, &RandomisedScore::mean_lower); })
        .def_prop_ro("accuracy",
                     [](const ScoreList& self) { return rows(self, &RandomisedScore::accuracy); })
        .def_prop_ro("lower",
                     [](const ScoreList& self) { return rows(self, &RandomisedScore::lower); })
        .def_prop_ro(
            "class_mean",
            [](const ScoreList& self) { return classes(self, &RandomisedScore::class_mean); })
        .def_prop_ro("class_lower", [](const ScoreList& self) {
            return classes(self, &RandomisedScore::class_lower);
        });

    constexpr double infinity = std::numeric_limits<double>::infinity();
    module.def("worst_expected_accuracy", &score_rows, "ensemble"_a, "X"_a, "y"_a, "radii"_a,
               nb::kw_only(), "norm"_a = "l2", "solver"_a = "native",
               "max_nodes"_a.none() = nb::none(), "max_seconds_per_point"_a = infinity,
               "max_seconds"_a = infinity, "n_threads"_a = 1, "attack_model"_a.none() = nb::none(),
               "The expected accuracy of a randomised vote under the worst attack.");
}

}  // namespace redoubt::python
