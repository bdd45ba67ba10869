#include "redoubt/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"
#include "support/file_helpers.hpp"

namespace redoubt::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class RawFeatures : public ::testing::TestWithParam<Scaling> {};

TEST_P(RawFeatures, GoInAndComeOut) {
    const Dataset data = load_bundled("bcw");
    const Scaler scaler = Scaler::fit(GetParam(), data.X);
    const Matrix scaled = scaler.transform(data.X.dense());
    const Model model(scaler, Ensemble(train_svm({scaled, data.y}).plane), data.classes);
    EXPECT_EQ(model.predict_all(data.X), model.ensemble().predict_all(scaled));
    const std::vector<std::string> labels = model.predict_labels(data.X);
    const Eigen::VectorXi answers = model.predict_all(data.X);
    for (Index j = 0; j < data.X.rows(); ++j) {
        ASSERT_EQ(labels[static_cast<std::size_t>(j)], answers[j] > 0 ? "malignant" : "benign");
    }
    // A witness in raw units, taken a little further, changes the answer to the raw point.
    const Certificate certificate = certify(model.ensemble(), scaled.topRows(1))[0];
    const Matrix step = model.to_raw_units(1.001 * certificate.witness.transpose());
    EXPECT_EQ(model.predict_all(data.X.dense().topRows(1) + step)[0], -answers[0]);
}

INSTANTIATE_TEST_SUITE_P(Scalings, RawFeatures,
                         ::testing::Values(Scaling::None, Scaling::Standard, Scaling::MinMax,
                                           Scaling::MaxAbs),
                         [](const auto& instance) {
                             return std::string(to_string(instance.param));
                         });

TEST(ModelErrors, NameWhatDoesNotFit) {
    const Ensemble ensemble(Hyperplane{Vector::Ones(2), 0.0});
    try {
        const Model model(Scaler::fit(Scaling::None, Matrix::Ones(2, 3)), ensemble, {"a", "b"});
        FAIL() << "accepted";
    } catch (const InvalidInput& error) {
        EXPECT_STREQ(error.what(), "scaler: expected length 2, got length 3");
    }
    const Model model(Scaler::fit(Scaling::None, Matrix::Ones(2, 2)), ensemble, {"a", "b"});
    EXPECT_THROW(model.predict_all(Matrix::Ones(1, 3)), InvalidInput);
    EXPECT_THROW(model.to_raw_units(Matrix::Ones(1, 3)), InvalidInput);
}

TEST(ModelErrors, NameWhatNoTrainingFileGives) {
    const Ensemble ensemble(Hyperplane{Vector::Ones(2), 0.0});
    const Scaler scaler = Scaler::fit(Scaling::None, Matrix::Ones(2, 2));
    const auto error = [&](const TableCoding& coding) {
        return test::message_of<InvalidInput>([&] { Model(scaler, ensemble, coding); });
    };
    TableCoding coding = TableCoding::numeric(2);
    EXPECT_EQ(error(coding), "nothing was thrown");
    EXPECT_EQ(error(TableCoding::numeric(3)), "feature_names: expected length 2, got length 3");
    coding.classes = {"1", "1.0"};
    EXPECT_EQ(error(coding), "classes: expected two different classes, got '1' and '1.0'");
    coding = TableCoding::numeric(2);
    coding.columns[0].fill = kInfinity;
    EXPECT_EQ(error(coding), "coding.columns[0].fill: expected a finite number, got inf");
    coding = TableCoding::numeric(1);
    coding.columns[0].categories = {"a", "a"};
    EXPECT_EQ(
        error(coding),
        "coding.columns[0].categories: expected different texts in byte order, got 'a' before "
        "'a'");
}

TEST(TrainingRadii, AreSummarised) {
    EXPECT_EQ(TrainingRadii::of(Vector()), TrainingRadii{});
    EXPECT_EQ(TrainingRadii::of(Vector::Constant(1, 0.5)), (TrainingRadii{1, 0.5, 0.5, 0.5}));
    EXPECT_EQ(TrainingRadii::of((Vector(4) << 0.5, 0, 2, 1.5).finished()),
              (TrainingRadii{4, 0.0, 2.0, 1.0}));
    // Neither overflow nor rounding takes the mean out of the range.
    const double most = std::numeric_limits<double>::max();
    EXPECT_EQ(TrainingRadii::of(Vector::Constant(3, most)).mean, most);
    EXPECT_EQ(TrainingRadii::of(Vector::Constant(10, 0.1)).mean, 0.1);
    EXPECT_THROW(TrainingRadii::of(Vector::Constant(1, -0.5)), InvalidInput);
}

TEST(TrainingRecord, IsChecked) {
    const auto error = [](const std::function<void(TrainingRecord&)>& change) {
        TrainingRecord record;
        record.settings = {{"C", 1.0}};
        record.rounds = {{"round", "seconds"}, {{1.0, std::nan("")}}};
        record.check();
        change(record);
        return test::message_of<InvalidInput>([&] { record.check(); });
    };
    EXPECT_EQ(error([](auto& record) { record.n_points = -1; }),
              "training.n_points: expected an integer from 0 to 9007199254740992, got -1");
    EXPECT_EQ(error([](auto& record) { record.gap = kInfinity; }),
              "training.gap: expected a finite number, got inf");
    EXPECT_EQ(error([](auto& record) {
                  record.settings.push_back({"C", "2"});
              }),
              "training.settings.C: expected one value, got several");
    EXPECT_EQ(error([](auto& record) { record.settings[0].value = kInfinity; }),
              "training.settings.C: expected a text or a finite number, got inf");
    EXPECT_EQ(error([](auto& record) {
                  for (int i = 0; i < 1000; ++i)
                      record.settings.push_back({std::to_string(i), 0.0});
              }),
              "training.settings: expected at most 1000 entries, got 1001");
    EXPECT_EQ(error([](auto& record) { record.rounds.rows.push_back({1.0}); }),
              "training.rounds.rows[1]: expected length 2, got length 1");
    EXPECT_EQ(error([](auto& record) { record.rounds.rows[0][1] = -kInfinity; }),
              "training.rounds.rows[0][1]: expected a finite number or NaN, got -inf");
}

}  // namespace
}  // namespace redoubt::testing
