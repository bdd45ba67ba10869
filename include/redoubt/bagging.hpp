#pragma once

/// SVM-Ens: linear SVMs on bootstrap samples that vote, the baseline of the source paper.

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
    /// k x m: how often each point is in each bag; replaces drawing with the seed. Every bag must
    /// contain both classes.
    std::optional<Matrix> bags{};
    int n_threads = 1;  ///< 0 = every core; one SVM per thread
    TrainingControl control{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

struct BaggingResult {
    /// Optimal if every plane was trained to its tolerance, else the first other status.
    Status status = Status::NumericalFailure;
    std::vector<Hyperplane> planes{};  ///< all k, or those that were ready when a limit was reached
    bool is_partial = false;

    /// Throws InvalidInput if there are no planes.
    Ensemble ensemble() const { return Ensemble(planes); }
};

/// k x m: `n_planes` bootstrap samples of m points each, as counts. A sample without one of the
/// classes (among points of positive weight) is drawn again. The bag of plane i does not depend on
/// the number of planes.
Matrix draw_bags(const SvmData& data, Index n_planes, std::uint64_t seed);

/// Plane i minimises the SVM's objective on bag i, with weights c_j times counts. `data` as for
/// `train_svm`. `resume` holds the first planes of a training with the same data and settings.
/// Throws InvalidInput as `train_svm` does, and for bags of the wrong size or with negative counts.
BaggingResult train_bagged_svms(const SvmData& data, const BaggingSettings& settings = {},
                                const std::vector<Hyperplane>& resume = {});

}  // namespace redoubt
