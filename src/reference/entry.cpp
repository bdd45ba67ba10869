/// What `certify` and `attack` ask of the second opinions.

#include <stdexcept>
#include <string>

#include "flip/second_opinion.hpp"
#include "redoubt/error.hpp"
#include "reference/highs_solver.hpp"
#include "reference/integer_search.hpp"
#include "reference/model_opinion.hpp"
#include "reference/second_opinion.hpp"

namespace redoubt {

Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel& threat,
                    const VectorRef& x, int current_label, const PointLimits& limits) {
    const bool is_mip = solver == Solver::Mip;
    Flip flip;
    if (threat.is_plain()) {
        FlipAnswer answer = is_mip ? mip_flip(ensemble, x, current_label, threat.norm, limits)
                                   : enumerate_flip(ensemble, x, current_label, threat.norm);
        flip.status = answer.status;
        flip.lower = answer.bound;
        flip.n_nodes = answer.n_nodes;
        if (answer.d.size() == 0) return flip;
        flip.fooled = fooled_planes(ensemble, x + answer.d, current_label);
        flip.upper = norm_value(threat.norm, answer.d);
        flip.lower = std::min(flip.lower, flip.upper);
        flip.d = std::move(answer.d);
        return flip;
    }
    const Vector point = x;
    const ModelQuestion question{ensemble, threat, point, current_label,
                                 weight_needed(ensemble, current_label)};
    const FlipAnswer answer =
        is_mip ? mip_model_flip_anywhere(question, limits) : enumerate_model_flip(question);
    flip.status = answer.status;
    flip.lower = std::min(answer.bound, answer.distance);
    flip.upper = answer.distance;
    flip.n_nodes = answer.n_nodes;
    return flip;
}

AdversaryAnswer reference_adversary(Solver solver, Adversary adversary, const PointProblem& point,
                                    const PointLimits& limits) {
    if (solver == Solver::Mip) return mip_adversary(point, adversary, limits);
    return enumerate_adversary(point, adversary);
}

void check_reference(Solver solver, const Ensemble& ensemble) {
    if (solver == Solver::Mip) mip::require_highs();
    if (solver == Solver::Enumerate && ensemble.n_planes() > kMaxEnumeratedPlanes) {
        throw InvalidInput(
            "solver", "at most " + std::to_string(kMaxEnumeratedPlanes) + " planes to enumerate",
            std::to_string(ensemble.n_planes()));
    }
}

}  // namespace redoubt
