#pragma once

#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// Reduces a move to the features that move.
inline void compress(Vector& d, std::vector<Index>& features) {
    Index n_kept = 0;
    for (Index l = 0; l < d.size(); ++l) {
        if (d[l] == 0.0) continue;
        features.push_back(l);
        d[n_kept++] = d[l];
    }
    d.conservativeResize(n_kept);
}

}  // namespace redoubt
