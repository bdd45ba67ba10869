#pragma once

#include "redoubt/types.hpp"

#include <random>

namespace redoubt::micro {

/// Normal points, labelled by a plane and noise: the classes overlap.
struct NoisyPoints {
    Matrix X;
    Vector y;

    NoisyPoints(Index m, Index n, unsigned seed = 1) : X(m, n), y(m) {
        std::mt19937_64 engine(seed);
        std::normal_distribution<double> normal;
        Vector w(n);
        for (double& value : w) value = normal(engine);
        for (Index j = 0; j < m; ++j) {
            for (Index l = 0; l < n; ++l) X(j, l) = normal(engine);
            y[j] = X.row(j).dot(w) + 3.0 * normal(engine) >= 0 ? 1.0 : -1.0;
        }
    }
};

}  // namespace redoubt::micro
