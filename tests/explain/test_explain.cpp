/// Explanations against brute force: along every feature, and for the whole.

#include "redoubt/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "explain/explained_problems.hpp"
#include "explain/sentence.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

const OneHotGroup* group_of(const AttackModel& rules, Index feature) {
    for (const OneHotGroup& group : rules.one_hot) {
        for (int l : group.features) {
            if (l == feature) return &group;
        }
    }
    return nullptr;
}

const IntegerFeature* integer_of(const AttackModel& rules, Index feature) {
    for (const IntegerFeature& one : rules.integers) {
        if (one.feature == feature) return &one;
    }
    return nullptr;
}

Vector with(const Vector& raw, Index feature, double value) {
    Vector moved = raw;
    moved[feature] = value;
    return moved;
}

/// All values of a feature, near and far, that the rules allow on one side: a fine grid, the places
/// where planes change their votes and their neighbours, integers only where it must be.
std::vector<double> allowed_values(const ExplainedProblem& problem, Index l, bool is_up) {
    const AttackModel& rules = problem.rules;
    const double from = problem.raw[l];
    const Scaler& scaler = problem.model.scaler();
    std::vector<double> values;
    for (int i = 1; i <= 400; ++i) values.push_back(from + (is_up ? i : -i) / 40.0);
    for (double far : {50.0, 1e3, 1e6, 1e9}) values.push_back(from + (is_up ? far : -far));
    const Vector z = scaler.transform(problem.raw.transpose()).row(0).transpose();
    for (Index i = 0; i < problem.model.ensemble().n_planes(); ++i) {
        const double slope = problem.model.ensemble().coef()(i, l) / scaler.scale()[l];
        double crossing = from - problem.model.ensemble().margins(z)[i] / slope;
        if (!std::isfinite(crossing)) continue;
        crossing -= 1e-9 * (1.0 + std::abs(crossing));
        for (int j = 0; j < 21; ++j) {
            values.push_back(crossing);
            crossing += 1e-10 * (1.0 + std::abs(crossing));
        }
    }
    if (const IntegerFeature* integer = integer_of(rules, l)) {
        const double now = integer->nearest(from);
        for (double& value : values) value = integer->value(integer->nearest(value));
        for (int i = 1; i < 60; ++i) values.push_back(integer->value(now + (is_up ? i : -i)));
    }
    std::erase_if(values, [&](double value) {
        const bool is_wrong_side = is_up ? value <= from : value >= from;
        const bool is_same_integer =
            integer_of(rules, l) != nullptr &&
            integer_of(rules, l)->nearest(value) == integer_of(rules, l)->nearest(from);
        return is_wrong_side || is_same_integer || value < rules.lower_of(l) ||
               value > rules.upper_of(l) || rules.scale_of(l) == 0.0 ||
               rules.direction_of(l) == (is_up ? Direction::Down : Direction::Up);
    });
    return values;
}

/// Nothing on the way to `to` changes the answer, and `to` does.
void expect_first_change(const ExplainedProblem& problem, const SingleChange& change, bool is_up) {
    const Index l = change.feature;
    const double to = is_up ? change.up_to : change.down_to;
    const int answer = answer_at(problem, problem.raw);
    for (double value : allowed_values(problem, l, is_up)) {
        if (is_up ? value >= to : value <= to) continue;
        EXPECT_EQ(answer_at(problem, with(problem.raw, l, value)), answer)
            << "feature " << l << " at " << value << " before " << to;
    }
    if (!std::isfinite(to)) return;
    const Vector moved = with(problem.raw, l, to);
    EXPECT_NE(answer_at(problem, moved), answer);
    EXPECT_TRUE(problem.rules.allows(problem.raw, moved));
    const IntegerFeature* integer = integer_of(problem.rules, l);
    const double before = integer != nullptr
                              ? integer->value(integer->nearest(to) - (is_up ? 1.0 : -1.0))
                              : std::nextafter(to, change.from);
    EXPECT_EQ(answer_at(problem, with(problem.raw, l, before)), answer);
    const double size = is_up ? change.up_size : change.down_size;
    const double unit =
        problem.rules.scale.size() > 0 ? problem.rules.scale[l] : problem.model.scaler().scale()[l];
    EXPECT_NEAR(size, std::abs(to - change.from) / unit, 1e-12 * size);
}

