#include <nanobind/stl/pair.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <tuple>

#include "bindings.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/radius_choice.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// What the three trainings return to Python. One array per column of the history.
struct TrainedEnsemble {
    std::optional<Ensemble> ensemble;  ///< none when a limit was reached before the first plane
    Status status;
    bool is_partial;
    Vector dual_ratio;  ///< of robust ensembles: where a further round's SVM starts
    std::map<std::string, Vector> history;
};

/// What the three trainings are told besides their settings.
struct Run {
    Vector weights;
    double max_seconds = std::numeric_limits<double>::infinity();
    nb::object progress = nb::none();

    template <typename Settings>
    void read(Keywords& keywords, Settings& settings) {
        keywords.read("weights", weights)
            .read("n_planes", settings.n_planes)
            .read("n_threads", settings.n_threads)
            .read("max_seconds", max_seconds)
            .read("progress", progress)
            .finish();
    }
};

std::optional<Ensemble> ensemble_of(const std::vector<Hyperplane>& planes) {
    if (planes.empty()) return std::nullopt;
    return Ensemble(planes);
}

/// Rounds of an earlier training, to go on from. Of their history nothing is known.
RobustEnsembleState earlier_rounds(const std::optional<Ensemble>& planes,
                                   const Vector& dual_ratio) {
    RobustEnsembleState state;
    if (!planes) return state;
    for (Index i = 0; i < planes->n_planes(); ++i) {
        state.planes.push_back({planes->coef().row(i).transpose(), planes->intercept()[i]});
        state.history.emplace_back();
    }
    state.dual_ratio = dual_ratio;
    return state;
}

void read_settings(Keywords& keywords, RobustEnsembleSettings& settings) {
    keywords.read(settings.attack_model)
        .read("adversary", settings.adversary, parse_adversary)
        .read("rule", settings.rule, parse_heuristic_rule)
        .read("C", settings.C)
        .read("tolerance", settings.tolerance);
}

void read_settings(Keywords& keywords, CollaborativeSettings& settings) {
    keywords.read(settings.attack_model)
        .read("n_epochs", settings.n_epochs)
        .read("batch_size", settings.batch_size)
        .read("step", settings.step)
        .read("power", settings.power)
        .read("cap", settings.cap)
        .read("seed", settings.seed)
        .read("start_radius", settings.start_radius)
        .read("jitter", settings.jitter)
        .read("joint_classes", settings.n_classes)
        .read("features_per_plane", settings.features_per_plane)
        .read("n_bags", settings.n_bags)
        .read("validation_share", settings.validation_share)
        .read("patience", settings.patience);
}

void read_settings(Keywords& keywords, RobustSvmSettings& settings) {
    keywords.read(settings.attack_model)
        .read("regularization", settings.regularization)
        .read("tolerance", settings.tolerance)
        .read("max_iterations", settings.max_iterations);
}

Columns columns_of(const RadiusChoice& choice) {
    return {{{"status", std::string(to_string(choice.status))},
             {"radius", choice.best.radius},
             {"n_planes", static_cast<double>(choice.best.n_planes)},
             {"scale", choice.scale},
             {"n_points", static_cast<double>(choice.n_points)},
             {"n_folds", static_cast<double>(choice.n_folds)},
             {"candidate_radius", column(choice.candidates, &RadiusCandidate::radius)},
             {"candidate_planes", column(choice.candidates, &RadiusCandidate::n_planes)},
             {"candidate_folds", choice.selection.n_parts},
             {"balanced_accuracy", choice.selection.balanced_accuracy},
             {"standard_error", choice.selection.standard_error},
             {"certified_radius", choice.selection.certified_radius}}};
}

Columns columns_of(const ClassRadiusChoice& choice) {
    Columns columns = columns_of(static_cast<const RadiusChoice&>(choice));
    columns.values["radii"] = choice.radii(choice.best);
    columns.values["scales"] = choice.scales;
    return columns;
}

