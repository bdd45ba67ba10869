#pragma once

/// An attack model in the units of its ball: u = d / scale, feature by feature.
///
/// What remains of a point's problem is a standard norm over a box that contains u = 0, in which
/// some coordinates take only values on a grid, and switches of groups with a price.

#include <cmath>
#include <utility>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "threat/exact_size.hpp"

namespace redoubt {

/// The features and groups that can move at all; one per model, shared by all points and threads.
struct MoveSpace {
    /// The model must have been checked for n features and must outlive this.
    MoveSpace(const AttackModel& model, Index n_features);

    const AttackModel* model;
    Index n_features;
    /// The features behind the coordinates: those outside groups with a scale > 0. Ascending.
    std::vector<int> features;
    /// Their scales.
    Vector unit;
    /// By coordinate: its position in model->integers, or -1.
    std::vector<int> integer_at;
    /// Positions in model->one_hot of the groups that may switch.
    std::vector<int> groups;
    bool has_integers = false;
    /// True if a coordinate has an end, goes one way only or takes values on a grid, or a group may
    /// switch. Otherwise every u of the norm's ball is a move.
    bool has_box = false;
    /// True if there is no box and the coordinates are the features themselves: u = d.
    bool is_ball = false;

    Index size() const { return static_cast<Index>(features.size()); }
    bool is_convex() const { return !has_integers && groups.empty(); }
    /// The size of one step of a coordinate of integers.
    SizeUnit step_unit(Index coordinate) const;
};

/// Integers from `first` to `last`, which may be infinite.
struct IntegerRange {
    double first = 0.0;
    double last = 0.0;
    double now = 0.0;  ///< the point's own integer
};

/// The moves of one point x.
class PointMoves {
public:
    explicit PointMoves(const MoveSpace& space) : space_(&space) {}

    /// x must pass AttackModel::check_point.
    void load(const VectorRef& x);

    const MoveSpace& space() const { return *space_; }
    const Vector& x() const { return x_; }
    /// The box of u, a rounding error or two too wide; lo <= 0 <= hi. Only if the space has a box.
    const Vector& lo() const { return lo_; }
    const Vector& hi() const { return hi_; }
    /// Of a coordinate of integers.
    const IntegerRange& range(Index coordinate) const {
        return ranges_[static_cast<std::size_t>(coordinate)];
    }
    /// The member of the group (by its position in space().groups) that is on.
    std::size_t on(std::size_t group) const { return on_[group]; }
    const OneHotGroup& group(std::size_t group) const {
        return space_->model->one_hot[static_cast<std::size_t>(space_->groups[group])];
    }
    /// The cost of switching the group to a member; infinite if that is impossible.
    double cost(std::size_t group_at, std::size_t member) const {
        return group(group_at).cost(on_[group_at], member);
    }
    bool can_switch(std::size_t group, std::size_t member) const {
        return cost(group, member) < HUGE_VAL;
    }

    /// u of an integer, rounded to nearest; exactly 0 for the point's own.
    double u_of_integer(Index coordinate, double integer) const;
    /// The feature's value for that integer or, for any other coordinate, at u, within its range
    /// and not on the wrong side of x. u = 0 gives x itself, bit for bit.
    double value_of_integer(Index coordinate, double integer) const;
    double value_at(Index coordinate, double u) const;

    /// Calls `take` for each member with what is added to w'x if that member is on instead of the
    /// current one; 0 for those that cannot be switched to. One pass, because a group may have
    /// thousands of members.
    template <class Take>
    void for_each_switch(std::size_t group_at, const VectorRef& w, const Take& take) const {
        const OneHotGroup& one = group(group_at);
        const bool is_free = one.prices.empty() && one.switch_cost < HUGE_VAL;
        double off = 0.0;
        for (std::size_t i = 0; i < one.features.size(); ++i) {
            off += w[one.features[i]] * (one.off_value(i) - x_[one.features[i]]);
        }
        for (std::size_t i = 0; i < one.features.size(); ++i) {
            const double rise = w[one.features[i]] * (one.on_value(i) - one.off_value(i));
            const bool stays = i == on_[group_at] || !(is_free || can_switch(group_at, i));
            take(stays ? 0.0 : off + rise);
        }
    }
    /// Writes the corresponding values of the members into `moved`, which is x or a copy moved
    /// elsewhere.
    void apply_switch(std::size_t group, std::size_t member, Vector& moved) const;

    /// d for which x + d, rounded, is `moved`, wherever doubles allow it; otherwise next to it, and
    /// within the range. Features that do not move have d = 0.
    Vector step_to(const Vector& moved) const;

private:
    void load_integers(Index coordinate);

    const MoveSpace* space_;
    Vector x_;
    Vector lo_;
    Vector hi_;
    std::vector<IntegerRange> ranges_;
    std::vector<std::size_t> on_;
};

/// Joins sizes of moves by a norm: ||(a, b)|| from a = ||..|| and b = ||..||, and the inverse.
double join_sizes(Norm norm, double a, double b);
/// The largest a with join_sizes(norm, a, b) <= size; negative if there is none.
double rest_of_size(Norm norm, double size, double b);

/// The size of moved - x: `up` is AttackModel::move_size, never less than in exact arithmetic.
/// Exact if integers and groups alone decide; otherwise `down` is 0.
SizeEnds move_size_ends(const MoveSpace& space, const VectorRef& x, const VectorRef& moved);

/// The size of one step of integers of a feature with this scale in the model.
SizeUnit step_unit(const IntegerFeature& one, double model_scale);

/// A move in parts: `first` of integers and groups, and the size of the rest.
std::pair<ExactSize, double> split_move(const AttackModel& model, const VectorRef& x,
                                        const VectorRef& d);

}  // namespace redoubt
