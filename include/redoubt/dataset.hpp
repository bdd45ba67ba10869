#pragma once

/// Labelled points: what every trainer takes and every reader returns.

#include "redoubt/columns.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

/// A row with a label, as trainers and certificates use it: -1 or +1 with two classes, else the
/// number of the class, from 0.
inline std::size_t class_number(double label, std::size_t n_classes) {
    return n_classes == 2 ? (label > 0.0 ? 1U : 0U) : static_cast<std::size_t>(label);
}
/// The inverse.
inline double label_of_class(std::size_t number, std::size_t n_classes) {
    return n_classes == 2 ? (number == 1 ? 1.0 : -1.0) : static_cast<double>(number);
}

struct Dataset {
    /// m x n, one point per row; compressed if it was read from LIBSVM text.
    PointSet X;
    /// Length m: -1 and +1, or class numbers if there are more than two classes.
    Vector y;
    /// The original label texts, in this order: of -1 and +1, or of classes 0, 1, ..
    ClassNames classes{"-1", "+1"};
    /// One name per column of X, or empty.
    std::vector<std::string> feature_names{};
    /// The features that come from entries that were missing in the data and filled in, or whose
    /// category is unknown and has no feature.
    RowFeatures missing{};

    Index n_samples() const noexcept { return X.rows(); }
    Index n_features() const noexcept { return X.cols(); }

    /// The original text of a label: with two classes classes[1] for +1, classes[0] for -1.
    const std::string& class_of(double label) const {
        return classes[class_number(label, classes.size())];
    }

    /// What training needs: m >= 2, n >= 1, matching sizes, finite values, labels -1 and +1 (or the
    /// numbers of the classes), all present. Throws InvalidInput naming the member otherwise. Cost:
    /// one pass.
    void check() const;

    /// The points `rows` (counted from 0) in that order; a row may occur more than once. Throws
    /// InvalidInput for a row outside the data.
    Dataset subset(const std::vector<Index>& rows) const;
};

/// Row numbers, counted from 0.
struct Split {
    std::vector<Index> train;
    std::vector<Index> test;
};

/// Holds out `share` (in (0, 1)) of the points of each class, drawn with the seed, at least one and
/// not all; both parts are ascending. Equal labels, share and seed give the same split. Throws
/// InvalidInput for labels other than -1 and +1 (or the numbers of `n_classes` > 2 classes) or
/// fewer than 2 points of a class.
Split hold_out(const VectorRef& y, double share, std::uint64_t seed, std::size_t n_classes = 2);

/// A checked data set from memory. `labels` holds one text per row of X, with exactly two classes.
/// Texts that are equal as numbers ("1", "+1", "1.0") are one class.
///
/// `positive` names the class that becomes +1. If it is empty, the larger of two numbers is +1 or,
/// if a label is not a number, the later of the two texts in byte order.
///
/// Throws InvalidInput as `Dataset::check` does, and if there are not exactly two classes (the
/// message lists what was found) or `positive` is not among them.
Dataset make_dataset(PointSet X, const std::vector<std::string>& labels,
                     std::string_view positive = {}, std::vector<std::string> feature_names = {});

/// The same for numeric labels, which must be finite.
Dataset make_dataset(PointSet X, const VectorRef& labels, std::optional<double> positive = {},
                     std::vector<std::string> feature_names = {});

}  // namespace redoubt
