#pragma once

#include <optional>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// The moves of a point that a node of a proof is about.
struct MoveBox {
    /// A feature that moves by u units, from lo to hi. Its size is at least (|u| - slack) (1 -
    /// share), because integers are measured by their steps, not by their values.
    struct Coordinate {
        int feature = 0;
        double unit = 1.0;
        double lo = 0.0;
        double hi = 0.0;
        double slack = 0.0;
        double share = 0.0;
        double value_error = 0.0;  ///< of u, if values are rounded
    };
    struct Member {
        double cost = 0.0;
        Vector change{};  ///< of the group's features
    };
    struct Group {
        std::vector<int> features{};
        std::vector<Member> members{};
    };

    std::vector<Coordinate> coordinates{};
    std::vector<Group> groups{};
};

/// What multipliers of planes prove about all moves below a radius in a box (docs/formats.md,
/// "Refuted"), rounded safely.
class Refuter {
public:
    /// All must outlive this; `x` remains the point's value.
    Refuter(const Ensemble& ensemble, Norm norm, const Vector& x)
        : ensemble_(ensemble), norm_(norm), x_(x) {}

    /// Moves away from `label` in the box, whose sizes to the power of the norm (1 or 2) are at
    /// most `power`; in linf they are less than `radius`.
    void load(int label, MoveBox box, double radius, double power);

    /// For multipliers >= 0 of planes of the ensemble.
    void ask(const std::vector<int>& planes, const std::vector<double>& lambda);
    /// True if they show that no such move fools these planes together. With a charge, except in
    /// linf.
    bool is_shown(double charge) const;
    /// The charge that proves most, or nearly.
    double best_charge() const;

private:
    double total(double charge, double& error) const;
    double most_of(const MoveBox::Coordinate& one, double slope, double charge) const;
    double most_of(const MoveBox::Group& group, double charge, double& error) const;
    double left_over(double charge) const;
    double lowest_charge() const;
    double cost_power(double cost) const { return norm_ == Norm::L2 ? cost * cost : cost; }

    const Ensemble& ensemble_;
    Norm norm_;
    const Vector& x_;
    int label_ = 1;
    MoveBox box_{};
    double radius_ = 0.0;
    double power_ = 0.0;
    // The last question.
    double missing_ = 0.0;  ///< lambda'g
    double missing_error_ = 0.0;
    Vector slope_;  ///< by feature, and its possible error
    Vector slope_error_;
    double terms_ = 0.0;
};

}  // namespace redoubt
