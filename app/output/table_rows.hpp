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
    /// One heading per column of the table, with this prefix; for rows of LIBSVM text, which are
    /// one cell, only `whole`.
    void add_names(std::vector<Column>& headings, const std::string& prefix,
                   const std::string& whole, bool is_sparse) const;
    /// One cell per column; empty in a row of NaN, and where an entry is missing in the data and
    /// does not move (the lists of `frozen` are those of row `i`). Compressed features are one cell
    /// in LIBSVM text, "2:0.5 7:1", which is empty unless `is_known`.
    void add_row(Table& table, const PointRef& features, const RowFeatures& frozen, std::size_t i,
                 bool is_known = true) const;

    /// The category that is on; empty if there is none, or if it is that of missing entries.
    static std::string category(const ColumnFeatures& column, const VectorRef& features);

private:
    void add_cells(Table& table, const VectorRef& features, const RowFeatures& frozen,
                   std::size_t i) const;

    std::vector<ColumnFeatures> columns_;
};

}  // namespace redoubt::app