/// Reads the settings of a trainer and of its choice; `run` gets both, and the weights.
template <typename Settings, typename Choose>
Columns choose_with(nb::kwargs given, const Choose& run) {
    Settings trainer;
    RadiusChoiceSettings settings;
    Vector weights;
    double max_seconds = std::numeric_limits<double>::infinity();
    nb::object progress = nb::none();
    Keywords keywords(std::move(given));
    read_settings(keywords, trainer);
    if constexpr (requires { trainer.seed; }) settings.seed = trainer.seed;
    keywords.read("weights", weights)
        .read("n_planes", settings.n_planes)
        .read("n_threads", settings.n_threads)
        .read("max_seconds", max_seconds)
        .read("progress", progress)
        .finish();
    settings.attack_model = trainer.attack_model;
    return watched(progress, [&](Watch& watch) {
        settings.control = watch.control(max_seconds);
        if constexpr (requires { trainer.control; }) {
            trainer.control.stop = &watch.stop();
        } else {
            trainer.stop = &watch.stop();
        }
        return run(trainer, settings, weights);
    });
}

/// The radius, and the number of planes, for the trainer that has these settings.
template <typename Settings>
Columns choose(const PointsRef& X, const VectorRef& y, nb::kwargs given) {
    return choose_with<Settings>(
        std::move(given), [&](const auto& trainer, auto settings, const Vector& weights) {
            if constexpr (requires { trainer.features_per_plane; }) {
                if (trainer.features_per_plane == 0) {
                    settings.factors = collaborative_factors();
                    settings.reserve_below = kCollaborativeReserve;
                }
            }
            return columns_of(choose_radius({X, y, weights}, fit_radius_with(trainer), settings));
        });
}

/// The same for the numbers `y` of several classes: one radius for each.
template <typename Settings>
Columns choose_for_classes(const PointsRef& X, const VectorRef& y, Index n_classes,
                           nb::kwargs given) {
    return choose_with<Settings>(
        std::move(given), [&](const auto& trainer, auto settings, const Vector& weights) {
            if constexpr (requires { trainer.n_classes; }) {
                if (trainer.n_classes > 2) {
                    settings.factors = collaborative_factors();
                    settings.reserve_below = kCollaborativeReserve;
                    return columns_of(choose_joint_radius({X, y, weights}, n_classes,
                                                          fit_radius_with(trainer), settings));
                }
            }
            std::vector<FitRadius> fits;
            for (int c = 0; c < n_classes; ++c) {
                Settings own = trainer;
                own.attack_model = trainer.attack_model.against_rest(c);
                fits.push_back(fit_radius_with(own));
            }
            const auto fit = [&](int c, double radius, Index n_planes, const SvmData& part) {
                return fits[static_cast<std::size_t>(c)]({radius, n_planes}, part);
            };
            const ClassRadiusChoice choice =
                choose_class_radii({X, y, weights}, n_classes, fit, settings);
            return columns_of(choice);
        });
}

