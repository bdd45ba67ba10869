#include "support/random_problems.hpp"

#include <cmath>
#include <random>

namespace redoubt::testing {

const std::vector<ProblemKind>& all_problem_kinds() {
    static const std::vector<ProblemKind> kinds{
        ProblemKind::Separable,  ProblemKind::Overlapping, ProblemKind::Noise,
        ProblemKind::Duplicated, ProblemKind::Grid,        ProblemKind::BadlyScaled,
        ProblemKind::FarAway,    ProblemKind::ZeroWeights, ProblemKind::FewPoints,
        ProblemKind::OneFeature, ProblemKind::Unbalanced,  ProblemKind::ConstantFeatures,
    };
    return kinds;
}

std::string to_string(ProblemKind kind) {
    switch (kind) {
        case ProblemKind::Separable:
            return "Separable";
        case ProblemKind::Overlapping:
            return "Overlapping";
        case ProblemKind::Noise:
            return "Noise";
        case ProblemKind::Duplicated:
            return "Duplicated";
        case ProblemKind::Grid:
            return "Grid";
        case ProblemKind::BadlyScaled:
            return "BadlyScaled";
        case ProblemKind::FarAway:
            return "FarAway";
        case ProblemKind::ZeroWeights:
            return "ZeroWeights";
        case ProblemKind::FewPoints:
            return "FewPoints";
        case ProblemKind::OneFeature:
            return "OneFeature";
        case ProblemKind::Unbalanced:
            return "Unbalanced";
        case ProblemKind::ConstantFeatures:
            return "ConstantFeatures";
    }
    return "unknown";
}

namespace {

/// Half the distance of the two class centres, in deviations of a cloud.
double separation(ProblemKind kind) {
    if (kind == ProblemKind::Separable) return 4.0;
    if (kind == ProblemKind::Noise) return 0.0;
    return 0.8;
}

}  // namespace

RandomProblem make_random_problem(ProblemKind kind, std::uint64_t seed) {
    std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(kind));
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const auto between = [&](int low, int high) {
        return static_cast<Index>(low + static_cast<int>(uniform(random) * (high - low + 1)));
    };
    Index n = between(2, 8);
    Index m = between(20, 90);
    if (kind == ProblemKind::FewPoints) {
        n = between(10, 20);
        m = between(4, 9);
    }
    if (kind == ProblemKind::OneFeature) n = 1;

    RandomProblem problem{Matrix(m, n), Vector(m), Vector(m), Vector(m)};
    for (Index j = 0; j < m; ++j) {
        problem.y[j] = j % 2 == 0 ? 1.0 : -1.0;
        if (kind == ProblemKind::Unbalanced) problem.y[j] = j == 0 ? 1.0 : -1.0;
        for (Index l = 0; l < n; ++l) {
            problem.X(j, l) = normal(random) +
                              problem.y[j] * separation(kind) / std::sqrt(static_cast<double>(n));
            if (kind == ProblemKind::Grid) problem.X(j, l) = std::round(problem.X(j, l));
            if (kind == ProblemKind::BadlyScaled)
                problem.X(j, l) *= std::pow(10.0, static_cast<double>(l % 7) - 3.0);
            if (kind == ProblemKind::FarAway) problem.X(j, l) += 1e3;
            if (kind == ProblemKind::ConstantFeatures && l % 2 == 0) problem.X(j, l) = 0.1;
        }
        problem.weights[j] = 0.2 + uniform(random);
        problem.radii[j] = 0.05 + 0.3 * uniform(random);
        if (kind == ProblemKind::ZeroWeights && j > 1 && j % 3 == 0) problem.weights[j] = 0.0;
        if (kind == ProblemKind::Duplicated && j >= 8) {
            problem.X.row(j) = problem.X.row(j % 7);
            problem.weights[j] = problem.weights[j % 7];
        }
    }
    return problem;
}

}  // namespace redoubt::testing
