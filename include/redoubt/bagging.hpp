#pragma once

/// SVM-Ens: linear SVMs on bootstrap samples that vote. The baseline of the source paper.

#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace redoubt {

struct BaggingSettings {
    Index n_planes = 15;      ///< k >= 1
    double C = 1.0;           ///< of the SVMs, > 0
    double tolerance = 1e-8;  ///< relative gap of the SVMs
    std::uint64_t seed = 0;
    /// k x m: how often each point is in each bag, instead of drawing with the seed. Every bag must
    /// hold both classes.
    std::optional<Matrix> bags{};
    int n_threads = 1;  ///< 0 = every core; one SVM per thread
    TrainingControl control{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

struct BaggingResult {
    /// Optimal when every plane was trained to its tolerance; else the first thing that went wrong.
    Status status = Status::NumericalFailure;
    std::vector<Hyperplane> planes{};  ///< all k, or as many as were ready when a limit was reached
    bool is_partial = false;

    /// Throws InvalidInput when there is no plane.
    Ensemble ensemble() const { return Ensemble(planes); }
};

/// k x m: `n_planes` bootstrap samples of m points each, as counts. A sample that misses a class
/// among the points of positive weight is drawn again. Plane i's bag does not depend on how many
/// planes there are.
Matrix draw_bags(const SvmData& data, Index n_planes, std::uint64_t seed);

/// Plane i minimises the SVM's objective on bag i, weights c_j times counts. `data` as for
/// `train_svm`. `resume` holds the first planes of a training of the same data and settings.
/// Throws InvalidInput as `train_svm` does, and for bags of the wrong size or with negative counts.
BaggingResult train_bagged_svms(const SvmData& data, const BaggingSettings& settings = {},
                                const std::vector<Hyperplane>& resume = {});

}  // namespace redoubt