TrainedEnsemble train_robust_vote(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                                  nb::kwargs given) {
    RobustEnsembleSettings settings;
    std::optional<Ensemble> first_plane;
    std::optional<Ensemble> resume;
    Vector dual_ratio;
    Keywords keywords(std::move(given));
    read_settings(keywords, settings);
    keywords.read("records_accuracy", settings.records_accuracy)
        .read("first_plane", first_plane)
        .read("resume", resume)
        .read("dual_ratio", dual_ratio);
    Run run;
    run.read(keywords, settings);
    if (first_plane) {
        settings.first_plane =
            Hyperplane{first_plane->coef().row(0).transpose(), first_plane->intercept()[0]};
    }
    return watched(run.progress, [&](Watch& watch) {
        settings.control = watch.control(run.max_seconds);
        const RobustEnsembleResult result = train_robust_ensemble(
            {X, y, run.weights}, radii, settings, earlier_rounds(resume, dual_ratio));
        const std::vector<RoundRecord>& records = result.state.history;
        return TrainedEnsemble{
            ensemble_of(result.state.planes),
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
    });
}

/// (moved rows, how many planes are right at each).
std::pair<Matrix, Vector> move_rows(const MatrixRef& X, const VectorRef& y, const VectorRef& radii,
                                    const Ensemble& planes, nb::kwargs given) {
    RobustEnsembleSettings settings;
    Keywords keywords(std::move(given));
    read_settings(keywords, settings);
    keywords.read("n_threads", settings.n_threads).finish();
    const nb::gil_scoped_release release;
    std::vector<Hyperplane> list;
    for (Index i = 0; i < planes.n_planes(); ++i)
        list.push_back({planes.coef().row(i).transpose(), planes.intercept()[i]});
    MovedTrainingRows moved = move_training_rows({X, y, {}}, radii, list, settings);
    return {std::move(moved.X), std::move(moved.n_right)};
}

TrainedEnsemble train_bagged(const PointsRef& X, const VectorRef& y, nb::kwargs given) {
    BaggingSettings settings;
    Keywords keywords(std::move(given));
    keywords.read("C", settings.C)
        .read("tolerance", settings.tolerance)
        .read("seed", settings.seed)
        .read("bags", settings.bags);
    Run run;
    run.read(keywords, settings);
    return watched(run.progress, [&](Watch& watch) {
        settings.control = watch.control(run.max_seconds);
        const BaggingResult result = train_bagged_svms({X, y, run.weights}, settings);
        return TrainedEnsemble{
            ensemble_of(result.planes), result.status, result.is_partial, {}, {}};
    });
}

TrainedEnsemble train_together(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                               nb::kwargs given) {
    CollaborativeSettings settings;
    Keywords keywords(std::move(given));
    read_settings(keywords, settings);
    keywords.read("start", settings.start).read("quota", settings.quota);
    Run run;
    run.read(keywords, settings);
    return watched(run.progress, [&](Watch& watch) {
        settings.control = watch.control(run.max_seconds);
        const CollaborativeResult result =
            train_collaborative({X, y, run.weights}, radii, settings);
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

/// Ens-C of points that come in parts: what the library keeps between them.
struct CollaborativeDescentState {
    CollaborativeSettings settings;
    CollaborativePlan plan;
    double spread = 1.0;
    CollaborativeState state;
};

CollaborativeSettings part_settings(nb::kwargs given) {
    CollaborativeSettings settings;
    Keywords keywords(std::move(given));
    read_settings(keywords, settings);
    keywords.read("n_planes", settings.n_planes).read("n_threads", settings.n_threads).finish();
    return settings;
}

CollaborativeDescentState begin_descent(const Vector& w, double b, const MatrixRef& points,
                                        Index n_points, double spread, nb::kwargs given) {
    CollaborativeDescentState self{part_settings(std::move(given)), {}, spread, {}};
    self.plan = plan_collaborative(n_points, self.settings);
    self.state = start_collaborative({w, b}, points, self.settings);
    return self;
}

/// On a copy: whoever is interrupted has the state from before.
std::pair<CollaborativeDescentState, double> go_on(const CollaborativeDescentState& self,
                                                   const MatrixRef& X, const VectorRef& y,
                                                   const VectorRef& radii, const Vector& weights) {
    return watched(nb::none(), [&](Watch& watch) {
        CollaborativeDescentState next = self;
        next.settings.control.stop = &watch.stop();
        const double sum = run_collaborative_batches({X, y, weights}, radii, next.settings,
                                                     next.plan, next.spread, next.state);
        next.settings.control.stop = nullptr;
        return std::pair(std::move(next), sum);
    });
}

double descent_objective(const CollaborativeDescentState& self, const MatrixRef& X,
                         const VectorRef& y, const VectorRef& radii, const Vector& weights) {
    const nb::gil_scoped_release release;
    CollaborativeState state = self.state;
    return collaborative_objective({X, y, weights}, radii, self.settings, state);
}

void bind_descent(nb::module_& module) {
    using Self = CollaborativeDescentState;
    nb::class_<Self>(
        module, "CollaborativeDescent",
        "Ens-C of points that come in parts; see collaborative.hpp of the C++ library.")
        .def(
            "__init__",
            [](Self* self, const Vector& coef, double intercept, const MatrixRef& points,
               Index n_points, double spread, nb::kwargs settings) {
                new (self) Self(begin_descent(coef, intercept, points, n_points, spread, settings));
            },
            "coef"_a, "intercept"_a, "points"_a, "n_points"_a, "spread"_a, "settings"_a)
        .def("go_on", &go_on, "X"_a, "y"_a, "radii"_a, "weights"_a,
             "(what it is after a step per batch of these rows, the sum of their terms before).")
        .def("objective", &descent_objective, "X"_a, "y"_a, "radii"_a, "weights"_a,
             "The sum of the rows' terms.")
        .def_prop_ro("n_epochs", [](const Self& self) { return self.plan.n_epochs; })
        .def_prop_ro("n_batches", [](const Self& self) { return self.plan.n_batches; })
        .def_prop_ro("n_steps", [](const Self& self) { return self.state.n_steps; })
        .def_prop_ro("arrays",
                     [](const Self& self) {
                         const CollaborativeState& state = self.state;
                         return std::tuple(Matrix(state.coef), Vector(state.intercept),
                                           Matrix(state.moment), Matrix(state.variance),
                                           state.n_steps);
                     })
        .def(
            "at",
            [](const Self& self, const std::tuple<Matrix, Vector, Matrix, Matrix, Index>& arrays) {
                Self other = self;
                CollaborativeState& state = other.state;
                std::tie(state.coef, state.intercept, state.moment, state.variance, state.n_steps) =
                    arrays;
                return other;
            },
            "arrays"_a, "The same training at other planes and means.")
        .def_prop_ro("ensemble", [](const Self& self) {
            return Ensemble(self.state.coef, self.state.intercept);
        });
}

template <typename Settings>
void bind_choice(nb::module_& module, const char* name) {
    module.def(name, &choose<Settings>, "X"_a, "y"_a, "settings"_a,
               "The most robust radius that costs no accuracy. The settings are those of the\n"
               "training; n_planes is a list of the numbers of planes to try.");
    module.def(name, &choose_for_classes<Settings>, "X"_a, "y"_a, "n_classes"_a, "settings"_a,
               "The same for more than two classes, whose numbers `y` holds: one for each.");
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
        [](const PointsRef& X, const VectorRef& y, const std::optional<Vector>& weights,
           Index n_planes, std::uint64_t seed) {
            return draw_bags({X, y, weights.value_or(Vector())}, n_planes, seed);
        },
        "X"_a, "y"_a, nb::kw_only(), "weights"_a.none() = nb::none(), "n_planes"_a, "seed"_a,
        "n_planes x m: how often each point is in each bootstrap sample.");
    module.def(
        "train_robust_ensemble", &train_robust_vote, "X"_a, "y"_a, "radii"_a, "settings"_a,
        "Ens-E, Ens-R or Ens-H. The settings are those of robust_ensemble.hpp; also weights,\n"
        "max_seconds, progress, resume (planes) with dual_ratio. `first_plane` is an Ensemble\n"
        "of one plane.");
    module.def(
        "move_training_rows", &move_rows, "X"_a, "y"_a, "radii"_a, "planes"_a, "settings"_a,
        "(X, n_right): the rows after a round's adversary has moved them against the planes, and\n"
        "how many of these are right at each. Settings as for train_robust_ensemble.");
    module.def("train_bagged_svms", &train_bagged, "X"_a, "y"_a, "settings"_a,
               "SVM-Ens: linear SVMs on bootstrap samples. The settings are those of bagging.hpp;\n"
               "also weights, max_seconds, progress.");
    module.attr("CHOSEN_POWER") = kChosenPower;
    module.attr("RADIUS_FACTORS") = nb::tuple(nb::cast(RadiusChoiceSettings().factors));
    module.def("most_robust", &most_robust, "balanced_accuracy"_a, "standard_error"_a,
               "certified_radius"_a,
               "The number of the most robust candidate that costs no accuracy.");
    bind_choice<RobustSvmSettings>(module, "choose_svm_radius");
    bind_choice<RobustEnsembleSettings>(module, "choose_robust_radius");
    bind_choice<CollaborativeSettings>(module, "choose_collaborative_radius");
    module.def(
        "natural_scale",
        [](const PointsRef& X, const VectorRef& y, nb::kwargs given) {
            RadiusChoiceSettings settings;
            Vector weights;
            Keywords keywords(std::move(given));
            keywords.read(settings.attack_model).read("weights", weights).finish();
            return watched(nb::none(), [&](Watch& watch) {
                settings.control.stop = &watch.stop();
                return natural_scale({X, y, weights}, settings);
            });
        },
        "X"_a, "y"_a, "settings"_a,
        "The median distance of the points from the plane of the ordinary SVM. Settings: norm or\n"
        "attack_model, weights.");
    module.def("train_collaborative", &train_together, "X"_a, "y"_a, "radii"_a, "settings"_a,
               "Ens-C: planes trained together by raising the certified radii of their vote. The\n"
               "settings are those of collaborative.hpp; also weights, max_seconds, progress.");
    bind_descent(module);
}

}  // namespace redoubt::python
