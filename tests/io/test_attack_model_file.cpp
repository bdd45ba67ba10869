/// Attack models as JSON: every field, round trips, mistakes and damage.

#include "redoubt/attack_model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "io/random_models.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"
#include "threat/random_models.hpp"

namespace redoubt::test {
namespace {

const AttackedData kData{{"Age", "Glucose", "BMI", "Job=a", "Job=b", "Job=c"}, {"healthy", "ill"}};

AttackModel read(const std::string& text, const AttackedData& data = kData) {
    return attack_model_from_json(text, data, "rules.json");
}

/// Lists that say nothing are left empty, and groups and integers stay as they are.
AttackModel tidy(AttackModel model) {
    const bool has_direction = std::any_of(model.direction.begin(), model.direction.end(),
                                           [](Direction d) { return d != Direction::Both; });
    if (!has_direction) model.direction.clear();
    if ((model.lower.array() == -HUGE_VAL).all()) model.lower.resize(0);
    if ((model.upper.array() == HUGE_VAL).all()) model.upper.resize(0);
    return model;
}

TEST(AttackModelFile, HasEveryField) {
    const AttackModel model = read(R"({
        "norm": "linf",
        "scale": {"Glucose": 10, "3": 0.5},
        "default_scale": 2,
        "frozen": ["Age"],
        "increase_only": ["Glucose"],
        "decrease_only": [3],
        "bounds": {"Glucose": [0, null], "BMI": [10.5, 60]},
        "integer": ["Glucose"],
        "one_hot": [{"features": ["Job=a", "Job=b", "6"], "cost": 3}],
        "attacking_class": "ill"})");
    EXPECT_EQ(model.norm, Norm::LInf);
    EXPECT_EQ(model.scale, (Vector(6) << 0, 10, 0.5, 2, 2, 2).finished());
    EXPECT_EQ(model.direction_of(1), Direction::Up);
    EXPECT_EQ(model.direction_of(2), Direction::Down);
    EXPECT_EQ(model.direction_of(0), Direction::Both);
    EXPECT_EQ(model.lower_of(1), 0.0);
    EXPECT_EQ(model.upper_of(1), HUGE_VAL);
    EXPECT_EQ(model.lower_of(2), 10.5);
    EXPECT_EQ(model.upper_of(2), 60.0);
    ASSERT_EQ(model.integers.size(), 1U);
    EXPECT_EQ(model.integers[0], (IntegerFeature{1}));
    ASSERT_EQ(model.one_hot.size(), 1U);
    EXPECT_EQ(model.one_hot[0].features, (std::vector<int>{3, 4, 5}));
    EXPECT_EQ(model.one_hot[0].switch_cost, 3.0);
    EXPECT_EQ(model.attacking_class, 1);
}

TEST(AttackModelFile, NormIsEnough) {
    const AttackModel model = read(R"({"norm": "l1"})");
    EXPECT_EQ(model, AttackModel{.norm = Norm::L1});
    EXPECT_TRUE(model.is_plain());
}

TEST(AttackModelFile, FeaturesWithoutAScaleMoveByOneScaledUnit) {
    AttackedData data = kData;
    data.unit = (Vector(6) << 8, 20, 5, 1, 1, 1).finished();
    const AttackModel model = read(R"({"norm": "l2", "frozen": [1], "scale": {"BMI": 3}})", data);
    EXPECT_EQ(model.scale, (Vector(6) << 0, 20, 3, 1, 1, 1).finished());
    const Scaler scaler(Scaling::Standard, Vector::Zero(6), data.unit);
    EXPECT_EQ(model.scaled(scaler).scale, (Vector(6) << 0, 1, 0.6, 1, 1, 1).finished());
    EXPECT_EQ(read(R"({"norm": "l2"})", data).scale.size(), 0);
    EXPECT_EQ(read(R"({"norm": "l2", "frozen": ["Age"]})").scale[1], 1.0);
}

TEST(AttackModelFile, NamesWinOverNumbers) {
    const AttackedData data{{"2", "x", "3"}, {"a", "b"}};
    EXPECT_EQ(read(R"({"norm": "l2", "frozen": ["2"]})", data).scale, Vector({{0, 1, 1}}));
    EXPECT_EQ(read(R"({"norm": "l2", "frozen": ["1"]})", data).scale, Vector({{0, 1, 1}}));
    EXPECT_EQ(read(R"({"norm": "l2", "frozen": [2, "3"]})", data).scale, Vector({{1, 0, 0}}));
}

TEST(AttackModelFile, ClassesAreEqualAsNumbers) {
    const AttackedData data{{"x"}, {"0", "1"}};
    EXPECT_EQ(read(R"({"norm": "l2", "attacking_class": 1})", data).attacking_class, 1);
    EXPECT_EQ(read(R"({"norm": "l2", "attacking_class": "0.0"})", data).attacking_class, -1);
    EXPECT_FALSE(read(R"({"norm": "l2", "attacking_class": null})", data).attacking_class);
}

TEST(AttackModelFile, FrozenWinsOverOtherRules) {
    const AttackModel model = read(R"({
        "norm": "l2", "frozen": ["Age", "BMI"], "scale": {"Age": 3, "Glucose": 2},
        "increase_only": ["BMI"], "integer": ["Age"], "bounds": {"BMI": [0, 9]}})");
    EXPECT_EQ(model.scale, (Vector(6) << 0, 2, 0, 1, 1, 1).finished());
    EXPECT_EQ(model.direction_of(2), Direction::Up);
    EXPECT_EQ(model.integers, std::vector<IntegerFeature>{{0}});
    EXPECT_EQ(model.upper_of(2), 9.0);
    EXPECT_EQ(read(attack_model_to_json(model, kData)), model);
}