void expect_right_switch(const ExplainedProblem& problem, const OneHotGroup& group,
                         const SingleChange& change) {
    const int answer = answer_at(problem, problem.raw);
    std::size_t now = 0;
    std::size_t own = 0;
    for (std::size_t i = 0; i < group.features.size(); ++i) {
        if (problem.raw[group.features[i]] == group.on_value(i)) now = i;
        if (group.features[i] == change.feature) own = i;
    }
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < group.features.size(); ++i) {
        // The member itself goes on, or, where it is on, the cheapest other one.
        if (i == now || (own != now && i != own)) continue;
        Vector moved = problem.raw;
        moved[group.features[now]] = group.off_value(now);
        moved[group.features[i]] = group.on_value(i);
        if (answer_at(problem, moved) != answer)
            least = std::min(least, price_by_hand(group, now, i));
    }
    const bool is_possible = std::isfinite(least);
    EXPECT_EQ(std::isfinite(change.size()), is_possible);
    EXPECT_EQ(change.partner >= 0, is_possible);
    EXPECT_EQ(change.goes_on, is_possible && own != now);
    if (is_possible) {
        EXPECT_EQ(change.size(), least);
    }
}

void expect_sound_attack(const ExplainedProblem& problem, const Explanation& result) {
    const double radius = result.certificate.radius;
    for (const SingleChange& change : result.singles) {
        EXPECT_GE(change.size(), result.certificate.lower * (1.0 - 1e-12));
    }
    if (result.moved.size() == 0) {
        EXPECT_TRUE(result.attack.empty());
        return;
    }
    EXPECT_TRUE(result.is_changed);
    EXPECT_EQ(answer_at(problem, result.moved), -result.answer);
    double sum = 0.0;
    double most = 0.0;
    Vector moved = problem.raw;
    for (const FeatureMove& move : result.attack) {
        EXPECT_EQ(move.from, problem.raw[move.feature]);
        EXPECT_GT(problem.rules.scale_of(move.feature), 0.0);
        moved[move.feature] = move.to;
        sum += move.share;
        most = std::max(most, move.size);
    }
    EXPECT_EQ(moved, result.moved);
    if (problem.rules.norm != Norm::LInf && radius > 0.0) {
        EXPECT_NEAR(sum, 1.0, 1e-12);
    }
    if (problem.rules.norm == Norm::LInf) {
        EXPECT_NEAR(most, radius, 1e-8 * (1.0 + radius));
    }
}

class EveryNorm : public ::testing::TestWithParam<Norm> {};

TEST_P(EveryNorm, ChangesAreTheLeast) {
    int n_changes = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ExplainedProblem problem = make_explained_problem(GetParam(), rules, seed);
            ExplainSettings settings;
            settings.attack_model = problem.rules;
            const Explanation result = explain(problem.model, problem.raw, settings);
            EXPECT_EQ(result.answer, answer_at(problem, problem.raw));
            ASSERT_EQ(static_cast<Index>(result.singles.size()), problem.raw.size());
            for (const SingleChange& change : result.singles) {
                EXPECT_EQ(change.from, problem.raw[change.feature]);
                n_changes += std::isfinite(change.size()) ? 1 : 0;
                const OneHotGroup* group = group_of(problem.rules, change.feature);
                if (group != nullptr) {
                    expect_right_switch(problem, *group, change);
                    continue;
                }
                expect_first_change(problem, change, true);
                expect_first_change(problem, change, false);
            }
            expect_sound_attack(problem, result);
        }
    }
    EXPECT_GT(n_changes, 300);
}

