#include "options/train_options.hpp"

#include <CLI/App.hpp>
#include <filesystem>

#include "options/validators.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {

void TrainOptions::add_to(CLI::App& command) {
    input.add_to(command);
    command.add_option("--test", input.test, "Data for the attack table (default: DATA)")
        ->type_name("DATA");
    command.add_option("--model", model, "Write the model to this file")->type_name("FILE");
    add_method_options(command);
    add_plane_options(command);
    command.add_option("--radii", radii, "Attack radii of the table, in scaled units")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    add_run_options(command);
    output.add_to(command);
    messages.add_to(command);
}

void TrainOptions::add_method_options(CLI::App& command) {
    const char* const group = "Method";
    method.add_to(command);
    radius_option_ =
        command
            .add_option_function<std::string>(
                "--radius",
                [this](const std::string& text) {
                    method.wants_auto_radius = text == "auto";
                    if (!method.wants_auto_radius) method.given_radius = std::stod(text);
                },
                "Radius of the adversary in training (default: 0.1); ens-c: the radius that every "
                "point should reach (default: auto). auto: the most robust one that costs no "
                "accuracy in cross-validation on DATA")
            ->check(nonnegative_number_or("auto"))
            ->group(group);
    method.restrict(radius_option_, radius_methods());
    method.restrict(input.read.radius_option, radius_methods());
    planes_option_ = command
                         .add_option("--planes", method.n_planes,
                                     "Planes that vote: svm-ens and ens-* (ens-c with --radius "
                                     "auto tries 1, too, unless this is given)")
                         ->check(positive_integer())
                         ->capture_default_str()
                         ->group(group);
    method.restrict(planes_option_, vote_methods());
    method.restrict(command
                        .add_option("--quota", method.quota,
                                    "Planes that must answer the second class for the vote to do "
                                    "so: svm-ens and ens-* of two classes (default: half of them)")
                        ->check(positive_integer())
                        ->group(group),
                    vote_methods());
    seed_option_ =
        command.add_option("--seed", method.seed, "Random seed: svm-ens, ens-c, --holdout")
            ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
            ->capture_default_str();
}

void TrainOptions::add_plane_options(CLI::App& command) {
    const auto add = [&](const char* name, auto& value, const char* text) {
        CLI::Option* option = command.add_option(name, value, text)->group("Method");
        method.restrict(option, {"ro-svm"});
        return option;
    };
    add("--regularization", method.regularization, "Weight of 1/2 ||w||^2 in the objective: ro-svm")
        ->check(nonnegative_number())
        ->capture_default_str();
    add("--least-weight", method.least_weight,
        "Lower bound on the weights: ro-svm, with --radius 0 or where l1 moves count words (0 "
        "gives the monotone filter)")
        ->type_name("NUMBER");
    add("--greatest-weight", method.greatest_weight,
        "Upper bound on the weights: ro-svm, likewise (with its negative as lower bound: Sec-SVM)")
        ->type_name("NUMBER");
}

void TrainOptions::add_run_options(CLI::App& command) {
    const char* const group = "Long trainings";
    method.restrict(command
                        .add_option("--time-limit", max_seconds,
                                    "Seconds for the training of a vote; the planes so far are "
                                    "then the result")
                        ->check(nonnegative_number())
                        ->group(group),
                    vote_methods());
    method.restrict(
        command
            .add_option("--checkpoint", checkpoint,
                        "Save the state of the training in this file, which is removed at the end")
            ->type_name("FILE")
            ->group(group),
        vote_methods());
    method.restrict(
        command.add_flag("--resume", resume, "Continue from the checkpoint, if it exists")
            ->group(group),
        vote_methods());
}

void TrainOptions::check() const {
    method.check();
    const bool is_shaped =
        method.regularization > 0.0 || method.least_weight || method.greatest_weight;
    if (is_shaped && method.has_auto_radius()) {
        throw InvalidInput("--radius",
                           "'auto' cannot be combined with --regularization, --least-weight or "
                           "--greatest-weight; specify a number");
    }
    input.check();
    if (radius_option_->count() > 0 && !input.read.radius_column.empty()) {
        throw InvalidInput("--radius-column", "specify --radius or --radius-column, not both");
    }
    const bool has_use_of_seed =
        method.method == "svm-ens" || method.method == "ens-c" || input.holdout > 0.0;
    if (seed_option_->count() > 0 && !has_use_of_seed) {
        throw InvalidInput("--seed", "has no effect with --method " + method.method +
                                         "; it is for svm-ens, ens-c and --holdout");
    }
    if (model == "-") {
        throw InvalidInput("--model", "cannot be standard output; specify a file");
    }
    check_checkpoint();
}

bool TrainOptions::has_planes() const {
    return planes_option_->count() > 0 || method.quota.has_value();
}

void TrainOptions::check_checkpoint() const {
    if (checkpoint == "-") {
        throw InvalidInput("--checkpoint", "cannot be standard output; specify a file");
    }
    if (!checkpoint.empty() && checkpoint == model) {
        throw InvalidInput("--checkpoint", "'" + checkpoint +
                                               "' is the file of --model; specify "
                                               "another one");
    }
    if (resume && checkpoint.empty()) {
        throw InvalidInput("--resume", "specify --checkpoint FILE as well");
    }
    if (!resume && !checkpoint.empty() && std::filesystem::exists(checkpoint)) {
        throw InvalidInput("--checkpoint", "'" + checkpoint +
                                               "' already exists; add --resume to "
                                               "continue from it, or specify another file");
    }
}

}  // namespace redoubt::app
