/// Ens-E, Ens-R and Ens-H against an adversary who counts: where their rows are moved to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "counting/small_counting_cases.hpp"
#include "counting/count_sloper.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"

namespace redoubt {
namespace {

using testing::CountingCase;
using testing::CountingCases;

struct MovedCase {
    CountingCase each;
    int y = 1;
    double radius = 0.0;
    MovedTrainingRows moved;

    Index n_wrong() const {
        return each.ensemble.n_planes() - static_cast<Index>(std::llround(moved.n_right[0]));
    }
};

MovedCase move_one(CountingCases& cases, Adversary adversary, bool is_rough) {
    CountingCase each = cases.draw(is_rough);
    const int y = cases.flip(0.5) ? 1 : -1;
    const double radius = cases.pick(0, 4);
    // Planes of an ensemble in training weigh the same.
    each.ensemble = Ensemble(each.ensemble.coef(), each.ensemble.intercept());
    std::vector<Hyperplane> planes;
    for (Index i = 0; i < each.ensemble.n_planes(); ++i)
        planes.push_back({each.ensemble.coef().row(i).transpose(), each.ensemble.intercept()[i]});
    RobustEnsembleSettings settings;
    settings.attack_model = each.threat;
    settings.adversary = adversary;
    const Matrix X = each.x.transpose();
    const Vector labels = Vector::Constant(1, y);
    MovedTrainingRows moved =
        move_training_rows({X, labels, {}}, Vector::Constant(1, radius), planes, settings);
    return {std::move(each), y, radius, std::move(moved)};
}

void expect_allowed(const MovedCase& one, int c) {
    const Vector there = one.moved.X.row(0).transpose();
    EXPECT_TRUE(one.each.threat.allows(one.each.x, there)) << c;
    EXPECT_LE(one.each.threat.move_size(one.each.x, there - one.each.x), one.radius) << c;
    const Eigen::VectorXi answers = one.each.ensemble.answers(there);
    EXPECT_EQ(one.n_wrong(), (answers.array() != one.y).count()) << c;
}

TEST(TrainInL0, EnsEMovesRowsToWhereMostPlanesAreWrong) {
    CountingCases cases(11);
    for (int c = 0; c < 1000; ++c) {
        const MovedCase one = move_one(cases, Adversary::Exact, c % 2 == 0);
        expect_allowed(one, c);
        Index most = 0;
        testing::for_each_move(one.each, [&](const Vector& there, double size) {
            if (size > one.radius) return;
            const Index wrong = (one.each.ensemble.answers(there).array() != one.y).count();
            most = std::max(most, wrong);
        });
        EXPECT_EQ(one.n_wrong(), most) << c;
    }
}

TEST(TrainInL0, EnsRMovesRowsToTheLargestHinges) {
    CountingCases cases(12);
    for (int c = 0; c < 1000; ++c) {
        const MovedCase one = move_one(cases, Adversary::Relaxed, c % 2 == 0);
        expect_allowed(one, c);
        // Of the planes that the radius can fool one by one; the others are not looked at.
        const Ensemble& vote = one.each.ensemble;
        std::vector<char> is_foolable(static_cast<std::size_t>(vote.n_planes()), 0);
        testing::for_each_move(one.each, [&](const Vector& there, double size) {
            if (size > one.radius) return;
            const Vector margins = one.y * vote.margins(there);
            for (Index i = 0; i < margins.size(); ++i)
                if (margins[i] <= 0.0) is_foolable[static_cast<std::size_t>(i)] = 1;
        });
        if (std::count(is_foolable.begin(), is_foolable.end(), 1) == 0) continue;
        const auto hinges = [&](const Vector& there) {
            const Vector margins = one.y * vote.margins(there);
            double sum = 0.0;
            for (Index i = 0; i < margins.size(); ++i) {
                if (is_foolable[static_cast<std::size_t>(i)] != 0)
                    sum += std::max(0.0, 1.0 - margins[i]);
            }
            return sum;
        };
        double most = 0.0;
        testing::for_each_move(one.each, [&](const Vector& there, double size) {
            if (size <= one.radius) most = std::max(most, hinges(there));
        });
        EXPECT_NEAR(hinges(one.moved.X.row(0).transpose()), most, 1e-9 * (1.0 + most)) << c;
    }
}

TEST(TrainInL0, EnsHMovesRowsAsFarAsItMay) {
    CountingCases cases(13);
    Index n_fooled = 0;
    for (int c = 0; c < 1000; ++c) {
        const MovedCase one = move_one(cases, Adversary::Heuristic, c % 2 == 0);
        expect_allowed(one, c);
        n_fooled += one.n_wrong();
    }
    EXPECT_GT(n_fooled, 0);
}

/// Words of two kinds of messages; words only come.
struct Messages {
    Matrix X;
    Vector y;
    AttackModel adds;

