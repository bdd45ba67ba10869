#include "svm/norm_cone.hpp"

#include <gtest/gtest.h>

#include <random>

namespace redoubt::testing {
namespace {

class PolarNormConeTest : public ::testing::TestWithParam<Norm> {
protected:
    static Vector random_point(Index n, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        Vector point(n + 1);
        for (double& value : point) value = normal(random);
        // Every third point is drawn towards the inside, every third towards the apex.
        if (seed % 3 == 1) point[n] -= 4.0;
        if (seed % 3 == 2) point[n] += 4.0;
        return point;
    }
};

// The projection P(v) onto a cone K° is the only point with P(v) in K°, v - P(v) in its polar K and
// P(v) orthogonal to v - P(v) (Moreau).
TEST_P(PolarNormConeTest, SatisfiesMoreausDecomposition) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Index n = 1 + static_cast<Index>(seed % 6);
        const Vector point = random_point(n, seed);
        PolarNormCone cone(GetParam(), n);
        const Vector image = cone.project(point);
        const Vector rest = point - image;
        EXPECT_LE(norm_value(GetParam(), image.head(n)), -image[n] + 1e-12);
        EXPECT_LE(norm_value(dual(GetParam()), rest.head(n)), rest[n] + 1e-12);
        EXPECT_NEAR(image.dot(rest), 0.0, 1e-12);
    }
}

TEST_P(PolarNormConeTest, HasTheDerivativeOfFiniteDifferences) {
    constexpr double step = 1e-6;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Index n = 1 + static_cast<Index>(seed % 5);
        const Vector point = random_point(n, seed);
        PolarNormCone cone(GetParam(), n);
        cone.project(point);
        // sigma stands two places further on, behind a bias of which the cone knows nothing.
        Matrix H = Matrix::Zero(n + 2, n + 2);
        cone.add_derivative(2.0, n + 1, Vector::Ones(n), H);
        const Matrix full = H.selfadjointView<Eigen::Upper>();
        const auto place = [n](Index l) { return l < n ? l : n + 1; };
        for (Index l = 0; l <= n; ++l) {
            Vector ahead = point;
            Vector behind = point;
            ahead[l] += step;
            behind[l] -= step;
            const Vector image_ahead = cone.project(ahead);
            const Vector slope = (image_ahead - cone.project(behind)) / (2.0 * step);
            for (Index i = 0; i <= n; ++i)
                EXPECT_NEAR(full(place(i), place(l)), 2.0 * slope[i], 1e-4) << seed;
        }
        EXPECT_EQ(full.row(n).norm(), 0.0);
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, PolarNormConeTest,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& instance) {
                             return std::string(to_string(instance.param));
                         });

}  // namespace
}  // namespace redoubt::testing
