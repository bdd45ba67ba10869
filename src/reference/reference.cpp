/// The drivers: what `certify` and `attack` ask of the reference solvers, for every threat.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "attack/adversary.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/error.hpp"
#include "reference/highs_solver.hpp"
#include "reference/set_search.hpp"

namespace redoubt {

namespace reference {

namespace {

std::unique_ptr<SetSearch> make_search(Solver solver, PlaneSystem* system,
                                       const PointLimits& limits) {
    return solver == Solver::Mip ? make_program_search(system, limits)
                                 : make_enumeration(system, limits);
}

/// A witness is larger than the least move by at most this share: room for the tightest of the
/// margins below where planes meet at a sharp angle.
constexpr Real kMostExcess = 1e-3L;

/// A step shorter than this share of x itself is made of rounding errors.
constexpr Real kShortestStep = 1e-9L;

/// Sizes of moves under rules may exceed the radius by this share.
constexpr double kRoom = 1e-12;

/// What margins are measured by: the least step, or the size of the data where the point lies on
/// the planes.
Real margin_unit(const PlaneSystem& system, Real length) {
    const Real size = system.x.cwiseAbs().maxCoeff();
    if (length > kShortestStep * size) return length;
    return size > 0 ? size : 1;
}

struct Witness {
    Vector d{};
    std::int64_t weight = 0;  ///< of the planes fooled at x + d, recomputed there
};

/// A move of size <= `radius` with planes of weight `wanted` fooled when recomputed at x + d. The
/// least one for the choice where that will do, otherwise one slightly beyond: all inequalities are
/// tightened together, by 1e-13 of the length and then ever more up to 1e-6. Where even that fails
/// (the radius ends exactly on a plane, or the planes are met there only) the best move that was
/// seen.
Witness make_witness(PlaneSystem* system, const PlaneChoice& choice, std::int64_t wanted,
                     double radius) {
    const Vector& x = system->x;
    Witness best{Vector::Zero(x.size())};
    const auto see = [&](const Vector& d) {
        const std::int64_t weight =
            weight_of(system->ensemble, fooled_planes(system->ensemble, x + d, system->label));
        if (weight > best.weight) best = {d, weight};
        return best.weight >= wanted;
    };
    system->choose(choice.options);
    const std::optional<LeastStep> least = system->least_step(choice.planes, 0);
    if (see(best.d) || !least) return best;
    Real unit = margin_unit(*system, least->length);
    if (radius > 0.0) unit = std::min<Real>(unit, radius);
    for (const double tighter : {0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}) {
        const std::optional<LeastStep> step = system->least_step(choice.planes, tighter * unit);
        // A set that is met on a plane only does not survive tightening, or only far away.
        if (!step || step->length > least->length + kMostExcess * unit) break;
        Vector d = system->to_move(step->u);
        if (system->threat.move_size(x, d) > radius * (1.0 + kRoom)) break;
        if (system->threat.is_plain()) fit_into_ball(system->threat.norm, radius, d);
        if (see(d)) break;
    }
    return best;
}

AdversaryAnswer exact_adversary(const PointProblem& p, SetSearch& search, PlaneSystem& system) {
    Witness best = make_witness(&system, {}, 0, p.radius);
    AdversaryAnswer answer;
    std::int64_t most = best.weight;
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const SetAnswer found = search.most_fooled(p.radius);
        if (round == 0) most = std::max(most, static_cast<std::int64_t>(found.bound));
        if (round == 0 || found.status != Status::Optimal) answer.status = found.status;
        if (found.choice) {
            const Witness witness = make_witness(&system, *found.choice, found.weight, p.radius);
            if (witness.weight > best.weight) best = witness;
        }
        if (system.strict || best.weight >= most) break;
        system.strict = true;
    }
    answer.d = best.d;
    answer.objective = p.ensemble.weight_unit() * static_cast<double>(best.weight);
    answer.bound = p.ensemble.weight_unit() * static_cast<double>(std::max(most, best.weight));
    return answer;
}

AdversaryAnswer relaxed_adversary(const PointProblem& p, SetSearch& search, PlaneSystem& system) {
    const MoveSpace space(p.threat, p.x.size());
    Support support(space);
    support.load(p.x);
    const Hinges hinges(system, &support);
    AdversaryAnswer answer = search.largest_sum(hinges, p.radius);
    if (space.is_ball) fit_into_ball(p.threat.norm, p.radius, answer.d);
    answer.objective = static_cast<double>(hinges.sum(answer.d));
    // Every hinge for itself.
    double most = 0.0;
    for (Index i = 0; i < hinges.c.size(); ++i) {
        const Vector g = hinges.a.row(i).transpose().cast<double>();
        const double value = static_cast<double>(hinges.c[i]) + support.value(g, p.radius);
        most += (1.0 + 1e-12) * std::max(0.0, value);
    }
    answer.bound = std::max(answer.objective, std::min(answer.bound, most));
    return answer;
}

}  // namespace

}  // namespace reference

