#pragma once

/// One answer of a model in people's terms: what would have to change, feature by feature, in the
/// units of the data.
///
/// Everything here is about rows as a file can hold them. A row is scaled and answered as
/// `Model::predict_all` does it, roundings included, so what is said of a row can be tried on it.

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
    /// In the units of the data, as `Model::attack_model`. Where it has no scales, as the default,
    /// the l2 ball, sizes are those of the scaled features.
    AttackModel attack_model{};
    /// Where features stay as well, such as TrainingRecord::ranges of the model; a row outside them
    /// widens them. Not known: anywhere.
    FeatureRanges ranges{};
    /// Features that do not move, whatever their values: behind entries that are missing, say.
    std::vector<int> frozen{};
    /// Of the search for the cheapest attack.
    SearchLimits limits{};
    /// The sentence names at most this many single features, the cheapest.
    int n_named = 3;

    /// Throws InvalidInput naming the field.
    /// The text columns of the features, for the sentence; empty: those that the model knows.
    std::vector<ColumnFeatures> columns{};

    void check() const;
};

/// What the cheapest attack does to one feature.
struct FeatureMove {
    int feature = 0;
    double from = 0.0;
    double to = 0.0;
    /// In units of the adversary's ball: |to - from| / scale, or what the switch of its group costs
    /// (the same for both members that change).
    double size = 0.0;
    /// Its part in the size R of the whole attack: size / R for l1, (size / R)^2 for l2, where they
    /// add up to 1 (a switch counts half for each of its two members), and size / R for linf, where
    /// features with 1 are those that count.
    double share = 0.0;
};

/// The least change of one feature, all others left alone, that changes the answer. Exact: every
/// allowed value strictly between `from` and `up_to` (`down_to`) keeps the answer, and `up_to`
/// itself, if finite, changes it.
struct SingleChange {
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    int feature = 0;
    double from = 0.0;
    double up_to = kNone;     ///< > from; infinite if no larger value does it
    double down_to = -kNone;  ///< < from; -infinite if no smaller value does it
    /// Of these two changes, in units of the adversary's ball.
    double up_size = kNone;
    double down_size = kNone;
    /// A member of a one-hot group changes together with this one, which goes on or off instead;
    /// -1 for any other feature.
    int partner = -1;
    /// Is it this member that goes on?
    bool goes_on = false;

    /// The cheaper of the two; infinite if there is none.
    double size() const { return up_size < down_size ? up_size : down_size; }
};

struct Explanation {
    /// The model's answer, -1 or +1.
    int answer = 0;
    /// Of that answer, for the scaled features.
    Certificate certificate{};
    /// The row after the cheapest attack; empty where none is known. It obeys the attack model:
    /// what does not move is the same to the last bit, integers stay integers, groups switch.
    Vector moved{};
    /// Does the model answer otherwise there? False only where the units of the data are too coarse
    /// for the move.
    bool is_changed = false;
    /// The features that the cheapest attack moves, the largest share first.
    std::vector<FeatureMove> attack{};
    /// One per feature.
    std::vector<SingleChange> singles{};
    /// "stays 'benign' unless BareNuclei rises by 2.3 or more, job changes from 'clerk' to 'nurse',
    /// .., or the change as a whole has l2 size 0.41 or more". Radii and changes are rounded down,
    /// so that it is true as it stands. With ranges it says "within the ranges of the training
    /// data" first.
    std::string sentence{};
};

/// Explains the answer at one raw row. The single changes take about 64 evaluations of each plane
/// per feature and direction. Points of a class that does not attack do not move at all: the answer
/// counts as the label. Throws InvalidInput for another number of features, a value that is not
/// finite, or an attack model that makes no sense or does not allow the row.
Explanation explain(const Model& model, const VectorRef& raw, const ExplainSettings& settings = {});

}  // namespace redoubt
