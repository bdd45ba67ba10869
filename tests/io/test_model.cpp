#include "redoubt/model.hpp"

#include <gtest/gtest.h>

#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::testing {
namespace {

class RawFeatures : public ::testing::TestWithParam<Scaling> {};

TEST_P(RawFeatures, GoInAndComeOut) {
    const Dataset data = load_bundled("bcw");
    const Scaler scaler = Scaler::fit(GetParam(), data.X);
    const Matrix scaled = scaler.transform(data.X);
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
    EXPECT_EQ(model.predict_all(data.X.topRows(1) + step)[0], -answers[0]);
}

INSTANTIATE_TEST_SUITE_P(Scalings, RawFeatures,
                         ::testing::Values(Scaling::None, Scaling::Standard, Scaling::MinMax),
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

}  // namespace
}  // namespace redoubt::testing
