/// Radii that integers and groups decide, against all their moves in integer arithmetic.

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "reference/reference_problems.hpp"
#include "support/random_votes.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

__extension__ using Wide = unsigned __int128;

/// Sizes as integers: multiples of 2^-56 / shares in l1 and linf, and in l2 their squares as
/// multiples of 1 / (16 shares^2).
constexpr int kBits = 56;

struct Problem {
    Ensemble ensemble;
    AttackModel model;
    Vector x;
    std::vector<int> quarters;  ///< of each integer feature: four times its scale
    std::vector<IntegerFeature> raw;
    Vector raw_x;  ///< values of the integer features before scaling

    Wide shares() const {
        Wide product = 1;
        for (int q : quarters) product *= static_cast<Wide>(q);
        return product;
    }
};

/// All moves of integers and groups of one point.
class AllMoves {
public:
    explicit AllMoves(const Problem& problem) : problem_(problem) {
        answer_ = problem.ensemble.predict(problem.x);
        try_group(0, problem.x, 0);
    }

    bool is_found() const { return is_found_; }
    /// The greatest double that is at most the least size, and the least that is not below it.
    double down() const {
        double value = std::max(estimate(), 0.0);
        while (compare(value) < 0) value = std::nextafter(value, 0.0);
        while (compare(std::nextafter(value, HUGE_VAL)) >= 0)
            value = std::nextafter(value, HUGE_VAL);
        return value;
    }
    double up() const {
        const double value = down();
        return compare(value) == 0 ? value : std::nextafter(value, HUGE_VAL);
    }

private:
    Norm norm() const { return problem_.model.norm; }
    Wide join(Wide a, Wide b) const { return norm() == Norm::LInf ? std::max(a, b) : a + b; }

    Wide switch_size(double cost) const {
        if (norm() == Norm::L2) {
            const auto quarters = static_cast<Wide>(4.0 * cost);
            return quarters * quarters * problem_.shares() * problem_.shares();
        }
        return static_cast<Wide>(std::ldexp(cost, kBits)) * problem_.shares();
    }
    /// k steps of 4 / quarters each.
    Wide step_size(std::size_t i, double k) const {
        const Wide count =
            static_cast<Wide>(k) * 4 * problem_.shares() / static_cast<Wide>(problem_.quarters[i]);
        return norm() == Norm::L2 ? count * count * 16 : count << kBits;
    }

    void try_group(std::size_t g, const Vector& moved, Wide size) {
        if (g == problem_.model.one_hot.size()) return try_integer(0, moved, size);
        const OneHotGroup& group = problem_.model.one_hot[g];
        std::size_t now = 0;
        while (moved[group.features[now]] != group.on_value(now)) ++now;
        for (std::size_t on = 0; on < group.features.size(); ++on) {
            const double cost = price_by_hand(group, now, on);
            if (std::isinf(cost)) continue;
            Vector next = moved;
            for (std::size_t i = 0; i < group.features.size(); ++i)
                next[group.features[i]] = i == on ? group.on_value(i) : group.off_value(i);
            try_group(g + 1, next, on != now ? join(size, switch_size(cost)) : size);
        }
    }

    void try_integer(std::size_t i, const Vector& moved, Wide size) {
        if (i == problem_.raw.size()) {
            if (problem_.ensemble.predict(moved) == answer_) return;
            if (!is_found_ || size < least_) least_ = size;
            is_found_ = true;
            return;
        }
        const IntegerFeature& one = problem_.model.integers[i];
        for (int z = 0; z <= 4; ++z) {
            Vector next = moved;
            const double k = std::abs(z - problem_.raw_x[static_cast<Index>(i)]);
            if (k != 0.0) next[one.feature] = one.value(z);
            const Direction direction = problem_.model.direction_of(one.feature);
            if (direction == Direction::Up && z < problem_.raw_x[static_cast<Index>(i)]) continue;
            try_integer(i + 1, next, k != 0.0 ? join(size, step_size(i, k)) : size);
        }
    }

    double estimate() const {
        const auto value = static_cast<long double>(least_);
        const auto shares = static_cast<long double>(problem_.shares());
        if (norm() == Norm::L2) return static_cast<double>(std::sqrt(value / 16.0L) / shares);
        return static_cast<double>(std::ldexp(value / shares, -kBits));
    }

    /// The sign of the least size minus `size`.
    int compare(double size) const {
        if (size == 0.0) return least_ > 0 ? 1 : 0;
        Wide left = least_;
        Wide right = 0;
        if (norm() == Norm::L2) {
            int exponent = 0;
            const auto m = static_cast<Wide>(std::ldexp(std::frexp(size, &exponent), 53));
            right = m * m * 16 * problem_.shares() * problem_.shares();
            left <<= 2 * (53 - exponent);
        } else {
            const double scaled = std::ldexp(size, kBits);
            EXPECT_EQ(scaled, std::floor(scaled));
            right = static_cast<Wide>(scaled) * problem_.shares();
        }
        return left > right ? 1 : left < right ? -1 : 0;
    }

