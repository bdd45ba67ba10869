// redoubt train: planes from labelled data, and how they stand up to an adversary.

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "commands/auto_radius.hpp"
#include "commands/command.hpp"
#include "commands/train_classes.hpp"
#include "commands/train_methods.hpp"
#include "commands/trained_model.hpp"
#include "options/train_options.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {
namespace {

/// With --radius auto the radius, and perhaps the number of planes, is chosen first and set in
/// `method`.
TrainedPlanes run_training(const TrainOptions& options, MethodOptions& method,
                           const TrainingInput& input) {
    const bool has_own_radii = input.training.radii.size() > 0;
    TrainingJob job{method, input.svm_data(), input.training.radii};
    job.control.stop = &stop_on_interrupt();
    job.control.max_seconds = options.max_seconds;
    job.attack_model = input.rules.model.scaled(input.scaler);
    const ClassNames& classes = input.training.data.classes;
    const bool has_many = classes.size() > 2;
    if (has_many && !options.checkpoint.empty())
        throw InvalidInput("--checkpoint", "two classes", "more");
    if (has_many && method.quota) throw InvalidInput("--quota", "two classes", "more");
    // Votes of several classes are often equal: single planes of the collaborative kind are not.
    if (has_many && method.method == "ens-c" && !options.has_planes()) method.n_planes = 1;
    std::optional<RadiusChoice> choice;
    Vector class_radii;
    if (method.has_auto_radius() && !has_own_radii) {
        const Stopwatch watch;
        if (has_many) {
            ClassRadiusChoice found =
                choose_class_radii_for(method, job, classes.size(), options.messages);
            class_radii = found.radii(found.best);
            choice = std::move(found);
        } else {
            choice = choose_radius_for(method, job, options.has_planes(), options.messages);
        }
        options.messages.note("radius " + shown_text(choice->best.radius) + " chosen of " +
                              std::to_string(choice->candidates.size()) + " candidates in " +
                              watch.text());
        job.control.max_seconds = std::max(0.0, options.max_seconds - watch.seconds());
    }
    if (!has_own_radii) job.radii = Vector::Constant(1, method.radius());
    job.checkpoint = {options.checkpoint, options.resume};
    TrainedPlanes trained = train_all(job, classes, class_radii, options.messages);
    complete_record(trained.record, input);
    if (choice) record_choice(trained.record, *choice);
    return trained;
}

void report_training(const TrainOptions& options, const TrainingInput& input,
                     const MethodOptions& method, const TrainedPlanes& trained) {
    options.messages.note((trained.record.is_partial ? "stopped after " : "trained in ") +
                          seconds_text(trained.record.seconds.value_or(0.0)) +
                          (trained.effort.empty() ? "" : ", ") + trained.effort);
    if (trained.ensemble) warn_of_constant(input, method, trained);
}

/// The model first: only then is the checkpoint of no more use.
void save_results(const TrainOptions& options, const TrainingInput& input,
                  const TrainedPlanes& trained) {
    if (!options.model.empty()) save_trained(input, trained, options.model, options.messages);
    if (options.checkpoint.empty()) return;
    if (!trained.record.is_partial) {
        std::filesystem::remove(options.checkpoint);
    } else if (std::filesystem::exists(options.checkpoint)) {
        options.messages.note("checkpoint kept in " + options.checkpoint +
                              "; add --resume to continue from it");
    }
}

ExitCode train(const TrainOptions& options) {
    options.check();
    options.output.check();
    TrainingInput input =
        options.input.load(options.method.class_weight, options.method.seed, options.messages);
    MethodOptions method = options.method;
    method.settle_norm(input.rules.model, options.input.attack_model.is_file(),
                       input.training.data.n_features());
    if (!options.model.empty()) rehearse_saving(input, options.model);

    const TrainedPlanes trained = run_training(options, method, input);
    report_training(options, input, method, trained);
    if (!trained.ensemble) {
        std::cerr << "redoubt: stopped before the first plane, so there is no model ("
                  << to_string(trained.status) << ")\n";
        return kStoppedEarly;
    }
    save_results(options, input, trained);
    Report report(options.output.format());
    add_training_facts(report, method, input, trained);
    ExitCode code = kProven;
    // The curve comes first: it is what CSV holds.
    if (trained.status != Status::Interrupted) {
        code = add_test_curve(report, options.output.format(), input, trained,
                              {method.n_threads, options.radii, options.messages});
    }
    add_plane(report, input, trained);
    add_choice(report, trained.record);
    options.output.write(report);
    return is_success(trained.status) ? code : kStoppedEarly;
}

}  // namespace

Run add_train_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("train", "Train planes and evaluate them under attack");
    auto options = std::make_shared<TrainOptions>();
    options->input.read.max_classes = kMaxTrainedClasses;
    options->add_to(*command);
    describe(
        *command,
        "Radii are in scaled features. With more than two classes, each is trained against the "
        "rest. An option that has no effect on the method is refused. Ctrl-C stops the "
        "training and keeps the model so far.",
        {{"A vote of 15 planes for bundled data, saved to a file",
          "redoubt train bcw:train --test bcw:test --method ens-c --model model.json"},
         {"A robust plane for a file of your own, a fifth of it held out",
          "redoubt train patients.csv --label diagnosis --method ro-svm --radius 0.5 "
          "--holdout 0.2"}});
    return [options] { return train(*options); };
}

}  // namespace redoubt::app
