#pragma once

#include <optional>

#include "reference/plane_system.hpp"

namespace redoubt::mip {

/// min ||d||_2 s.t. A d >= m, some m_i > 0 and |m_i| <= 1: the "least distance programming" of
/// Lawson and Hanson, through non-negative least squares on (A' ; m'). `guess` > 0 is about
/// ||d||, within a factor of a million. Nothing when no step is found; a step that is huge may mean
/// that there is none.
std::optional<LeastStep> least_distance(const RealMatrix& a, const RealVector& m, Real guess);

}  // namespace redoubt::mip
