#pragma once

/// From a flip, which is unsigned, to the certificate of a point.

#include <vector>

#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt {

/// Points per block: a block is what a thread takes at a time and what progress counts.
inline constexpr Index kPointsPerBlock = 16;

Certificate make_certificate(Flip flip, bool is_correct);

/// A point that does not move keeps its answer.
Flip no_flip();

/// Leaves the features that move.
void compress(Vector& d, std::vector<Index>& features);

}  // namespace redoubt
