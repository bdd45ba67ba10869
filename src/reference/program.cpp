#include "reference/program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"

namespace redoubt::reference {

namespace {

void check_bounds(const std::string& what, double lower, double upper) {
    if (lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL) return;
    throw InvalidInput(what, "lower bound <= upper bound",
                       "[" + format_number(lower) + ", " + format_number(upper) + "]");
}

/// "+ 2 z_1", the sign first; a leading plus is left out.
void append_term(std::string* text, double value, const std::string& name, bool first) {
    if (!first || value < 0.0) *text += value < 0.0 ? "- " : "+ ";
    if (std::fabs(value) != 1.0) *text += format_number(std::fabs(value)) + " ";
    *text += name;
}

std::string bounded(const std::string& middle, double lower, double upper) {
    if (lower == upper) return middle + " = " + format_number(lower);
    if (lower == -HUGE_VAL && upper == HUGE_VAL) return middle + " free";
    if (lower == -HUGE_VAL) return middle + " <= " + format_number(upper);
    if (upper == HUGE_VAL) return middle + " >= " + format_number(lower);
    return format_number(lower) + " <= " + middle + " <= " + format_number(upper);
}

bool is_binary(const Column& column) {
    return column.integer && column.lower == 0.0 && column.upper == 1.0;
}

}  // namespace

int Program::add_column(Column column) {
    if (column.name.empty()) throw InvalidInput("program", "a name for every column", "none");
    const std::string what = "program, column " + column.name;
    check_bounds(what, column.lower, column.upper);
    check_value(std::isfinite(column.cost), what, "a finite cost", column.cost);
    columns_.push_back(std::move(column));
    return n_columns() - 1;
}

void Program::add_row(Row row, std::vector<Term> terms) {
    if (row.name.empty()) throw InvalidInput("program", "a name for every row", "none");
    const std::string what = "program, row " + row.name;
    check_bounds(what, row.lower, row.upper);
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return a.column < b.column; });
    int previous = -1;
    for (const Term& term : terms) {
        check_value(std::isfinite(term.value), what, "finite values", term.value);
        check_value(term.column >= 0 && term.column < n_columns(), what, "an existing column",
                    term.column);
        if (term.column == previous)
            throw InvalidInput(what, "every column at most once",
                               columns_[term.column].name + " twice");
        previous = term.column;
    }
    for (const Term& term : terms) {
        if (term.value == 0.0) continue;
        entry_column_.push_back(term.column);
        entry_value_.push_back(term.value);
    }
    rows_.push_back(std::move(row));
    row_start_.push_back(static_cast<int>(entry_column_.size()));
}

std::string Program::to_text() const {
    std::string text = sense_ == Sense::Minimize ? "minimize\n " : "maximize\n ";
    bool first = true;
    for (const Column& column : columns_) {
        if (column.cost == 0.0) continue;
        text += ' ';
        append_term(&text, column.cost, column.name, first);
        first = false;
    }
    text += first ? " 0\nsubject to\n" : "\nsubject to\n";
    for (int i = 0; i < n_rows(); ++i) {
        std::string sum;
        for (int e = row_start_[i]; e < row_start_[i + 1]; ++e) {
            if (!sum.empty()) sum += ' ';
            append_term(&sum, entry_value_[e], columns_[entry_column_[e]].name, sum.empty());
        }
        if (sum.empty()) sum = "0";
        text += "  " + rows_[i].name + ": " + bounded(sum, rows_[i].lower, rows_[i].upper) + "\n";
    }
    text += "bounds\n";
    for (const Column& column : columns_) {
        if (is_binary(column)) continue;
        text += "  " + bounded(column.name, column.lower, column.upper);
        text += column.integer ? ", integer\n" : "\n";
    }
    text += "binary\n ";
    for (const Column& column : columns_) {
        if (is_binary(column)) text += " " + column.name;
    }
    return text + "\n";
}

}  // namespace redoubt::reference
