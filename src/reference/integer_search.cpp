#include "reference/integer_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "reference/highs_solver.hpp"
#include "redoubt/error.hpp"

namespace redoubt::mip {

namespace {

/// Relative accuracy at which the l2 loop stops: above the tolerances of HiGHS, below what we
/// promise.
constexpr double kConverged = 1e-8;

/// Largest sum of weights in a program.
constexpr std::int64_t kMostUnits = 10'000;

/// Not all of these rows together.
void forbid(MipModel* model, const std::vector<int>& rows) {
    const int z = model->find_column("z_1");
    std::vector<Term> terms;
    for (int row : rows) terms.push_back({z + row, 1.0});
    model->add_row({"forbid_" + std::to_string(model->n_rows() + 1), 1.0, HUGE_VAL}, terms);
}

}  // namespace

/// What the program suggests next.
struct IntegerSearch::Proposal {
    MipSolution solution;
    std::vector<int> rows;
};

ModelPlanes IntegerSearch::model_planes(double unit) const {
    const Index k = system_.n_rows();
    ModelPlanes planes;
    planes.a.resize(k, system_.a.cols());
    planes.m.resize(k);
    for (Index i = 0; i < k; ++i) {
        planes.a.row(i) = (system_.a.row(i) / system_.size[i]).cast<double>();
        planes.m[i] = static_cast<double>(system_.m[i] / system_.size[i] / unit);
    }
    planes.margin = system_.strict ? kStrictMargin : 0.0;
    planes.weight.resize(k);
    for (Index i = 0; i < k; ++i) planes.weight[i] = static_cast<double>(system_.weight[i]);
    return planes;
}

MipModel IntegerSearch::with_first_cuts(MipModel model, const ModelPlanes& planes) const {
    if (system_.norm != Norm::L2) return model;
    for (Index i = 0; i < planes.m.size(); ++i) {
        add_ball_cut(&model, planes.a.row(i).transpose().normalized(), 1.0);
    }
    return model;
}

IntegerSearch::Proposal IntegerSearch::propose(const MipModel& model) {
    Proposal proposal{solve(model, limits_, n_nodes_), {}};
    n_nodes_ += proposal.solution.n_nodes;
    if (!proposal.solution.has_point) return proposal;
    const int z = model.find_column("z_1");
    for (int i = 0; i < system_.n_rows(); ++i) {
        if (proposal.solution.x[z + i] < 0.5) proposal.rows.push_back(i);
    }
    return proposal;
}

void IntegerSearch::cut_at(MipModel* model, const RealVector& d) const {
    const Vector direction = d.cast<double>();
    if (direction.norm() > 0.0) add_ball_cut(model, direction.normalized(), 1.0);
}

SetAnswer IntegerSearch::most_rows(double radius) {
    const ModelPlanes planes = model_planes(radius);
    MipModel model = with_first_cuts(exact_adversary_model(planes, 1.0, system_.norm), planes);
    const auto total = static_cast<double>(system_.total_weight());
    SetAnswer answer{Status::IterationLimit, {}, total};
    const Real reach = radius * (1 + Real(kFeasibility));
    for (int program = 0; program < kMaxPrograms; ++program) {
        const Proposal next = propose(model);
        answer.status = next.solution.status;
        if (!next.solution.has_point) return answer;
        const double spared = std::ceil(next.solution.bound - 1e-6);
        answer.bound = std::min(answer.bound, total - std::max(0.0, spared));
        const std::optional<LeastStep> step = least_step(system_, next.rows, 0);
        if (step && step->length <= reach) {
            answer.rows = next.rows;
            return answer;
        }
        if (answer.status != Status::Optimal) return answer;
        forbid(&model, next.rows);
        if (step && system_.norm == Norm::L2) cut_at(&model, step->d);
    }
    answer.status = Status::IterationLimit;
    return answer;
}

SetAnswer IntegerSearch::least_radius_once(std::int64_t need, double farthest) {
    const ModelPlanes planes = model_planes(farthest);
    MipModel model = with_first_cuts(
        least_radius_model(planes, static_cast<double>(need), 1.0, system_.norm), planes);
    SetAnswer answer{Status::IterationLimit, {}, 0.0};
    double best = HUGE_VAL;
    for (int program = 0; program < kMaxPrograms; ++program) {
        const Proposal next = propose(model);
        answer.status = next.solution.status;
        if (!next.solution.has_point) {
            // Every other set is dearer than the best one, or there never was any.
            if (next.solution.infeasible) answer.bound = std::min(best, farthest);
            return answer;
        }
        answer.bound = std::max(answer.bound, next.solution.bound * farthest);
        const Real margin = planes.margin * farthest;
        const std::optional<LeastStep> step = least_step(system_, next.rows, margin);
        const double length = step ? static_cast<double>(step->length) : HUGE_VAL;
        if (length < best) {
            best = length;
            answer.rows = next.rows;
        }
        if (answer.status != Status::Optimal) return answer;
        if (system_.norm != Norm::L2 && step) return answer;
        if (best <= answer.bound + kConverged * farthest) return answer;
        if (!step) forbid(&model, next.rows);
        if (step) cut_at(&model, step->d);
        const int first = model.find_column("d_1");
        if (first >= 0)
            cut_at(&model, next.solution.x.segment(first, planes.a.cols()).cast<Real>());
    }
    answer.status = Status::IterationLimit;
    return answer;
}

SetAnswer IntegerSearch::least_radius(std::int64_t need, double farthest) {
    SetAnswer answer = least_radius_once(need, farthest);
    // The constants M grow with `farthest`, and what HiGHS forgives grows with them: ask again with
    // the least `farthest` that still contains the answer.
    for (int again = 0; again < 3 && answer.status == Status::Optimal; ++again) {
        if (answer.rows.empty()) return answer;
        const std::optional<LeastStep> exact = least_step(system_, answer.rows, 0);
        if (!exact || exact->length == 0) return answer;
        const Real margin = system_.strict ? kStrictMargin * exact->length : 0;
        const std::optional<LeastStep> step = least_step(system_, answer.rows, margin);
        if (!step || 1.5L * step->length > farthest) return answer;
        farthest = static_cast<double>(1.01L * step->length);
        SetAnswer closer = least_radius_once(need, farthest);
        if (closer.rows.empty()) {
            // The limit struck, or rounding: the first answer stands, as far as it goes.
            if (closer.status != Status::Optimal) answer.status = closer.status;
            return answer;
        }
        answer = std::move(closer);
    }
    return answer;
}

double typical_length(const PlaneSystem& system) {
    Real least = 0;
    for (int i = 0; i < system.n_rows(); ++i) {
        const Real length = std::fabs(system.m[i]) / system.size[i];
        if (length > 0 && (least == 0 || length < least)) least = length;
    }
    return least > 0 ? static_cast<double>(least) : 1.0;
}

namespace {

/// Slack asked of the directions below, so that the programs' margin still fits.
constexpr Real kDirectionSlack = 1e-6L;

std::int64_t weight_met(const PlaneSystem& system, const RealVector& slope, Real length) {
    std::int64_t met = 0;
    for (int i = 0; i < system.n_rows(); ++i) {
        const Real wanted = system.m[i] + kDirectionSlack * length * system.size[i];
        met += slope[i] * length >= wanted ? system.weight[i] : 0;
    }
    return met;
}

/// The least length along u at which rows of weight `need` are met, or infinity.
Real reach_along(const PlaneSystem& system, const RealVector& u, std::int64_t need) {
    const RealVector slope = system.a * u;
    Real best = HUGE_VALL;
    for (int i = 0; i < system.n_rows(); ++i) {
        const Real rise = slope[i] - kDirectionSlack * system.size[i];
        if (rise <= 0) continue;
        Real length = system.m[i] / rise * (1 + kDirectionSlack);
        if (!(length > 0)) length = 0.5L * typical_length(system);
        if (length < best && weight_met(system, slope, length) >= need) best = length;
    }
    return best;
}

}  // namespace

double reachable_radius(const PlaneSystem& system, std::int64_t need) {
    std::vector<int> order(system.n_rows());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return system.cost[i] < system.cost[j]; });
    Real best = HUGE_VALL;
    RealVector sum = RealVector::Zero(system.a.cols());
    for (int count = 0; count < system.n_rows(); ++count) {
        const RealVector unit = system.a.row(order[count]).transpose() / system.size[order[count]];
        sum += unit;
        for (const RealVector& g : {unit, sum}) {
            const Vector u = steepest_step(system.norm, g.cast<double>(), 1.0);
            best = std::min(best, reach_along(system, u.cast<Real>(), need));
        }
    }
    std::vector<int> cheapest;
    std::int64_t weight = 0;
    for (std::size_t i = 0; weight < need && i < order.size(); ++i) {
        cheapest.push_back(order[i]);
        weight += system.weight[order[i]];
    }
    const std::optional<LeastStep> step = least_step(system, cheapest, 0);
    if (step && step->length > 0) best = std::min(best, step->length);
    return best < HUGE_VALL ? static_cast<double>(1.01L * best) : 0.0;
}

void check_weights(const Ensemble& ensemble) {
    if (!ensemble.is_weighted() || ensemble.total_units() <= kMostUnits) return;
    throw InvalidInput("solver",
                       "'native' or 'enumerate' for weights that are not multiples of a common "
                       "unit, " +
                           std::to_string(kMostUnits) + " of it in all",
                       "'mip'");
}

}  // namespace redoubt::mip
