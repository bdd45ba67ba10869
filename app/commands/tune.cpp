// redoubt tune: the training radius and the number of planes by cross-validation under attack.

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "commands/train_classes.hpp"
#include "commands/trained_model.hpp"
#include "options/method_options.hpp"
#include "options/training_input.hpp"
#include "options/validators.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/progress_bar.hpp"
#include "output/report.hpp"
#include "redoubt/error.hpp"
#include "redoubt/radius_choice.hpp"
#include "redoubt/selection.hpp"
#include "shell/help_text.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {
namespace {

/// Certified radii of single points count up to this many natural scales.
constexpr double kCappedScales = 3.0;

struct TuneOptions {
    TrainingInputOptions input;
    MethodOptions method;
    std::vector<double> radius;
    std::vector<Index> planes;
    std::vector<double> radii;
    std::string score = "auto";
    std::string choose = "best";
    Index n_folds = 5;
    double max_seconds = std::numeric_limits<double>::infinity();
    std::string model;
    OutputOptions output{OutputOptions::Usual::Text};
    MessageOptions messages;
};

void add_options(CLI::App& command, TuneOptions& options) {
    const char* const group = "Candidates and scores";
    options.method.method = "ens-c";
    options.input.add_to(command, RadiusColumn::No);
    options.method.add_to(command);
    options.method.restrict(
        command
            .add_option("--radius", options.radius,
                        "Training radii to try (default: 0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8 and 4 "
                        "times the "
                        "natural scale of DATA, the median distance from the plane of the SVM)")
            ->check(nonnegative_number())
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group(group),
        radius_methods());
    options.method.restrict(
        command
            .add_option("--planes", options.planes, "Numbers of planes to try (default: 1,5,15)")
            ->check(positive_integer())
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group(group),
        vote_methods());
    command
        .add_option("--radii", options.radii,
                    "Attack radii; a candidate's score is its mean over them (default: 0, 0.25, "
                    "0.5, 0.75, 1, 1.5 and 2 times the natural scale)")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    command
        .add_option("--score", options.score,
                    "accuracy, or balanced (mean of the classes); auto is balanced where one class "
                    "has less than 80 % of its equal share of the points (of two classes, 40 %)")
        ->check(one_of({"auto", "accuracy", "balanced"}))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--choose", options.choose,
                    "best: the greatest score; no-cost: the most robust candidate that loses no "
                    "accuracy without attack, as in train --radius auto")
        ->check(one_of({"best", "no-cost"}))
        ->capture_default_str()
        ->group(group);
    command.add_option("--folds", options.n_folds, "Number of folds, at least 2")
        ->check(integer_from(2))
        ->capture_default_str()
        ->group(group);
    command
        .add_option("--seed", options.method.seed,
                    "Seed of the folds, --holdout, svm-ens and ens-c")
        ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    command
        .add_option("--time-limit", options.max_seconds,
                    "Seconds for the cross-validation; the best so far is then trained")
        ->check(nonnegative_number());
    command
        .add_option("--model", options.model,
                    "Write the winner, trained on all of DATA, to this file")
        ->type_name("FILE");
    options.output.add_to(command);
    options.messages.add_to(command);
}

constexpr std::array kAttackFactors{0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0};
/// A class with less than this part of its equal share makes the balanced score the usual one.
constexpr double kEqualShare = 0.8;

/// The share of the smallest class, in equal shares.
double least_share(const Dataset& data) {
    const std::size_t n_classes = data.classes.size();
    double least = 1.0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double label = label_of_class(c, n_classes);
        least = std::min(least, (data.y.array() == label).cast<double>().mean());
    }
    return least * static_cast<double>(n_classes);
}

