#pragma once

/// radius = "auto": the data choose the radius of a robust training.
///
/// Candidates lie on a grid around the natural scale of the data, the median distance of the points
/// from the plane of the ordinary SVM, and are compared by cross-validation. The most robust
/// candidate that costs no accuracy wins (SelectionRule::NoCost).

#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "redoubt/selection.hpp"
#include "redoubt/svm.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace redoubt {

struct RadiusCandidate {
    double radius = 0.0;
    Index n_planes = 1;

    bool operator==(const RadiusCandidate&) const = default;
};

struct RadiusChoiceSettings {
    /// What the adversary may do, in the features of X; the default is the l2 ball.
    AttackModel attack_model{};
    /// The radii to try, in natural scales: > 0, at least one.
    std::vector<double> factors{0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0};
    /// Radii below this many natural scales are reserves (SelectionSettings::n_reserves); they come
    /// first among the factors.
    double reserve_below = 0.0;
    /// The numbers of planes to try with each radius: >= 1, at least one.
    std::vector<Index> n_planes{1};
    /// Number of folds, >= 2; fewer if a class has fewer points. With less than 1,000 points there
    /// are three rounds with different folds; the second and third only for the four best
    /// candidates of the first.
    Index n_folds = 5;
    /// With more points than this, a sample decides, drawn class by class.
    Index max_points = 2000;
    std::uint64_t seed = 0;
    int n_threads = 1;  ///< candidates at the same time; 0 = every core
    /// A round is one training.
    TrainingControl control{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

struct RadiusChoice {
    /// Optimal, or the limit that was reached. In the latter case the choice is based on what was
    /// tried or, if that is too little, it is the candidate nearest to half the natural scale.
    Status status = Status::Optimal;
    RadiusCandidate best{};
    double scale = 0.0;  ///< the natural scale
    Index n_points = 0;  ///< points that decided
    Index n_folds = 0;   ///< 0: some class has only one point, so nothing could be compared
    std::vector<RadiusCandidate> candidates{};
    SelectionResult selection{};  ///< of the candidates; empty if n_folds is 0
};

/// The natural scale of the data: the median distance of (a sample of) the points from the plane of
/// the ordinary SVM; 1 if that is not meaningful.
double natural_scale(const SvmData& data, const RadiusChoiceSettings& settings = {});

/// Trains one candidate. May be called by several threads at the same time.
using FitRadius = std::function<Ensemble(const RadiusCandidate& candidate, const SvmData& part)>;

/// Throws InvalidInput for bad data or settings, and passes on the exceptions of `fit`.
RadiusChoice choose_radius(const SvmData& data, const FitRadius& fit,
                           const RadiusChoiceSettings& settings = {});

// --- More than two classes -----------------------------------------------------------------------
//
// Each is trained against the rest, with a radius that is the same part of its own natural scale
// for all; or all are trained together, with one radius (Ens-C with one plane per class). Which
// part of the natural scale it is, cross-validation over all classes decides.

struct ClassRadiusChoice : RadiusChoice {
    /// The natural scale of each class against the rest; `scale` is their mean, and the candidates
    /// are multiples of it.
    Vector scales{};

    /// The radius of each class.
    Vector radii(const RadiusCandidate& candidate) const {
        return candidate.radius / scale * scales;
    }
};

/// Trains class c against the rest: `part` has labels -1 and +1, and the attack model of the
/// training is `AttackModel::against_rest(c)`. May be called by several threads at the same time.
using FitClassRadius =
    std::function<Ensemble(int c, double radius, Index n_planes, const SvmData& part)>;

/// The natural scale of each class against the rest. The labels are class numbers, and so is the
/// attacking class of the attack model.
Vector natural_scales(const SvmData& data, Index n_classes,
                      const RadiusChoiceSettings& settings = {});

/// The labels of the data are class numbers, and so is the attacking class of the attack model.
/// Throws InvalidInput for bad data or settings, and passes on the exceptions of `fit`.
ClassRadiusChoice choose_class_radii(const SvmData& data, Index n_classes,
                                     const FitClassRadius& fit,
                                     const RadiusChoiceSettings& settings = {});

/// The same for classes that are trained together: `part` has class numbers, and `fit` gives the
/// planes of all classes in their order. Their natural scale is the median distance of the points
/// from where the answer of the ordinary SVMs, each against the rest, changes.
ClassRadiusChoice choose_joint_radius(const SvmData& data, Index n_classes, const FitRadius& fit,
                                      const RadiusChoiceSettings& settings = {});

/// Labels -1 and +1: the rest, and class c.
Vector against_rest(const VectorRef& y, Index c);

/// With a chosen radius, Ens-C squares the shortfall (`power`): other powers suffer more from a
/// target that is out of reach. It therefore does well with larger radii than other trainers.
inline constexpr double kChosenPower = 2.0;
const std::vector<double>& collaborative_factors();
/// Less is needed on some tables whose classes are nearly separable. Elsewhere it would now and
/// then win by luck, and cost robustness.
inline constexpr double kCollaborativeReserve = 1.2;

/// `n_epochs` of a trial of Ens-C on this many points. Unless the settings give it, this is less
/// than for a training (except for stumps), because candidates differ by more than the last steps
/// contribute.
std::optional<Index> trial_epochs(const CollaborativeSettings& settings, Index n_points);

/// A `fit` for each trainer. Threads, progress and checkpoints are left out: the choice has its
/// own.
FitRadius fit_radius_with(RobustSvmSettings settings);
FitRadius fit_radius_with(RobustEnsembleSettings settings);
FitRadius fit_radius_with(CollaborativeSettings settings);

}  // namespace redoubt