TEST(AttackModelFile, MembersOfGroupsMayHaveRulesThatSayNothing) {
    const AttackModel model = read(R"({
        "norm": "l2", "integer": ["Job=a", "Age"], "bounds": {"Job=a": [0, 1], "Job=b": [-5, null]},
        "one_hot": [["Job=a", "Job=b", "Job=c"]]})");
    EXPECT_EQ(model.integers, std::vector<IntegerFeature>{{0}});
    for (int l = 0; l < 6; ++l) {
        EXPECT_EQ(model.lower_of(l), -HUGE_VAL);
        EXPECT_EQ(model.upper_of(l), HUGE_VAL);
    }
}

TEST(AttackModelFile, OneRangeHoldsForAllOutsideGroups) {
    const AttackModel model =
        read(R"({"norm": "l2", "bounds": [0, null], "one_hot": [["Job=a", "Job=b"]]})");
    EXPECT_EQ(model.lower, Vector({{0, 0, 0, -HUGE_VAL, -HUGE_VAL, 0}}));
    EXPECT_EQ(model.upper.size(), 0);
}

TEST(AttackModelFile, ValuesByNumberDoNotTakeNamesForNumbers) {
    const AttackedData data{{"2", "x", "3"}, {"a", "b"}};
    const AttackModel model = read(R"({"norm": "l2",
        "scale": [{"feature": 2, "value": 5}, {"feature": "2", "value": 4}],
        "bounds": [{"feature": 3, "value": [0, 1]}]})",
                                   data);
    EXPECT_EQ(model.scale, Vector({{4, 5, 1}}));
    EXPECT_EQ(model.upper_of(2), 1.0);
}

TEST(AttackModelFile, NumbersMayCountFromZero) {
    AttackedData data = kData;
    data.first_number = 0;
    EXPECT_EQ(read(R"({"norm": "l2", "frozen": [0, -1, "2"]})", data).scale,
              Vector({{0, 0, 1, 1, 1, 0}}));
    for (const char* number : {"6", "-7"}) {
        try {
            read(std::string(R"({"norm": "l2", "frozen": [)") + number + "]}", data);
            FAIL();
        } catch (const ParseError& error) {
            EXPECT_EQ(error.what(), std::string("rules.json: frozen[0]: expected a feature from 0 "
                                                "to 5, found ") +
                                        number);
        }
    }
    data.feature_names.assign(3, "");
    try {
        read(R"({"norm": "l2", "frozen": ["Age"]})", data);
        FAIL();
    } catch (const ParseError& error) {
        EXPECT_STREQ(error.what(),
                     "rules.json: frozen[0]: expected a number from 0 to 2, because the features "
                     "have no names, found 'Age'");
    }
}

