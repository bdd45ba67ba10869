#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

[[noreturn]] void fail_repeated(const Table& table, std::string_view name) {
    throw ParseError(table.origin, 1, 0,
                     "the column name " + quote_text(name) + " occurs more than once");
}

/// The names that more than one column has.
std::unordered_set<std::string_view> repeated_names(const Table& table) {
    std::unordered_set<std::string_view> names;
    std::unordered_set<std::string_view> repeated;
    for (const std::string& name : table.names) {
        if (!names.insert(name).second) repeated.insert(name);
    }
    return repeated;
}

std::optional<std::size_t> find_by_name(const Table& table, std::string_view name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found == table.names.end()) return std::nullopt;
    if (std::find(found + 1, table.names.end(), name) != table.names.end()) {
        fail_repeated(table, name);
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
    const std::vector<std::string> near = near_texts(std::string(column), table.names);
    throw ParseError(table.origin, table.has_header ? 1 : 0, 0,
                     std::string(what) + " column " + quote_text(column) + " not found; " +
                         (near.empty() ? "the columns are " + quote_list(table.names)
                                       : "did you mean " + quote_list(near) + "?"));
}

/// Numbers, texts and amounts each count their own slots.
class SlotCounter {
public:
    Index next(FieldKind kind) {
        if (kind == FieldKind::Text) return n_texts_++;
        return kind == FieldKind::Amount ? n_amounts_++ : n_numbers_++;
    }

private:
    Index n_numbers_ = 0;
    Index n_texts_ = 0;
    Index n_amounts_ = 0;
};

/// Makes `column` one of weights or radii; a column that serves something else is refused.
void plan_amounts(const Table& table, const std::string& column, ColumnUse use,
                  std::vector<ColumnPlan>& plan, std::vector<const char*>& taken) {
    if (column.empty()) return;
    const std::string name = amount_name(use);
    const std::size_t place = find_column(table, name, column);
    if (taken[place] != nullptr) {
        throw InvalidInput(name + "_column", std::string("a column other than ") + taken[place],
                           quote_text(column));
    }
    plan[place].kind = FieldKind::Amount;
    plan[place].use = use;
    taken[place] = "the weights";
}

std::vector<ColumnPlan> training_plan(const Table& table, const ReadSettings& settings,
                                      Labels labels) {
    const FieldKind usual =
        settings.text == TextColumns::OneHot ? FieldKind::Either : FieldKind::Number;
    std::vector<ColumnPlan> plan(table.names.size(), {usual});
    // For each column that the settings name: what for.
    std::vector<const char*> taken(table.names.size(), nullptr);
    for (const std::string& column : settings.text_columns) {
        const std::size_t text = find_column(table, "text", column);
        plan[text].kind = FieldKind::Text;
        taken[text] = "the text columns";
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
        taken[ignored] = "the ignored ones";
    }
    if (label != kNowhere) {
        plan[label].kind = FieldKind::Text;
        plan[label].use = ColumnUse::Label;
        taken[label] = "the label";
    }
    plan_amounts(table, settings.weight_column, ColumnUse::Weight, plan, taken);
    plan_amounts(table, settings.radius_column, ColumnUse::Radius, plan, taken);
    SlotCounter slots;
    const auto repeated = repeated_names(table);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const bool is_feature = plan[i].use == ColumnUse::Feature;
        if (!is_feature && labels == Labels::Ignored) plan[i].kind = FieldKind::Skip;
        if (plan[i].kind == FieldKind::Skip) continue;
        // Later files could not be matched by name.
        if (repeated.contains(table.names[i])) fail_repeated(table, table.names[i]);
        plan[i].slot = slots.next(plan[i].kind);
        plan[i].coded = static_cast<Index>(i);
    }
    return plan;
}

bool has_label(const TableCoding& coding) {
    return std::any_of(coding.columns.begin(), coding.columns.end(),
                       [](const CodedColumn& c) { return c.role == ColumnRole::Label; });
}

/// For each column of the coding its place in the file.
std::vector<std::size_t> match_by_name(const Table& table, const TableCoding& coding) {
    // Many columns must not take the square of their number.
    const auto repeated = repeated_names(table);
    std::unordered_map<std::string_view, std::size_t> place_of;
    for (std::size_t i = 0; i < table.names.size(); ++i) place_of.emplace(table.names[i], i);
    std::vector<std::size_t> place(coding.columns.size(), kNowhere);
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < place.size(); ++i) {
        const CodedColumn& column = coding.columns[i];
        if (column.role == ColumnRole::Ignored) continue;
        if (repeated.contains(column.name)) fail_repeated(table, column.name);
        const auto found = place_of.find(column.name);
        if (found != place_of.end()) {
            place[i] = found->second;
        } else if (column.role == ColumnRole::Feature) {
            missing.push_back(column.name);
        }
    }
    if (missing.empty()) return place;
    const std::string what =
        missing.size() == 1 ? "column " + quote_text(missing[0]) + " of the training file not found"
                            : counted(static_cast<long>(missing.size()), "column") +
                                  " of the training file not found: " + quote_list(missing);
    throw ParseError(table.origin, 1, 0, what + "; the columns are " + quote_list(table.names));
}

