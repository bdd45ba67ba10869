#include <algorithm>
#include <charconv>
#include <optional>

#include "io/coding.hpp"
#include "io/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

std::optional<std::size_t> find_by_name(const Table& table, std::string_view name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found == table.names.end()) return std::nullopt;
    if (std::find(found + 1, table.names.end(), name) != table.names.end()) {
        throw ParseError(table.origin, 1, 0,
                         "the column name " + quote_text(name) + " occurs more than once");
    }
    return static_cast<std::size_t>(found - table.names.begin());
}

/// By name, then by number: 1 is the first, -1 the last.
std::size_t find_column(const Table& table, std::string_view what, std::string_view column) {
    if (const auto found = find_by_name(table, column)) return *found;
    Index number = 0;
    const auto [stop, error] =
        std::from_chars(column.data(), column.data() + column.size(), number);
    const Index n = table.n_columns();
    if (error == std::errc{} && stop == column.data() + column.size()) {
        if (number >= 1 && number <= n) return static_cast<std::size_t>(number - 1);
        if (number <= -1 && number >= -n) return static_cast<std::size_t>(n + number);
    }
    throw ParseError(table.origin, table.has_header ? 1 : 0, 0,
                     std::string(what) + " column " + quote_text(column) +
                         " not found; the columns are " + quote_list(table.names));
}

void number_slots(std::vector<ColumnPlan>& plan) {
    Index n_numbers = 0;
    Index n_texts = 0;
    for (ColumnPlan& column : plan) {
        if (column.kind == FieldKind::Skip) continue;
        column.slot = column.kind == FieldKind::Text ? n_texts++ : n_numbers++;
    }
}

std::vector<ColumnPlan> training_plan(const Table& table, const ReadSettings& settings,
                                      Labels labels) {
    const FieldKind usual =
        settings.text == TextColumns::OneHot ? FieldKind::Either : FieldKind::Number;
    std::vector<ColumnPlan> plan(table.names.size(), {usual});
    for (std::size_t i = 0; i < plan.size(); ++i) plan[i].coded = static_cast<Index>(i);
    for (const std::string& column : settings.text_columns) {
        plan[find_column(table, "text", column)].kind = FieldKind::Text;
    }
    const std::size_t label =
        settings.label.empty() ? kNowhere : find_column(table, "label", settings.label);
    for (const std::string& column : settings.ignore_columns) {
        const std::size_t ignored = find_column(table, "ignored", column);
        if (ignored == label) {
            throw InvalidInput("ignore_columns", "columns other than the label",
                               quote_text(column));
        }
        plan[ignored].kind = FieldKind::Skip;
    }
    if (label != kNowhere) {
        plan[label].kind = labels == Labels::Needed ? FieldKind::Text : FieldKind::Skip;
        plan[label].is_label = true;
    }
    number_slots(plan);
    return plan;
}

bool has_label(const TableCoding& coding) {
    return std::any_of(coding.columns.begin(), coding.columns.end(),
                       [](const CodedColumn& c) { return c.role == ColumnRole::Label; });
}

/// For each column of the coding its place in the file.
std::vector<std::size_t> match_by_name(const Table& table, const TableCoding& coding) {
    std::vector<std::size_t> place;
    for (const CodedColumn& column : coding.columns) {
        if (column.role == ColumnRole::Ignored) {
            place.push_back(kNowhere);
            continue;
        }
        const auto found = find_by_name(table, column.name);
        if (!found && column.role == ColumnRole::Feature) {
            throw ParseError(table.origin, 1, 0,
                             "column " + quote_text(column.name) +
                                 " of the training file not found; the columns are " +
                                 quote_list(table.names));
        }
        place.push_back(found.value_or(kNowhere));
    }
    return place;
}

std::vector<std::size_t> match_by_position(const Table& table, const TableCoding& coding) {
    const Index n_all = static_cast<Index>(coding.columns.size());
    const bool without_label = has_label(coding) && table.n_columns() == n_all - 1;
    if (table.n_columns() != n_all && !without_label) {
        throw ParseError(
            table.origin, 0, 0,
            "expected " + counted(n_all, "column") + " as in the training file" +
                (has_label(coding) ? ", or " + std::to_string(n_all - 1) + " without the label"
                                   : "") +
                ", found " + std::to_string(table.n_columns()));
    }
    std::vector<std::size_t> place;
    std::size_t next = 0;
    for (const CodedColumn& column : coding.columns) {
        const bool absent = without_label && column.role == ColumnRole::Label;
        place.push_back(absent ? kNowhere : next++);
    }
    return place;
}

std::vector<ColumnPlan> later_plan(const Table& table, const TableCoding& coding, Labels labels) {
    const bool by_name = coding.has_header && table.has_header;
    const auto place = by_name ? match_by_name(table, coding) : match_by_position(table, coding);
    std::vector<ColumnPlan> plan(table.names.size());
    Index n_numbers = 0;
    Index n_texts = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
        const CodedColumn& column = coding.columns[i];
        const bool used = column.role == ColumnRole::Feature ||
                          (column.role == ColumnRole::Label && labels != Labels::Ignored);
        if (!used || place[i] == kNowhere) continue;
        const bool is_text = column.role == ColumnRole::Label || !column.categories.empty();
        plan[place[i]] = {is_text ? FieldKind::Text : FieldKind::Number,
                          is_text ? n_texts++ : n_numbers++, static_cast<Index>(i),
                          column.role == ColumnRole::Label};
    }
    return plan;
}

}  // namespace

ColumnPlanner plan_for_training(const ReadSettings& settings, Labels labels) {
    return
        [&settings, labels](const Table& table) { return training_plan(table, settings, labels); };
}

ColumnPlanner plan_for_coding(const TableCoding& coding, Labels labels) {
    return [&coding, labels](const Table& table) { return later_plan(table, coding, labels); };
}

void match_libsvm_table(Table& table, const TableCoding* coding, Labels labels) {
    for (std::size_t i = 0; i < table.plan.size(); ++i) table.plan[i].coded = Index(i);
    if (coding != nullptr) {
        std::size_t next = 1;
        for (std::size_t i = 0; i < coding->columns.size(); ++i) {
            const CodedColumn& column = coding->columns[i];
            if (column.role == ColumnRole::Label) table.plan[0].coded = Index(i);
            if (column.role == ColumnRole::Feature) table.plan[next++].coded = Index(i);
            if (!column.categories.empty()) {
                throw ParseError(table.origin, 0, 0,
                                 "LIBSVM text holds numbers only, but the training file had text "
                                 "in column " +
                                     quote_text(column.name));
            }
        }
    }
    const std::vector<int>& codes = table.texts[0].codes();
    const bool unlabelled =
        std::all_of(codes.begin(), codes.end(), [](int code) { return code < 0; });
    if (labels == Labels::Ignored || (labels == Labels::IfPresent && unlabelled)) {
        table.plan[0].kind = FieldKind::Skip;
        table.texts.clear();
    }
}

}  // namespace redoubt::io
