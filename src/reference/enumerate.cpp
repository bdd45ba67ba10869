/// Every subset of planes: the oracle.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/plane_system.hpp"
#include "reference/second_opinion.hpp"
#include "reference/witness.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

using mip::LeastStep;
using mip::PlaneSystem;
using mip::Real;
using mip::RealVector;

/// Two lengths closer than this are equal: a radius that ends on a plane reaches it.
constexpr Real kSameLength = 1e-12L;

void check_plane_count(const Ensemble& ensemble) {
    if (ensemble.n_planes() <= kMaxEnumeratedPlanes) return;
    throw InvalidInput(
        "solver", "at most " + std::to_string(kMaxEnumeratedPlanes) + " planes for 'enumerate'",
        std::to_string(ensemble.n_planes()) + " planes");
}

struct BestSubset {
    Real length = std::numeric_limits<Real>::infinity();
    std::vector<int> rows{};
    std::int64_t n_subsets = 0;
};

/// The shortest least step over all sets of `count` rows, if shorter than `cutoff`.
BestSubset best_subset(const PlaneSystem& system, int count, Real cutoff) {
    BestSubset best;
    const int k = system.n_rows();
    if (count < 0 || count > k) return best;
    std::vector<int> order(k);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return system.cost[i] < system.cost[j]; });
    // Whole numbers with `count` ones, ascending: the highest one is the dearest plane of the set,
    // so once that plane alone costs too much all later sets do.
    for (std::uint64_t mask = (std::uint64_t{1} << count) - 1; mask < (std::uint64_t{1} << k);) {
        std::vector<int> rows;
        for (int i = 0; i < k; ++i) {
            if ((mask >> i & 1U) != 0) rows.push_back(order[i]);
        }
        const Real limit = std::min(cutoff, best.length);
        if (!rows.empty() && system.cost[rows.back()] >= limit) break;
        ++best.n_subsets;
        const std::optional<LeastStep> step = least_step(system, rows, 0);
        if (step && step->length < limit) {
            best.length = step->length;
            best.rows = rows;
        }
        if (mask == 0 || best.length == 0) break;
        const std::uint64_t low = mask & (~mask + 1);
        const std::uint64_t carried = mask + low;
        mask = carried | (((mask ^ carried) >> 2) / low);
    }
    return best;
}

/// The same for sets of rows of weight `need`. No row of a set may be spared: a smaller set is no
/// dearer.
BestSubset best_weighted_subset(const PlaneSystem& system, std::int64_t need, Real cutoff) {
    BestSubset best;
    const int k = system.n_rows();
    std::vector<int> order(k);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return system.cost[i] < system.cost[j]; });
    for (std::uint64_t mask = 1; mask < (std::uint64_t{1} << k); ++mask) {
        std::vector<int> rows;
        std::int64_t weight = 0;
        std::int64_t lightest = std::numeric_limits<std::int64_t>::max();
        for (int i = 0; i < k; ++i) {
            if ((mask >> i & 1U) == 0) continue;
            rows.push_back(order[i]);
            weight += system.weight[order[i]];
            lightest = std::min(lightest, system.weight[order[i]]);
        }
        const Real limit = std::min(cutoff, best.length);
        if (system.cost[rows.back()] >= limit) break;
        if (weight < need || weight - lightest >= need) continue;
        ++best.n_subsets;
        const std::optional<LeastStep> step = least_step(system, rows, 0);
        if (step && step->length < limit) {
            best.length = step->length;
            best.rows = rows;
        }
    }
    return best;
}

BestSubset best_of_weight(const PlaneSystem& system, std::int64_t need, Real cutoff) {
    if (system.total_weight() == system.n_rows())
        return best_subset(system, static_cast<int>(need), cutoff);
    return best_weighted_subset(system, need, cutoff);
}

/// Most rows, by weight, within the ball: the heaviest set, and of those the one of least step.
BestSubset most_rows(const PlaneSystem& system, double radius) {
    BestSubset best;
    std::int64_t need = system.weight_met_at_zero() + 1;
    // Fooling strictly needs room beyond the least step; fooling on the plane does not.
    const Real reach = radius * (system.strict ? 1 - kSameLength : 1 + kSameLength);
    while (radius > 0.0 && need <= system.total_weight()) {
        BestSubset larger = best_of_weight(system, need, reach);
        larger.n_subsets += best.n_subsets;
        best.n_subsets = larger.n_subsets;
        if (larger.rows.empty()) break;
        best = larger;
        need = system.weight_of(best.rows) + 1;
    }
    return best;
}

