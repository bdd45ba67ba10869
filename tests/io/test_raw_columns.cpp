#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "io/json_text.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/model.hpp"
#include "redoubt/model_file.hpp"
#include "support/file_helpers.hpp"

/// Columns that say what they make of missing and unknown entries, and rules that name columns.

namespace redoubt::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kTable =
    "age,job,city,kind\n30,cook,,a\n,nurse,x,b\n50,cook,x,a\n20,clerk,y,b\n";

TrainingData train(MissingValues missing, UnseenCategory unseen) {
    ReadSettings settings;
    settings.text = TextColumns::OneHot;
    settings.missing = missing;
    settings.unseen = unseen;
    return read_training_data(DataSource::text(kTable), settings);
}

PointData later(std::string_view text, const TableCoding& coding) {
    return read_points(DataSource::text(text), coding);
}

Model model_of(const TableCoding& coding) {
    const auto n = static_cast<Index>(coding.feature_names().size());
    return Model(Scaler(Scaling::Standard, Vector::Zero(n), Vector::Constant(n, 2.0)),
                 Ensemble(Hyperplane{Vector::Ones(n), 0.5}), coding);
}

TEST(RawColumns, UnknownCategoriesAreAMemberOfTheirOwn) {
    const TrainingData data = train(MissingValues::Median, UnseenCategory::Other);
    EXPECT_EQ(data.data.feature_names, (Names{"age", "job=clerk", "job=cook", "job=nurse",
                                              "job=(other)", "city=x", "city=y", "city=(other)"}));
    const PointData points = later("age,job,city\n1,pilot,z\n2,,y\n,cook,x\n", data.coding);
    Matrix X(3, 8);
    X << 1, 0, 0, 0, 1, 0, 0, 1,  //
        2, 0, 1, 0, 0, 0, 1, 0,   //
        30, 0, 1, 0, 0, 1, 0, 0;
    EXPECT_EQ(points.X, X);
    EXPECT_EQ(points.missing, (RowFeatures{{}, {1, 2, 3, 4}, {0}}));
    EXPECT_EQ(data.data.missing, (RowFeatures{{5, 6, 7}, {0}, {}, {}}));
}

TEST(RawColumns, TrueAndFalseAreNumbersToAModelThatHasOneThere) {
    const TrainingData data = train(MissingValues::Median, UnseenCategory::Error);
    const PointData points = later("age,job,city\nTrue,cook,x\nfalse,cook,y\n", data.coding);
    Matrix X(2, 6);
    X << 1, 0, 1, 0, 1, 0,  //
        0, 0, 1, 0, 0, 1;
    EXPECT_EQ(points.X, X);
    EXPECT_EQ(message_of<ParseError>([&] { later("age,job,city\nyes,cook,x\n", data.coding); }),
              "<text>:2:1: expected a number, found 'yes' in column 'age'");
}

TEST(RawColumns, MissingCanBeACategory) {
    const TrainingData data = train(MissingValues::Category, UnseenCategory::Error);
    EXPECT_EQ(data.data.feature_names, (Names{"age", "job=clerk", "job=cook", "job=nurse", "city=x",
                                              "city=y", "city=(missing)"}));
    EXPECT_EQ(data.data.X.dense().row(0), (Matrix(1, 7) << 30, 0, 1, 0, 0, 0, 1).finished());
    // Only in a column that has gaps in training; elsewhere they are filled in and do not move.
    const PointData points = later("age,job,city\n1,,\n", data.coding);
    EXPECT_EQ(points.X, (Matrix(1, 7) << 1, 0, 1, 0, 0, 0, 1).finished());
    EXPECT_EQ(points.missing, (RowFeatures{{1, 2, 3}}));
    EXPECT_EQ(message_of<ParseError>([&] { later("age,job,city\n1,pilot,x\n", data.coding); }),
              "<text>:2:2: expected a category of the training file ('clerk', 'cook', 'nurse'), "
              "found 'pilot'");
}

