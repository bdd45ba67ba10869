/// Cells of the published tables that do not depend on a solver's tolerance.

#include <gtest/gtest.h>

#include "experiments/published_tables.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "support/published_parts.hpp"

namespace redoubt::testing {

using namespace reproduction;

namespace {

struct Row {
    std::string dataset;
    std::string method;
    double radius;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.dataset << ' ' << row.method << ' ' << row.radius;
}

class PublishedEnsembles : public ::testing::TestWithParam<Row> {};

TEST_P(PublishedEnsembles, CellsAreEqual) {
    const Row& row = GetParam();
    const PublishedParts data = published_parts(row.dataset);
    RobustEnsembleSettings settings;
    settings.adversary = row.method == "Ens-E" ? Adversary::Exact : Adversary::Heuristic;
    settings.rule = HeuristicRule::Published;
    const RobustEnsembleResult result = train_robust_ensemble(
        {data.train_X, data.train_y}, Vector::Constant(1, row.radius), settings);
    ASSERT_EQ(result.status, Status::Optimal);
    const std::vector<Certificate> certificates =
        certify(result.ensemble(), data.test_X, data.test_y);
    Vector radii(data.test_y.size());
    for (Index j = 0; j < radii.size(); ++j)
        radii[j] = certificates[static_cast<std::size_t>(j)].radius;
    int n_cells = 0;
    for (const PublishedAccuracy& cell : published_accuracies()) {
        if (cell.dataset != row.dataset || cell.norm != Norm::L2 || cell.method != row.method ||
            cell.defense_radius != row.radius) {
            continue;
        }
        const AttackCurve curve =
            attack_curve(radii, data.test_y, Vector::Constant(1, cell.attack_radius));
        EXPECT_NEAR(100.0 * curve.accuracy[0], cell.percent, 0.0501)
            << "attack radius " << cell.attack_radius;
        ++n_cells;
    }
    EXPECT_EQ(n_cells, 12);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PublishedEnsembles,
    ::testing::Values(Row{"gaussian", "Ens-H", 0.01}, Row{"gaussian", "Ens-H", 0.05},
                      Row{"gaussian", "Ens-H", 0.1}, Row{"gaussian", "Ens-H", 0.25},
                      Row{"gaussian", "Ens-H", 0.5}, Row{"bcw", "Ens-H", 0.1},
                      Row{"digits3", "Ens-H", 0.5}, Row{"gaussian", "Ens-E", 0.001},
                      Row{"gaussian", "Ens-E", 0.01}, Row{"gaussian", "Ens-E", 0.25}));

}  // namespace
}  // namespace redoubt::testing
