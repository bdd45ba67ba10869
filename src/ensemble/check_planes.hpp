#pragma once

#include <string>
#include <vector>

#include "core/check.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt {

/// A plane that came from the caller: finite, in n features.
inline void check_plane(const std::string& argument, const Hyperplane& plane, Index n) {
    check_length(argument + ".w", plane.w.size(), n);
    check_finite(argument + ".w", VectorRef(plane.w));
    check_value(std::isfinite(plane.b), argument + ".b", "a finite number", plane.b);
}

inline void check_planes(const std::string& argument, const std::vector<Hyperplane>& planes,
                         Index n) {
    for (std::size_t i = 0; i < planes.size(); ++i) {
        check_plane(argument + "[" + std::to_string(i) + "]", planes[i], n);
    }
}

}  // namespace redoubt
