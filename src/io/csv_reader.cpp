#include "io/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/text_tools.hpp"
#include "io/csv_cursor.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

NumberText kind_of(std::string_view field) {
    double ignored = 0.0;
    return parse_number(field, ignored);
}

bool is_number(std::string_view field) {
    return kind_of(field) == NumberText::Number;
}

/// All names and no number: a table whose first row mixes both could be either, and taking a data
/// row for a header would lose it silently.
bool looks_like_header(const std::vector<std::string>& fields) {
    const bool any_number = std::any_of(fields.begin(), fields.end(), is_number);
    const bool any_text = std::any_of(fields.begin(), fields.end(),
                                      [](const std::string& field) { return !is_missing(field); });
    return any_text && !any_number;
}

/// What a column holds that was found to be text.
struct FoundTexts {
    Index n_values = 0;  ///< without missing ones
    Index n_texts = 0;   ///< that are not numbers
    Index n_commas = 0;  ///< texts that are numbers with a decimal comma
    std::size_t first_text = 0;
    std::size_t first_comma = 0;
};

FoundTexts count_texts(const TextColumn& column) {
    std::vector<NumberText> kinds;
    for (const std::string& value : column.categories()) kinds.push_back(kind_of(value));
    FoundTexts found;
    for (std::size_t row = 0; row < column.codes().size(); ++row) {
        const int code = column.codes()[row];
        if (code < 0) continue;
        ++found.n_values;
        const NumberText kind = kinds[static_cast<std::size_t>(code)];
        if (kind == NumberText::Number) continue;
        if (found.n_texts++ == 0) found.first_text = row;
        if (kind != NumberText::DecimalComma) continue;
        if (found.n_commas++ == 0) found.first_comma = row;
    }
    return found;
}

const std::string& value_at(const TextColumn& column, std::size_t row) {
    return column.categories()[static_cast<std::size_t>(column.codes()[row])];
}

}  // namespace

/// One pass over the rows of a table, or of a block of them.
class CsvReader {
public:
    CsvReader(std::string_view text, char separator, const CsvSettings& settings)
        : text_(text), separator_(separator), settings_(settings) {}

    Table read(const ColumnPlanner& planner);
    /// More rows of the table that `read` began, all of whose columns have their kind.
    Table read_more(std::string_view text, long first_line);

private:
    void read_first_row();
    void plan_found_text();
    Table take_table();
    void start_rows();
    Index most_rows() const;
    void read_rows(Index most);
    void read_row();
    void read_cell(Index column);
    void read_number_cell(Index column, double& value);
    void read_amount_cell(Index column);
    void end_row();
    void check_stray_texts(const std::vector<ColumnPlan>& planned) const;
    void check_decimal_commas(const TextColumn& column, const FoundTexts& found,
                              std::size_t place) const;
    bool could_be_label(Index column) const;
    std::string where_in(Index column) const;
    [[noreturn]] void fail(Index column, const std::string& problem,
                           ParseCause cause = ParseCause::Other);
    [[noreturn]] void fail_missing(Index column, const std::string& problem);
    [[noreturn]] void fail_ragged(long n_found) const;

    static constexpr Index kProbedRows = 100;
    /// Texts are strays where there are at least this many numbers for each of them.
    static constexpr Index kNumbersPerStray = 9;

    std::string_view text_;
    long first_line_ = 1;
    char separator_;
    CsvSettings settings_;
    CsvCursor cursor_{text_, separator_, settings_.origin};
    Table table_;
    /// Does the text start with the header of the table?
    bool starts_with_header_ = false;
    /// Every row ends in a separator that is followed by nothing.
    bool trailing_ = false;
    /// For each column: was text found where a number or text may stand?
    std::vector<char> found_text_;
    double* row_ = nullptr;
    long row_line_ = 0;
};

Table CsvReader::read(const ColumnPlanner& planner) {
    table_.origin = settings_.origin;
    read_first_row();
    table_.plan = planner(table_);
    const std::vector<ColumnPlan> planned = table_.plan;
    start_rows();
    const Index most = most_rows();
    const bool may_hold_text =
        std::any_of(table_.plan.begin(), table_.plan.end(),
                    [](const ColumnPlan& plan) { return plan.kind == FieldKind::Either; });
    if (may_hold_text) {
        // Text almost always shows in the first rows, which saves a pass over all of them.
        read_rows(std::min(most, kProbedRows));
        plan_found_text();
    }
    read_rows(most);
    if (std::count(found_text_.begin(), found_text_.end(), 1) > 0) {
        plan_found_text();
        read_rows(most);
    }
    for (ColumnPlan& plan : table_.plan) {
        if (plan.kind == FieldKind::Either) plan.kind = FieldKind::Number;
    }
    check_stray_texts(planned);
    return take_table();
}

