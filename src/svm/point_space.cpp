#include "svm/point_space.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "svm/ball_free_rows.hpp"
#include "svm/ball_gap.hpp"
#include "svm/hard_margin.hpp"
#include "svm/staged_solver.hpp"

namespace redoubt {

namespace {

/// Share of the tolerance that the small problem may use up.
constexpr double kSmallProblemShare = 0.3;

/// m points in m dimensions whose products are those of the centred points. Empty when stopped.
Matrix points_with_same_products(const HingeProblem& problem, StopFlag stop) {
    std::vector<int> all(static_cast<std::size_t>(problem.m));
    std::iota(all.begin(), all.end(), 0);
    BallFreeRows rows(problem);
    rows.set(all);
    LargeCholesky products(problem.n_threads, stop);
    products.reset(problem.m);
    if (!rows.add_gram(Vector::Ones(problem.n()), products)) return {};
    // The rows carry the labels as signs.
    Eigen::MatrixXd K(problem.m, problem.m);
    for (Index i = 0; i < problem.m; ++i) {
        for (Index k = i; k < problem.m; ++k)
            K(i, k) = K(k, i) = problem.y[i] * problem.y[k] * products.at(i, k);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

}  // namespace

bool suits_point_space(const HingeProblem& problem) {
    const bool is_round = !problem.is_robust() || problem.threat.norm == Norm::L2;
    return is_round && problem.m <= kMostNarrowColumns && 2 * problem.m <= problem.n();
}

SvmResult solve_in_point_space(const HingeProblem& problem, const SvmSettings& settings) {
    const Matrix points = points_with_same_products(problem, settings.stop);
    SvmResult result;
    result.plane = {Vector::Zero(problem.n()), 0.0};
    result.dual_ratio = Vector::Zero(problem.m);
    if (points.size() > 0) {
        HingeProblem small(SvmData{points, problem.y, problem.c});
        if (problem.is_robust()) small.set_threat(problem.threat, problem.r);
        small.mu = problem.mu;
        SvmSettings tighter = settings;
        tighter.tolerance = std::max(1e-14, kSmallProblemShare * settings.tolerance);
        result = solve_in_stages(small, tighter, std::optional<SvmStart>{});
    } else {
        result.status = Status::Interrupted;
    }

    BallRows rows(problem);
    Vector image(rows.n_variables());
    rows.multiply_transposed(problem.c.cwiseProduct(result.dual_ratio), image);
    const Vector v = -image.head(problem.n());
    const double length = v.norm();
    result.plane.w = length > 0.0 ? Vector(result.plane.w.norm() / length * v) : Vector(0.0 * v);
    const bool may_stretch = !(problem.mu > 0.0) && result.primal_value <= 0.0;
    const DualityGap gap =
        BallGap(problem, rows)
            .finish(result.plane, result.dual_ratio, may_stretch ? kLargestStretch : 0.0);
    result.primal_value = gap.primal;
    result.dual_value = gap.dual;
    result.relative_gap = gap.relative(kGapFloor);
    if (result.relative_gap <= settings.tolerance) {
        if (result.status == Status::NumericalFailure) result.status = Status::Optimal;
    } else if (result.status == Status::Optimal) {
        result.status = Status::NumericalFailure;
    }
    return result;
}

}  // namespace redoubt
