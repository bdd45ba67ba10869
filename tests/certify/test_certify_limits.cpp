/// Limits leave the bracket wide but true; bad input is named.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>

#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

TEST(CertifyLimits, NodeLimitsKeepTheBracketTrue) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        int n_limited = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const RandomVote vote = make_random_vote(VoteKind::Random, 21, 6, seed);
            CertifySettings settings;
            settings.attack_model.norm = norm;
            const Certificate full = certify(vote.ensemble, vote.x.transpose(), settings)[0];
            ASSERT_EQ(full.status, Status::Optimal);
            for (std::int64_t max_nodes : {0, 1, 3, 10}) {
                settings.limits.max_nodes_per_point = max_nodes;
                const Certificate limited = certify(vote.ensemble, vote.x.transpose(), settings)[0];
                EXPECT_LE(limited.lower, full.upper);
                EXPECT_GE(limited.upper, full.lower);
                EXPECT_LE(limited.n_nodes, max_nodes);
                n_limited += limited.status == Status::NodeLimit ? 1 : 0;
                if (limited.status == Status::Optimal) {
                    EXPECT_EQ(limited.upper, full.upper);
                }
            }
        }
        EXPECT_GT(n_limited, 20);
    }
}

TEST(CertifyLimits, TimeAndStopStrikeBeforeTheFirstNode) {
    const RandomVote vote = make_random_vote(VoteKind::Random, 9, 4, 3);
    const Matrix X = Matrix::Random(40, 4);
    const std::atomic<bool> stop{true};
    CertifySettings settings;
    settings.limits.stop = &stop;
    for (const Certificate& result : certify(vote.ensemble, X, settings))
        EXPECT_EQ(result.status, Status::Interrupted);
    settings.limits.stop = nullptr;
    settings.limits.max_seconds = 0.0;
    for (const Certificate& result : certify(vote.ensemble, X, settings)) {
        EXPECT_EQ(result.status, Status::TimeLimit);
        EXPECT_GE(result.lower, 0.0);
    }
}

TEST(CertifyLimits, ProgressCountsUpToAllPoints) {
    const RandomVote vote = make_random_vote(VoteKind::Random, 5, 4, 3);
    Index last = 0;
    CertifySettings settings;
    settings.n_threads = 2;
    settings.progress = [&](Index done, Index total) {
        EXPECT_GT(done, last);
        EXPECT_EQ(total, 100);
        last = done;
    };
    certify(vote.ensemble, Matrix::Random(100, 4), settings);
    EXPECT_EQ(last, 100);
}

TEST(CertifyErrors, NameTheArgument) {
    const Ensemble ensemble(Matrix::Ones(17, 2), Vector::Zero(17));
    Matrix X = Matrix::Ones(3, 2);
    Vector y = Vector::Ones(3);
    CertifySettings settings;
    const auto message = [&]() -> std::string {
        try {
            certify(ensemble, X, y, settings);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message(), "no error");
    X(1, 1) = NAN;
    EXPECT_EQ(message(), "X: expected finite numbers, got nan at [1, 1]");
    X = Matrix::Ones(3, 4);
    EXPECT_EQ(message(), "X: expected 2 features, got 4");
    X = Matrix::Ones(3, 2);
    y[2] = 0.0;
    EXPECT_EQ(message(), "y: expected labels -1 and +1, got 0 at [2]");
    y = Vector::Ones(2);
    EXPECT_EQ(message(), "y: expected length 3, got length 2");
    y = Vector::Ones(3);
    settings.limits.max_nodes_per_point = -1;
    EXPECT_EQ(message(), "max_nodes_per_point: expected an integer >= 0, got -1");
    settings.limits = {};
    settings.limits.max_seconds = -1.0;
    EXPECT_EQ(message(), "max_seconds: expected a number >= 0, got -1");
    settings.limits = {};
    settings.n_threads = -2;
    EXPECT_EQ(message(), "n_threads: expected an integer >= 0, got -2");
    settings.n_threads = 1;
    settings.solver = Solver::Enumerate;
    EXPECT_EQ(message(), "solver: expected at most 16 planes to enumerate, got 17");
}

}  // namespace
}  // namespace redoubt::testing
