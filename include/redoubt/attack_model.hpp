#pragma once

/// What an adversary may do to a point: more than a ball.
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
/// and no point of a class that does not attack moves at all. Sizes are ||d / scale||_p, where a
/// one-hot group that switches counts as one coordinate of the size that the switch costs instead
/// of its features' own, and a feature that moves by k integers as k /
/// IntegerFeature::steps_at(scale), whatever rounding makes of its values.
///
/// Norm::L0 counts: the size is the sum of what the changed features cost (1 each, unless `cost`
/// says otherwise), however far they go, plus what the groups that switch cost. So each feature
/// that may change needs a range, and scales have no meaning but 0 = frozen.

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

/// A feature whose values are (z - offset) / scale for integers z: those of an integer
/// after scaling, rounded as Scaler rounds them. Raw features have offset 0 and scale 1.
struct IntegerFeature {
    int feature = 0;
    double offset = 0.0;
    double scale = 1.0;
    /// How many integers radius 1 is, where `scale` times the model's scale of the feature is that
    /// number but for rounding; otherwise not looked at. AttackModel::scaled sets it, so that a
    /// step keeps its size; files do not have it.
    double steps = 0.0;

    /// How many integers radius 1 is for a feature with this scale in the model.
    double steps_at(double model_scale) const;

    double value(double integer) const { return (integer - offset) / scale; }
    /// The nearest integer to the one behind a value.
    double nearest(double value) const;

    bool operator==(const IntegerFeature&) const = default;
};

/// What a switch of a group from one member to another costs: the members by their places.
struct SwitchPrice {
    int from = 0;
    int to = 0;
    double cost = 1.0;  ///< >= 0; +infinity: there is no such switch

    bool operator==(const SwitchPrice&) const = default;
};

/// Features of which exactly one is on. All are bound to the group: their own scale and direction
/// are not looked at (but a member with scale 0 freezes the whole group), and they have no range.
struct OneHotGroup {
    std::vector<int> features{};
    double switch_cost = 1.0;  ///< >= 0; of all switches that have no price of their own
    /// Those that have one, ascending by (from, to).
    std::vector<SwitchPrice> prices{};
    /// The values of each member when it is on and when it is off; empty = 1 and 0.
    Vector on{};
    Vector off{};

    double on_value(std::size_t member) const;
    double off_value(std::size_t member) const;

    /// From one member to another; 0 if they are the same.
    double cost(std::size_t from, std::size_t to) const;
    /// The member that is on at x.
    std::size_t member_on(const VectorRef& x) const;
    /// What it costs to get from x to `moved`.
    double cost_between(const VectorRef& x, const VectorRef& moved) const;
    /// Sets what a switch costs, or all switches from or to a member (-1: any).
    void set_cost(int from, int to, double cost);

    bool operator==(const OneHotGroup& other) const;
};

/// What a message about a point calls things.
struct PointNames {
    std::string argument = "X";
    Index first_row = 0;
    /// Of the features. One without a name is "feature 3", counted from `first_feature`.
    std::vector<std::string> features{};
    Index first_feature = 1;
};

/// What a summary calls things.
struct SummaryNames {
    /// Of the features; those without one are called by their number, counted from 1.
    std::vector<std::string> features{};
    /// The labels that -1 and +1 stand for.
    ClassNames classes{"-1", "+1"};
    /// Set if there are more features than those of the model (AttackRules): what holds for them.
    struct Others {
        std::optional<double> scale{};  ///< nothing = one unit, whatever that is
        double cost = 1.0;              ///< of a change, in l0
        double lower = -std::numeric_limits<double>::infinity();
        double upper = std::numeric_limits<double>::infinity();
        /// Columns that switch, what that costs, and the switches that cost something else:
        /// "'clerk' to 'nurse' 2".
        struct Switching {
            std::string column;
            double cost = 1.0;
            std::vector<std::string> prices{};
        };
        std::vector<Switching> switching{};
    };
    std::optional<Others> others{};
    /// Text columns are called by their names, and not by all of their features.
    std::vector<ColumnFeatures> columns{};
};

/// For SummaryNames: "'clerk' to 'nurse' 2"; an empty name stands for any.
std::string price_text(const std::string& from, const std::string& to, double cost);