TEST(RawColumns, IndicatorsSayThatAnEntryIsMissing) {
    const TrainingData data = train(MissingValues::Indicator, UnseenCategory::Error);
    EXPECT_EQ(data.data.feature_names, (Names{"age", "age is missing", "job=clerk", "job=cook",
                                              "job=nurse", "city=x", "city=y", "city is missing"}));
    EXPECT_EQ(data.data.X.dense().row(0), (Matrix(1, 8) << 30, 0, 0, 1, 0, 1, 0, 1).finished());
    EXPECT_EQ(data.data.X.dense().row(1), (Matrix(1, 8) << 30, 1, 0, 0, 1, 1, 0, 0).finished());
    EXPECT_EQ(data.data.missing, (RowFeatures{{5, 6, 7}, {0, 1}, {}, {}}));
}

TEST(RawColumns, WithoutGapsThereAreNoLists) {
    const TrainingData data = train(MissingValues::Median, UnseenCategory::Error);
    EXPECT_TRUE(later("age,job,city\n1,cook,x\n", data.coding).missing.empty());
    EXPECT_FALSE(data.coding.columns[0].entries);
}

/// Every combination of rules, read by a few lines that know nothing of the library.
TEST(RawColumns, AreReadAsByHand) {
    std::mt19937_64 generator(1);
    const auto pick = [&](const Names& texts) { return texts[generator() % texts.size()]; };
    for (int repeat = 0; repeat < 300; ++repeat) {
        TableCoding coding;
        coding.has_header = true;
        coding.classes = {"a", "b"};
        std::map<std::string, CodedColumn> by_name;
        for (const char* name : {"n", "t", "u"}) {
            CodedColumn column{name};
            const bool is_text = *name != 'n';
            if (is_text) column.categories = {"red", "blue", "7"};
            EntryRules& entries = column.entries.emplace();
            entries.fills = generator() % 2 == 0;
            entries.indicator = entries.fills && generator() % 2 == 0;
            entries.other = is_text && generator() % 2 == 0;
            entries.missing_category = is_text && !entries.fills && generator() % 2 == 0;
            if (entries.fills) column.fill = is_text ? double(generator() % 3) : 2.5;
            coding.columns.push_back(column);
            by_name[name] = column;
        }
        const Names order = generator() % 2 == 0 ? Names{"n", "t", "u"} : Names{"u", "n", "t"};
        std::string text = order[0] + "," + order[1] + "," + order[2] + "\n";
        std::map<std::string, std::string> entry;
        for (const std::string& name : order) {
            entry[name] =
                name == "n" ? pick({"1", "-2.5", "?"}) : pick({"red", "blue", "7", "NA", "green"});
            text += (name == order[0] ? "" : ",") + entry[name];
        }
        std::vector<double> wanted;
        std::vector<int> frozen;
        bool is_refused = false;
        for (const CodedColumn& column : coding.columns) {
            const EntryRules& entries = *column.entries;
            const std::string& field = entry[column.name];
            const bool is_gap = field == "?" || field == "NA";
            const std::size_t first = wanted.size();
            if (column.categories.empty()) {
                wanted.push_back(is_gap ? column.fill : std::stod(field));
            } else {
                Names members = column.categories;
                if (entries.missing_category) members.push_back("(missing)");
                if (entries.other) members.push_back("(other)");
                std::string on = field;
                if (is_gap) on = entries.fills ? members[std::size_t(column.fill)] : "(missing)";
                if (std::find(members.begin(), members.end(), on) == members.end()) on = "(other)";
                is_refused =
                    is_refused || std::find(members.begin(), members.end(), on) == members.end();
                for (const std::string& member : members) wanted.push_back(member == on);
            }
            is_refused = is_refused || (is_gap && !entries.fills && !entries.missing_category);
            if (entries.indicator) wanted.push_back(is_gap);
            for (std::size_t l = first; is_gap && entries.fills && l < wanted.size(); ++l) {
                frozen.push_back(static_cast<int>(l));
            }
        }
        if (is_refused) {
            EXPECT_THROW(later(text, coding), ParseError) << text;
            continue;
        }
        const PointData points = later(text, coding);
        EXPECT_EQ(points.X.dense().row(0).transpose(),
                  Eigen::Map<const Vector>(wanted.data(), Index(wanted.size())))
            << text;
        EXPECT_EQ(points.missing, frozen.empty() ? RowFeatures{} : RowFeatures{frozen}) << text;
    }
}

