#pragma once

/// A trained classifier as its user meets it: raw features in, labels of the data out.

#include "redoubt/dataset.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/types.hpp"

#include <array>
#include <string>
#include <vector>

namespace redoubt {

/// Planes that live in scaled features, with the scaling of the training data and its class names.
/// Immutable once built.
class Model {
public:
    /// `scaler` and `ensemble` must have the same number of features. Throws InvalidInput
    /// otherwise.
    Model(Scaler scaler, Ensemble ensemble, std::array<std::string, 2> classes);

    const Scaler& scaler() const noexcept { return scaler_; }
    const Ensemble& ensemble() const noexcept { return ensemble_; }
    /// The labels that -1 and +1 stand for.
    const std::array<std::string, 2>& classes() const noexcept { return classes_; }

    /// The answer, -1 or +1, for every row of raw features: the vote at their scaled values.
    /// Throws InvalidInput for another number of columns or a value that is not finite.
    Eigen::VectorXi predict_all(const MatrixRef& raw, int n_threads = 1) const;
    /// The same as labels of the data.
    std::vector<std::string> predict_labels(const MatrixRef& raw, int n_threads = 1) const;

    /// A perturbation d of scaled features, row by row, in raw units: d * scale.
    Matrix to_raw_units(const MatrixRef& perturbations) const;

private:
    Scaler scaler_;
    Ensemble ensemble_;
    std::array<std::string, 2> classes_;
};

}  // namespace redoubt
