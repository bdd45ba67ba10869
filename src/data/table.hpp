#pragma once

/// A table as it stands in a file, before labels and one-hot coding; private to the readers.

#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace redoubt {

/// How to read the fields of one column.
enum class FieldKind {
    Skip,
    Number,
    Text,
    Either,  ///< numbers, unless a field turns out to be text: then the whole column is text
    Amount,  ///< numbers >= 0 that are not features
};

/// The use of the values of one column.
enum class ColumnUse { Feature, Label, Weight, Radius };

struct ColumnPlan {
    FieldKind kind = FieldKind::Skip;
    /// The column of `Table::numbers`, or the entry of `Table::texts` or `Table::amounts`, that
    /// receives the values.
    Index slot = -1;
    /// The column of the training file that this column corresponds to; -1 for none.
    Index coded = -1;
    ColumnUse use = ColumnUse::Feature;
    /// Are true and false the numbers 1 and 0? So they are to a model that has a number here.
    bool takes_truth = false;
};

/// Text fields as numbers of their distinct values, in order of appearance; -1 is missing.
class TextColumn {
public:
    void append(std::string_view text);
    void append_missing() { codes_.push_back(-1); }

    /// Keeps the rows with `kept[row] != 0`; categories stay, used or not.
    void keep(const std::vector<char>& kept);

    const std::vector<std::string>& categories() const noexcept { return categories_; }
    const std::vector<int>& codes() const noexcept { return codes_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    std::unordered_map<std::string, int, Hash, std::equal_to<>> index_;
    std::vector<std::string> categories_;
    std::vector<int> codes_;
    int last_ = -1;
};

struct Table {
    /// The path, for messages.
    std::string origin;
    bool has_header = false;
    /// True if another column could hold the labels.
    bool can_choose_label = true;
    /// One name per column of the file; "x3" for the third without a header.
    std::vector<std::string> names;
    /// One entry per column of the file.
    std::vector<ColumnPlan> plan;
    /// One row per row of the file; NaN is a missing value.
    Matrix numbers;
    /// The numbers of LIBSVM text, none of which is missing; `numbers` is then empty.
    std::optional<SparseMatrix> entries{};
    std::vector<TextColumn> texts;
    /// Weights and radii: separate columns, so that `numbers` holds only features.
    std::vector<std::vector<double>> amounts;
    /// The line of the file on which each row starts.
    std::vector<long> lines;

    /// Leaves out every row with a missing value in a column that was read.
    void drop_incomplete_rows();

    Index n_rows() const noexcept { return static_cast<Index>(lines.size()); }
    /// The number of columns of numbers, dense or compressed.
    Index n_numbers() const noexcept { return entries ? entries->cols() : numbers.cols(); }
    Index n_columns() const noexcept { return static_cast<Index>(names.size()); }

private:
    void keep_numbers(const std::vector<char>& kept);
};

/// Chooses how to read each column, in file order, once the names are known. When it is called,
/// only the names, `has_header` and `origin` of the table are set.
using ColumnPlanner = std::function<std::vector<ColumnPlan>(const Table&)>;

/// "weight" or "radius".
std::string amount_name(ColumnUse use);

/// "x3" for column 3.
std::string default_name(Index number);

/// Throws ParseError if rows x columns numbers plus `bytes_per_column` for each column need more
/// than `max_bytes`. Without rows, only the columns count.
void check_memory(const std::string& origin, Index rows, Index columns, std::size_t max_bytes,
                  std::size_t bytes_per_column = 0);

}  // namespace redoubt
