#include "output/table_rows.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt::app {

void TableRows::add_names(std::vector<Column>& headings, const std::string& prefix) const {
    for (const ColumnFeatures& column : columns_) headings.emplace_back(prefix + column.name);
}

std::string TableRows::category(const ColumnFeatures& column, const VectorRef& features) {
    Index member = 0;
    const double greatest = features.segment(column.first, column.n_members()).maxCoeff(&member);
    const std::string& name = column.members[static_cast<std::size_t>(member)];
    return greatest > 0.0 && name != "(missing)" ? name : "";
}

void TableRows::add_row(Table& table, const VectorRef& features, const RowFeatures& frozen,
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
