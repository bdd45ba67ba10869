#include "reference/witness.hpp"

#include <cmath>

namespace redoubt::mip {

namespace {

/// A witness is longer than the least step by at most this share: room for the tightest of the
/// margins below where planes meet at a sharp angle.
constexpr Real kLongestHair = 1e-3L;

/// A step shorter than this share of x itself is made of rounding errors.
constexpr Real kShortestStep = 1e-9L;

/// What to measure a hair by: the least step, or the size of the data where the point lies on the
/// planes.
Real length_unit(const PlaneSystem& system, const VectorRef& x, Real length) {
    const Real size = x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0;
    if (length > kShortestStep * size) return length;
    if (size > 0) return size;
    const Real largest = system.m.size() > 0 ? system.m.cwiseAbs().maxCoeff() : 0;
    return largest > 0 ? largest : 1;
}

}  // namespace

void fit_into_ball(Norm norm, double radius, Vector* d) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        const double length = norm_value(norm, *d);
        if (length <= radius) return;
        *d *= (radius / length) * (1.0 - attempt * 0x1p-53);
    }
    if (norm_value(norm, *d) > radius) *d *= 1.0 - 1e-14;
}

std::int64_t count_differing(const Ensemble& ensemble, const VectorRef& x, const VectorRef& d,
                             int label) {
    const Vector moved = x + d;
    std::int64_t count = 0;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const VectorRef w = ensemble.coef().row(i).transpose();
        const bool differs = sign_of_plane(w, ensemble.intercept()[i], moved) != label;
        count += differs ? ensemble.weight_units(i) : 0;
    }
    return count;
}

std::int64_t weight_needed(const Ensemble& ensemble, int label) {
    const std::int64_t total = ensemble.total_units();
    return label > 0 ? total / 2 + 1 : (total + 1) / 2;
}

Witness make_witness(const PlaneSystem& system, const Ensemble& ensemble, const VectorRef& x,
                     const std::vector<int>& rows, std::int64_t wanted, double radius) {
    const int label = system.label;
    Witness best{Vector::Zero(x.size()), 0};
    best.n_differing = count_differing(ensemble, x, best.d, label);
    if (best.n_differing >= wanted) return best;
    const std::optional<LeastStep> least = least_step(system, rows, 0);
    if (!least) return best;
    Real unit = length_unit(system, x, least->length);
    if (std::isfinite(radius)) unit = std::min<Real>(unit, radius);
    for (const double tighter : {0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}) {
        const std::optional<LeastStep> step =
            tighter == 0.0 ? least : least_step(system, rows, tighter * unit);
        // A set that is met on a plane only does not survive tightening, or only far away.
        if (!step || step->length > least->length + kLongestHair * unit) break;
        Vector d = to_features(system, step->d);
        fit_into_ball(system.norm, radius, &d);
        const std::int64_t count = count_differing(ensemble, x, d, label);
        if (count > best.n_differing) best = {d, count};
        if (count >= wanted) break;
    }
    return best;
}

}  // namespace redoubt::mip