TEST(RawColumns, MakeAFileOfVersionFour) {
    const Model model = model_of(train(MissingValues::Indicator, UnseenCategory::Other).coding);
    const std::string text = model_to_json(model);
    EXPECT_NE(text.find("\"format_version\": 4"), std::string::npos);
    EXPECT_NE(text.find(R"({"name": "city", "role": "feature", "categories": ["x", "y"], )"
                        R"("fill": "x", "other": true, "indicator": true, )"
                        R"("missing_category": false})"),
              std::string::npos)
        << text;
    EXPECT_EQ(model_to_json(model_from_json(text)), text);
    // What needs no such rules is a file as before.
    const Model old = model_of(train(MissingValues::Median, UnseenCategory::Error).coding);
    EXPECT_NE(model_to_json(old).find("\"format_version\": 1"), std::string::npos);
}

struct Damage {
    const char* column;
    const char* message;
};

TEST(RawColumns, ThatMakeNoSenseAreRefused) {
    const io::Json fields = io::Json::parse(
        model_to_json(model_of(train(MissingValues::Median, UnseenCategory::Other).coding)));
    const std::vector<Damage> all{
        {R"({"other": 1})", "coding.columns[1].other: expected true or false, found 1"},
        {R"({"fill": "cock"})",
         "coding.columns[1].fill: expected one of the categories, or null, found 'cock'"},
        {R"({"fill": 1.0})", "coding.columns[1].fill: expected a text, found 1"},
        {R"({"missing_category": true})", "coding.columns[1].fill"},
        {R"({"fill": null, "indicator": true})", "coding.columns[1].fill"},
        {R"({"categories": ["cook", "cook", "nurse"]})", "coding.columns[1].categories"},
        {R"j({"categories": ["clerk", "cook", "(other)"]})j", "coding.columns[1].categories"},
        {R"({"categories": []})", "coding.columns[1]"},
        {R"({"role": "ignored"})", "coding.columns[1]"},
    };
    for (const Damage& damage : all) {
        io::Json damaged = fields;
        damaged.erase("checksum");
        io::Json& column = damaged["coding"]["columns"][1];
        column.update(io::Json::parse(damage.column));
        // The names of the features are to fit, so that the rules themselves are looked at.
        io::Json names = io::Json::array();
        for (const io::Json& each : damaged["coding"]["columns"]) {
            if (each["role"] != "feature") continue;
            const std::string name = each["name"];
            if (each["categories"].empty()) names.push_back(name);
            for (const io::Json& category : each["categories"]) {
                names.push_back(name + "=" + std::string(category));
            }
            if (each["missing_category"] == true) names.push_back(name + "=(missing)");
            if (each["other"] == true) names.push_back(name + "=(other)");
            if (each["indicator"] == true) names.push_back(name + " is missing");
        }
        damaged["feature_names"] = names;
        const auto n = names.size();
        damaged["scaler"]["offset"] = std::vector<double>(n, 0.0);
        damaged["scaler"]["scale"] = std::vector<double>(n, 1.0);
        damaged["planes"][0]["w"] = std::vector<double>(n, 1.0);
        const std::string message =
            message_of<ParseError>([&] { model_from_json(damaged.dump()); });
        EXPECT_NE(message.find(damage.message), std::string::npos)
            << damage.column << ": " << message;
    }
    io::Json halved = fields;
    halved.erase("checksum");
    halved["coding"]["columns"][1].erase("indicator");
    EXPECT_EQ(message_of<ParseError>([&] { model_from_json(halved.dump()); }),
              "<text>: coding.columns[1].indicator: expected true or false, found nothing");
}

// --- rules ------------------------------------------------------------------------------------

AttackedData attacked() {
    const Model model = model_of(train(MissingValues::Indicator, UnseenCategory::Other).coding);
    return AttackedData::of(model);
}

