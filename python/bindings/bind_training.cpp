#include <nanobind/eigen/dense.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// What the three trainings return to Python. One array per column of the history.
struct TrainedEnsemble {
    std::optional<Ensemble> ensemble;  ///< none when a limit struck before the first plane
    Status status;
    bool is_partial;
    std::map<std::string, Vector> history;
};

std::optional<Ensemble> ensemble_of(const std::vector<Hyperplane>& planes) {
    if (planes.empty()) return std::nullopt;
    return Ensemble(planes);
}

TrainedEnsemble train_robust(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                             const std::optional<Vector>& weights, const std::string& norm,
                             const std::string& adversary, const std::string& rule, Index n_planes,
                             double C, double tolerance, const std::optional<Ensemble>& first_plane,
                             bool records_accuracy, double max_seconds, int n_threads) {
    RobustEnsembleSettings settings;
    settings.norm = parse_norm(norm);
    settings.adversary = parse_adversary(adversary);
    settings.rule = parse_heuristic_rule(rule);
    settings.n_planes = n_planes;
    settings.C = C;
    settings.tolerance = tolerance;
    if (first_plane) {
        settings.first_plane =
            Hyperplane{first_plane->coef().row(0).transpose(), first_plane->intercept()[0]};
    }
    settings.records_accuracy = records_accuracy;
    settings.control.max_seconds = max_seconds;
    settings.n_threads = n_threads;
    const RobustEnsembleResult result =
        train_robust_ensemble({X, y, weights.value_or(Vector())}, radii, settings);
    const std::vector<RoundRecord>& records = result.state.history;
    return {ensemble_of(result.state.planes),
            result.status,
            result.is_partial,
            {{"n_foolable", column(records, &RoundRecord::n_foolable)},
             {"n_fooled", column(records, &RoundRecord::n_fooled)},
             {"mean_fooled", column(records, &RoundRecord::mean_fooled)},
             {"least_weight", column(records, &RoundRecord::least_weight)},
             {"most_weight", column(records, &RoundRecord::most_weight)},
             {"adversary_seconds", column(records, &RoundRecord::adversary_seconds)},
             {"svm_seconds", column(records, &RoundRecord::svm_seconds)},
             {"accuracy", column(records, &RoundRecord::accuracy)}}};
}

TrainedEnsemble train_bagged(const MatrixRef& X, const VectorRef& y,
                             const std::optional<Vector>& weights, Index n_planes, double C,
                             double tolerance, std::uint64_t seed, std::optional<Matrix> bags,
                             double max_seconds, int n_threads) {
    BaggingSettings settings;
    settings.n_planes = n_planes;
    settings.C = C;
    settings.tolerance = tolerance;
    settings.seed = seed;
    settings.bags = std::move(bags);
    settings.control.max_seconds = max_seconds;
    settings.n_threads = n_threads;
    const BaggingResult result = train_bagged_svms({X, y, weights.value_or(Vector())}, settings);
    return {ensemble_of(result.planes), result.status, result.is_partial, {}};
}

TrainedEnsemble train_together(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                               const std::optional<Vector>& weights, const std::string& norm,
                               Index n_planes, Index n_epochs, Index batch_size, double step,
                               double power, double cap, std::uint64_t seed,
                               std::optional<Ensemble> start, double start_radius, double jitter,
                               double validation_share, Index patience, double max_seconds,
                               int n_threads) {
    CollaborativeSettings settings;
    settings.norm = parse_norm(norm);
    settings.n_planes = n_planes;
    settings.n_epochs = n_epochs;
    settings.batch_size = batch_size;
    settings.step = step;
    settings.power = power;
    settings.cap = cap;
    settings.seed = seed;
    settings.start = std::move(start);
    settings.start_radius = start_radius;
    settings.jitter = jitter;
    settings.validation_share = validation_share;
    settings.patience = patience;
    settings.control.max_seconds = max_seconds;
    settings.n_threads = n_threads;
    const CollaborativeResult result =
        train_collaborative({X, y, weights.value_or(Vector())}, radii, settings);
    const std::vector<EpochRecord>& records = result.state.history;
    return {result.ensemble,
            result.status,
            result.is_partial,
            {{"objective", column(records, &EpochRecord::objective)},
             {"validation_objective", column(records, &EpochRecord::validation_objective)},
             {"seconds", column(records, &EpochRecord::seconds)}}};
}

void bind_collaborative(nb::module_& module) {
    const CollaborativeSettings settings;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    module.def("train_collaborative", &train_together, "X"_a, "y"_a, "radii"_a, nb::kw_only(),
               "weights"_a.none() = nb::none(), "norm"_a = "l2", "n_planes"_a = settings.n_planes,
               "n_epochs"_a = settings.n_epochs, "batch_size"_a = settings.batch_size,
               "step"_a = settings.step, "power"_a = settings.power, "cap"_a = settings.cap,
               "seed"_a = settings.seed, "start"_a.none() = nb::none(),
               "start_radius"_a = settings.start_radius, "jitter"_a = settings.jitter,
               "validation_share"_a = settings.validation_share, "patience"_a = settings.patience,
               "max_seconds"_a = infinity, "n_threads"_a = 1,
               nb::call_guard<nb::gil_scoped_release>(),
               "Ens-C: planes trained together by raising the certified radii of their vote.");
}

}  // namespace

void bind_training(nb::module_& module) {
    nb::class_<TrainedEnsemble>(module, "TrainedEnsemble", "An ensemble and how it came about.")
        .def_ro("ensemble", &TrainedEnsemble::ensemble)
        .def_prop_ro(
            "status",
            [](const TrainedEnsemble& self) { return std::string(to_string(self.status)); })
        .def_ro("is_partial", &TrainedEnsemble::is_partial)
        .def_ro("history", &TrainedEnsemble::history);

    const RobustEnsembleSettings robust;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    module.def("train_robust_ensemble", &train_robust, "X"_a, "y"_a, "radii"_a, nb::kw_only(),
               "weights"_a.none() = nb::none(), "norm"_a = "l2", "adversary"_a = "exact",
               "rule"_a = "corrected", "n_planes"_a = robust.n_planes, "C"_a = robust.C,
               "tolerance"_a = robust.tolerance, "first_plane"_a.none() = nb::none(),
               "records_accuracy"_a = false, "max_seconds"_a = infinity, "n_threads"_a = 1,
               nb::call_guard<nb::gil_scoped_release>(),
               "Ens-E, Ens-R or Ens-H. `first_plane` is an Ensemble of one plane.");
    const BaggingSettings bagging;
    module.def("train_bagged_svms", &train_bagged, "X"_a, "y"_a, nb::kw_only(),
               "weights"_a.none() = nb::none(), "n_planes"_a = bagging.n_planes, "C"_a = bagging.C,
               "tolerance"_a = bagging.tolerance, "seed"_a = bagging.seed,
               "bags"_a.none() = nb::none(), "max_seconds"_a = infinity, "n_threads"_a = 1,
               nb::call_guard<nb::gil_scoped_release>(),
               "SVM-Ens: linear SVMs on bootstrap samples.");
    bind_collaborative(module);
}

}  // namespace redoubt::python
