#pragma once

/// Turns a flip, which is unsigned, into the certificate of a point.

#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt {

/// Points per block: the unit in which threads take work and progress is counted.
inline constexpr Index kPointsPerBlock = 16;

Certificate make_certificate(Flip flip, bool is_correct);

/// A point that does not move keeps its answer, and needs no proof.
Flip no_flip();

}  // namespace redoubt