AttackModel rules_of(const std::string& fields) {
    return attack_model_from_json(R"({"norm": "l1")" + fields + "}", attacked(), "rules.json");
}

TEST(ColumnRules, TextColumnsAreGroupsByThemselves) {
    // age, age is missing, job (clerk, cook, nurse, other), city (x, y, other), city is missing
    const AttackModel plain = rules_of("");
    ASSERT_EQ(plain.one_hot.size(), 2U);
    EXPECT_EQ(plain.one_hot[0], (OneHotGroup{{2, 3, 4, 5}}));
    EXPECT_EQ(plain.one_hot[1], (OneHotGroup{{6, 7, 8}}));
    Vector scale = Vector::Constant(10, 2.0);
    scale[1] = scale[9] = 0.0;
    EXPECT_EQ(plain.scale, scale);
    AttackModel usual =
        model_of(train(MissingValues::Indicator, UnseenCategory::Other).coding).threat();
    usual.norm = Norm::L1;
    EXPECT_EQ(usual, plain);
}

TEST(ColumnRules, NameColumns) {
    const AttackModel model =
        rules_of(R"(, "frozen": ["job"], "switch_cost": {"city": 3}, "missing": "free")");
    EXPECT_EQ(model.one_hot[0].switch_cost, 1.0);
    EXPECT_EQ(model.one_hot[1].switch_cost, 3.0);
    for (int l : {2, 3, 4, 5}) EXPECT_EQ(model.scale[l], 0.0);
    EXPECT_TRUE(model.missing_moves);
    EXPECT_EQ(rules_of(R"(, "switch_cost": 2)").one_hot[0].switch_cost, 2.0);
    const AttackModel numbers = rules_of(R"(, "text_columns": "numbers")");
    EXPECT_TRUE(numbers.one_hot.empty());
    EXPECT_EQ(numbers.scale.size(), 0);
    // Groups of the file come first.
    const AttackModel own = rules_of(R"(, "one_hot": [["job=cook", "job=nurse"]])");
    EXPECT_EQ(own.one_hot[0], (OneHotGroup{{3, 4}}));
    EXPECT_EQ(own.one_hot[1], (OneHotGroup{{6, 7, 8}}));
    EXPECT_EQ(rules_of(R"(, "comment": ["a", "b"])"), rules_of(""));
}

constexpr const char* kPrices = R"json(, "switch_cost": {"job": [
    {"cost": 3}, {"to": "nurse", "cost": 5}, {"from": "cook", "cost": 2},
    {"from": "cook", "to": "(other)", "cost": null}]})json";

TEST(ColumnRules, PairsOfCategoriesHaveTheirPrices) {
    const OneHotGroup group = rules_of(kPrices).one_hot[0];
    enum : std::size_t { Clerk, Cook, Nurse, Other };
    EXPECT_EQ(group.cost(Clerk, Cook), 3.0);
    EXPECT_EQ(group.cost(Clerk, Nurse), 5.0);
    EXPECT_EQ(group.cost(Other, Nurse), 5.0);
    EXPECT_EQ(group.cost(Cook, Nurse), 2.0);  // the later rule wins
    EXPECT_EQ(group.cost(Cook, Clerk), 2.0);
    EXPECT_EQ(group.cost(Cook, Other), HUGE_VAL);
    EXPECT_EQ(group.cost(Cook, Cook), 0.0);
    EXPECT_EQ(group.prices.size(), 5U);
    // A rule for all forgets those before it.
    const OneHotGroup flat =
        rules_of(R"(, "switch_cost": {"job": [{"to": "cook", "cost": 9}, {"cost": 2}]})")
            .one_hot[0];
    EXPECT_EQ(flat, (OneHotGroup{{2, 3, 4, 5}, 2.0}));
    // Groups of features have them, too; numbers are taken for texts.
    const AttackModel own = rules_of(
        R"(, "one_hot": [{"features": [3, "job=cook"], "cost": [{"from": 3, "to": 4, "cost": 7}]}])");
    EXPECT_EQ(own.one_hot[0].prices, (std::vector<SwitchPrice>{{0, 1, 7.0}}));
}

