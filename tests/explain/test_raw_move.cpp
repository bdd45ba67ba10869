/// Witnesses as rows of the data: they obey the attack model to the letter and change the answer.

#include <gtest/gtest.h>

#include <cmath>

#include "explain/explained_problems.hpp"
#include "explain/raw_move.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt::testing {
namespace {

/// Like AttackModel::allows, but without room for rounding.
void expect_obeyed(const AttackModel& rules, const Vector& raw, const Vector& moved) {
    std::vector<char> is_grouped(static_cast<std::size_t>(raw.size()), 0);
    for (const OneHotGroup& group : rules.one_hot) {
        int n_on = 0;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const int l = group.features[i];
            is_grouped[static_cast<std::size_t>(l)] = 1;
            n_on += moved[l] == group.on_value(i) ? 1 : 0;
            EXPECT_TRUE(moved[l] == group.on_value(i) || moved[l] == group.off_value(i));
        }
        EXPECT_EQ(n_on, 1);
    }
    for (Index l = 0; l < raw.size(); ++l) {
        if (is_grouped[static_cast<std::size_t>(l)] != 0) continue;
        if (rules.scale_of(l) == 0.0) {
            EXPECT_EQ(moved[l], raw[l]);
        }
        EXPECT_GE(moved[l], std::min(raw[l], rules.lower_of(l)));
        EXPECT_LE(moved[l], std::max(raw[l], rules.upper_of(l)));
        if (rules.direction_of(l) == Direction::Up) {
            EXPECT_GE(moved[l], raw[l]);
        }
        if (rules.direction_of(l) == Direction::Down) {
            EXPECT_LE(moved[l], raw[l]);
        }
    }
    for (const IntegerFeature& one : rules.integers) {
        const double value = moved[one.feature];
        EXPECT_TRUE(value == raw[one.feature] || value == one.value(one.nearest(value)));
    }
}

TEST(RawMove, ObeysTheModelAndChangesTheAnswer) {
    int n_moved = 0;
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (unsigned rules = 0; rules < kAllRules; ++rules) {
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
                const ExplainedProblem problem = make_explained_problem(norm, rules, seed);
                CertifySettings settings;
                settings.attack_model = problem.rules.scaled(problem.model.scaler());
                const Matrix scaled = problem.model.scaler().transform(problem.raw.transpose());
                const Certificate result = certify(problem.model.ensemble(), scaled, settings)[0];
                if (result.witness.size() == 0) continue;
                ++n_moved;
                const int answer = answer_at(problem, problem.raw);
                const RawMover mover(problem.model, problem.rules);
                Vector moved;
                EXPECT_TRUE(mover.move(problem.raw, result.witness, -answer, moved));
                EXPECT_EQ(answer_at(problem, moved), -answer);
                expect_obeyed(problem.rules, problem.raw, moved);
            }
        }
    }
    EXPECT_GT(n_moved, 500);
}

TEST(RawMove, LeavesFeaturesAloneThatDoNotMove) {
    const Model model(Scaler(Scaling::Standard, Vector({{0.3, 1e9}}), Vector({{0.7, 3.0}})),
                      Ensemble(Hyperplane{Vector({{1.0, 0.0}}), 0.0}), {"a", "b"});
    const AttackModel none;
    Vector moved;
    const Vector raw({{0.1, 0.1}});
    EXPECT_TRUE(RawMover(model, none).move(raw, Vector({{1.0, 0.0}}), 1, moved));
    EXPECT_EQ(moved[1], raw[1]);
    EXPECT_NEAR(moved[0], 0.8, 1e-12);
}

TEST(RawMove, SaysWhenAnAnswerDoesNotChange) {
    const Model model(Scaler(Scaling::Standard, Vector::Zero(1), Vector::Ones(1)),
                      Ensemble(Hyperplane{Vector::Ones(1), 0.0}), {"a", "b"});
    const AttackModel none;
    Vector moved;
    EXPECT_FALSE(
        RawMover(model, none).move(Vector::Constant(1, 2.0), Vector::Constant(1, 0.5), -1, moved));
    EXPECT_EQ(moved[0], 2.5);
}

}  // namespace
}  // namespace redoubt::testing