TEST(AttackRules, KnowWhatIsWrongWithoutTheFeatures) {
    const auto problem = [](const std::string& fields) -> std::string {
        try {
            AttackRules(R"({"norm": "l2")" + fields + "}", "rules.json");
        } catch (const ParseError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(problem(R"(, "frozen": ["anything", 5000000000], "bounds": {"else": [0, 1]})"),
              "accepted");
    EXPECT_EQ(problem(R"(, "attacking_class": "whoever")"), "accepted");
    // By name and by number could be two features.
    EXPECT_EQ(problem(R"(, "frozen": ["2", 2])"), "accepted");
    EXPECT_EQ(problem(R"(, "frozen": ["a", "a"])"),
              "rules.json: frozen[1]: expected each feature once, found 'a' twice");
    EXPECT_EQ(problem(R"(, "frozen": [3, 3])"),
              "rules.json: frozen[1]: expected each feature once, found feature 3 twice");
    EXPECT_EQ(problem(R"(, "frozen": [0])"),
              "rules.json: frozen[0]: expected the name of a feature or its number, from 1 on, "
              "found 0");
    EXPECT_EQ(problem(R"(, "one_hot": [["a", "b"], ["c", "a"]])"),
              "rules.json: one_hot[1][1]: expected features of no other group, found 'a' again");
    EXPECT_EQ(problem(R"(, "scale": [1, -2])"),
              "rules.json: scale[1]: expected a number >= 0, found -2");
    EXPECT_EQ(problem(R"(, "freeze": [])"), "rules.json: unknown field 'freeze'");
}

TEST(AttackRules, AreSummedUpByWhatTheyMention) {
    const AttackRules rules(R"({"norm": "l1", "default_scale": 0.5, "scale": {"visits": 2},
        "frozen": ["age", 2], "increase_only": ["visits"], "bounds": [0, null], "integer": [3],
        "one_hot": [["red", "blue"]], "attacking_class": "ill"})");
    EXPECT_EQ(rules.summary(),
              "norm: l1\n"
              "may move at radius 1 by: visits 2, others 0.5\n"
              "frozen: age, 2\n"
              "only up: visits\n"
              "range: all >= 0\n"
              "integers: 3\n"
              "exactly one, a switch costs 1: red, blue\n"
              "only points of this class move: ill\n");
    EXPECT_NE(rules.summary({"age", "sex"}).find("frozen: age, sex\n"), std::string::npos);
    EXPECT_EQ(
        rules.brief(),
        "scaled per feature; features age, 2 frozen; visits up only; within ranges; 1 integer "
        "feature; 1 one-hot group; only 'ill' attacks");
    EXPECT_EQ(AttackRules(R"({"norm": "l1"})").brief(), "plain l1 ball");
    EXPECT_EQ(AttackRules(R"({"norm": "l1", "default_scale": 3})").brief(), "scaled");
    EXPECT_EQ(AttackRules(R"({"norm": "l1", "scale": {"a": 3}})").summary(),
              "norm: l1\nmay move at radius 1 by: a 3, others 1 unit\n");
}

TEST(AttackRules, AreTheModelOnceTheFeaturesAreKnown) {
    const std::string text = R"({"norm": "linf", "frozen": ["Age"], "integer": ["BMI"],
        "scale": [{"feature": 1, "value": 3}], "attacking_class": "ill"})";
    AttackedData data = kData;
    data.first_number = 0;
    EXPECT_EQ(AttackRules(text, "rules.json", 0).resolve(kData), read(text, data));
    EXPECT_EQ(AttackRules(text).resolve(kData), read(text));
    data.classes = {"", ""};
    EXPECT_FALSE(read(text, data).attacking_class);
}

TEST(AttackModelFile, RandomModelsComeBack) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (unsigned rules = 0; rules < redoubt::testing::kAllRules; ++rules) {
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                AttackModel model = redoubt::testing::make_model_problem(norm, rules, seed).model;
                const auto problem = redoubt::testing::make_model_problem(norm, rules, seed);
                AttackedData data;
                for (Index l = 0; l < problem.x.size(); ++l) {
                    // Names that are numbers, empty, twice or ordinary.
                    const std::vector<std::string> names{"2", "", "twice", "x" + std::to_string(l)};
                    data.feature_names.push_back(names[(static_cast<std::size_t>(l) + seed) % 4]);
                }
                if (seed % 2 == 1) model.attacking_class = -1;
                data.unit = Vector::Constant(problem.x.size(), 7.0);
                const std::string text = attack_model_to_json(model, data);
                EXPECT_EQ(read(text, data), tidy(model)) << text;
            }
        }
    }
}

TEST(AttackModelFile, IntegersAndGroupsKeepTheirValues) {
    AttackModel model;
    model.integers = {{1, 0.25, 4.0}, {0}};
    OneHotGroup group{{3, 5}, 0.5};
    group.on = Vector({{2.0, -1.0}});
    group.off = Vector({{1.0, 1.0}});
    model.one_hot = {group};
    EXPECT_EQ(read(attack_model_to_json(model, kData)), model);
}

TEST(AttackModelFile, OfTheExamplesFitsTheBundledData) {
    for (const std::string name : {"heart", "diabetes"}) {
        const Dataset data = load_bundled(name);
        const AttackModel model =
            load_attack_model(REDOUBT_DATA "/../examples/" + name + "_attack_model.json",
                              {data.feature_names, data.classes});
        EXPECT_NO_THROW(model.check_points(data.X, data.y)) << name;
        EXPECT_FALSE(model.is_plain());
    }
}

