#pragma once

/// Choosing a radius, or anything else, by accuracy under attack on points that were held out: the
/// "best on average" rule, without a look at the test set.

#include "redoubt/attack_model.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace redoubt {

enum class Score { Accuracy, BalancedAccuracy };

struct SelectionSettings {
    /// What the adversary may do, in the features of the data; the default is the l2 ball.
    AttackModel attack_model{};
    /// A candidate's score is its mean over these radii, each >= 0; at least one.
    Vector attack_radii{};
    Score score = Score::Accuracy;
    /// Cross-validation with this many folds, >= 2, stratified by class.
    Index n_folds = 5;
    /// If > 0 (and <= 0.9): one split instead, with this share held out.
    double validation_share = 0.0;
    std::uint64_t seed = 0;
    int n_threads = 1;  ///< for certificates; 0 = every core
    /// A round is one training.
    TrainingControl control{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

struct SelectionResult {
    Status status = Status::NumericalFailure;
    /// The candidate with the best mean score; the first of equal ones. -1 when a limit was reached
    /// before every candidate had been tried on at least one part.
    Index best = -1;
    Vector mean{};       ///< of each candidate, over the folds
    Vector deviation{};  ///< standard deviation over the folds; 0 for one
    Matrix scores{};     ///< candidates x folds; NaN where a limit was reached
};

/// Trains candidate number `candidate` on the rows `rows` of the data, `part`.
using FitCandidate =
    std::function<Ensemble(Index candidate, const SvmData& part, const std::vector<Index>& rows)>;

/// Tries every candidate on every part: trained on the others' points, scored on its own. Folds are
/// drawn with the seed, the same for all candidates. Every class needs at least as many points as
/// there are folds.
/// Throws InvalidInput for bad data or settings, an attack model that does not fit the features or
/// does not allow one of the points, and passes on what `fit` throws.
SelectionResult select_candidate(const SvmData& data, Index n_candidates, const FitCandidate& fit,
                                 const SelectionSettings& settings);

/// What `choose_collaborative` tries: every combination.
struct CollaborativeGrid {
    std::vector<double> radii;  ///< targets rho
    std::vector<Index> n_planes;
    std::vector<Index> n_epochs;

    /// 0.5, 0.75, 1, 1.5 and 3 times the largest attack radius (the last leads to a constant
    /// classifier where nothing better is to be had); one plane and `settings.n_planes`; a quarter
    /// of `settings.n_epochs` and all of them.
    static CollaborativeGrid standard(const CollaborativeSettings& settings,
                                      const VectorRef& attack_radii);
};

struct CollaborativeChoice {
    double radius = 0.0;
    CollaborativeSettings settings{};  ///< with the chosen numbers of planes and epochs
    SelectionResult selection{};
};

/// Ens-C's target radius, number of planes and of epochs by validation. The norm and the attack
/// model are those of `settings`. Candidates come in the order of the grid, epochs fastest.
CollaborativeChoice choose_collaborative(const SvmData& data, const CollaborativeSettings& settings,
                                         const CollaborativeGrid& grid,
                                         const SelectionSettings& selection);

}  // namespace redoubt
