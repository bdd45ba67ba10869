#pragma once

/// radius = "auto": the radius of a robust training by the data themselves.
///
/// Candidates lie on a grid around a natural scale of the data, the median distance of the points
/// from the plane of the ordinary SVM, and are compared by cross-validation. The choice is the most
/// robust one that costs no accuracy (SelectionRule::NoCost).

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
    /// The numbers of planes to try with each, >= 1, at least one.
    std::vector<Index> n_planes{1};
    /// Parts of the cross-validation, >= 2; fewer where a class has fewer points. Of less than
    /// 1,000 points it is done three times, with other parts; the second and third time only for
    /// the four candidates that the first one leaves.
    Index n_folds = 5;
    /// Of more points than this a sample decides, drawn class by class.
    Index max_points = 2000;
    std::uint64_t seed = 0;
    int n_threads = 1;  ///< candidates at the same time; 0 = every core
    /// A round is one training.
    TrainingControl control{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

struct RadiusChoice {
    /// Optimal, or the limit that was reached; then the choice is made of what was tried, or, if
    /// that is too little, the one nearest to half the natural scale.
    Status status = Status::Optimal;
    RadiusCandidate best{};
    double scale = 0.0;  ///< the natural one
    Index n_points = 0;  ///< that decided
    Index n_folds = 0;   ///< 0: some class has one point only, so that nothing could be compared
    std::vector<RadiusCandidate> candidates{};
    SelectionResult selection{};  ///< of the candidates; empty if n_folds is 0
};

/// The natural scale of the data: the median distance of (a sample of) the points from the plane of
/// the ordinary SVM; 1 where that says nothing.
double natural_scale(const SvmData& data, const RadiusChoiceSettings& settings = {});

/// Trains one candidate. May be called by several threads at the same time.
using FitRadius = std::function<Ensemble(const RadiusCandidate& candidate, const SvmData& part)>;

/// Throws InvalidInput for bad data or settings, and passes on what `fit` throws.
RadiusChoice choose_radius(const SvmData& data, const FitRadius& fit,
                           const RadiusChoiceSettings& settings = {});

/// Ens-C with a radius that is chosen counts squares of what is missing (`power`): other powers have
/// more to lose by a target out of reach. So it does well with larger radii than other trainers.
inline constexpr double kChosenPower = 2.0;
const std::vector<double>& collaborative_factors();

/// `n_epochs` of a trial of Ens-C on so many points. Where the settings do not say it is less than
/// for a training (stumps aside), because candidates differ by more than what the last steps bring.
std::optional<Index> trial_epochs(const CollaborativeSettings& settings, Index n_points);

/// What the trainers make of a candidate. Threads, progress and checkpoints are left out: the
/// choice has its own.
FitRadius fit_radius_with(RobustSvmSettings settings);
FitRadius fit_radius_with(RobustEnsembleSettings settings);
FitRadius fit_radius_with(CollaborativeSettings settings);

}  // namespace redoubt