struct Mistake {
    const char* fields;
    const char* message;
};

class MistakenAttackModel : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakenAttackModel, IsRefusedWithItsPlace) {
    const std::string text = std::string(R"({"norm": "l2")") + GetParam().fields + "}";
    try {
        read(text);
        FAIL() << text;
    } catch (const ParseError& error) {
        EXPECT_EQ(error.what(), std::string("rules.json: ") + GetParam().message);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, MistakenAttackModel,
    ::testing::Values(
        Mistake{R"(, "freeze": [1])", "unknown field 'freeze'"},
        Mistake{R"(, "scale": {"Glucose": -1})", "scale.Glucose: expected a number >= 0, found -1"},
        Mistake{R"(, "scale": [1, 2])",
                "scale: expected a list of 6, one per feature, found a list of 2"},
        Mistake{R"(, "scale": {"Glucose": "2"})", "scale.Glucose: expected a number, found '2'"},
        Mistake{R"(, "default_scale": -0.5)", "default_scale: expected a number >= 0, found -0.5"},
        Mistake{R"(, "frozen": ["Glucos"])",
                "frozen[0]: expected the name or number (1 to 6) of a feature, found 'Glucos'; did "
                "you mean 'Glucose'?"},
        Mistake{R"(, "frozen": ["weight"])",
                "frozen[0]: expected the name or number (1 to 6) of a feature, found 'weight'; the "
                "features are 'Age', 'Glucose', 'BMI', 'Job=a', 'Job=b', 'Job=c'"},
        Mistake{R"(, "scale": {"7": 1})",
                "scale: expected the name or number (1 to 6) of a feature, found '7'; the features "
                "are 'Age', 'Glucose', 'BMI', 'Job=a', 'Job=b', 'Job=c'"},
        Mistake{R"(, "integer": [0])", "integer[0]: expected a feature from 1 to 6, found 0"},
        Mistake{R"(, "integer": [1.5])",
                "integer[0]: expected the name or number of a feature, found 1.5"},
        Mistake{R"(, "frozen": "Age")", "frozen: expected a list, found 'Age'"},
        Mistake{R"(, "frozen": ["Age", 1])",
                "frozen[1]: expected each feature once, found 'Age' twice"},
        Mistake{R"(, "increase_only": ["BMI"], "decrease_only": ["Age", "BMI"])",
                "decrease_only[1]: expected features that are not in increase_only, found 'BMI', "
                "which is in both"},
        Mistake{R"(, "scale": [{"feature": "BMI", "value": 1}, {"feature": 3, "value": 2}])",
                "scale[1]: expected each feature once, found 'BMI' twice"},
        Mistake{R"(, "scale": [{"feature": "BMI", "number": 1}])",
                "scale[0]: unknown field 'number'"},
        Mistake{R"(, "bounds": [{"feature": 9, "value": [0, 1]}])",
                "bounds[0].feature: expected a feature from 1 to 6, found 9"},
        Mistake{R"(, "bounds": [1, 0])",
                "bounds: expected low <= high, found [1, 0], an empty range"},
        Mistake{R"(, "frozen": [-1])", "frozen[0]: expected a feature from 1 to 6, found -1"},
        Mistake{R"(, "frozen": [-9223372036854775808])",
                "frozen[0]: expected a feature from 1 to 6, found -9223372036854775808"},
        Mistake{R"(, "frozen": [18446744073709551615])",
                "frozen[0]: expected a feature from 1 to 6, found 18446744073709551615"},
        Mistake{R"(, "bounds": {"BMI": [2, 1]})",
                "bounds.BMI: expected low <= high, found [2, 1], an empty range"},
        Mistake{R"(, "bounds": {"BMI": [2]})",
                "bounds.BMI: expected a list of 2: [low, high], found a list of 1"},
        Mistake{R"(, "bounds": {"BMI": ["a", 2]})",
                "bounds.BMI[0]: expected a number or null, found 'a'"},
        Mistake{R"(, "one_hot": [["Job=a"]])",
                "one_hot[0]: expected a list of at least 2 features, found a list of 1"},
        Mistake{R"(, "one_hot": [["Job=a", "Job=b"], ["Job=c", "Job=b"]])",
                "one_hot[1][1]: expected features of no other group, found 'Job=b' again"},
        Mistake{R"(, "integer": ["Job=a"],
                    "one_hot": [{"features": ["Job=a", "Job=b"], "on": [0.5, 1]}])",
                "one_hot[0].features[0]: expected features that are not in integer, found 'Job=a', "
                "which is in both"},
        Mistake{R"(, "decrease_only": ["Job=b"], "one_hot": [["Job=a", "Job=b"]])",
                "one_hot[0][1]: expected features that are not in decrease_only, found 'Job=b', "
                "which is in both"},
        Mistake{R"(, "bounds": {"Job=b": [0, 0.5]}, "one_hot": [["Job=a", "Job=b"]])",
                "one_hot[0][1]: expected bounds that hold the member's values 1 and 0, found "
                "[0, 0.5] for 'Job=b'"},
        Mistake{R"(, "one_hot": [{"features": ["Job=a", "Job=b"], "cost": -1}])",
                "one_hot[0].cost: expected a number >= 0, found -1"},
        Mistake{R"(, "one_hot": [{"members": []}])", "one_hot[0]: unknown field 'members'"},
        Mistake{R"(, "attacking_class": "sick")",
                "attacking_class: expected 'healthy' or 'ill', found 'sick'"}));

