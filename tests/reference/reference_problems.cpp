#include "reference/reference_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "redoubt/highs.hpp"

namespace redoubt::testing {

std::string to_string(PlaneKind kind) {
    switch (kind) {
        case PlaneKind::Gaussian:
            return "gaussian";
        case PlaneKind::Grid:
            return "grid";
        case PlaneKind::Opposite:
            return "opposite";
        case PlaneKind::Dependent:
            return "dependent";
    }
    return "unknown";
}

const std::vector<PlaneKind>& all_plane_kinds() {
    static const std::vector<PlaneKind> kinds{PlaneKind::Gaussian, PlaneKind::Grid,
                                              PlaneKind::Opposite, PlaneKind::Dependent};
    return kinds;
}

ReferenceProblem make_reference_problem(PlaneKind kind, std::uint64_t seed) {
    std::mt19937_64 random(seed * 977 + static_cast<std::uint64_t>(kind));
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> digit(-2, 2);
    const Index k = 1 + static_cast<Index>(random() % 7);
    const Index n = 1 + static_cast<Index>(random() % 5);
    const bool is_grid = kind == PlaneKind::Grid;
    const auto number = [&] {
        return is_grid ? static_cast<double>(digit(random)) : normal(random);
    };
    Matrix w(k, n);
    Vector b(k);
    Vector x(n);
    for (Index i = 0; i < k; ++i) {
        for (Index l = 0; l < n; ++l) w(i, l) = number();
        b[i] = number();
    }
    for (Index l = 0; l < n; ++l) x[l] = number();
    if (kind == PlaneKind::Dependent) w.col(n - 1) = w.col(0);
    if (kind == PlaneKind::Opposite) {
        for (Index i = 1; i < k; ++i) {
            if (random() % 2 == 0) continue;
            // Times a power of two the copy is exact, and so is the opposition.
            const Index other = static_cast<Index>(random() % static_cast<std::uint64_t>(i));
            const double factor =
                std::ldexp(random() % 2 == 0 ? 1.0 : -1.0, static_cast<int>(random() % 21) - 10);
            w.row(i) = factor * w.row(other);
            b[i] = factor * b[other];
        }
    }
    return {Ensemble(w, b), x};
}

AttackModel ball(Norm norm) {
    AttackModel threat;
    threat.norm = norm;
    return threat;
}

AdversaryAnswer attack_by(Solver solver, Adversary adversary, const Ensemble& ensemble,
                          const AttackModel& threat, const Vector& x, int y, double radius,
                          const PointLimits& limits) {
    return reference_adversary(solver, adversary, {ensemble, threat, x, y, radius}, limits);
}

std::int64_t weight_fooled(const Ensemble& ensemble, const Vector& x, const Vector& d, int label) {
    return weight_of(ensemble, fooled_planes(ensemble, x + d, label));
}

double hinge_sum(const Ensemble& ensemble, const Vector& x, const Vector& d, int y) {
    double sum = 0.0;
    const Vector margins = y * ensemble.margins(x + d);
    for (Index i = 0; i < margins.size(); ++i)
        sum += ensemble.weight(i) * std::max(0.0, 1.0 - margins[i]);
    return sum;
}

bool have_highs() {
    if (highs_version()) return true;
    const char* required = std::getenv("REDOUBT_REQUIRE_HIGHS");
    if (required != nullptr && std::string(required) == "1") {
        ADD_FAILURE() << "HiGHS is required here (REDOUBT_REQUIRE_HIGHS=1) and cannot be loaded";
    }
    return false;
}

}  // namespace redoubt::testing
