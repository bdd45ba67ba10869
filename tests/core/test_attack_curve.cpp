#include "redoubt/attack_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

constexpr double kInfinity = HUGE_VAL;

// Four of class +1 with radii 0, 1, 2, -1 and two of class -1 with radii 1, infinity.
const Vector kRadii = (Vector(6) << 0.0, 1.0, 2.0, -1.0, 1.0, kInfinity).finished();
const Vector kLabels = (Vector(6) << 1.0, 1.0, 1.0, 1.0, -1.0, -1.0).finished();

TEST(AttackCurve, CountsTiesForClassPlusOneOnly) {
    const Vector attack = (Vector(4) << 0.0, 1.0, 1.5, 100.0).finished();
    const AttackCurve curve = attack_curve(kRadii, kLabels, attack);
    EXPECT_EQ(curve.accuracy, (Vector(4) << 5.0 / 6.0, 3.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0).finished());
    EXPECT_EQ(curve.balanced_accuracy, (Vector(4) << 0.875, 0.5, 0.375, 0.25).finished());
    EXPECT_EQ(curve.constant_accuracy, 4.0 / 6.0);
    EXPECT_EQ(curve.radii, attack);
}

TEST(AttackCurve, BracketsMakeABand) {
    // Safe, broken, undecided and wrong at radius 1, in this order.
    const Vector lower = (Vector(4) << 1.5, 0.2, 0.5, -kInfinity).finished();
    const Vector upper = (Vector(4) << 2.0, 1.0, 1.1, -0.1).finished();
    const Vector y = (Vector(4) << 1.0, 1.0, -1.0, -1.0).finished();
    const AttackCurve curve = attack_curve(lower, upper, y, Vector::Ones(1));
    EXPECT_EQ(curve.accuracy[0], 0.25);
    EXPECT_EQ(curve.undecided[0], 0.25);
    EXPECT_EQ(curve.balanced_accuracy[0], 0.25);
    EXPECT_EQ(curve.balanced_undecided[0], 0.25);
    // Without a bracket nothing is undecided.
    EXPECT_EQ(attack_curve(kRadii, kLabels, Vector::LinSpaced(5, 0, 2)).undecided.sum(), 0.0);
    EXPECT_THROW(attack_curve(upper, lower, y, Vector::Ones(1)), InvalidInput);
}

TEST(AttackCurve, PartsAddUp) {
    const Vector attack = (Vector(4) << 0.0, 1.0, 1.5, 100.0).finished();
    const Vector upper = (kRadii.array() + 0.25).matrix();
    AttackCounts counts(attack);
    // The last part is of one class alone.
    counts.add(kRadii.head(5), upper.head(5), kLabels.head(5));
    counts.add(kRadii.tail(1), upper.tail(1), kLabels.tail(1));
    const AttackCurve parts = counts.curve();
    const AttackCurve whole = attack_curve(kRadii, upper, kLabels, attack);
    EXPECT_EQ(parts.accuracy, whole.accuracy);
    EXPECT_EQ(parts.balanced_accuracy, whole.balanced_accuracy);
    EXPECT_EQ(parts.undecided, whole.undecided);
    EXPECT_EQ(parts.balanced_undecided, whole.balanced_undecided);
    EXPECT_EQ(parts.constant_accuracy, whole.constant_accuracy);
    EXPECT_GT(parts.undecided.sum(), 0.0);
}

TEST(AttackCurve, RejectsBadInput) {
    const auto message = [](const Vector& radii, const Vector& y,
                            const Vector& attack) -> std::string {
        try {
            attack_curve(radii, y, attack);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    const Vector zero = Vector::Zero(1);
    EXPECT_EQ(message(kRadii, kLabels.head(3), zero), "y: expected length 6, got length 3");
    EXPECT_EQ(message(kRadii, 2.0 * kLabels, zero), "y: expected labels -1 and +1, got 2 at [0]");
    EXPECT_EQ(message(kRadii, Vector::Ones(6), zero), "y: expected both classes, got only +1");
    EXPECT_EQ(message(Vector(0), Vector(0), zero), "y: expected both classes, got no points");
    EXPECT_EQ(message(kRadii, kLabels, -Vector::Ones(1)),
              "radii: expected finite numbers >= 0, got -1");
    EXPECT_EQ(message(Vector::Constant(6, NAN), kLabels, zero),
              "signed_radii: expected numbers, got nan");
}

}  // namespace
}  // namespace redoubt::testing
