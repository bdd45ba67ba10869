#pragma once

/// Ens-E, Ens-R and Ens-H: the robust ensemble of the source paper (its Algorithm 1).
///
/// Plane 1 is the robust SVM, or given. For t = 2..k, the adversary moves every point against the
/// planes so far, xbar_j = x_j + d_j with ||d_j||_p <= r_j. Plane t is the weighted SVM on the
/// moved points with weights c_j / (1 + 2 n_j), where n_j planes are right at xbar_j: points that
/// most planes get wrong weigh most.
///
/// The adversary of a point considers only the planes that it can fool, those with y (w_i'x + b_i)
/// <= r ||w_i||_q. If there are none, the point takes the steepest step of length r against the
/// newest plane.
///
/// Against an attack model (attack_model.hpp) every step is one that the model allows, of size at
/// most r_j: the support function h(-y w_i) of those moves replaces r ||w_i||_q, and its maximiser
/// replaces the steepest step. Points of a class that does not attack do not move.
///
/// Equal input gives bitwise equal output, whatever the number of threads.

#include "redoubt/attack.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace redoubt {

struct RobustEnsembleState;

struct RobustEnsembleSettings {
    /// What the adversary may do, in the features of X; the default is the l2 ball.
    AttackModel attack_model{};
    Adversary adversary = Adversary::Exact;
    /// Published works with plain balls only.
    HeuristicRule rule = HeuristicRule::Corrected;
    Index n_planes = 15;      ///< k >= 1
    double C = 1.0;           ///< of the SVMs, > 0
    double tolerance = 1e-8;  ///< relative gap of the SVMs
    /// Plane 1, instead of the robust SVM.
    std::optional<Hyperplane> first_plane{};
    /// Certify all points after every round and record their accuracy under attack at r_j.
    bool records_accuracy = false;
    int n_threads = 1;  ///< 0 = every core
    TrainingControl control{};
    /// Called after each round with everything that a resumed training needs. May be empty.
    std::function<void(const RobustEnsembleState&)> checkpoint{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// How one plane was trained. For plane 1 nothing is attacked: the counts are 0 and the weights 1.
struct RoundRecord {
    Index n_foolable = 0;       ///< points with at least one plane that can be fooled
    Index n_fooled = 0;         ///< points with at least one wrong plane at xbar_j
    double mean_fooled = 0.0;   ///< wrong planes at xbar_j, mean over all points
    double least_weight = 1.0;  ///< least 1 / (1 + 2 n_j)
    double most_weight = 1.0;
    double adversary_seconds = 0.0;
    double svm_seconds = 0.0;
    Status svm_status = Status::Optimal;
    /// Share of points whose answer under planes 1..t no attack of radius r_j changes; NaN unless
    /// requested.
    double accuracy = 0.0;
};

/// A training between two rounds.
struct RobustEnsembleState {
    std::vector<Hyperplane> planes{};
    Vector dual_ratio{};  ///< where the next SVM starts
    std::vector<RoundRecord> history{};
};

struct RobustEnsembleResult {
    /// Optimal if every plane was trained to its tolerance, else the first other status.
    Status status = Status::NumericalFailure;
    /// At least plane 1, unless the training was stopped before it.
    RobustEnsembleState state{};
    bool is_partial = false;

    /// Throws InvalidInput if there are no planes.
    Ensemble ensemble() const { return Ensemble(state.planes); }
};

/// `radii` holds r_j >= 0: one for all points or one per point. `resume` continues a training with
/// the same data and settings to the same bits. `data` as for `train_svm`. Throws InvalidInput if
/// sizes do not match, a number is not finite, a label is not -1 or +1, a class is missing, a
/// weight is negative, or the attack model does not match the features or does not allow one of the
/// points.
RobustEnsembleResult train_robust_ensemble(const SvmData& data, const VectorRef& radii,
                                           const RobustEnsembleSettings& settings = {},
                                           const RobustEnsembleState& resume = {});

/// The rows of a training after a round's adversary has moved them, and the number of planes that
/// are right at each: the next plane is trained on these, with weights c_j / (1 + 2 n_right_j).
struct MovedTrainingRows {
    Matrix X;
    Vector n_right;
};

/// Moves the rows against `planes`, at least one, for trainings that see the rows part by part.
/// Each row is moved on its own. `data` needs neither weights nor both classes. Throws InvalidInput
/// as train_robust_ensemble does, and if there is no plane.
MovedTrainingRows move_training_rows(const SvmData& data, const VectorRef& radii,
                                     const std::vector<Hyperplane>& planes,
                                     const RobustEnsembleSettings& settings = {});

}  // namespace redoubt
