#pragma once

/// Ens-C, the collaborative ensemble: planes trained together by raising the certified radii of
/// their vote.
///
///     minimise over the planes   sum_j c_j max(0, rho_j - R_j)
///
/// R_j is the exact signed radius (certificate.hpp) of point j under the vote, not below -cap
/// rho_j: a point that is hopelessly wrong has no pull. The problem is not convex; Adam on
/// mini-batches finds a good ensemble, not a proven optimum. What is exact is each R_j and its
/// derivative.
///
/// Equal input and seed give bitwise equal output, whatever the number of threads.

#include "redoubt/ensemble.hpp"
#include "redoubt/status.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace redoubt {

struct CollaborativeState;

struct CollaborativeSettings {
    Norm norm = Norm::L2;
    Index n_planes = 15;     ///< >= 1
    Index n_epochs = 60;     ///< >= 0
    Index batch_size = 32;   ///< >= 1
    double step = 0.02;      ///< of Adam in the first epoch, > 0; falls to 0 along a cosine
    double power = 0.8;      ///< s in (0, 2]
    double cap = 1.0;        ///< > 0, see above
    std::uint64_t seed = 0;  ///< of the start's jitter and of the batches
    /// Where to start: this ensemble (n_planes is then its number of planes), or else `n_planes`
    /// copies of the robust SVM of this radius (never more than half the target) with a jitter:
    /// each plane's unit normal is moved by this length in a random direction.
    std::optional<Ensemble> start{};
    double start_radius = 0.5;
    double jitter = 0.3;
    /// Share of points held out, stratified by class, in [0, 0.9]; 0 trains on all of them. With
    /// some held out the planes of the epoch with the least objective on them are returned, and the
    /// training ends once `patience` epochs have brought nothing better.
    double validation_share = 0.0;
    Index patience = 20;
    int n_threads = 1;  ///< 0 = every core
    TrainingControl control{};
    /// Called after each epoch with all that a resumed training needs. May be empty.
    std::function<void(const CollaborativeState&)> checkpoint{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// One epoch: mean of the points' terms over the points as they came by, and over the points
/// held out after it (NaN without any).
struct EpochRecord {
    double objective = 0.0;
    double validation_objective = 0.0;
    double seconds = 0.0;
};

/// A training between two epochs.
struct CollaborativeState {
    Index n_epochs_done = 0;
    Matrix coef;  ///< planes with ||w_i||_q = 1
    Vector intercept;
    Matrix moment;  ///< Adam's running means, k x (n + 1) with the intercept last
    Matrix variance;
    Index n_steps = 0;
    Matrix best;  ///< the best planes on the held-out points so far, k x (n + 1); may be empty
    Index best_epoch = 0;
    std::vector<EpochRecord> history{};
};

struct CollaborativeResult {
    /// Optimal: all epochs were done, or early stopping ended them.
    Status status = Status::NumericalFailure;
    Ensemble ensemble;
    CollaborativeState state;
    bool is_partial = false;
};

/// `radii` holds the targets rho_j > 0: one for all points or one per point.
/// `resume` continues a training of the same data and settings to the bitwise same result.
/// Throws InvalidInput when sizes do not fit, a number is not finite, a label is not -1 or +1, a
/// class is missing, a weight is negative.
CollaborativeResult train_collaborative(
    const SvmData& data, const VectorRef& radii, const CollaborativeSettings& settings = {},
    const std::optional<CollaborativeState>& resume = std::nullopt);

}  // namespace redoubt
