#include "output/table_rows.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt::app {
namespace {

/// "2:0.5 7:1": features count from 1.
std::string libsvm_text(const SparseRow& row) {
    std::string text;
    row.for_each([&](Index l, double value) {
        if (value == 0.0) return;
        text += (text.empty() ? "" : " ") + std::to_string(l + 1) + ":" + exact_text(value);
    });
    return text;
}

}  // namespace

void TableRows::add_names(std::vector<Column>& headings, const std::string& prefix,
                          const std::string& whole, bool is_sparse) const {
    if (is_sparse) {
        headings.emplace_back(whole);
        return;
    }
    for (const ColumnFeatures& column : columns_) headings.emplace_back(prefix + column.name);
}

std::string TableRows::category(const ColumnFeatures& column, const VectorRef& features) {
    Index member = 0;
    const double greatest = features.segment(column.first, column.n_members()).maxCoeff(&member);
    const std::string& name = column.members[static_cast<std::size_t>(member)];
    return greatest > 0.0 && name != "(missing)" ? name : "";
}

void TableRows::add_row(Table& table, const PointRef& features, const RowFeatures& frozen,
                        std::size_t i, bool is_known) const {
    if (!features.is_sparse()) {
        add_cells(table, features.dense(), frozen, i);
    } else if (is_known) {
        table.add(libsvm_text(features.sparse()));
    } else {
        table.add_missing();
    }
}

void TableRows::add_cells(Table& table, const VectorRef& features, const RowFeatures& frozen,
                          std::size_t i) const {
    const auto is_frozen = [&](int feature) {
        return !frozen.empty() && std::binary_search(frozen[i].begin(), frozen[i].end(), feature);
    };
    for (const ColumnFeatures& column : columns_) {
        if (std::isnan(features[column.first]) || is_frozen(column.first)) {
            table.add_missing();
        } else if (!column.is_text()) {
            table.add(features[column.first]);
        } else if (const std::string text = category(column, features); !text.empty()) {
            table.add(text);
        } else {
            table.add_missing();
        }
    }
}

}  // namespace redoubt::app
