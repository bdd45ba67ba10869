#pragma once

/// Ens-C, the collaborative ensemble: planes trained together by raising the certified radii of
/// their vote.
///
///     minimise over the planes   sum_j c_j rho_j / s (max(0, rho_j - R_j) / rho_j)^s
///
/// R_j is the exact signed radius (certificate.hpp) of point j under the vote, cut off at -cap
/// rho_j: a point that is hopelessly wrong has no pull. s is `power`. The derivative with respect
/// to R_j, -c_j ((rho_j - R_j) / rho_j)^(s - 1), is -c_j for s = 1; below 1, points that have
/// almost reached their target pull hardest (within 1 % of it no harder). The problem is not
/// convex: Adam on mini-batches finds a good ensemble, not a proven optimum. Each R_j and its
/// derivative are exact.
///
/// Against an attack model (attack_model.hpp), R_j is the radius within the model. It is exact for
/// every model, and so is its derivative for scales, frozen and one-directional features and
/// ranges. Where integers or switches of one-hot groups alone decide R_j, small changes of the
/// planes do not affect it; the derivative of the relaxed problem (integers as real numbers, the
/// best switches held) then serves as the direction, and so it does where changes are counted
/// (Norm::L0), with the plain SVM as the start. There is a second surrogate: points of a class
/// that does not attack, whose true radii are infinite, are treated as if they could move.
/// Otherwise they would end on the planes, right by nothing and soon wrong. The robust SVM at the
/// start does take into account that they do not move.
///
/// With more than two classes (`n_classes`) each has one plane, and the class of the greatest value
/// is the answer (class_vote.hpp). All are trained together: R_j is the least signed radius of
/// point j between its class and one rival, which is exact for right answers; a wrong one may have
/// to move a little further to beat all rivals at once.
///
/// Equal input and seed give bitwise equal output, whatever the number of threads.

