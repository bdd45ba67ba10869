#include "data/coding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text_tools.hpp"
#include "data/labels.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

constexpr const char* kNoLabel = "expected a label, found a missing value";

/// The column of a file that serves one column of the coding.
struct Source {
    Index slot = -1;
    long file_column = 0;
};

std::vector<Source> find_sources(const Table& table, const TableCoding& coding) {
    std::vector<Source> sources(coding.columns.size());
    for (std::size_t i = 0; i < table.plan.size(); ++i) {
        const ColumnPlan& plan = table.plan[i];
        if (plan.kind == FieldKind::Skip || plan.kind == FieldKind::Amount) continue;
        sources[static_cast<std::size_t>(plan.coded)] = {plan.slot, static_cast<long>(i) + 1};
    }
    return sources;
}

[[noreturn]] void fail_at(const Table& table, Index row, long column, const std::string& problem) {
    throw ParseError(table.origin, table.lines[static_cast<std::size_t>(row)], column, problem);
}

[[noreturn]] void fail_without_values(const std::string& origin, long column) {
    throw ParseError(origin, 0, 0, "column " + std::to_string(column) + " has no value at all");
}

/// The median of the values that are not missing; the middle of two without overflow.
double median_of(const Matrix& numbers, Index column, const std::string& origin, long file_column) {
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(numbers.rows()));
    for (Index i = 0; i < numbers.rows(); ++i) {
        if (!std::isnan(numbers(i, column))) values.push_back(numbers(i, column));
    }
    if (values.empty()) fail_without_values(origin, file_column);
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

/// How often each category occurs; dropped rows may have left some without any.
std::vector<Index> count_categories(const TextColumn& text) {
    std::vector<Index> counts(text.categories().size(), 0);
    for (int code : text.codes()) {
        if (code >= 0) ++counts[static_cast<std::size_t>(code)];
    }
    return counts;
}

void fit_text(const Table& table, std::size_t file_column, CodedColumn& column) {
    const ColumnPlan& plan = table.plan[file_column];
    const TextColumn& text = table.texts[static_cast<std::size_t>(plan.slot)];
    const std::vector<Index> counts = count_categories(text);
    std::vector<std::pair<std::string, Index>> used;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) used.emplace_back(text.categories()[i], counts[i]);
    }
    if (used.empty()) fail_without_values(table.origin, static_cast<long>(file_column) + 1);
    std::sort(used.begin(), used.end());
    const auto most = std::max_element(
        used.begin(), used.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    column.fill = static_cast<double>(most - used.begin());
    for (auto& [category, count] : used) column.categories.push_back(std::move(category));
}

/// Does a column of features have just two different values?
bool has_two_values(const Table& table, const ColumnPlan& plan) {
    if (plan.kind == FieldKind::Text) {
        const std::vector<Index> counts =
            count_categories(table.texts[static_cast<std::size_t>(plan.slot)]);
        return std::count_if(counts.begin(), counts.end(), [](Index n) { return n > 0; }) == 2;
    }
    std::vector<double> values;
    for (double value : table.numbers.col(plan.slot)) {
        if (std::isnan(value) || std::find(values.begin(), values.end(), value) != values.end()) {
            continue;
        }
        if (values.size() == 2) return false;
        values.push_back(value);
    }
    return values.size() == 2;
}

/// The columns of features that could be the label: with two rows any could.
std::vector<std::string> other_labels(const Table& table) {
    std::vector<std::string> names;
    if (table.n_rows() < 3) return names;
    for (std::size_t i = 0; i < table.plan.size() && table.can_choose_label; ++i) {
        const ColumnPlan& plan = table.plan[i];
        if (plan.kind == FieldKind::Skip || plan.use != ColumnUse::Feature) continue;
        if (has_two_values(table, plan)) names.push_back(table.names[i]);
    }
    return names;
}

std::array<std::string, 2> fit_classes(const Table& table, std::size_t label,
                                       std::string_view positive) {
    const TextColumn& text = table.texts[static_cast<std::size_t>(table.plan[label].slot)];
    const std::vector<Index> counts = count_categories(text);
    std::vector<std::string> used;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) used.push_back(text.categories()[i]);
    }
    const auto missing = std::find(text.codes().begin(), text.codes().end(), -1);
    if (missing != text.codes().end()) {
        fail_at(table, missing - text.codes().begin(), static_cast<long>(label) + 1, kNoLabel);
    }
    ClassMap map = map_classes(used, positive);
    if (map.problem.empty()) return map.classes;
    throw ParseError(table.origin, 0, 0,
                     "expected two classes in the label column " + quote_text(table.names[label]) +
                         ", found " + map.problem,
                     ParseCause::Classes, other_labels(table));
}