TEST(ColumnRules, SummariesNameColumns) {
    const AttackedData data = attacked();
    const SummaryNames names{.features = data.feature_names, .columns = data.columns};
    EXPECT_EQ(rules_of(R"(, "frozen": ["city"], "switch_cost": {"job": [
                  {"from": "cook", "to": "nurse", "cost": 2},
                  {"from": "nurse", "to": "cook", "cost": null}]})")
                  .summary(names),
              "norm: l1\nmay move at radius 1 by: age 2\nfrozen: age is missing, city, city is "
              "missing\ncategories, a switch costs 1 ('cook' to 'nurse' 2, 'nurse' to 'cook' "
              "impossible): job\n");
    EXPECT_NE(rules_of(kPrices).summary(names).find("a switch costs 3 (5 other prices): job"),
              std::string::npos);
    EXPECT_EQ(AttackRules(std::string(R"({"norm": "l1")") + kPrices + "}").summary(),
              "norm: l1\ncategories, a switch costs 3 (to 'nurse' 5, 'cook' to any other 2, 'cook' "
              "to '(other)' impossible): job\n");
    EXPECT_EQ(rules_of(R"(, "frozen": ["job"], "missing": "free")").summary(names),
              "norm: l1\nmay move at radius 1 by: age 2\nfrozen: age is missing, job, city is "
              "missing\ncategories, a switch costs 1: city\nmissing entries move\n");
}

TEST(ColumnRules, ComeBackFromAFile) {
    const AttackedData data = attacked();
    for (const char* fields : {"", R"(, "text_columns": "numbers")", R"(, "frozen": ["job"])",
                               kPrices, R"(, "switch_cost": {"city": [{"cost": null}]})",
                               R"(, "switch_cost": 2, "missing": "free", "bounds": [0, 9])"}) {
        const AttackModel model = rules_of(fields);
        EXPECT_EQ(attack_model_from_json(attack_model_to_json(model, data), data), model) << fields;
    }
}

