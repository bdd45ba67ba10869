#include "svm/check_data.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/check.hpp"

namespace redoubt {

namespace {

constexpr double kLargestWeight = 1e100;

void check_weights(const SvmData& data) {
    if (data.weights.size() == 0) return;
    check_length("weights", data.weights.size(), data.X.rows());
    check_non_negative("weights", data.weights, kLargestWeight);
    if (!(data.weights.sum() > 0.0)) throw InvalidInput("weights", "a positive sum", "all zero");
}

void check_both_classes(const SvmData& data) {
    bool has_plus = false;
    bool has_minus = false;
    for (Index j = 0; j < data.y.size(); ++j) {
        if (data.weights.size() > 0 && !(data.weights[j] > 0.0)) continue;
        (data.y[j] > 0.0 ? has_plus : has_minus) = true;
    }
    if (has_plus && has_minus) return;
    throw InvalidInput("y", "both classes with positive weight", has_plus ? "only +1" : "only -1");
}

void check_table(const SvmData& data) {
    if (data.X.rows() < 2)
        throw InvalidInput("X", "at least 2 rows", std::to_string(data.X.rows()));
    if (data.X.cols() < 1) throw InvalidInput("X", "at least 1 column", "none");
    check_length("y", data.y.size(), data.X.rows());
    check_points("X", data.X, kLargestFeature);
}

}  // namespace

void check_class_data(const SvmData& data, Index n_classes) {
    check_value(n_classes > 2, "n_classes", "an integer > 2", static_cast<double>(n_classes));
    check_table(data);
    check_weights(data);
    std::vector<char> is_there(static_cast<std::size_t>(n_classes), 0);
    for (Index j = 0; j < data.y.size(); ++j) {
        const double label = data.y[j];
        check_value(
            label >= 0.0 && label < static_cast<double>(n_classes) && label == std::floor(label),
            "y", "classes 0 to " + std::to_string(n_classes - 1), label);
        if (data.weights.size() == 0 || data.weights[j] > 0.0)
            is_there[static_cast<std::size_t>(label)] = 1;
    }
    const auto missing = std::find(is_there.begin(), is_there.end(), 0);
    if (missing == is_there.end()) return;
    throw InvalidInput("y", "every class with positive weight",
                       "none of class " + std::to_string(missing - is_there.begin()));
}

void check_svm_data(const SvmData& data) {
    check_table(data);
    check_labels("y", data.y);
    check_weights(data);
    check_both_classes(data);
}

void check_radii(const VectorRef& radii, Index n_points) {
    if (radii.size() != 1) check_length("radii", radii.size(), n_points);
    check_non_negative("radii", radii, kLargestFeature);
}

}  // namespace redoubt
