#pragma once

/// The weighted SVM by steps on pairs of dual variables, to a loose tolerance: what LIBSVM would
/// return for the published experiments. LIBSVM itself has no weights per point.
///
/// Not for use: redoubt/svm.hpp is faster and exact.

#include "redoubt/svm.hpp"

namespace redoubt::reproduction {

/// LIBSVM's default for the violation of the optimality conditions at which it stops.
inline constexpr double kUsualViolation = 1e-3;

/// min 1/2 ||w||^2 + sum_j c_j [1 - y_j (w'x_j + b)]_+ from a zero start: the pair of greatest
/// violation by second-order gain (Fan, Chen and Lin 2005), until no pair violates by more than
/// `violation`. The kernel is held in single precision, as LIBSVM does. `data` is checked already.
Hyperplane train_pairwise_svm(const SvmData& data, double violation = kUsualViolation);

}  // namespace redoubt::reproduction
