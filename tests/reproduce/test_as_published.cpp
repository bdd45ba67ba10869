/// A part of the published tables, rerun: the cells that must come out equal, and the counts that
/// must not fall.

#include <gtest/gtest.h>

#include "experiments/alternatives.hpp"
#include "experiments/comparison.hpp"
#include "experiments/experiments.hpp"
#include "experiments/published_tables.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::reproduction {
namespace {

std::vector<CellComparison> rerun(const std::string& dataset, Norm norm) {
    Problems problems{{dataset, published_problem(dataset)}};
    RunSettings settings;
    settings.row.mode = Mode::AsPublished;
    settings.n_threads = 1;
    const std::vector<RowResult> rows =
        run_rows(problems, table_rows({dataset, norm}, Mode::AsPublished), settings);
    return compare_cells(published_accuracies(), cells_of(rows),
                         {{dataset, problems.at(dataset).test_y.size()}});
}

VerdictCount count(const std::vector<CellComparison>& cells, const std::string& method,
                   double least_defense = 0.0) {
    VerdictCount result;
    for (const CellComparison& cell : cells) {
        if (cell.published.method == method && cell.published.defense_radius >= least_defense)
            result.add(cell.verdict);
    }
    return result;
}

TEST(AsPublished, Gaussian) {
    const std::vector<CellComparison> cells = rerun("gaussian", Norm::L2);
    EXPECT_EQ(cells.size(), 228U);
    EXPECT_EQ(count(cells, "SVM-Ens").n_equal, 12);
    EXPECT_EQ(count(cells, "RO-SVM", 0.25).n_equal, 24);
    EXPECT_EQ(count(cells, "RO-SVM").n_within_one, 72);
    EXPECT_GE(count(cells, "Ens-E").n_equal, 68);
    EXPECT_GE(count(cells, "Ens-H").n_equal, 72);
}

TEST(AsPublished, GaussianUnderLInf) {
    const std::vector<CellComparison> cells = rerun("gaussian", Norm::LInf);
    EXPECT_EQ(cells.size(), 228U);
    EXPECT_EQ(count(cells, "SVM-Ens").n_equal, 12);
    EXPECT_EQ(count(cells, "RO-SVM").n_equal, 72);
    EXPECT_GE(count(cells, "Ens-E").n_equal, 65);
    EXPECT_GE(count(cells, "Ens-R").n_equal, 71);
}

TEST(AsPublished, BreastCancer) {
    const std::vector<CellComparison> cells = rerun("bcw", Norm::L2);
    EXPECT_EQ(cells.size(), 228U);
    EXPECT_EQ(count(cells, "SVM-Ens").n_equal, 12);
    EXPECT_EQ(count(cells, "RO-SVM").n_equal, 72);
    EXPECT_GE(count(cells, "Ens-E").n_within_one, 58);
    EXPECT_GE(count(cells, "Ens-H").n_within_one, 58);
}

class SolverPlanes : public ::testing::TestWithParam<RowKey> {};

/// They are optima of the robust SVM as good as ours, and not ours.
TEST_P(SolverPlanes, AreOptimal) {
    const RowKey& row = GetParam();
    const Problem problem = published_problem(row.dataset);
    const std::optional<Hyperplane> plane = solver_plane(row.dataset, row.norm, row.defense_radius);
    ASSERT_TRUE(plane);
    const double size = norm_value(dual(row.norm), plane->w);
    const Vector values = problem.train_X * plane->w;
    const Vector losses =
        (1.0 + row.defense_radius * size - problem.train_y.array() * (values.array() + plane->b))
            .max(0.0);
    EXPECT_LE(losses.sum(), 2e-5);
    RobustSvmSettings settings;
    settings.attack_model.norm = row.norm;
    const Hyperplane own = train_robust_svm({problem.train_X, problem.train_y},
                                            Vector::Constant(1, row.defense_radius), settings)
                               .plane;
    EXPECT_LT(own.w.norm(), plane->w.norm());
}

INSTANTIATE_TEST_SUITE_P(Rows, SolverPlanes,
                         ::testing::Values(RowKey{"gaussian", Norm::L2, "RO-SVM", 0.001},
                                           RowKey{"gaussian", Norm::L2, "RO-SVM", 0.1},
                                           RowKey{"gaussian", Norm::LInf, "RO-SVM", 0.01},
                                           RowKey{"gaussian", Norm::LInf, "RO-SVM", 0.1},
                                           RowKey{"digits3", Norm::L2, "RO-SVM", 0.001},
                                           RowKey{"digits3", Norm::L2, "RO-SVM", 0.05},
                                           RowKey{"digits7", Norm::L2, "RO-SVM", 0.01},
                                           RowKey{"digits7", Norm::L2, "RO-SVM", 0.25}));

TEST(SolverPlanes, NoneWhereTheOptimumIsUnique) {
    EXPECT_FALSE(solver_plane("bcw", Norm::L2, 0.1));
    EXPECT_FALSE(solver_plane("gaussian", Norm::L2, 0.25));
}

}  // namespace
}  // namespace redoubt::reproduction
