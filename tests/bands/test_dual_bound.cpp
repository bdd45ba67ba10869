#include <gtest/gtest.h>

#include "redoubt/svm.hpp"

namespace redoubt {
namespace {

struct Points {
    Matrix X = Matrix::Random(60, 4);
    Vector y{60};
    Vector weights = Vector::Random(60).cwiseAbs() + Vector::Constant(60, 0.1);

    Points() {
        for (Index j = 0; j < 60; ++j) y[j] = j % 2 == 0 ? 1.0 : -1.0;
        X.col(0) += 0.8 * y;
    }
    SvmData data() const { return {X, y, weights}; }
};

TEST(DualBound, IsTheSolversOwnAtItsMultipliers) {
    const Points points;
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        RobustSvmSettings settings;
        settings.attack_model = AttackModel::ball(norm);
        const Vector radii = Vector::Constant(1, 0.1);
        const SvmResult result = train_robust_svm(points.data(), radii, settings);
        const SvmBound bound = robust_svm_bound(points.data(), radii, settings, result.dual_ratio);
        const double size = norm_value(dual(norm), result.plane.w);
        EXPECT_NEAR(bound.multipliers - 2.0 * size * bound.distance, result.dual_value,
                    1e-9 * result.primal_value);
    }
}

TEST(DualBound, ThePlainSvmIsRadiusZeroWithARegulariser) {
    const Points points;
    const SvmResult result = train_svm(points.data(), {.C = 0.5});
    RobustSvmSettings settings;
    settings.regularization = 2.0;
    const Vector radii = Vector::Zero(1);
    const SvmBound bound = robust_svm_bound(points.data(), radii, settings, result.dual_ratio);
    const double lower = bound.multipliers - bound.distance * bound.distance / 4.0;
    EXPECT_NEAR(0.5 * lower, result.dual_value, 1e-9 * result.primal_value);
}

TEST(DualBound, HoldsForAnyMultipliersAndPlanes) {
    const Points points;
    RobustSvmSettings settings;
    settings.attack_model.scale = Vector::LinSpaced(4, 0.0, 1.5);
    const Vector radii = Vector::Random(60).cwiseAbs() * 0.2;
    for (int trial = 0; trial < 200; ++trial) {
        const Vector ratio = (Vector::Random(60) + Vector::Ones(60)) / 2.0;
        const SvmBound bound = robust_svm_bound(points.data(), radii, settings, ratio);
        const Vector w = Vector::Random(4);
        const double b = Vector::Random(1)[0];
        const double size = settings.attack_model.scale.cwiseProduct(w).norm();
        double value = 0.0;
        for (Index j = 0; j < 60; ++j) {
            const double t = 1.0 - points.y[j] * (points.X.row(j).dot(w) + b) + radii[j] * size;
            value += points.weights[j] * std::max(0.0, t);
        }
        EXPECT_GE(value, bound.multipliers - w.norm() * bound.distance - 1e-9);
    }
}

}  // namespace
}  // namespace redoubt
