#include "redoubt/norm.hpp"

#include <cmath>
#include <string>

#include "redoubt/error.hpp"

namespace redoubt {

std::string_view to_string(Norm norm) noexcept {
    switch (norm) {
        case Norm::L1:
            return "l1";
        case Norm::L2:
            return "l2";
        case Norm::LInf:
            return "linf";
    }
    return "unknown";
}

Norm parse_norm(std::string_view name) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        if (name == to_string(norm)) return norm;
    }
    throw InvalidInput("norm", "'l1', 'l2' or 'linf'", "'" + std::string(name) + "'");
}

Norm dual(Norm norm) noexcept {
    switch (norm) {
        case Norm::L1:
            return Norm::LInf;
        case Norm::LInf:
            return Norm::L1;
        case Norm::L2:
            break;
    }
    return Norm::L2;
}

double norm_value(Norm norm, const VectorRef& v) {
    if (v.size() == 0) return 0.0;
    switch (norm) {
        case Norm::L1:
            return v.lpNorm<1>();
        case Norm::LInf:
            return v.lpNorm<Eigen::Infinity>();
        case Norm::L2:
            break;
    }
    return v.stableNorm();
}

Vector steepest_step(Norm norm, const VectorRef& g, double radius) {
    Vector d = Vector::Zero(g.size());
    if (g.size() == 0 || (g.array() == 0.0).all()) return d;
    switch (norm) {
        case Norm::L1: {
            Index largest = 0;
            g.cwiseAbs().maxCoeff(&largest);
            d[largest] = std::copysign(radius, g[largest]);
            break;
        }
        case Norm::L2: {
            // Divided by the largest component first: g'g must not overflow or vanish.
            const Vector scaled = g / g.lpNorm<Eigen::Infinity>();
            d = scaled * (radius / scaled.norm());
            break;
        }
        case Norm::LInf:
            d = (g.array() < 0.0).select(Vector::Constant(g.size(), -radius), radius);
            break;
    }
    return d;
}

}  // namespace redoubt
