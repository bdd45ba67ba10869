#pragma once

/// Numbers, vectors and matrices as every part of the library passes them.

#include <Eigen/Core>

namespace redoubt {

using Index = Eigen::Index;

using Vector = Eigen::VectorXd;
/// Samples are rows and rows are contiguous: a C-ordered NumPy array passes without a copy.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using VectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<const Matrix>;

}  // namespace redoubt
