/// The entry points of Solver::Mip.

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "reference/highs_solver.hpp"
#include "reference/integer_search.hpp"
#include "reference/second_opinion.hpp"
#include "reference/witness.hpp"

namespace redoubt {

namespace {

using mip::IntegerSearch;
using mip::PlaneSystem;
using mip::SetAnswer;

/// A flip is looked for within this many times the largest margin; what lies farther counts as
/// impossible. With larger constants HiGHS could no longer tell a row that is met from one that is
/// not.
constexpr double kFarthest = 1e4;

/// Most rows within the ball, then least radius, by weight; so is `bound`.
SetAnswer best_set(const PlaneSystem& system, double radius, IntegerSearch* search) {
    const std::int64_t met = system.weight_met_at_zero();
    std::int64_t reached = 0;
    for (int i = 0; i < system.n_rows(); ++i)
        reached += system.cost[i] <= mip::Real(radius) ? system.weight[i] : 0;
    if (radius == 0.0 || reached <= met) return {Status::Optimal, {}, static_cast<double>(met)};
    SetAnswer most = search->most_rows(radius);
    most.bound = std::max(most.bound, static_cast<double>(met));
    if (system.weight_of(most.rows) <= met) most.rows.clear();
    if (most.rows.empty() || most.status != Status::Optimal) return most;
    // A hair more room than the first program had: its answer must be in reach of the second.
    SetAnswer least = search->least_radius(system.weight_of(most.rows), radius * (1.0 + 1e-8));
    most.status = least.status;
    if (!least.rows.empty()) most.rows = least.rows;
    return most;
}

AdversaryAnswer mip_exact(const PointProblem& p, const PointLimits& limits) {
    PlaneSystem system = mip::make_plane_system(p.ensemble, p.x, p.y, p.threat.norm);
    AdversaryAnswer answer{Status::Optimal, Vector::Zero(p.x.size()), 0.0, 0.0, 0};
    std::int64_t fooled = mip::count_differing(p.ensemble, p.x, answer.d, p.y);
    double most = 0.0;
    IntegerSearch search(system, limits);
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const SetAnswer best = best_set(system, p.radius, &search);
        if (round == 0) most = best.bound + static_cast<double>(system.given);
        if (round == 0 || best.status != Status::Optimal) answer.status = best.status;
        const std::int64_t wanted = system.weight_of(best.rows) + system.given;
        const mip::Witness witness =
            make_witness(system, p.ensemble, p.x, best.rows, wanted, p.radius);
        if (witness.n_differing > fooled) {
            answer.d = witness.d;
            fooled = witness.n_differing;
        }
        if (system.strict || static_cast<double>(fooled) >= most) break;
        system.strict = true;
    }
    answer.objective = p.ensemble.weight_unit() * static_cast<double>(fooled);
    answer.bound = std::max(p.ensemble.weight_unit() * most, answer.objective);
    answer.n_nodes = search.n_nodes();
    return answer;
}

/// sum_i [c_i + a_i'd]_+
double hinge_sum(const mip::ModelPlanes& planes, const VectorRef& d) {
    return (planes.a * d - planes.m).array().operator+(1.0).cwiseMax(0.0).sum();
}

/// The best over all d in the unit ball for the planes that v marks; zero planes give d = 0.
Vector step_for(const mip::ModelPlanes& planes, const VectorRef& v, Norm norm) {
    return steepest_step(norm, planes.a.transpose() * v, 1.0);
}

struct RelaxedResult {
    Status status = Status::NumericalFailure;
    Vector d{};  ///< in the unit ball
    double bound = HUGE_VAL;
    std::int64_t n_nodes = 0;
};

RelaxedResult relaxed_by_corollary(const mip::ModelPlanes& planes, Norm norm,
                                   const PointLimits& limits) {
    const mip::MipSolution solution =
        mip::solve(relaxed_adversary_model(planes, 1.0, norm), limits);
    RelaxedResult result{solution.status, Vector::Zero(planes.a.cols()), solution.bound,
                         solution.n_nodes};
    if (solution.has_point) {
        result.d = step_for(planes, solution.x.head(planes.m.size()), norm);
    }
    return result;
}

/// Outer approximation: the program proposes v; the tangent at the best step for v prices it
/// exactly.
RelaxedResult relaxed_by_cuts(const mip::ModelPlanes& planes, const PointLimits& limits) {
    mip::MipModel model = relaxed_hinge_model(planes, 1.0);
    const Index k = planes.m.size();
    for (Index i = 0; i < k; ++i) {
        const Vector g = steepest_step(Norm::L2, planes.a.row(i).transpose(), 1.0);
        if (g.norm() > 0.0) add_ball_cut(&model, g, 1.0);
    }
    RelaxedResult result{Status::IterationLimit, Vector::Zero(planes.a.cols()), HUGE_VAL, 0};
    double best = hinge_sum(planes, result.d);
    for (int program = 0; program < mip::kMaxPrograms; ++program) {
        const mip::MipSolution solution = mip::solve(model, limits, result.n_nodes);
        result.status = solution.status;
        result.n_nodes += solution.n_nodes;
        if (!solution.has_point) return result;
        result.bound = std::min(result.bound, solution.bound);
        const Vector v = solution.x.segment(model.find_column("v_1"), k).array().round();
        const Vector d = step_for(planes, v, Norm::L2);
        if (hinge_sum(planes, d) > best) {
            best = hinge_sum(planes, d);
            result.d = d;
        }
        if (result.status != Status::Optimal) return result;
        if (result.bound <= best + 1e-8 * std::max(1.0, best)) return result;
        if (d.norm() > 0.0) add_ball_cut(&model, d, 1.0);
        const Vector proposed = solution.x.head(planes.a.cols());
        if (proposed.norm() > 1.0) add_ball_cut(&model, proposed.normalized(), 1.0);
    }
    result.status = Status::IterationLimit;
    return result;
}

/// With more features than planes the best step lies in the span of the normals: fewer dimensions
/// to cut.
RelaxedResult relaxed_in_span(const mip::ModelPlanes& planes, const PointLimits& limits) {
    const Index k = planes.a.rows();
    const Index n = planes.a.cols();
    if (n <= k) return relaxed_by_cuts(planes, limits);
    const Eigen::HouseholderQR<Matrix> qr(planes.a.transpose());
    const Matrix basis = qr.householderQ() * Matrix::Identity(n, k);
    mip::ModelPlanes small = planes;
    small.a = planes.a * basis;
    RelaxedResult result = relaxed_by_cuts(small, limits);
    result.d = basis * result.d;
    return result;
}

AdversaryAnswer mip_relaxed(const PointProblem& p, const PointLimits& limits) {
    // In units of the radius the ball has radius 1 and only the planes change.
    mip::ModelPlanes planes;
    planes.a = -p.y * p.radius * p.ensemble.coef();
    planes.m = p.y * p.ensemble.margins(p.x);
    // alpha [1 - m + a'd]_+ is a hinge with rows alpha a and 1 - alpha (1 - m).
    for (Index i = 0; p.ensemble.is_weighted() && i < planes.m.size(); ++i) {
        planes.a.row(i) *= p.ensemble.weight(i);
        planes.m[i] = 1.0 - p.ensemble.weight(i) * (1.0 - planes.m[i]);
    }
    const RelaxedResult result = p.threat.norm == Norm::L2 ? relaxed_in_span(planes, limits)
                                                    : relaxed_by_corollary(planes, p.threat.norm, limits);
    AdversaryAnswer answer{result.status, p.radius * result.d, 0.0, 0.0, result.n_nodes};
    mip::fit_into_ball(p.threat.norm, p.radius, &answer.d);
    answer.objective = hinge_sum(planes, p.radius > 0.0 ? answer.d / p.radius : answer.d);
    double everything = 0.0;
    for (Index i = 0; i < planes.m.size(); ++i) {
        const double reach = norm_value(dual(p.threat.norm), planes.a.row(i).transpose());
        everything += std::max(0.0, 1.0 - planes.m[i] + reach);
    }
    answer.bound = std::max(answer.objective, std::min(result.bound, everything));
    return answer;
}

/// The search of `mip_flip` within growing radii until a set is found.
SetAnswer least_flip(const PlaneSystem& system, std::int64_t need, IntegerSearch* search) {
    const double known = reachable_radius(system, need);
    if (known > 0.0) return search->least_radius(need, known);
    const double largest =
        static_cast<double>((system.m.cwiseAbs().array() / system.size.array()).maxCoeff());
    const double unit = largest > 0.0 ? largest : 1.0;
    for (double farthest = 4.0 * unit;; farthest *= 16.0) {
        SetAnswer answer = search->least_radius(need, farthest);
        const bool none = answer.status == Status::Optimal && answer.rows.empty();
        if (!none) return answer;
        if (farthest >= kFarthest * unit) return {Status::Optimal, {}, HUGE_VAL};
    }
}

}  // namespace

