#pragma once

/// Rows of features as rows of the table that they come from: a text column is one cell with the
/// name of a category.

#include <string>
#include <vector>

#include "output/report.hpp"
#include "redoubt/columns.hpp"
#include "redoubt/model.hpp"

namespace redoubt::app {

class TableRows {
public:
    explicit TableRows(const Model& model) : columns_(model.coding().columns_of_features()) {}

    const std::vector<ColumnFeatures>& columns() const { return columns_; }
    /// One heading per column of the table.
    void add_names(std::vector<Column>& headings, const std::string& prefix) const;
    /// One cell per column; none has a value in a row of NaN, or where an entry is missing in the
    /// data and does not move: the lists of `frozen` are those of row `i`.
    void add_row(Table& table, const VectorRef& features, const RowFeatures& frozen,
                 std::size_t i) const;

    /// The category that is on; empty if none is, or if it is that of missing entries.
    static std::string category(const ColumnFeatures& column, const VectorRef& features);

private:
    std::vector<ColumnFeatures> columns_;
};

}  // namespace redoubt::app
