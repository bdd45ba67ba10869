#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

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

/// Where a feature may go: to the threshold of a plane, or just beyond it on either side.
struct Goal {
    Index plane;
    int side;
};

/// The answer of a plane that looks at a feature which stands there, as real numbers have it.
int real_answer(const Ensemble& ensemble, Index plane, Index feature, const Goal& goal) {
    // Weights are small integers: there is no rounding.
    using Long = long double;
    static_assert(std::numeric_limits<Long>::digits >= 56);
    const Long w = ensemble.coef()(plane, feature);
    const Long v = ensemble.coef()(goal.plane, feature);
    const Long b = ensemble.intercept()[plane];
    const Long c = ensemble.intercept()[goal.plane];
    // w (-c / v) + b
    const Long left = b * v;
    const Long right = w * c;
    if (left == right) return goal.side == 0 || (goal.side > 0) == (w > 0) ? 1 : -1;
    return (left > right) == (v > 0) ? 1 : -1;
}

/// The sign of a goal's distance from a value, as real numbers have it.
int real_side(const Ensemble& ensemble, Index feature, const Goal& goal, double value) {
    using Long = long double;
    const Long v = ensemble.coef()(goal.plane, feature);
    const Long left = -static_cast<Long>(ensemble.intercept()[goal.plane]) * (v > 0 ? 1 : -1);
    const Long right = value * std::abs(v);
    if (std::isinf(value)) return value < 0 ? 1 : -1;
    return left == right ? goal.side : left > right ? 1 : -1;
}