INSTANTIATE_TEST_SUITE_P(Norms, EveryNorm, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

/// With one feature that moves, its least change is the whole certificate.
TEST(Explain, OneFeatureIsTheWholeAttack) {
    int n_settled = 0;
    for (unsigned rules : {0U, unsigned(kScale), unsigned(kScale | kRange), unsigned(kIntegers)}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            ExplainedProblem problem = make_explained_problem(Norm::L2, rules, seed);
            const double own = problem.rules.scale_of(0);
            problem.rules.scale = Vector::Zero(problem.raw.size());
            problem.rules.scale[0] = own;
            ExplainSettings settings;
            settings.attack_model = problem.rules;
            const Explanation result = explain(problem.model, problem.raw, settings);
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const double size = result.singles[0].size();
            const double radius = result.certificate.radius;
            EXPECT_GE(size, result.certificate.lower * (1.0 - 1e-12));
            // Planes that miss the point by a rounding leave a bracket that is wide but true.
            const bool is_wide =
                std::isinf(result.certificate.upper) && std::isfinite(result.certificate.lower);
            if (result.certificate.status != Status::Optimal || is_wide) continue;
            ++n_settled;
            if (std::isinf(radius)) {
                EXPECT_TRUE(std::isinf(size));
            } else {
                EXPECT_NEAR(size, radius, 1e-9 * (1.0 + size));
            }
            for (std::size_t l = 1; l < result.singles.size(); ++l) {
                EXPECT_TRUE(std::isinf(result.singles[l].size()));
            }
        }
    }
    EXPECT_GT(n_settled, 60);
}

TableCoding two_columns() {
    TableCoding coding;
    coding.columns = {{"height"}, {"width"}, {"kind", ColumnRole::Label}};
    coding.has_header = true;
    coding.classes = {"low", "high"};
    return coding;
}

Model simple_model() {
    return {Scaler(Scaling::Standard, Vector::Zero(2), Vector({{2.0, 1.0}})),
            Ensemble(Hyperplane{Vector({{3.0, 4.0}}), -10.0}), two_columns()};
}

TEST(Explain, TellsInASentence) {
    // At (2, 1) the value is 3 + 4 - 10 = -3: +2 of height, +0.75 of width or l2 size 0.6.
    const Vector raw({{2.0, 1.0}});
    ExplainSettings settings;
    EXPECT_EQ(explain(simple_model(), raw, settings).sentence,
              "stays 'low' unless width rises by 0.75 or more, height rises by 2 or more, or the "
              "change as a whole has l2 size 0.599 or more");
    settings.n_named = 0;
    EXPECT_EQ(explain(simple_model(), raw, settings).sentence,
              "stays 'low' unless the change as a whole has l2 size 0.599 or more");
    settings.n_named = 3;
    settings.attack_model = AttackModel{.norm = Norm::LInf};
    settings.attack_model.scale = Vector({{1.0, 0.0}});
    settings.attack_model.integers = {{0}};
    EXPECT_EQ(explain(simple_model(), raw, settings).sentence,
              "stays 'low' unless height rises by 2 or more, or the change as a whole has linf "
              "size 2 or more");
    settings.attack_model.norm = Norm::L1;
    EXPECT_EQ(explain(simple_model(), raw, settings).sentence,
              "stays 'low' unless height rises by 2 or more, or the changes add up to 2 or more");
    settings.attack_model.norm = Norm::LInf;
    settings.attack_model.scale = Vector::Zero(2);
    const Explanation frozen = explain(simple_model(), raw, settings);
    EXPECT_EQ(frozen.sentence, "stays 'low' whatever the adversary does");
    EXPECT_EQ(frozen.certificate.radius, HUGE_VAL);
    EXPECT_TRUE(frozen.attack.empty());
}

/// Weights and scales at the ends of the range of doubles: what is said is still so.
TEST(Explain, SurvivesExtremeNumbers) {
    for (const double size : {1e-300, 1e-10, 1e10, 1e300}) {
        const Model model(
            Scaler(Scaling::Standard, Vector({{1e300, 0.0, -size}}), Vector({{1e-5, size, 3.0}})),
            Ensemble((Matrix(2, 3) << 0.1, -0.0, 1e308, 2.5, -5e-324, 1.0 / 3.0).finished(),
                     Vector({{-1.25, 2.0}})),
            {"low", "high"});
        const ExplainedProblem problem{model, Vector({{1e300, 0.5 * size, 1.0}}), {}};
        const Explanation result = explain(model, problem.raw);
        for (const SingleChange& change : result.singles) {
            for (const double to : {change.up_to, change.down_to}) {
                if (!std::isfinite(to)) continue;
                EXPECT_NE(answer_at(problem, with(problem.raw, change.feature, to)), result.answer);
                const double before = std::nextafter(to, change.from);
                EXPECT_EQ(answer_at(problem, with(problem.raw, change.feature, before)),
                          result.answer);
            }
        }
    }
}