Vector as_vector(const std::vector<double>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

/// Fills in what follows from the data: attack radii and the score.
void settle(TuneOptions& options, const TrainingInput& input, double scale) {
    if (options.radii.empty()) {
        for (double factor : kAttackFactors) options.radii.push_back(factor * scale);
    }
    if (options.score != "auto") return;
    const bool is_equal = least_share(input.training.data) >= kEqualShare;
    options.score = is_equal ? "accuracy" : "balanced";
    if (!is_equal) {
        options.messages.note(
            "scores are balanced, because the classes are unequal; --score "
            "accuracy weights all points equally");
    }
}

/// Every combination of radius and number of planes that the method looks at. Radii that were not
/// given lie around the natural scale of the data.
std::vector<MethodOptions> candidates(const TuneOptions& options, double scale) {
    const MethodOptions& method = options.method;
    std::vector<double> radius = options.radius;
    if (radius.empty()) {
        for (double factor : RadiusChoiceSettings().factors) radius.push_back(factor * scale);
    }
    if (!method.has_radius()) radius = {0.0};
    std::vector<Index> planes = options.planes;
    if (planes.empty()) planes = {1, 5, 15};
    if (!method.is_vote()) planes = {1};
    std::vector<MethodOptions> list;
    for (double r : radius) {
        for (Index k : planes) {
            MethodOptions& candidate = list.emplace_back(method);
            if (method.has_radius()) candidate.given_radius = r;
            candidate.n_planes = k;
        }
    }
    return list;
}

void check_options(const TuneOptions& options) {
    if (options.method.method == "svm") {
        throw InvalidInput("--method", "'svm' has neither a radius nor several planes to choose");
    }
    for (const MethodOptions& candidate : candidates(options, 1.0)) candidate.check();
    options.input.check();
    if (options.model == "-") {
        throw InvalidInput("--model", "cannot be standard output; specify a file");
    }
}

SelectionResult cross_validate(const TuneOptions& options, const TrainingInput& input,
                               const std::vector<MethodOptions>& list, double scale) {
    ProgressBar bar(options.messages, "tuning", "trainings");
    bar.set(0.0, static_cast<double>(list.size()) * static_cast<double>(options.n_folds));
    SelectionSettings settings;
    settings.rule = options.choose == "best" ? SelectionRule::BestScore : SelectionRule::NoCost;
    settings.attack_radii = as_vector(options.radii);
    settings.radius_cap = kCappedScales * scale;
    settings.score = options.score == "balanced" ? Score::BalancedAccuracy : Score::Accuracy;
    settings.n_folds = options.n_folds;
    settings.seed = options.method.seed;
    settings.n_threads = options.method.n_threads;
    settings.control.stop = &stop_on_interrupt();
    settings.control.max_seconds = options.max_seconds;
    settings.control.progress = bar.rounds();
    settings.attack_model = input.rules.model.scaled(input.scaler);
    const Stopwatch watch;
    const auto n_all = static_cast<Index>(input.training.data.classes.size());
    const auto train = [&](Index candidate, const SvmData& part, const auto& run) {
        MethodOptions method = list[static_cast<std::size_t>(candidate)];
        method.n_threads = 1;  // candidates have the threads
        TrainingJob job{method, part, Vector::Constant(1, method.radius())};
        job.attack_model = settings.attack_model;
        job.control.stop = settings.control.stop;
        job.control.max_seconds = std::max(0.0, options.max_seconds - watch.seconds());
        const TrainedPlanes trained = run(job);
        // Without a plane the time is up, and nobody looks at the result.
        const Index n_rows = n_all > 2 && is_trained_jointly(method) ? n_all : 1;
        return trained.ensemble.value_or(
            Ensemble(Matrix(Matrix::Zero(n_rows, part.X.cols())), Vector(Vector::Zero(n_rows))));
    };
    const auto n_candidates = static_cast<Index>(list.size());
    const std::size_t n_classes = input.training.data.classes.size();
    if (n_classes == 2) {
        const auto fit = [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
            return train(candidate, part, train_planes);
        };
        return select_candidate(input.svm_data(), n_candidates, fit, settings);
    }
    const auto fit = [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
        if (is_trained_jointly(list[static_cast<std::size_t>(candidate)])) {
            const Ensemble planes = train(candidate, part, [&](TrainingJob job) {
                job.n_classes = static_cast<Index>(n_classes);
                return train_planes(job);
            });
            return vote_of_classes(planes, n_classes);
        }
        std::vector<Ensemble> classes;
        for (std::size_t c = 0; c < n_classes; ++c) {
            classes.push_back(train(candidate, part, [&](const TrainingJob& job) {
                return train_class(job, static_cast<int>(c));
            }));
        }
        return ClassVote::against_rest(classes);
    };
    return select_candidate(input.svm_data(), static_cast<Index>(n_classes), n_candidates, fit,
                            settings);
}

void add_candidates(Report& report, const TuneOptions& options,
                    const std::vector<MethodOptions>& list, const SelectionResult& result) {
    Table& table =
        report.add_table("candidates",
                         "Mean " + std::string(options.score == "balanced" ? "balanced " : "") +
                             "accuracy under attack (percent) in cross-validation",
                         {"radius",
                          "planes",
                          {"mean", Look::Percent},
                          {"deviation", Look::Percent},
                          {"clean_balanced", Look::Percent},
                          "certified_radius",
                          "folds",
                          "choice"});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto row = static_cast<Index>(i);
        if (options.method.has_radius()) {
            table.add(list[i].radius());
        } else {
            table.add_missing();
        }
        const Index n_done = (result.scores.row(row).array().isNaN() == false).count();
        table.add(list[i].n_planes).add(result.mean[row]).add(result.deviation[row]);
        table.add(result.balanced_accuracy[row]).add(result.certified_radius[row]).add(n_done);
        table.add(row == result.best ? "best" : "");
    }
}

