/// The models as data: printed and checked by hand, and bad ones refused.

#include "reference/mip_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

#include "reference/paper_models.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

using mip::MipModel;
using mip::ModelPlanes;
using mip::Sense;

/// Plane 1: 2 d_1 - d_2 >= 0.5. Plane 2: d_2 >= -4, met already, so that its constant M is 0.
ModelPlanes two_planes() {
    ModelPlanes planes;
    planes.a.resize(2, 2);
    planes.a << 2, -1, 0, 1;
    planes.m.resize(2);
    planes.m << 0.5, -4;
    return planes;
}

TEST(MipModel, ExactAdversaryForLInf) {
    EXPECT_EQ(exact_adversary_model(two_planes(), 2.0, Norm::LInf).to_text(),
              "minimize\n"
              "  z_1 + z_2\n"
              "subject to\n"
              "  fool_1: 2 d_1 - d_2 + 6.5 z_1 >= 0.5\n"
              "  fool_2: d_2 >= -4\n"
              "bounds\n"
              "  -2 <= d_1 <= 2\n"
              "  -2 <= d_2 <= 2\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(MipModel, ExactAdversaryForL1SplitsTheStep) {
    ModelPlanes planes = two_planes();
    planes.margin = 0.25;
    EXPECT_EQ(exact_adversary_model(planes, 2.0, Norm::L1).to_text(),
              "minimize\n"
              "  z_1 + z_2\n"
              "subject to\n"
              "  fool_1: 2 plus_1 - plus_2 - 2 minus_1 + minus_2 + 4.75 z_1 >= 0.75\n"
              "  fool_2: plus_2 - minus_2 >= -3.75\n"
              "  ball: plus_1 + plus_2 + minus_1 + minus_2 <= 2\n"
              "bounds\n"
              "  0 <= plus_1 <= 2\n"
              "  0 <= plus_2 <= 2\n"
              "  0 <= minus_1 <= 2\n"
              "  0 <= minus_2 <= 2\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(MipModel, LeastRadius) {
    ModelPlanes planes = two_planes();
    planes.a.row(0) << 3, -4;
    MipModel model = least_radius_model(planes, 2, 8.0, Norm::L2);
    add_ball_cut(&model, Vector::Unit(2, 1), 1.0);
    EXPECT_EQ(model.to_text(),
              "minimize\n"
              "  t\n"
              "subject to\n"
              "  fool_1: 3 d_1 - 4 d_2 + 40.5 z_1 >= 0.5\n"
              "  fool_2: d_2 + 4 z_2 >= -4\n"
              "  need: z_1 + z_2 <= 0\n"
              "  above_1: d_1 - t <= 0\n"
              "  below_1: d_1 + t >= 0\n"
              "  above_2: d_2 - t <= 0\n"
              "  below_2: d_2 + t >= 0\n"
              "  cut_8: d_2 - t <= 0\n"
              "bounds\n"
              "  -8 <= d_1 <= 8\n"
              "  -8 <= d_2 <= 8\n"
              "  0 <= t <= 8\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(MipModel, RelaxedAdversaryForLInf) {
    ModelPlanes planes;
    planes.a.resize(2, 1);
    planes.a << 3, -2;
    planes.m.resize(2);
    planes.m << 0.5, 2;
    EXPECT_EQ(relaxed_adversary_model(planes, 0.5, Norm::LInf).to_text(),
              "maximize\n"
              "  0.5 v_1 - v_2 + 0.5 nu_1\n"
              "subject to\n"
              "  abs_1: 3 v_1 - 2 v_2 + nu_1 - 2 rho_1 = 0\n"
              "  positive_1: 3 v_1 - 2 v_2 - 5 tau_1 <= 0\n"
              "  negative_1: 3 v_1 - 2 v_2 - 5 tau_1 >= -5\n"
              "  product_off_1: rho_1 - 5 tau_1 <= 0\n"
              "  product_above_1: - 3 v_1 + 2 v_2 + rho_1 + 5 tau_1 <= 5\n"
              "  product_below_1: - 3 v_1 + 2 v_2 + rho_1 - 5 tau_1 >= -5\n"
              "bounds\n"
              "  0 <= v_1 <= 1\n"
              "  0 <= v_2 <= 1\n"
              "  0 <= nu_1 <= 5\n"
              "  0 <= rho_1 <= 5\n"
              "binary\n"
              "  tau_1\n");
}

TEST(MipModel, RelaxedAdversaryForL1) {
    ModelPlanes planes;
    planes.a.resize(1, 2);
    planes.a << 3, -2;
    planes.m.resize(1);
    planes.m << 0.5;
    EXPECT_EQ(relaxed_adversary_model(planes, 2.0, Norm::L1).to_text(),
              "maximize\n"
              "  0.5 v_1 + 2 pi_1 + 2 pi_2\n"
              "subject to\n"
              "  one: mu_1 + mu_2 = 1\n"
              "  negative_1: 3 v_1 + nu_1 - 6 tau_1 <= 0\n"
              "  positive_1: - 3 v_1 + nu_1 + 6 tau_1 <= 6\n"
              "  product_off_1: pi_1 - 3 mu_1 <= 0\n"
              "  product_on_1: pi_1 - nu_1 <= 0\n"
              "  negative_2: - 2 v_1 + nu_2 - 4 tau_2 <= 0\n"
              "  positive_2: 2 v_1 + nu_2 + 4 tau_2 <= 4\n"
              "  product_off_2: pi_2 - 2 mu_2 <= 0\n"
              "  product_on_2: pi_2 - nu_2 <= 0\n"
              "bounds\n"
              "  0 <= v_1 <= 1\n"
              "  0 <= nu_1 <= 3\n"
              "  0 <= nu_2 <= 2\n"
              "  0 <= pi_1 <= 3\n"
              "  0 <= pi_2 <= 2\n"
              "binary\n"
              "  mu_1 mu_2 tau_1 tau_2\n");
    EXPECT_THROW(relaxed_adversary_model(planes, 2.0, Norm::L2), std::logic_error);
}

TEST(MipModel, KeepsTheMatrixByRows) {
    MipModel model(Sense::Maximize);
    const int a = model.add_column({"a", -HUGE_VAL, HUGE_VAL, 1.0, false});
    const int b = model.add_column({"b", 0.0, 3.0, 0.0, true});
    model.add_row({"first", -HUGE_VAL, HUGE_VAL}, {{b, 2.0}, {a, 0.0}});
    model.add_row({"second", 1.0, 2.0}, {{a, -1.0}, {b, 4.0}});
    EXPECT_EQ(model.row_start(), (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(model.entry_column(), (std::vector<int>{b, a, b}));
    EXPECT_EQ(model.entry_value(), (std::vector<double>{2.0, -1.0, 4.0}));
    EXPECT_EQ(model.find_column("b"), b);
    EXPECT_EQ(model.find_column("c"), -1);
    EXPECT_NE(model.to_text().find("  first: 2 b free\n  second: 1 <= - a + 4 b <= 2\n"),
              std::string::npos);
    EXPECT_NE(model.to_text().find("  a free\n  0 <= b <= 3, whole\n"), std::string::npos);
}

/// The message of what a change of a working model throws.
std::string refusal(const std::function<void(MipModel*)>& change) {
    MipModel model(Sense::Minimize);
    model.add_column({"a", 0.0, 1.0, 1.0, false});
    try {
        change(&model);
    } catch (const InvalidInput& error) {
        EXPECT_EQ(model.n_rows(), 0);
        EXPECT_EQ(model.n_columns(), 1);
        return error.what();
    }
    return "accepted";
}

TEST(MipModel, RefusesBadColumnsAndRows) {
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_column({"b", 2.0, 1.0, 0.0, false});
              }),
              "model, column b: expected lower bound <= upper bound, got [2, 1]");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_column({"b", std::nan(""), 1.0, 0.0, false});
              }),
              "model, column b: expected lower bound <= upper bound, got [nan, 1]");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_column({"b", HUGE_VAL, HUGE_VAL, 0.0, false});
              }),
              "model, column b: expected lower bound <= upper bound, got [inf, inf]");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_column({"b", 0.0, 1.0, HUGE_VAL, false});
              }),
              "model, column b: expected a finite cost, got inf");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_column({"", 0.0, 1.0, 0.0, false});
              }),
              "model: expected a name for every column, got none");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"r", 0.0, 1.0}, {{1, 1.0}});
              }),
              "model, row r: expected an existing column, got 1");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"r", 0.0, 1.0}, {{-1, 1.0}});
              }),
              "model, row r: expected an existing column, got -1");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"r", 0.0, 1.0}, {{0, 1.0}, {0, 2.0}});
              }),
              "model, row r: expected every column at most once, got a twice");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"r", 0.0, 1.0}, {{0, std::nan("")}});
              }),
              "model, row r: expected finite values, got nan");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"r", 1.0, 0.0}, {{0, 1.0}});
              }),
              "model, row r: expected lower bound <= upper bound, got [1, 0]");
    EXPECT_EQ(refusal([](MipModel* m) {
                  m->add_row({"", 0.0, 1.0}, {{0, 1.0}});
              }),
              "model: expected a name for every row, got none");
}

}  // namespace
}  // namespace redoubt::testing