AdversaryAnswer enumerate_exact(const PointProblem& p) {
    PlaneSystem system = mip::make_plane_system(p.ensemble, p.x, p.y, p.threat.norm);
    AdversaryAnswer answer{Status::Optimal, Vector::Zero(p.x.size()), 0.0, 0.0, 0};
    std::int64_t fooled = mip::count_differing(p.ensemble, p.x, answer.d, p.y);
    std::int64_t most = fooled;
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const BestSubset best = most_rows(system, p.radius);
        answer.n_nodes += best.n_subsets;
        const std::int64_t wanted = system.weight_of(best.rows) + system.given;
        if (round == 0) most = std::max(most, wanted);
        const mip::Witness witness =
            make_witness(system, p.ensemble, p.x, best.rows, wanted, p.radius);
        if (witness.n_differing > fooled) {
            answer.d = witness.d;
            fooled = witness.n_differing;
        }
        if (system.strict || fooled >= most) break;
        system.strict = true;
    }
    answer.objective = p.ensemble.weight_unit() * static_cast<double>(fooled);
    answer.bound = p.ensemble.weight_unit() * static_cast<double>(std::max(most, fooled));
    return answer;
}

/// max over v in {0,1}^k of r ||A'v||_q + c'v, rows times their weights, neighbours in Gray code
/// differing in one plane.
AdversaryAnswer enumerate_relaxed(const PointProblem& p) {
    const Index k = p.ensemble.n_planes();
    mip::RealMatrix a = -Real(p.y) * p.ensemble.coef().cast<Real>();
    RealVector c =
        (a * p.x.cast<Real>() - Real(p.y) * p.ensemble.intercept().cast<Real>()).array() + Real(1);
    for (Index i = 0; i < k; ++i) {
        a.row(i) *= Real(p.ensemble.weight(i));
        c[i] *= Real(p.ensemble.weight(i));
    }
    const Norm q = dual(p.threat.norm);
    RealVector g = RealVector::Zero(p.x.size());
    RealVector best_g = g;
    Real sum = 0;
    Real best = 0;
    std::uint64_t code = 0;
    for (std::uint64_t step = 1; step < (std::uint64_t{1} << k); ++step) {
        int plane = 0;
        while ((step >> plane & 1U) == 0) ++plane;
        const Real sign = (code >> plane & 1U) != 0 ? -1 : 1;
        code ^= std::uint64_t{1} << plane;
        g += sign * a.row(plane).transpose();
        sum += sign * c[plane];
        const Real size = q == Norm::L1     ? g.lpNorm<1>()
                          : q == Norm::LInf ? g.lpNorm<Eigen::Infinity>()
                                            : g.stableNorm();
        if (p.radius * size + sum <= best) continue;
        best = p.radius * size + sum;
        best_g = g;
    }
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = steepest_step(p.threat.norm, best_g.cast<double>(), p.radius);
    mip::fit_into_ball(p.threat.norm, p.radius, &answer.d);
    answer.objective = static_cast<double>((a * answer.d.cast<Real>() + c).cwiseMax(Real(0)).sum());
    answer.bound = std::max(static_cast<double>(best), answer.objective);
    answer.n_nodes = std::int64_t{1} << k;
    return answer;
}

}  // namespace

AdversaryAnswer enumerate_adversary(const PointProblem& point, Adversary adversary) {
    check_plane_count(point.ensemble);
    if (adversary == Adversary::Exact) return enumerate_exact(point);
    if (adversary == Adversary::Relaxed) return enumerate_relaxed(point);
    throw std::logic_error("the heuristic adversary has nothing to enumerate");
}

FlipAnswer enumerate_flip(const Ensemble& ensemble, const VectorRef& x, int from, Norm norm) {
    check_plane_count(ensemble);
    FlipAnswer answer{Status::Optimal, 0.0, 0.0, Vector::Zero(x.size()), 0};
    if (ensemble.predict(x) != from) return answer;
    PlaneSystem system = mip::make_plane_system(ensemble, x, from, norm);
    const std::int64_t needed = mip::weight_needed(ensemble, from);
    answer.d.resize(0);
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const BestSubset best =
            best_of_weight(system, needed - system.given, std::numeric_limits<Real>::infinity());
        answer.n_nodes += best.n_subsets;
        if (round == 0) answer.distance = static_cast<double>(best.length);
        if (best.rows.empty()) break;
        const mip::Witness witness = make_witness(system, ensemble, x, best.rows, needed, HUGE_VAL);
        if (witness.n_differing >= needed) {
            answer.d = witness.d;
            break;
        }
        if (system.strict) break;
        system.strict = true;
    }
    answer.bound = answer.distance;
    return answer;
}

}  // namespace redoubt
