#pragma once

/// Linear support vector machines: the weighted SVM and the robust SVM.
///
/// Both minimise a weighted sum of hinges and differ in what they add to it. With
/// [t]_+ = max(t, 0), labels y_j in {-1, +1}, weights c_j >= 0:
///
///   train_svm          min  1/2 ||w||_2^2 + C sum_j c_j [1 - y_j (w'x_j + b)]_+
///
///   train_robust_svm   min  rho/2 ||w||_2^2 + sum_j c_j [1 - y_j (w'x_j + b) + r_j ||w||_q]_+
///
/// The bias b is never penalised. The second is the first against an adversary who may move each
/// x_j by any d with ||d||_p <= r_j (q dual to p); rho = 0 by default. Against an attack model
/// (attack_model.hpp), the support function of the allowed moves replaces the norm:
///
///   min  rho/2 ||w||_2^2 + sum_j c_j [1 - y_j (w'x_j + b) + h_j(-y_j w)]_+ ,
///   h_j(g) = max { g'd : d is a move of x_j that the model allows, of size at most r_j },
///
/// and h_j = 0 for points of a class that does not attack. This is exact for every model, including
/// integers and one-hot groups.
///
/// Against an adversary who counts words (l1 moves within ranges of length 1, with the data at
/// their ends, so that a feature changes completely or not at all), h_j is the sum of the r_j
/// largest gains:
///
///     h_j(g) = min over t >= 0 of  r_j t + sum_f [g_f delta_jf - t]_+ ,
///
/// where delta_jf is the only change that feature f can make in x_j. Norm::L0 with costs of 1 and
/// the same ranges is the same adversary, with the radii rounded down; a training refuses every
/// other adversary who counts, because no convex and exact h_j is known for them. A separate solver
/// handles problems with many features, sparse points and rho > 0, and all problems with bounds on
/// the weights. Filters trained in this way spread their weight over more features than the
/// adversary can afford to fake.
///
/// If the optimum is not unique, the answer is still well defined: the least ||w||_2 among the
/// optima, then the middle of the interval of optimal b (its finite end, if the interval is
/// unbounded). There are two exceptions, which return some optimum: bounds on the weights without a
/// regulariser; and, with more than 200 features, robust SVMs against l1 or linf balls on data that
/// are not separable, at tolerances above 1e-6 or where the least norm is hard to find.
///
/// Equal input gives bitwise equal output, whatever the number of threads.

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/points.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace redoubt {

/// The input of both problems. X is m x n, y has length m and holds -1 and +1, both present with
/// positive weight. X is dense or compressed; centring is implicit, so compressed points stay
/// compressed. The object only refers to X and y, which must outlive the call.
struct SvmData {
    PointsRef X;
    VectorRef y;
    /// c_j >= 0, not all zero; empty means all 1. A point of weight 0 is left out.
    Vector weights{};
};

struct SvmSettings {
    /// Penalty of the hinges in `train_svm`, > 0.
    double C = 1.0;
    /// Relative duality gap to reach, in [1e-14, 0.1].
    double tolerance = 1e-8;
    /// Newton steps before giving up, >= 1. Ordinary problems take 10 to 60. The initial passes of
    /// coordinate descent for many features are not counted.
    int max_iterations = 1000;
    /// Threads for large problems; 0 = every core, >= 0.
    int n_threads = 1;
    /// Checked several times a second; raise it from any thread to stop. May be null.
    const std::atomic<bool>* stop = nullptr;

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// Points whose moves are given, instead of following from the attack model: those that stand for
/// the mean of many rows, each with moves of its own (docs/scale.md). Point first + k may stay,
/// make any of its moves, and then move within its box, |d_l| <= half(k, l). The attack model is
/// not checked at these points, and radii above 0 do not matter.
struct GivenMoves {
    /// The first such point; all after it have given moves, too.
    Index first = 0;
    /// The moves of point first + k are the rows start[k] to start[k + 1] - 1 of `moves`. Its
    /// length is the number of such points + 1.
    std::vector<Index> start;
    Matrix moves;
    /// With linf only; empty = no boxes. 0 for features of one-hot groups.
    Matrix half;
};

struct RobustSvmSettings {
    /// What the adversary may do, in the features of X; the default is the l2 ball.
    AttackModel attack_model{};
    /// rho >= 0, the optional regulariser rho/2 ||w||_2^2; 0 is the source paper's problem.
    double regularization = 0.0;
    /// Bounds on each weight, least <= w <= greatest: one for all or one per feature; infinite or
    /// empty means no bound. Available without an adversary, or with one who counts. For an
    /// adversary of class +1 that only adds features, some choices have names: monotone (least 0),
    /// the one-sided box (least -c) and Sec-SVM (least -c, greatest c).
    Vector least_weight{};
    Vector greatest_weight{};
    /// With an adversary who counts: use one t for all points of a class, which gives an upper
    /// bound on the objective with one sum for all of them. For features that are only added to
    /// sparse points.
    bool shares_threshold = false;
    /// For attack models that are not balls.
    GivenMoves given{};
    double tolerance = 1e-8;
    /// Newton steps, or passes over the data if coordinate descent does everything (an adversary
    /// who counts, bounds on weights).
    int max_iterations = 2000;
    int n_threads = 1;
    const std::atomic<bool>* stop = nullptr;

    void check() const;
};

/// Where a run starts: the plane and the dual variables of a similar problem. Every start leads to
/// the same optimum (to the tolerance); a close one gets there sooner.
struct SvmStart {
    Hyperplane plane;
    /// alpha_j / (C c_j) in [0, 1], one per point; may be empty.
    Vector dual_ratio{};
};

struct SvmStats {
    int n_newton_steps = 0;
    int n_stages = 0;
    double solve_seconds = 0.0;
};

struct SvmResult {
    Status status = Status::NumericalFailure;
    Hyperplane plane;
    /// The objective at `plane`, and a lower bound on the optimum (see `relative_gap`).
    double primal_value = 0.0;
    double dual_value = 0.0;
    /// (primal - dual) / max(primal, kGapFloor total weight); at most the tolerance when Optimal.
    double relative_gap = 0.0;
    /// For the next warm start: alpha_j / (C c_j) in [0, 1].
    Vector dual_ratio{};
    /// What the multipliers prove, as SvmBound: only of a threat that is not a ball.
    double multipliers = 0.0;
    double distance = 0.0;
    /// Empty, or a sentence for the user, for example that w = 0 and every point gets the same
    /// answer.
    std::string warning{};
    SvmStats stats{};

    SvmStart start() const { return {plane, dual_ratio}; }
};

/// Gaps are relative to the objective, but at least to this share of the total weight: a robust SVM
/// of separable points has optimum 0.
inline constexpr double kGapFloor = 1e-4;

/// The weighted SVM. Cost: a few dozen passes over X and as many (n+1)^3 factorisations; with more
/// than 200 features some hundred passes, and a few factorisations of the size of the set of points
/// on the margin. Throws InvalidInput for sizes that do not match, values that are not finite (or
/// beyond 1e100), labels other than -1 and +1, one class only, negative weights, bad settings.
SvmResult train_svm(const SvmData& data, const SvmSettings& settings = {},
                    const std::optional<SvmStart>& start = std::nullopt);

/// The robust SVM. `radii` holds r_j >= 0: one value for all points or one per point. `dual_value`
/// is a lower bound on the optimum over all w with ||w||_q (||w||_2 with an attack model other than
/// a plain ball) at most twice that of the answer. If the optimum is w = 0 the plane is constant
/// and `warning` says so. Throws InvalidInput as above, for negative radii or a wrong number of
/// them, and for an attack model that does not match the features or does not allow one of the
/// points. With bounds on the weights it also throws for moves that are not counted and for bounds
/// that leave no room.
SvmResult train_robust_svm(const SvmData& data, const VectorRef& radii,
                           const RobustSvmSettings& settings = {},
                           const std::optional<SvmStart>& start = std::nullopt);

/// What any multipliers prove about the optimum of a robust SVM. With rho > 0 it is at least
/// `multipliers` - `distance`^2 / (2 rho). With rho = 0, every plane of size at most k has an
/// objective of at least `multipliers` - k `distance`, where size means ||w||_q, or ||w||_2 for an
/// attack model with scales.
struct SvmBound {
    double multipliers = 0.0;
    double distance = 0.0;
};

/// The moves d, one per row of X, with the largest -y_j w'd, of points that all attack.
/// Throws InvalidInput as train_robust_svm does.
Matrix worst_moves(const SvmData& data, const VectorRef& radii, const AttackModel& model,
                   const VectorRef& w, int n_threads = 1);

/// From alpha_j = c_j dual_ratio_j, dual_ratio_j in [0, 1], with the heavier class scaled down to
/// the weight of the lighter one. Cost: one pass. The plain SVM is the case of radius 0 with rho =
/// 1 / C. Throws InvalidInput as train_robust_svm does, and for an attack model that is not a ball.
SvmBound robust_svm_bound(const SvmData& data, const VectorRef& radii,
                          const RobustSvmSettings& settings, const VectorRef& dual_ratio);

}  // namespace redoubt
