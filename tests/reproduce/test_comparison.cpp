/// The comparison with published cells: a wrong cell must be called wrong.

#include <gtest/gtest.h>

#include "experiments/comparison.hpp"

namespace redoubt::reproduction {
namespace {

PublishedAccuracy cell(double percent) {
    return {.dataset = "bcw",
            .method = "Ens-E",
            .defense_radius = 0.1,
            .attack_radius = 0.5,
            .percent = percent};
}

/// The share of 140 test points.
double share(int n_points) {
    return n_points / 140.0;
}

TEST(Comparison, EqualUpToThePublishedDecimal) {
    // 130 of 140 is 92.857 %, printed as 92.9.
    const CellComparison result = compare_cell(cell(92.9), share(130), 140);
    EXPECT_EQ(result.verdict, Verdict::Equal);
    EXPECT_EQ(result.n_points, 0);
}

TEST(Comparison, OnePointEitherWay) {
    const CellComparison more = compare_cell(cell(92.9), share(131), 140);
    EXPECT_EQ(more.verdict, Verdict::OnePoint);
    EXPECT_EQ(more.n_points, 1);
    const CellComparison less = compare_cell(cell(92.9), share(129), 140);
    EXPECT_EQ(less.verdict, Verdict::OnePoint);
    EXPECT_EQ(less.n_points, -1);
}

TEST(Comparison, TwoPointsAreDifferent) {
    const CellComparison result = compare_cell(cell(92.9), share(132), 140);
    EXPECT_EQ(result.verdict, Verdict::Different);
    EXPECT_EQ(result.n_points, 2);
}

TEST(Comparison, FigureOfNoNumberOfPointsIsDifferent) {
    // The nearest counts of 140 give 92.857 and 93.571.
    EXPECT_FALSE(is_count(93.2, 140));
    EXPECT_TRUE(is_count(92.9, 140));
    EXPECT_EQ(compare_cell(cell(93.2), share(130), 140).verdict, Verdict::Different);
    EXPECT_EQ(compare_cell(cell(93.2), share(131), 140).verdict, Verdict::Different);
}

TEST(Comparison, EveryPublishedCellIsAIntegerOfTestPoints) {
    const std::map<std::string, Index> n_test{
        {"gaussian", 40}, {"bcw", 140}, {"digits3", 360}, {"digits7", 360}};
    const std::vector<PublishedAccuracy> cells = published_accuracies();
    ASSERT_EQ(cells.size(), 1140U);
    for (const PublishedAccuracy& published : cells)
        EXPECT_TRUE(is_count(published.percent, n_test.at(published.dataset)));
    EXPECT_EQ(published_k_development().size(), 180U);
    EXPECT_EQ(published_times().size(), 95U);
}

Cells only(double own_share) {
    return {{key_of(cell(92.9)), own_share}};
}

TEST(Comparison, ComparesTheCellsThatThereAre) {
    const std::vector<CellComparison> result =
        compare_cells({cell(92.9), {.dataset = "bcw", .method = "RO-SVM", .percent = 50.0}},
                      only(share(131)), {{"bcw", 140}});
    ASSERT_EQ(result.size(), 1U);
    EXPECT_EQ(result[0].published.method, "Ens-E");
    EXPECT_EQ(result[0].verdict, Verdict::OnePoint);
}

Explanation explanation(int own, const std::vector<Alternative>& alternatives,
                        const std::string& open = "") {
    return explain_cell(compare_cell(cell(92.9), share(own), 140), 140, alternatives, open);
}

TEST(Comparison, AlternativeThatGivesThePublishedFigureExplains) {
    const Explanation one = explanation(127, {{"E6", only(share(128))}, {"E7", only(share(130))}});
    EXPECT_EQ(one.errata, "E7");
    EXPECT_EQ(one.evidence, Evidence::Shown);
    EXPECT_EQ(explanation(127, {{"E6", only(share(130))}, {"E7", only(share(130))}}).errata,
              "E6 E7");
    EXPECT_EQ(explanation(127, {{"E7", only(share(130))}, {"E7", only(share(130))}}).errata, "E7");
}

TEST(Comparison, AlternativesOnBothSidesExplainTogether) {
    const Explanation both = explanation(
        127, {{"E6", only(share(128))}, {"E7", only(share(133))}, {"E9", only(share(127))}});
    EXPECT_EQ(both.errata, "E6 E7");
    EXPECT_EQ(both.evidence, Evidence::Between);
}

TEST(Comparison, NothingNearIsUnexplained) {
    const std::vector<Alternative> far{{"E6", only(share(126))}, {"E7", only(share(128))}};
    EXPECT_EQ(explanation(127, far).errata, "unexplained");
    EXPECT_EQ(explanation(127, far).evidence, Evidence::None);
    EXPECT_EQ(explanation(127, {}).errata, "unexplained");
    // An alternative that does not have the cell says nothing.
    EXPECT_EQ(explanation(127, {{"E6", {}}}).errata, "unexplained");
}

TEST(Comparison, UndeterminedRowIsLeftOpen) {
    const Explanation open = explanation(127, {{"E7", only(share(128))}}, "E6");
    EXPECT_EQ(open.errata, "E6");
    EXPECT_EQ(open.evidence, Evidence::Open);
}

TEST(Comparison, FigureOfNoNumberOfPointsIsUnexplained) {
    const CellComparison odd = compare_cell(cell(93.2), share(130), 140);
    const std::vector<Alternative> near{{"E6", {{key_of(odd.published), share(131)}}}};
    EXPECT_EQ(explain_cell(odd, 140, near, "E6").errata, "unexplained");
}

TEST(Comparison, CountsVerdicts) {
    VerdictCount count;
    count.add(Verdict::Equal);
    count.add(Verdict::OnePoint);
    count.add(Verdict::Different);
    count.add(Verdict::Different);
    EXPECT_EQ(count.n_different(), 2);
    EXPECT_EQ(summary_text(Mode::AsPublished, count),
              "as published: 1 of 4 cells equal, 2 within one test point");
}

}  // namespace
}  // namespace redoubt::reproduction
