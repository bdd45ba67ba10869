#pragma once

/// Checkpoints of real trainings, and whether two are the same.

#include <string>
#include <vector>

#include "redoubt/checkpoint.hpp"
#include "support/random_problems.hpp"

namespace redoubt::test {

using redoubt::testing::RandomProblem;

/// What all of these trainings are about.
RandomProblem problem();
inline const Vector kRadius = Vector::Constant(1, 0.2);

BaggingSettings bagging_settings();
RobustEnsembleSettings robust_settings(Adversary adversary);
CollaborativeSettings collaborative_settings(double validation_share);

/// After two of four planes.
Checkpoint bagging_checkpoint();
/// After round `round` of four, counted from 1.
Checkpoint robust_checkpoint(Adversary adversary, std::size_t round);
/// After epoch `epoch` of five, counted from 1.
Checkpoint collaborative_checkpoint(double validation_share, Index epoch);
std::vector<Checkpoint> all_checkpoints();

/// To the bit, so that -0 is not 0, but NaN is NaN.
bool same(double a, double b);
bool same(const Matrix& a, const Matrix& b);
void expect_same(const std::vector<Hyperplane>& a, const std::vector<Hyperplane>& b);
void expect_same(const RobustEnsembleState& a, const RobustEnsembleState& b);
void expect_same(const CollaborativeState& a, const CollaborativeState& b);
void expect_same(const Checkpoint& a, const Checkpoint& b);

}  // namespace redoubt::test