    const Problem& problem_;
    int answer_ = 0;
    bool is_found_ = false;
    Wide least_ = 0;
};

Problem make_problem(Norm norm, std::uint64_t seed, Index n_continuous) {
    Random random(seed, static_cast<std::uint64_t>(norm) + 7);
    const bool is_grid = seed % 3 == 0;
    const Index n_integers = random.below(4);
    const Index n_groups = n_integers == 0 ? 1 + random.below(3) : random.below(4);
    Problem problem{Ensemble(Matrix::Ones(1, 1), Vector::Zero(1)), {}, {}, {}, {}, {}};
    AttackModel& model = problem.model;
    model.norm = norm;
    std::vector<double> values;
    constexpr int kQuarters[] = {1, 2, 4, 8, 12, 10, 7, 40};
    problem.raw_x.resize(n_integers);
    for (Index l = 0; l < n_integers; ++l) {
        model.integers.push_back({static_cast<int>(l), 0.0, 1.0});
        // Products of all three must fit.
        problem.quarters.push_back(kQuarters[random.below(norm == Norm::L2 ? 3 : 8)]);
        problem.raw_x[l] = static_cast<double>(random.below(5));
        values.push_back(problem.raw_x[l]);
    }
    if (norm == Norm::L2 && n_integers > 0) problem.quarters[0] = 12;
    const bool has_one_cost = seed % 2 == 0;
    for (Index g = 0; g < n_groups; ++g) {
        OneHotGroup group;
        const Index size = 2 + random.below(2);
        const Index on = random.below(size);
        for (Index i = 0; i < size; ++i) {
            group.features.push_back(static_cast<int>(values.size()));
            values.push_back(i == on ? 1.0 : 0.0);
        }
        constexpr double kCosts[] = {1.0, 0.1, 0.3, 2.0, 1.0 / 3.0};
        constexpr double kQuarterCosts[] = {1.0, 0.25, 0.75, 2.0, 3.0};
        const Index kind = has_one_cost ? 0 : random.below(5);
        group.switch_cost = norm == Norm::L2 ? kQuarterCosts[kind] : kCosts[kind];
        if (seed % 4 == 3) {
            Random prices(seed, static_cast<std::uint64_t>(g));
            for (int from = 0; from < static_cast<int>(size); ++from) {
                for (int to = 0; to < static_cast<int>(size); ++to) {
                    if (from == to) continue;
                    const Index other = prices.below(6);
                    const double cost = other == 5         ? HUGE_VAL
                                        : norm == Norm::L2 ? kQuarterCosts[other]
                                                           : kCosts[other];
                    group.prices.push_back({from, to, cost});
                }
            }
        }
        model.one_hot.push_back(group);
    }
    const auto n_discrete = static_cast<Index>(values.size());
    for (Index l = 0; l < n_continuous; ++l) values.push_back(random.normal());
    const Index n = n_discrete + n_continuous;
    problem.x = Eigen::Map<Vector>(values.data(), n);
    model.scale = Vector::Ones(n);
    model.lower = Vector::Constant(n, -HUGE_VAL);
    model.upper = Vector::Constant(n, HUGE_VAL);
    model.direction.assign(static_cast<std::size_t>(n), Direction::Both);
    for (Index l = 0; l < n_integers; ++l) {
        model.scale[l] = 0.25 * problem.quarters[static_cast<std::size_t>(l)];
        model.lower[l] = 0.0;
        model.upper[l] = 4.0;
        if (random.below(4) == 0) model.direction[static_cast<std::size_t>(l)] = Direction::Up;
    }
    if (random.below(2) == 0) {
        Vector offset(n);
        Vector scale(n);
        for (double& value : offset) value = random.normal();
        for (double& value : scale) value = 0.3 + random.uniform();
        const Scaler scaler(Scaling::Standard, offset, scale);
        model = model.scaled(scaler);
        problem.x = scaler.transform(problem.x.transpose()).row(0).transpose();
    }
    problem.raw = model.integers;
    const Index k = 1 + random.below(7);
    Matrix W(k, n);
    Vector b(k);
    for (Index i = 0; i < k; ++i) {
        for (Index l = 0; l < n; ++l) {
            W(i, l) = is_grid ? std::round(2.0 * random.normal()) : random.normal();
            // So that continuous features do not always decide.
            if (l >= n_discrete) W(i, l) *= 0.3;
        }
        b[i] = (is_grid ? std::round(random.normal()) : random.normal()) - W.row(i).dot(problem.x);
    }
    problem.ensemble =
        seed % 5 == 0 ? Ensemble(W, b, make_random_weights(k, seed)) : Ensemble(W, b);
    return problem;
}

