/// Models of more than two classes as files.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "redoubt/data_files.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"

namespace redoubt::testing {
namespace {

constexpr const char* kTable = "a,b,kind\n1,2,x\n3,4,y\n5,6,z\n2,1,x\n4,3,y\n6,5,z\n";

TrainingData three_classes() {
    ReadSettings settings;
    settings.dialect.format = FileFormat::Csv;
    settings.label = "kind";
    settings.max_classes = 10;
    return read_training_data(DataSource::text(kTable, "<text>"), settings);
}

Model three_class_model(ClassScore score, bool has_ties) {
    const Index n_planes = score == ClassScore::Value ? 3 : 5;
    Matrix W(n_planes, 2);
    for (Index i = 0; i < n_planes; ++i) W.row(i) << 0.5 * static_cast<double>(i) - 1.0, 0.25;
    const Vector b = Vector::LinSpaced(n_planes, -1.0, 1.0);
    std::vector<Index> counts{1, 1, 1};
    if (score == ClassScore::Votes) counts = {2, 2, 1};
    std::vector<char> is_minus;
    if (has_ties) is_minus = {0, 1, 0, 0, 1};
    const TrainingData data = three_classes();
    return {Scaler::fit(Scaling::Standard, data.data.X),
            ClassVote(Ensemble(W, b), counts, score, is_minus), data.coding};
}

std::string trouble_of(const std::string& text) {
    try {
        model_from_json(text);
    } catch (const ParseError& error) {
        return error.what();
    }
    return "";
}

TEST(ClassModels, LabelsAreNumbersOfClasses) {
    const TrainingData training = three_classes();
    EXPECT_EQ(training.data.classes, (ClassNames{"x", "y", "z"}));
    EXPECT_EQ(training.data.y, (Vector(6) << 0, 1, 2, 0, 1, 2).finished());
    EXPECT_NO_THROW(training.data.check());
    const Dataset later = read_dataset(DataSource::text("a,b,kind\n1,1,z\n", "<text>"),
                                       training.coding);
    EXPECT_EQ(later.y[0], 2.0);
    const Split split = hold_out(training.data.y, 0.5, 0, 3);
    EXPECT_EQ(split.test.size(), 3U);
    EXPECT_THROW(read_dataset(DataSource::text("a,b,kind\n1,1,w\n", "<text>"), training.coding),
                 ParseError);
}

TEST(ClassModels, ComeBackAsTheyWere) {
    for (const ClassScore score : {ClassScore::Value, ClassScore::Votes}) {
        const Model model = three_class_model(score, score == ClassScore::Votes);
        const std::string text = model_to_json(model);
        EXPECT_EQ(nlohmann::json::parse(text)["format_version"], 7);
        const Model loaded = model_from_json(text);
        EXPECT_EQ(model_to_json(loaded), text);
        ASSERT_TRUE(loaded.class_vote());
        EXPECT_EQ(loaded.class_vote()->score(), score);
        EXPECT_EQ(loaded.class_vote()->is_minus_at_zero(), model.class_vote()->is_minus_at_zero());
        const PointSet raw = three_classes().data.X;
        EXPECT_EQ(loaded.predict_labels(raw), model.predict_labels(raw));
    }
}

TEST(ClassModels, DamageIsNamed) {
    const nlohmann::json good = [] {
        auto fields =
            nlohmann::json::parse(model_to_json(three_class_model(ClassScore::Votes, true)));
        fields.erase("checksum");
        return fields;
    }();
    EXPECT_EQ(trouble_of(good.dump()), "");
    const auto change = [&](const std::string& place, const nlohmann::json& value) {
        nlohmann::json fields = good;
        fields[nlohmann::json::json_pointer(place)] = value;
        return trouble_of(fields.dump());
    };
    EXPECT_EQ(change("/decision/score", "most"),
              "<text>: decision.score: expected 'value' or 'votes', found 'most'");
    EXPECT_EQ(change("/decision/planes_per_class", {2, 2}),
              "<text>: decision: counts: expected numbers that add up to the 5 planes, got 4");
    EXPECT_EQ(change("/decision/planes_per_class", {2, 3, 0}),
              "<text>: decision: counts: expected at least one plane per class, got 0");
    EXPECT_EQ(change("/decision/minus_at_zero", {5}),
              "<text>: decision.minus_at_zero[0]: expected an integer from 0 to 4, found 5");
    EXPECT_EQ(change("/quota", 2),
              "<text>: decision: planes: expected no quota with several classes, got 2");
    EXPECT_EQ(change("/classes", {"x", "y"}), "<text>: classes: expected 3 texts, got 2");
    EXPECT_EQ(change("/classes", {"x", "y", "x"}),
              "<text>: classes: expected different classes, got 'x' and 'x'");
}

}  // namespace
}  // namespace redoubt::testing