/// The least size by all choices of where each feature goes, among real numbers or doubles.
double least_by_hand(const StepCase& each, bool is_real) {
    const AttackModel& threat = each.threat;
    const Ensemble& ensemble = each.ensemble;
    const int label = ensemble.predict(each.x);
    const Matrix& W = ensemble.coef();
    constexpr double tiny = 0x1p-30;
    double least = HUGE_VAL;
    Vector moved = each.x;
    const Eigen::VectorXi before = ensemble.answers(each.x);
    std::vector<std::optional<Goal>> goals(static_cast<std::size_t>(each.x.size()));
    const auto real_vote = [&] {
        std::int64_t votes = 0;
        for (Index i = 0; i < W.rows(); ++i) {
            int answer = before[i];
            for (Index l = 0; l < W.cols(); ++l) {
                const auto& goal = goals[static_cast<std::size_t>(l)];
                if (W(i, l) != 0.0 && goal) answer = real_answer(ensemble, i, l, *goal);
            }
            votes += answer * ensemble.weight_units(i);
        }
        return ensemble.answer_to(votes);
    };
    const std::function<void(Index, double)> go = [&](Index l, double size) {
        if (l == each.x.size()) {
            const int answer = is_real ? real_vote() : ensemble.predict(moved);
            if (answer != label) least = std::min(least, size);
            return;
        }
        go(l + 1, size);
        for (Index i = 0; i < W.rows() && threat.scale_of(l) > 0.0; ++i) {
            if (W(i, l) == 0.0) continue;
            const double threshold = -ensemble.intercept()[i] / W(i, l);
            for (int side : {-1, 0, 1}) {
                const Goal goal{i, side};
                const double value = threshold + side * tiny;
                const double d = threshold - each.x[l];
                const int way = is_real ? real_side(ensemble, l, goal, each.x[l])
                                        : (value > each.x[l]) - (value < each.x[l]);
                if (is_real ? real_side(ensemble, l, goal, threat.lower_of(l)) < 0 ||
                                  real_side(ensemble, l, goal, threat.upper_of(l)) > 0
                            : value < threat.lower_of(l) || value > threat.upper_of(l))
                    continue;
                if (threat.direction_of(l) == Direction::Up && way < 0) continue;
                if (threat.direction_of(l) == Direction::Down && way > 0) continue;
                const double part = std::abs(d) / threat.scale_of(l);
                moved[l] = value;
                goals[static_cast<std::size_t>(l)] = goal;
                switch (threat.norm) {
                    case Norm::L0:
                        go(l + 1, size + threat.cost_of(l));
                        break;
                    case Norm::L1:
                        go(l + 1, size + part);
                        break;
                    case Norm::L2:
                        go(l + 1, std::hypot(size, part));
                        break;
                    case Norm::LInf:
                        go(l + 1, std::max(size, part));
                        break;
                }
            }
            moved[l] = each.x[l];
            goals[static_cast<std::size_t>(l)].reset();
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

/// `lower` is the least size of real moves, `upper` that of doubles. They differ only where planes
/// pull opposite ways at a threshold that is no double; the status says so there, and only there.
TEST_P(StepVotes, HaveTheLeastSizeOfAllChoices) {
    StepCases cases(1);
    std::uint64_t n_between = 0;
    const std::uint64_t n = testing::n_seeds(2000);
    for (std::uint64_t c = 0; c < n; ++c) {
        const StepCase each = cases.draw(GetParam(), c % 2 == 0);
        const double least = least_by_hand(each, true);
        const double least_seen = least_by_hand(each, false);
        const Certificate found = certify_one(each);
        const double error = 1e-12 * (1.0 + least);
        const bool is_between =
            least < HUGE_VAL && (least_seen == HUGE_VAL || least_seen - least > error);
        n_between += is_between ? 1 : 0;
        ASSERT_EQ(found.status, is_between ? Status::NumericalFailure : Status::Optimal) << c;
        if (least == HUGE_VAL) {
            EXPECT_EQ(found.lower, HUGE_VAL) << c;
            continue;
        }
        EXPECT_LE(found.lower, least + error) << c;
        EXPECT_GE(found.lower, least - error) << c;
        if (least_seen == HUGE_VAL) {
            EXPECT_EQ(found.upper, HUGE_VAL) << c;
            continue;
        }
        const double error_seen = 1e-12 * (1.0 + least_seen);
        EXPECT_GE(found.upper, least_seen - error_seen) << c;
        EXPECT_LE(found.upper, least_seen + error_seen) << c;
        ASSERT_EQ(found.witness.size(), each.x.size()) << c;
        const Vector moved = each.x + found.witness;
        EXPECT_TRUE(each.threat.allows(each.x, moved)) << c;
        EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << c;
        EXPECT_LE(each.threat.move_size(each.x, found.witness), found.upper) << c;
    }
    // Thirds are rare.
    EXPECT_LE(500 * n_between, n);
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
        // A search may miss a witness that only touches planes; then it says so.
        if (searched.upper < HUGE_VAL || searched.status == Status::Optimal) {
            EXPECT_EQ(found->upper < HUGE_VAL, searched.upper < HUGE_VAL) << c;
        }
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

/// Two steps that pull opposite ways, and a plane that is always on one side.
Certificate certify_two_steps(double w, double b, double other_w, double other_b, double constant) {
    Matrix W(3, 1);
    W << w, other_w, 0.0;
    Vector intercepts(3);
    intercepts << b, other_b, constant;
    AttackModel ball = AttackModel::ball(Norm::LInf);
    return certify_one({Ensemble(W, intercepts), ball, Vector::Zero(1)});
}

TEST(StepVotes, TouchThresholds) {
    // Both planes answer +1 at 1/2 alone.
    const Certificate half = certify_two_steps(2.0, -1.0, -2.0, 1.0, -1.0);
    EXPECT_EQ(half.status, Status::Optimal);
    EXPECT_NEAR(half.lower, 0.5, 1e-15);
    EXPECT_EQ(half.witness[0], 0.5);
    // No double is 1/3.
    const Certificate third = certify_two_steps(3.0, -1.0, -3.0, 1.0, -1.0);
    EXPECT_EQ(third.status, Status::NumericalFailure);
    EXPECT_NEAR(third.lower, 1.0 / 3.0, 1e-15);
    EXPECT_EQ(third.upper, HUGE_VAL);
    // They never answer -1 together.
    const Certificate none = certify_two_steps(3.0, -1.0, -3.0, 1.0, 1.0);
    EXPECT_EQ(none.status, Status::Optimal);
    EXPECT_EQ(none.lower, HUGE_VAL);
}

TEST(StepVotes, TellThresholdsBetweenTwoDoublesApart) {
    int n_before = 0;
    int n_after = 0;
    for (int i = 1; i < 200; ++i) {
        const double w = 1000 + i;
        const double b = w / 3.0;
        const long double past = 3.0L * b - w;
        const double ulp = std::nextafter(1.0 / 3.0, 1.0) - 1.0 / 3.0;
        // 1/3 is a third of the way to the next double.
        const long double off = past / (3.0L * w) / ulp;
        if (past == 0.0L || off < -0.32L || off > 0.65L) continue;
        const Certificate found = certify_two_steps(3.0, -1.0, -w, b, 1.0);
        // The second plane turns to -1 before the first one leaves it.
        const bool is_between = past < 0.0L;
        (is_between ? n_before : n_after) += 1;
        EXPECT_EQ(found.status, is_between ? Status::NumericalFailure : Status::Optimal) << i;
        EXPECT_EQ(found.upper, HUGE_VAL) << i;
        if (is_between) {
            EXPECT_LE(found.lower, 1.0 / 3.0) << i;
            EXPECT_NEAR(found.lower, 1.0 / 3.0, 1e-15) << i;
        } else {
            EXPECT_EQ(found.lower, HUGE_VAL) << i;
        }
    }
    EXPECT_GT(n_before, 0);
    EXPECT_GT(n_after, 0);
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
