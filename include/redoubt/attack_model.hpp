#pragma once

/// What an adversary may do to a point, where a ball does not describe it.
///
/// A point x may move by d when
///
///     the size of the move is at most r        (see `move_size`)
///     lower <= x + d <= upper                  feature by feature
///     d_l >= 0 or d_l <= 0                     for features that go one way only
///     d_l = 0                                  for frozen features (scale 0)
///     x + d is an integer                      for integer features
///     exactly one feature of a group is on     for one-hot groups
///
/// and points of a class that does not attack do not move at all. The size is ||d / scale||_p, with
/// two exceptions: a one-hot group that switches counts as one coordinate, whose size is the cost
/// of the switch, and an integer feature that moves by k integers counts as k /
/// IntegerFeature::steps_at(scale), however its values are rounded.
///
/// Norm::L0 counts: the size is the total cost of the changed features (1 each, unless `cost` says
/// otherwise), however far they move, plus the costs of the groups that switch. Each feature that
/// may change therefore needs a range, and scales mean nothing but 0 = frozen.

#include "redoubt/columns.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/points.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/types.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace redoubt {

enum class Direction { Both, Up, Down };

/// "both", "up" or "down".
std::string_view to_string(Direction direction) noexcept;
Direction parse_direction(std::string_view name);

/// A feature whose values are (z - offset) / scale for integers z, that is, an integer after
/// scaling, rounded as Scaler rounds it. Raw features have offset 0 and scale 1.
struct IntegerFeature {
    int feature = 0;
    double offset = 0.0;
    double scale = 1.0;
    /// How many integers make up radius 1. Used only if `scale` times the model's scale of the
    /// feature is that number up to rounding. AttackModel::scaled sets it, so that a step keeps its
    /// size; files do not store it.
    double steps = 0.0;

    /// How many integers radius 1 is for a feature of this scale in the model.
    double steps_at(double model_scale) const;

    double value(double integer) const { return (integer - offset) / scale; }
    /// The integer nearest to the one that a value stands for.
    double nearest(double value) const;

    bool operator==(const IntegerFeature&) const = default;
};

/// The cost of switching a group from one member to another, given by their positions.
struct SwitchPrice {
    int from = 0;
    int to = 0;
    double cost = 1.0;  ///< >= 0; +infinity forbids the switch

    bool operator==(const SwitchPrice&) const = default;
};

/// Features of which exactly one is on. They belong to the group: their own scale and direction are
/// ignored (except that a member with scale 0 freezes the whole group), and they have no range.
struct OneHotGroup {
    std::vector<int> features{};
    double switch_cost = 1.0;  ///< >= 0; the cost of every switch without a price of its own
    /// Switches with a price of their own, ascending by (from, to).
    std::vector<SwitchPrice> prices{};
    /// The values of each member when it is on and when it is off; empty = 1 and 0.
    Vector on{};
    Vector off{};

    double on_value(std::size_t member) const;
    double off_value(std::size_t member) const;

    /// The cost of switching from one member to another; 0 if they are the same.
    double cost(std::size_t from, std::size_t to) const;
    /// The member that is on at x.
    std::size_t member_on(const VectorRef& x) const;
    /// The cost of getting from x to `moved`.
    double cost_between(const VectorRef& x, const VectorRef& moved) const;
    /// Sets the cost of a switch, or of all switches from or to a member (-1: any).
    void set_cost(int from, int to, double cost);

    bool operator==(const OneHotGroup& other) const;
};

/// The names used in messages about a point.
struct PointNames {
    std::string argument = "X";
    Index first_row = 0;
    /// The names of the features. A feature without one is "feature 3", counted from
    /// `first_feature`.
    std::vector<std::string> features{};
    Index first_feature = 1;
};

/// The names used in summaries.
struct SummaryNames {
    /// The names of the features; a feature without one is called by its number, counted from 1.
    std::vector<std::string> features{};
    /// The labels that -1 and +1 stand for.
    ClassNames classes{"-1", "+1"};
    /// What holds for features that are not listed, if there are more than the listed ones
    /// (AttackRules).
    struct Others {
        std::optional<double> scale{};  ///< empty = one unit, whatever that is
        double cost = 1.0;              ///< of a change, in l0
        double lower = -std::numeric_limits<double>::infinity();
        double upper = std::numeric_limits<double>::infinity();
        /// Columns that switch, the cost of a switch, and the switches with another cost: "'clerk'
        /// to 'nurse' 2".
        struct Switching {
            std::string column;
            double cost = 1.0;
            std::vector<std::string> prices{};
        };
        std::vector<Switching> switching{};
    };
    std::optional<Others> others{};
    /// Calls text columns by their names instead of listing their features.
    std::vector<ColumnFeatures> columns{};
};

/// For SummaryNames: "'clerk' to 'nurse' 2"; an empty name stands for any category.
std::string price_text(const std::string& from, const std::string& to, double cost);

