#include "redoubt/svm.hpp"

#include <nanobind/stl/pair.h>

#include <utility>

#include "bindings.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

// The solvers run in a thread of their own with the GIL released; by then every argument is a C++
// value or refers to memory that the caller's array keeps alive.

template <typename Settings>
struct Problem {
    Settings settings;
    Vector weights;
    std::optional<SvmStart> start;

    void read(Keywords& keywords) {
        keywords.read("weights", weights)
            .read("tolerance", settings.tolerance)
            .read("max_iterations", settings.max_iterations)
            .read("n_threads", settings.n_threads)
            .read("start", start)
            .finish();
    }
};

SvmResult train(const PointsRef& X, const VectorRef& y, nb::kwargs given) {
    Problem<SvmSettings> problem;
    Keywords keywords(std::move(given));
    keywords.read("C", problem.settings.C);
    problem.read(keywords);
    return watched(nb::none(), [&](const Watch& watch) {
        problem.settings.stop = &watch.stop();
        return train_svm({X, y, problem.weights}, problem.settings, problem.start);
    });
}

SvmResult train_robust_plane(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                             nb::kwargs given) {
    Problem<RobustSvmSettings> problem;
    Keywords keywords(std::move(given));
    keywords.read(problem.settings.attack_model)
        .read("regularization", problem.settings.regularization)
        .read("least_weight", problem.settings.least_weight)
        .read("greatest_weight", problem.settings.greatest_weight)
        .read("shares_threshold", problem.settings.shares_threshold)
        .read("given_start", problem.settings.given.start)
        .read("given_moves", problem.settings.given.moves)
        .read("given_half", problem.settings.given.half);
    GivenMoves& moves = problem.settings.given;
    if (!moves.start.empty()) moves.first = X.rows() - static_cast<Index>(moves.start.size() - 1);
    problem.read(keywords);
    return watched(nb::none(), [&](const Watch& watch) {
        problem.settings.stop = &watch.stop();
        return train_robust_svm({X, y, problem.weights}, radii, problem.settings, problem.start);
    });
}

Matrix moves_against(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                     const AttackModel& model, const VectorRef& w, int n_threads) {
    const nb::gil_scoped_release release;
    return worst_moves({X, y}, radii, model, w, n_threads);
}

/// (sum of the multipliers, their distance from the ball).
std::pair<double, double> bound(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                                const VectorRef& dual_ratio, nb::kwargs given) {
    RobustSvmSettings settings;
    Vector weights;
    Keywords keywords(std::move(given));
    keywords.read(settings.attack_model)
        .read("regularization", settings.regularization)
        .read("weights", weights)
        .finish();
    const nb::gil_scoped_release release;
    const SvmBound found = robust_svm_bound({X, y, weights}, radii, settings, dual_ratio);
    return {found.multipliers, found.distance};
}

}  // namespace

void bind_svm(nb::module_& module) {
    nb::class_<SvmStart>(module, "SvmStart", "Where a run starts: a neighbouring problem's answer.")
        .def(
            "__init__",
            [](SvmStart* self, Vector coef, double intercept, std::optional<Vector> dual_ratio) {
                new (self) SvmStart{{std::move(coef), intercept},
                                    std::move(dual_ratio).value_or(Vector())};
            },
            "coef"_a, "intercept"_a, "dual_ratio"_a.none() = nb::none());
    nb::class_<SvmResult>(module, "SvmResult", "The answer of a solver, and how good it is.")
        .def_prop_ro("status",
                     [](const SvmResult& self) { return std::string(to_string(self.status)); })
        .def_prop_ro("coef", [](const SvmResult& self) { return Vector(self.plane.w); })
        .def_prop_ro("intercept", [](const SvmResult& self) { return self.plane.b; })
        .def_ro("primal_value", &SvmResult::primal_value)
        .def_ro("dual_value", &SvmResult::dual_value)
        .def_ro("relative_gap", &SvmResult::relative_gap)
        .def_prop_ro("dual_ratio", [](const SvmResult& self) { return Vector(self.dual_ratio); })
        .def_ro("multipliers", &SvmResult::multipliers)
        .def_ro("distance", &SvmResult::distance)
        .def_ro("warning", &SvmResult::warning)
        .def_prop_ro("n_newton_steps",
                     [](const SvmResult& self) { return self.stats.n_newton_steps; })
        .def_prop_ro("n_stages", [](const SvmResult& self) { return self.stats.n_stages; })
        .def_prop_ro("solve_seconds",
                     [](const SvmResult& self) { return self.stats.solve_seconds; })
        .def("start", &SvmResult::start, "The warm start that this answer makes for the next run.");

    module.def(
        "train_svm", &train, "X"_a, "y"_a, "settings"_a,
        "min 1/2 ||w||^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+ over (w, b).\n\n"
        "X (m x n) in C order and y (-1 and +1), both float64, are used without a copy.\n"
        "Settings: weights (c_j, default 1), C, tolerance, max_iterations, n_threads, start\n"
        "(an SvmStart).");
    module.def(
        "train_robust_svm", &train_robust_plane, "X"_a, "y"_a, "radii"_a, "settings"_a,
        "min rho/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+ over (w, b).\n\n"
        "`radii` holds one r_j >= 0 per point, or a single one for all. Settings: as for "
        "train_svm\n"
        "without C, norm (the adversary's) or attack_model, regularization (rho), given_start,\n"
        "given_moves and given_half (GivenMoves of the C++ library, for the last points).");
    module.def("worst_moves", &moves_against, "X"_a, "y"_a, "radii"_a, "attack_model"_a, "w"_a,
               "n_threads"_a,
               "The moves with the largest -y_j w'd; see svm.hpp of the C++ library.");
    module.def(
        "robust_svm_bound", &bound, "X"_a, "y"_a, "radii"_a, "dual_ratio"_a, "settings"_a,
        "(multipliers, distance): what multipliers prove about the optimum of train_robust_svm;\n"
        "see SvmBound of the C++ library. Settings: weights, norm or attack_model, "
        "regularization.");
}

}  // namespace redoubt::python