#include "redoubt/attack_model.hpp"
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
    /// What the adversary may do, in the features of X; the default is the l2 ball.
    AttackModel attack_model{};
    /// >= 2. With more, the labels of the data are class numbers, and `n_planes` is 1 for each
    /// class; the ensemble holds the planes of all classes in their order.
    Index n_classes = 2;
    Index n_planes = 15;  ///< >= 1
    /// The vote answers +1 if this many planes do (Ensemble::with_quota), in training, too; not for
    /// stumps. Empty: half of them.
    std::optional<Index> quota{};
    /// Passes over the data, >= 0. Descent needs steps, not passes: the default makes 20 passes,
    /// but at least about 1,000 steps and at most 50,000, which may be less than one pass.
    std::optional<Index> n_epochs{};
    Index batch_size = 32;  ///< >= 1
    /// Adam's step in the first epoch, > 0; it falls to 0 along a cosine. Default: 2 / sqrt(steps),
    /// at most 0.06. The step of the intercept is that times the spread of the data (see
    /// start_radius).
    std::optional<double> step{};
    double power = 0.8;      ///< s in (0, 2], see above
    double cap = 1.0;        ///< > 0, see above
    std::uint64_t seed = 0;  ///< of the initial jitter and of the batches
    /// The starting point: this ensemble (n_planes is then its number of planes), or else
    /// `n_planes` copies of the robust SVM of this radius (never more than half the target), with a
    /// jitter that moves each plane's unit normal by this length in a random direction. With
    /// several classes those of each against the rest, without a jitter; where one is constant, its
    /// radius is halved, and is 0 after four times. The radius is measured in the spread of the
    /// data: the power of 2 nearest to the root mean square of the features' standard deviations,
    /// which is 1 for standardised data.
    std::optional<Ensemble> start{};
    double start_radius = 0.5;
    double jitter = 0.3;
    /// 0: planes use all features. 1: each uses one (a stump), in linf only. Stumps are trained by
    /// exact coordinate descent on the same objective, and `n_epochs` limits the sweeps. `n_bags` >
    /// 1 joins that many votes of `n_planes` stumps, each from a bootstrap sample: on small noisy
    /// tables such votes are hard to beat. `start`, `checkpoint` and held-out points are not
    /// available for stumps.
    Index features_per_plane = 0;
    Index n_bags = 1;  ///< >= 1
    /// Share of points held out, stratified by class, in [0, 0.9]; 0 trains on all of them. If some
    /// are held out, the planes of the epoch with the least objective on them are returned, and
    /// training ends after `patience` epochs without improvement.
    double validation_share = 0.0;
    Index patience = 20;
    int n_threads = 1;  ///< 0 = every core
    TrainingControl control{};
    /// Called after each epoch with everything that a resumed training needs. May be empty.
    std::function<void(const CollaborativeState&)> checkpoint{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// One epoch: the mean of the points' terms, each at the time of its batch, and the mean over the
/// held-out points after the epoch (NaN without any). For stumps one sweep: the same mean after it,
/// over all bags; a bag that has ended counts with its last value.
struct EpochRecord {
    double objective = 0.0;
    double validation_objective = 0.0;
    double seconds = 0.0;
};

/// A training between two epochs.
struct CollaborativeState {
    Index n_epochs_done = 0;
    /// Planes with ||w_i||_q = 1; with an attack model ||S w_i||_q = 1, where S holds the scales of
    /// the features that move, divided by their mean (||w_i||_2 = 1 for a plane that no move
    /// changes).
    Matrix coef;
    Vector intercept;
    Matrix moment;  ///< Adam's running means, k x (n + 1) with the intercept last
    Matrix variance;
    Index n_steps = 0;
    Matrix best;  ///< the best planes on the held-out points so far, k x (n + 1); may be empty
    Index best_epoch = 0;
    std::vector<EpochRecord> history{};
};

struct CollaborativeResult {
    /// Finished: all steps were done, or early stopping ended the training.
    Status status = Status::NumericalFailure;
    Ensemble ensemble;
    CollaborativeState state;
    bool is_partial = false;
    // What was planned.
    Index n_epochs = 0;
    double step = 0.0;
};

/// `radii` holds the targets rho_j > 0: one for all points or one per point. `resume` continues a
/// training with the same data and settings to the same bits. Throws InvalidInput if sizes do not
/// match, a number is not finite, a label is not -1 or +1, a class is missing, a weight is
/// negative, or the attack model does not match the features or does not allow one of the points.
CollaborativeResult train_collaborative(
    const SvmData& data, const VectorRef& radii, const CollaborativeSettings& settings = {},
    const std::optional<CollaborativeState>& resume = std::nullopt);

// --- Points that are never together --------------------------------------------------------------
//
// Descent needs one batch at a time. A caller who supplies the batches in random order gets the
// planes of train_collaborative, except for that order.

/// What a training will do.
struct CollaborativePlan {
    Index n_epochs = 0;
    Index n_batches = 0;  ///< of an epoch; with very many points an epoch does not visit them all
    double step = 0.0;
};

/// For this many points of positive weight.
CollaborativePlan plan_collaborative(Index n_points, const CollaborativeSettings& settings);

/// The initial state: jittered copies of the robust SVM's plane. If that plane is constant, all
/// answers at the `points` start as the constant one; a part of the points is enough.
CollaborativeState start_collaborative(const Hyperplane& plane, const PointsRef& points,
                                       const CollaborativeSettings& settings);

/// The next steps of the plan: one per `batch_size` points, in the order of the data. Raising the
/// stop flag ends them early. `spread` is that of all data (see start_radius). Returns the sum of
/// the points' terms before their steps.
double run_collaborative_batches(const SvmData& data, const VectorRef& radii,
                                 const CollaborativeSettings& settings,
                                 const CollaborativePlan& plan, double spread,
                                 CollaborativeState& state);

/// The sum of the terms of the points under the planes of a state.
double collaborative_objective(const SvmData& data, const VectorRef& radii,
                               const CollaborativeSettings& settings, CollaborativeState& state);

}  // namespace redoubt
