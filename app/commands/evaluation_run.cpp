#include "commands/evaluation_run.hpp"

#include <CLI/App.hpp>
#include <limits>

#include "options/training_input.hpp"
#include "options/validators.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

/// DATA, or of it the rows that were held out: they are drawn from all rows, which must be known.
PointStream stream_labelled(const EvaluationOptions& options, const Model& model,
                            AttackChoice& rules) {
    if (options.holdout == 0.0) {
        return options.input.stream_points(model, rules, options.messages);
    }
    PointData points = options.input.load_points(model, options.messages);
    if (!points.y) throw InvalidInput("DATA", kNoLabels);
    Dataset data{
        std::move(points.X), *std::move(points.y), model.classes(), {}, std::move(points.missing)};
    data = data.subset(hold_out(data.y, options.holdout, options.seed, data.classes.size()).test);
    points.X = std::move(data.X);
    points.y = std::move(data.y);
    points.missing = std::move(data.missing);
    return PointStream(std::move(points));
}

void check_classes(const Evaluator& evaluator, const Model& model) {
    if (model.class_vote()) return;
    for (std::size_t label : {0, 1}) {
        if (evaluator.n_of_class(label) > 0) continue;
        throw InvalidInput("DATA", "all points are of class '" + model.classes()[1 - label] +
                                       "'; accuracy under attack needs both classes");
    }
}

void warn_of_training_rows(const SeenRows& seen) {
    if (!seen.is_suspicious) return;
    warn(seen_text(seen) + " were in the model's training data; expect worse on new points");
}

}  // namespace

void EvaluationOptions::add_to(CLI::App& command) {
    input.add_to(command);
    command.add_option("--radii", radii, "Attack radii, in scaled features")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    add_holdout_option(
        command, holdout,
        "Only the rows that 'train --holdout' held out with the same share and seed");
    seed_option = command.add_option("--seed", seed, "Seed of --holdout")
                      ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
                      ->capture_default_str();
    search.add_to(command);
}

void EvaluationOptions::check() const {
    if (seed_option->count() > 0 && holdout == 0.0) {
        throw InvalidInput("--seed", "has no effect without --holdout; specify both or neither");
    }
}

std::string EvaluationOptions::data_text() const {
    return input.data + (holdout > 0.0 ? ", " + percent_text(holdout) + " held out" : "");
}

EvaluationRun run_evaluation(const EvaluationOptions& options, const Model& model) {
    EvaluationRun run;
    run.rules = options.search.rules_for(model);
    PointStream stream = stream_labelled(options, model, run.rules);
    Evaluator evaluator(Decision(model), options.radii);
    {
        ProgressBar bar(options.messages, "certifying", "points");
        while (!run.is_stopped && stream.next()) {
            const PointData& points = stream.points();
            if (!points.y) throw InvalidInput("DATA", kNoLabels);
            run.rules.admit(points.X, *points.y, model.feature_names(), points.missing,
                            stream.n_before() + 1);
            run.seen = model.training().rows.look_up(points.X, run.seen);
            const Stopwatch watch;
            evaluator.add(
                model.scaler().transform_points(points.X), *points.y,
                options.search.settings<CertifySettings>(model, run.rules, points.missing,
                                                         stream.progress(bar), run.seconds));
            run.seconds += watch.seconds();
            run.is_stopped = stream.is_stopped();
        }
    }
    check_classes(evaluator, model);
    warn_of_training_rows(run.seen);
    const Stopwatch watch;
    run.evaluation = evaluator.finish();
    run.seconds += watch.seconds();
    return run;
}

std::string method_text(const Model& model) {
    const TrainingRecord& training = model.training();
    return training.method + ", " + std::to_string(model.ensemble().n_planes()) +
           (model.ensemble().n_planes() == 1 ? " plane" : " planes") +
           (training.is_partial ? ", partial" : "");
}

std::string seen_text(const SeenRows& seen) {
    if (seen.n_looked_up == seen.n_rows) {
        return std::to_string(seen.n_seen) + " of these " + std::to_string(seen.n_rows) + " rows";
    }
    return "about " +
           percent_text(static_cast<double>(seen.n_seen) / static_cast<double>(seen.n_looked_up)) +
           " of these rows";
}

std::string no_ceiling_text(const Evaluation& evaluation, const Model& model) {
    return evaluation.n_points > kMaxCeilingPoints
               ? "not computed for more than " + std::to_string(kMaxCeilingPoints) + " points"
           : model.class_vote() ? "only known for two classes"
                                : "only known for a plain ball";
}

ExitCode end_evaluation(const EvaluationRun& run, const EvaluationOptions& options) {
    const Evaluation& evaluation = run.evaluation;
    options.messages.note("evaluated " + std::to_string(evaluation.n_points) + " points in " +
                          seconds_text(run.seconds));
    const ExitCode code = warn_of_limits(evaluation.n_unsettled, evaluation.n_points);
    return run.is_stopped ? kStoppedEarly : code;
}

}  // namespace redoubt::app
