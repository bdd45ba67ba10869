#include "redoubt/model.hpp"

#include <utility>

#include "core/check.hpp"

namespace redoubt {

Model::Model(Scaler scaler, Ensemble ensemble, std::array<std::string, 2> classes)
    : scaler_(std::move(scaler)), ensemble_(std::move(ensemble)), classes_(std::move(classes)) {
    check_length("scaler", scaler_.n_features(), ensemble_.n_features());
}

Eigen::VectorXi Model::predict_all(const MatrixRef& raw, int n_threads) const {
    return ensemble_.predict_all(scaler_.transform(raw), n_threads);
}

std::vector<std::string> Model::predict_labels(const MatrixRef& raw, int n_threads) const {
    std::vector<std::string> labels;
    for (int answer : predict_all(raw, n_threads)) labels.push_back(classes_[answer > 0 ? 1 : 0]);
    return labels;
}

Matrix Model::to_raw_units(const MatrixRef& perturbations) const {
    check_length("perturbations", perturbations.cols(), scaler_.n_features());
    return perturbations * scaler_.scale().asDiagonal();
}

}  // namespace redoubt
