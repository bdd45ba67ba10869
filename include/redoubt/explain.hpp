#pragma once

/// One answer of a model in plain words: what would have to change, feature by feature, in the
/// units of the data.
///
/// Everything here is about rows as a file can hold them. A row is scaled and answered exactly as
/// `Model::predict_all` does it, rounding included, so every statement about a row can be tried
/// out.

#include "redoubt/attack_model.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/columns.hpp"
#include "redoubt/model.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/training_record.hpp"
#include "redoubt/types.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace redoubt {

struct ExplainSettings {
    /// In the units of the data, as `Model::attack_model`. If it has no scales, as the default l2
    /// ball does, sizes are those of the scaled features.
    AttackModel attack_model{};
    /// Ranges that features stay within as well, such as TrainingRecord::ranges of the model; a row
    /// outside them widens them. Empty: no limits.
    FeatureRanges ranges{};
    /// Features that do not move, whatever their values: those of missing entries, for example.
    std::vector<int> frozen{};
    /// For the search for the cheapest attack.
    SearchLimits limits{};
    /// The sentence names at most this many single features, the cheapest.
    int n_named = 3;

    /// The text columns of the features, for the sentence; empty: those that the model knows.
    std::vector<ColumnFeatures> columns{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// What the cheapest attack does to one feature.
struct FeatureMove {
    int feature = 0;
    double from = 0.0;
    double to = 0.0;
    /// In units of the adversary's ball: |to - from| / scale, or the cost of the switch of its
    /// group (the same for both members that change).
    double size = 0.0;
    /// Its share of the size R of the whole attack: size / R in l1 and (size / R)^2 in l2, where
    /// the shares add up to 1 (each of the two members of a switch counts half); size / R in linf,
    /// where the features with 1 are those that matter.
    double share = 0.0;
};

/// The least change of this feature alone that changes the answer. Exact: every allowed value
/// strictly between `from` and `up_to` (`down_to`) keeps the answer, and `up_to` itself, if finite,
/// changes it.
struct SingleChange {
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    int feature = 0;
    double from = 0.0;
    double up_to = kNone;     ///< > from; infinite if no larger value does it
    double down_to = -kNone;  ///< < from; -infinite if no smaller value does it
    /// The sizes of these two changes, in units of the adversary's ball.
    double up_size = kNone;
    double down_size = kNone;
    /// The member of a one-hot group that changes together with this one, in the opposite
    /// direction; -1 for any other feature.
    int partner = -1;
    /// True if this member is the one that goes on.
    bool goes_on = false;

    /// The cheaper of the two; infinite if neither exists.
    double size() const { return up_size < down_size ? up_size : down_size; }
};

struct Explanation {
    /// The model's answer: -1 or +1, or with more than two classes the number of one.
    int answer = 0;
    /// The certificate of that answer, in the scaled features.
    Certificate certificate{};
    /// The row after the cheapest attack; empty if none is known. It obeys the attack model: what
    /// does not move is the same to the last bit, integers stay integers, groups switch.
    Vector moved{};
    /// The answer that the cheapest attack leads to; with more than two classes -1 if none is
    /// known.
    int moved_answer = 0;
    /// Whether the model's answer there differs. False only if the units of the data are too coarse
    /// for the move.
    bool is_changed = false;
    /// The features that the cheapest attack moves, the largest share first.
    std::vector<FeatureMove> attack{};
    /// One per feature.
    std::vector<SingleChange> singles{};
    /// "stays 'benign' unless BareNuclei rises by 2.3 or more, job changes from 'clerk' to 'nurse',
    /// .., or the change as a whole has l2 size 0.41 or more". Radii and changes are rounded down,
    /// so that the sentence is true as it stands. With ranges it starts with "within the ranges of
    /// the training data".
    std::string sentence{};
};

/// Explains the answer at one raw row. The changes of single features take about 64 evaluations of
/// each plane (of one plane per class: of each pair of classes) per feature and direction. Points
/// of a class that does not attack do not move at all: the answer counts as the label. Throws
/// InvalidInput for a wrong number of features, a value that is not finite, or an attack model that
/// is inconsistent or does not allow the row.
Explanation explain(const Model& model, const VectorRef& raw, const ExplainSettings& settings = {});

}  // namespace redoubt
