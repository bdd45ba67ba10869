/// The derivative of the radius within an attack model against finite differences.

#include "flip/radius_slope.hpp"

#include <gtest/gtest.h>

#include "redoubt/certificate.hpp"
#include "support/balls.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

constexpr double kStep = 1e-4;

RadiusSlope slope_of(const Matrix& coef, const Vector& intercept, const ModelProblem& problem,
                     int y) {
    const Ensemble ensemble(coef, intercept);
    const testing::PreparedVote vote(ensemble, problem.model);
    return RadiusSloper(vote.planes).solve(problem.x, y, {});
}

/// The derivative of f at 0 up to kStep^4; NaN where f is not smooth nearby.
template <typename Function>
double derivative(const Function& f) {
    const double at = f(0.0);
    const double near[2] = {f(-kStep), f(kStep)};
    const double far[2] = {f(-2.0 * kStep), f(2.0 * kStep)};
    const double slope_near = (near[1] - near[0]) / (2.0 * kStep);
    const double slope_far = (far[1] - far[0]) / (4.0 * kStep);
    // Of a smooth function the second differences grow fourfold, at a kink twofold.
    const double bend_near = near[0] - 2.0 * at + near[1];
    const double bend_far = far[0] - 2.0 * at + far[1];
    const double size = 1.0 + std::abs(slope_near);
    const bool is_smooth = std::abs(bend_far - 4.0 * bend_near) <= 1e-6 * kStep * size &&
                           std::abs(slope_far - slope_near) <= 1e-5 * size;
    return is_smooth ? (4.0 * slope_near - slope_far) / 3.0 : NAN;
}

struct CheckedModel {
    int n_right = 0;
    int n_wrong = 0;
    int n_kinks = 0;
    int n_surrogate = 0;
};

void check_slope(const ModelProblem& problem, int y, double tolerance, const std::string& text,
                 CheckedModel& checked) {
    const Matrix& W = problem.ensemble.coef();
    const Vector& b = problem.ensemble.intercept();
    const RadiusSlope slope = slope_of(W, b, problem, y);
    CertifySettings settings;
    settings.attack_model = problem.model;
    const double radius =
        certify(problem.ensemble, problem.x.transpose(), Vector::Constant(1, y), settings)
            .front()
            .radius;
    if (slope.is_beyond) {
        EXPECT_TRUE(std::isinf(radius)) << text << " y " << y;
        return;
    }
    EXPECT_NEAR(slope.radius, radius, 1e-9 * (1.0 + std::abs(radius))) << text << " y " << y;
    Matrix rate = Matrix::Zero(W.rows(), W.cols() + 1);
    for (const RadiusSlope::Share& share : slope.shares) {
        rate.row(share.plane).head(W.cols()) += share.rate * slope.moved.transpose();
        rate(share.plane, W.cols()) += share.rate;
    }
    for (Index i = 0; i < W.rows(); ++i) {
        for (Index l = 0; l <= W.cols(); ++l) {
            const double expected = derivative([&](double step) {
                Matrix coef = W;
                Vector intercept = b;
                (l < W.cols() ? coef(i, l) : intercept[i]) += step;
                return slope_of(coef, intercept, problem, y).radius;
            });
            if (std::isnan(expected)) {
                ++checked.n_kinks;
            } else if (slope.is_surrogate) {
                EXPECT_NEAR(expected, 0.0, tolerance) << text << " y " << y;
                ++checked.n_surrogate;
            } else {
                EXPECT_NEAR(expected, rate(i, l), tolerance * (1.0 + std::abs(rate(i, l))))
                    << text << " y " << y << " plane " << i << " feature " << l;
                ++(slope.radius > 0.0 ? checked.n_right : checked.n_wrong);
            }
        }
    }
}

CheckedModel check_all(unsigned first_rules, unsigned last_rules, unsigned step,
                       std::uint64_t usual_seeds, double tolerance) {
    CheckedModel checked;
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (unsigned rules = first_rules; rules < last_rules; rules += step) {
            for (std::uint64_t seed = 0; seed < n_seeds(usual_seeds); ++seed) {
                if (is_on_grid(seed)) continue;
                const ModelProblem problem = make_model_problem(norm, rules, seed);
                const std::string text = std::string(to_string(norm)) + " " + rules_text(rules) +
                                         " seed " + std::to_string(seed);
                for (int y : {-1, 1}) check_slope(problem, y, tolerance, text, checked);
            }
        }
    }
    return checked;
}

TEST(ModelSlope, EqualsFiniteDifferencesForEveryBox) {
    const CheckedModel checked = check_all(0, kIntegers, 1, 32, 1e-6);
    EXPECT_GT(checked.n_right, least_found(5000));
    EXPECT_GT(checked.n_wrong, least_found(5000));
    EXPECT_LT(checked.n_kinks, 500);
}

TEST(ModelSlope, HoldsIntegersAndSwitches) {
    const CheckedModel checked = check_all(kIntegers, kAllRules, 1, 5, 1e-4);
    EXPECT_GT(checked.n_right + checked.n_wrong, least_found(1000));
    EXPECT_GT(checked.n_surrogate, least_found(100));
}

/// Planes count by their weights under every rule, as they do in a ball.
TEST(ModelSlope, CountsWeightsNotPlanes) {
    int n_heavy = 0;
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (unsigned rules = 0; rules < kAllRules; ++rules) {
            for (std::uint64_t seed = 0; seed < 8; ++seed) {
                // Slopes are no proofs: planes that only touch may be missed.
                if (is_on_grid(seed)) continue;
                SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
                const ModelProblem problem = make_model_problem(norm, rules, seed);
                Vector weights(problem.ensemble.n_planes());
                for (Index i = 0; i < weights.size(); ++i) weights[i] = i == 0 ? 5.0 : 1.0;
                const Ensemble weighted(problem.ensemble.coef(), problem.ensemble.intercept(),
                                        weights);
                const int y = weighted.predict(problem.x);
                const PreparedVote vote(weighted, problem.model);
                const RadiusSlope slope = RadiusSloper(vote.planes).solve(problem.x, y, {});
                CertifySettings settings;
                settings.attack_model = problem.model;
                settings.attack_model.attacking_class.reset();
                const auto radius_of = [&](const Ensemble& ensemble) {
                    return certify(ensemble, problem.x.transpose(), Vector::Constant(1, y),
                                   settings)[0]
                        .radius;
                };
                const double radius = radius_of(weighted);
                n_heavy += radius != radius_of(problem.ensemble) ? 1 : 0;
                if (slope.is_beyond) {
                    EXPECT_TRUE(std::isinf(radius));
                } else {
                    EXPECT_NEAR(slope.radius, radius, 1e-9 * (1.0 + std::abs(radius)));
                }
            }
        }
    }
    EXPECT_GT(n_heavy, 100);
}

}  // namespace
}  // namespace redoubt::testing
