#include "redoubt/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/checksum.hpp"
#include "io/file_text.hpp"
#include "io/random_models.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/svm.hpp"
#include "support/file_helpers.hpp"

namespace redoubt::test {
namespace {

std::string content_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class ModelFile : public ::testing::TestWithParam<unsigned> {};

TEST_P(ModelFile, RandomModelsComeBackToTheLastBit) {
    Generator generator(GetParam());
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "model.json";
    for (int repeat = 0; repeat < 300; ++repeat) {
        const Model model = random_model(generator);
        save_model(model, path);
        const Model loaded = load_model(path);
        expect_same_model(loaded, model);
        EXPECT_EQ(content_of(path), model_to_json(loaded));
        expect_same_model(model_from_json(model_to_json(model)), model);
        if (HasFatalFailure()) FAIL() << model_to_json(model);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelFile, ::testing::Range(1U, 4U));

/// Three planes of which the first has 40 weights, the second none, the third all.
Model wide_model() {
    constexpr Index kFeatures = 400;
    Matrix coef = Matrix::Zero(3, kFeatures);
    for (Index l = 3; l < kFeatures; l += 10) coef(0, l) = 0.1 * static_cast<double>(l);
    coef(0, 5) = -0.0;
    coef.row(2).setConstant(0.25);
    return Model(Scaler(Scaling::MaxAbs, Vector::Zero(kFeatures), Vector::Ones(kFeatures)),
                 Ensemble(coef, Vector{{0.5, -1.0, 2.0}}), {"ham", "spam"});
}

TEST(SavedModel, ListsTheFeaturesWithAWeight) {
    const Model model = wide_model();
    const std::string text = model_to_json(model);
    const Model loaded = model_from_json(text);
    expect_same_model(loaded, model);
    EXPECT_TRUE(std::signbit(loaded.ensemble().coef()(0, 5)));
    EXPECT_EQ(model_to_json(loaded), text);
    const auto fields = nlohmann::json::parse(text);
    EXPECT_EQ(fields["format_version"], 5);
    EXPECT_EQ(fields["planes"][0]["features"].size(), 41);
    EXPECT_EQ(fields["planes"][0]["features"][0], 4);
    EXPECT_EQ(fields["planes"][1]["features"].size(), 25);
    EXPECT_FALSE(fields["planes"][2].contains("features"));
}

TEST(SavedModel, RefusesListsThatMakeNoSense) {
    const auto message = [](const char* place, const nlohmann::json& value) {
        auto fields = nlohmann::json::parse(model_to_json(wide_model()));
        fields.erase("checksum");
        fields[nlohmann::json::json_pointer(place)] = value;
        return message_of<ParseError>([&] { model_from_json(fields.dump()); });
    };
    EXPECT_NE(message("/planes/0/features/1", 4).find("expected a feature above 4, found 4"),
              std::string::npos);
    EXPECT_NE(message("/planes/0/features/0", 0).find("expected a feature above 0, found 0"),
              std::string::npos);
    EXPECT_NE(message("/planes/0/features/40", 401).find("expected an integer from 0 to 400"),
              std::string::npos);
    EXPECT_NE(message("/planes/0/features", {1, 2}).find("expected a list of at least 25 features"),
              std::string::npos);
    EXPECT_NE(message("/planes/0/w", {1.0}).find("expected a list of 41 numbers"),
              std::string::npos);
}

TEST(SavedModel, PredictsAndCertifiesTheSame) {
    const Dataset data = load_bundled("bcw");
    const Scaler scaler = Scaler::fit(Scaling::Standard, data.X);
    const Matrix scaled = scaler.transform(data.X.dense());
    const Vector radii = Vector::Constant(1, 0.5);
    const Model model(scaler, Ensemble(train_robust_svm({scaled, data.y}, radii).plane),
                      data.classes);
    const TemporaryFolder folder;
    save_model(model, folder.path() / "model.json");
    const Model loaded = load_model(folder.path() / "model.json");
    EXPECT_EQ(loaded.predict_labels(data.X), model.predict_labels(data.X));
    const Matrix few = scaled.topRows(20);
    const std::vector<Certificate> before = certify(model.ensemble(), few);
    const std::vector<Certificate> after = certify(loaded.ensemble(), few);
    for (std::size_t j = 0; j < before.size(); ++j) EXPECT_EQ(before[j].lower, after[j].lower);
}

/// The example of docs/formats.md is the file of `small_model`. If this fails, the format has
/// changed: kModelFormatVersion counts that.
TEST(SavedModel, RulesOfFeaturesWithoutNamesGoByNumber) {
    AttackModel rules;
    rules.scale = Vector::Ones(2);
    rules.scale[1] = 0.0;
    const auto text_with = [&](bool has_header) {
        TableCoding coding = TableCoding::numeric(2);
        coding.has_header = has_header;
        const Scaler scaler(Scaling::None, Vector::Zero(2), Vector::Ones(2));
        const Ensemble planes(Matrix::Ones(1, 2), Vector::Zero(1));
        const Model model(scaler, planes, coding, {}, rules);
        std::string text = model_to_json(model);
        EXPECT_EQ(model_from_json(text).attack_model()->scale, rules.scale);
        return text;
    };
    EXPECT_NE(text_with(true).find("\"frozen\": [\"x2\"]"), std::string::npos) << text_with(true);
    EXPECT_NE(text_with(false).find("\"frozen\": [2]"), std::string::npos) << text_with(false);
}

TEST(SavedModel, AScalerFromElsewhereNeedsVersion2) {
    for (Scaling kind : {Scaling::Standard, Scaling::Custom}) {
        const Scaler scaler(kind, Vector::Zero(1), Vector::Constant(1, 2.0));
        const Ensemble planes(Matrix::Ones(1, 1), Vector::Zero(1));
        const Model model(scaler, planes, ClassNames{"no", "yes"});
        const std::string text = model_to_json(model);
        const char* version =
            kind == Scaling::Custom ? "\"format_version\": 3" : "\"format_version\": 1";
        EXPECT_NE(text.find(version), std::string::npos);
        EXPECT_EQ(model_from_json(text).scaler().kind(), kind);
    }
}

TEST(SavedModel, LooksAsDocumented) {
    const std::string page = content_of(REDOUBT_DATA "/../docs/formats.md");
    const std::string opening = "```json\n";
    const std::size_t start = page.find(opening) + opening.size();
    EXPECT_EQ(model_to_json(small_model()), page.substr(start, page.find("```", start) - start));
}

TEST(SavedModel, MayBeLaidOutInAnotherWay) {
    std::string text = model_to_json(small_model());
    expect_same_model(model_from_json("\xef\xbb\xbf" + text), small_model());
    std::erase(text, '\n');
    expect_same_model(model_from_json(text), small_model());
    // Fields in another order hold the same, so the checksum must be left out.
    const std::size_t first = text.find("\"format\"");
    const std::size_t second = text.find("\"classes\"");
    const std::string head = text.substr(first, second - first);
    text.erase(first, head.size());
    text.replace(text.find("\"checksum\""), std::string::npos, head + "}");
    text.replace(text.rfind(",  }"), 4, "}");
    expect_same_model(model_from_json(text), small_model());
}

TEST(Checksum, IsThatOfZlib) {
    EXPECT_EQ(crc32(""), 0U);
    EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
}

TEST(SavedModel, TextsThatAreNotUtf8AreRefused) {
    const Model model(Scaler::fit(Scaling::None, Matrix::Ones(2, 1)),
                      Ensemble(Hyperplane{Vector::Ones(1), 0.0}), {"\xe4", "b"});
    EXPECT_EQ(message_of<InvalidInput>([&] { model_to_json(model); }),
              "text: expected UTF-8, got '\\xe4'");
}

TEST(ModelSize, IsLimited) {
    const TemporaryFolder folder;
    const std::string path = folder.write("large.json", "{");
    std::filesystem::resize_file(path, kMaxModelBytes + 1);  // takes no room on the disk
    EXPECT_EQ(message_of<ParseError>([&] { load_model(path); }),
              path + ": longer than the limit of 268435456 bytes");
    EXPECT_EQ(message_of<ParseError>([&] { io::FileText("/dev/zero", 1 << 20); }),
              "/dev/zero: longer than the limit of 1048576 bytes");
    const io::FileText just_fits(DataSource::text("abc"), 3);
    EXPECT_EQ(just_fits.text(), "abc");
}

TEST(MissingModel, IsNamed) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "none.json").string();
    EXPECT_EQ(message_of<ParseError>([&] { load_model(path); }), path + ": no such file");
    EXPECT_EQ(message_of<ParseError>([&] { load_model(folder.path()); }),
              folder.path().string() + ": expected a file, found a directory");
}

}  // namespace
}  // namespace redoubt::test
