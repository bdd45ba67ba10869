/// The published accuracies of the robust SVM, cell by cell, wherever its optimum is unique.

#include <gtest/gtest.h>

#include <map>

#include "experiments/published_tables.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/svm.hpp"
#include "support/published_parts.hpp"

namespace redoubt::testing {

using namespace reproduction;

namespace {

struct SvmColumn {
    std::string published_name;
    std::string bundled_name;
    Norm norm;
    double least_defense_radius;  ///< from here on the published optimum is unique
    int n_cells;
};

void PrintTo(const SvmColumn& column, std::ostream* out) {
    *out << column.published_name << " " << to_string(column.norm);
}

class PublishedRobustSvm : public ::testing::TestWithParam<SvmColumn> {};

TEST_P(PublishedRobustSvm, EveryCellIsEqual) {
    const SvmColumn& column = GetParam();
    const PublishedParts data = published_parts(column.bundled_name);
    RobustSvmSettings settings;
    settings.attack_model.norm = column.norm;

    std::map<double, Vector> radii_of;
    int n_cells = 0;
    for (const PublishedAccuracy& cell : published_accuracies()) {
        if (cell.dataset != column.published_name || cell.norm != column.norm ||
            cell.method != "RO-SVM")
            continue;
        if (cell.defense_radius < column.least_defense_radius) continue;
        Vector& signed_radii = radii_of[cell.defense_radius];
        if (signed_radii.size() == 0) {
            const SvmResult result = train_robust_svm(
                {data.train_X, data.train_y}, Vector::Constant(1, cell.defense_radius), settings);
            ASSERT_EQ(result.status, Status::Optimal);
            signed_radii = plane_radii(result.plane, data.test_X, data.test_y, column.norm);
        }
        const AttackCurve curve =
            attack_curve(signed_radii, data.test_y, Vector::Constant(1, cell.attack_radius));
        // Published figures are rounded to one decimal.
        EXPECT_NEAR(100.0 * curve.accuracy[0], cell.percent, 0.0501)
            << "defense radius " << cell.defense_radius << ", attack radius " << cell.attack_radius;
        ++n_cells;
    }
    EXPECT_EQ(n_cells, column.n_cells);
}

INSTANTIATE_TEST_SUITE_P(Columns, PublishedRobustSvm,
                         ::testing::Values(SvmColumn{"bcw", "bcw", Norm::L2, 0.0, 72},
                                           SvmColumn{"digits3", "digits3", Norm::L2, 0.1, 36},
                                           SvmColumn{"gaussian", "gaussian", Norm::L2, 0.25, 24},
                                           SvmColumn{"gaussian", "gaussian", Norm::LInf, 0.25, 24}),
                         [](const auto& instance) {
                             return instance.param.published_name + "_" +
                                    std::string(to_string(instance.param.norm));
                         });

}  // namespace
}  // namespace redoubt::testing
