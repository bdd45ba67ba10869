#pragma once

/// DATA of the commands that train: read, split and scaled.

#include <cstdint>
#include <optional>
#include <string>

#include "options/attack_choice.hpp"
#include "options/data_argument.hpp"
#include "output/messages.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/svm.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// Points with their scaled features. X and y of `svm_data` live here.
struct TrainingInput {
    /// The training part, raw, with the coding of the file.
    TrainingData training;
    /// What to evaluate the result on; empty if that is the training part itself.
    std::optional<Dataset> test{};
    /// As users see the two: "points.csv", "points.csv, 20 % held out".
    std::string name{};
    std::string test_name{};
    Scaler scaler{};
    PointSet scaled{};
    /// c_j: the weight column times the weights of the classes; empty if all are 1.
    Vector weights{};
    /// What the adversary may do, in the units of the data; empty for a ball.
    AttackChoice rules{};

    SvmData svm_data() const { return {scaled, training.data.y, weights}; }
    /// Raw.
    const Dataset& tried() const { return test ? *test : training.data; }
};

struct TrainingInputOptions {
    std::string data;
    std::string test;
    double holdout = 0.0;
    /// Empty means the default: standard, or maxabs for LIBSVM text.
    std::string scale;
    AttackModelOption attack_model;
    ReadOptions read;

    void add_to(CLI::App& command, RadiusColumn radius_column = RadiusColumn::Yes);
    /// Throws InvalidInput for contradictory options.
    void check() const;
    /// The attack model must allow every point. `class_weight` is "balanced" or "none"; the seed is
    /// that of the held-out part.
    TrainingInput load(const std::string& class_weight, std::uint64_t seed,
                       const MessageOptions& messages) const;

private:
    Scaler fit_scaler(const PointsRef& X) const;
};

/// --holdout SHARE.
CLI::Option* add_holdout_option(CLI::App& command, double& share, const std::string& description);

/// c_j = w_j W / (K W_class of j): each of K classes gets an equal share of the total weight W.
/// Weights w_j may be empty, meaning all 1.
Vector balanced_weights(const VectorRef& y, const VectorRef& weights, std::size_t n_classes = 2);

}  // namespace redoubt::app
