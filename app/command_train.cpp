// redoubt train: planes from labelled data, and how they stand up to an adversary.

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "data_argument.hpp"
#include "interrupt.hpp"
#include "io/atomic_file.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/model_file.hpp"
#include "redoubt/scaler.hpp"
#include "report.hpp"
#include "train_methods.hpp"
#include "train_options.hpp"

namespace redoubt::app {
namespace {

/// Finds now, and not after the training, that a model of these data could not be written.
void rehearse_saving(const TrainOptions& options, const TrainingData& training,
                     const Scaler& scaler) {
    io::check_can_write(options.model);
    const Ensemble nothing(Hyperplane{Vector::Zero(training.data.n_features()), 0.0});
    TrainingRecord record;
    record.data = options.data;
    model_to_json(Model(scaler, nothing, training.coding, std::move(record)));
}

std::string describe_method(const TrainOptions& options) {
    std::string text = options.method + ", ";
    if (options.is_ensemble()) text += std::to_string(options.n_planes) + " planes, ";
    if (options.method == "ens-c") {
        text += std::to_string(options.n_epochs) + " epochs, " + options.norm + " target radius " +
                exact_text(options.radius());
    } else if (options.method == "ro-svm" || options.is_robust_ensemble()) {
        text += options.norm + " radius " + exact_text(options.radius());
    } else {
        text += "C " + exact_text(options.C);
    }
    if (options.class_weight != "none") text += ", classes " + options.class_weight;
    return text + ", scaling " + options.scale;
}

void print_summary(const TrainOptions& options, const Dataset& data, const TrainedPlanes& trained) {
    std::cout << "data       " << options.data << ": " << data.n_samples() << " points, "
              << data.n_features() << " features; -1 is '" << data.classes[0] << "', +1 is '"
              << data.classes[1] << "'\n"
              << "method     " << describe_method(options) << '\n'
              << "status     " << to_string(trained.status)
              << (trained.record.is_partial ? ", so partial" : "") << '\n';
    if (trained.record.objective) {
        std::cout << "objective  " << exact_text(*trained.record.objective) << '\n';
    }
    if (trained.record.gap) {
        std::cout << "gap        " << exact_text(*trained.record.gap) << " (relative)\n";
    }
    const Ensemble& ensemble = *trained.ensemble;
    if (ensemble.n_planes() > 1) {
        std::cout << "planes     " << ensemble.n_planes() << ", which vote\n";
        return;
    }
    std::cout << "plane      in scaled features\n";
    print_plane(std::cout, {ensemble.coef().row(0).transpose(), ensemble.intercept()[0]},
                data.feature_names);
}

/// Certifies the test points and prints the accuracy under attack that follows.
ExitCode print_attacks(const TrainOptions& options, const Dataset& test, const Matrix& scaled,
                       const Ensemble& ensemble, const std::atomic<bool>& stop) {
    CertifySettings settings;
    settings.norm = parse_norm(options.norm);
    settings.n_threads = options.n_threads;
    settings.limits.stop = &stop;
    const std::vector<Certificate> certificates = certify(ensemble, scaled, test.y, settings);
    Vector lower(test.n_samples());
    Vector upper(test.n_samples());
    for (Index j = 0; j < test.n_samples(); ++j) {
        lower[j] = certificates[static_cast<std::size_t>(j)].lower;
        upper[j] = certificates[static_cast<std::size_t>(j)].upper;
    }
    const Eigen::Map<const Vector> radii(options.radii.data(),
                                         static_cast<Index>(options.radii.size()));
    const AttackCurve curve = attack_curve(lower, upper, test.y, radii);
    std::cout << "\nAccuracy under attack (" << options.norm << ", percent) on "
              << (options.test.empty() ? options.data + ", the training data" : options.test)
              << ", " << test.n_samples() << " points\n";
    print_attack_table(std::cout, curve);
    return warn_of_limits(certificates);
}

void tell_of_training(const TrainedPlanes& trained) {
    std::cerr << (trained.record.is_partial ? "stopped after " : "trained in ")
              << trained.record.seconds.value_or(0.0) << " s"
              << (trained.effort.empty() ? "" : ", ") << trained.effort << '\n';
    if (!trained.warning.empty()) std::cerr << "redoubt: warning: " << trained.warning << '\n';
}

/// The model first: only then is the checkpoint of no more use.
void save_results(const TrainOptions& options, const TrainingData& training, const Scaler& scaler,
                  const TrainedPlanes& trained) {
    if (!options.model.empty()) {
        save_model(Model(scaler, *trained.ensemble, training.coding, trained.record),
                   options.model);
        std::cerr << (trained.record.is_partial ? "partial model" : "model") << " written to "
                  << options.model << '\n';
    }
    if (options.checkpoint.empty()) return;
    if (!trained.record.is_partial) {
        std::filesystem::remove(options.checkpoint);
    } else if (std::filesystem::exists(options.checkpoint)) {
        std::cerr << "checkpoint kept in " << options.checkpoint << ": --resume goes on from it\n";
    }
}

ExitCode train(const TrainOptions& options) {
    options.check();
    const TrainingData training = load_training_data(options.data, options.read);
    const Dataset test =
        options.test.empty() ? training.data : load_test_data(options.test, training);
    const Scaler scaler = Scaler::fit(parse_scaling(options.scale), training.data.X);
    if (!options.model.empty()) rehearse_saving(options, training, scaler);

    const std::atomic<bool>& stop = stop_on_interrupt();
    const Matrix scaled = scaler.transform(training.data.X);
    const Vector& y = training.data.y;
    const TrainedPlanes trained =
        train_planes(options, {scaled, y, class_weights(options, y)}, stop);
    tell_of_training(trained);
    if (!trained.ensemble) {
        std::cerr << "redoubt: stopped before the first plane, so there is no model ("
                  << to_string(trained.status) << ")\n";
        return kStoppedEarly;
    }
    save_results(options, training, scaler, trained);
    print_summary(options, training.data, trained);
    if (trained.status == Status::Interrupted) return kStoppedEarly;
    const ExitCode code =
        print_attacks(options, test, scaler.transform(test.X), *trained.ensemble, stop);
    return trained.status == Status::Optimal ? code : kStoppedEarly;
}

}  // namespace

Run add_train_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("train", "Train planes and attack them");
    auto options = std::make_shared<TrainOptions>();
    options->add_to(*command);
    return [options] { return train(*options); };
}

}  // namespace redoubt::app
