#pragma once

/// The arithmetic of the enumeration: long double, so that what it calls zero is zero to far below
/// the accuracy that it is asked for.

#include <Eigen/Core>
#include <limits>

#include "redoubt/types.hpp"

namespace redoubt::reference {

using Real = long double;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

}  // namespace redoubt::reference
