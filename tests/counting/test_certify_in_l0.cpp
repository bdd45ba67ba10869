#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "counting/small_counting_cases.hpp"
#include "redoubt/certificate.hpp"
#include "support/seeds.hpp"

namespace redoubt {
namespace {

using testing::CountingCase;
using testing::CountingCases;

Certificate certify_one(const CountingCase& each) {
    CertifySettings settings;
    settings.attack_model = each.threat;
    const Matrix X = each.x.transpose();
    return certify(each.ensemble, X, settings)[0];
}

void expect_least(const CountingCase& each, const std::string& name) {
    const double least = testing::least_by_hand(each);
    const Certificate found = certify_one(each);
    ASSERT_EQ(found.status, Status::Optimal) << name;
    EXPECT_LE(found.lower, least) << name;
    EXPECT_GE(found.upper, least) << name;
    if (least == HUGE_VAL) {
        EXPECT_EQ(found.lower, HUGE_VAL) << name;
        return;
    }
    EXPECT_NEAR(found.lower, least, 1e-9 * least) << name;
    EXPECT_EQ(found.upper, least) << name;
    ASSERT_EQ(found.witness.size(), each.x.size()) << name;
    const Vector moved = each.x + found.witness;
    EXPECT_TRUE(each.threat.allows(each.x, moved)) << name;
    EXPECT_EQ(each.threat.move_size(each.x, found.witness), least) << name;
    EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << name;
}

TEST(CertifyInL0, IsTheLeastOfAllMovesOfSmallIntegers) {
    CountingCases cases(1);
    for (std::uint64_t c = 0; c < testing::n_seeds(3000); ++c)
        expect_least(cases.draw(false), "case " + std::to_string(c));
}

TEST(CertifyInL0, IsTheLeastOfAllMovesWithRoughWeights) {
    CountingCases cases(2);
    for (std::uint64_t c = 0; c < testing::n_seeds(2000); ++c)
        expect_least(cases.draw(true), "case " + std::to_string(c));
}

/// Numbers of very different sizes, and planes that some set of changes just reaches, or misses by
/// the last digit: tenths that do not add up, powers of 2 that doubles lose beside each other.
CountingCase draw_near_tie(CountingCases& cases) {
    const int n = cases.pick(2, 7);
    const int k = 2 * cases.pick(0, 2) + 1;
    const bool has_tenths = cases.flip(0.5);
    Matrix W(k, n);
    Vector b(k);
    Vector x(n);
    for (double& value : x) value = cases.pick(0, 1);
    for (Index i = 0; i < k; ++i) {
        for (double& w : W.row(i)) {
            w = has_tenths ? 0.1 * cases.pick(-7, 7)
                           : std::ldexp(cases.pick(-3, 3), cases.pick(-1, 1) * 53);
        }
        // Where some other point is, in an order of its own.
        double sum = 0.0;
        for (Index l = n; l-- > 0;) sum += W(i, l) * cases.pick(0, 1);
        const int way = cases.pick(-1, 1);
        b[i] = way == 0 ? -sum : std::nextafter(-sum, way * HUGE_VAL);
    }
    AttackModel threat;
    threat.norm = Norm::L0;
    threat.lower = Vector::Zero(n);
    threat.upper = Vector::Ones(n);
    for (int l = 0; l < n; ++l) threat.integers.push_back({l});
    if (cases.flip(0.5)) threat.direction.assign(static_cast<std::size_t>(n), Direction::Up);
    return {Ensemble(W, b), threat, x};
}

TEST(CertifyInL0, IsNotFooledByRounding) {
    CountingCases cases(9);
    for (std::uint64_t c = 0; c < testing::n_seeds(3000); ++c)
        expect_least(draw_near_tie(cases), "case " + std::to_string(c));
}

/// The most that the lesser of two margins can be in a box: by duality the least, over all shares
/// of the two, of what their mixture can be. That is convex and piecewise linear in the share.
double most_of_both(const Vector& v, double b, const Vector& w, double c, const Vector& lower,
                    const Vector& upper) {
    std::vector<double> shares = {0.0, 1.0};
    for (Index l = 0; l < v.size(); ++l) {
        const double share = w[l] / (w[l] - v[l]);
        if (share > 0.0 && share < 1.0) shares.push_back(share);
    }
    double least = HUGE_VAL;
    for (double share : shares) {
        double most = share * b + (1.0 - share) * c;
        for (Index l = 0; l < v.size(); ++l) {
            const double slope = share * v[l] + (1.0 - share) * w[l];
            most += std::max(slope * lower[l], slope * upper[l]);
        }
        least = std::min(least, most);
    }
    return least;
}

/// Three planes and features of any value in their ranges; on a grid planes, points and ends meet.
class RangeCases {
public:
    explicit RangeCases(unsigned seed) : random_(seed) {}

