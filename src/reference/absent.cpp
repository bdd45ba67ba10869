/// In the place of the reference solvers, where a build leaves them out (REDOUBT_REFERENCE=OFF).

#include "attack/adversary.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/error.hpp"
#include "redoubt/highs.hpp"

namespace redoubt {

void check_reference(Solver solver, const Ensemble&, bool) {
    if (solver == Solver::Native) return;
    throw InvalidInput("solver",
                       "'native', or a build with the reference solvers (REDOUBT_REFERENCE=ON)",
                       "'" + std::string(to_string(solver)) + "'");
}

Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel&, const VectorRef&,
                    int, const PointLimits&) {
    check_reference(solver, ensemble);
    return {};
}

AdversaryAnswer reference_adversary(Solver solver, Adversary, const PointProblem& point,
                                    const PointLimits&) {
    check_reference(solver, point.ensemble);
    return {};
}

void set_highs_library(const std::string&) {}

std::optional<std::string> highs_version() {
    return std::nullopt;
}

}  // namespace redoubt
