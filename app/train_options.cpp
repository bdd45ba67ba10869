#include "train_options.hpp"

#include <algorithm>
#include <filesystem>

#include "redoubt/error.hpp"
#include "report.hpp"
#include "validators.hpp"

namespace redoubt::app {
namespace {

const std::vector<std::string> kMethods{"svm",   "ro-svm", "svm-ens", "ens-e",
                                        "ens-r", "ens-h",  "ens-c"};
constexpr double kDefaultRadius = 0.1;
/// Ens-C raises radii up to a target, which lies well beyond what most points reach.
constexpr double kDefaultTarget = 2.0;

/// "--method a, b or c".
std::string method_choice(const std::vector<std::string>& methods) {
    std::string text = "--method ";
    for (std::size_t i = 0; i < methods.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < methods.size() ? ", " : " or ") + methods[i];
    }
    return text;
}

}  // namespace

void TrainOptions::add_to(CLI::App& command) {
    command
        .add_option("DATA", data,
                    "Training data: a file, - for standard input, or bundled (bcw, bcw:train, ..)")
        ->required();
    command.add_option("--test", test, "Data for the attack table (default: DATA)");
    command.add_option("--model", model, "Write the model to this file");
    command
        .add_option("--method", method,
                    "One plane: svm, ro-svm (robust). A vote: svm-ens (bagging), ens-e, ens-r, "
                    "ens-h (robust; exact, relaxed, heuristic adversary), ens-c (collaborative)")
        ->check(one_of(kMethods))
        ->capture_default_str();
    command.add_option("--norm", norm, "The adversary's norm: l1, l2 or linf")
        ->check(one_of({"l1", "l2", "linf"}))
        ->capture_default_str();
    add_method_options(command);
    command.add_option("--class-weight", class_weight, "balanced: both classes weigh the same")
        ->check(one_of({"balanced", "none"}))
        ->capture_default_str();
    command.add_option("--scale", scale, "Scaling of features: standard, minmax or none")
        ->check(one_of({"standard", "minmax", "none"}))
        ->capture_default_str();
    command.add_option("--radii", radii, "Attack radii of the table, in scaled units")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->capture_default_str();
    command.add_option("--threads", n_threads, "Threads; 0 is every core")
        ->check(nonnegative_integer())
        ->capture_default_str();
    add_run_options(command);
    read.add_to(command);
}

void TrainOptions::add_method_options(CLI::App& command) {
    radius_option_ =
        command
            .add_option("--radius", given_radius_,
                        "The adversary's reach in training (default: 0.1); ens-c: the radius that "
                        "every point should reach (default: 2)")
            ->check(nonnegative_number());
    const CLI::Option* const C_option =
        command.add_option("--C", C, "Penalty of the hinges: svm, svm-ens, ens-e, ens-r, ens-h")
            ->check(positive_number())
            ->capture_default_str();
    const CLI::Option* const planes_option =
        command.add_option("--planes", n_planes, "Planes that vote: svm-ens and ens-*")
            ->check(positive_integer())
            ->capture_default_str();
    const CLI::Option* const epochs_option =
        command.add_option("--epochs", n_epochs, "Passes over the data: ens-c")
            ->check(positive_integer())
            ->capture_default_str();
    const CLI::Option* const seed_option =
        command.add_option("--seed", seed, "Of random numbers: svm-ens, ens-c")
            ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
            ->capture_default_str();
    const CLI::Option* const rule_option =
        command.add_option("--rule", rule, "The step of ens-h: corrected, or published")
            ->check(one_of({"corrected", "published"}))
            ->capture_default_str();
    method_options_ = {{radius_option_, {"ro-svm", "ens-e", "ens-r", "ens-h", "ens-c"}},
                       {C_option, {"svm", "svm-ens", "ens-e", "ens-r", "ens-h"}},
                       {planes_option, {"svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"}},
                       {epochs_option, {"ens-c"}},
                       {seed_option, {"svm-ens", "ens-c"}},
                       {rule_option, {"ens-h"}}};
}

void TrainOptions::add_run_options(CLI::App& command) {
    const char* const group = "Long trainings";
    const std::vector<std::string> ensembles{"svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"};
    const CLI::Option* const time_option =
        command
            .add_option("--time-limit", max_seconds,
                        "Seconds for the training of a vote; then the planes so far are the result")
            ->check(nonnegative_number())
            ->group(group);
    CLI::Option* const checkpoint_option =
        command
            .add_option("--checkpoint", checkpoint,
                        "Keep the state of the training in this file, removed at the end")
            ->group(group);
    const CLI::Option* const resume_option =
        command.add_flag("--resume", resume, "Go on from the checkpoint, if it is there")
            ->group(group);
    method_options_.push_back({time_option, ensembles});
    method_options_.push_back({checkpoint_option, ensembles});
    method_options_.push_back({resume_option, ensembles});
}

void TrainOptions::check() const {
    for (const auto& [option, methods] : method_options_) {
        const bool fits = std::find(methods.begin(), methods.end(), method) != methods.end();
        if (fits || option->count() == 0) continue;
        throw InvalidInput(option->get_name(), method_choice(methods), "--method " + method);
    }
    if (method == "ens-c" && !(radius() > 0.0)) {
        throw InvalidInput("--radius", "a number > 0 with --method ens-c", exact_text(radius()));
    }
    if (data == "-" && test == "-") {
        throw InvalidInput("--test", "a file, as DATA is read from standard input", "'-'");
    }
    if (model == "-") throw InvalidInput("--model", "a file", "'-'");
    if (checkpoint == "-") throw InvalidInput("--checkpoint", "a file", "'-'");
    if (!checkpoint.empty() && checkpoint == model) {
        throw InvalidInput("--checkpoint", "another file than --model", "'" + checkpoint + "'");
    }
    if (resume && checkpoint.empty()) throw InvalidInput("--resume", "--checkpoint FILE", "none");
    if (!resume && !checkpoint.empty() && std::filesystem::exists(checkpoint)) {
        throw InvalidInput("--checkpoint", "--resume, or a file that is not there yet",
                           "'" + checkpoint + "'");
    }
}

double TrainOptions::radius() const {
    if (radius_option_->count() > 0) return given_radius_;
    return method == "ens-c" ? kDefaultTarget : kDefaultRadius;
}

bool TrainOptions::is_robust_ensemble() const {
    return method == "ens-e" || method == "ens-r" || method == "ens-h";
}

}  // namespace redoubt::app
