#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

// The plane 3 x_1 - 4 x_2 + 5 = 0 is 1 away from the origin in l2, 5/4 in l1 and 5/7 in linf.
TEST(PlaneRadii, AreDistancesInTheDualNorm) {
    const Hyperplane plane{(Vector(2) << 3.0, -4.0).finished(), 5.0};
    const Matrix X = Matrix::Zero(2, 2);
    const Vector y = (Vector(2) << 1.0, -1.0).finished();
    EXPECT_EQ(plane_radii(plane, X, y, Norm::L2), (Vector(2) << 1.0, -1.0).finished());
    EXPECT_EQ(plane_radii(plane, X, y, Norm::L1), (Vector(2) << 1.25, -1.25).finished());
    EXPECT_EQ(plane_radii(plane, X, y, Norm::LInf),
              (Vector(2) << 5.0 / 7.0, -5.0 / 7.0).finished());
}

// Both sides: a step a little shorter than the radius changes nothing, a little longer changes it.
TEST(PlaneRadii, SeparateTheHarmlessStepsFromTheOthers) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (int seed = 0; seed < 50; ++seed) {
            std::srand(static_cast<unsigned>(seed));
            const Hyperplane plane{Vector::Random(5), 0.3};
            const Matrix X = Matrix::Random(1, 5);
            const int answer = sign_of_plane(plane.w, plane.b, X.row(0).transpose());
            const Vector y = Vector::Constant(1, answer);
            const double radius = plane_radii(plane, X, y, norm)[0];
            ASSERT_GE(radius, 0.0);
            const Vector direction = -answer * plane.w;
            for (double share : {1.0 - 1e-9, 1.0 + 1e-9}) {
                const Vector moved =
                    X.row(0).transpose() + steepest_step(norm, direction, share * radius);
                EXPECT_EQ(sign_of_plane(plane.w, plane.b, moved), share < 1.0 ? answer : -answer);
            }
        }
    }
}

TEST(PlaneRadii, AreInfiniteForAConstantAnswer) {
    const Vector y = (Vector(2) << 1.0, -1.0).finished();
    const Vector radii = plane_radii({Vector::Zero(3), -2.0}, Matrix::Ones(2, 3), y, Norm::L2);
    EXPECT_EQ(radii[0], -HUGE_VAL);
    EXPECT_EQ(radii[1], HUGE_VAL);
}

TEST(PlaneRadii, RejectWhatDoesNotFit) {
    EXPECT_THROW(plane_radii({Vector::Ones(2), 0.0}, Matrix::Ones(2, 3), Vector::Ones(2), Norm::L2),
                 InvalidInput);
    EXPECT_THROW(plane_radii({Vector::Ones(3), 0.0}, Matrix::Ones(2, 3), Vector::Ones(3), Norm::L2),
                 InvalidInput);
    EXPECT_THROW(plane_radii({Vector::Ones(3), 0.0}, Matrix::Ones(2, 3), Vector::Zero(2), Norm::L2),
                 InvalidInput);
}

}  // namespace
}  // namespace redoubt::testing
