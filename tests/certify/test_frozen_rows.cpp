#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "redoubt/attack.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"

/// Features that do not move in some rows: against all moves that there are.

namespace redoubt {
namespace {

constexpr Index kFeatures = 7;

/// Two groups, of features 0 to 2 and 3 to 4, and two integers from 0 to 3.
AttackModel mixed_rules(Norm norm, std::mt19937_64& generator) {
    AttackModel model;
    model.norm = norm;
    model.scale = Vector::Ones(kFeatures);
    model.scale[6] = 2.0;
    model.one_hot = {{{0, 1, 2}, 0.5 * double(1 + generator() % 4)}, {{3, 4}, 1.0}};
    model.integers = {{5}, {6}};
    model.lower = Vector::Constant(kFeatures, -HUGE_VAL);
    model.upper = Vector::Constant(kFeatures, HUGE_VAL);
    model.lower.tail(2).setZero();
    model.upper.tail(2).setConstant(3.0);
    return model;
}

struct Problem {
    Ensemble ensemble;
    Matrix X;
    RowFeatures frozen;
    AttackModel model;
};

Problem random_problem(std::uint64_t seed, Norm norm) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    Matrix coef(3, kFeatures);
    for (double& value : coef.reshaped()) value = normal(generator);
    Vector bias(3);
    for (double& value : bias) value = normal(generator);
    const Index n_rows = 12;
    Matrix X = Matrix::Zero(n_rows, kFeatures);
    RowFeatures frozen(n_rows);
    for (Index j = 0; j < n_rows; ++j) {
        X(j, Index(generator() % 3)) = 1.0;
        X(j, 3 + Index(generator() % 2)) = 1.0;
        for (Index l : {5, 6}) X(j, l) = double(generator() % 4);
        std::vector<int>& list = frozen[std::size_t(j)];
        // A missing entry has whatever was filled in: it need not be one that the rules allow.
        if (generator() % 2 == 0) list.insert(list.end(), {0, 1, 2});
        if (generator() % 3 == 0) {
            X.row(j).segment(3, 2).setZero();
            list.insert(list.end(), {3, 4});
        }
        if (generator() % 3 == 0) {
            X(j, 5) = 4.7;
            list.push_back(5);
        }
    }
    return {Ensemble(coef, bias), X, frozen, mixed_rules(norm, generator)};
}

/// The least size of a move that changes the answer, over all there are.
double least_move(const Problem& problem, Index row) {
    const Vector x = problem.X.row(row).transpose();
    const std::vector<int>& frozen = problem.frozen[std::size_t(row)];
    const auto is_frozen = [&](int l) {
        return std::find(frozen.begin(), frozen.end(), l) != frozen.end();
    };
    const int answer = problem.ensemble.predict(x);
    double least = HUGE_VAL;
    const auto size_of = [&](const Vector& moved) {
        double sum = 0.0;
        double most = 0.0;
        const auto add = [&](double size) {
            sum += problem.model.norm == Norm::L2 ? size * size : size;
            most = std::max(most, size);
        };
        for (const OneHotGroup& group : problem.model.one_hot) {
            bool is_moved = false;
            for (int l : group.features) is_moved = is_moved || moved[l] != x[l];
            if (is_moved) add(group.switch_cost);
        }
        for (int l : {5, 6}) add(std::abs(moved[l] - x[l]) / problem.model.scale[l]);
        return problem.model.norm == Norm::LInf ? most
               : problem.model.norm == Norm::L2 ? std::sqrt(sum)
                                                : sum;
    };
    for (int a = 0; a < (is_frozen(0) ? 1 : 3); ++a) {
        for (int b = 0; b < (is_frozen(3) ? 1 : 2); ++b) {
            for (int c = 0; c < (is_frozen(5) ? 1 : 4); ++c) {
                for (int d = 0; d < 4; ++d) {
                    Vector moved = x;
                    if (!is_frozen(0)) {
                        moved.head(3).setZero();
                        moved[a] = 1.0;
                    }
                    if (!is_frozen(3)) {
                        moved.segment(3, 2).setZero();
                        moved[3 + b] = 1.0;
                    }
                    if (!is_frozen(5)) moved[5] = c;
                    moved[6] = d;
                    if (problem.ensemble.predict(moved) != answer) {
                        least = std::min(least, size_of(moved));
                    }
                }
            }
        }
    }
    return least;
}

class FrozenRows : public ::testing::TestWithParam<Norm> {};

TEST_P(FrozenRows, HaveTheRadiusOfAllMovesThereAre) {
    int n_finite = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Problem problem = random_problem(seed, GetParam());
        CertifySettings settings;
        settings.attack_model = problem.model;
        settings.frozen = problem.frozen;
        settings.n_threads = 1 + int(seed % 2);
        const std::vector<Certificate> found = certify(problem.ensemble, problem.X, settings);
        for (Index j = 0; j < problem.X.rows(); ++j) {
            const Certificate& one = found[std::size_t(j)];
            const double least = least_move(problem, j);
            ASSERT_EQ(one.status, Status::Optimal);
            ASSERT_EQ(std::isinf(one.radius), std::isinf(least)) << seed << " " << j;
            if (std::isinf(least)) continue;
            ++n_finite;
            ASSERT_NEAR(one.radius, least, 1e-12 * least) << seed << " " << j;
            for (int l : problem.frozen[std::size_t(j)]) ASSERT_EQ(one.witness[l], 0.0);
        }
    }
    EXPECT_GT(n_finite, 300);
}

