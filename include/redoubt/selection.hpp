#pragma once

/// Choosing a radius, or anything else, by what candidates do on points that were held out, without
/// a look at the test set.

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace redoubt {

enum class Score { Accuracy, BalancedAccuracy };

/// Which candidate is the best one.
enum class SelectionRule {
    /// The greatest mean score.
    BestScore,
    /// The most robust one that costs no accuracy: of those whose balanced accuracy without an
    /// attack is within one standard error of the greatest, and within one point, the one with the
    /// greatest certified radius.
    NoCost,
};

struct SelectionSettings {
    /// What the adversary may do, in the features of the data; the default is the l2 ball.
    AttackModel attack_model{};
    SelectionRule rule = SelectionRule::BestScore;
    /// A candidate's score is its mean over these radii, each >= 0. At least one for BestScore;
    /// without any the scores are those without an attack.
    Vector attack_radii{};
    Score score = Score::Accuracy;
    /// The certified radii of single points count up to here, > 0: else the constant answer, which
    /// nothing changes, would be the most robust of all.
    double radius_cap = std::numeric_limits<double>::infinity();
    /// Cross-validation with this many folds, >= 2, stratified by class.
    Index n_folds = 5;
    /// How often, with other folds each time, >= 1. On small data one set of folds cannot tell
    /// candidates apart.
    Index n_repeats = 1;
    /// If > 0: after the first time only about so many candidates go on, those that may still be the
    /// best, and only they can be. For the rule NoCost.
    Index n_finalists = 0;
    /// If > 0 (and <= 0.9): one split instead, with this share held out.
    double validation_share = 0.0;
    std::uint64_t seed = 0;
    int n_threads = 1;  ///< candidates at the same time; 0 = every core
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
    Matrix scores{};     ///< candidates x folds; NaN where a limit was reached, or for no finalist
    /// Of each candidate, over the folds: balanced accuracy without an attack, its standard error,
    /// and the mean signed radius, where both classes weigh the same.
    Vector balanced_accuracy{};
    Vector standard_error{};
    Vector certified_radius{};
    Vector n_parts{};  ///< how many folds each candidate was tried on
};

/// Trains candidate number `candidate` on the rows `rows` of the data, `part`. May be called by
/// several threads at the same time.
using FitCandidate =
    std::function<Ensemble(Index candidate, const SvmData& part, const std::vector<Index>& rows)>;

/// Tries every candidate on every part: trained on the others' points, scored on its own. Folds are
/// drawn with the seed, the same for all candidates. Every class needs at least as many points as
/// there are folds.
/// Throws InvalidInput for bad data or settings, an attack model that does not fit the features or
/// does not allow one of the points, and passes on what `fit` throws.
SelectionResult select_candidate(const SvmData& data, Index n_candidates, const FitCandidate& fit,
                                 const SelectionSettings& settings);

}  // namespace redoubt
