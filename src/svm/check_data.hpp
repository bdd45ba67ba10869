#pragma once

#include "redoubt/svm.hpp"

namespace redoubt {

/// Squares and sums of features must stay far from overflow.
inline constexpr double kLargestFeature = 1e100;

/// Throws InvalidInput unless the data are what SvmData asks for.
void check_svm_data(const SvmData& data);

/// The same for labels that are the numbers of more than two classes: each must occur with positive
/// weight.
void check_class_data(const SvmData& data, Index n_classes);

/// Throws InvalidInput unless there is one radius >= 0, or one for each of the points.
void check_radii(const VectorRef& radii, Index n_points);

}  // namespace redoubt
