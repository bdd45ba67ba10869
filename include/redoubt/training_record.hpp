#pragma once

/// How a model was trained: plain data that a trainer fills in and the model file keeps.

#include "redoubt/norm.hpp"
#include "redoubt/points.hpp"
#include "redoubt/row_sketch.hpp"
#include "redoubt/types.hpp"
#include "redoubt/version.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace redoubt {

/// The adversary's radii in training.
struct TrainingRadii {
    /// Number of radii: 0 for a method without an adversary, 1 if one radius holds for every point,
    /// else one per point.
    Index count = 0;
    /// 0 <= least <= mean <= greatest.
    double least = 0.0;
    double greatest = 0.0;
    double mean = 0.0;

    /// Throws InvalidInput for a radius that is negative or not finite.
    static TrainingRadii of(const VectorRef& radii);

    bool operator==(const TrainingRadii&) const = default;
};

/// The least and the greatest value of each raw feature. Empty: not known.
struct FeatureRanges {
    Vector least{};
    Vector greatest{};

    /// The ranges of the columns. X has at least one row.
    static FeatureRanges of(const PointsRef& X);

    bool is_known() const noexcept { return least.size() > 0; }
    /// Extends each range to the values in the rows of X, which has one column per range.
    void widen(const PointsRef& X);
    /// Throws InvalidInput, naming "training.ranges", unless empty or n ranges of finite numbers.
    void check(Index n_features) const;

    bool operator==(const FeatureRanges& other) const;
};

/// One setting of a trainer by its name.
struct TrainingSetting {
    std::string name;
    std::variant<double, std::string> value;

    bool operator==(const TrainingSetting&) const = default;
};

/// Numbers per round (or epoch): every row has one entry per column. NaN means not measured.
struct RoundTable {
    std::vector<std::string> columns{};
    std::vector<std::vector<double>> rows{};
};

/// The columns of TrainingRecord::choice: the candidate, the results of cross-validation, and 1 for
/// the chosen candidate.
inline const std::vector<std::string> kChoiceColumns{
    "radius", "n_planes", "balanced_accuracy", "standard_error", "certified_radius", "is_chosen"};

/// Every field may keep its default, which means that it is not known.
struct TrainingRecord {
    /// "svm", "ro-svm", "svm-ens", "ens-e", "ens-r", "ens-h", "ens-c" or any other text.
    std::string method{};
    /// The norm of the adversary that the model was trained against; certificates use it by
    /// default.
    Norm norm = Norm::L2;
    TrainingRadii radii{};
    /// The name of the training data, such as a path, and the number of points.
    std::string data{};
    Index n_points = 0;
    /// How training ended, usually the text of a Status.
    std::string status{};
    /// Training was stopped early: the planes are valid, but fewer or less optimised than
    /// requested.
    bool is_partial = false;
    std::optional<double> objective{};
    /// Relative, >= 0.
    std::optional<double> gap{};
    std::optional<double> seconds{};
    std::optional<std::uint64_t> seed{};
    std::vector<TrainingSetting> settings{};
    RoundTable rounds{};
    /// If the data chose the radius: one row per candidate, with kChoiceColumns. Empty if it was
    /// given.
    RoundTable choice{};
    /// For the training points, raw. The model checks them, because it knows the number of
    /// features.
    FeatureRanges ranges{};
    /// For the training points, raw; empty if not requested.
    RowSketch rows = RowSketch();  // with {} GCC 12 sees uninitialized memory where there is none
    /// The version of the library that trained the model.
    std::string library_version = kVersion;

    /// More settings than this are refused.
    static constexpr std::size_t kMaxSettings = 1000;

    /// Checks that numbers are finite and in range, names are given and distinct, and rows are as
    /// long as the list of columns. Throws InvalidInput naming the field otherwise, as in
    /// "training.rounds.rows[3]".
    void check() const;
};

}  // namespace redoubt
