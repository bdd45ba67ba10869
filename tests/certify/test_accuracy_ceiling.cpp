/// The ceiling against every subset of points, and against the votes it must never fall below.

#include <gtest/gtest.h>

#include <random>

#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"
#include "support/published_parts.hpp"

namespace redoubt::testing {
namespace {

struct Best {
    double accuracy = 0.0;
    double balanced = 0.0;
};

/// The best accuracy over all sets of points without a pair of opposite class within 2r.
Best best_by_enumeration(const Matrix& X, const Vector& y, double r, Norm norm) {
    const auto m = static_cast<unsigned>(X.rows());
    const double n_plus = static_cast<double>((y.array() > 0.0).count());
    const double n_minus = static_cast<double>(m) - n_plus;
    Best best;
    for (unsigned set = 0; set < (1U << m); ++set) {
        double plus = 0.0;
        double minus = 0.0;
        bool is_possible = true;
        for (unsigned i = 0; i < m && is_possible; ++i) {
            if (!(set >> i & 1U)) continue;
            (y[i] > 0.0 ? plus : minus) += 1.0;
            for (unsigned j = 0; j < i && is_possible; ++j) {
                if (!(set >> j & 1U) || y[i] == y[j]) continue;
                const Vector difference = (X.row(i) - X.row(j)).transpose();
                is_possible = norm_value(norm, difference) > 2.0 * r;
            }
        }
        if (!is_possible) continue;
        best.accuracy = std::max(best.accuracy, (plus + minus) / m);
        best.balanced = std::max(best.balanced, 0.5 * (plus / n_plus + minus / n_minus));
    }
    return best;
}

TEST(AccuracyCeiling, EqualsTheBestSetOfPointsWithoutConflict) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        const Index m = 5 + static_cast<Index>(seed % 8);
        const Matrix X = Matrix::NullaryExpr(m, 2, [&](Index, Index) { return normal(random); });
        Vector y = Vector::NullaryExpr(m, [&](Index) { return normal(random) > 0.4 ? 1.0 : -1.0; });
        y[0] = 1.0;
        y[1] = -1.0;
        const Vector radii = (Vector(4) << 0.6, 0.1, 0.3, 5.0).finished();
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
            const AccuracyCeiling ceiling = accuracy_ceiling(X, y, radii, norm);
            for (Index i = 0; i < radii.size(); ++i) {
                const Best best = best_by_enumeration(X, y, radii[i], norm);
                EXPECT_DOUBLE_EQ(ceiling.accuracy[i], best.accuracy) << "seed " << seed;
                EXPECT_DOUBLE_EQ(ceiling.balanced_accuracy[i], best.balanced) << "seed " << seed;
            }
        }
    }
}

TEST(AccuracyCeiling, TwinsOfOppositeClassCostOnePointAtRadiusZero) {
    const Matrix X = (Matrix(4, 1) << 0.0, 0.0, 1.0, 3.0).finished();
    const Vector y = (Vector(4) << 1.0, -1.0, 1.0, 1.0).finished();
    const AccuracyCeiling ceiling =
        accuracy_ceiling(X, y, (Vector(2) << 0.0, 10.0).finished(), Norm::L2);
    EXPECT_EQ(ceiling.accuracy, (Vector(2) << 0.75, 0.75).finished());
    // The one point of class -1 weighs as much as all of class +1: give up a twin, then all of one.
    EXPECT_DOUBLE_EQ(ceiling.balanced_accuracy[0], 0.5 * (2.0 / 3.0 + 1.0));
    EXPECT_DOUBLE_EQ(ceiling.balanced_accuracy[1], 0.5);
}

TEST(AccuracyCeiling, NoVoteIsAboveIt) {
    const PublishedParts data = published_parts("bcw");
    const Hyperplane plane = train_svm({data.train_X, data.train_y}).plane;
    const Vector radii = Vector::LinSpaced(20, 0.0, 3.0);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        const AttackCurve curve =
            attack_curve(plane_radii(plane, data.test_X, data.test_y, norm), data.test_y, radii);
        const AccuracyCeiling ceiling = accuracy_ceiling(data.test_X, data.test_y, radii, norm);
        EXPECT_TRUE((ceiling.accuracy.array() >= curve.accuracy.array()).all());
        EXPECT_TRUE((ceiling.accuracy.array() >= curve.constant_accuracy).all());
        EXPECT_TRUE((ceiling.balanced_accuracy.array() >= curve.balanced_accuracy.array()).all());
        EXPECT_GE(ceiling.balanced_accuracy.minCoeff(), 0.5);
        // It comes down to the constant classifier, and not at once.
        EXPECT_LT(ceiling.accuracy[19], ceiling.accuracy[0]);
    }
}

TEST(AccuracyCeiling, RejectsBadInput) {
    const Matrix X = Matrix::Zero(2, 1);
    const Vector y = (Vector(2) << 1.0, -1.0).finished();
    const auto message = [](const Matrix& points, const Vector& labels,
                            const Vector& radii) -> std::string {
        try {
            accuracy_ceiling(points, labels, radii, Norm::L2);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    const Vector zero = Vector::Zero(1);
    EXPECT_EQ(message(X, y.head(1), zero), "y: expected length 2, got length 1");
    EXPECT_EQ(message(X, Vector::Ones(2), zero), "y: expected both classes, got only +1");
    EXPECT_EQ(message(X, y, -Vector::Ones(1)), "radii: expected finite numbers >= 0, got -1");
    EXPECT_NE(message(Matrix::Constant(2, 1, NAN), y, zero).find("X: expected"), std::string::npos);
}

}  // namespace
}  // namespace redoubt::testing
