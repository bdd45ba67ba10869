/// The published accuracies of bagged SVMs under l2 attack, from one certificate per test point.

#include <gtest/gtest.h>

#include "experiments/published_tables.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/svm.hpp"
#include "support/published_parts.hpp"

namespace redoubt::testing {

using namespace reproduction;

namespace {

struct Column {
    std::string dataset;
    int n_different;  ///< cells that may be off, by one test point
};

void PrintTo(const Column& column, std::ostream* out) {
    *out << column.dataset;
}

class PublishedBagging : public ::testing::TestWithParam<Column> {};

TEST_P(PublishedBagging, CellsAreEqual) {
    const Column& column = GetParam();
    const PublishedParts data = published_parts(column.dataset);
    const Matrix bags = published_bags(column.dataset);
    std::vector<Hyperplane> planes;
    for (Index t = 0; t < 15; ++t)
        planes.push_back(train_svm({data.train_X, data.train_y, bags.row(t).transpose()}).plane);
    const auto certificates = certify(Ensemble(planes), data.test_X, data.test_y);
    Vector radii(data.test_y.size());
    for (Index j = 0; j < radii.size(); ++j) {
        const Certificate& certificate = certificates[static_cast<std::size_t>(j)];
        ASSERT_EQ(certificate.status, Status::Optimal);
        radii[j] = certificate.radius;
    }

    int n_cells = 0;
    int n_different = 0;
    for (const PublishedAccuracy& cell : published_accuracies()) {
        if (cell.dataset != column.dataset || cell.norm != Norm::L2 || cell.method != "SVM-Ens")
            continue;
        const AttackCurve curve =
            attack_curve(radii, data.test_y, Vector::Constant(1, cell.attack_radius));
        const double difference = std::abs(100.0 * curve.accuracy[0] - cell.percent);
        EXPECT_LE(difference, 100.0 / static_cast<double>(data.test_y.size()) + 0.0501)
            << cell.attack_radius;
        n_different += difference > 0.0501 ? 1 : 0;
        ++n_cells;
    }
    EXPECT_EQ(n_cells, 12);
    EXPECT_LE(n_different, column.n_different);
}

INSTANTIATE_TEST_SUITE_P(Columns, PublishedBagging,
                         ::testing::Values(Column{"gaussian", 0}, Column{"digits7", 0},
                                           Column{"bcw", 1}, Column{"digits3", 1}),
                         [](const auto& instance) { return instance.param.dataset; });

// Pixels that are constant in some bags have no weight in those planes, which once led the boxed
// search into singular bases.
TEST(BaggedPlanes, AreSettledInABoxAsWithout) {
    const PublishedParts data = published_parts("digits3");
    const Vector weights = Vector::Ones(data.train_X.rows());
    const Ensemble vote = train_bagged_svms({data.train_X, data.train_y, weights}).ensemble();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const std::vector<Certificate> plain = certify(vote, data.test_X, data.test_y, settings);
        AttackModel wide;
        wide.norm = norm;
        wide.lower = Vector::Constant(data.test_X.cols(), -1e3);
        settings.attack_model = wide;
        const std::vector<Certificate> boxed = certify(vote, data.test_X, data.test_y, settings);
        for (std::size_t j = 0; j < plain.size(); ++j) {
            EXPECT_EQ(plain[j].status, Status::Optimal) << to_string(norm) << ' ' << j;
            EXPECT_EQ(boxed[j].status, Status::Optimal) << to_string(norm) << ' ' << j;
            EXPECT_NEAR(boxed[j].radius, plain[j].radius, 1e-9) << to_string(norm) << ' ' << j;
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
