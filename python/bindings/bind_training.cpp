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
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// What the three trainings return to Python. One array per column of the history.
struct TrainedEnsemble {
    std::optional<Ensemble> ensemble;  ///< none when a limit struck before the first plane
    Status status;
    bool is_partial;
    Vector dual_ratio;  ///< of robust ensembles: where a further round's SVM starts
    std::map<std::string, Vector> history;
};

std::optional<Ensemble> ensemble_of(const std::vector<Hyperplane>& planes) {
    if (planes.empty()) return std::nullopt;
    return Ensemble(planes);
}

/// Rounds of an earlier training, to go on from. Of their history nothing is known.
RobustEnsembleState earlier_rounds(const std::optional<Ensemble>& planes,
                                   const std::optional<Vector>& dual_ratio) {
    RobustEnsembleState state;
    if (!planes) return state;
    for (Index i = 0; i < planes->n_planes(); ++i) {
        state.planes.push_back({planes->coef().row(i).transpose(), planes->intercept()[i]});
        state.history.emplace_back();
    }
    state.dual_ratio = dual_ratio.value_or(Vector());
    return state;
}

TrainedEnsemble summary_of(const RobustEnsembleResult& result) {
    const std::vector<RoundRecord>& records = result.state.history;
    return {ensemble_of(result.state.planes),
            result.status,
            result.is_partial,
            result.state.dual_ratio,
            {{"n_foolable", column(records, &RoundRecord::n_foolable)},
             {"n_fooled", column(records, &RoundRecord::n_fooled)},
             {"mean_fooled", column(records, &RoundRecord::mean_fooled)},
             {"least_weight", column(records, &RoundRecord::least_weight)},
             {"most_weight", column(records, &RoundRecord::most_weight)},
             {"adversary_seconds", column(records, &RoundRecord::adversary_seconds)},
             {"svm_seconds", column(records, &RoundRecord::svm_seconds)},
             {"accuracy", column(records, &RoundRecord::accuracy)}}};
}

TrainedEnsemble train_robust(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                             const std::optional<Vector>& weights, const std::string& norm,
                             const std::string& adversary, const std::string& rule, Index n_planes,
                             double C, double tolerance, const std::optional<Ensemble>& first_plane,
                             bool records_accuracy, const std::optional<Ensemble>& resume,
                             const std::optional<Vector>& dual_ratio, double max_seconds,
                             int n_threads, const nb::object& progress,
                             const std::optional<AttackModel>& attack_model) {
    RobustEnsembleSettings settings;
    settings.attack_model = threat_of(norm, attack_model);
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
    settings.n_threads = n_threads;
    return watched(progress, [&](Watch& watch) {
        settings.control = watch.control(max_seconds);
        return summary_of(train_robust_ensemble({X, y, weights.value_or(Vector())}, radii, settings,
                                                earlier_rounds(resume, dual_ratio)));
    });
}

TrainedEnsemble train_bagged(const MatrixRef& X, const VectorRef& y,
                             const std::optional<Vector>& weights, Index n_planes, double C,
                             double tolerance, std::uint64_t seed, std::optional<Matrix> bags,
                             double max_seconds, int n_threads, const nb::object& progress) {
    BaggingSettings settings;
    settings.n_planes = n_planes;
    settings.C = C;
    settings.tolerance = tolerance;
    settings.seed = seed;
    settings.bags = std::move(bags);
    settings.n_threads = n_threads;
    return watched(progress, [&](Watch& watch) {
        settings.control = watch.control(max_seconds);
        const BaggingResult result =
            train_bagged_svms({X, y, weights.value_or(Vector())}, settings);
        return TrainedEnsemble{
            ensemble_of(result.planes), result.status, result.is_partial, {}, {}};
    });
}

TrainedEnsemble train_together(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                               const std::optional<Vector>& weights, const std::string& norm,
                               Index n_planes, Index n_epochs, Index batch_size, double step,
                               double power, double cap, std::uint64_t seed,
                               std::optional<Ensemble> start, double start_radius, double jitter,
                               Index features_per_plane, Index n_bags, double validation_share,
                               Index patience, double max_seconds, int n_threads,
                               const nb::object& progress,
                               const std::optional<AttackModel>& attack_model) {
    CollaborativeSettings settings;
    settings.attack_model = threat_of(norm, attack_model);
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
    settings.features_per_plane = features_per_plane;
    settings.n_bags = n_bags;
    settings.validation_share = validation_share;
    settings.patience = patience;
    settings.n_threads = n_threads;
    return watched(progress, [&](Watch& watch) {
        settings.control = watch.control(max_seconds);
        const CollaborativeResult result =
            train_collaborative({X, y, weights.value_or(Vector())}, radii, settings);
        const std::vector<EpochRecord>& records = result.state.history;
        return TrainedEnsemble{
            result.ensemble,
            result.status,
            result.is_partial,
            {},
            {{"objective", column(records, &EpochRecord::objective)},
             {"validation_objective", column(records, &EpochRecord::validation_objective)},
             {"seconds", column(records, &EpochRecord::seconds)}}};
    });
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
               "features_per_plane"_a = settings.features_per_plane, "n_bags"_a = settings.n_bags,
               "validation_share"_a = settings.validation_share, "patience"_a = settings.patience,
               "max_seconds"_a = infinity, "n_threads"_a = 1, "progress"_a.none() = nb::none(),
               "attack_model"_a.none() = nb::none(),
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
        .def_ro("dual_ratio", &TrainedEnsemble::dual_ratio)
        .def_ro("history", &TrainedEnsemble::history);
    module.def(
        "draw_bags",
        [](const MatrixRef& X, const VectorRef& y, const std::optional<Vector>& weights,
           Index n_planes, std::uint64_t seed) {
            return draw_bags({X, y, weights.value_or(Vector())}, n_planes, seed);
        },
        "X"_a, "y"_a, nb::kw_only(), "weights"_a.none() = nb::none(), "n_planes"_a, "seed"_a,
        "n_planes x m: how often each point is in each bootstrap sample.");

    const RobustEnsembleSettings robust;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    module.def("train_robust_ensemble", &train_robust, "X"_a, "y"_a, "radii"_a, nb::kw_only(),
               "weights"_a.none() = nb::none(), "norm"_a = "l2", "adversary"_a = "exact",
               "rule"_a = "corrected", "n_planes"_a = robust.n_planes, "C"_a = robust.C,
               "tolerance"_a = robust.tolerance, "first_plane"_a.none() = nb::none(),
               "records_accuracy"_a = false, "resume"_a.none() = nb::none(),
               "dual_ratio"_a.none() = nb::none(), "max_seconds"_a = infinity, "n_threads"_a = 1,
               "progress"_a.none() = nb::none(), "attack_model"_a.none() = nb::none(),
               "Ens-E, Ens-R or Ens-H. `first_plane` is an Ensemble of one plane.");
    const BaggingSettings bagging;
    module.def("train_bagged_svms", &train_bagged, "X"_a, "y"_a, nb::kw_only(),
               "weights"_a.none() = nb::none(), "n_planes"_a = bagging.n_planes, "C"_a = bagging.C,
               "tolerance"_a = bagging.tolerance, "seed"_a = bagging.seed,
               "bags"_a.none() = nb::none(), "max_seconds"_a = infinity, "n_threads"_a = 1,
               "progress"_a.none() = nb::none(), "SVM-Ens: linear SVMs on bootstrap samples.");
    bind_collaborative(module);
}

}  // namespace redoubt::python