TEST(AttackModelFile, MustHaveANorm) {
    EXPECT_THROW(read("{}"), ParseError);
    EXPECT_THROW(read(R"({"norm": "l3"})"), ParseError);
    EXPECT_THROW(read("[]"), ParseError);
    EXPECT_THROW(load_attack_model("/nowhere/rules.json", kData), ParseError);
}

/// Cut or changed anywhere, a file is refused or read as another sound model: nothing else happens.
TEST(AttackModelFile, SurvivesDamage) {
    const AttackModel model = read(R"({"norm": "linf", "frozen": ["Age"], "scale": {"BMI": 0.5},
        "bounds": {"Glucose": [0, 1e2]}, "integer": ["Glucose"], "increase_only": ["BMI"],
        "one_hot": [["Job=a", "Job=b", "Job=c"]], "attacking_class": "ill"})");
    const std::string text = attack_model_to_json(model, kData);
    int n_refused = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        EXPECT_THROW(read(text.substr(0, std::min(i, text.size() - 2))), ParseError);
    }
    std::mt19937_64 generator(1);
    const std::string letters = "\"[]{},:0159.-eE nulA\x01\x80";
    for (int repeat = 0; repeat < 5000; ++repeat) {
        std::string damaged = text;
        for (std::uint64_t n = 1 + generator() % 3; n > 0; --n) {
            damaged[generator() % damaged.size()] = letters[generator() % letters.size()];
        }
        try {
            read(damaged).check(6);
        } catch (const ParseError&) {
            ++n_refused;
        }
    }
    EXPECT_GT(n_refused, 4000);
}

TEST(ModelWithAttackModel, IsOfVersionTwo) {
    const Model small = small_model();
    TrainingRecord record = small.training();
    record.ranges = {};  // which version 3 brought
    const Model plain(small.scaler(), small.ensemble(), small.coding(), record);
    AttackModel rules;
    rules.norm = Norm::LInf;
    rules.scale = Vector({{0.0, 1.0, 1.0}});
    rules.one_hot = {{{1, 2}, 2.0}};
    rules.attacking_class = 1;
    const Model model(plain.scaler(), plain.ensemble(), plain.coding(), plain.training(), rules);
    const std::string text = model_to_json(model);
    EXPECT_NE(text.find("\"format_version\": 2"), std::string::npos);
    EXPECT_NE(text.find("\"frozen\": [\"height\"]"), std::string::npos);
    EXPECT_NE(text.find("\"attacking_class\": \"high\""), std::string::npos);
    EXPECT_EQ(model_from_json(text).attack_model(), rules);
    EXPECT_NE(model_to_json(plain).find("\"format_version\": 1"), std::string::npos);
    EXPECT_FALSE(model_from_json(model_to_json(plain)).attack_model());
}

TEST(ModelWithAttackModel, ChecksIt) {
    const Model plain = small_model();
    AttackModel rules;
    rules.scale = Vector::Ones(2);
    EXPECT_THROW(Model(plain.scaler(), plain.ensemble(), plain.coding(), plain.training(), rules),
                 InvalidInput);
    std::string text = model_to_json(plain);
    const std::string checksum = "\"checksum\"";
    text.replace(text.find(checksum), std::string::npos,
                 "\"attack_model\": {\"norm\": \"l2\", \"frozen\": [\"width\"]}}");
    try {
        model_from_json(text, "model.json");
        FAIL();
    } catch (const ParseError& error) {
        EXPECT_NE(std::string(error.what()).find("model.json: attack_model.frozen[0]: expected"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace redoubt::test
