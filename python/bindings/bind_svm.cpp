#include "redoubt/svm.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

// The solvers run in a thread of their own with the GIL released; by then every argument is a C++
// value or refers to memory that the caller's array keeps alive.

SvmResult train(const MatrixRef& X, const VectorRef& y, const std::optional<Vector>& weights,
                double C, double tolerance, int max_iterations, int n_threads,
                const std::optional<SvmStart>& start) {
    return watched(nb::none(), [&](const Watch& watch) {
        const SvmSettings settings{.C = C,
                                   .tolerance = tolerance,
                                   .max_iterations = max_iterations,
                                   .n_threads = n_threads,
                                   .stop = &watch.stop()};
        return train_svm({X, y, weights.value_or(Vector())}, settings, start);
    });
}

SvmResult train_robust(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                       const std::string& norm, const std::optional<Vector>& weights,
                       double regularization, double tolerance, int max_iterations, int n_threads,
                       const std::optional<SvmStart>& start,
                       const std::optional<AttackModel>& attack_model) {
    return watched(nb::none(), [&](const Watch& watch) {
        RobustSvmSettings settings{.attack_model = threat_of(norm, attack_model),
                                   .regularization = regularization,
                                   .tolerance = tolerance,
                                   .max_iterations = max_iterations,
                                   .n_threads = n_threads,
                                   .stop = &watch.stop()};
        return train_robust_svm({X, y, weights.value_or(Vector())}, radii, settings, start);
    });
}

void bind_result(nb::module_& module) {
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
        .def_ro("warning", &SvmResult::warning)
        .def_prop_ro("n_newton_steps",
                     [](const SvmResult& self) { return self.stats.n_newton_steps; })
        .def_prop_ro("n_stages", [](const SvmResult& self) { return self.stats.n_stages; })
        .def_prop_ro("solve_seconds",
                     [](const SvmResult& self) { return self.stats.solve_seconds; })
        .def("start", &SvmResult::start, "The warm start that this answer makes for the next run.");
}

}  // namespace

void bind_svm(nb::module_& module) {
    bind_result(module);
    const SvmSettings svm;
    const RobustSvmSettings robust;
    module.def("train_svm", &train, "X"_a, "y"_a, nb::kw_only(), "weights"_a.none() = nb::none(),
               "C"_a = svm.C, "tolerance"_a = svm.tolerance,
               "max_iterations"_a = svm.max_iterations, "n_threads"_a = svm.n_threads,
               "start"_a.none() = nb::none(),
               "min 1/2 ||w||^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+ over (w, b).\n\n"
               "X (m x n) in C order and y (-1 and +1), both float64, are used without a copy;\n"
               "`weights` are the c_j (default 1); `start` is an SvmStart.");
    module.def(
        "train_robust_svm", &train_robust, "X"_a, "y"_a, "radii"_a, nb::kw_only(),
        "norm"_a = std::string(to_string(robust.attack_model.norm)),
        "weights"_a.none() = nb::none(), "regularization"_a = robust.regularization,
        "tolerance"_a = robust.tolerance, "max_iterations"_a = robust.max_iterations,
        "n_threads"_a = robust.n_threads, "start"_a.none() = nb::none(),
        "attack_model"_a.none() = nb::none(),
        "min rho/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+ over (w, b).\n\n"
        "`radii` holds one r_j >= 0 per point, or a single one for all; `norm` is the\n"
        "adversary's: \"l1\", \"l2\" or \"linf\"; rho is `regularization`.");
}

}  // namespace redoubt::python
