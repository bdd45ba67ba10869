/// From the entries of a table to features.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

/// What the coding says about a column, in the words of EntryRules.
EntryRules entries_of(const CodedColumn& column, const TableCoding& coding) {
    if (column.entries) return *column.entries;
    return {.fills = coding.missing == MissingValues::Median};
}

Index n_features_of(const CodedColumn& column) {
    if (column.role != ColumnRole::Feature) return 0;
    const EntryRules entries = column.entries.value_or(EntryRules{});
    return std::max<Index>(static_cast<Index>(column.categories.size()), 1) +
           (entries.missing_category ? 1 : 0) + (entries.other ? 1 : 0) +
           (entries.indicator ? 1 : 0);
}

/// A column with a long name and many categories makes names far longer than the file.
void check_names(const Table& table, const TableCoding& coding, std::size_t max_bytes) {
    std::size_t n_bytes = 0;
    for (const CodedColumn& column : coding.columns) {
        n_bytes += column.categories.size() * (column.name.size() + sizeof(std::string));
    }
    if (n_bytes <= max_bytes) return;
    throw ParseError(table.origin, 0, 0,
                     "the names of " + counted(n_coded_features(coding), "feature") +
                         " need more than the limit of " + std::to_string(max_bytes) + " bytes");
}

/// A column of the coding: where its entries stand in the table, and its features.
struct EncodedColumn {
    const CodedColumn* column;
    EntryRules entries;
    Index slot = -1;
    long file_column = 0;
    Index first = 0;
    Index n_features = 0;

    bool is_text() const { return !column->categories.empty(); }
    Index n_categories() const { return static_cast<Index>(column->categories.size()); }
};

std::vector<EncodedColumn> encoded_columns(const Table& table, const TableCoding& coding) {
    std::vector<EncodedColumn> columns;
    std::vector<std::size_t> place(coding.columns.size(), coding.columns.size());
    Index first = 0;
    for (std::size_t c = 0; c < coding.columns.size(); ++c) {
        const CodedColumn& column = coding.columns[c];
        if (column.role != ColumnRole::Feature) continue;
        place[c] = columns.size();
        columns.push_back({.column = &column, .entries = entries_of(column, coding)});
        columns.back().first = first;
        columns.back().n_features = n_features_of(column);
        first += columns.back().n_features;
    }
    for (std::size_t i = 0; i < table.plan.size(); ++i) {
        const ColumnPlan& plan = table.plan[i];
        if (plan.kind == FieldKind::Skip || plan.use != ColumnUse::Feature) continue;
        EncodedColumn& column = columns[place[static_cast<std::size_t>(plan.coded)]];
        column.slot = plan.slot;
        column.file_column = static_cast<long>(i) + 1;
    }
    return columns;
}

/// Encodes one table.
class FeatureEncoder {
public:
    FeatureEncoder(Table& table, const TableCoding& coding)
        : table_(table), coding_(coding), columns_(encoded_columns(table, coding)) {}

    PointSet encode(std::size_t max_bytes) {
        const Index n_features = n_coded_features(coding_);
        if (table_.entries) {
            if (table_.entries->cols() == n_features) return std::move(*table_.entries);
            // 0/1 columns for entries that are missing: there are none.
            check_memory(table_.origin, table_.n_rows(), n_features, max_bytes);
            table_.numbers = PointSet(std::move(*table_.entries)).to_dense();
            table_.entries.reset();
        }
        if (allows_missing(coding_)) fill_numbers();
        // Without text the table holds the features already, in their order.
        if (table_.numbers.cols() == n_features) return std::move(table_.numbers);
        check_memory(table_.origin, table_.n_rows(), n_features, max_bytes);
        check_names(table_, coding_, max_bytes);
        Matrix X = Matrix::Zero(table_.n_rows(), n_features);
        for (Index i = 0; i < X.rows(); ++i) {
            for (const EncodedColumn& column : columns_) {
                if (!column.is_text()) X(i, column.first) = table_.numbers(i, column.slot);
            }
        }
        for (const EncodedColumn& column : columns_) {
            if (column.is_text()) encode_text(column, X);
        }
        for (const auto& [row, column] : gaps_) {
            if (column->entries.indicator) X(row, column->first + column->n_features - 1) = 1.0;
        }
        return X;
    }

    /// PointData::missing, after `encode`.
    RowFeatures missing() const {
        RowFeatures rows;
        if (gaps_.empty()) return rows;
        rows.resize(static_cast<std::size_t>(table_.n_rows()));
        for (const auto& [row, column] : gaps_) {
            std::vector<int>& features = rows[static_cast<std::size_t>(row)];
            for (Index l = 0; l < column->n_features; ++l) {
                features.push_back(static_cast<int>(column->first + l));
            }
        }
        // Equal lists are found again by comparing them.
        for (std::vector<int>& features : rows) std::sort(features.begin(), features.end());
        return rows;
    }

private:
    [[noreturn]] void fail_at(Index row, const EncodedColumn& column, const std::string& problem,
                              ParseCause cause = ParseCause::Other) {
        throw ParseError(table_.origin, table_.lines[static_cast<std::size_t>(row)],
                         column.file_column, problem, cause);
    }

