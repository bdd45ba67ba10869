#pragma once

/// What the JSON files of this library have in common: a name and a version of the format, words
/// for enumerators, and a checksum over all other fields.

#include "io/json_field.hpp"
#include "io/json_text.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/types.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redoubt::io {

/// Integers up to here are exact in every reader of JSON.
inline constexpr std::uint64_t kMaxJsonCount = std::uint64_t{1} << 53;

/// Enumerators and their words in the file.
template <class Enum, std::size_t n>
using Words = std::array<std::pair<Enum, std::string_view>, n>;

template <class Enum, std::size_t n>
std::string_view word_for(const Words<Enum, n>& words, Enum value) {
    for (const auto& [enumerator, word] : words) {
        if (enumerator == value) return word;
    }
    return "unknown";
}

/// Throws ParseError, by way of the field, with all words that were possible.
[[noreturn]] void fail_for_word(const JsonField& field, std::span<const std::string_view> words);

template <class Enum, std::size_t n>
Enum read_word(const JsonField& field, const Words<Enum, n>& words) {
    std::array<std::string_view, n> wanted;
    for (std::size_t i = 0; i < n; ++i) {
        if (field.is_text() && field.text() == words[i].second) return words[i].first;
        wanted[i] = words[i].second;
    }
    fail_for_word(field, wanted);
}

Json list_of(const VectorRef& values);

/// A list of objects "w" (of length n) and "b".
std::vector<Hyperplane> read_plane_list(const JsonField& field, Index n);

/// "crc32:0a1b2c3d".
std::string checksum_text(std::uint32_t sum);
/// The same for the text of the fields without the checksum itself.
std::string checksum_of(const Json& fields);
/// Throws ParseError unless the field "checksum", which is taken out, fits the others.
void check_checksum(Json& fields, const std::string& origin);

/// Is it a file of this format at all, and of a version from 1 to `most`? `noun` is what the
/// message calls it. Throws ParseError.
void check_format(const JsonField& root, std::string_view format, int most, std::string_view noun);

}  // namespace redoubt::io
