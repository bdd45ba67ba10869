/// Votes that fall apart into features, groups and planes on features of their own: against all
/// moves there are, and against the search.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "counting/small_counting_cases.hpp"
#include "flip/flipper.hpp"
#include "flip/second_opinion.hpp"
#include "moves/move_finder.hpp"
#include "redoubt/certificate.hpp"
#include "separable/step_flipper.hpp"
#include "support/seeds.hpp"

namespace redoubt {
namespace {

using testing::CountingCase;

class SeparableCases {
public:
    explicit SeparableCases(unsigned seed) : random_(seed) {}

    int pick(int first, int last) {
        return std::uniform_int_distribution<int>(first, last)(random_);
    }
    bool flip(double share) { return std::bernoulli_distribution(share)(random_); }

    /// A group of three or none, then features, some pairs of which belong to one plane alone.
    /// Integers in small ranges, or any values.
    CountingCase draw(Norm norm, bool has_integers) {
        const int first_free = flip(0.5) ? 3 : 0;
        const int n = first_free + pick(2, 4);
        const int k = pick(2, 6);
        Matrix W = Matrix::Zero(k, n);
        Vector b(k);
        int next_private = n;
        for (Index i = 0; i < k; ++i) {
            b[i] = number(has_integers, 3);
            const int kind = pick(0, 2);
            if (kind == 0 && first_free > 0) {
                for (int l = 0; l < 3; ++l) W(i, l) = number(has_integers, 2);
            } else if (kind == 1 && next_private - 2 > first_free) {
                next_private -= 2;
                W(i, next_private) = number(has_integers, 2);
                W(i, next_private + 1) = number(has_integers, 2);
            } else if (!flip(0.1)) {
                W(i, first_free) = number(has_integers, 2);
            }
        }
        AttackModel threat;
        threat.norm = norm;
        threat.lower = Vector::Constant(n, -HUGE_VAL);
        threat.upper = Vector::Constant(n, HUGE_VAL);
        threat.scale = Vector::Ones(n);
        Vector x = Vector::Zero(n);
        if (first_free > 0) {
            OneHotGroup group{.features = {0, 1, 2}, .switch_cost = 0.5 * pick(1, 4)};
            if (flip(0.5)) group.set_cost(pick(0, 2), -1, pick(1, 3));
            if (flip(0.3)) group.set_cost(-1, pick(0, 2), HUGE_VAL);
            threat.one_hot.push_back(group);
            x[pick(0, 2)] = 1.0;
        }
        for (int l = first_free; l < n; ++l) {
            threat.lower[l] = pick(-2, 0);
            threat.upper[l] = pick(1, 2);
            x[l] = has_integers
                       ? pick(static_cast<int>(threat.lower[l]), static_cast<int>(threat.upper[l]))
                       : std::uniform_real_distribution<double>(threat.lower[l],
                                                                threat.upper[l])(random_);
            if (has_integers) threat.integers.push_back({l});
            const double scales[] = {1.0, 2.0, 0.5, 0.3, 0.0};
            threat.scale[l] = scales[pick(0, 4)];
            if (norm == Norm::L0 && threat.scale[l] > 0.0) threat.scale[l] = 1.0;
        }
        if (norm == Norm::L0 && flip(0.5)) {
            threat.cost.resize(n);
            for (int l = 0; l < n; ++l) threat.cost[l] = 0.5 * pick(1, 4);
        }
        if (flip(0.4)) {
            threat.direction.assign(static_cast<std::size_t>(n), Direction::Both);
            for (int l = first_free; l < n; ++l) {
                const int way = pick(0, 2);
                threat.direction[static_cast<std::size_t>(l)] = way == 0   ? Direction::Both
                                                                : way == 1 ? Direction::Up
                                                                           : Direction::Down;
            }
        }
        Vector weights;
        if (flip(0.4)) {
            weights.resize(k);
            for (Index i = 0; i < k; ++i) weights[i] = pick(1, 4);
        }
        const Ensemble vote(W, b, weights);
        if (!flip(0.3)) return {vote, threat, x};
        return {vote.with_quota(pick(1, static_cast<int>(vote.total_units()))), threat, x};
    }

    /// Such a vote, and one or two planes more that look at all features.
    CountingCase draw_nearly(Norm norm) {
        CountingCase each = draw(norm, true);
        const Ensemble& apart = each.ensemble;
        const Index n_more = pick(1, 2);
        const Index k = apart.n_planes();
        Matrix W(k + n_more, apart.n_features());
        Vector b(k + n_more);
        W << apart.coef(), Matrix::Zero(n_more, apart.n_features());
        b << apart.intercept(), Vector::Zero(n_more);
        for (Index i = k; i < k + n_more; ++i) {
            for (double& w : W.row(i)) w = number(true, 2);
            b[i] = number(true, 3);
        }
        each.ensemble = Ensemble(W, b);
        return each;
    }

private:
    double number(bool is_integer, int most) {
        return is_integer ? pick(-most, most)
                          : std::normal_distribution<double>(0.0, most)(random_);
    }

