/// The model itself: what it accepts, how it scales, what it says.

#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/attack_model.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

AttackModel full_model() {
    AttackModel model;
    model.norm = Norm::L1;
    model.scale = Vector::Constant(6, 2.0);
    model.scale[1] = 0.0;
    model.direction.assign(6, Direction::Both);
    model.direction[2] = Direction::Up;
    model.lower = Vector::Constant(6, -HUGE_VAL);
    model.upper = Vector::Constant(6, HUGE_VAL);
    model.lower[0] = -1.0;
    model.upper[0] = 4.0;
    model.integers = {{2, 0.0, 1.0}};
    model.one_hot = {{{3, 4, 5}, 1.5, {}, {}}};
    model.attacking_class = 1;
    return model;
}

Vector good_point() {
    Vector x(6);
    x << 0.5, 7.0, 3.0, 0.0, 1.0, 0.0;
    return x;
}

/// The message of the error that a changed model gives.
template <typename Change>
std::string refusal(Change change) {
    AttackModel model = full_model();
    change(model);
    try {
        model.check(6);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

void expect_said(const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(AttackModelCheck, RefusesWhatMakesNoSense) {
    EXPECT_EQ(refusal([](AttackModel&) {}), "accepted");
    expect_said(refusal([](AttackModel& m) { m.scale[3] = -1.0; }), "feature 4");
    expect_said(refusal([](AttackModel& m) { m.scale[3] = HUGE_VAL; }), "scale");
    expect_said(refusal([](AttackModel& m) { m.scale = Vector::Ones(5); }), "length 6");
    expect_said(refusal([](AttackModel& m) { m.upper[0] = -2.0; }), "[-1, -2]");
    expect_said(refusal([](AttackModel& m) { m.lower[0] = std::nan(""); }), "bounds");
    expect_said(refusal([](AttackModel& m) { m.direction.pop_back(); }), "direction");
    expect_said(refusal([](AttackModel& m) { m.integers.push_back({2, 0.0, 1.0}); }), "twice");
    expect_said(refusal([](AttackModel& m) { m.integers.push_back({6, 0.0, 1.0}); }), "feature 7");
    expect_said(refusal([](AttackModel& m) { m.integers[0].scale = 0.0; }), "scale > 0");
    expect_said(refusal([](AttackModel& m) { m.integers[0].feature = 4; }), "integer");
    expect_said(refusal([](AttackModel& m) { m.one_hot[0].features = {3}; }), "at least 2");
    expect_said(refusal([](AttackModel& m) {
                    m.one_hot.push_back({{0, 5}, 1.0, {}, {}});
                    m.lower[0] = -HUGE_VAL;
                    m.upper[0] = HUGE_VAL;
                }),
                "two places");
    expect_said(refusal([](AttackModel& m) { m.one_hot[0].features[0] = -1; }), "one_hot");
    expect_said(refusal([](AttackModel& m) { m.one_hot[0].switch_cost = -0.5; }), "switch_cost");
    const auto refuse_prices = [&](std::vector<SwitchPrice> prices, const char* part) {
        expect_said(refusal([&](AttackModel& m) { m.one_hot[0].prices = prices; }), part);
    };
    EXPECT_EQ(refusal([](AttackModel& m) {
                  m.one_hot[0].prices = {{0, 1, HUGE_VAL}, {2, 0}};
              }),
              "accepted");
    refuse_prices({{0, 3, 1.0}}, "two different members of 3, got 0 and 3");
    refuse_prices({{1, 1, 1.0}}, "two different members of 3, got 1 and 1");
    refuse_prices({{0, 1, -1.0}}, "numbers >= 0");
    refuse_prices({{0, 1, std::nan("")}}, "numbers >= 0");
    refuse_prices({{1, 0, 1.0}, {0, 1, 1.0}}, "out of order");
    expect_said(refusal([](AttackModel& m) { m.one_hot[0].on = Vector::Zero(3); }), "differ");
    expect_said(refusal([](AttackModel& m) { m.direction[4] = Direction::Up; }), "both ways");
    expect_said(refusal([](AttackModel& m) { m.lower[4] = 0.0; }), "without a range");
    expect_said(refusal([](AttackModel& m) { m.attacking_class = 0; }), "-1 or +1");
}

TEST(AttackModelCheck, RefusesPointsThatItDoesNotAllow) {
    const AttackModel model = full_model();
    const auto message = [&](Index feature, double value) -> std::string {
        Vector x = good_point();
        x[feature] = value;
        try {
            model.check_point(x, 7);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(message(1, -100.0), "accepted");
    EXPECT_EQ(message(0, 4.0 + 1e-12), "accepted");
    expect_said(message(0, 4.5), "row 7");
    expect_said(message(2, 3.25), "integers");
    expect_said(message(3, 1.0), "2 in the group");
    expect_said(message(4, 0.0), "0 in the group");
    expect_said(message(4, 0.5), "on (1) or off (0), got 0.5 for feature 5");
    Vector x = good_point();
    x[4] = 0.5;
    const PointNames names{"DATA", 1, {"age", "sex", "visits", "red", "green", "blue"}};
    try {
        model.check_point(x, 7, names);
        FAIL();
    } catch (const InvalidInput& error) {
        EXPECT_STREQ(error.what(),
                     "DATA: expected features of a one-hot group to be on (1) or off (0), got 0.5 "
                     "for 'green' in row 8");
    }
}

TEST(AttackModelScaling, GoesWithThePointsBitByBit) {
    AttackModel model = full_model();
    Vector offset(6);
    Vector scale(6);
    offset << 0.3, 2.0, 1.7, 0.2, 0.4, 0.4;
    scale << 1.9, 3.0, 0.7, 0.4, 0.49, 0.49;
    const Scaler scaler(Scaling::Standard, offset, scale);
    const AttackModel scaled = model.scaled(scaler);
    scaled.check(6);
    const Vector x = good_point();
    const Vector z = scaler.transform(x.transpose()).row(0).transpose();
    EXPECT_NO_THROW(scaled.check_point(z, 0));
    EXPECT_EQ(scaled.integers[0].value(3.0), z[2]);
    EXPECT_EQ(scaled.one_hot[0].on_value(1), z[4]);
    EXPECT_EQ(scaled.one_hot[0].off_value(0), z[3]);
    // A move and its size are the same in both spaces.
    Vector raw = x;
    raw[0] = 4.0;
    raw[2] = 5.0;
    raw[4] = 0.0;
    raw[5] = 1.0;
    const Vector moved = scaler.transform(raw.transpose()).row(0).transpose();
    EXPECT_TRUE(model.allows(x, raw));
    EXPECT_TRUE(scaled.allows(z, moved));
    EXPECT_NEAR(model.move_size(x, raw - x), 3.5 / 2.0 + 2.0 / 2.0 + 1.5, 1e-12);
    EXPECT_NEAR(scaled.move_size(z, moved - z), model.move_size(x, raw - x), 1e-12);
    raw[1] += 1.0;
    EXPECT_FALSE(model.allows(x, raw));
    EXPECT_EQ(model.move_size(x, raw - x), HUGE_VAL);
    model.scale.resize(0);
    EXPECT_EQ(model.scaled(scaler).scale.size(), 0);
}

TEST(AttackModelScaling, CanBeUndone) {
    const AttackModel model = full_model();
    Vector offset(6);
    Vector scale(6);
    offset << 0.3, 2.0, 1.7, 0.2, 0.4, 0.4;
    scale << 1.9, 3.0, 0.7, 0.4, 0.49, 0.49;
    const Scaler scaler(Scaling::Standard, offset, scale);
    const AttackModel again = model.scaled(scaler).unscaled(scaler);
    again.check(6);
    EXPECT_EQ(again.norm, model.norm);
    EXPECT_EQ(again.direction, model.direction);
    EXPECT_EQ(again.attacking_class, model.attacking_class);
    for (Index l = 0; l < 6; ++l) {
        EXPECT_NEAR(again.scale_of(l), model.scale_of(l), 1e-15);
        EXPECT_EQ(again.scale_of(l) == 0.0, model.scale_of(l) == 0.0);
        for (const auto& [one, other] : {std::pair(again.lower_of(l), model.lower_of(l)),
                                         std::pair(again.upper_of(l), model.upper_of(l))}) {
            EXPECT_TRUE(one == other || std::abs(one - other) < 1e-14) << one << ' ' << other;
        }
    }
    EXPECT_NEAR(again.integers[0].offset, 0.0, 1e-15);
    EXPECT_NEAR(again.integers[0].scale, 1.0, 1e-15);
    for (std::size_t i = 0; i < model.one_hot[0].features.size(); ++i) {
        EXPECT_NEAR(again.one_hot[0].on_value(i), 1.0, 1e-15);
        EXPECT_NEAR(again.one_hot[0].off_value(i), 0.0, 1e-15);
    }
    // Without scales radius 1 is one scaled unit, before and after.
    EXPECT_EQ(AttackModel::ball(Norm::L2).unscaled(scaler).scale, scale);
}

TEST(AttackModelText, NamesWhatIsSet) {
    const AttackModel model = full_model();
    EXPECT_EQ(model.summary({{"age", "sex", "visits", "red", "green", "blue"}, {"well", "ill"}}),
              "norm: l1\n"
              "may move at radius 1 by: age 2, visits 2, red 2, green 2, blue 2\n"
              "frozen: sex\n"
              "only up: visits\n"
              "range: age [-1, 4]\n"
              "integers: visits\n"
              "exactly one, a switch costs 1.5: red, green, blue\n"
              "only points of this class move: ill\n");
    EXPECT_EQ(AttackModel{}.summary(), "norm: l2\n");
    EXPECT_EQ(model.brief(),
              "scaled; feature 2 frozen; feature 3 up only; within ranges; 1 integer feature; 1 "
              "one-hot group; only '+1' attacks");
    EXPECT_EQ(AttackModel{}.brief(), "plain l2 ball");
}

TEST(AttackModelEquality, SeesEveryField) {
    const AttackModel model = full_model();
    EXPECT_EQ(model, full_model());
    AttackModel other = full_model();
    other.one_hot[0].switch_cost = 2.0;
    EXPECT_FALSE(model == other);
    other = full_model();
    other.one_hot[0].prices = {{0, 1, 2.0}};
    EXPECT_FALSE(model == other);
    other = full_model();
    other.scale[0] = 1.0;
    EXPECT_FALSE(model == other);
    other = full_model();
    other.attacking_class.reset();
    EXPECT_FALSE(model == other);
    EXPECT_TRUE(AttackModel{}.is_plain());
    EXPECT_FALSE(model.is_plain());
}

TEST(AttackModelCertificate, ClassesThatDoNotAttackKeepTheirAnswer) {
    const Ensemble vote(Hyperplane{Vector::Ones(2), 0.0});
    Matrix X(2, 2);
    X << 1.0, 1.0, -1.0, -1.0;
    CertifySettings settings;
    settings.attack_model = AttackModel{};
    settings.attack_model.attacking_class = 1;
    const auto right = certify(vote, X, Vector(X.col(0)), settings);
    EXPECT_NEAR(right[0].radius, std::sqrt(2.0), 1e-12);
    EXPECT_EQ(right[1].radius, HUGE_VAL);
    const auto wrong = certify(vote, X, Vector(-X.col(0)), settings);
    EXPECT_EQ(wrong[0].radius, -HUGE_VAL);
    EXPECT_NEAR(wrong[1].radius, -std::sqrt(2.0), 1e-12);
}

TEST(AttackModelCertificate, AllFrozenIsSafeForEver) {
    const Ensemble vote(Hyperplane{Vector::Ones(2), 0.0});
    Matrix X(2, 2);
    X << 1.0, 1.0, -1.0, -1.0;
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model = AttackModel{};
        settings.attack_model.norm = norm;
        settings.attack_model.scale = Vector::Zero(2);
        EXPECT_TRUE(settings.attack_model.is_all_frozen(2));
        for (const Certificate& certificate : certify(vote, X, settings)) {
            EXPECT_EQ(certificate.status, Status::Optimal);
            EXPECT_EQ(certificate.radius, HUGE_VAL);
            EXPECT_EQ(certificate.lower, HUGE_VAL);
        }
    }
}

TEST(AttackModelCertificate, OnIntegersStrictnessCostsAUnit) {
    // x = 2: from +1 the plane x - 0 must become negative, so 0 is not enough; from -1 the plane
    // touched at 0 counts.
    Matrix w(1, 1);
    w << 1.0;
    const Ensemble vote(w, Vector::Zero(1));
    AttackModel model;
    model.integers = {{0, 0.0, 1.0}};
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        model.norm = norm;
        CertifySettings settings;
        settings.attack_model = model;
        Matrix X(2, 1);
        X << 2.0, -2.0;
        const auto certificates = certify(vote, X, settings);
        EXPECT_NEAR(certificates[0].radius, 3.0, 1e-12);
        EXPECT_NEAR(certificates[0].lower, 3.0, 1e-12);
        EXPECT_NEAR(certificates[1].radius, 2.0, 1e-12);
        EXPECT_EQ(certificates[1].witness[0], 2.0);
    }
}

}  // namespace
}  // namespace redoubt::testing
