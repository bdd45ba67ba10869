#include "certify/most_fooled.hpp"

#include <algorithm>

namespace redoubt {

namespace {

/// The weight to ask for next, with `fooled` < it <= `most`.
Index next_weight(bool is_majority, Index fooled, Index most, int n_asked) {
    if (!is_majority && n_asked % 2 == 0) return fooled + 1;
    return fooled + (most - fooled + 1) / 2;
}

}  // namespace

AdversaryAnswer most_fooled(const PointProblem& point, const FoolingQuestion& question) {
    const Ensemble& ensemble = point.ensemble;
    const bool is_majority = ensemble.total_units() == ensemble.n_planes();
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = Vector::Zero(point.x.size());
    Index at_edge = 0;
    Index fooled = weight_of(ensemble, fooled_planes(ensemble, point.x, point.y));
    Index most = std::max(fooled, question.most);
    Index need = most;
    int n_asked = 0;
    while (fooled < most) {
        Flip flip = question.fool(need);
        answer.n_nodes += flip.n_nodes;
        const bool is_inside = flip.d.size() > 0 && question.fits(need, flip);
        if (is_inside) {
            answer.d = flip.d;
            fooled = weight_of(ensemble, flip.fooled);
            most = std::max(most, fooled);
        }
        if (flip.status != Status::Optimal) {
            answer.status = flip.status;
            break;
        }
        if (!is_inside) {
            // Proven not to be fooled unless the bound ends at the edge itself.
            if (!(flip.lower > point.radius)) at_edge = std::max(at_edge, need);
            most = need - 1;
        }
        need = next_weight(is_majority, fooled, most, ++n_asked);
    }
    answer.objective = ensemble.weight_unit() * static_cast<double>(fooled);
    answer.bound = ensemble.weight_unit() * static_cast<double>(std::max(most, at_edge));
    // Planes that can be fooled at the very edge only, where no double may lie.
    if (answer.status == Status::Optimal && answer.bound > answer.objective)
        answer.status = Status::NumericalFailure;
    return answer;
}

}  // namespace redoubt
