#pragma once

/// Sizes of moves of integers and groups, which are few and known exactly.

#include <optional>
#include <vector>

#include "redoubt/norm.hpp"

namespace redoubt {

struct MoveSpace;

/// A real number between two doubles: equal to both, or strictly between neighbours.
struct SizeEnds {
    double down = 0.0;
    double up = 0.0;
    bool is_exact = false;  ///< otherwise a few rounding errors apart
};

/// A size of which all others of its kind are multiples (in l2: their squares are): top / bottom.
struct SizeUnit {
    double top = 1.0;
    double bottom = 1.0;

    bool operator==(const SizeUnit&) const = default;
};

/// The unit of steps of integers, `per_radius` of which make up radius 1.
SizeUnit unit_of_steps(double per_radius);

/// The joint size of switches and steps of integers, each one coordinate of the norm.
class ExactSize {
public:
    /// Costs add up in l0 as in l1.
    explicit ExactSize(Norm norm) : norm_(norm == Norm::L0 ? Norm::L1 : norm) {}

    void add(double cost) { add(1.0, {cost, 1.0}); }
    /// `count` >= 0 times the unit.
    void add(double count, const SizeUnit& unit);

    /// Approximate: within a share of `error`.
    double value() const;
    double error() const;
    /// Exact, unless numbers are so large, small or many that it takes too many digits.
    SizeEnds ends() const;

    /// In l2 the count of a unit counts squares.
    static ExactSize multiple(Norm norm, double count, const SizeUnit& unit);

private:
    struct Part {
        double count;
        SizeUnit unit;
    };

    bool is_simple() const;
    SizeEnds ends_of_sum(const std::vector<Part>& parts) const;
    int compare(const std::vector<Part>& parts, double size) const;

    Norm norm_;
    std::vector<Part> parts_{};
};

/// The sizes that moves of integers and groups may have, whatever the point.
class DiscreteSizes {
public:
    explicit DiscreteSizes(const MoveSpace& space);

    /// No size that is at least `size` is less than this, which is at least `size`. Only if nothing
    /// but integers and groups moves.
    double least_from(double size) const;
    /// Sizes below `size`, raised to the power of the norm (1 or 2), are at most this; rounded up.
    /// Only if nothing else moves.
    double power_below(double size) const;
    /// All sizes are multiples of this; in l2 their squares are multiples of its square. l1 and l2
    /// only.
    std::optional<SizeUnit> common_unit() const {
        return has_common_unit_ ? std::optional(common_) : std::nullopt;
    }

private:
    double multiple_from(double size, const SizeUnit& unit) const;
    void find_common_unit();

    Norm norm_;
    std::vector<SizeUnit> steps_{};   ///< of integers
    std::vector<double> switches_{};  ///< what they cost, ascending
    bool is_known_ = false;
    bool has_common_unit_ = false;
    SizeUnit common_{};
};

}  // namespace redoubt
