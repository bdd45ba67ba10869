#pragma once

/// The three norms that can limit an adversary, and the number of features that it changes.
///
/// An adversary moves a point by d with ||d||_p <= r. The other side of every formula holds the
/// dual norm ||w||_q with 1/p + 1/q = 1, because  max { w'd : ||d||_p <= r } = r ||w||_q.
/// L0 counts the features with d != 0. It is not a norm and has no dual; functions that need one
/// refuse it.

#include "redoubt/types.hpp"

#include <string_view>

namespace redoubt {

enum class Norm { L1, L2, LInf, L0 };

/// "l1", "l2", "linf" or "l0".
std::string_view to_string(Norm norm) noexcept;

/// The inverse of `to_string`. Throws InvalidInput for anything else.
Norm parse_norm(std::string_view name);

/// Throws InvalidInput about `argument` for L0, which has no dual norm.
void require_dual(std::string_view argument, Norm norm);

/// L1 <-> LInf, L2 <-> L2. Throws InvalidInput for L0.
Norm dual(Norm norm);

/// ||v||_p; for L0 the number of components of v that are not 0. Overflows or underflows only if
/// the result does.
double norm_value(Norm norm, const VectorRef& v);

/// The step d with ||d||_p = radius that raises g'd the most: g'd = radius ||g||_q. Defined even
/// where it is not unique: g = 0 gives d = 0; in LInf a zero component of g counts as positive; in
/// L1 the first of the largest components takes the whole step. Throws InvalidInput for L0, where a
/// step has no limit.
Vector steepest_step(Norm norm, const VectorRef& g, double radius);

}  // namespace redoubt