TrainedPlanes train_on_all(const TuneOptions& options, const TrainingInput& input,
                           const MethodOptions& winner) {
    TrainingJob job{winner, input.svm_data(), Vector::Constant(1, winner.radius())};
    job.attack_model = input.rules.model.scaled(input.scaler);
    job.control.stop = &stop_on_interrupt();
    TrainedPlanes trained =
        train_all(job, input.training.data.classes, {}, options.messages, "training the winner");
    complete_record(trained.record, input);
    return trained;
}

/// Trains the winner on all of the training part; writes its model and, if points were held out,
/// adds its attack curve.
ExitCode finish_winner(Report& report, const TuneOptions& options, const TrainingInput& input,
                       const MethodOptions& winner) {
    const TrainedPlanes trained = train_on_all(options, input, winner);
    if (!trained.ensemble) return kStoppedEarly;
    warn_of_constant(input, winner, trained);
    if (!options.model.empty()) save_trained(input, trained, options.model, options.messages);
    add_training_facts(report, winner, input, trained);
    if (!is_success(trained.status)) return kStoppedEarly;
    if (!input.test) return kProven;
    return add_test_curve(report, options.output.format(), input, trained,
                          {winner.n_threads, options.radii, options.messages});
}

ExitCode tune(TuneOptions options) {
    check_options(options);
    options.output.check();
    TrainingInput input =
        options.input.load(options.method.class_weight, options.method.seed, options.messages);
    if (input.training.data.classes.size() > 2 && options.method.quota)
        throw InvalidInput("--quota", "two classes", "more");
    options.method.settle_norm(input.rules.model, options.input.attack_model.is_file(),
                               input.training.data.n_features());
    if (!options.model.empty()) rehearse_saving(input, options.model);
    RadiusChoiceSettings sample;
    sample.attack_model = input.rules.model.scaled(input.scaler);
    const auto n_classes = static_cast<Index>(input.training.data.classes.size());
    const double scale = n_classes == 2
                             ? natural_scale(input.svm_data(), sample)
                             : natural_scales(input.svm_data(), n_classes, sample).mean();
    settle(options, input, scale);
    const std::vector<MethodOptions> list = candidates(options, scale);

    const Stopwatch watch;
    const SelectionResult result = cross_validate(options, input, list, scale);
    options.messages.note("tried " + std::to_string(list.size()) + " candidates in " +
                          watch.text());
    Report report(options.output.format());
    add_candidates(report, options, list, result);
    ExitCode code = result.status == Status::Optimal ? kProven : kStoppedEarly;
    if (result.status == Status::Interrupted || result.best < 0) {
        warn("stopped (" + std::string(to_string(result.status)) +
             ") before every candidate had been tried, so there is no model");
    } else {
        const MethodOptions& winner = list[static_cast<std::size_t>(result.best)];
        code = std::max(code, finish_winner(report, options, input, winner));
    }
    options.output.write(report);
    return code;
}

}  // namespace

Run add_tune_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("tune", "Choose radius and planes by cross-validation");
    auto options = std::make_shared<TuneOptions>();
    options->input.read.max_classes = kMaxTrainedClasses;
    add_options(*command, *options);
    describe(
        *command,
        "Features are scaled once, using all of DATA, so that a radius means the same in every "
        "fold. Of equal scores, the candidate named first wins.",
        {{"The best vote for bundled data, then evaluated on the published test part",
          "redoubt tune bcw:train --model model.json && redoubt evaluate model.json bcw:test"},
         {"Three radii for a robust plane, a fifth of the file held out for testing",
          "redoubt tune patients.csv --label diagnosis --method ro-svm --radius 0.1,0.3,0.5 "
          "--holdout 0.2"}});
    return [options] { return tune(*options); };
}

}  // namespace redoubt::app