TEST_P(FrozenRows, AreAttackedAlike) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Problem problem = random_problem(seed, GetParam());
        AttackSettings settings;
        settings.attack_model = problem.model;
        settings.frozen = problem.frozen;
        const Vector y = problem.ensemble.predict_all(problem.X).cast<double>();
        Vector radii(y.size());
        for (Index j = 0; j < y.size(); ++j) radii[j] = 0.5 * double(j % 7);
        const std::vector<Attack> found = attack(problem.ensemble, problem.X, y, radii, settings);
        for (Index j = 0; j < y.size(); ++j) {
            const double least = least_move(problem, j);
            // At the very radius rounding may decide.
            if (std::abs(least - radii[j]) < 1e-9) continue;
            ASSERT_EQ(found[std::size_t(j)].success, least < radii[j]) << seed << " " << j;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, FrozenRows, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf));

TEST(FrozenRows, OfABallLeaveTheOthersAsTheyAre) {
    const Ensemble plane(Hyperplane{Vector({{3.0, 4.0}}), 1.0});
    const Matrix X = (Matrix(3, 2) << 1, 1, 2, 0, 1, 1).finished();
    CertifySettings settings;
    const std::vector<Certificate> free = certify(plane, X, settings);
    settings.frozen = {{}, {}, {1}};
    int n_done = 0;
    settings.progress = [&](Index done, Index all) {
        n_done = int(done);
        EXPECT_EQ(all, 3);
    };
    const std::vector<Certificate> some = certify(plane, X, settings);
    EXPECT_EQ(n_done, 3);
    for (std::size_t j : {0, 1}) {
        EXPECT_EQ(some[j].lower, free[j].lower);
        EXPECT_EQ(some[j].upper, free[j].upper);
        EXPECT_EQ(some[j].witness, free[j].witness);
    }
    EXPECT_NEAR(some[2].radius, 8.0 / 3.0, 1e-9);
    EXPECT_EQ(some[2].witness[1], 0.0);
}

/// Most members are outdone by another one for every plane, and need not be looked at.
TEST(ManyCategories, HaveTheRadiusOfAllMovesThereAre) {
    constexpr Index kMembers = 300;
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal;
    for (Index k : {1, 3}) {
        Matrix coef(k, kMembers + 1);
        for (double& value : coef.reshaped()) value = std::round(4.0 * normal(generator));
        coef.col(kMembers).setConstant(1.0);
        Vector bias(k);
        for (double& value : bias) value = normal(generator);
        const Ensemble vote(coef, bias);
        CertifySettings settings;
        settings.attack_model.norm = Norm::L1;
        OneHotGroup group;
        for (int l = 0; l < kMembers; ++l) group.features.push_back(l);
        group.switch_cost = 1.5;
        settings.attack_model.one_hot = {group};
        Matrix X = Matrix::Zero(10, kMembers + 1);
        for (Index j = 0; j < X.rows(); ++j) {
            X(j, Index(generator() % kMembers)) = 1.0;
            X(j, kMembers) = normal(generator);
        }
        const std::vector<Certificate> found = certify(vote, X, settings);
        for (Index j = 0; j < X.rows(); ++j) {
            const int answer = vote.predict(X.row(j).transpose());
            double least = HUGE_VAL;
            for (Index member = 0; member < kMembers; ++member) {
                // The number moves every plane alike, so the vote ends at the middle one.
                const double price = X(j, member) == 1.0 ? 0.0 : 1.5;
                std::vector<double> values;
                for (Index i = 0; i < k; ++i) {
                    values.push_back(coef(i, member) + X(j, kMembers) + bias[i]);
                }
                std::sort(values.begin(), values.end());
                const double middle = values[values.size() / 2] * answer;
                least = std::min(least, price + std::max(0.0, middle));
            }
            EXPECT_NEAR(found[std::size_t(j)].radius, least, 1e-9) << k << " " << j;
        }
    }
}

TEST(FrozenRows, MustFitTheTable) {
    const Ensemble plane(Hyperplane{Vector::Ones(2), 0.0});
    const Matrix X = Matrix::Ones(2, 2);
    CertifySettings settings;
    settings.frozen = {{0}};
    EXPECT_THROW(certify(plane, X, settings), InvalidInput);
    settings.frozen = {{0}, {2}};
    EXPECT_THROW(certify(plane, X, settings), InvalidInput);
    AttackSettings attack_settings;
    attack_settings.frozen = {{}, {-1}};
    EXPECT_THROW(attack(plane, X, Vector::Ones(2), Vector::Ones(1), attack_settings), InvalidInput);
}

}  // namespace
}  // namespace redoubt