void check_reference(Solver solver, const Ensemble& ensemble, bool counts_weights) {
    // HiGHS adds weights up in floating point and forgives 1e-6: small integers only.
    constexpr std::int64_t kMostUnits = 10'000;
    if (solver == Solver::Enumerate && ensemble.n_planes() > kMaxEnumeratedPlanes) {
        throw InvalidInput(
            "solver", "at most " + std::to_string(kMaxEnumeratedPlanes) + " planes to enumerate",
            std::to_string(ensemble.n_planes()));
    }
    if (solver != Solver::Mip) return;
    reference::require_highs();
    if (!counts_weights || !ensemble.is_weighted() || ensemble.total_units() <= kMostUnits) return;
    throw InvalidInput("solver",
                       "'native' or 'enumerate' for weights that are not multiples of a common "
                       "unit, " +
                           std::to_string(kMostUnits) + " of it in all",
                       "'mip'");
}

Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel& threat,
                    const VectorRef& x, int current_label, const PointLimits& limits) {
    check_reference(solver, ensemble);
    Flip flip;
    const Index needed = weight_needed(ensemble, current_label);
    reference::PlaneSystem system(ensemble, threat, x, current_label);
    const auto search = reference::make_search(solver, &system, limits);
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const reference::SetAnswer best = search->least_within(needed, HUGE_VAL);
        if (round == 0) flip.status = best.status;
        // The programs ask for a margin beyond the planes where fooling is strict, so that their
        // bound may be slightly more than the infimum.
        if (round == 0) flip.lower = std::min(best.bound, static_cast<double>(best.size));
        if (!best.choice) break;
        const reference::Witness witness =
            reference::make_witness(&system, *best.choice, needed, HUGE_VAL);
        if (witness.weight >= needed) flip.d = witness.d;
        if (system.strict || flip.d.size() > 0) break;
        system.strict = true;
    }
    flip.n_nodes = search->n_nodes();
    if (flip.d.size() == 0) return flip;
    flip.fooled = fooled_planes(ensemble, x + flip.d, current_label);
    flip.upper = threat.move_size(x, flip.d);
    flip.lower = std::min(flip.lower, flip.upper);
    return flip;
}

AdversaryAnswer reference_adversary(Solver solver, Adversary adversary, const PointProblem& point,
                                    const PointLimits& limits) {
    if (adversary == Adversary::Heuristic)
        throw std::logic_error("the heuristic adversary has nothing to solve");
    const bool is_exact = adversary == Adversary::Exact;
    check_reference(solver, point.ensemble, is_exact);
    reference::PlaneSystem system(point.ensemble, point.threat, point.x, point.y);
    const auto search = reference::make_search(solver, &system, limits);
    AdversaryAnswer answer = is_exact ? reference::exact_adversary(point, *search, system)
                                      : reference::relaxed_adversary(point, *search, system);
    answer.n_nodes = search->n_nodes();
    return answer;
}

}  // namespace redoubt
