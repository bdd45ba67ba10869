/// Operating points: against all biases and quotas there are.

#include <gtest/gtest.h>

#include <random>

#include "redoubt/collaborative.hpp"
#include "redoubt/error.hpp"
#include "redoubt/operating_point.hpp"

namespace redoubt::testing {
namespace {

struct Points {
    Matrix X;
    Vector y;
};

Points random_points(Index m, Index n, std::uint64_t seed, bool is_coarse) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Points points{Matrix(m, n), Vector(m)};
    for (Index j = 0; j < m; ++j) {
        points.y[j] = j % 3 == 0 ? 1.0 : -1.0;
        for (Index l = 0; l < n; ++l) {
            const double value = normal(random) + 0.7 * points.y[j];
            points.X(j, l) = is_coarse ? std::round(value) : value;
        }
    }
    return points;
}

double rate(const Ensemble& vote, const Points& points, double label) {
    double n = 0.0;
    double n_plus = 0.0;
    for (Index j = 0; j < points.y.size(); ++j) {
        if (points.y[j] != label) continue;
        n += 1.0;
        n_plus += vote.predict(points.X.row(j).transpose()) > 0 ? 1.0 : 0.0;
    }
    return n_plus / n;
}

TEST(OperatingPoint, OfAPlaneFindsMostOfAllBiases) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        for (double max_fpr : {0.0, 0.02, 0.1, 0.5}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " rate " << max_fpr);
            const Points points = random_points(90, 2, seed, seed % 2 == 0);
            const Ensemble plane(Hyperplane{Vector{{1.0, seed % 2 == 0 ? 2.0 : 0.3}}, 0.5});
            const OperatingPoint found =
                choose_operating_point(plane, points.X, points.y, max_fpr);
            EXPECT_EQ(found.ensemble.coef(), plane.coef());
            EXPECT_EQ(found.false_positive_rate, rate(found.ensemble, points, -1.0));
            EXPECT_EQ(found.detection_rate, rate(found.ensemble, points, 1.0));
            EXPECT_LE(found.false_positive_rate, max_fpr);
            double best = 0.0;
            for (Index j = 0; j < points.y.size(); ++j) {
                const double value = plane.coef().row(0).dot(points.X.row(j));
                for (double bias : {-value, -value - 1e-9}) {
                    const Ensemble shifted(Hyperplane{plane.coef().row(0).transpose(), bias});
                    if (rate(shifted, points, -1.0) > max_fpr) continue;
                    best = std::max(best, rate(shifted, points, 1.0));
                }
            }
            EXPECT_EQ(found.detection_rate, best);
        }
    }
}

TEST(OperatingPoint, OfAVoteIsTheLeastQuota) {
    int n_refused = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Index k = seed % 4 < 2 ? 3 : 7;
        const Points points = random_points(120, k, seed, false);
        const bool is_weighted = seed % 2 == 1;
        const Vector weights{{1.0, 2.0, 1.5, 1.0, 0.5, 1.0, 3.0}};
        const Ensemble vote(Matrix::Identity(k, k), Vector::Zero(k),
                            is_weighted ? weights.head(k) : Vector());
        for (double max_fpr : {0.0, 0.01, 0.05, 0.3}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " rate " << max_fpr);
            std::optional<std::int64_t> wanted;
            for (std::int64_t units = 1; units <= vote.total_units() && !wanted; ++units) {
                const double quota = vote.weight_unit() * static_cast<double>(units);
                if (rate(vote.with_quota(quota), points, -1.0) <= max_fpr) wanted = units;
            }
            if (!wanted) {
                ++n_refused;
                EXPECT_THROW(choose_operating_point(vote, points.X, points.y, max_fpr),
                             InvalidInput);
                continue;
            }
            const OperatingPoint found = choose_operating_point(vote, points.X, points.y, max_fpr);
            EXPECT_EQ(found.ensemble.quota_units(), *wanted);
            EXPECT_EQ(found.false_positive_rate, rate(found.ensemble, points, -1.0));
            EXPECT_EQ(found.detection_rate, rate(found.ensemble, points, 1.0));
        }
    }
    EXPECT_GT(n_refused, 0);
    EXPECT_LT(n_refused, 100);
}

std::string message_of(const Ensemble& vote, const Points& points, double max_fpr) {
    try {
        choose_operating_point(vote, points.X, points.y, max_fpr);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(OperatingPoint, RefusesWhatItCannotDo) {
    const Points points{(Matrix(3, 1) << 1.0, 2.0, -1.0).finished(), Vector{{-1.0, 1.0, -1.0}}};
    const Ensemble vote(Matrix::Ones(2, 1), Vector::Zero(2));
    EXPECT_EQ(message_of(vote, points, 1.0), "max_fpr: expected a number in [0, 1), got 1");
    EXPECT_EQ(message_of(vote, points, -0.5), "max_fpr: expected a number in [0, 1), got -0.5");
    EXPECT_EQ(message_of(vote, {points.X, Vector::Ones(3)}, 0.1),
              "y: expected both classes, got only +1");
    EXPECT_EQ(message_of(vote, points, 0.1),
              "max_fpr: expected a rate that a quota of these planes reaches, got one below that "
              "of all 2 planes together, which answer +1 for 1 of 2 points of class -1");
}

TEST(OperatingPoint, OfEnsCIsTrainedWithItsQuota) {
    const Points points = random_points(120, 3, 5, false);
    CollaborativeSettings settings;
    settings.n_planes = 5;
    settings.n_epochs = 3;
    settings.quota = 4;
    const SvmData data{points.X, points.y};
    const Vector radius = Vector::Constant(1, 0.5);
    const CollaborativeResult found = train_collaborative(data, radius, settings);
    EXPECT_EQ(found.ensemble.quota_units(), 4);
    settings.quota.reset();
    const CollaborativeResult plain = train_collaborative(data, radius, settings);
    EXPECT_FALSE(plain.ensemble.has_quota());
    EXPECT_NE(found.ensemble.coef(), plain.ensemble.coef());
    settings.quota = 3;  // what a majority of five is
    EXPECT_EQ(train_collaborative(data, radius, settings).ensemble.coef(), plain.ensemble.coef());
    settings.quota = 6;
    EXPECT_THROW(train_collaborative(data, radius, settings), InvalidInput);
}

}  // namespace
}  // namespace redoubt::testing
