#include "redoubt/norm.hpp"

#include <cmath>
#include <string>

#include "core/enum_names.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

std::string_view to_string(Norm norm) noexcept {
    return name_of(kNormNames, norm);
}

Norm parse_norm(std::string_view name) {
    return value_of(kNormNames, "norm", name);
}

void require_dual(std::string_view argument, Norm norm) {
    if (norm != Norm::L0) return;
    throw InvalidInput(argument, "'l1', 'l2' or 'linf'",
                       "'l0', which counts changed features and has no dual norm");
}

Norm dual(Norm norm) {
    require_dual("norm", norm);
    return norm == Norm::L1 ? Norm::LInf : norm == Norm::LInf ? Norm::L1 : Norm::L2;
}

double norm_value(Norm norm, const VectorRef& v) {
    if (v.size() == 0) return 0.0;
    if (norm == Norm::L0) return static_cast<double>((v.array() != 0.0).count());
    if (norm == Norm::L2) return v.stableNorm();
    return norm == Norm::L1 ? v.lpNorm<1>() : v.lpNorm<Eigen::Infinity>();
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
        case Norm::L0:
            require_dual("norm", norm);
    }
    return d;
}

}  // namespace redoubt
