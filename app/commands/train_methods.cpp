#include "commands/train_methods.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "redoubt/threads.hpp"

namespace redoubt::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What every record has, whatever the method.
TrainingRecord start_record(const TrainingJob& job) {
    const MethodOptions& options = job.method;
    TrainingRecord record;
    record.method = options.method;
    record.norm = parse_norm(options.norm);
    record.n_points = job.data.X.rows();
    if (options.has_radius()) record.radii = TrainingRadii::of(job.radii);
    if (options.class_weight != "none") {
        record.settings.push_back({"class_weight", options.class_weight});
    }
    return record;
}

double number(Index count) {
    return static_cast<double>(count);
}

TrainedPlanes train_one_plane(const TrainingJob& job) {
    const MethodOptions& options = job.method;
    TrainedPlanes trained;
    trained.record = start_record(job);
    SvmResult result;
    if (options.method == "svm") {
        SvmSettings settings;
        settings.C = options.C;
        settings.n_threads = options.n_threads;
        settings.stop = job.control.stop;
        result = train_svm(job.data, settings);
        trained.record.settings.push_back({"C", options.C});
    } else {
        RobustSvmSettings settings;
        settings.attack_model = job.attack_model;
        settings.regularization = options.regularization;
        const auto note = [&](const char* name, double value) {
            trained.record.settings.push_back({name, value});
        };
        if (options.regularization > 0.0) note("regularization", options.regularization);
        if (options.least_weight) {
            settings.least_weight = Vector::Constant(1, *options.least_weight);
            note("least_weight", *options.least_weight);
        }
        if (options.greatest_weight) {
            settings.greatest_weight = Vector::Constant(1, *options.greatest_weight);
            note("greatest_weight", *options.greatest_weight);
        }
        // Passes, then, which are cheap.
        if (options.least_weight || options.greatest_weight) settings.max_iterations *= 10;
        settings.n_threads = options.n_threads;
        settings.stop = job.control.stop;
        result = train_robust_svm(job.data, job.radii, settings);
    }
    trained.status = result.status;
    trained.ensemble.emplace(result.plane);
    trained.warning = result.warning;
    trained.effort = std::to_string(result.stats.n_newton_steps) + " Newton steps";
    trained.record.is_partial = result.status == Status::Interrupted;
    trained.record.objective = result.primal_value;
    trained.record.gap = result.relative_gap;
    return trained;
}

/// With a checkpoint, as many planes at a time as there are threads: bags do not depend on each
/// other, so the planes are those of one call.
BaggingResult train_bags(const SvmData& data, BaggingSettings settings,
                         const TrainCheckpoint& checkpoint) {
    if (!checkpoint.is_wanted()) return train_bagged_svms(data, settings);
    BaggingResult result;
    result.status = Status::Optimal;
    result.planes = checkpoint.load<std::vector<Hyperplane>>().value_or(std::vector<Hyperplane>());
    const Index n_planes = settings.n_planes;
    const Matrix bags = draw_bags(data, n_planes, settings.seed);
    const double max_seconds = settings.control.max_seconds;
    const auto start = Clock::now();
    const auto n_done = [&] { return static_cast<Index>(result.planes.size()); };
    // A part does not know of the whole.
    settings.control.progress = [&, show = settings.control.progress](TrainingProgress progress) {
        progress.round += n_done();
        progress.n_rounds = n_planes;
        progress.seconds_left = std::numeric_limits<double>::infinity();
        if (show) show(progress);
    };
    while (n_done() < n_planes && !result.is_partial) {
        settings.n_planes =
            std::min<Index>(n_planes - n_done(), resolve_threads(settings.n_threads));
        settings.bags = bags.middleRows(n_done(), settings.n_planes);
        settings.control.max_seconds = std::max(0.0, max_seconds - seconds_since(start));
        const BaggingResult part = train_bagged_svms(data, settings);
        if (result.status == Status::Optimal || part.is_partial) result.status = part.status;
        result.is_partial = part.is_partial;
        result.planes.insert(result.planes.end(), part.planes.begin(), part.planes.end());
        if (!part.planes.empty()) checkpoint.save(result.planes);
    }
    return result;
}

TrainedPlanes train_bagging(const TrainingJob& job) {
    const MethodOptions& options = job.method;
    BaggingSettings settings;
    settings.n_planes = options.n_planes;
    settings.C = options.C;
    settings.seed = options.seed;
    settings.n_threads = options.n_threads;
    const TrainCheckpoint checkpoint(job.checkpoint, options.method,
                                     training_fingerprint(job.data, settings));
    settings.control = job.control;
    const BaggingResult result = train_bags(job.data, settings, checkpoint);

    TrainedPlanes trained;
    trained.status = result.status;
    if (!result.planes.empty()) trained.ensemble.emplace(result.planes);
    trained.record = start_record(job);
    trained.record.is_partial = result.is_partial;
    trained.record.seed = options.seed;
    trained.record.settings.push_back({"n_planes", number(settings.n_planes)});
    trained.record.settings.push_back({"C", settings.C});
    return trained;
}

RoundTable rounds_of(const std::vector<RoundRecord>& history) {
    RoundTable table;
    table.columns = {"round",        "n_foolable",  "n_fooled",          "mean_fooled",
                     "least_weight", "most_weight", "adversary_seconds", "svm_seconds"};
    for (const RoundRecord& round : history) {
        table.rows.push_back({number(static_cast<Index>(table.rows.size()) + 1),
                              number(round.n_foolable), number(round.n_fooled), round.mean_fooled,
                              round.least_weight, round.most_weight, round.adversary_seconds,
                              round.svm_seconds});
    }
    return table;
}