    CountingCase draw(bool is_rough) {
        const Index n = pick(1, is_rough ? 4 : 3);
        Matrix W(3, n);
        Vector b(3);
        std::normal_distribution<double> normal;
        for (double& value : W.reshaped()) value = is_rough ? normal(random_) : pick(-2, 2);
        for (double& value : b) value = is_rough ? normal(random_) : pick(-3, 3);
        AttackModel threat;
        threat.norm = Norm::L0;
        threat.lower.resize(n);
        threat.upper.resize(n);
        Vector x(n);
        std::uniform_real_distribution<double> share(0.0, 1.0);
        for (Index l = 0; l < n; ++l) {
            x[l] = is_rough ? share(random_) : 0.5 * pick(-2, 2);
            threat.lower[l] = x[l] - (is_rough ? share(random_) : 0.5 * pick(0, 3));
            threat.upper[l] = x[l] + (is_rough ? share(random_) : 0.5 * pick(0, 3));
        }
        return {Ensemble(W, b), threat, x};
    }

private:
    int pick(int first, int last) {
        return std::uniform_int_distribution<int>(first, last)(random_);
    }

    std::mt19937 random_;
};

/// The fewest features in whose ranges two planes can be fooled. On the grid, margins are 0 or far
/// from it.
double least_of_supports(const CountingCase& each) {
    const Index n = each.x.size();
    const int label = each.ensemble.predict(each.x);
    const Matrix W = -label * each.ensemble.coef();
    const Vector b = -label * each.ensemble.intercept();
    double least = HUGE_VAL;
    for (unsigned support = 0; support < 1U << static_cast<unsigned>(n); ++support) {
        Vector lower = each.x;
        Vector upper = each.x;
        double size = 0.0;
        for (Index l = 0; l < n; ++l) {
            if ((support >> static_cast<unsigned>(l) & 1U) == 0) continue;
            lower[l] = each.threat.lower[l];
            upper[l] = each.threat.upper[l];
            size += 1.0;
        }
        for (Index i = 0; i < 3; ++i) {
            const Index j = (i + 1) % 3;
            const double most =
                most_of_both(W.row(i).transpose(), b[i], W.row(j).transpose(), b[j], lower, upper);
            if (label < 0 ? most > -1e-12 : most > 1e-12) least = std::min(least, size);
        }
    }
    return least;
}

void expect_witness(const CountingCase& each, const Certificate& found, std::uint64_t c) {
    ASSERT_EQ(found.witness.size(), each.x.size()) << c;
    const Vector moved = each.x + found.witness;
    EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
    EXPECT_LE(each.threat.move_size(each.x, found.witness), found.upper) << c;
    EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << c;
}

/// A changed feature takes one value for all planes, which may lie inside its range.
TEST(CertifyInL0, IsTheLeastOfAllSupportsInRangesOfAnyValue) {
    RangeCases cases(7);
    int n_none = 0;
    for (std::uint64_t c = 0; c < testing::n_seeds(500); ++c) {
        const CountingCase each = cases.draw(true);
        const double least = least_of_supports(each);
        const Certificate found = certify_one(each);
        EXPECT_EQ(found.status, Status::Optimal) << c;
        EXPECT_EQ(found.lower, least) << c;
        EXPECT_EQ(found.upper, least) << c;
        n_none += least == HUGE_VAL ? 1 : 0;
        if (least < HUGE_VAL) expect_witness(each, found, c);
    }
    EXPECT_GT(n_none, 0);
}

/// Planes, points and ends of ranges meet: what can only just be reached is decided exactly.
TEST(CertifyInL0, IsTheLeastOfAllSupportsWherePlanesTouch) {
    RangeCases cases(8);
    int n_none = 0;
    for (std::uint64_t c = 0; c < testing::n_seeds(4000); ++c) {
        const CountingCase each = cases.draw(false);
        const double least = least_of_supports(each);
        const Certificate found = certify_one(each);
        EXPECT_EQ(found.status, Status::Optimal) << c;
        EXPECT_EQ(found.lower, least) << c;
        EXPECT_EQ(found.upper, least) << c;
        n_none += least == HUGE_VAL ? 1 : 0;
        if (found.upper < HUGE_VAL) expect_witness(each, found, c);
    }
    EXPECT_GT(n_none, 0);
}

/// Both planes answer +1 at 1/3 alone, which no double is.
TEST(CertifyInL0, IsOpenWherePlanesMeetAtNoDouble) {
    // The third plane never answers +1, and looks at two features.
    const Ensemble vote(Matrix{{3.0, 0.0}, {-3.0, 0.0}, {-1.0, 1.0}}, Vector{{-1.0, 1.0, -1.0}});
    AttackModel threat;
    threat.norm = Norm::L0;
    threat.lower = Vector::Zero(2);
    threat.upper = Vector{{1.0, 0.0}};
    const CountingCase each{vote, threat, Vector::Zero(2)};
    const Certificate found = certify_one(each);
    EXPECT_EQ(found.status, Status::NumericalFailure);
    EXPECT_EQ(found.lower, 1.0);
    EXPECT_EQ(found.upper, HUGE_VAL);
}

TEST(CertifyInL0, IsWhole) {
    CountingCases cases(3);
    for (int c = 0; c < 200; ++c) {
        CountingCase each = cases.draw(c % 2 == 0);
        each.threat.cost.resize(0);
        const Certificate found = certify_one(each);
        EXPECT_EQ(found.lower, found.upper);
        if (found.lower < HUGE_VAL) {
            EXPECT_EQ(found.lower, std::round(found.lower));
        }
    }
}

}  // namespace
}  // namespace redoubt
