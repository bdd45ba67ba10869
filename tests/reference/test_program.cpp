/// The programs as data: printed and checked by hand, and bad ones refused.

#include "reference/program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "redoubt/error.hpp"
#include "reference/reference_problems.hpp"
#include "reference/threat_program.hpp"

namespace redoubt::testing {
namespace {

using reference::PlaneSystem;
using reference::Program;
using reference::Sense;
using reference::ThreatProgram;

/// Plane 1: a_1 d_1 + a_2 d_2 >= 0.5. Plane 2: d_2 >= -4, met already.
Ensemble two_planes(int label, double a1, double a2) {
    Matrix w(2, 2);
    w << a1, a2, 0, 1;
    return Ensemble(-label * w, label * Vector{{0.5, -4.0}});
}

std::string least_move_text(const Ensemble& ensemble, const AttackModel& threat, const Vector& x,
                            int label, double farthest, std::int64_t need) {
    const PlaneSystem system(ensemble, threat, x, label);
    return ThreatProgram::least_move(system, farthest, need).program().to_text();
}

TEST(ThreatProgram, LeastMoveForLInf) {
    EXPECT_EQ(least_move_text(two_planes(-1, 3, -1), ball(Norm::LInf), Vector::Zero(2), -1, 2.0, 2),
              "minimize\n"
              "  t\n"
              "subject to\n"
              "  fool_1: 0.75 d_1 - 0.25 d_2 + 1.0625 z_1 >= 0.0625\n"
              "  fool_2: d_2 >= -2\n"
              "  need: z_1 + z_2 <= 0\n"
              "  above_1: d_1 - t <= 0\n"
              "  below_1: d_1 + t >= 0\n"
              "  above_2: d_2 - t <= 0\n"
              "  below_2: d_2 + t >= 0\n"
              "bounds\n"
              "  -1 <= d_1 <= 1\n"
              "  -1 <= d_2 <= 1\n"
              "  0 <= t <= 1\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(ThreatProgram, L1SplitsTheStep) {
    EXPECT_EQ(least_move_text(two_planes(1, 2, -1), ball(Norm::L1), Vector::Zero(2), 1, 2.0, 1),
              "minimize\n"
              "  t\n"
              "subject to\n"
              "  fool_1: plus_d_1 - minus_d_1 - 0.5 plus_d_2 + 0.5 minus_d_2 + 1.1250001 z_1 >= "
              "0.1250001\n"
              "  fool_2: plus_d_2 - minus_d_2 >= -1.9999999\n"
              "  need: z_1 + z_2 <= 1\n"
              "  above_1: plus_d_1 + minus_d_1 + plus_d_2 + minus_d_2 - t <= 0\n"
              "bounds\n"
              "  0 <= plus_d_1 <= 1\n"
              "  0 <= minus_d_1 <= 1\n"
              "  0 <= plus_d_2 <= 1\n"
              "  0 <= minus_d_2 <= 1\n"
              "  0 <= t <= 1\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(ThreatProgram, CutsForL2) {
    const Ensemble ensemble = two_planes(-1, 0, -2);
    const AttackModel threat = ball(Norm::L2);
    const PlaneSystem system(ensemble, threat, Vector::Zero(2), -1);
    ThreatProgram program = ThreatProgram::least_move(system, 8.0, 2);
    program.add_cut(Vector{{4.0, 3.0}});
    program.add_cut(Vector::Zero(2));
    EXPECT_TRUE(program.forbid({{}, {1}}));
    EXPECT_EQ(program.program().to_text(),
              "minimize\n"
              "  t\n"
              "subject to\n"
              "  fool_1: - d_2 + 1.03125 z_1 >= 0.03125\n"
              "  fool_2: d_2 + 0.5 z_2 >= -0.5\n"
              "  need: z_1 + z_2 <= 0\n"
              "  above_1: d_1 - t <= 0\n"
              "  below_1: d_1 + t >= 0\n"
              "  above_2: d_2 - t <= 0\n"
              "  below_2: d_2 + t >= 0\n"
              "  cut_8: - d_2 - t <= 0\n"
              "  cut_9: d_2 - t <= 0\n"
              "  cut_10: 0.8 d_1 + 0.6 d_2 - t <= 0\n"
              "  forbid_11: z_2 >= 1\n"
              "bounds\n"
              "  -1 <= d_1 <= 1\n"
              "  -1 <= d_2 <= 1\n"
              "  0 <= t <= 1\n"
              "binary\n"
              "  z_1 z_2\n");
}

TEST(ThreatProgram, LargestSum) {
    const Ensemble ensemble = two_planes(-1, 3, -1);
    const AttackModel threat = ball(Norm::L1);
    const PlaneSystem system(ensemble, threat, Vector::Zero(2), -1);
    EXPECT_EQ(ThreatProgram::largest_sum(system, 0.5).program().to_text(),
              "maximize\n"
              "  h_1 + h_2\n"
              "subject to\n"
              "  hinge_1: - 1.5 plus_d_1 + 1.5 minus_d_1 + 0.5 plus_d_2 - 0.5 minus_d_2 + v_1 + "
              "h_1 <= 1.5\n"
              "  off_1: - 2 v_1 + h_1 <= 0\n"
              "  hinge_2: - 0.5 plus_d_2 + 0.5 minus_d_2 + h_2 <= 5\n"
              "  off_2: - 5.5 v_2 + h_2 <= 0\n"
              "  above_1: plus_d_1 + minus_d_1 + plus_d_2 + minus_d_2 - t <= 0\n"
              "bounds\n"
              "  0 <= plus_d_1 <= 1\n"
              "  0 <= minus_d_1 <= 1\n"
              "  0 <= plus_d_2 <= 1\n"
              "  0 <= minus_d_2 <= 1\n"
              "  0 <= t <= 1\n"
              "  0 <= h_1 <= 2\n"
              "  0 <= h_2 <= 5.5\n"
              "binary\n"
              "  v_1 v_2\n");
}

/// Steps of an integer, members of a group, and what the rules leave out.
TEST(ThreatProgram, HasColumnsForEveryRule) {
    AttackModel threat = ball(Norm::L1);
    threat.scale = Vector{{2.0, 1.0, 0.0, 1.0, 1.0, 1.0}};
    threat.lower = Vector::Constant(6, -HUGE_VAL);
    threat.upper = Vector::Constant(6, HUGE_VAL);
    threat.upper[0] = 0.5;
    threat.integers.push_back({1, 0.0, 4.0});
    threat.one_hot.push_back({{3, 4, 5}, 0.5, {}, {}});
    Matrix w(1, 6);
    w << 1, 2, 7, 0, 1, -1;
    const Vector x{{0, 0, 0, 1, 0, 0}};
    const Ensemble ensemble(w, Vector::Constant(1, -3.0));
    EXPECT_EQ(
        least_move_text(ensemble, threat, x, -1, 2.0, 1),
        "minimize\n"
        "  t\n"
        "subject to\n"
        "  switch_3: on_5 + on_6 <= 1\n"
        "  fool_1: plus_d_1 - minus_d_1 + 0.125 plus_steps_2 - 0.125 minus_steps_2 + 0.25 on_5 - "
        "0.25 on_6 + 1.75 z_1 >= 0.75\n"
        "  need: z_1 <= 0\n"
        "  above_1: plus_d_1 + minus_d_1 + 0.125 plus_steps_2 + 0.125 minus_steps_2 + 0.25 on_5 + "
        "0.25 on_6 - t <= 0\n"
        "bounds\n"
        "  0 <= plus_d_1 <= 0.125\n"
        "  0 <= minus_d_1 <= 1\n"
        "  0 <= plus_steps_2 <= 8, integer\n"
        "  0 <= minus_steps_2 <= 8, integer\n"
        "  0 <= t <= 1\n"
        "binary\n"
        "  on_5 on_6 z_1\n");
    // A switch that costs more than the radius, and a plane that nothing reaches.
    EXPECT_EQ(least_move_text(ensemble, threat, x, -1, 0.4, 1),
              "minimize\n"
              "  t\n"
              "subject to\n"
              "  need: z_1 <= 0\n"
              "  above_1: plus_d_1 + minus_d_1 + 0.625 plus_steps_2 + 0.625 minus_steps_2 - t <= "
              "0\n"
              "bounds\n"
              "  0 <= plus_d_1 <= 0.625\n"
              "  0 <= minus_d_1 <= 1\n"
              "  0 <= t <= 1\n"
              "  z_1 = 1, integer\n"
              "binary\n"
              "  plus_steps_2 minus_steps_2\n");
}

TEST(Program, KeepsTheMatrixByRows) {
    Program program(Sense::Maximize);
    const int a = program.add_column({"a", -HUGE_VAL, HUGE_VAL, 1.0, false});
    const int b = program.add_column({"b", 0.0, 3.0, 0.0, true});
    program.add_row({"first", -HUGE_VAL, HUGE_VAL}, {{b, 2.0}, {a, 0.0}});
    program.add_row({"second", 1.0, 2.0}, {{a, -1.0}, {b, 4.0}});
    EXPECT_EQ(program.row_start(), (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(program.entry_column(), (std::vector<int>{b, a, b}));
    EXPECT_EQ(program.entry_value(), (std::vector<double>{2.0, -1.0, 4.0}));
    EXPECT_NE(program.to_text().find("  first: 2 b free\n  second: 1 <= - a + 4 b <= 2\n"),
              std::string::npos);
    EXPECT_NE(program.to_text().find("  a free\n  0 <= b <= 3, integer\n"), std::string::npos);
}

/// The message of what a change of a working program throws.
std::string refusal(const std::function<void(Program*)>& change) {
    Program program(Sense::Minimize);
    program.add_column({"a", 0.0, 1.0, 1.0, false});
    try {
        change(&program);
    } catch (const InvalidInput& error) {
        EXPECT_EQ(program.n_rows(), 0);
        EXPECT_EQ(program.n_columns(), 1);
        return error.what();
    }
    return "accepted";
}

TEST(Program, RefusesBadColumnsAndRows) {
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_column({"b", 2.0, 1.0, 0.0, false});
              }),
              "program, column b: expected lower bound <= upper bound, got [2, 1]");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_column({"b", std::nan(""), 1.0, 0.0, false});
              }),
              "program, column b: expected lower bound <= upper bound, got [nan, 1]");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_column({"b", HUGE_VAL, HUGE_VAL, 0.0, false});
              }),
              "program, column b: expected lower bound <= upper bound, got [inf, inf]");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_column({"b", 0.0, 1.0, HUGE_VAL, false});
              }),
              "program, column b: expected a finite cost, got inf");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_column({"", 0.0, 1.0, 0.0, false});
              }),
              "program: expected a name for every column, got none");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"r", 0.0, 1.0}, {{1, 1.0}});
              }),
              "program, row r: expected an existing column, got 1");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"r", 0.0, 1.0}, {{-1, 1.0}});
              }),
              "program, row r: expected an existing column, got -1");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"r", 0.0, 1.0}, {{0, 1.0}, {0, 2.0}});
              }),
              "program, row r: expected every column at most once, got a twice");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"r", 0.0, 1.0}, {{0, std::nan("")}});
              }),
              "program, row r: expected finite values, got nan");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"r", 1.0, 0.0}, {{0, 1.0}});
              }),
              "program, row r: expected lower bound <= upper bound, got [1, 0]");
    EXPECT_EQ(refusal([](Program* m) {
                  m->add_row({"", 0.0, 1.0}, {{0, 1.0}});
              }),
              "program: expected a name for every row, got none");
}

}  // namespace
}  // namespace redoubt::testing
