#pragma once

#include "counting/count_flipper.hpp"
#include "flip/radius_slope.hpp"

namespace redoubt {

/// RadiusSloper for moves that are counted. One per thread.
///
/// The radius is a sum of costs and does not change with the planes a little. The shares are those
/// of the linear program of the planes that the least move fools (CoverProgram), whose optimum is
/// at most the radius: its multipliers are the rates, and its solution, where changes may happen in
/// part, is the move. Always a surrogate.
class CountSloper {
public:
    /// The planes must outlive this.
    explicit CountSloper(const CountedPlanes& planes)
        : planes_(planes), flipper_(planes), length_(planes.space()) {}

    /// As RadiusSloper. Hard points get a radius that is no less than theirs.
    RadiusSlope solve(const PointRef& x, int y, const RadiusLimits& limits);

private:
    std::vector<int> deciding_planes(const Vector& moved, const std::vector<int>& fooled, int label,
                                     Index required) const;

    const CountedPlanes& planes_;
    CountFlipper flipper_;
    PlaneLength length_;
};

}  // namespace redoubt
