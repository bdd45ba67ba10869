#include "data/table.hpp"

#include <cmath>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

void TextColumn::append(std::string_view text) {
    // Neighbouring rows often agree, and a comparison is cheaper than a look-up.
    if (last_ < 0 || categories_[static_cast<std::size_t>(last_)] != text) {
        const auto found = index_.find(text);
        if (found != index_.end()) {
            last_ = found->second;
        } else {
            last_ = static_cast<int>(categories_.size());
            categories_.emplace_back(text);
            index_.emplace(std::string(text), last_);
        }
    }
    codes_.push_back(last_);
}

namespace {

/// Moves the kept entries to the front, in order, and cuts the rest off.
template <class T>
void keep_entries(std::vector<T>& entries, const std::vector<char>& kept) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (kept[i] != 0) entries[used++] = entries[i];
    }
    entries.resize(used);
}

}  // namespace

void TextColumn::keep(const std::vector<char>& kept) {
    keep_entries(codes_, kept);
}

void Table::drop_incomplete_rows() {
    std::vector<char> kept(lines.size(), 1);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (!entries && numbers.row(static_cast<Index>(i)).hasNaN()) kept[i] = 0;
        for (const TextColumn& text : texts) {
            if (text.codes()[i] < 0) kept[i] = 0;
        }
        for (const std::vector<double>& amounts_of_column : amounts) {
            if (std::isnan(amounts_of_column[i])) kept[i] = 0;
        }
    }
    keep_numbers(kept);
    for (TextColumn& text : texts) text.keep(kept);
    for (std::vector<double>& amounts_of_column : amounts) keep_entries(amounts_of_column, kept);
    keep_entries(lines, kept);
}

void Table::keep_numbers(const std::vector<char>& kept) {
    if (entries) {
        std::vector<Index> rows;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i] != 0) rows.push_back(static_cast<Index>(i));
        }
        if (rows.size() < kept.size()) entries = *PointSet(*entries, rows).sparse();
        return;
    }
    Index used = 0;
    for (Index i = 0; i < numbers.rows(); ++i) {
        if (kept[static_cast<std::size_t>(i)] == 0) continue;
        if (used < i) numbers.row(used) = numbers.row(i);
        ++used;
    }
    numbers.conservativeResize(used, Eigen::NoChange);
}

std::string amount_name(ColumnUse use) {
    return use == ColumnUse::Weight ? "weight" : "radius";
}

std::string default_name(Index number) {
    return "x" + std::to_string(number);
}

void check_memory(const std::string& origin, Index rows, Index columns, std::size_t max_bytes,
                  std::size_t bytes_per_column) {
    // As doubles, which do not overflow.
    const double needed =
        (8.0 * static_cast<double>(rows) + static_cast<double>(bytes_per_column)) *
        static_cast<double>(columns);
    if (needed <= static_cast<double>(max_bytes)) return;
    throw ParseError(origin, 0, 0,
                     (rows > 0 ? std::to_string(rows) + " rows of " + std::to_string(columns) +
                                     " numbers"
                               : counted(columns, "feature")) +
                         " need more than the limit of " + std::to_string(max_bytes) +
                         " bytes");
}

}  // namespace redoubt
