#include "svm/check_data.hpp"

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

}  // namespace

void check_svm_data(const SvmData& data) {
    if (data.X.rows() < 2)
        throw InvalidInput("X", "at least 2 rows", std::to_string(data.X.rows()));
    if (data.X.cols() < 1) throw InvalidInput("X", "at least 1 column", "none");
    check_length("y", data.y.size(), data.X.rows());
    check_points("X", data.X, kLargestFeature);
    check_labels("y", data.y);
    check_weights(data);
    check_both_classes(data);
}

void check_radii(const VectorRef& radii, Index n_points) {
    if (radii.size() != 1) check_length("radii", radii.size(), n_points);
    check_non_negative("radii", radii, kLargestFeature);
}

}  // namespace redoubt
