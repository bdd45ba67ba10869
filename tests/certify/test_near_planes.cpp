/// Points within a few roundings of their planes: what a search is sure of must be true even there.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt::testing {
namespace {

constexpr double kUnit = 0x1p-50;

/// Planes in the plane whose margins at x are integer multiples of a tiny unit, exactly: all
/// numbers have so few digits that w'x + b is a double.
struct NearVote {
    Matrix W;
    Vector b;
    Vector x;
    Vector multiple;  ///< w_i'x + b_i in units
};

NearVote make_near_vote(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> digits(-1023, 1023);
    std::uniform_int_distribution<int> units(-16, 16);
    const auto k = static_cast<Index>(5 + 2 * (seed % 3));
    NearVote vote{Matrix(k, 2), Vector(k), Vector(2), Vector(k)};
    vote.x << digits(random) / 256.0, digits(random) / 256.0;
    for (Index i = 0; i < k; ++i) {
        vote.W.row(i) << digits(random) / 1024.0, digits(random) / 1024.0;
        vote.multiple[i] = units(random);
        vote.b[i] = vote.multiple[i] * kUnit - vote.W.row(i).dot(vote.x);
    }
    return vote;
}

/// The least ||e||_2 in units by brute force: the best point is 0, nearest to it on a plane, or
/// where two planes meet.
double least_flip(const NearVote& vote, int from, Index need) {
    const Index k = vote.W.rows();
    const Vector m = from * vote.multiple;
    std::vector<Vector> points{Vector::Zero(2)};
    for (Index i = 0; i < k; ++i) {
        const Vector w = vote.W.row(i).transpose();
        if (w.squaredNorm() == 0.0) continue;
        points.emplace_back(m[i] / w.squaredNorm() * w);
        for (Index j = 0; j < i; ++j) {
            Eigen::Matrix2d both;
            both << vote.W.row(i), vote.W.row(j);
            if (std::abs(both.determinant()) < 1e-9) continue;
            points.emplace_back(both.inverse() * Eigen::Vector2d(m[i], m[j]));
        }
    }
    double least = HUGE_VAL;
    for (const Vector& e : points) {
        const Vector reached = vote.W * e - m;
        const auto n_fooled = (reached.array() >= -1e-9 * (1.0 + e.norm())).count();
        if (n_fooled >= need) least = std::min(least, e.norm());
    }
    return least;
}

TEST(NearPlanes, LowerEndsAreTrueWithinRoundings) {
    int n_moved = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        const NearVote vote = make_near_vote(seed);
        const Ensemble ensemble(vote.W, vote.b);
        const int from = ensemble.predict(vote.x);
        const double least = kUnit * least_flip(vote, from, weight_needed(ensemble, from));
        n_moved += least > 0.0 && least < HUGE_VAL ? 1 : 0;
        for (bool has_box : {false, true}) {
            CertifySettings settings;
            if (has_box) settings.attack_model.lower = Vector::Constant(2, -1e3);
            const Certificate result =
                certify(ensemble, vote.x.transpose(), Vector::Constant(1, from), settings).front();
            EXPECT_LE(result.lower, least * (1.0 + 1e-9)) << "seed " << seed << " box " << has_box;
        }
    }
    EXPECT_GT(n_moved, 2000);
}

// Towards +1 the first two planes touch at 1/3, which is no double, and the other two at 5.
TEST(NearPlanes, PlanesThatTouchWhereNoDoubleIsAreNotImpossible) {
    const Matrix W = (Matrix(6, 1) << 3.0, -3.0, 1.0, -1.0, 0.0, 0.0).finished();
    const Ensemble vote(W, (Vector(6) << -1.0, 1.0, -5.0, 5.0, -1.0, -1.0).finished());
    ASSERT_EQ(vote.predict(Vector::Zero(1)), -1);
    ASSERT_EQ(vote.predict(Vector::Constant(1, 5.0)), 1);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const Certificate result =
            certify(vote, Matrix::Zero(1, 1), Vector::Constant(1, -1.0), settings).front();
        EXPECT_LE(result.lower, 1.0 / 3.0);
        EXPECT_TRUE(result.status != Status::Optimal || result.upper <= 5.0) << to_string(norm);
    }
}

}  // namespace
}  // namespace redoubt::testing