TrainedPlanes train_robust(const TrainingJob& job) {
    const MethodOptions& options = job.method;
    RobustEnsembleSettings settings;
    settings.attack_model = job.attack_model;
    settings.adversary = options.method == "ens-e"   ? Adversary::Exact
                         : options.method == "ens-r" ? Adversary::Relaxed
                                                     : Adversary::Heuristic;
    settings.rule = parse_heuristic_rule(options.rule);
    settings.n_planes = options.n_planes;
    settings.C = options.C;
    settings.n_threads = options.n_threads;
    settings.control = job.control;
    const TrainCheckpoint checkpoint(job.checkpoint, options.method,
                                     training_fingerprint(job.data, job.radii, settings));
    settings.checkpoint = [&](const RobustEnsembleState& state) { checkpoint.save(state); };
    const auto from = checkpoint.load<RobustEnsembleState>().value_or(RobustEnsembleState());
    const RobustEnsembleResult result = train_robust_ensemble(job.data, job.radii, settings, from);

    TrainedPlanes trained;
    trained.status = result.status;
    if (!result.state.planes.empty()) trained.ensemble.emplace(result.ensemble());
    trained.record = start_record(job);
    trained.record.is_partial = result.is_partial;
    double earlier_seconds = 0.0;
    for (const RoundRecord& round : from.history) {
        earlier_seconds += round.adversary_seconds + round.svm_seconds;
    }
    trained.record.seconds = earlier_seconds;
    std::vector<TrainingSetting>& list = trained.record.settings;
    list.push_back({"adversary", std::string(to_string(settings.adversary))});
    if (options.method == "ens-h") list.push_back({"rule", options.rule});
    list.push_back({"n_planes", number(settings.n_planes)});
    list.push_back({"C", settings.C});
    trained.record.rounds = rounds_of(result.state.history);
    return trained;
}

RoundTable epochs_of(const std::vector<EpochRecord>& history) {
    RoundTable table;
    table.columns = {"epoch", "objective", "seconds"};
    for (const EpochRecord& epoch : history) {
        table.rows.push_back(
            {number(static_cast<Index>(table.rows.size()) + 1), epoch.objective, epoch.seconds});
    }
    return table;
}

void add_settings(TrainingRecord& record, const CollaborativeSettings& settings,
                  const CollaborativeResult& result) {
    const std::initializer_list<std::pair<const char*, double>> all{
        {"n_planes", number(settings.n_planes)},
        {"n_epochs", number(result.n_epochs)},
        {"batch_size", number(settings.batch_size)},
        {"step", result.step},
        {"power", settings.power},
        {"cap", settings.cap},
        {"start_radius", settings.start_radius},
        {"jitter", settings.jitter}};
    for (const auto& [name, value] : all) record.settings.push_back({name, value});
}

TrainedPlanes train_together(const TrainingJob& job) {
    const MethodOptions& options = job.method;
    CollaborativeSettings settings;
    settings.attack_model = job.attack_model;
    settings.n_planes = options.n_planes;
    settings.quota = options.quota;
    settings.n_epochs = options.n_epochs;
    // One class against all others is seldom linear: a loss that goes on growing does not give up on
    // it.
    const bool has_many = job.is_one_of_many || job.n_classes > 2;
    settings.power = options.power.value_or(has_many ? 1.0 : settings.power);
    if (has_many && !options.power) settings.cap = 10.0;
    settings.seed = options.seed;
    settings.n_classes = job.n_classes;
    settings.n_threads = options.n_threads;
    settings.control = job.control;
    const TrainCheckpoint checkpoint(job.checkpoint, options.method,
                                     training_fingerprint(job.data, job.radii, settings));
    settings.checkpoint = [&](const CollaborativeState& state) { checkpoint.save(state); };
    const std::optional<CollaborativeState> from = checkpoint.load<CollaborativeState>();
    const CollaborativeResult result = train_collaborative(job.data, job.radii, settings, from);

    TrainedPlanes trained{.status = result.status, .ensemble = result.ensemble};
    trained.record = start_record(job);
    trained.record.is_partial = result.is_partial;
    trained.record.seed = options.seed;
    double earlier_seconds = 0.0;
    if (from) {
        for (const EpochRecord& epoch : from->history) earlier_seconds += epoch.seconds;
    }
    trained.record.seconds = earlier_seconds;
    add_settings(trained.record, settings, result);
    trained.record.rounds = epochs_of(result.state.history);
    if (!result.state.history.empty()) {
        trained.record.objective = result.state.history.back().objective;
    }
    return trained;
}

}  // namespace

TrainedPlanes train_planes(const TrainingJob& job) {
    const auto start = Clock::now();
    const MethodOptions& options = job.method;
    TrainedPlanes trained = !options.is_vote()             ? train_one_plane(job)
                            : options.method == "svm-ens"  ? train_bagging(job)
                            : options.is_robust_ensemble() ? train_robust(job)
                                                           : train_together(job);
    if (options.quota && trained.ensemble) {
        // Of the planes that are ready.
        const Index quota = std::min(*options.quota, trained.ensemble->n_planes());
        trained.ensemble = trained.ensemble->with_quota(number(quota));
    }
    // A resumed training has some from before.
    trained.record.seconds = trained.record.seconds.value_or(0.0) + seconds_since(start);
    trained.record.status = to_string(trained.status);
    return trained;
}

std::string progress_noun(const MethodOptions& method) {
    if (!method.is_vote()) return {};
    return method.method == "ens-c" ? "epochs" : "planes";
}

}  // namespace redoubt::app
