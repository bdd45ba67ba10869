#include "commands/auto_radius.hpp"

#include "commands/train_classes.hpp"
#include "output/progress_bar.hpp"

namespace redoubt::app {

namespace {

RadiusChoiceSettings settings_for(const MethodOptions& method, const TrainingJob& job,
                                  ProgressBar& bar) {
    RadiusChoiceSettings settings;
    settings.attack_model = job.attack_model;
    settings.n_planes = {method.is_vote() ? method.n_planes : 1};
    settings.seed = method.seed;
    settings.n_threads = method.n_threads;
    settings.control.stop = job.control.stop;
    settings.control.max_seconds = job.control.max_seconds;
    settings.control.progress = bar.rounds();
    return settings;
}

/// A trial on the points of `job`, with this radius.
Ensemble try_radius(const TrainingJob& job, double radius, Index n_planes) {
    MethodOptions own = job.method;
    own.given_radius = radius;
    own.n_planes = n_planes;
    own.n_threads = 1;
    own.n_epochs = trial_epochs({.n_epochs = job.method.n_epochs}, job.data.y.size());
    TrainingJob trial{own, job.data, Vector::Constant(1, radius)};
    trial.attack_model = job.attack_model;
    trial.control.stop = job.control.stop;
    trial.is_one_of_many = job.is_one_of_many;
    trial.n_classes = job.n_classes;
    const TrainedPlanes trained = train_planes(trial);
    // Without a plane it was interrupted, and nobody looks at the result.
    const Index n_rows = job.n_classes > 2 ? job.n_classes : 1;
    return trained.ensemble.value_or(
        Ensemble(Matrix(Matrix::Zero(n_rows, job.data.X.cols())), Vector(Vector::Zero(n_rows))));
}

}  // namespace

RadiusChoice choose_radius_for(MethodOptions& method, const TrainingJob& job, bool has_planes,
                               const MessageOptions& messages) {
    ProgressBar bar(messages, "choosing the radius", "trainings");
    RadiusChoiceSettings settings = settings_for(method, job, bar);
    if (method.method == "ens-c" && !has_planes && method.n_planes > 1)
        settings.n_planes.insert(settings.n_planes.begin(), 1);
    if (method.method == "ens-c") {
        settings.factors = collaborative_factors();
        settings.reserve_below = kCollaborativeReserve;
        method.power = kChosenPower;
    }
    const auto fit = [&](const RadiusCandidate& candidate, const SvmData& part) {
        TrainingJob trial{method, part, Vector()};
        trial.control.stop = job.control.stop;
        trial.attack_model = job.attack_model;
        return try_radius(trial, candidate.radius, candidate.n_planes);
    };
    RadiusChoice choice = choose_radius(job.data, fit, settings);
    method.given_radius = choice.best.radius;
    method.n_planes = choice.best.n_planes;
    return choice;
}

ClassRadiusChoice choose_class_radii_for(MethodOptions& method, const TrainingJob& job,
                                         std::size_t n_classes, const MessageOptions& messages) {
    ProgressBar bar(messages, "choosing the radius", "trainings");
    RadiusChoiceSettings settings = settings_for(method, job, bar);
    if (is_trained_jointly(method)) {
        settings.factors = collaborative_factors();
        settings.reserve_below = kCollaborativeReserve;
        method.power = kChosenPower;
        const auto fit_all = [&](const RadiusCandidate& candidate, const SvmData& part) {
            TrainingJob trial{method, part, Vector()};
            trial.control.stop = job.control.stop;
            trial.attack_model = job.attack_model;
            trial.n_classes = static_cast<Index>(n_classes);
            return try_radius(trial, candidate.radius, 1);
        };
        ClassRadiusChoice choice =
            choose_joint_radius(job.data, static_cast<Index>(n_classes), fit_all, settings);
        method.given_radius = choice.best.radius;
        return choice;
    }
    const auto fit = [&](int c, double radius, Index n_planes, const SvmData& part) {
        TrainingJob trial{method, part, Vector()};
        trial.control.stop = job.control.stop;
        trial.attack_model = job.attack_model.against_rest(c);
        trial.is_one_of_many = true;
        return try_radius(trial, radius, n_planes);
    };
    ClassRadiusChoice choice =
        choose_class_radii(job.data, static_cast<Index>(n_classes), fit, settings);
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