struct AttackModel {
    Norm norm = Norm::L2;
    /// How far each feature may move at radius 1, >= 0; 0 = frozen. Empty = 1 for all.
    /// In l0: 0 or 1.
    Vector scale{};
    /// For Norm::L0 only: the cost of changing each feature, > 0 and finite; features of groups
    /// have the prices of their switches instead. Empty = 1 for all.
    Vector cost{};
    /// Empty = both directions for all.
    std::vector<Direction> direction{};
    /// The least and the greatest value of each feature; may be infinite. Empty = no limits.
    Vector lower{};
    Vector upper{};
    std::vector<IntegerFeature> integers{};
    std::vector<OneHotGroup> one_hot{};
    /// -1 or +1, or with more than two classes the number of one: only points with this label move.
    /// A point of another class keeps its answer: its radius is +infinity if that is right and
    /// -infinity if it is wrong.
    std::optional<int> attacking_class{};
    /// Whether entries that are missing in the data and filled in by the model may move. If so, do
    /// not pass the lists of such features (RowFeatures) to `certify` and similar functions.
    bool missing_moves = false;

    /// Every move d with ||d||_p <= r: a model without rules.
    static AttackModel ball(Norm norm);

    /// Throws InvalidInput naming the field, unless the model fits n features and so many classes
    /// and is consistent.
    void check(Index n_features, Index n_classes = 2) const;

    /// Throws InvalidInput if `given`, the norm of the argument, differs from the model's.
    void check_norm(std::string_view argument, Norm given) const;

    /// Throws InvalidInput unless the model allows the point x (which has as many features as the
    /// model was checked for): within the ranges, an integer where required, one feature of every
    /// group on, up to rounding errors of 1e-9. `row` appears in the message.
    void check_point(const VectorRef& x, Index row, const PointNames& names = {}) const;
    /// The same for every row of X whose label in y attacks. The others never move, and neither do
    /// the features in `frozen`, which may have any value.
    void check_points(const PointsRef& X, const VectorRef& y, const PointNames& names = {},
                      const RowFeatures& frozen = {}) const;

    /// `check` and `check_points`.
    void check_data(const PointsRef& X, const VectorRef& y) const;

    /// The same model for a point with some features that do not move, whatever their values: their
    /// ranges and integers are dropped, and a group with such a member is frozen. A model without
    /// scales gets those of `unit` (empty = 1).
    AttackModel with_frozen(const std::vector<int>& features, Index n_features,
                            const VectorRef& unit = Vector()) const;

    /// True if changed features are counted, whatever the size of their changes.
    bool counts() const { return norm == Norm::L0; }

    /// True for a plain ball: all features alike, no rules, both classes attack.
    bool is_plain() const;

    /// True if no point can move: every feature is frozen.
    bool is_all_frozen(Index n_features) const;

    /// True if points with this label move.
    bool attacks(int label) const { return !attacking_class || *attacking_class == label; }

    /// Of more than two classes, for the training of class c against the rest: the side with the
    /// class that attacks, if there is one, attacks as a whole. This adversary can do more.
    AttackModel against_rest(int c) const;

    /// The same model with every feature outside groups also kept within [least, greatest]: one
    /// number per feature each.
    AttackModel within(const VectorRef& least, const VectorRef& greatest) const;

    /// The same model for the scaled features z = (x - offset) / scale. An empty `scale` stays
    /// empty: radius 1 is then one scaled unit of every feature. Throws InvalidInput if the scaler
    /// has another number of features.
    AttackModel scaled(const Scaler& scaler) const;

    /// The inverse, up to rounding: turns a model of scaled features into one of raw features. An
    /// empty `scale` becomes the scaler's, so that radius 1 means the same moves.
    AttackModel unscaled(const Scaler& scaler) const;

    /// The size of the move from x by d; infinite if a frozen feature moves. It is exact if only
    /// integers and groups move (in linf: if they decide), and rounded up if no double equals it;
    /// otherwise it is rounded to nearest, approximately. Ranges and directions are ignored; an
    /// integer feature is taken to end at the nearest integer.
    double move_size(const VectorRef& x, const VectorRef& d) const;

    /// True if the point x may move to `moved`, whatever the size. The end of a range, an integer
    /// or an on/off value may be missed by the rounding of x + (moved - x). Features that do not
    /// move are always allowed; frozen ones must not move by a single bit.
    bool allows(const VectorRef& x, const VectorRef& moved) const;

    /// One line per rule.
    std::string summary(const SummaryNames& names = {}) const;
    /// All rules in one line, for titles and legends: "age, sex frozen; 3 integer features".
    std::string brief(const SummaryNames& names = {}) const;

    bool operator==(const AttackModel& other) const;

    double cost_of(Index feature) const { return cost.size() == 0 ? 1.0 : cost[feature]; }
    double scale_of(Index feature) const { return scale.size() == 0 ? 1.0 : scale[feature]; }
    double lower_of(Index feature) const;
    double upper_of(Index feature) const;
    Direction direction_of(Index feature) const;
};

}  // namespace redoubt
