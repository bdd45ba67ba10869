#pragma once

#include <optional>

#include "reference/long_double.hpp"

namespace redoubt::reference {

/// min ||u||_2 s.t. A u >= m, by the dual method of Goldfarb and Idnani. Numbers should be around
/// 1. Nothing when there is no such u, or one beyond about 1e13.
std::optional<RealVector> least_distance(const RealMatrix& a, const RealVector& m);

}  // namespace redoubt::reference
