#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"

namespace redoubt::testing {
namespace {

struct Case {
    Matrix W;
    Vector b;
    Vector weights;
    Matrix X;
    AttackModel moves;

    Ensemble vote() const { return weights.size() > 0 ? Ensemble(W, b, weights) : Ensemble(W, b); }
};

/// Votes of every kind that is hard to prove: on a grid, with opposite planes, planes through the
/// point, planes of features that do not move.
Case random_case(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const Index k = 1 + below(11);
    const Index n = 1 + below(5);
    const bool is_grid = below(3) > 0;
    std::normal_distribution<double> normal;
    const auto entry = [&](double) { return is_grid ? below(5) - 2.0 : normal(random); };
    Case one;
    one.W = Matrix::Zero(k, n).unaryExpr(entry);
    one.b = Vector::Zero(k).unaryExpr(entry);
    one.X = Matrix::Zero(6, n).unaryExpr(entry) * (below(2) ? 1.0 : 0.5);
    if (below(3) == 0) {
        for (Index i = 1; i < k; i += 2) {
            const double factor = -0.5 * (1 + below(6));
            one.W.row(i) = factor * one.W.row(i - 1);
            one.b[i] = factor * one.b[i - 1];
        }
    }
    if (below(3) == 0) {
        one.weights = Vector::Zero(k).unaryExpr([&](double) { return 1.0 + below(4); });
    }
    one.moves.norm =
        std::vector{Norm::L1, Norm::L2, Norm::LInf}[static_cast<std::size_t>(below(3))];
    if (below(3) == 0) {
        one.moves.scale = Vector::Zero(n).unaryExpr([&](double) { return 0.5 * below(4); });
    }
    return one;
}

std::vector<Certificate> certify_with_proofs(const Case& one, std::int64_t max_nodes = 0) {
    CertifySettings settings;
    settings.attack_model = one.moves;
    settings.proofs = true;
    if (max_nodes > 0) settings.limits.max_nodes_per_point = max_nodes;
    return certify(one.vote(), one.X, settings);
}

ProofVerdict verdict_on(const Case& one, Index row, const Certificate& certificate) {
    const ProofChecker checker(proof_header(one.vote(), one.moves), "proofs");
    return checker.check(
        proof_line(row + 1, one.vote(), one.moves, one.X.row(row).transpose(), certificate),
        row + 2);
}

TEST(Proofs, ProveTheEndThatTheCertificateStates) {
    int n_infinite = 0;
    for (std::uint64_t seed = 0; seed < n_seeds(2000); ++seed) {
        const Case one = random_case(seed);
        const std::vector<Certificate> found = certify_with_proofs(one);
        for (std::size_t j = 0; j < found.size(); ++j) {
            ASSERT_TRUE(found[j].proof.has_value());
            const ProofVerdict verdict = verdict_on(one, static_cast<Index>(j), found[j]);
            EXPECT_TRUE(verdict.is_proven) << "seed " << seed << " row " << j << verdict.reason;
            EXPECT_EQ(verdict.radius, found[j].lower);
            n_infinite += verdict.radius == HUGE_VAL ? 1 : 0;
        }
    }
    EXPECT_GT(n_infinite, least_found(100));
}

/// Also where rounding makes it hard.
TEST(Proofs, ExistForEveryKindOfVote) {
    for (VoteKind kind : all_vote_kinds()) {
        int n_refused = 0;
        int n_all = 0;
        for (std::uint64_t seed = 0; seed < n_seeds(120); ++seed) {
            const auto k = static_cast<Index>(1 + seed % 9);
            const auto n = static_cast<Index>(1 + seed % 6);
            const RandomVote vote = seed % 3 == 0 ? make_weighted_vote(kind, k, n, seed)
                                                  : make_random_vote(kind, k, n, seed);
            for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
                const Matrix X = vote.x.transpose();
                CertifySettings settings;
                settings.attack_model.norm = norm;
                settings.proofs = true;
                const Certificate found = certify(vote.ensemble, X, settings)[0];
                const ProofChecker checker(proof_header(vote.ensemble, settings.attack_model), "");
                const ProofVerdict verdict = checker.check(
                    proof_line(1, vote.ensemble, settings.attack_model, vote.x, found), 2);
                n_refused += verdict.is_proven ? 0 : 1;
                ++n_all;
            }
        }
        EXPECT_EQ(n_refused, 0) << to_string(kind) << ", of " << n_all;
    }
}

TEST(Proofs, OfSearchesThatStoppedProveWhatTheyState) {
    int n_stopped = 0;
    for (std::uint64_t seed = 0; seed < n_seeds(400); ++seed) {
        const Case one = random_case(seed);
        const std::vector<Certificate> found = certify_with_proofs(one, 2);
        for (std::size_t j = 0; j < found.size(); ++j) {
            EXPECT_TRUE(verdict_on(one, static_cast<Index>(j), found[j]).is_proven);
            n_stopped += found[j].status == Status::NodeLimit ? 1 : 0;
        }
    }
    EXPECT_GT(n_stopped, least_found(20));
}

TEST(Proofs, OfRadiiBeyondAWitnessAreRefused) {
    int n_refused = 0;
    for (std::uint64_t seed = 0; seed < n_seeds(1000); ++seed) {
        const Case one = random_case(seed);
        std::vector<Certificate> found = certify_with_proofs(one);
        for (std::size_t j = 0; j < found.size(); ++j) {
            if (!(found[j].upper < HUGE_VAL)) continue;
            const double beyond = std::nextafter(found[j].upper, HUGE_VAL);
            for (double radius : {std::nextafter(beyond, HUGE_VAL), 2.0 * beyond, HUGE_VAL}) {
                found[j].lower = radius;
                EXPECT_FALSE(verdict_on(one, static_cast<Index>(j), found[j]).is_proven)
                    << "seed " << seed << " row " << j;
                ++n_refused;
            }
        }
    }
    EXPECT_GT(n_refused, least_found(1000));
}

/// x - 1 and 1 - x: the multipliers (1, 1) cancel and add up to 0. If both are fooled strictly,
/// that is impossible; if touching is enough, it is not.
TEST(Proofs, EqualityCountsOnlyWhereItIsStrict) {
    // At x = 1 both planes say +1, and so does the third: the vote is +1, and leaving it is strict.
    const Ensemble vote((Matrix(3, 1) << 1.0, -1.0, 0.0).finished(), Vector{{-1.0, 1.0, 1.0}});
    const std::vector<Certificate> found =
        certify(vote, Matrix::Ones(1, 1), CertifySettings{.proofs = true});
    const ProofChecker checker(proof_header(vote, {}), "proofs");
    const std::string proof = proof_line(1, vote, {}, Vector::Ones(1), found[0]);
    EXPECT_EQ(found[0].lower, HUGE_VAL);
    EXPECT_TRUE(checker.check(proof, 2).is_proven);
    // Of two such planes and one that says -1, both must be reached to leave -1. They are, at x
    // = 1.
    const Ensemble touching((Matrix(3, 1) << 1.0, -1.0, 0.0).finished(), Vector{{-1.0, 1.0, -1.0}});
    Certificate claim = certify(touching, Matrix::Zero(1, 1), CertifySettings{.proofs = true})[0];
    EXPECT_NEAR(claim.radius, 1.0, 1e-12);
    claim.proof = ProofNode{};
    claim.proof->children.push_back({1, {}});
    claim.proof->children[0].node.bars.push_back({0, {{0, 1}, {1.0, 1.0}}, HUGE_VAL});
    claim.proof->bars.push_back({2, {{2}, {1.0}}, HUGE_VAL});
    claim.lower = claim.radius = HUGE_VAL;
    const ProofVerdict verdict = ProofChecker(proof_header(touching, {}), "proofs")
                                     .check(proof_line(1, touching, {}, Vector::Zero(1), claim), 2);
    EXPECT_EQ(verdict.reason,
              "tree[2][0][0]: the multipliers prove less than the radius");
}

TEST(Proofs, OfAnotherVoteAreRefused) {
    int n_refused = 0;
    int n_tried = 0;
    for (std::uint64_t seed = 0; seed < n_seeds(400); ++seed) {
        Case one = random_case(seed);
        const std::vector<Certificate> found = certify_with_proofs(one);
        for (std::size_t j = 0; j < found.size(); ++j) {
            if (!(found[j].upper < HUGE_VAL) || found[j].lower == 0.0) continue;
            // Steeper planes with the same intercepts: nearer or farther away.
            Case other = one;
            other.W *= 2.0;
            const ProofVerdict verdict = verdict_on(other, static_cast<Index>(j), found[j]);
            const double radius = certify(other.vote(), one.X.row(static_cast<Index>(j)),
                                          CertifySettings{.attack_model = one.moves})[0]
                                      .upper;
            EXPECT_FALSE(verdict.is_proven && radius < found[j].lower * (1.0 - 1e-12));
            n_refused += verdict.is_proven ? 0 : 1;
            ++n_tried;
        }
    }
    EXPECT_GT(n_refused, n_tried / 4);
}

TEST(Proofs, ThatAreNoneAreNamed) {
    const Ensemble vote(Matrix::Ones(1, 2), Vector::Zero(1));
    const std::string header = proof_header(vote, {});
    const ProofChecker checker(header, "proofs.jsonl");
    const Certificate found = certify(vote, Matrix::Ones(1, 2), CertifySettings{.proofs = true})[0];
    const std::string line = proof_line(1, vote, {}, Vector::Ones(2), found);
    ASSERT_TRUE(checker.check(line, 2).is_proven);
    for (std::size_t length = 0; length + 2 < line.size(); length += 7) {
        EXPECT_THROW(checker.check(line.substr(0, length), 2), ParseError);
    }
    for (std::size_t length = 0; length + 2 < header.size(); length += 7) {
        EXPECT_THROW(ProofChecker(header.substr(0, length), "proofs.jsonl"), ParseError);
    }
    // Levels without end are not followed.
    std::string deep = line;
    std::string nested;
    for (int i = 0; i < 20000; ++i) nested += "[[],0,";
    deep.insert(deep.find("\"tree\":") + 7, nested);
    EXPECT_THROW(checker.check(deep, 2), ParseError);
}

TEST(Proofs, ChangeNoCertificate) {
    for (std::uint64_t seed = 0; seed < n_seeds(200); ++seed) {
        const Case one = random_case(seed);
        const std::vector<Certificate> with = certify_with_proofs(one);
        CertifySettings settings;
        settings.attack_model = one.moves;
        const std::vector<Certificate> without = certify(one.vote(), one.X, settings);
        // Where planes look at one feature, their part of the vote needs no search, but for a proof.
        const Eigen::VectorX<Index> n_weights =
            (one.vote().coef().array() != 0.0).rowwise().count().cast<Index>();
        const bool has_search = n_weights.minCoeff() > 1;
        for (std::size_t j = 0; j < with.size(); ++j) {
            EXPECT_FALSE(without[j].proof.has_value());
            if (has_search) {
                EXPECT_EQ(with[j].lower, without[j].lower);
                EXPECT_EQ(with[j].upper, without[j].upper);
                EXPECT_EQ(with[j].n_nodes, without[j].n_nodes);
            } else if (with[j].lower != without[j].lower || with[j].upper != without[j].upper) {
                // Either bracket holds the radius.
                EXPECT_LE(with[j].lower, without[j].upper);
                EXPECT_LE(without[j].lower, with[j].upper);
                if (with[j].status != Status::Optimal || without[j].radius == with[j].radius) continue;
                EXPECT_NEAR(with[j].radius, without[j].radius,
                            1e-11 * std::max(1.0, std::abs(with[j].radius)));
            }
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
