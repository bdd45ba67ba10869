#include "options/training_input.hpp"

#include <CLI/App.hpp>

#include "options/validators.hpp"
#include "output/evaluation.hpp"
#include "output/progress_bar.hpp"
#include "output/report.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

/// Leaves the rows in place and hands out those that were held out.
Dataset split_off(TrainingData& training, double share, std::uint64_t seed) {
    const Split split = hold_out(training.data.y, share, seed, training.data.classes.size());
    Dataset test = training.data.subset(split.test);
    training.data = training.data.subset(split.train);
    for (Vector* values : {&training.weights, &training.radii}) {
        if (values->size() > 0) *values = Vector((*values)(split.train));
    }
    return test;
}

}  // namespace

CLI::Option* add_holdout_option(CLI::App& command, double& share, const std::string& description) {
    return command.add_option("--holdout", share, description)->check(share_of_one());
}

Vector balanced_weights(const VectorRef& y, const VectorRef& weights, std::size_t n_classes) {
    Vector result = weights.size() > 0 ? Vector(weights) : Vector(Vector::Ones(y.size()));
    const double total = result.sum();
    Vector share(static_cast<Index>(n_classes));
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double label = label_of_class(c, n_classes);
        share[static_cast<Index>(c)] = (y.array() == label).select(result, 0.0).sum();
    }
    if (n_classes == 2) share[0] = total - share[1];
    for (Index j = 0; j < y.size(); ++j) {
        const auto c = static_cast<Index>(class_number(y[j], n_classes));
        result[j] *= total / (static_cast<double>(n_classes) * share[c]);
    }
    return result;
}

void TrainingInputOptions::add_to(CLI::App& command, RadiusColumn radius_column) {
    command
        .add_option("DATA", data,
                    "Training data: a file, - for standard input, or bundled (bcw, bcw:train, ..)")
        ->required();
    add_holdout_option(command, holdout,
                       "Hold this share of DATA out of the training, for the attack table");
    command
        .add_option("--scale", scale,
                    "Scaling of features: standard, minmax, maxabs or none (default: standard; "
                    "maxabs for LIBSVM text, which then stays sparse)")
        ->check(one_of({"standard", "minmax", "maxabs", "none"}));
    attack_model.add_to(command,
                        "Rules for the adversary: a file, stored in the model and used in the "
                        "attack table (default: none, a plain ball)");
    read.add_to(command, radius_column);
}

void TrainingInputOptions::check() const {
    if (holdout > 0.0 && !test.empty()) {
        throw InvalidInput("--holdout", "specify --holdout or --test, not both");
    }
    if (data == "-" && attack_model.argument == "-") {
        throw InvalidInput("--attack-model",
                           "DATA is already read from standard input; specify a file");
    }
    if (data == "-" && test == "-") {
        throw InvalidInput("--test", "DATA is already read from standard input; specify a file");
    }
}

/// Sparse data that are to be centred are written out: as long as they are no larger than a table
/// may be.
Scaler TrainingInputOptions::fit_scaler(const PointsRef& X) const {
    const Scaling kind = scale.empty() ? (X.is_sparse() ? Scaling::MaxAbs : Scaling::Standard)
                                       : parse_scaling(scale);
    const double bytes = 8.0 * static_cast<double>(X.rows()) * static_cast<double>(X.cols());
    const bool may_centre = kind == Scaling::Standard || kind == Scaling::MinMax;
    if (X.is_sparse() && may_centre && bytes > static_cast<double>(Dialect{}.max_bytes)) {
        throw InvalidInput("--scale", "'" + scale + "' would fill in every zero of sparse data of " +
                                          std::to_string(X.rows()) + " rows and " +
                                          std::to_string(X.cols()) +
                                          " features; specify maxabs or none");
    }
    return Scaler::fit(kind, X);
}

TrainingInput TrainingInputOptions::load(const std::string& class_weight, std::uint64_t seed,
                                         const MessageOptions& messages) const {
    const Stopwatch watch;
    TrainingInput input;
    input.name = data;
    {
        const ProgressBar bar(messages, "reading " + data);
        input.training = load_training_data(data, read);
        if (!test.empty()) {
            input.test = load_test_data(test, input.training);
            input.test_name = test;
        }
    }
    messages.detail("read " + std::to_string(input.training.data.n_samples()) + " rows in " +
                    watch.text());
    if (holdout > 0.0) {
        input.test = split_off(input.training, holdout, seed);
        input.test_name = percent_text(holdout) + " of " + data + ", held out";
        input.name += " without " + percent_text(holdout) + " held out";
    }
    if (!input.test) input.test_name = data + ", the training data";
    const Dataset& points = input.training.data;
    input.scaler = fit_scaler(points.X);
    input.scaled = input.scaler.transform_points(points.X);
    input.weights = class_weight == "balanced" ? balanced_weights(
                              points.y, input.training.weights, points.classes.size())
                                               : input.training.weights;
    const std::vector<std::string> names = input.training.coding.feature_names();
    input.rules = attack_model.load(AttackedData::of(input.training.coding, input.scaler),
                                    FeatureRanges::of(points.X));
    input.rules.admit(points.X, points.y, names, points.missing);
    if (input.test) input.rules.admit(input.test->X, input.test->y, names, input.test->missing);
    return input;
}

}  // namespace redoubt::app