TEST(ColumnRules, ThatMakeNoSenseAreRefused) {
    const std::vector<Damage> all{
        {R"(, "frozen": ["jop"])",
         "frozen[0]: expected the name of a column, found 'jop'; did you mean 'job'?"},
        {R"(, "frozen": ["colour"])",
         "frozen[0]: expected the name of a column, found 'colour'; the columns are 'age', 'job', "
         "'city'"},
        {R"(, "increase_only": ["job"])",
         "increase_only[0]: expected a column of numbers, found the text column 'job', which can "
         "be frozen or have a switch_cost"},
        {R"(, "scale": {"job": 2})",
         "scale.job: expected a column of numbers, found the text column 'job', which can be "
         "frozen or have a switch_cost"},
        {R"(, "bounds": [{"feature": "job", "value": [0, 1]}])",
         "bounds[0].value: expected a column of numbers, found the text column 'job', which can "
         "be frozen or have a switch_cost"},
        {R"(, "integer": ["city"])",
         "integer[0]: expected a column of numbers, found the text column 'city', which can be "
         "frozen or have a switch_cost"},
        {R"(, "one_hot": [["job", "city"]])",
         "one_hot[0][0]: expected a feature, found the text column 'job', which is a group by "
         "itself"},
        {R"(, "increase_only": ["job=cook"])",
         "increase_only: expected columns of numbers, found 'job=cook' of the text column 'job', "
         "which switches as a whole"},
        {R"(, "switch_cost": {"jobs": 2})",
         "switch_cost: expected the name of a column, found 'jobs'; did you mean 'job'?"},
        {R"(, "switch_cost": {"age": 0})",
         "switch_cost.age: expected a number > 0 for a column of numbers, found 0"},
        {R"(, "switch_cost": {"age": 2}, "scale": {"age": 3})",
         "switch_cost.age: expected columns that are not in scale, found 'age', which is in both"},
        {R"(, "switch_cost": {"job": -2})", "switch_cost.job: expected a number >= 0, found -2"},
        {R"(, "switch_cost": {"job": [{"from": "cok", "cost": 2}]})",
         "switch_cost.job[0].from: expected a category of 'job', found 'cok'; did you mean "
         "'cook'?"},
        {R"(, "switch_cost": {"job": [{"from": "cook", "to": "cook", "cost": 2}]})",
         "switch_cost.job[0]: expected two different categories, found an object"},
        {R"(, "switch_cost": {"job": [{"from": "cook", "cost": -2}]})",
         "switch_cost.job[0].cost: expected a number >= 0, or null where there is no such switch, "
         "found -2"},
        {R"(, "switch_cost": {"job": [{"from": "cook"}]})",
         "switch_cost.job[0].cost: expected a number, found nothing"},
        {R"(, "switch_cost": {"job": [{"form": "cook", "cost": 2}]})",
         "switch_cost.job[0]: unknown field 'form'; did you mean 'from'?"},
        {R"(, "switch_cost": {"job": [3]})", "switch_cost.job[0]: expected an object, found 3"},
        {R"(, "switch_cost": {"age": [{"cost": 2}]})",
         "switch_cost.age: expected one number for a column of numbers, found prices of pairs"},
        {R"(, "one_hot": [{"features": [3, 4], "cost": [{"from": 1, "cost": 7}]}])",
         "one_hot[0].cost[0].from: expected a feature of the group, found 1"},
        {R"(, "switch_cost": {"job": 2}, "one_hot": [["job=cook", "job=nurse"]])",
         "switch_cost: expected columns that are in no group of one_hot, found 'job'"},
        {R"(, "frozen": ["job", "job=cook"])",
         "frozen[1]: expected each feature once, found 'job=cook' twice"},
        {R"(, "text_columns": "group")",
         "text_columns: expected 'groups' or 'numbers', found 'group'"},
        {R"(, "missing": true)", "missing: expected 'free' or 'frozen', found true"},
        {R"(, "comment": 3)", "comment: expected a list of texts, found 3"},
    };
    for (const Damage& damage : all) {
        EXPECT_EQ(message_of<ParseError>([&] { rules_of(damage.column); }),
                  std::string("rules.json: ") + damage.message);
    }
}

TEST(ColumnRules, AreProposedForATable) {
    ReadSettings settings;
    settings.text = TextColumns::OneHot;
    settings.missing = MissingValues::Median;
    std::string text = "id,age,height,job,same,key,kind\n";
    for (int i = 0; i < 12; ++i) {
        text += std::to_string(100 + i) + "," + (i == 3 ? "" : std::to_string(20 + i % 5)) + "," +
                std::to_string(i % 4) + ".5," + (i % 3 == 0 ? "cook" : "nurse") + ",1,k" +
                std::to_string(i) + ",a\n";
    }
    TableCoding coding;
    const FeatureData table = read_features(DataSource::text(text), settings, &coding);
    const std::string proposal = propose_attack_model(table, coding, Norm::LInf);
    const io::Json fields = io::Json::parse(proposal);
    EXPECT_EQ(fields["norm"], "linf");
    EXPECT_EQ(fields["frozen"], (io::Json{"id", "same", "key"}));
    EXPECT_EQ(fields["integer"], io::Json{"age"});
    EXPECT_EQ(fields["bounds"]["height"], (io::Json{0.5, 3.5}));
    EXPECT_EQ(fields["scale"]["height"], 1.118);
    EXPECT_EQ(fields["switch_cost"], (io::Json{{"job", 1.0}}));
    EXPECT_NE(proposal.find("age: missing in 1 row, where it does not move"), std::string::npos);
    const Scaler scaler = Scaler::fit(Scaling::Standard, table.X);
    const AttackModel model =
        attack_model_from_json(proposal, AttackedData::of(coding, scaler), "rules.json");
    EXPECT_NO_THROW(model.check_points(table.X, Vector::Ones(table.X.rows()), {}, table.missing));
}

}  // namespace
}  // namespace redoubt::test
