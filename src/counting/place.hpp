#pragma once

#include <cstddef>

#include "redoubt/types.hpp"

namespace redoubt {

/// A number of Eigen's, or of planes and columns, as a place in a vector.
inline std::size_t to_size(Index i) {
    return static_cast<std::size_t>(i);
}

}  // namespace redoubt
