#pragma once

/// A trained classifier as its user sees it: raw features in, labels of the data out.

#include "redoubt/attack_model.hpp"
#include "redoubt/class_vote.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/training_record.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redoubt {

/// The default rules for an adversary: every move of a ball, except that a text column switches as
/// a whole, at a cost of 1, and missing-value indicators do not move. `unit` is how far each
/// feature moves at radius 1 (Scaler::scale). Without text columns and missing values this is
/// AttackModel::ball.
AttackModel plain_threat(Norm norm, const std::vector<ColumnFeatures>& columns,
                         const VectorRef& unit);

/// Planes in scaled features, with everything needed to apply them to data like those they were
/// trained on: how a file becomes numbers, the scaling, the class names, a record of the training
/// and, if there is one, the attack model it was made for. Immutable once built. model_file.hpp
/// stores it.
class Model {
public:
    /// `coding`, `scaler` and `ensemble` must have the same number of features, and `coding` two
    /// different classes. Throws InvalidInput otherwise, for a coding that no training file
    /// produces (unsorted categories, for example), and as TrainingRecord::check and
    /// AttackModel::check do.
    Model(Scaler scaler, Ensemble ensemble, TableCoding coding, TrainingRecord training = {},
          std::optional<AttackModel> attack_model = {});

    /// For data from memory: features are matched by position and called x1, x2, ..
    Model(Scaler scaler, Ensemble ensemble, ClassNames classes, TrainingRecord training = {},
          std::optional<AttackModel> attack_model = {});

    /// More than two classes: `coding` must have as many as the vote, all different.
    Model(Scaler scaler, ClassVote vote, TableCoding coding, TrainingRecord training = {},
          std::optional<AttackModel> attack_model = {});

    const Scaler& scaler() const noexcept { return scaler_; }
    /// The planes; with more than two classes, those of all classes.
    const Ensemble& ensemble() const noexcept { return ensemble_; }
    /// How they answer if there are more than two classes.
    const std::optional<ClassVote>& class_vote() const noexcept { return class_vote_; }
    /// How to read files for this model; pass it to `read_points` and similar functions.
    const TableCoding& coding() const noexcept { return coding_; }
    const TrainingRecord& training() const noexcept { return training_; }
    /// What an adversary may do to raw features; AttackModel::scaled converts it for the planes.
    /// Empty means `plain_threat` with the norm of the training record.
    const std::optional<AttackModel>& attack_model() const noexcept { return attack_model_; }
    /// The same, spelled out.
    AttackModel threat() const;
    /// The labels that -1 and +1, or classes 0, 1, .., stand for.
    const ClassNames& classes() const noexcept { return coding_.classes; }
    /// One per feature, after one-hot coding.
    const std::vector<std::string>& feature_names() const noexcept { return feature_names_; }

    /// The answer for every row of raw features, -1 or +1 or a class number: the vote at their
    /// scaled values. Throws InvalidInput for a wrong number of columns or a value that is not
    /// finite.
    Eigen::VectorXi predict_all(const PointsRef& raw, int n_threads = 1) const;
    /// The same as labels of the data.
    std::vector<std::string> predict_labels(const PointsRef& raw, int n_threads = 1) const;

    /// A perturbation d of scaled features, row by row, in raw units: d * scale.
    Matrix to_raw_units(const MatrixRef& perturbations) const;

private:
    void check() const;

    Scaler scaler_;
    Ensemble ensemble_;
    TableCoding coding_;
    TrainingRecord training_;
    std::optional<AttackModel> attack_model_;
    std::vector<std::string> feature_names_;
    std::optional<ClassVote> class_vote_{};
};

}  // namespace redoubt
