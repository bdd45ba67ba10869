#include <gtest/gtest.h>

#include "redoubt/certifier.hpp"
#include "redoubt/error.hpp"
#include "threat/random_models.hpp"

/// A vote and its adversary prepared once: the same bits as when they are prepared for every call.

namespace redoubt::testing {
namespace {

void expect_same(const Certificate& found, const Certificate& wanted) {
    EXPECT_EQ(found.status, wanted.status);
    EXPECT_EQ(found.radius, wanted.radius);
    EXPECT_EQ(found.lower, wanted.lower);
    EXPECT_EQ(found.upper, wanted.upper);
    EXPECT_EQ(found.witness, wanted.witness);
    EXPECT_EQ(found.fooled, wanted.fooled);
    EXPECT_EQ(found.n_nodes, wanted.n_nodes);
}

/// Points that the model allows, like x, with other numbers where these are free.
Matrix points_like(const ModelProblem& problem, std::uint64_t seed) {
    constexpr Index kRows = 5;
    Matrix X(kRows, problem.x.size());
    for (Index j = 0; j < kRows; ++j) {
        X.row(j) = problem.x.transpose();
        if (problem.model.one_hot.empty() && problem.model.integers.empty() &&
            problem.model.lower.size() == 0)
            X.row(j).array() += 0.1 * static_cast<double>((seed + j) % 7);
    }
    return X;
}

TEST(Certifier, GivesTheBitsOfASingleCall) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (unsigned rules = 0; rules < kAllRules; ++rules) {
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                SCOPED_TRACE(rules_text(rules) + ", seed " + std::to_string(seed));
                const ModelProblem problem = make_model_problem(norm, rules, seed);
                const Matrix X = points_like(problem, seed);
                const Vector y = problem.ensemble.predict_all(X).cast<double>();
                CertifySettings settings;
                settings.attack_model = problem.model;
                const Certifier certifier(problem.ensemble, problem.model);
                for (int call = 0; call < 2; ++call) {  // the second with used memory
                    const auto wanted = certify(problem.ensemble, X, -y, settings);
                    const auto found = certifier.certify(X, -y);
                    for (std::size_t j = 0; j < found.size(); ++j) expect_same(found[j], wanted[j]);
                    const auto right = certify(problem.ensemble, X, y, settings);
                    for (Index j = 0; j < X.rows(); ++j) {
                        const auto [answer, one] = certifier.certify_answer(X.row(j).transpose());
                        EXPECT_EQ(answer, static_cast<int>(y[j]));
                        expect_same(one, right[static_cast<std::size_t>(j)]);
                    }
                }
            }
        }
    }
}

TEST(Certifier, LooksAtWhoAttacks) {
    const Ensemble ensemble(Matrix::Identity(1, 1), Vector::Zero(1));
    AttackModel model = AttackModel::ball(Norm::L2);
    model.attacking_class = -1;
    const Certifier certifier(ensemble, model);
    EXPECT_EQ(certifier.certify_answer(Vector::Constant(1, 2.0)).second.lower, HUGE_VAL);
    EXPECT_NEAR(certifier.certify_answer(Vector::Constant(1, -2.0)).second.upper, 2.0, 1e-9);
}

TEST(Certifier, KeepsLimits) {
    const ModelProblem problem = make_model_problem(Norm::L2, kOneHot, 4);
    const auto [answer, cut] = Certifier(problem.ensemble, problem.model)
                                   .certify_answer(problem.x, {.max_nodes_per_point = 0});
    EXPECT_EQ(answer, problem.ensemble.predict(problem.x));
    EXPECT_EQ(cut.status, Status::NodeLimit);
    EXPECT_EQ(cut.lower, 0.0);
}

TEST(Certifier, RefusesWhatDoesNotFit) {
    const Ensemble ensemble(Matrix::Identity(2, 2), Vector::Zero(2));
    AttackModel model;
    model.scale = Vector::Ones(3);
    EXPECT_THROW(Certifier(ensemble, model), InvalidInput);
    model.scale = Vector::Ones(2);
    model.upper = Vector::Ones(2);
    const Certifier certifier(ensemble, model);
    EXPECT_THROW(certifier.certify_answer(Vector::Zero(3)), InvalidInput);
    EXPECT_THROW(certifier.certify_answer(Vector::Constant(2, 2.0)), InvalidInput);
    EXPECT_THROW(certifier.certify_answer(Vector::Constant(2, HUGE_VAL)), InvalidInput);
    EXPECT_THROW(certifier.certify(Matrix::Zero(1, 3), Vector::Ones(1)), InvalidInput);
}

}  // namespace
}  // namespace redoubt::testing