struct AttackModel {
    Norm norm = Norm::L2;
    /// How far each feature may move at radius 1, >= 0; 0 = frozen. Empty = 1 for all.
    /// In l0: 0 or 1.
    Vector scale{};
    /// Of Norm::L0 alone: what it costs to change each feature, > 0 and finite; features of groups
    /// have the prices of their switches instead. Empty = 1 for all.
    Vector cost{};
    /// Empty = both ways for all.
    std::vector<Direction> direction{};
    /// The least and the greatest value of each feature; may be infinite. Empty = no limit.
    Vector lower{};
    Vector upper{};
    std::vector<IntegerFeature> integers{};
    std::vector<OneHotGroup> one_hot{};
    /// -1 or +1: only points with this label move. A point of the other class keeps its answer: its
    /// radius is +infinity when that is right and -infinity when it is wrong.
    std::optional<int> attacking_class{};
    /// Do entries move that were missing in the data and are filled in? The lists of such features
    /// that `certify` and its like take (RowFeatures) are then to be left out.
    bool missing_moves = false;

    /// Every move d with ||d||_p <= r: a model without rules.
    static AttackModel ball(Norm norm);

    /// Throws InvalidInput naming the field, unless the model fits n features and makes sense.
    void check(Index n_features) const;

    /// Throws InvalidInput if `given`, the norm of the argument, is another than the model's.
    void check_norm(std::string_view argument, Norm given) const;

    /// Throws InvalidInput unless x (which has as many features as the model was checked for) is a
    /// point that the model allows: within the ranges, an integer where it must be one, one feature
    /// of every group on; up to roundings of 1e-9. `row` appears in the message.
    void check_point(const VectorRef& x, Index row, const PointNames& names = {}) const;
    /// The same for every row of X whose label in y attacks; the others never move, nor do the
    /// features in `frozen`, which may then have any value.
    void check_points(const PointsRef& X, const VectorRef& y, const PointNames& names = {},
                      const RowFeatures& frozen = {}) const;

    /// `check` and `check_points`.
    void check_data(const PointsRef& X, const VectorRef& y) const;

    /// The same model for a point some of whose features do not move, whatever values they have: no
    /// range, integer or group is left of them, and a group with such a member is frozen. A model
    /// without scales has those of `unit` (empty = 1).
    AttackModel with_frozen(const std::vector<int>& features, Index n_features,
                            const VectorRef& unit = Vector()) const;

    /// Are changed features counted, whatever the size of their changes?
    bool counts() const { return norm == Norm::L0; }

    /// Nothing but a ball: every feature alike, no rule, and both classes attack.
    bool is_plain() const;

    /// No point can move: every feature is frozen.
    bool is_all_frozen(Index n_features) const;

    /// Do points with this label move?
    bool attacks(int label) const { return !attacking_class || *attacking_class == label; }

    /// The same model with every feature that is in no group kept to [least, greatest] as well: one
    /// number per feature each.
    AttackModel within(const VectorRef& least, const VectorRef& greatest) const;

    /// The same model for the scaled features z = (x - offset) / scale. An empty `scale` stays
    /// empty: radius 1 is then one scaled unit of every feature. Throws InvalidInput when the
    /// scaler has another number of features.
    AttackModel scaled(const Scaler& scaler) const;

    /// The inverse, up to rounding: for the raw features of a model that is about scaled ones. An
    /// empty `scale` becomes the scaler's, so that radius 1 means the same moves.
    AttackModel unscaled(const Scaler& scaler) const;

    /// The size of the move from x by d; infinite when a frozen feature moves. Where only integers
    /// and groups move (in linf: where they decide) it is the exact size, rounded up if that is no
    /// double; otherwise it is rounded to nearest or so. Ranges and directions are not looked at;
    /// an integer feature is taken to end at the nearest integer.
    double move_size(const VectorRef& x, const VectorRef& d) const;

    /// May the point x move to `moved`, whatever the size? A range end, an integer or an on/off
    /// value may be missed by the rounding of x + (moved - x); features that do not move are always
    /// allowed, and frozen ones must not move by a single bit.
    bool allows(const VectorRef& x, const VectorRef& moved) const;

    /// One line per rule that is set.
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
