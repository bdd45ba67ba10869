/// Integer programs on HiGHS. l1 and linf: one program, and a second with tighter constants. l2,
/// for which HiGHS has no mixed-integer solver: outer approximation. The program sees the ball
/// through tangent planes; each choice that it proposes gets the tangent at its own least step,
/// which is the true price of that choice, so none is proposed twice and the loop ends.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "flip/flip.hpp"
#include "reference/highs_solver.hpp"
#include "reference/set_search.hpp"
#include "reference/threat_program.hpp"

namespace redoubt::reference {

namespace {

/// Relative accuracy at which the l2 loop stops: above the tolerances of HiGHS, below what we
/// promise.
constexpr double kConverged = 1e-8;
/// Programs solved for one question at most, in the l2 loop and for sets that turn out impossible.
constexpr int kMaxPrograms = 2000;
/// A flip is looked for within this many times the largest distance to a plane; what lies farther
/// counts as impossible. With larger constants HiGHS could no longer tell a row that is met from
/// one that is not.
constexpr double kFarthest = 1e4;

class ProgramSearch : public SetSearch {
public:
    using SetSearch::SetSearch;

    SetAnswer least_within(std::int64_t need, double radius) override;
    AdversaryAnswer largest_sum(const Hinges& hinges, double radius) override;

private:
    ProgramSolution solve(const ThreatProgram& program) {
        ProgramSolution solution = reference::solve(program.program(), limits_, n_nodes_);
        n_nodes_ += solution.n_nodes;
        return solution;
    }
    SetAnswer least_anywhere(std::int64_t need);
    SetAnswer least_closely(std::int64_t need, double farthest);
    SetAnswer least_once(std::int64_t need, double farthest);
};

SetAnswer ProgramSearch::least_once(std::int64_t need, double farthest) {
    system_.choose();
    ThreatProgram program = ThreatProgram::least_move(system_, farthest, need);
    const bool is_l2 = system_.threat.norm == Norm::L2;
    SetAnswer answer;
    for (int round = 0; round < kMaxPrograms; ++round) {
        const ProgramSolution solution = solve(program);
        answer.status = solution.status;
        // Every other set is more expensive than the best one, or there never was any.
        if (solution.infeasible) answer.bound = static_cast<double>(answer.size);
        if (!solution.has_point()) return answer;
        answer.bound = std::max(answer.bound, solution.bound * farthest);
        const PlaneChoice choice = program.choice(solution.x);
        system_.choose(choice.options);
        const std::optional<LeastStep> step = system_.least_step(choice.planes, 0);
        const Real size = step ? system_.joined(step->length) : HUGE_VALL;
        if (size < answer.size) {
            answer.choice = choice;
            answer.weight = weight_of(system_.ensemble, choice.planes);
            answer.size = size;
        }
        const bool is_closed = answer.size <= answer.bound + kConverged * farthest;
        if (is_closed || answer.status != Status::Optimal) return answer;
        if (is_l2 && step) {
            program.add_cut(program.sizes_of(system_.to_move(step->u)));
            program.add_cut(program.sizes(solution.x));
        } else if (!program.forbid(choice)) {
            // HiGHS forgives what this choice really needs, and it may forgive others less.
            answer.status = Status::NumericalFailure;
            return answer;
        }
    }
    answer.status = Status::IterationLimit;
    return answer;
}

/// The constants M grow with `farthest`, and what HiGHS forgives grows with them: asks again with
/// the least `farthest` that still contains the answer.
SetAnswer ProgramSearch::least_closely(std::int64_t need, double farthest) {
    SetAnswer answer = least_once(need, farthest);
    for (int again = 0; again < 3 && answer.status == Status::Optimal; ++again) {
        if (!answer.choice || answer.size == 0 || 1.5L * answer.size > farthest) return answer;
        farthest = static_cast<double>(1.01L * answer.size);
        const SetAnswer closer = least_once(need, farthest);
        // A limit, or rounding: the first answer stands, as far as it goes.
        if (!closer.choice && closer.status != Status::Optimal) answer.status = closer.status;
        if (!closer.choice) return answer;
        answer = closer;
    }
    return answer;
}

/// Within growing radii until a set is found: at first where the nearest planes that weigh enough
/// are, if they can be fooled together.
SetAnswer ProgramSearch::least_anywhere(std::int64_t need) {
    system_.choose();
    std::vector<int> order(system_.n_planes());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return system_.cost[i] < system_.cost[j]; });
    std::vector<int> nearest;
    Real largest = 0;
    for (int i : order) {
        if (weight_of(system_.ensemble, nearest) < need) nearest.push_back(i);
        if (system_.cost[i] < HUGE_VALL) largest = std::max(largest, system_.cost[i]);
    }
    for (const DiscretePart& part : system_.parts) {
        const int last = part.group != nullptr ? static_cast<int>(part.last) : 1;
        largest = std::max(largest, part.size(system_.x, part.last > 0.0 ? last : -1));
    }
    if (largest == 0) largest = 1;
    const std::optional<LeastStep> step = system_.least_step(nearest, 0);
    const bool is_known = step && step->length > 0;
    double farthest = static_cast<double>(is_known ? 1.01L * step->length : 4 * largest);
    for (;; farthest *= 16.0) {
        SetAnswer answer = least_closely(need, farthest);
        if (answer.choice || answer.status != Status::Optimal) return answer;
        if (farthest >= kFarthest * static_cast<double>(largest)) return answer;
    }
}

SetAnswer ProgramSearch::least_within(std::int64_t need, double radius) {
    if (std::isinf(radius)) return least_anywhere(need);
    SetAnswer answer = least_closely(need, radius);
    if (answer.size > radius * (1 + Real(kTolerance))) answer.choice.reset();
    return answer;
}

AdversaryAnswer ProgramSearch::largest_sum(const Hinges& hinges, double radius) {
    ThreatProgram program = ThreatProgram::largest_sum(system_, radius);
    AdversaryAnswer answer{Status::Optimal, Vector::Zero(system_.x.size()), 0.0, HUGE_VAL};
    for (int round = 0; round < kMaxPrograms; ++round) {
        const ProgramSolution solution = solve(program);
        answer.status = solution.status;
        if (!solution.has_point()) return answer;
        answer.bound = std::min(answer.bound, solution.bound);
        RealVector g = RealVector::Zero(system_.x.size());
        for (int i : program.choice(solution.x).planes) g += hinges.a.row(i).transpose();
        const Vector d = hinges.support.maximise(g.cast<double>(), radius);
        if (hinges.sum(d) > hinges.sum(answer.d)) answer.d = d;
        const Real best = hinges.sum(answer.d);
        const bool is_closed = system_.threat.norm != Norm::L2 ||
                               answer.bound <= best + kConverged * std::max<Real>(1, best);
        if (is_closed || answer.status != Status::Optimal) return answer;
        program.add_cut(program.sizes_of(d));
        program.add_cut(program.sizes(solution.x));
    }
    answer.status = Status::IterationLimit;
    return answer;
}

}  // namespace

std::unique_ptr<SetSearch> make_program_search(PlaneSystem* system, const PointLimits& limits) {
    return std::make_unique<ProgramSearch>(system, limits);
}

}  // namespace redoubt::reference
