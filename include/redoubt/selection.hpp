#pragma once

/// Choosing a radius, or anything else, by the candidates' results on held-out points, without
/// looking at the test set.

#include "redoubt/attack_model.hpp"
#include "redoubt/class_vote.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/svm.hpp"
#include "redoubt/training.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace redoubt {

enum class Score { Accuracy, BalancedAccuracy };

/// Which candidate wins.
enum class SelectionRule {
    /// The greatest mean score.
    BestScore,
    /// The most robust one that costs no accuracy: the candidate with the greatest certified radius
    /// among those whose balanced accuracy without attack is within one standard error, and within
    /// one point, of the greatest.
    NoCost,
};

struct SelectionSettings {
    /// What the adversary may do, in the features of the data; the default is the l2 ball.
    AttackModel attack_model{};
    SelectionRule rule = SelectionRule::BestScore;
    /// A candidate's score is its mean over these radii, each >= 0. BestScore needs at least one;
    /// without any the scores are those without attack.
    Vector attack_radii{};
    Score score = Score::Accuracy;
    /// The certified radius of a point counts up to this value, > 0: otherwise a constant answer,
    /// which nothing changes, would be the most robust of all.
    double radius_cap = std::numeric_limits<double>::infinity();
    /// Cross-validation with this many folds, >= 2, stratified by class.
    Index n_folds = 5;
    /// Number of rounds, each with other folds, >= 1. On small data a single set of folds cannot
    /// tell candidates apart.
    Index n_repeats = 1;
    /// If > 0: after the first round only about this many candidates go on, those that may still be
    /// the best, and only they can win. For the rule NoCost.
    Index n_finalists = 0;
    /// For the rule NoCost: the first so many candidates are reserves. They count only where the
    /// best of them is more accurate than the best of the others by more than one point.
    Index n_reserves = 0;
    /// If > 0 (and <= 0.9): a single split instead, with this share held out.
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
    /// The candidate with the best mean score; the first of equal ones. -1 if a limit was reached
    /// before every candidate had been tried on at least one fold.
    Index best = -1;
    Vector mean{};       ///< of each candidate, over the folds
    Vector deviation{};  ///< standard deviation over the folds; 0 for one
    /// candidates x folds; NaN if a limit was reached or the candidate was no finalist
    Matrix scores{};
    /// Per candidate, over the folds: balanced accuracy without attack, its standard error, and the
    /// mean signed radius, with equal weight for all classes.
    Vector balanced_accuracy{};
    Vector standard_error{};
    Vector certified_radius{};
    Vector n_parts{};  ///< the number of folds each candidate was tried on
};

/// The rule NoCost, also for scores from elsewhere: the candidate with the greatest certified
/// radius among those whose balanced accuracy is within the smaller of one point and the standard
/// error of the best; the first of equal ones. At least one candidate; NaN is not accurate.
Index most_robust(const VectorRef& balanced_accuracy, const VectorRef& standard_error,
                  const VectorRef& certified_radius);

/// Trains candidate number `candidate` on the rows `rows` of the data, `part`. May be called by
/// several threads at the same time.
using FitCandidate =
    std::function<Ensemble(Index candidate, const SvmData& part, const std::vector<Index>& rows)>;

/// Tries every candidate on every fold: trained on the points of the others, scored on its own. The
/// seed draws the folds, the same for all candidates. Every class needs at least as many points as
/// there are folds. Throws InvalidInput for bad data or settings, or an attack model that does not
/// match the features or does not allow one of the points, and passes on the exceptions of `fit`.
SelectionResult select_candidate(const SvmData& data, Index n_candidates, const FitCandidate& fit,
                                 const SelectionSettings& settings);

/// The same with more than two classes: the labels are their numbers, and so is the attacking class
/// of the attack model.
using FitClassCandidate =
    std::function<ClassVote(Index candidate, const SvmData& part, const std::vector<Index>& rows)>;
SelectionResult select_candidate(const SvmData& data, Index n_classes, Index n_candidates,
                                 const FitClassCandidate& fit, const SelectionSettings& settings);

}  // namespace redoubt
