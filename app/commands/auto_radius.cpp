#include "commands/auto_radius.hpp"

#include "output/progress_bar.hpp"

namespace redoubt::app {

RadiusChoice choose_radius_for(MethodOptions& method, const TrainingJob& job, bool has_planes,
                               const MessageOptions& messages) {
    ProgressBar bar(messages, "choosing the radius", "trainings");
    RadiusChoiceSettings settings;
    settings.attack_model = job.attack_model;
    settings.n_planes = {method.n_planes};
    if (method.method == "ens-c" && !has_planes && method.n_planes > 1)
        settings.n_planes.insert(settings.n_planes.begin(), 1);
    if (method.method == "ens-c") {
        settings.factors = collaborative_factors();
        settings.reserve_below = kCollaborativeReserve;
        method.power = kChosenPower;
    }
    settings.seed = method.seed;
    settings.n_threads = method.n_threads;
    settings.control.stop = job.control.stop;
    settings.control.max_seconds = job.control.max_seconds;
    settings.control.progress = bar.rounds();
    const auto fit = [&](const RadiusCandidate& candidate, const SvmData& part) {
        MethodOptions own = method;
        own.given_radius = candidate.radius;
        own.n_planes = candidate.n_planes;
        own.n_threads = 1;
        own.n_epochs = trial_epochs({.n_epochs = method.n_epochs}, part.y.size());
        TrainingJob training{own, part, Vector::Constant(1, candidate.radius)};
        training.attack_model = job.attack_model;
        training.control.stop = job.control.stop;
        const TrainedPlanes trained = train_planes(training);
        // Without a plane it was interrupted, and nobody looks at the result.
        return trained.ensemble.value_or(Ensemble(Hyperplane{Vector::Zero(part.X.cols()), 0.0}));
    };
    RadiusChoice choice = choose_radius(job.data, fit, settings);
    method.given_radius = choice.best.radius;
    method.n_planes = choice.best.n_planes;
    return choice;
}

void record_choice(TrainingRecord& record, const RadiusChoice& choice) {
    record.settings.push_back({"radius_rule", std::string("auto")});
    record.settings.push_back({"radius_scale", choice.scale});
    record.settings.push_back({"radius_points", static_cast<double>(choice.n_points)});
    record.settings.push_back({"radius_folds", static_cast<double>(choice.n_folds)});
    if (choice.n_folds == 0) return;
    record.choice.columns = kChoiceColumns;
    for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
        const RadiusCandidate& one = choice.candidates[i];
        const auto row = static_cast<Index>(i);
        record.choice.rows.push_back(
            {one.radius, static_cast<double>(one.n_planes), choice.selection.balanced_accuracy[row],
             choice.selection.standard_error[row], choice.selection.certified_radius[row],
             one == choice.best ? 1.0 : 0.0});
    }
}

void add_choice(Report& report, const TrainingRecord& record) {
    if (record.choice.columns != kChoiceColumns) return;
    Table& table = report.add_table("radius_choice",
                                    "How the radius was chosen, by cross-validation in the "
                                    "training data (percent, and mean certified radius)",
                                    {"radius",
                                     "planes",
                                     {"balanced_accuracy", Look::Percent},
                                     {"standard_error", Look::Percent},
                                     "certified_radius",
                                     "choice"});
    for (const std::vector<double>& row : record.choice.rows) {
        table.add(row[0]).add(static_cast<Index>(row[1])).add(row[2]).add(row[3]).add(row[4]);
        table.add(row[5] > 0.0 ? "chosen" : "");
    }
}

}  // namespace redoubt::app
