/// Algorithm 1 against a plain, slow reference that goes along round by round: foolable planes by
/// their definition, every adversary's step checked by enumeration, every SVM by duality.

#include <gtest/gtest.h>

#include "attack/adversary.hpp"
#include "ensemble/moved_points.hpp"
#include "flip/flip.hpp"
#include "redoubt/error.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "support/balls.hpp"
#include "support/random_problems.hpp"
#include "support/svm_optimality.hpp"

namespace redoubt::testing {
namespace {

struct Case {
    Norm norm;
    Adversary adversary;
};

void PrintTo(const Case& item, std::ostream* out) {
    *out << to_string(item.norm) << ' ' << to_string(item.adversary);
}

class RobustEnsembleReference : public ::testing::TestWithParam<Case> {
protected:
    RobustEnsembleSettings settings(Index n_planes) const {
        RobustEnsembleSettings result;
        result.attack_model.norm = GetParam().norm;
        result.adversary = GetParam().adversary;
        result.n_planes = n_planes;
        return result;
    }

    /// Is d the adversary's best step for this point against these planes?
    void check_step(const std::vector<Hyperplane>& planes, const RandomProblem& problem, Index j,
                    const Vector& d) const {
        const Norm norm = GetParam().norm;
        const int y = problem.y[j] > 0.0 ? 1 : -1;
        const Vector x = problem.X.row(j).transpose();
        const double r = problem.radii[j];
        std::vector<Hyperplane> foolable;
        for (const Hyperplane& plane : planes) {
            const double margin = y * (plane.w.dot(x) + plane.b);
            if (margin <= r * norm_value(dual(norm), plane.w)) foolable.push_back(plane);
        }
        if (foolable.empty()) {
            // Up to the rounding of x + d.
            EXPECT_NEAR((d - steepest_step(norm, -y * planes.back().w, r)).norm(), 0.0, 1e-12);
            return;
        }
        const Ensemble ensemble(foolable);
        const PointProblem point{ensemble, testing::ball(norm), x, y, r};
        EXPECT_LE(norm_value(norm, d), r * (1.0 + 1e-12));
        if (GetParam().adversary == Adversary::Heuristic) {
            EXPECT_NEAR((d - heuristic_adversary(point, HeuristicRule::Corrected).d).norm(), 0.0,
                        1e-12);
            return;
        }
        const AdversaryAnswer best =
            reference_adversary(Solver::Enumerate, GetParam().adversary, point, PointLimits{});
        if (GetParam().adversary == Adversary::Exact) {
            EXPECT_EQ(static_cast<double>(fooled_planes(ensemble, x + d, y).size()),
                      best.objective);
            EXPECT_NEAR(norm_value(norm, d), norm_value(norm, best.d), 1e-6 * (1.0 + r));
            return;
        }
        double sum = 0.0;
        for (const Hyperplane& plane : foolable)
            sum += std::max(0.0, 1.0 - y * (plane.w.dot(x + d) + plane.b));
        EXPECT_NEAR(sum, best.objective, 1e-9 * (1.0 + best.objective));
    }
};

TEST_P(RobustEnsembleReference, AgreesRoundByRound) {
    constexpr Index kPlanes = 6;
    for (ProblemKind kind : {ProblemKind::Overlapping, ProblemKind::Separable, ProblemKind::Grid,
                             ProblemKind::Unbalanced, ProblemKind::ZeroWeights}) {
        RandomProblem problem = make_random_problem(kind, 5);
        const RobustEnsembleSettings run = settings(kPlanes);
        const RobustEnsembleResult result =
            train_robust_ensemble(problem.data(), problem.radii, run);
        ASSERT_EQ(result.state.planes.size(), static_cast<std::size_t>(kPlanes));
        EXPECT_EQ(result.status, Status::Optimal);

        RobustSvmSettings robust;
        robust.attack_model.norm = run.attack_model.norm;
        const SvmResult first = train_robust_svm(problem.data(), problem.radii, robust);
        EXPECT_EQ(result.state.planes[0].w, first.plane.w);

        const SvmData data = problem.data();
        const VectorRef radii = problem.radii;
        MovedPoints moved(data, radii, run);
        std::vector<Hyperplane> planes;
        for (Index t = 0; t + 1 < kPlanes; ++t) {
            const auto at = static_cast<std::size_t>(t);
            planes.push_back(result.state.planes[at]);
            moved.add_plane(planes.back());
            ASSERT_TRUE(moved.move());
            RandomProblem next = problem;
            next.X = moved.points();
            next.weights = Vector(problem.y.size());
            for (Index j = 0; j < problem.y.size(); ++j) {
                check_step(planes, problem, j,
                           (moved.points().row(j) - problem.X.row(j)).transpose());
                double n_right = 0.0;
                for (const Hyperplane& plane : planes) {
                    const int sign = sign_of_plane(plane.w, plane.b, next.X.row(j).transpose());
                    n_right += sign == problem.y[j] ? 1.0 : 0.0;
                }
                const double c = problem.weights.size() > 0 ? problem.weights[j] : 1.0;
                next.weights[j] = c / (1.0 + 2.0 * n_right);
            }
            // The plane is optimal: no multipliers prove a better value than it has.
            SvmSettings exact;
            exact.tolerance = 1e-12;
            const SvmResult svm = train_svm(next.data(), exact);
            const double bound = svm_lower_bound(next, 1.0, svm.dual_ratio);
            const double value = svm_objective(next, 1.0, result.state.planes[at + 1]);
            EXPECT_LE(value - bound, 1e-7 * (1.0 + value)) << to_string(kind) << " plane " << t + 2;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, RobustEnsembleReference,
    ::testing::Values(Case{Norm::L1, Adversary::Exact}, Case{Norm::L2, Adversary::Exact},
                      Case{Norm::LInf, Adversary::Exact}, Case{Norm::L1, Adversary::Relaxed},
                      Case{Norm::L2, Adversary::Relaxed}, Case{Norm::LInf, Adversary::Relaxed},
                      Case{Norm::L1, Adversary::Heuristic}, Case{Norm::L2, Adversary::Heuristic},
                      Case{Norm::LInf, Adversary::Heuristic}));

TEST(RobustEnsemble, TakesAGivenFirstPlaneAndNotesAccuracy) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 3);
    RobustEnsembleSettings settings;
    settings.n_planes = 3;
    settings.records_accuracy = true;
    settings.first_plane = Hyperplane{Vector::Ones(problem.X.cols()), 0.25};
    const RobustEnsembleResult result =
        train_robust_ensemble(problem.data(), Vector::Constant(1, 0.1), settings);
    EXPECT_EQ(result.state.planes[0].w, settings.first_plane->w);
    ASSERT_EQ(result.state.history.size(), 3U);
    for (const RoundRecord& record : result.state.history) {
        EXPECT_GE(record.accuracy, 0.0);
        EXPECT_LE(record.accuracy, 1.0);
        EXPECT_LE(record.least_weight, record.most_weight);
    }
    EXPECT_GT(result.state.history[1].n_fooled, 0);
}

TEST(RobustEnsemble, RejectsBadInput) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 3);
    const auto message = [&](const Vector& radii, const RobustEnsembleSettings& settings,
                             const RobustEnsembleState& resume = {}) -> std::string {
        try {
            train_robust_ensemble(problem.data(), radii, settings, resume);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    const Vector one = Vector::Ones(1);
    RobustEnsembleSettings settings;
    settings.n_planes = 0;
    EXPECT_EQ(message(one, settings), "n_planes: expected an integer >= 1, got 0");
    settings.n_planes = 2;
    EXPECT_EQ(message(-one, settings).substr(0, 6), "radii:");
    EXPECT_EQ(message(Vector::Ones(2), settings).substr(0, 6), "radii:");
    settings.first_plane = Hyperplane{Vector::Ones(1 + problem.X.cols()), 0.0};
    EXPECT_EQ(message(one, settings).substr(0, 14), "first_plane.w:");
    settings.first_plane = Hyperplane{Vector::Ones(problem.X.cols()), NAN};
    EXPECT_EQ(message(one, settings).substr(0, 14), "first_plane.b:");
    settings.first_plane.reset();
    settings.C = 0.0;
    EXPECT_EQ(message(one, settings).substr(0, 2), "C:");
    settings.C = 1.0;
    settings.control.max_seconds = -1.0;
    EXPECT_EQ(message(one, settings), "max_seconds: expected a number >= 0, got -1");
    settings.control = {};
    EXPECT_EQ(
        message(one, settings, {{Hyperplane{Vector::Ones(1 + problem.X.cols()), 0.0}}, {}, {}})
            .substr(0, 19),
        "resume.planes[0].w:");
}

}  // namespace
}  // namespace redoubt::testing
