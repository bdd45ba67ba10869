#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "redoubt/attack.hpp"
#include "redoubt/certifier.hpp"
#include "reference/reference_problems.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

TEST(EnsembleThreads, AnswerRowsAsPoints) {
    const Ensemble ensemble = make_random_vote(VoteKind::Random, 3, 2, 1).ensemble;
    const Matrix X = Matrix::Random(5000, 2);
    const Eigen::VectorXi one = ensemble.votes(X, 1);
    EXPECT_EQ(one, ensemble.votes(X, 4));
    const Eigen::VectorXi answers = ensemble.predict_all(X, 0);
    for (Index j = 0; j < X.rows(); ++j) {
        ASSERT_EQ(one[j], ensemble.vote(X.row(j).transpose()));
        ASSERT_EQ(answers[j], ensemble.predict(X.row(j).transpose()));
    }
}

TEST(CertifyThreads, ShareOneCertifier) {
    const RandomVote vote = make_random_vote(VoteKind::Bagged, 7, 4, 2);
    const AttackModel ball = AttackModel::ball(Norm::L2);
    const Certifier certifier(vote.ensemble, ball);
    const Matrix X = Matrix::Random(60, 4);
    const auto wanted = certifier.certify(X, vote.ensemble.predict_all(X).cast<double>());
    std::vector<std::thread> threads;
    std::vector<int> n_same(3, 0);
    for (int& count : n_same) {
        threads.emplace_back([&] {
            for (Index j = 0; j < X.rows(); ++j) {
                const auto [answer, one] = certifier.certify_answer(X.row(j).transpose());
                const Certificate& known = wanted[static_cast<std::size_t>(j)];
                count += one.lower == known.lower && one.witness == known.witness ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(n_same, std::vector<int>(3, 60));
}

TEST(CertifyThreads, GiveTheSameBits) {
    const RandomVote vote = make_random_vote(VoteKind::Bagged, 15, 6, 4);
    const Matrix X = Matrix::Random(200, 6);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const auto one = certify(vote.ensemble, X, settings);
        settings.n_threads = 3;
        const auto three = certify(vote.ensemble, X, settings);
        for (std::size_t j = 0; j < one.size(); ++j) {
            ASSERT_EQ(one[j].lower, three[j].lower);
            ASSERT_EQ(one[j].upper, three[j].upper);
            ASSERT_EQ(one[j].witness, three[j].witness);
            ASSERT_EQ(one[j].n_nodes, three[j].n_nodes);
        }
    }
}

TEST(AttackThreads, GiveTheSameBits) {
    const RandomVote vote = make_random_vote(VoteKind::Bagged, 9, 12, 11);
    const Matrix X = Matrix::Random(100, 12);
    Vector y(100);
    Vector radii(100);
    for (Index j = 0; j < 100; ++j) {
        y[j] = j % 2 == 0 ? 1.0 : -1.0;
        radii[j] = 0.1 * static_cast<double>(j % 10);
    }
    for (const Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (const Adversary adversary :
             {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
            AttackSettings settings;
            settings.attack_model.norm = norm;
            settings.adversary = adversary;
            const auto one = attack(vote.ensemble, X, y, radii, settings);
            settings.n_threads = 4;
            const auto four = attack(vote.ensemble, X, y, radii, settings);
            for (std::size_t j = 0; j < 100; ++j) {
                EXPECT_EQ(one[j].d, four[j].d);
                EXPECT_EQ(one[j].n_nodes, four[j].n_nodes);
                EXPECT_EQ(one[j].objective, four[j].objective);
                EXPECT_EQ(one[j].bound, four[j].bound);
            }
        }
    }
}

TEST(HighsThreads, GiveTheSameBits) {
    if (!have_highs()) GTEST_SKIP();
    const ReferenceProblem problem = make_reference_problem(PlaneKind::Gaussian, 13);
    const int label = problem.ensemble.predict(problem.x);
    std::vector<Flip> answers(4);
    {
        std::vector<std::jthread> threads;
        for (Flip& answer : answers) {
            threads.emplace_back([&answer, &problem, label] {
                answer = reference_flip(Solver::Mip, problem.ensemble, ball(Norm::L2), problem.x,
                                        label, {});
            });
        }
    }
    const Flip here =
        reference_flip(Solver::Mip, problem.ensemble, ball(Norm::L2), problem.x, label, {});
    for (const Flip& answer : answers) {
        EXPECT_EQ(answer.lower, here.lower);
        EXPECT_EQ(answer.upper, here.upper);
        EXPECT_EQ(answer.d, here.d);
        EXPECT_EQ(answer.n_nodes, here.n_nodes);
    }
}

}  // namespace
}  // namespace redoubt::testing
