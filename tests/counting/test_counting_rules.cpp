#include <gtest/gtest.h>

#include "redoubt/attack_model.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"

namespace redoubt {
namespace {

AttackModel words(Index n) {
    AttackModel model;
    model.norm = Norm::L0;
    model.lower = Vector::Zero(n);
    model.upper = Vector::Ones(n);
    for (int l = 0; l < n; ++l) model.integers.push_back({l});
    return model;
}

void expect_refused(const AttackModel& model, const std::string& message) {
    try {
        model.check(3);
        ADD_FAILURE() << "not refused: " << message;
    } catch (const InvalidInput& error) {
        EXPECT_EQ(std::string(error.what()), message);
    }
}

TEST(CountingRules, RefuseWhatMakesNoSense) {
    words(3).check(3);
    AttackModel model = words(3);
    model.upper[1] = HUGE_VAL;
    expect_refused(model,
                   "attack_model.bounds: expected a range of every feature that may change under "
                   "l0, which does not limit how far it goes (for 0/1 features: [0, 1]), got none "
                   "for feature 2");
    model.direction = {Direction::Both, Direction::Down, Direction::Up};
    model.check(3);
    model = words(3);
    model.cost = Vector::Constant(3, 2.0);
    model.cost[2] = 0.0;
    expect_refused(model, "attack_model.cost: expected finite numbers > 0, got 0 for feature 3");
    model.cost = Vector::Ones(2);
    expect_refused(model, "attack_model.cost: expected length 3, got length 2");
    model = words(3);
    model.scale = Vector::Constant(3, 2.0);
    expect_refused(model,
                   "attack_model.scale: expected no scales under l0, which counts changes (cost "
                   "says what each costs), got 2 for feature 1");
    model = words(3);
    model.norm = Norm::L1;
    model.cost = Vector::Ones(3);
    expect_refused(model,
                   "attack_model.cost: expected no costs of features under a norm other than l0, "
                   "got the norm l1");
}

TEST(CountingRules, FrozenFeaturesNeedNoRange) {
    AttackModel model = words(3);
    model.scale = Vector::Ones(3);
    model.scale[0] = 0.0;
    model.lower[0] = -HUGE_VAL;
    model.upper[0] = HUGE_VAL;
    model.integers.erase(model.integers.begin());
    model.check(3);
}

TEST(CountingRules, SizesAreCosts) {
    AttackModel model = words(3);
    const Vector x{{0.0, 1.0, 0.0}};
    EXPECT_EQ(model.move_size(x, Vector{{1.0, -1.0, 0.0}}), 2.0);
    model.cost = Vector{{0.5, 3.0, 1.0}};
    EXPECT_EQ(model.move_size(x, Vector{{1.0, -1.0, 0.0}}), 3.5);
    model.scale = Vector{{0.0, 1.0, 1.0}};
    EXPECT_EQ(model.move_size(x, Vector{{1.0, 0.0, 0.0}}), HUGE_VAL);
}

TEST(CountingRules, ThereIsNoDualNorm) {
    EXPECT_THROW(dual(Norm::L0), InvalidInput);
    EXPECT_THROW(steepest_step(Norm::L0, Vector::Ones(2), 1.0), InvalidInput);
    EXPECT_EQ(norm_value(Norm::L0, Vector{{0.0, -2.0, 0.5}}), 2.0);
    EXPECT_EQ(parse_norm("l0"), Norm::L0);
}

TEST(CountingRules, ScalingChangesNoCount) {
    AttackModel model = words(2);
    model.cost = Vector{{2.0, 1.0}};
    model.scale = Vector{{1.0, 0.0}};
    const Scaler scaler(Scaling::Custom, Vector{{0.5, 0.0}}, Vector{{0.25, 3.0}});
    const AttackModel scaled = model.scaled(scaler);
    EXPECT_EQ(scaled.scale, model.scale);
    EXPECT_EQ(scaled.cost, model.cost);
    EXPECT_EQ(scaled.upper, (Vector{{2.0, 1.0 / 3.0}}));
    EXPECT_EQ(scaled.unscaled(scaler).scale, model.scale);
    scaled.check(2);
}

}  // namespace
}  // namespace redoubt
