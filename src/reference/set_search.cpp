#include "reference/set_search.hpp"

#include "flip/flip.hpp"

namespace redoubt::reference {

Hinges::Hinges(const PlaneSystem& system, Support* moves)
    : a(-system.label * system.ensemble.coef().cast<Real>()),
      c(-a * system.x.cast<Real>() + system.label * system.ensemble.intercept().cast<Real>()),
      support(*moves) {
    for (Index i = 0; i < c.size(); ++i) {
        c[i] = system.ensemble.weight(i) * (1 - c[i]);
        a.row(i) *= system.ensemble.weight(i);
    }
}

SetAnswer SetSearch::most_fooled(double radius) {
    const Ensemble& ensemble = system_.ensemble;
    SetAnswer most{Status::Optimal};
    most.weight = weight_of(ensemble, fooled_planes(ensemble, system_.x, system_.label));
    std::int64_t limit = ensemble.total_units();
    for (int n_asked = 0; most.weight < limit && most.status == Status::Optimal; ++n_asked) {
        // Most weights half-way between are those of no set, unless planes count equally.
        const bool is_halving = limit <= ensemble.n_planes() || n_asked % 2 == 0;
        const std::int64_t need =
            is_halving ? most.weight + (limit - most.weight + 1) / 2 : most.weight + 1;
        const SetAnswer more = least_within(need, radius);
        if (!more.choice && more.status == Status::Optimal) limit = need - 1;
        if (more.choice) most = more;
        most.status = more.status;
    }
    most.bound = static_cast<double>(limit);
    return most;
}

}  // namespace redoubt::reference
