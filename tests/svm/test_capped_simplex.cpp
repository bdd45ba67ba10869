#include "svm/capped_simplex.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace redoubt {
namespace {

/// p is the nearest point to v of { a >= 0, sum a <= 1 } when it is in the set and no vertex of the
/// set lies on v's side of it: (v - p)'(vertex - p) <= 0.
void expect_projection(const Vector& v, const Vector& p, bool is_capped) {
    const double rounding = 1e-12 * (1.0 + v.lpNorm<Eigen::Infinity>());
    EXPECT_GE(p.minCoeff(), 0.0);
    EXPECT_LE(p.sum(), 1.0 + 1e-14);
    EXPECT_TRUE(!is_capped || std::abs(p.sum() - 1.0) <= 1e-14);
    EXPECT_LE((v - p).dot(-p), rounding);
    for (Index i = 0; i < v.size(); ++i)
        EXPECT_LE((v - p).dot(Vector::Unit(v.size(), i) - p), rounding);
}

TEST(CappedSimplex, ProjectsToTheNearestPoint) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 20000; ++i) {
        Vector v(1 + static_cast<Index>(random() % 6));
        const double size = std::pow(10.0, static_cast<double>(random() % 10) - 2.0);
        for (double& value : v) value = size * normal(random);
        // Ties, and values next to each other.
        if (i % 3 == 0) v[0] = v[v.size() - 1];
        if (i % 5 == 0) v[0] = std::nextafter(v[v.size() - 1], 0.0);
        Vector p = v;
        const bool is_capped = project_to_capped_simplex(p.data(), p.size());
        expect_projection(v, p, is_capped);
    }
}

}  // namespace
}  // namespace redoubt