Table CsvReader::read_more(std::string_view text, long first_line) {
    text_ = text;
    first_line_ = first_line;
    starts_with_header_ = false;
    start_rows();
    read_rows(most_rows());
    return take_table();
}

/// Names and plan stay, for more rows.
Table CsvReader::take_table() {
    Table rest;
    rest.origin = table_.origin;
    rest.has_header = table_.has_header;
    rest.names = table_.names;
    rest.plan = table_.plan;
    return std::exchange(table_, std::move(rest));
}

void CsvReader::check_stray_texts(const std::vector<ColumnPlan>& planned) const {
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const ColumnPlan& plan = table_.plan[i];
        if (planned[i].kind != FieldKind::Either || plan.kind != FieldKind::Text) continue;
        const TextColumn& column = table_.texts[static_cast<std::size_t>(plan.slot)];
        const FoundTexts found = count_texts(column);
        if (found.n_values < (kNumbersPerStray + 1) * found.n_texts) {
            check_decimal_commas(column, found, i);
            continue;
        }
        throw ParseError(settings_.origin, table_.lines[found.first_text], static_cast<long>(i) + 1,
                         "expected a number, found " +
                             quote_text(value_at(column, found.first_text)) +
                             where_in(static_cast<Index>(i)) + ", where " +
                             std::to_string(found.n_values - found.n_texts) + " of " +
                             std::to_string(found.n_values) + " values are numbers",
                         ParseCause::StrayText, {table_.names[i]});
    }
}

/// As categories such numbers would train a useless model without a word.
void CsvReader::check_decimal_commas(const TextColumn& column, const FoundTexts& found,
                                     std::size_t place) const {
    const Index n_others = found.n_texts - found.n_commas;
    if (found.n_commas == 0 || found.n_values < (kNumbersPerStray + 1) * n_others) return;
    throw ParseError(
        settings_.origin, table_.lines[found.first_comma], static_cast<long>(place) + 1,
        number_problem(NumberText::DecimalComma, value_at(column, found.first_comma)) +
            where_in(static_cast<Index>(place)) + ", as in " + std::to_string(found.n_commas) +
            " of " + std::to_string(found.n_values) + " values",
        ParseCause::DecimalComma, {table_.names[place]});
}

/// Columns found to be text leave the numbers, so the slots of those behind them move up.
void CsvReader::plan_found_text() {
    Index n_numbers = 0;
    Index n_texts = 0;
    for (std::size_t i = 0; i < table_.plan.size(); ++i) {
        ColumnPlan& plan = table_.plan[i];
        if (found_text_[i] != 0) plan.kind = FieldKind::Text;
        if (plan.kind == FieldKind::Skip || plan.kind == FieldKind::Amount) continue;
        plan.slot = plan.kind == FieldKind::Text ? n_texts++ : n_numbers++;
    }
}

void CsvReader::read_first_row() {
    CsvCursor cursor(text_, separator_, settings_.origin);
    cursor.start_row();
    std::vector<std::string> fields;
    do {
        fields.emplace_back(cursor.read_field(static_cast<long>(fields.size()) + 1));
    } while (cursor.next_field());
    trailing_ = fields.size() > 1 && fields.back().empty() &&
                (settings_.rows_trail ? *settings_.rows_trail
                                      : every_csv_row_trails(text_, separator_, settings_.origin));
    if (trailing_) fields.pop_back();
    table_.has_header = settings_.header == Header::Yes ||
                        (settings_.header == Header::Detect && looks_like_header(fields));
    starts_with_header_ = table_.has_header;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!table_.has_header || fields[i].empty()) fields[i] = default_name(Index(i) + 1);
    }
    table_.names = std::move(fields);
}

void CsvReader::start_rows() {
    cursor_ = CsvCursor(text_, separator_, settings_.origin, first_line_);
    if (!starts_with_header_) return;
    cursor_.start_row();
    cursor_.read_field(1);
    cursor_.count_remaining_fields(1);
}

