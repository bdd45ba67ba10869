// redoubt train: one plane from labelled data, and how it stands up to an adversary.

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "data_argument.hpp"
#include "io/atomic_file.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/svm.hpp"
#include "report.hpp"
#include "validators.hpp"

namespace redoubt::app {
namespace {

struct TrainOptions {
    std::string data;
    std::string test;
    std::string model;
    std::string method = "ro-svm";
    std::string norm = "l2";
    double radius = 0.1;
    double C = 1.0;
    std::string scale = "standard";
    int n_threads = 0;
    std::vector<double> radii{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};
    ReadOptions read;

    CLI::Option* radius_option = nullptr;
    CLI::Option* C_option = nullptr;
};

void add_options(CLI::App& command, TrainOptions& options) {
    command
        .add_option("DATA", options.data,
                    "Training data: a file, - for standard input, or bundled (bcw, bcw:train, ..)")
        ->required();
    command.add_option("--test", options.test, "Data for the attack table (default: DATA)");
    command.add_option("--model", options.model, "Write the model to this file");
    command.add_option("--method", options.method, "svm or ro-svm (robust)")
        ->check(one_of({"svm", "ro-svm"}))
        ->capture_default_str();
    command.add_option("--norm", options.norm, "The adversary's norm: l1, l2 or linf")
        ->check(one_of({"l1", "l2", "linf"}))
        ->capture_default_str();
    options.radius_option =
        command.add_option("--radius", options.radius, "ro-svm: the adversary's reach in training")
            ->check(nonnegative_number())
            ->capture_default_str();
    options.C_option = command.add_option("--C", options.C, "svm: penalty of the hinges")
                           ->check(positive_number())
                           ->capture_default_str();
    command.add_option("--scale", options.scale, "Scaling of features: standard, minmax or none")
        ->check(one_of({"standard", "minmax", "none"}))
        ->capture_default_str();
    command.add_option("--radii", options.radii, "Attack radii of the table, in scaled units")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->capture_default_str();
    command.add_option("--threads", options.n_threads, "Threads; 0 is every core")
        ->check(nonnegative_integer())
        ->capture_default_str();
    options.read.add_to(command);
}

/// Refuses options that the chosen method would not look at.
void check_options(const TrainOptions& options) {
    const bool robust = options.method == "ro-svm";
    if (robust && options.C_option->count() > 0) {
        throw InvalidInput("--C", "--method svm", "--method ro-svm");
    }
    if (!robust && options.radius_option->count() > 0) {
        throw InvalidInput("--radius", "--method ro-svm", "--method svm");
    }
    if (options.data == "-" && options.test == "-") {
        throw InvalidInput("--test", "a file, as DATA is read from standard input", "'-'");
    }
    if (options.model == "-") throw InvalidInput("--model", "a file", "'-'");
}

SvmResult solve(const TrainOptions& options, const Matrix& X, const Vector& y) {
    if (options.method == "svm") {
        SvmSettings settings;
        settings.C = options.C;
        settings.n_threads = options.n_threads;
        return train_svm({X, y}, settings);
    }
    RobustSvmSettings settings;
    settings.norm = parse_norm(options.norm);
    settings.n_threads = options.n_threads;
    return train_robust_svm({X, y}, Vector::Constant(1, options.radius), settings);
}

TrainingRecord make_record(const TrainOptions& options, const Dataset& data,
                           const SvmResult& result) {
    TrainingRecord record;
    record.method = options.method;
    record.norm = parse_norm(options.norm);
    record.data = options.data;
    record.n_points = data.n_samples();
    record.status = to_string(result.status);
    record.is_partial = result.status == Status::Interrupted;
    record.objective = result.primal_value;
    record.gap = result.relative_gap;
    record.seconds = result.stats.solve_seconds;
    if (options.method == "ro-svm") {
        record.radii = TrainingRadii::of(Vector::Constant(1, options.radius));
    } else {
        record.settings.push_back({"C", options.C});
    }
    return record;
}

/// Finds now, and not after the training, that a model of these data could not be written.
void rehearse_saving(const TrainOptions& options, const TrainingData& training,
                     const Scaler& scaler) {
    io::check_can_write(options.model);
    const Ensemble nothing(Hyperplane{Vector::Zero(training.data.n_features()), 0.0});
    TrainingRecord record;
    record.data = options.data;
    model_to_json(Model(scaler, nothing, training.coding, std::move(record)));
}

void print_summary(const TrainOptions& options, const Dataset& data, const SvmResult& result) {
    const bool robust = options.method == "ro-svm";
    std::cout << "data       " << options.data << ": " << data.n_samples() << " points, "
              << data.n_features() << " features; -1 is '" << data.classes[0] << "', +1 is '"
              << data.classes[1] << "'\n"
              << "method     " << options.method << ", "
              << (robust ? options.norm + " radius " + exact_text(options.radius)
                         : "C " + exact_text(options.C))
              << ", scaling " << options.scale << '\n'
              << "status     " << to_string(result.status) << '\n'
              << "objective  " << exact_text(result.primal_value) << '\n'
              << "gap        " << exact_text(result.relative_gap) << " (relative)\n"
              << "plane      in scaled features\n";
    print_plane(std::cout, result.plane, data.feature_names);
}

ExitCode train(const TrainOptions& options) {
    check_options(options);
    const TrainingData training = load_training_data(options.data, options.read);
    const bool has_test = !options.test.empty();
    const Dataset test = has_test ? load_test_data(options.test, training) : training.data;

    const Scaler scaler = Scaler::fit(parse_scaling(options.scale), training.data.X);
    const bool has_model = !options.model.empty();
    if (has_model) rehearse_saving(options, training, scaler);
    const SvmResult result = solve(options, scaler.transform(training.data.X), training.data.y);
    std::cerr << "trained in " << result.stats.solve_seconds << " s, "
              << result.stats.n_newton_steps << " Newton steps\n";
    if (!result.warning.empty()) std::cerr << "redoubt: warning: " << result.warning << '\n';

    if (has_model) {
        save_model(Model(scaler, Ensemble(result.plane), training.coding,
                         make_record(options, training.data, result)),
                   options.model);
        std::cerr << "model written to " << options.model << '\n';
    }
    const Norm norm = parse_norm(options.norm);
    const Vector signed_radii = plane_radii(result.plane, scaler.transform(test.X), test.y, norm);
    const Eigen::Map<const Vector> radii(options.radii.data(),
                                         static_cast<Index>(options.radii.size()));
    const AttackCurve curve = attack_curve(signed_radii, test.y, radii);

    print_summary(options, training.data, result);
    std::cout << "\nAccuracy under attack (" << options.norm << ", percent) on "
              << (has_test ? options.test : options.data + ", the training data") << ", "
              << test.n_samples() << " points\n";
    print_attack_table(std::cout, curve);
    return result.status == Status::Optimal ? kProven : kStoppedEarly;
}

}  // namespace

Run add_train_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("train", "Train a plane and attack it");
    auto options = std::make_shared<TrainOptions>();
    add_options(*command, *options);
    return [options] { return train(*options); };
}

}  // namespace redoubt::app