TEST(Explain, LeavesTheOtherClassAlone) {
    ExplainSettings settings;
    settings.attack_model = AttackModel{.norm = Norm::L2};
    settings.attack_model.attacking_class = 1;
    const Explanation result = explain(simple_model(), Vector({{2.0, 1.0}}), settings);
    EXPECT_EQ(result.certificate.radius, HUGE_VAL);
    for (const SingleChange& change : result.singles) EXPECT_TRUE(std::isinf(change.size()));
}

TEST(Explain, KeepsToRangesAndWidensThemForTheRow) {
    const Vector raw({{2.0, 1.0}});
    const Explanation free = explain(simple_model(), raw);
    ExplainSettings settings;
    settings.ranges = {Vector({{-100.0, -100.0}}), Vector({{100.0, 100.0}})};
    const Explanation wide = explain(simple_model(), raw, settings);
    EXPECT_EQ(wide.sentence, "within the ranges of the training data, " + free.sentence);
    EXPECT_NEAR(wide.certificate.radius, free.certificate.radius, 1e-12);

    // The row is outside: no feature moves but back into the range.
    settings.ranges = {Vector({{0.0, 3.0}}), Vector({{1.0, 4.0}})};
    const Explanation narrow = explain(simple_model(), raw, settings);
    ASSERT_EQ(narrow.singles.size(), 2U);
    for (const SingleChange& change : narrow.singles) {
        const Index l = change.feature;
        if (std::isfinite(change.up_to)) {
            EXPECT_LE(change.up_to, std::max(raw[l], settings.ranges.greatest[l]));
        }
        if (std::isfinite(change.down_to)) {
            EXPECT_GE(change.down_to, std::min(raw[l], settings.ranges.least[l]));
        }
    }
    for (Index l = 0; l < narrow.moved.size(); ++l) {
        EXPECT_GE(narrow.moved[l], std::min(raw[l], settings.ranges.least[l]));
        EXPECT_LE(narrow.moved[l], std::max(raw[l], settings.ranges.greatest[l]));
    }
    settings.ranges = {raw, raw};
    EXPECT_EQ(explain(simple_model(), raw, settings).certificate.radius, HUGE_VAL);
    settings.ranges = {Vector({{0.0}}), Vector({{1.0}})};
    EXPECT_THROW(explain(simple_model(), raw, settings), InvalidInput);
}

TEST(Explain, RefusesWhatItCannotExplain) {
    const Vector raw({{2.0, 1.0}});
    EXPECT_THROW(explain(simple_model(), Vector::Zero(3)), InvalidInput);
    EXPECT_THROW(explain(simple_model(), Vector({{1.0, std::nan("")}})), InvalidInput);
    ExplainSettings settings;
    settings.n_named = -1;
    EXPECT_THROW(explain(simple_model(), raw, settings), InvalidInput);
    settings.n_named = 1;
    settings.attack_model = AttackModel{};
    settings.attack_model.upper = Vector({{1.0, 5.0}});
    try {
        explain(simple_model(), raw, settings);
        FAIL();
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("range [-inf, 1], got 2 for feature 1"),
                  std::string::npos)
            << error.what();
    }
}

TEST(RoundedDown, IsNeverAboveAndNeverFarBelow) {
    Random random(3, 4);
    for (int i = 0; i < 20000; ++i) {
        const double value = std::exp(20.0 * random.normal());
        const double read = std::stod(rounded_down(value));
        ASSERT_LE(read, value);
        ASSERT_GE(read, value * 0.989) << value;
    }
    EXPECT_EQ(rounded_down(2.3), "2.3");
    EXPECT_EQ(rounded_down(0.99999), "0.999");
    EXPECT_EQ(rounded_down(std::nextafter(1.0, 0.0)), "0.999");
    EXPECT_EQ(rounded_down(0.0), "0");
    EXPECT_EQ(rounded_down(12.0), "12");
    EXPECT_EQ(rounded_down(1234.0), "1234");
}

}  // namespace
}  // namespace redoubt::testing