/// Writes the one-hot columns of one text column, from column `first` of X on.
void encode_text(const Table& table, const Source& source, const TableCoding& coding,
                 const CodedColumn& column, Index first, Matrix& X) {
    const TextColumn& text = table.texts[static_cast<std::size_t>(source.slot)];
    std::vector<Index> known;
    for (const std::string& category : text.categories()) {
        const auto& all = column.categories;
        const auto found = std::lower_bound(all.begin(), all.end(), category);
        const bool is_known = found != all.end() && *found == category;
        known.push_back(is_known ? found - all.begin() : Index{-1});
    }
    for (Index i = 0; i < table.n_rows(); ++i) {
        const int code = text.codes()[static_cast<std::size_t>(i)];
        const Index category =
            code < 0 ? static_cast<Index>(column.fill) : known[static_cast<std::size_t>(code)];
        if (code < 0 && coding.missing != MissingValues::Median) {
            fail_at(table, i, source.file_column, "expected a value, found a missing value");
        }
        if (category >= 0) {
            X(i, first + category) = 1.0;
        } else if (coding.unseen == UnseenCategory::Error) {
            fail_at(table, i, source.file_column,
                    "expected a category of the training file (" + quote_list(column.categories) +
                        "), found " +
                        quote_text(text.categories()[static_cast<std::size_t>(code)]));
        }
    }
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

Index n_features_of(const CodedColumn& column) {
    if (column.role != ColumnRole::Feature) return 0;
    return std::max<Index>(static_cast<Index>(column.categories.size()), 1);
}

/// A column of numbers: where it stands in the table, and which feature it becomes.
struct NumberColumn {
    Index slot;
    Index feature;
    double fill;
    long file_column;
};

std::vector<NumberColumn> number_columns(const std::vector<Source>& sources,
                                         const TableCoding& coding) {
    std::vector<NumberColumn> columns;
    Index feature = 0;
    for (std::size_t c = 0; c < coding.columns.size(); ++c) {
        const CodedColumn& column = coding.columns[c];
        if (column.role != ColumnRole::Feature) continue;
        if (column.categories.empty()) {
            columns.push_back({sources[c].slot, feature, column.fill, sources[c].file_column});
        }
        feature += n_features_of(column);
    }
    return columns;
}

/// Replaces what is missing in the numbers of the table. Row by row, as they lie in memory.
void fill_numbers(Table& table, const std::vector<NumberColumn>& columns, MissingValues missing) {
    for (Index i = 0; i < table.n_rows(); ++i) {
        for (const NumberColumn& column : columns) {
            double& value = table.numbers(i, column.slot);
            if (!std::isnan(value)) continue;
            if (missing != MissingValues::Median) {
                fail_at(table, i, column.file_column, "expected a number, found a missing value");
            }
            value = column.fill;
        }
    }
}

}  // namespace

TableCoding fit_coding(const Table& table, const ReadSettings& settings, Labels labels) {
    TableCoding coding;
    coding.has_header = table.has_header;
    coding.missing = settings.missing;
    coding.unseen = settings.unseen;
    bool any_feature = false;
    for (std::size_t i = 0; i < table.plan.size(); ++i) {
        const ColumnPlan& plan = table.plan[i];
        CodedColumn column{table.names[i], ColumnRole::Ignored};
        if (plan.use == ColumnUse::Label) {
            column.role = ColumnRole::Label;
            if (labels == Labels::Needed) {
                coding.classes = fit_classes(table, i, settings.positive);
            }
        } else if (plan.kind != FieldKind::Skip && plan.use == ColumnUse::Feature) {
            any_feature = true;
            column.role = ColumnRole::Feature;
            if (plan.kind == FieldKind::Text) {
                fit_text(table, i, column);
            } else if (settings.missing == MissingValues::Median) {
                column.fill = median_of(table.numbers, plan.slot, table.origin, Index(i) + 1);
            }
        }
        coding.columns.push_back(std::move(column));
    }
    if (!any_feature) {
        throw ParseError(table.origin, 0, 0,
                         "expected at least one feature column besides the label, found none");
    }
    return coding;
}

Index n_coded_features(const TableCoding& coding) {
    Index n = 0;
    for (const CodedColumn& column : coding.columns) n += n_features_of(column);
    return n;
}