/// Does a file of `n` columns have those of the coding, with or without the label?
bool fits(const TableCoding& coding, Index n) {
    const Index n_all = static_cast<Index>(coding.columns.size());
    return n == n_all || (has_label(coding) && n == n_all - 1);
}

/// Gives the columns of the coding the places 0, 1, .. but for `left_out`, in a file that fits.
std::vector<std::size_t> count_places(const Table& table, const TableCoding& coding,
                                      std::size_t left_out) {
    const std::size_t n = table.names.size() - (left_out == kNowhere ? 0 : 1);
    std::vector<std::size_t> place;
    std::size_t next = 0;
    for (const CodedColumn& column : coding.columns) {
        if (column.role == ColumnRole::Label && n < coding.columns.size()) {
            place.push_back(kNowhere);
            continue;
        }
        if (next == left_out) ++next;
        place.push_back(next++);
    }
    return place;
}

/// Is `column` of the file the place of a feature or of the label?
bool is_taken(const TableCoding& coding, const std::vector<std::size_t>& place,
              std::size_t column) {
    if (column == kNowhere) return false;
    const auto found = std::find(place.begin(), place.end(), column);
    return found != place.end() &&
           coding.columns[static_cast<std::size_t>(found - place.begin())].role !=
               ColumnRole::Ignored;
}

/// The radius column may be one that was ignored in training, or stand beside those of training.
std::vector<std::size_t> match_by_position(const Table& table, const TableCoding& coding,
                                           std::size_t radius) {
    const bool fits_all = fits(coding, table.n_columns());
    const bool fits_rest = radius != kNowhere && fits(coding, table.n_columns() - 1);
    if (fits_all) {
        std::vector<std::size_t> place = count_places(table, coding, kNowhere);
        if (!fits_rest || !is_taken(coding, place, radius)) return place;
    }
    if (fits_rest) return count_places(table, coding, radius);
    const Index n_all = static_cast<Index>(coding.columns.size());
    throw ParseError(
        table.origin, 0, 0,
        "expected " + counted(n_all, "column") + " as in the training file" +
            (has_label(coding) ? ", or " + std::to_string(n_all - 1) + " without the label" : "") +
            (radius != kNowhere ? ", and perhaps one of radii" : "") + ", found " +
            std::to_string(table.n_columns()));
}

std::vector<ColumnPlan> later_plan(const Table& table, const TableCoding& coding, Labels labels,
                                   const std::string& radius_column) {
    const std::size_t radius =
        radius_column.empty() ? kNowhere : find_column(table, "radius", radius_column);
    const bool by_name = coding.has_header && table.has_header;
    const auto place =
        by_name ? match_by_name(table, coding) : match_by_position(table, coding, radius);
    if (is_taken(coding, place, radius)) {
        throw InvalidInput("radius_column", "a column other than the features and the label",
                           quote_text(radius_column));
    }
    std::vector<ColumnPlan> plan(table.names.size());
    SlotCounter slots;
    for (std::size_t i = 0; i < place.size(); ++i) {
        const CodedColumn& column = coding.columns[i];
        const bool is_label = column.role == ColumnRole::Label;
        const bool used =
            column.role == ColumnRole::Feature || (is_label && labels != Labels::Ignored);
        if (!used || place[i] == kNowhere) continue;
        const bool is_text = is_label || !column.categories.empty();
        const FieldKind kind = is_text ? FieldKind::Text : FieldKind::Number;
        plan[place[i]] = {kind, slots.next(kind), static_cast<Index>(i),
                          is_label ? ColumnUse::Label : ColumnUse::Feature, !is_text};
    }
    if (radius != kNowhere) {
        plan[radius] = {FieldKind::Amount, slots.next(FieldKind::Amount), -1, ColumnUse::Radius};
    }
    return plan;
}

}  // namespace

ColumnPlanner plan_for_training(const ReadSettings& settings, Labels labels) {
    return
        [&settings, labels](const Table& table) { return training_plan(table, settings, labels); };
}

ColumnPlanner plan_for_coding(const TableCoding& coding, Labels labels,
                              const PointColumns& further) {
    return [&coding, labels, &further](const Table& table) {
        return later_plan(table, coding, labels, further.radius_column);
    };
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

}  // namespace redoubt