    Messages(Index m, Index n, unsigned seed) : X(m, n), y(m) {
        std::mt19937 random(seed);
        for (Index j = 0; j < m; ++j) {
            y[j] = j % 2 == 0 ? 1.0 : -1.0;
            for (Index l = 0; l < n; ++l) {
                const double chance = (l % 2 == 0) == (y[j] > 0.0) ? 0.7 : 0.2;
                X(j, l) = std::bernoulli_distribution(chance)(random) ? 1.0 : 0.0;
            }
        }
        adds.norm = Norm::L0;
        adds.lower = Vector::Zero(n);
        adds.upper = Vector::Ones(n);
        for (int l = 0; l < n; ++l) adds.integers.push_back({l});
        adds.direction.assign(static_cast<std::size_t>(n), Direction::Up);
    }
};

TEST(TrainInL0, EnsemblesAreTrainedRoundByRound) {
    const Messages mail(60, 12, 14);
    for (const Adversary adversary :
         {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
        RobustEnsembleSettings settings;
        settings.attack_model = mail.adds;
        settings.adversary = adversary;
        settings.n_planes = 5;
        settings.records_accuracy = true;
        const RobustEnsembleResult found =
            train_robust_ensemble({mail.X, mail.y, {}}, Vector::Constant(1, 1.0), settings);
        ASSERT_EQ(found.state.planes.size(), 5U);
        EXPECT_GT(found.state.history.back().accuracy, 0.5);
        EXPECT_GT(found.state.history.back().n_foolable, 0);
    }
}

/// The optimum of one plane's linear program: the best changes whole, the last one in part.
double relaxed_count(const Vector& w, double b, const Vector& x, int label) {
    double margin = label * (w.dot(x) + b);
    std::vector<double> gains;
    for (Index l = 0; l < w.size(); ++l) gains.push_back(-label * w[l] * (1.0 - 2.0 * x[l]));
    std::sort(gains.begin(), gains.end(), std::greater<>());
    double count = 0.0;
    for (double gain : gains) {
        if (margin <= gain) return count + margin / gain;
        margin -= gain;
        count += 1.0;
    }
    return HUGE_VAL;
}

TEST(CountSloper, KnowsTheSlopeOfOnePlanesProgram) {
    std::mt19937 random(15);
    std::normal_distribution<double> normal;
    const Index n = 6;
    AttackModel flips;
    flips.norm = Norm::L0;
    flips.lower = Vector::Zero(n);
    flips.upper = Vector::Ones(n);
    for (int l = 0; l < n; ++l) flips.integers.push_back({l});
    const MoveSpace space(flips, n);
    int n_slopes = 0;
    for (int c = 0; c < 200; ++c) {
        const Vector w = Vector::NullaryExpr(n, [&](Index) { return normal(random); });
        const double b = normal(random);
        const Vector x = Vector::NullaryExpr(n, [&](Index) { return c % 2 == 0 ? 1.0 : 0.0; });
        const Ensemble vote(Matrix(w.transpose()), Vector::Constant(1, b));
        const CountedPlanes planes(vote, space);
        const int label = vote.predict(x);
        const RadiusSlope slope = CountSloper(planes).solve(x, 1, {HUGE_VAL, HUGE_VAL});
        const double relaxed = relaxed_count(w, b, x, label);
        if (relaxed == HUGE_VAL) {
            EXPECT_TRUE(slope.is_beyond) << c;
            continue;
        }
        EXPECT_EQ(slope.radius, label * std::ceil(relaxed)) << c;
        ASSERT_EQ(slope.shares.size(), 1U) << c;
        constexpr double step = 1e-7;
        const double rate = slope.shares[0].rate;
        const double by_bias = (relaxed_count(w, b + step, x, label) - relaxed) / step;
        EXPECT_NEAR(label * by_bias, rate, 1e-4 * (1.0 + std::abs(rate) * std::abs(rate))) << c;
        for (Index l = 0; l < n; ++l) {
            Vector other = w;
            other[l] += step;
            const double by_weight = (relaxed_count(other, b, x, label) - relaxed) / step;
            EXPECT_NEAR(label * by_weight, rate * slope.moved[l],
                        1e-4 * (1.0 + std::abs(rate) * std::abs(rate)))
                << c;
        }
        ++n_slopes;
    }
    EXPECT_GT(n_slopes, 100);
}

TEST(TrainInL0, EnsCRaisesCounts) {
    const Messages mail(100, 20, 16);
    const SvmData data{mail.X, mail.y, {}};
    CollaborativeSettings settings;
    settings.attack_model = mail.adds;
    settings.n_planes = 5;
    settings.n_epochs = 30;
    const CollaborativeResult found =
        train_collaborative(data, Vector::Constant(1, 4.0), settings);
    CertifySettings certify_settings;
    certify_settings.attack_model = mail.adds;
    const auto mean_count = [&](const Ensemble& vote) {
        double sum = 0.0;
        for (const Certificate& each : certify(vote, mail.X, mail.y, certify_settings))
            sum += std::clamp(each.radius, -4.0, 4.0);
        return sum / static_cast<double>(mail.X.rows());
    };
    EXPECT_GT(mean_count(found.ensemble), mean_count(Ensemble(train_svm(data).plane)) + 0.1);
}

}  // namespace
}  // namespace redoubt