Index CsvReader::most_rows() const {
    // A row takes a line, and at least a byte per field.
    const std::string_view rest = text_.substr(text_.size() - cursor_.bytes_left());
    // From one to the next: faster than std::count unless lines are very short.
    Index n_line_ends = 0;
    for (std::size_t at = rest.find('\n'); at != rest.npos; at = rest.find('\n', at + 1)) {
        ++n_line_ends;
    }
    const Index n_lines =
        n_line_ends - (starts_with_header_ ? 1 : 0) + (text_.ends_with('\n') ? 0 : 1);
    return std::min(n_lines, static_cast<Index>(rest.size()) / table_.n_columns() + 1);
}

void CsvReader::read_rows(Index most) {
    const auto count = [&](FieldKind kind) {
        return std::count_if(table_.plan.begin(), table_.plan.end(),
                             [&](const ColumnPlan& plan) { return plan.kind == kind; });
    };
    const Index n_numbers = count(FieldKind::Number) + count(FieldKind::Either);
    const Index n_amounts = count(FieldKind::Amount);
    found_text_.assign(table_.plan.size(), 0);
    check_memory(settings_.origin, most, n_numbers + n_amounts, settings_.max_bytes);
    table_.numbers.resize(most, n_numbers);
    table_.texts.assign(static_cast<std::size_t>(count(FieldKind::Text)), {});
    table_.amounts.assign(static_cast<std::size_t>(n_amounts), {});
    table_.lines.clear();
    start_rows();
    while (table_.n_rows() < most && cursor_.start_row()) {
        row_line_ = cursor_.line();
        row_ = table_.numbers.data() + table_.n_rows() * n_numbers;
        read_row();
        table_.lines.push_back(row_line_);
    }
    table_.numbers.conservativeResize(table_.n_rows(), n_numbers);
}

void CsvReader::read_row() {
    const Index n = table_.n_columns();
    for (Index column = 0; column < n; ++column) {
        if (column > 0 && !cursor_.next_field()) fail_ragged(column);
        read_cell(column);
    }
    end_row();
}

void CsvReader::read_cell(Index column) {
    const ColumnPlan& plan = table_.plan[static_cast<std::size_t>(column)];
    switch (plan.kind) {
        case FieldKind::Number:
        case FieldKind::Either:
            if (!cursor_.read_plain_number(row_[plan.slot])) {
                read_number_cell(column, row_[plan.slot]);
            }
            break;
        case FieldKind::Amount:
            read_amount_cell(column);
            break;
        case FieldKind::Skip:
            cursor_.read_field(column + 1);
            break;
        case FieldKind::Text: {
            const std::string_view field = cursor_.read_field(column + 1);
            TextColumn& target = table_.texts[static_cast<std::size_t>(plan.slot)];
            if (!is_missing(field)) {
                target.append(field);
            } else if (settings_.missing_allowed) {
                target.append_missing();
            } else {
                fail_missing(column,
                             "expected a value, found a missing value " + quote_text(field));
            }
            break;
        }
    }
}

void CsvReader::read_number_cell(Index column, double& value) {
    const ColumnPlan& plan = table_.plan[static_cast<std::size_t>(column)];
    const std::string_view field = cursor_.read_field(column + 1);
    const NumberText kind = parse_number(field, value);
    if (kind == NumberText::Number || (kind == NumberText::Missing && settings_.missing_allowed)) {
        return;
    }
    if (plan.takes_truth && kind == NumberText::Other && parse_truth(field, value)) return;
    const bool is_text = kind == NumberText::Other || kind == NumberText::DecimalComma;
    if (plan.kind == FieldKind::Either && is_text) {
        // Known only now: this pass goes on to find other such columns, the next one reads them.
        found_text_[static_cast<std::size_t>(column)] = 1;
        return;
    }
    if (kind == NumberText::Missing) fail_missing(column, number_problem(kind, field));
    const ParseCause cause = plan.use != ColumnUse::Feature     ? ParseCause::Other
                             : kind == NumberText::Other        ? ParseCause::Text
                             : kind == NumberText::DecimalComma ? ParseCause::DecimalComma
                                                                : ParseCause::Other;
    fail(column, number_problem(kind, field), cause);
}

