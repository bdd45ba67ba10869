#pragma once

/// The arithmetic of the enumeration: long double, so that its zeros are accurate far below the
/// accuracy asked of it.

#include <Eigen/Core>
#include <limits>

#include "redoubt/types.hpp"

namespace redoubt::reference {

using Real = long double;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

}  // namespace redoubt::reference
