#pragma once

/// What the harnesses of data files share.

#include "fuzz/harness.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/error.hpp"

namespace redoubt::fuzz {

/// For the numbers of a table; far above what the text of an input can fill.
inline constexpr std::size_t kMaxTableBytes = std::size_t{1} << 20;

/// Most memory that reading a table may take: the table of the file and that of the features, and
/// for every byte of text a row, a column or a category with its name.
std::size_t table_memory(std::size_t size);

/// The settings that the letters stand for (see the source).
ReadSettings settings_of(const OptionLine& options);

/// Reads a training file. What it gives must be sound, and the file read once more as a later one,
/// the way it was learnt, must give the same.
void check_training_file(std::string_view text, const ReadSettings& settings);

/// Runs `call`. To refuse the file is a good end, and so is to refuse the settings, which may not
/// go together or not with the file; false then.
template <class Call>
bool accepts_file(const Call& call) {
    bool read = false;
    accepts<InvalidInput>([&] { read = accepts<ParseError>(call); });
    return read;
}

/// Of the same size and equal.
inline bool same(const Matrix& a, const Matrix& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

/// Numbers finite, labels -1 and +1, sizes that fit.
void require_sound(const Matrix& X, const Vector& y, const std::vector<std::string>& names);
/// None at all, or one >= 0 for each of n rows.
void require_amounts(const Vector& amounts, Index n);

}  // namespace redoubt::fuzz
