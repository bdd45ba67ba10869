#pragma once

/// How a model came about: plain data that a trainer fills in and the model file keeps.

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

/// The adversary's reach in training.
struct TrainingRadii {
    /// How many radii there were: 0 for a method without an adversary, 1 for one radius that holds
    /// for every point, else one per point.
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

    /// Those of the columns. X has at least one row.
    static FeatureRanges of(const PointsRef& X);

    bool is_known() const noexcept { return least.size() > 0; }
    /// Stretches each range over the values in the rows of X, as many columns as there are ranges.
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

/// Numbers per round (or epoch): every row has one entry per column. NaN stands for a number that
/// was not measured.
struct RoundTable {
    std::vector<std::string> columns{};
    std::vector<std::vector<double>> rows{};
};

/// The columns of TrainingRecord::choice: the candidate, what cross-validation found, and 1 for the
/// one that was chosen.
inline const std::vector<std::string> kChoiceColumns{
    "radius", "n_planes", "balanced_accuracy", "standard_error", "certified_radius", "is_chosen"};

/// Every field may keep its default: then it is not known.
struct TrainingRecord {
    /// "svm", "ro-svm", "svm-ens", "ens-e", "ens-r", "ens-h", "ens-c" or any other text.
    std::string method{};
    /// The norm of the adversary that the model was made for; certificates use it unless told
    /// otherwise.
    Norm norm = Norm::L2;
    TrainingRadii radii{};
    /// What the training data were called, such as a path, and how many points they had.
    std::string data{};
    Index n_points = 0;
    /// How training ended, usually the text of a Status.
    std::string status{};
    /// Training was stopped before its end: the planes are sound, but fewer or less far on than
    /// asked for.
    bool is_partial = false;
    std::optional<double> objective{};
    /// Relative, >= 0.
    std::optional<double> gap{};
    std::optional<double> seconds{};
    std::optional<std::uint64_t> seed{};
    std::vector<TrainingSetting> settings{};
    RoundTable rounds{};
    /// Of a radius that was chosen by the data: one row per candidate, with kChoiceColumns. Empty
    /// if it was given.
    RoundTable choice{};
    /// Of the training points, raw. The model checks them, as it knows the number of features.
    FeatureRanges ranges{};
    /// Of the training points, raw; empty if nobody asked for it.
    RowSketch rows = RowSketch();  // with {} GCC 12 sees uninitialized memory where there is none
    /// The version of the library that trained the model.
    std::string library_version = kVersion;

    /// More settings than this are refused.
    static constexpr std::size_t kMaxSettings = 1000;

    /// Numbers finite and in range, names given and different, rows as long as the list of columns.
    /// Throws InvalidInput naming the field otherwise, as in "training.rounds.rows[3]".
    void check() const;
};

}  // namespace redoubt
