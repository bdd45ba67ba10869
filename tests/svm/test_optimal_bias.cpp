#include "svm/optimal_bias.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace redoubt::testing {
namespace {

struct BiasProblem {
    Vector f, h, y, c;

    double value(double b) const {
        double sum = 0.0;
        for (Index j = 0; j < f.size(); ++j) sum += c[j] * std::max(0.0, h[j] - y[j] * (f[j] + b));
        return sum;
    }
};

// The minimum of a piecewise linear function is at a kink, so trying all kinks finds the interval.
TEST(OptimalBias, IsTheMiddleOfTheIntervalFoundByTryingEveryKink) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 300; ++trial) {
        const Index m = 2 + trial % 9;
        BiasProblem problem{Vector(m), Vector(m), Vector(m), Vector(m)};
        for (Index j = 0; j < m; ++j) {
            // Rounded to halves, so that kinks coincide and flat pieces are common.
            problem.f[j] = std::round(2.0 * normal(random)) / 2.0;
            problem.h[j] = 1.0 + (trial % 2) * 0.25 * static_cast<double>(j % 3);
            problem.y[j] = j % 2 == 0 ? 1.0 : -1.0;
            problem.c[j] = 1.0 + static_cast<double>(j % 3);
        }
        std::vector<double> best;
        double least = HUGE_VAL;
        for (Index j = 0; j < m; ++j) {
            const double kink = problem.y[j] * problem.h[j] - problem.f[j];
            const double value = problem.value(kink);
            if (value < least - 1e-12) best.clear();
            least = std::min(least, value);
            if (value <= least + 1e-12) best.push_back(kink);
        }
        const auto [low, high] = std::minmax_element(best.begin(), best.end());
        EXPECT_NEAR(optimal_bias(problem.f, problem.h, problem.y, problem.c), 0.5 * (*low + *high),
                    1e-12)
            << trial;
    }
}

}  // namespace
}  // namespace redoubt::testing
