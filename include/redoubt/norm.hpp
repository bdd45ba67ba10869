#pragma once

/// The three norms an adversary may be bound by.
///
/// An adversary moves a point by d with ||d||_p <= r. The other side of every formula holds the
/// dual norm ||w||_q with 1/p + 1/q = 1, because  max { w'd : ||d||_p <= r } = r ||w||_q.

#include "redoubt/types.hpp"

#include <string_view>

namespace redoubt {

enum class Norm { L1, L2, LInf };

/// "l1", "l2" or "linf".
std::string_view to_string(Norm norm) noexcept;

/// The inverse of `to_string`. Throws InvalidInput for anything else.
Norm parse_norm(std::string_view name);

/// L1 <-> LInf, L2 <-> L2.
Norm dual(Norm norm) noexcept;

/// ||v||_p. Does not overflow or underflow before the result does.
double norm_value(Norm norm, const VectorRef& v);

/// The step d with ||d||_p = radius that raises g'd the most: g'd = radius ||g||_q.
/// Defined where it is not unique: g = 0 gives d = 0; for LInf a zero component of g counts as
/// positive; for L1 the first of the largest components takes the whole step.
Vector steepest_step(Norm norm, const VectorRef& g, double radius);

}  // namespace redoubt
