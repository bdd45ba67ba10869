#pragma once

/// A mixed-integer linear program as plain data, to be passed to a solver or printed.
///
///     min or max  c'x    s.t.  row_lower <= A x <= row_upper,  lower <= x <= upper,
///                              x_j an integer for the marked columns

#include <string>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt::reference {

enum class Sense { Minimize, Maximize };

struct Column {
    std::string name;
    double lower = 0.0;
    double upper = 0.0;
    double cost = 0.0;
    bool integer = false;
};

struct Term {
    int column = 0;
    double value = 0.0;
};

struct Row {
    std::string name;
    double lower = 0.0;
    double upper = 0.0;
};

/// Built column by column and row by row; the matrix is kept by rows, in the order of columns,
/// zeros left out.
class Program {
public:
    explicit Program(Sense sense) : sense_(sense) {}

    /// Bounds may be infinite. Returns the column's index. Throws InvalidInput if a number is NaN,
    /// the cost is not finite, lower > upper or the name is empty.
    int add_column(Column column);

    /// Throws InvalidInput if a bound is NaN, lower > upper, a value is not finite, a column does
    /// not exist or appears twice, or the name is empty.
    void add_row(Row row, std::vector<Term> terms);

    Sense sense() const noexcept { return sense_; }
    const std::vector<Column>& columns() const noexcept { return columns_; }
    const std::vector<Row>& rows() const noexcept { return rows_; }
    int n_columns() const noexcept { return static_cast<int>(columns_.size()); }
    int n_rows() const noexcept { return static_cast<int>(rows_.size()); }

    /// Row i holds the entries row_start()[i] .. row_start()[i + 1] of the two arrays below.
    const std::vector<int>& row_start() const noexcept { return row_start_; }
    const std::vector<int>& entry_column() const noexcept { return entry_column_; }
    const std::vector<double>& entry_value() const noexcept { return entry_value_; }

    /// One line per row, in the order of the program; see docs/second_opinions.md for an example.
    std::string to_text() const;

private:
    Sense sense_;
    std::vector<Column> columns_;
    std::vector<Row> rows_;
    std::vector<int> row_start_{0};
    std::vector<int> entry_column_;
    std::vector<double> entry_value_;
};

}  // namespace redoubt::reference