Matrix encode_features(Table& table, const TableCoding& coding, std::size_t max_bytes) {
    const std::vector<Source> sources = find_sources(table, coding);
    const std::vector<NumberColumn> numbers = number_columns(sources, coding);
    if (coding.missing != MissingValues::Error) fill_numbers(table, numbers, coding.missing);
    const Index n_features = n_coded_features(coding);
    // Without text the table holds the features already, in their order.
    if (table.numbers.cols() == n_features) return std::move(table.numbers);
    check_memory(table.origin, table.n_rows(), n_features, max_bytes);
    check_names(table, coding, max_bytes);
    Matrix X = Matrix::Zero(table.n_rows(), n_features);
    for (Index i = 0; i < X.rows(); ++i) {
        for (const NumberColumn& column : numbers) {
            X(i, column.feature) = table.numbers(i, column.slot);
        }
    }
    Index feature = 0;
    for (std::size_t c = 0; c < coding.columns.size(); ++c) {
        const CodedColumn& column = coding.columns[c];
        if (column.role != ColumnRole::Feature) continue;
        if (!column.categories.empty()) {
            encode_text(table, sources[c], coding, column, feature, X);
        }
        feature += n_features_of(column);
    }
    return X;
}

bool has_labels(const Table& table) {
    return std::any_of(table.plan.begin(), table.plan.end(), [](const ColumnPlan& plan) {
        return plan.use == ColumnUse::Label && plan.kind != FieldKind::Skip;
    });
}

Vector encode_labels(const Table& table, const TableCoding& coding) {
    const auto label =
        std::find_if(table.plan.begin(), table.plan.end(),
                     [](const ColumnPlan& plan) { return plan.use == ColumnUse::Label; });
    if (label == table.plan.end()) {
        throw ParseError(table.origin, 0, 0, "expected a label column, found features only");
    }
    const long file_column = label - table.plan.begin() + 1;
    const TextColumn& text = table.texts[static_cast<std::size_t>(label->slot)];
    std::vector<double> sign;
    for (const std::string& category : text.categories()) {
        sign.push_back(sign_of_label(coding.classes, category));
    }
    Vector y(table.n_rows());
    for (Index i = 0; i < y.size(); ++i) {
        const int code = text.codes()[static_cast<std::size_t>(i)];
        if (code < 0) fail_at(table, i, file_column, kNoLabel);
        y[i] = sign[static_cast<std::size_t>(code)];
        if (y[i] != 0.0) continue;
        fail_at(table, i, file_column,
                "expected a label " + quote_text(coding.classes[0]) + " or " +
                    quote_text(coding.classes[1]) + ", found " +
                    quote_text(text.categories()[static_cast<std::size_t>(code)]));
    }
    return y;
}

Vector encode_amounts(const Table& table, ColumnUse use) {
    const auto column = std::find_if(table.plan.begin(), table.plan.end(),
                                     [&](const ColumnPlan& plan) { return plan.use == use; });
    if (column == table.plan.end()) return {};
    const std::vector<double>& values = table.amounts[static_cast<std::size_t>(column->slot)];
    const auto missing =
        std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    if (missing != values.end()) {
        fail_at(table, missing - values.begin(), column - table.plan.begin() + 1,
                "expected a " + amount_name(use) + ", found a missing value");
    }
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

std::vector<std::string> find_reordered(const Table& table, const TableCoding& coding) {
    std::vector<Index> found;
    for (const ColumnPlan& plan : table.plan) {
        const bool is_used = plan.kind != FieldKind::Skip && plan.use == ColumnUse::Feature;
        if (is_used) found.push_back(plan.coded);
    }
    std::vector<Index> usual = found;
    std::sort(usual.begin(), usual.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < usual.size(); ++i) {
        if (found[i] == usual[i]) continue;
        names.push_back(coding.columns[static_cast<std::size_t>(usual[i])].name);
    }
    return names;
}

TableCoding TableCoding::numeric(Index n_features, std::array<std::string, 2> classes) {
    if (n_features < 1) throw InvalidInput("n_features", ">= 1", std::to_string(n_features));
    TableCoding coding;
    for (Index j = 0; j < n_features; ++j) coding.columns.push_back({default_name(j + 1)});
    coding.columns.push_back({"label", ColumnRole::Label});
    coding.classes = std::move(classes);
    return coding;
}

std::vector<std::string> TableCoding::feature_names() const {
    std::vector<std::string> names;
    for (const CodedColumn& column : columns) {
        for_each_feature(column, [&](const std::string& name) { names.push_back(name); });
    }
    return names;
}

}  // namespace redoubt