    std::mt19937 random_;
};

std::optional<Flip> flip_apart(const CountingCase& each) {
    const MoveSpace space(each.threat, each.x.size());
    const std::optional<StepVote> vote = StepVote::of(each.ensemble, space);
    if (!vote) return std::nullopt;
    const int label = each.ensemble.predict(each.x);
    return StepFlipper(*vote).fool_planes(each.x, label, weight_needed(each.ensemble, label),
                                          HUGE_VAL, PointLimits{});
}

/// Whether sizes are sums of prices: what is rounded in them is left to the search, which adds them
/// exactly.
bool adds_prices(const CountingCase& each) {
    return each.threat.norm == Norm::L1 || each.threat.norm == Norm::L2;
}

Flip search_flip(const CountingCase& each) {
    const MoveSpace space(each.threat, each.x.size());
    const ThreatPlanes planes(each.ensemble, space);
    return Flipper(planes).flip_answer(each.x, each.ensemble.predict(each.x), PointLimits{});
}

void expect_search_finds(const CountingCase& each, double least, std::uint64_t c) {
    const Flip found = search_flip(each);
    ASSERT_EQ(found.status, Status::Optimal) << c;
    EXPECT_LE(found.lower, least * (1.0 + 1e-15)) << c;
    EXPECT_GE(found.upper, least * (1.0 - 1e-15)) << c;
    if (least == HUGE_VAL) return;
    EXPECT_LE(found.upper - found.lower, 1e-11 * least) << c;
}

class SeparableVotes : public ::testing::TestWithParam<Norm> {};

TEST_P(SeparableVotes, HaveTheLeastOfAllMovesOfIntegersAndGroups) {
    SeparableCases cases(1);
    std::uint64_t n_left = 0;
    for (std::uint64_t c = 0; c < testing::n_seeds(1500); ++c) {
        const CountingCase each = cases.draw(GetParam(), true);
        const double least = testing::least_by_hand(each);
        const std::optional<Flip> found = flip_apart(each);
        if (!found && adds_prices(each)) {
            expect_search_finds(each, least, c);
            ++n_left;
            continue;
        }
        ASSERT_TRUE(found) << c;
        ASSERT_EQ(found->status, Status::Optimal) << c;
        if (least == HUGE_VAL) {
            EXPECT_EQ(found->lower, HUGE_VAL) << c;
            EXPECT_EQ(found->upper, HUGE_VAL) << c;
            continue;
        }
        EXPECT_LE(found->lower, least * (1.0 + 1e-15)) << c;
        EXPECT_GE(found->lower, least * (1.0 - 1e-11)) << c;
        EXPECT_NEAR(found->upper, least, 1e-11 * least) << c;
        const Vector moved = each.x + found->d;
        EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
        EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << c;
        EXPECT_LE(each.threat.move_size(each.x, found->d), found->upper) << c;
    }
    EXPECT_LE(n_left, testing::n_seeds(1500) / 4);
}

class SeparableVotesAndSearch : public ::testing::TestWithParam<Norm> {};

TEST_P(SeparableVotesAndSearch, Agree) {
    SeparableCases cases(2);
    for (std::uint64_t c = 0; c < testing::n_seeds(500); ++c) {
        const CountingCase each = cases.draw(GetParam(), false);
        const std::optional<Flip> found = flip_apart(each);
        ASSERT_TRUE(found) << c;
        const int label = each.ensemble.predict(each.x);
        const Flip searched = search_flip(each);
        ASSERT_EQ(searched.status, Status::Optimal) << c;
        ASSERT_EQ(found->status, Status::Optimal) << c;
        EXPECT_LE(found->lower, searched.upper) << c;
        EXPECT_LE(searched.lower, found->upper) << c;
        if (found->upper == HUGE_VAL) continue;
        EXPECT_LE(found->upper - found->lower, 1e-9 * found->upper) << c;
        const Vector moved = each.x + found->d;
        EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
        EXPECT_NE(each.ensemble.predict(moved), label) << c;
    }
}

TEST_P(SeparableVotesAndSearch, AgreeWithEnumeration) {
    SeparableCases cases(3);
    for (std::uint64_t c = 0; c < testing::n_seeds(300); ++c) {
        const CountingCase each = cases.draw(GetParam(), c % 2 == 0);
        std::optional<Flip> found = flip_apart(each);
        if (!found && adds_prices(each)) found = search_flip(each);
        ASSERT_TRUE(found) << c;
        const Flip wanted =
            reference_flip(Solver::Enumerate, each.ensemble, each.threat, each.x,
                           each.ensemble.predict(each.x), PointLimits{});
        if (wanted.lower == HUGE_VAL) {
            EXPECT_EQ(found->lower, HUGE_VAL) << c;
            continue;
        }
        EXPECT_NEAR(found->lower, wanted.lower, 1e-9 * (1.0 + wanted.lower)) << c;
        EXPECT_NEAR(found->upper, wanted.lower, 1e-9 * (1.0 + wanted.lower)) << c;
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, SeparableVotes,
                         ::testing::Values(Norm::L0, Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& test) { return std::string(to_string(test.param)); });

INSTANTIATE_TEST_SUITE_P(Norms, SeparableVotesAndSearch,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& test) { return std::string(to_string(test.param)); });

class NearlySeparableVotes : public ::testing::TestWithParam<Norm> {};

TEST_P(NearlySeparableVotes, AreBracketedByTheirSteps) {
    SeparableCases cases(4);
    int n_bracketed = 0;
    int n_closed = 0;
    for (std::uint64_t c = 0; c < testing::n_seeds(800); ++c) {
        const CountingCase each = cases.draw_nearly(GetParam());
        const double least = testing::least_by_hand(each);
        const MoveSpace space(each.threat, each.x.size());
        const int label = each.ensemble.predict(each.x);
        const std::optional<StepVote> part = StepVote::part_of(each.ensemble, space);
        if (part) {
            const Flip known = StepFlipper(*part).bracket(
                each.x, label, weight_needed(each.ensemble, label), PointLimits{});
            EXPECT_LE(known.lower, least) << c;
            EXPECT_GE(known.upper, least * (1.0 - 1e-15)) << c;
            ++n_bracketed;
            n_closed += known.lower >= known.upper * (1.0 - 1e-9) ? 1 : 0;
            if (known.d.size() > 0) {
                const Vector moved = each.x + known.d;
                EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
                EXPECT_NE(each.ensemble.predict(moved), label) << c;
                EXPECT_LE(each.threat.move_size(each.x, known.d), known.upper) << c;
            }
        }
        const ThreatenedVote vote(each.ensemble, space);
        const Flip found = MoveFinder(vote).flip_answer(each.x, label, PointLimits{}).flip;
        ASSERT_EQ(found.status, Status::Optimal) << c;
        EXPECT_LE(found.lower, least * (1.0 + 1e-15)) << c;
        if (least == HUGE_VAL) {
            EXPECT_EQ(found.lower, HUGE_VAL) << c;
            continue;
        }
        EXPECT_GE(found.lower, least * (1.0 - 1e-9)) << c;
        EXPECT_NEAR(found.upper, least, 1e-9 * least) << c;
        EXPECT_NE(each.ensemble.predict(each.x + found.d), label) << c;
    }
    EXPECT_GT(n_bracketed, testing::least_found(200));
    EXPECT_GT(n_closed, n_bracketed / 10);
}

/// A hundred stumps and three planes of all features, where a search alone gets nowhere.
TEST_P(NearlySeparableVotes, KeepTheirBracketUnderLimits) {
    const Norm norm = GetParam();
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    const Index n = 20;
    const Index k = 104;
    Matrix W = Matrix::Zero(k, n);
    Vector b(k);
    for (Index i = 0; i < k; ++i) {
        if (i < 3) {
            for (double& w : W.row(i)) w = normal(random);
        } else {
            W(i, i % n) = i % 3 == 0 ? 1.0 : -1.0;
        }
        b[i] = normal(random);
    }
    const Ensemble ensemble(W, b);
    AttackModel threat;
    threat.norm = norm;
    if (norm == Norm::L0) {
        threat.lower = Vector::Constant(n, -4.0);
        threat.upper = Vector::Constant(n, 4.0);
    }
    CertifySettings settings;
    settings.attack_model = threat;
    settings.limits.max_nodes_per_point = 200;
    for (int c = 0; c < 20; ++c) {
        const Vector x = Vector::NullaryExpr(n, [&](Index) { return normal(random); });
        const Certificate found = certify(ensemble, x.transpose(), settings)[0];
        EXPECT_GE(found.lower, 0.5 * found.upper) << c;
        EXPECT_LE(found.lower, found.upper) << c;
        EXPECT_NE(ensemble.predict(x + found.witness), ensemble.predict(x)) << c;
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, NearlySeparableVotes,
                         ::testing::Values(Norm::L0, Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(SeparableVotes, ShareNoFeatures) {
    const AttackModel ball = AttackModel::ball(Norm::L1);
    const MoveSpace space(ball, 4);
    Matrix W = Matrix::Zero(3, 4);
    W << 1, 2, 0, 0,  //
        0, 0, 3, 0,   //
        0, 0, 1, 0;
    const auto is_separable = [&](const Matrix& planes, const MoveSpace& moves) {
        const Ensemble vote(planes, Vector::Zero(3));
        return StepVote::of(vote, moves).has_value();
    };
    EXPECT_TRUE(is_separable(W, space));
    W(2, 1) = 1.0;
    EXPECT_FALSE(is_separable(W, space));
    // What is frozen is nobody's.
    W(2, 2) = 0.0;
    AttackModel frozen = ball;
    frozen.scale = Vector::Ones(4);
    EXPECT_FALSE(is_separable(W, MoveSpace(frozen, 4)));
    frozen.scale[1] = 0.0;
    EXPECT_TRUE(is_separable(W, MoveSpace(frozen, 4)));
}

}  // namespace
}  // namespace redoubt