    /// Replaces what is missing in the numbers of the table. Row by row, as they lie in memory.
    void fill_numbers() {
        for (Index i = 0; i < table_.n_rows(); ++i) {
            for (const EncodedColumn& column : columns_) {
                if (column.is_text()) continue;
                double& value = table_.numbers(i, column.slot);
                if (!std::isnan(value)) continue;
                if (!column.entries.fills) {
                    fail_at(i, column, "expected a number, found a missing value");
                }
                value = column.column->fill;
                gaps_.emplace_back(i, &column);
            }
        }
    }

    /// For each category of the file its place among those of the coding, or -1.
    static std::vector<Index> known_categories(const TextColumn& text, const CodedColumn& column) {
        std::unordered_map<std::string_view, Index> place_of;
        for (const std::string& category : column.categories) {
            place_of.emplace(category, static_cast<Index>(place_of.size()));
        }
        std::vector<Index> known;
        for (const std::string& category : text.categories()) {
            const auto found = place_of.find(category);
            known.push_back(found == place_of.end() ? -1 : found->second);
        }
        return known;
    }

    /// Writes the one-hot columns of one text column.
    void encode_text(const EncodedColumn& column, Matrix& X) {
        const TextColumn& text = table_.texts[static_cast<std::size_t>(column.slot)];
        const std::vector<Index> known = known_categories(text, *column.column);
        for (Index i = 0; i < table_.n_rows(); ++i) {
            const int code = text.codes()[static_cast<std::size_t>(i)];
            Index member =
                code < 0 ? member_of_missing(i, column) : known[static_cast<std::size_t>(code)];
            if (member < 0) {
                member =
                    member_of_unknown(i, column, text.categories()[static_cast<std::size_t>(code)]);
            }
            if (member >= 0) X(i, column.first + member) = 1.0;
        }
    }

    Index member_of_missing(Index row, const EncodedColumn& column) {
        if (column.entries.missing_category) return column.n_categories();
        if (!column.entries.fills) fail_at(row, column, "expected a value, found a missing value");
        gaps_.emplace_back(row, &column);
        return static_cast<Index>(column.column->fill);
    }

    /// -1 if no member is to be on.
    Index member_of_unknown(Index row, const EncodedColumn& column, const std::string& category) {
        if (column.entries.other) {
            return column.n_categories() + (column.entries.missing_category ? 1 : 0);
        }
        if (column.column->entries || coding_.unseen == UnseenCategory::Error) {
            fail_at(row, column,
                    "expected a category of the training file (" +
                        quote_list(column.column->categories) + "), found " + quote_text(category),
                    ParseCause::UnseenCategory);
        }
        gaps_.emplace_back(row, &column);
        return -1;
    }

    Table& table_;
    const TableCoding& coding_;
    std::vector<EncodedColumn> columns_;
    /// Entries that were filled in, or are not known.
    std::vector<std::pair<Index, const EncodedColumn*>> gaps_;
};

}  // namespace

bool allows_missing(const TableCoding& coding) {
    return coding.missing != MissingValues::Error ||
           std::any_of(coding.columns.begin(), coding.columns.end(), [](const CodedColumn& column) {
               return column.entries && (column.entries->fills || column.entries->missing_category);
           });
}

Index n_coded_features(const TableCoding& coding) {
    Index n = 0;
    for (const CodedColumn& column : coding.columns) n += n_features_of(column);
    return n;
}

PointSet encode_features(Table& table, const TableCoding& coding, std::size_t max_bytes,
                         RowFeatures* missing) {
    FeatureEncoder encoder(table, coding);
    PointSet X = encoder.encode(max_bytes);
    if (missing != nullptr) *missing = encoder.missing();
    return X;
}

std::vector<std::string> TableCoding::feature_names() const {
    std::vector<std::string> names;
    for (const CodedColumn& column : columns) {
        for_each_feature(column, [&](const std::string& name) { names.push_back(name); });
    }
    return names;
}

std::vector<ColumnFeatures> TableCoding::columns_of_features() const {
    std::vector<ColumnFeatures> result;
    int next = 0;
    for (const CodedColumn& column : columns) {
        if (column.role != ColumnRole::Feature) continue;
        ColumnFeatures& features = result.emplace_back();
        features.name = column.name;
        features.first = next;
        features.members = column.categories;
        const EntryRules entries = column.entries.value_or(EntryRules{});
        if (entries.missing_category) features.members.emplace_back(kMissingMember);
        if (entries.other) features.members.emplace_back(kOtherMember);
        next += features.n_members();
        if (entries.indicator) features.indicator = next++;
    }
    return result;
}

}  // namespace redoubt
