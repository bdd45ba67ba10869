#pragma once

/// The protocol that the source paper describes and its tables lack: several random splits, the
/// defence radius chosen without a look at the test part, mean and deviation.

#include <string>
#include <vector>

#include "experiments/experiments.hpp"

namespace redoubt::reproduction {

struct SplitResult {
    Arena arena;
    std::string method;
    Index split = 0;
    /// 0 where there is nothing to choose.
    double chosen_radius = 0.0;
    Scores scores;  ///< at kAttackRadii
    double constant_accuracy = 0.0;
    Vector ceiling;           ///< of the accuracy, at kAttackRadii
    Vector balanced_ceiling;  ///< of the balanced accuracy
};

/// Splits 0 .. n_splits - 1, all six methods in their corrected form. A method's radius is the one
/// with the best mean accuracy over kAttackRadii in a 5-fold cross-validation on the training part.
std::vector<SplitResult> run_splits(const std::vector<Arena>& arenas, Index n_splits,
                                    std::uint64_t seed, const RunSettings& settings);

struct MeanAndDeviation {
    double mean = 0.0;
    double deviation = 0.0;  ///< of a sample; 0 for one split
};

/// Over the splits, as shares.
struct SplitMean {
    Arena arena;
    std::string method;
    double attack_radius = 0.0;
    MeanAndDeviation accuracy;
    MeanAndDeviation balanced;
    double constant = 0.0;
    double ceiling = 0.0;
    double balanced_ceiling = 0.0;
};

/// One per arena, method and attack radius, in the order of the results.
std::vector<SplitMean> split_means(const std::vector<SplitResult>& results);

}  // namespace redoubt::reproduction
