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

/// The medians of compressed columns, zeros included.
std::vector<double> medians_of(const SparseMatrix& entries) {
    std::vector<std::vector<double>> columns(static_cast<std::size_t>(entries.cols()));
    const SparseView rows = entries.view();
    for (Index i = 0; i < rows.rows(); ++i) {
        rows.row(i).for_each([&](Index column, double value) {
            columns[static_cast<std::size_t>(column)].push_back(value);
        });
    }
    std::vector<double> medians;
    for (std::vector<double>& values : columns) {
        std::sort(values.begin(), values.end());
        const auto n_below = std::lower_bound(values.begin(), values.end(), 0.0) - values.begin();
        const Index n_absent = rows.rows() - static_cast<Index>(values.size());
        const auto at = [&](Index rank) {
            if (rank < n_below) return values[static_cast<std::size_t>(rank)];
            return rank < n_below + n_absent ? 0.0
                                             : values[static_cast<std::size_t>(rank - n_absent)];
        };
        const Index middle = rows.rows() / 2;
        medians.push_back(rows.rows() % 2 == 1 ? at(middle)
                                               : std::midpoint(at(middle - 1), at(middle)));
    }
    return medians;
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

bool fills_gaps(MissingValues missing) {
    return missing == MissingValues::Median || missing == MissingValues::Category ||
           missing == MissingValues::Indicator;
}

/// Do the settings ask for more than `missing` and `unseen` of a coding can say?
bool needs_entry_rules(const ReadSettings& settings) {
    return settings.missing == MissingValues::Category ||
           settings.missing == MissingValues::Indicator || settings.unseen == UnseenCategory::Other;
}

bool has_gaps(const Table& table, const ColumnPlan& plan) {
    if (plan.kind != FieldKind::Text)
        return !table.entries && table.numbers.col(plan.slot).hasNaN();
    const std::vector<int>& codes = table.texts[static_cast<std::size_t>(plan.slot)].codes();
    return std::find(codes.begin(), codes.end(), -1) != codes.end();
}

EntryRules entry_rules(const Table& table, const ColumnPlan& plan, const ReadSettings& settings) {
    const bool is_text = plan.kind == FieldKind::Text;
    EntryRules entries;
    entries.fills = fills_gaps(settings.missing);
    entries.other = is_text && settings.unseen == UnseenCategory::Other;
    if (!has_gaps(table, plan)) return entries;
    entries.missing_category = is_text && settings.missing == MissingValues::Category;
    entries.fills = entries.fills && !entries.missing_category;
    entries.indicator = settings.missing == MissingValues::Indicator;
    return entries;
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

/// Has a class a single row? Of more than two classes a column of that kind is hardly the label.
bool has_rare_class(const TextColumn& text, const std::vector<Index>& counts,
                    const ClassNames& classes) {
    std::vector<Index> rows(classes.size(), 0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (const auto c = find_class(classes, text.categories()[i])) rows[*c] += counts[i];
    }
    return std::find(rows.begin(), rows.end(), 1) != rows.end();
}

ClassNames fit_classes(const Table& table, std::size_t label, const ReadSettings& settings) {
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
    const ClassMap map = map_classes(used, settings.positive, settings.max_classes);
    const bool is_rare = map.classes.size() > 2 && has_rare_class(text, counts, map.classes);
    if (map.problem.empty() && !is_rare) return map.classes;
    const std::string problem =
        is_rare ? std::to_string(map.classes.size()) + ": " + quote_list(map.classes) : map.problem;
    const bool are_too_many = !is_rare && used.size() > 1 && settings.max_classes > 2;
    const std::string wanted =
        is_rare        ? "two classes, or more with at least 2 rows each,"
        : are_too_many ? "2 to " + std::to_string(settings.max_classes) + " classes"
                       : "two classes";
    throw ParseError(table.origin, 0, 0,
                     "expected " + wanted + " in the label column " +
                         quote_text(table.names[label]) + ", found " + problem,
                     ParseCause::Classes, other_labels(table));
}

}  // namespace

TableCoding fit_coding(const Table& table, const ReadSettings& settings, Labels labels) {
    TableCoding coding;
    coding.has_header = table.has_header;
    const bool is_by_column = needs_entry_rules(settings);
    if (!is_by_column) {
        coding.missing = settings.missing;
        coding.unseen = settings.unseen;
    } else if (settings.missing == MissingValues::Drop) {
        coding.missing = MissingValues::Drop;
    }
    bool any_feature = false;
    std::vector<double> medians;
    if (table.entries && fills_gaps(settings.missing)) medians = medians_of(*table.entries);
    for (std::size_t i = 0; i < table.plan.size(); ++i) {
        const ColumnPlan& plan = table.plan[i];
        CodedColumn column{table.names[i], ColumnRole::Ignored};
        if (plan.use == ColumnUse::Label) {
            column.role = ColumnRole::Label;
            if (labels == Labels::Needed) {
                coding.classes = fit_classes(table, i, settings);
            }
        } else if (plan.kind != FieldKind::Skip && plan.use == ColumnUse::Feature) {
            any_feature = true;
            column.role = ColumnRole::Feature;
            if (plan.kind == FieldKind::Text) {
                fit_text(table, i, column);
            } else if (fills_gaps(settings.missing)) {
                column.fill = table.entries
                                  ? medians[static_cast<std::size_t>(plan.slot)]
                                  : median_of(table.numbers, plan.slot, table.origin, Index(i) + 1);
            }
            if (is_by_column) {
                column.entries = entry_rules(table, plan, settings);
                if (!column.entries->fills) column.fill = 0.0;
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
    std::vector<std::optional<std::size_t>> number;
    for (const std::string& category : text.categories())
        number.push_back(find_class(coding.classes, category));
    Vector y(table.n_rows());
    for (Index i = 0; i < y.size(); ++i) {
        const int code = text.codes()[static_cast<std::size_t>(i)];
        if (code < 0) fail_at(table, i, file_column, kNoLabel);
        if (const auto c = number[static_cast<std::size_t>(code)]) {
            y[i] = label_of_class(*c, coding.classes.size());
            continue;
        }
        const std::string wanted =
            coding.classes.size() == 2
                ? quote_text(coding.classes[0]) + " or " + quote_text(coding.classes[1])
                : "among " + quote_list(coding.classes);
        fail_at(table, i, file_column,
                "expected a label " + wanted + ", found " +
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

TableCoding TableCoding::numeric(Index n_features, ClassNames classes) {
    if (n_features < 1) throw InvalidInput("n_features", ">= 1", std::to_string(n_features));
    TableCoding coding;
    for (Index j = 0; j < n_features; ++j) coding.columns.push_back({default_name(j + 1)});
    coding.columns.push_back({"label", ColumnRole::Label});
    coding.classes = std::move(classes);
    return coding;
}

}  // namespace redoubt
