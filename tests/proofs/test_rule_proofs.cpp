#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "redoubt/certificate.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

Certificate certify_with_proof(const ModelProblem& problem, std::int64_t max_nodes = 0) {
    CertifySettings settings;
    settings.attack_model = problem.model;
    settings.proofs = true;
    if (max_nodes > 0) settings.limits.max_nodes_per_point = max_nodes;
    return certify(problem.ensemble, problem.x.transpose(), settings)[0];
}

ProofVerdict verdict_on(const ModelProblem& problem, const Certificate& certificate) {
    const ProofChecker checker(proof_header(problem.ensemble, problem.model), "proofs");
    return checker.check(
        proof_line(1, problem.ensemble, problem.model, problem.x, certificate), 2);
}

/// Every combination of scales, frozen and one-sided features, ranges, integers and groups.
class ProofsUnderRules : public ::testing::TestWithParam<Norm> {};

TEST_P(ProofsUnderRules, ProveTheEndThatTheCertificateStates) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(24); ++seed) {
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Certificate found = certify_with_proof(problem);
            const std::string name = rules_text(rules) + ", seed " + std::to_string(seed);
            ASSERT_TRUE(found.proof.has_value()) << name;
            const ProofVerdict verdict = verdict_on(problem, found);
            EXPECT_TRUE(verdict.is_proven) << name << ": " << verdict.reason;
            EXPECT_EQ(verdict.radius, found.lower) << name;
        }
    }
}

TEST_P(ProofsUnderRules, OfRadiiBeyondAWitnessAreRefused) {
    int n_refused = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(12); ++seed) {
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            Certificate found = certify_with_proof(problem);
            if (!(found.upper < HUGE_VAL)) continue;
            const double beyond = std::nextafter(found.upper, HUGE_VAL);
            for (double radius : {beyond, 2.0 * beyond, HUGE_VAL}) {
                found.lower = radius;
                EXPECT_FALSE(verdict_on(problem, found).is_proven)
                    << rules_text(rules) << ", seed " << seed;
                ++n_refused;
            }
        }
    }
    EXPECT_GT(n_refused, least_found(500));
}

TEST_P(ProofsUnderRules, OfSearchesThatStoppedProveWhatTheyState) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(6); ++seed) {
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Certificate found = certify_with_proof(problem, 2);
            ASSERT_TRUE(found.proof.has_value());
            EXPECT_TRUE(verdict_on(problem, found).is_proven)
                << rules_text(rules) << ", seed " << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, ProofsUnderRules,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf));

}  // namespace
}  // namespace redoubt::testing