Certificate certify_exact(const Problem& problem) {
    CertifySettings settings;
    settings.attack_model = problem.model;
    return certify(problem.ensemble, problem.x.transpose(), settings)[0];
}

class ExactSizesIn : public ::testing::TestWithParam<Norm> {};

TEST_P(ExactSizesIn, AreTheRadiusAtBothEnds) {
    int n_found = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Problem problem = make_problem(GetParam(), seed, 0);
        const AllMoves all(problem);
        const Certificate certificate = certify_exact(problem);
        ASSERT_EQ(certificate.status, Status::Optimal);
        if (!all.is_found()) {
            EXPECT_EQ(certificate.lower, HUGE_VAL);
            continue;
        }
        ++n_found;
        ASSERT_EQ(certificate.lower, all.down());
        // Of sizes between the same neighbours either may be found.
        ASSERT_LE(certificate.upper, std::nextafter(all.down(), HUGE_VAL));
        ASSERT_GE(certificate.upper, all.up());
        ASSERT_EQ(problem.model.move_size(problem.x, certificate.witness), certificate.upper);
    }
    EXPECT_GT(n_found, 1000);
}

/// Continuous features beside them: the bracket stays true, and a radius that is a size of integers
/// and groups is that number.
TEST_P(ExactSizesIn, AreTheRadiusBesideContinuousFeatures) {
    int n_discrete = 0;
    int n_exact = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Problem problem = make_problem(GetParam(), seed, 1 + static_cast<Index>(seed % 2));
        const AllMoves all(problem);
        const Certificate certificate = certify_exact(problem);
        if (!all.is_found()) continue;
        ASSERT_LE(certificate.lower, all.down());
        ASSERT_LE(certificate.upper, all.up() * (1.0 + 1e-12));
        // On a grid planes and box may touch, which leaves brackets open.
        if (certificate.upper < all.down() || seed % 3 == 0) continue;
        ++n_discrete;
        const bool is_exact = certificate.lower == all.down() &&
                              certificate.upper <= std::nextafter(all.down(), HUGE_VAL);
        n_exact += is_exact ? 1 : 0;
    }
    EXPECT_GT(n_discrete, 100);
    EXPECT_EQ(n_exact, n_discrete);
}

/// At a radius that is such a size the adversary's answer and the curve are decided.
TEST_P(ExactSizesIn, AreDecidedAtTheVeryRadius) {
    int n_asked = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Problem problem = make_problem(GetParam(), seed, static_cast<Index>(seed % 2));
        const Certificate certificate = certify_exact(problem);
        if (certificate.lower != certificate.upper || std::isinf(certificate.upper)) continue;
        ++n_asked;
        const int answer = problem.ensemble.predict(problem.x);
        const Vector y = Eigen::Vector2d(answer, -answer);
        AttackSettings settings;
        settings.attack_model = problem.model;
        settings.adversary = Adversary::Exact;
        const double radius = certificate.upper;
        const auto n_broken = [&](double at) {
            const Vector lower = Eigen::Vector2d(certificate.lower, -HUGE_VAL);
            const Vector upper = Eigen::Vector2d(certificate.upper, -HUGE_VAL);
            const AttackCurve curve = attack_curve(lower, upper, y, Vector::Constant(1, at));
            EXPECT_EQ(curve.undecided[0], 0.0);
            return curve.accuracy[0] == 0.0 ? 1 : 0;
        };
        EXPECT_EQ(n_broken(radius), 1);
        EXPECT_EQ(n_broken(std::nextafter(radius, 0.0)), 0);
        const auto is_flipped = [&](double at) {
            const Attack found = attack(problem.ensemble, problem.x.transpose(), y.head(1),
                                        Vector::Constant(1, at), settings)[0];
            // Sizes a rounding beyond the radius stay open, as do touching planes.
            if (seed % 2 == 0 && seed % 3 != 0) {
                EXPECT_EQ(found.status, Status::Optimal);
                EXPECT_DOUBLE_EQ(found.objective, found.bound);
            }
            EXPECT_LE(problem.model.move_size(problem.x, found.d), at);
            return found.success;
        };
        EXPECT_TRUE(is_flipped(radius));
        EXPECT_FALSE(is_flipped(std::nextafter(radius, 0.0)));
    }
    EXPECT_GT(n_asked, 100);
}

INSTANTIATE_TEST_SUITE_P(Norms, ExactSizesIn, ::testing::ValuesIn(kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

}  // namespace
}  // namespace redoubt::testing
