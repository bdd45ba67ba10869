#pragma once

/// From a flip, which is unsigned, to the certificate of a point.

#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt {

/// Points per block: a block is what a thread takes at a time and what progress counts.
inline constexpr Index kPointsPerBlock = 16;

Certificate make_certificate(Flip flip, bool is_correct);

/// A point that does not move keeps its answer; there is nothing to prove.
Flip no_flip();

}  // namespace redoubt
