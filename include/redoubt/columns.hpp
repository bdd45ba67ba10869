#pragma once

/// The columns of a table, as its users name them, and the features that they became.

#include <string>
#include <vector>

namespace redoubt {

/// The texts of the labels.
using ClassNames = std::vector<std::string>;

/// The features that one column became.
struct ColumnFeatures {
    std::string name;
    /// The first of its features; the others follow.
    int first = 0;
    /// The categories of a text column, including "(missing)" and "(other)", one feature each;
    /// empty for numbers, which are one feature.
    std::vector<std::string> members{};
    /// The feature that marks missing entries; -1 for none.
    int indicator = -1;
    /// Whether the model uses the values of the column. If not, rules about it say nothing.
    bool is_used = true;

    bool is_text() const { return !members.empty(); }
    int n_members() const { return is_text() ? static_cast<int>(members.size()) : 1; }
    /// The features without the missing-value indicator.
    std::vector<int> features() const {
        std::vector<int> list;
        for (int l = 0; is_used && l < n_members(); ++l) list.push_back(first + l);
        return list;
    }
};

/// One list of features per row, ascending; no lists at all if they would all be empty.
using RowFeatures = std::vector<std::vector<int>>;

}  // namespace redoubt