void CsvReader::read_amount_cell(Index column) {
    const ColumnPlan& plan = table_.plan[static_cast<std::size_t>(column)];
    double& value = table_.amounts[static_cast<std::size_t>(plan.slot)].emplace_back();
    if (!cursor_.read_plain_number(value)) read_number_cell(column, value);
    if (value < 0.0) {
        fail(column, "expected a " + amount_name(plan.use) + " >= 0, found " + shortest(value));
    }
}

void CsvReader::end_row() {
    const long n = table_.n_columns();
    if (trailing_ && cursor_.next_field() && !cursor_.read_field(n + 1).empty()) {
        throw ParseError(settings_.origin, row_line_, n + 1,
                         "expected nothing behind the last separator, as in the rows before");
    }
    const long n_more = cursor_.count_remaining_fields(n);
    if (n_more > 0) fail_ragged(n + (trailing_ ? 1 : 0) + n_more);
}

/// Two values, in a file that nobody has named the label of.
bool CsvReader::could_be_label(Index column) const {
    if (!settings_.is_label_open) return false;
    CsvCursor cursor(text_, separator_, settings_.origin);
    TextColumn values;
    bool is_header = table_.has_header;
    while (cursor.start_row()) {
        for (Index i = 0; i < column; ++i) {
            cursor.read_field(i + 1);
            if (!cursor.next_field()) return false;
        }
        const std::string_view field = cursor.read_field(column + 1);
        if (!is_header && !is_missing(field)) values.append(field);
        if (values.categories().size() > 2) return false;
        is_header = false;
        cursor.count_remaining_fields(column + 1);
    }
    // With two rows any column could.
    return values.categories().size() == 2 && values.codes().size() > 2;
}

std::string CsvReader::where_in(Index column) const {
    if (!table_.has_header) return "";
    return " in column " + quote_text(table_.names[static_cast<std::size_t>(column)]);
}

void CsvReader::fail(Index column, const std::string& problem, ParseCause cause) {
    // A field too few or too many is the better explanation.
    const long n_found = column + 1 + cursor_.count_remaining_fields(column + 1);
    if (n_found != table_.n_columns() + (trailing_ ? 1 : 0)) fail_ragged(n_found);
    if (!settings_.is_first) cause = ParseCause::Other;
    std::vector<std::string> columns;
    if (cause == ParseCause::Text) {
        try {
            if (could_be_label(column)) {
                columns.push_back(table_.names[static_cast<std::size_t>(column)]);
            }
        } catch (const ParseError&) {  // of a row further down: first things first
        }
    }
    const auto place = static_cast<std::size_t>(column);
    if (cause == ParseCause::MissingFeature && table_.plan[place].kind != FieldKind::Number) {
        columns.push_back(table_.names[place]);
    }
    throw ParseError(settings_.origin, row_line_, column + 1, problem + where_in(column), cause,
                     std::move(columns));
}

void CsvReader::fail_missing(Index column, const std::string& problem) {
    const ColumnPlan& plan = table_.plan[static_cast<std::size_t>(column)];
    fail(column, problem,
         plan.use == ColumnUse::Feature ? ParseCause::MissingFeature : ParseCause::MissingLabel);
}

void CsvReader::fail_ragged(long n_found) const {
    const long expected = table_.n_columns() + (trailing_ ? 1 : 0);
    throw ParseError(
        settings_.origin, row_line_, 0,
        "expected " + counted(expected, "field") + ", found " + std::to_string(n_found));
}

bool every_csv_row_trails(std::string_view text, char separator, const std::string& origin) {
    CsvCursor cursor(text, separator, origin);
    while (cursor.start_row()) {
        bool last_is_empty = false;
        long column = 0;
        do {
            last_is_empty = cursor.read_field(++column).empty();
        } while (cursor.next_field());
        if (!last_is_empty) return false;
    }
    return true;
}

CsvBlocks::CsvBlocks(CsvSettings settings, ColumnPlanner planner)
    : settings_(std::move(settings)), planner_(std::move(planner)) {}

CsvBlocks::~CsvBlocks() = default;

Table CsvBlocks::read(std::string_view text, long first_line) {
    if (reader_) return reader_->read_more(text, first_line);
    const char separator = settings_.separator != 0 ? settings_.separator : detect_separator(text);
    reader_ = std::make_unique<CsvReader>(text, separator, settings_);
    return reader_->read(planner_);
}

Table read_csv(std::string_view text, const CsvSettings& settings, const ColumnPlanner& planner) {
    return CsvBlocks(settings, planner).read(text, 1);
}

}  // namespace redoubt::io
