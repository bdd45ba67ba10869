/// radius = "auto": the natural scale, the sample, the choice, and data too small for one.

#include <gtest/gtest.h>

#include <mutex>

#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/radius_choice.hpp"
#include "support/random_problems.hpp"

namespace redoubt::test {
namespace {

/// Two clouds around (-a, 0) and (a, 0) with the given numbers of points.
struct Clouds {
    Matrix X;
    Vector y;

    Clouds(Index n_minus, Index n_plus, double distance, std::uint64_t seed = 1)
        : X(n_minus + n_plus, 2), y(n_minus + n_plus) {
        std::mt19937_64 rng(seed);
        std::normal_distribution<double> normal;
        for (Index j = 0; j < X.rows(); ++j) {
            y[j] = j < n_minus ? -1.0 : 1.0;
            X.row(j) << y[j] * distance + normal(rng), normal(rng);
        }
    }
    SvmData data() const { return {X, y, {}}; }
};

TEST(RadiusChoice, ScaleIsTheMedianDistanceFromThePlaneOfTheSvm) {
    const Clouds clouds(60, 61, 2.0);
    SvmSettings svm;
    svm.tolerance = 1e-3;
    const Ensemble plane(train_svm(clouds.data(), svm).plane);
    std::vector<double> distances;
    for (const Certificate& one : certify(plane, clouds.X, clouds.y))
        distances.push_back(std::abs(one.lower));
    std::sort(distances.begin(), distances.end());
    EXPECT_EQ(natural_scale(clouds.data()), distances[60]);
    // It follows the units of the data, up to what the penalty of the SVM makes of them.
    const Matrix larger = 1024.0 * clouds.X;
    EXPECT_NEAR(natural_scale({larger, clouds.y, {}}) / natural_scale(clouds.data()), 1024.0, 50.0);
}

TEST(RadiusChoice, NeverChoosesACollapse) {
    // One class in ten, and clouds that overlap: a large radius makes the answer constant.
    const Clouds clouds(270, 30, 1.0);
    const RadiusChoice choice = choose_radius(clouds.data(), fit_radius_with(RobustSvmSettings()));
    const SelectionResult& found = choice.selection;
    ASSERT_EQ(found.balanced_accuracy.size(), 9);
    EXPECT_EQ(found.balanced_accuracy[6], 0.5) << "the largest radius collapses";
    Index best = -1;
    for (Index i = 0; i < 7; ++i) {
        if (choice.candidates[static_cast<std::size_t>(i)] == choice.best) best = i;
    }
    ASSERT_GE(best, 0);
    EXPECT_GE(found.balanced_accuracy[best], found.balanced_accuracy.maxCoeff() - 0.01);
    for (Index i = 0; i < 7; ++i) {
        const bool is_close = found.balanced_accuracy[i] >= found.balanced_accuracy.maxCoeff();
        if (!is_close) continue;
        EXPECT_LE(found.certified_radius[i], found.certified_radius[best]);
    }
}

TEST(RadiusChoice, IsTheSameForAnyNumberOfThreads) {
    const Clouds clouds(40, 50, 1.5);
    CollaborativeSettings trainer;
    trainer.n_epochs = 2;
    RadiusChoiceSettings settings;
    settings.n_planes = {1, 3};
    settings.n_folds = 3;
    const RadiusChoice one = choose_radius(clouds.data(), fit_radius_with(trainer), settings);
    settings.n_threads = 3;
    const RadiusChoice three = choose_radius(clouds.data(), fit_radius_with(trainer), settings);
    EXPECT_EQ(one.best, three.best);
    EXPECT_EQ(one.selection.certified_radius, three.selection.certified_radius);
    EXPECT_EQ(one.candidates.size(), 18U);
}

TEST(RadiusChoice, LargeDataAreSampledClassByClass) {
    const Clouds clouds(5000, 150, 2.0);
    RadiusChoiceSettings settings;
    settings.max_points = 1000;
    settings.factors = {0.5, 1.0};
    std::mutex mutex;
    Index most = 0;
    double share = 0.0;
    const RadiusChoice choice = choose_radius(
        clouds.data(),
        [&](const RadiusCandidate&, const SvmData& part) {
            const std::lock_guard lock(mutex);
            most = std::max(most, part.X.rows());
            share = (part.y.array() > 0.0).cast<double>().mean();
            return Ensemble(Matrix::Ones(1, 2), Vector::Zero(1));
        },
        settings);
    // 971 of the large class, and 100 of the small one, whose share would be 29.
    EXPECT_EQ(choice.n_points, 1071);
    EXPECT_LE(most, 858);
    EXPECT_NEAR(share, 100.0 / 1071.0, 0.005);
}

TEST(RadiusChoice, TooFewPointsTakeHalfTheScale) {
    Matrix X(2, 1);
    X << -1.0, 3.0;
    Vector y(2);
    y << -1.0, 1.0;
    const RadiusChoice choice = choose_radius({X, y, {}}, fit_radius_with(RobustSvmSettings()));
    EXPECT_EQ(choice.n_folds, 0);
    EXPECT_EQ(choice.selection.mean.size(), 0);
    EXPECT_NEAR(choice.scale, 2.0, 0.02);
    EXPECT_EQ(choice.best.radius, 0.5 * choice.scale);
    // Data that do not vary have no scale.
    const Matrix same = Matrix::Ones(6, 1);
    Vector labels(6);
    labels << -1, -1, -1, 1, 1, 1;
    EXPECT_EQ(natural_scale({same, labels, {}}), 1.0);
}

TEST(RadiusChoice, RejectsBadSettings) {
    const Clouds clouds(10, 10, 2.0);
    const auto message = [&](auto change) -> std::string {
        RadiusChoiceSettings settings;
        change(settings);
        try {
            choose_radius(clouds.data(), fit_radius_with(RobustSvmSettings()), settings);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message([](auto& s) { s.factors.clear(); }),
              "factors: expected at least one, got none");
    EXPECT_EQ(message([](auto& s) { s.factors = {0.0}; }),
              "factors: expected finite numbers > 0, got 0");
    EXPECT_EQ(message([](auto& s) {
                  s.reserve_below = 0.3;
                  s.factors = {0.5, 0.1};
              }),
              "factors: expected those below reserve_below first, got another order");
    EXPECT_EQ(message([](auto& s) { s.n_planes = {0}; }),
              "n_planes: expected integers >= 1, got 0");
    EXPECT_EQ(message([](auto& s) { s.n_folds = 1; }), "n_folds: expected an integer >= 2, got 1");
}

}  // namespace
}  // namespace redoubt::test