AdversaryAnswer mip_adversary(const PointProblem& point, Adversary adversary,
                              const PointLimits& limits) {
    mip::require_highs();
    if (adversary == Adversary::Exact) mip::check_weights(point.ensemble);
    if (adversary == Adversary::Exact) return mip_exact(point, limits);
    if (adversary == Adversary::Relaxed) return mip_relaxed(point, limits);
    throw std::logic_error("the heuristic adversary has no integer program");
}

FlipAnswer mip_flip(const Ensemble& ensemble, const VectorRef& x, int from, Norm norm,
                    const PointLimits& limits) {
    mip::require_highs();
    mip::check_weights(ensemble);
    FlipAnswer answer{Status::Optimal, 0.0, 0.0, Vector::Zero(x.size()), 0};
    if (ensemble.predict(x) != from) return answer;
    PlaneSystem system = mip::make_plane_system(ensemble, x, from, norm);
    const std::int64_t needed = mip::weight_needed(ensemble, from);
    const std::int64_t need = needed - system.given;
    answer.d.resize(0);
    answer.distance = HUGE_VAL;
    answer.bound = HUGE_VAL;
    if (need > system.total_weight()) return answer;
    IntegerSearch search(system, limits);
    // A second round, with strict inequalities, where the best set has no witness in doubles.
    for (int round = 0; round < 2; ++round) {
        const SetAnswer found = least_flip(system, need, &search);
        if (round == 0) answer.status = found.status;
        if (round == 0) answer.bound = found.bound;
        if (found.rows.empty()) break;
        const std::optional<mip::LeastStep> step = least_step(system, found.rows, 0);
        if (round == 0 && step) answer.distance = static_cast<double>(step->length);
        const mip::Witness witness =
            make_witness(system, ensemble, x, found.rows, needed, HUGE_VAL);
        if (witness.n_differing >= needed) answer.d = witness.d;
        if (system.strict || answer.d.size() > 0) break;
        system.strict = true;
    }
    // The program asked for a margin beyond the planes where fooling is strict, so its bound may be
    // a hair more than the infimum.
    answer.bound = std::min(answer.bound, answer.distance);
    answer.n_nodes = search.n_nodes();
    return answer;
}

}  // namespace redoubt
