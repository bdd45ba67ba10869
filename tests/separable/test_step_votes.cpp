#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "flip/flipper.hpp"
#include "redoubt/certificate.hpp"
#include "separable/step_flipper.hpp"
#include "support/seeds.hpp"

namespace redoubt {
namespace {

struct StepCase {
    Ensemble ensemble;
    AttackModel threat;
    Vector x;
};

class StepCases {
public:
    explicit StepCases(unsigned seed) : random_(seed) {}

    int pick(int first, int last) {
        return std::uniform_int_distribution<int>(first, last)(random_);
    }
    bool flip(double share) { return std::bernoulli_distribution(share)(random_); }
    /// On a grid, so that points touch thresholds and prices tie; or anywhere.
    double number(bool is_rough) {
        return is_rough ? std::normal_distribution<double>(0.0, 2.0)(random_) : 0.5 * pick(-4, 4);
    }

    StepCase draw(Norm norm, bool is_rough, int most_planes = 7) {
        const int n = pick(1, 4);
        const int k = pick(2, most_planes);
        Matrix W = Matrix::Zero(k, n);
        Vector b(k);
        for (Index i = 0; i < k; ++i) {
            if (!flip(0.1)) W(i, pick(0, n - 1)) = (flip(0.5) ? 1.0 : -1.0) * pick(1, 3);
            b[i] = number(is_rough);
        }
        AttackModel threat;
        threat.norm = norm;
        Vector x(n);
        for (Index l = 0; l < n; ++l) x[l] = number(is_rough);
        if (norm == Norm::L0 || flip(0.4)) {
            threat.lower = x.array() - 0.5 * pick(0, 5);
            threat.upper = x.array() + 0.5 * pick(0, 5);
        }
        if (flip(0.4)) {
            for (Index l = 0; l < n; ++l) {
                const int way = pick(0, 2);
                threat.direction.push_back(way == 0   ? Direction::Both
                                           : way == 1 ? Direction::Up
                                                      : Direction::Down);
            }
        }
        if (flip(0.4)) {
            threat.scale.resize(n);
            for (Index l = 0; l < n; ++l)
                threat.scale[l] = flip(0.2) ? 0.0 : norm == Norm::L0 ? 1.0 : 0.5 * pick(1, 4);
        }
        if (norm == Norm::L0 && flip(0.4)) {
            threat.cost.resize(n);
            for (Index l = 0; l < n; ++l) threat.cost[l] = 0.5 * pick(1, 6);
        }
        Vector weights;
        if (flip(0.4)) {
            weights.resize(k);
            for (Index i = 0; i < k; ++i) weights[i] = pick(1, 4);
        }
        return {Ensemble(W, b, weights), threat, x};
    }

private:
    std::mt19937 random_;
};

/// The least size by all choices of where each feature goes: to a threshold and just beyond it.
double least_by_hand(const StepCase& each) {
    const AttackModel& threat = each.threat;
    const int label = each.ensemble.predict(each.x);
    const Matrix& W = each.ensemble.coef();
    constexpr double tiny = 0x1p-30;
    double least = HUGE_VAL;
    Vector moved = each.x;
    const std::function<void(Index, double)> go = [&](Index l, double size) {
        if (l == each.x.size()) {
            if (each.ensemble.predict(moved) != label) least = std::min(least, size);
            return;
        }
        go(l + 1, size);
        for (Index i = 0; i < W.rows() && threat.scale_of(l) > 0.0; ++i) {
            if (W(i, l) == 0.0) continue;
            const double threshold = -each.ensemble.intercept()[i] / W(i, l);
            for (double by : {-tiny, 0.0, tiny}) {
                const double value = threshold + by;
                const double d = threshold - each.x[l];
                const double side = value - each.x[l];
                if (value < threat.lower_of(l) || value > threat.upper_of(l)) continue;
                if (threat.direction_of(l) == Direction::Up && side < 0.0) continue;
                if (threat.direction_of(l) == Direction::Down && side > 0.0) continue;
                const double part = std::abs(d) / threat.scale_of(l);
                moved[l] = value;
                switch (threat.norm) {
                    case Norm::L0: go(l + 1, size + threat.cost_of(l)); break;
                    case Norm::L1: go(l + 1, size + part); break;
                    case Norm::L2: go(l + 1, std::hypot(size, part)); break;
                    case Norm::LInf: go(l + 1, std::max(size, part)); break;
                }
            }
            moved[l] = each.x[l];
        }
    };
    go(0, 0.0);
    return least;
}

Certificate certify_one(const StepCase& each) {
    CertifySettings settings;
    settings.attack_model = each.threat;
    const Matrix X = each.x.transpose();
    return certify(each.ensemble, X, settings)[0];
}

class StepVotes : public ::testing::TestWithParam<Norm> {};

TEST_P(StepVotes, HaveTheLeastSizeOfAllChoices) {
    StepCases cases(1);
    for (std::uint64_t c = 0; c < testing::n_seeds(2000); ++c) {
        const StepCase each = cases.draw(GetParam(), c % 2 == 0);
        const double least = least_by_hand(each);
        const Certificate found = certify_one(each);
        ASSERT_EQ(found.status, Status::Optimal) << c;
        if (least == HUGE_VAL) {
            EXPECT_EQ(found.lower, HUGE_VAL) << c;
            continue;
        }
        const double error = 1e-12 * (1.0 + least);
        EXPECT_LE(found.lower, least + error) << c;
        EXPECT_GE(found.upper, least - error) << c;
        EXPECT_LE(found.upper - found.lower, error) << c;
        ASSERT_EQ(found.witness.size(), each.x.size()) << c;
        const Vector moved = each.x + found.witness;
        EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
        EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << c;
        EXPECT_LE(each.threat.move_size(each.x, found.witness), found.upper) << c;
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, StepVotes,
                         ::testing::Values(Norm::L0, Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& test) { return std::string(to_string(test.param)); });

class StepVotesAndSearch : public ::testing::TestWithParam<Norm> {};

TEST_P(StepVotesAndSearch, Agree) {
    StepCases cases(2);
    for (std::uint64_t c = 0; c < testing::n_seeds(300); ++c) {
        const StepCase each = cases.draw(GetParam(), c % 2 == 0, 11);
        const MoveSpace space(each.threat, each.x.size());
        const std::optional<StepVote> vote = StepVote::of(each.ensemble, space);
        ASSERT_TRUE(vote) << c;
        const int label = each.ensemble.predict(each.x);
        const Index needed = weight_needed(each.ensemble, label);
        const ThreatPlanes planes(each.ensemble, space);
        const Flip searched = Flipper(planes).flip_answer(each.x, label, PointLimits{});
        const std::optional<Flip> found =
            StepFlipper(*vote).fool_planes(each.x, label, needed, HUGE_VAL, PointLimits{});
        ASSERT_TRUE(found) << c;
        EXPECT_LE(found->lower, searched.upper) << c;
        EXPECT_LE(searched.lower, found->upper) << c;
        EXPECT_EQ(found->upper < HUGE_VAL, searched.upper < HUGE_VAL) << c;
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, StepVotesAndSearch,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(StepVotes, KnowTheFirstDoubleBeyondEveryThreshold) {
    StepCases cases(3);
    for (int c = 0; c < 500; ++c) {
        const double w = std::ldexp(cases.number(true), cases.pick(-300, 300));
        const double b = std::ldexp(cases.number(true), cases.pick(-300, 300));
        Matrix W(2, 1);
        W << w, w;
        const Ensemble ensemble(W, Vector::Constant(2, b));
        const AttackModel threat = AttackModel::ball(Norm::LInf);
        const MoveSpace space(threat, 1);
        const std::optional<StepVote> vote = StepVote::of(ensemble, space);
        ASSERT_TRUE(vote);
        for (const StepVote::Block& block : vote->blocks()) {
            for (const Step& step : block.steps) {
                const Vector at = Vector::Constant(1, step.first);
                const Vector before = Vector::Constant(1, std::nextafter(step.first, -HUGE_VAL));
                EXPECT_EQ(sign_of_plane(W.row(0).transpose(), b, at), -step.left);
                EXPECT_EQ(sign_of_plane(W.row(0).transpose(), b, before), step.left);
            }
        }
    }
}

TEST(StepVotes, AreThoseOfOneFeatureEach) {
    const AttackModel ball = AttackModel::ball(Norm::LInf);
    const MoveSpace space(ball, 2);
    Matrix W(2, 2);
    W << 1.0, 0.0, 1.0, 1.0;
    const Ensemble joined(W, Vector::Zero(2));
    EXPECT_FALSE(StepVote::of(joined, space));
    W(1, 0) = 0.0;
    const Ensemble steps(W, Vector::Zero(2));
    EXPECT_TRUE(StepVote::of(steps, space));
    AttackModel integers = ball;
    integers.integers.push_back({0});
    const MoveSpace whole(integers, 2);
    EXPECT_FALSE(StepVote::of(steps, whole));
}

/// Large votes: nine times fifteen stumps.
TEST(StepVotes, OfManyStumpsNeedNoSearch) {
    StepCases cases(4);
    Matrix W = Matrix::Zero(135, 30);
    Vector b(135);
    for (Index i = 0; i < 135; ++i) {
        W(i, cases.pick(0, 29)) = cases.flip(0.5) ? 1.0 : -1.0;
        b[i] = cases.number(true);
    }
    const Ensemble ensemble(W, b);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        const AttackModel ball = AttackModel::ball(norm);
        for (int c = 0; c < 20; ++c) {
            Vector x(30);
            for (double& value : x) value = cases.number(true);
            const Certificate found = certify_one({ensemble, ball, x});
            EXPECT_EQ(found.status, Status::Optimal);
            EXPECT_LE(found.upper - found.lower, 1e-12 * found.upper);
            EXPECT_NE(ensemble.predict(x + found.witness), ensemble.predict(x));
        }
    }
}

}  // namespace
}  // namespace redoubt
