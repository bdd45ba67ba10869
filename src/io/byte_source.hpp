#pragma once

/// The bytes of a source in order; gzip data are unpacked.

#include "redoubt/data_files.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace redoubt::io {

class Inflater;

class ByteSource {
public:
    /// Throws ParseError if the source is missing, a directory or unreadable.
    explicit ByteSource(const DataSource& source);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// The path, for messages; "<stdin>" for standard input.
    const std::string& name() const noexcept { return name_; }

    /// Stores up to `n` bytes there and returns their number; 0 is the end.
    std::size_t read(char* to, std::size_t n);

    /// True if a pipe has had nothing to read for some milliseconds. False if more can be read at
    /// once.
    bool is_idle(int milliseconds) const;

    /// How much has been read, from 0 to 1; empty if the length is not known.
    std::optional<double> share_read() const;

    /// The open file and its length, if it is a regular file of uncompressed bytes.
    std::optional<std::pair<int, std::size_t>> plain_file() const;

private:
    void open_file();
    std::size_t read_packed(char* to, std::size_t n);
    std::size_t read_handle(char* to, std::size_t n);
    [[noreturn]] void fail(std::string_view problem) const;
    [[noreturn]] void fail_with_errno(int code) const;

    std::string name_;
    std::string_view text_;
    int handle_ = -1;
    bool owns_handle_ = false;
    /// of a regular file or a text
    std::optional<std::size_t> size_;
    std::size_t n_read_ = 0;
    /// The bytes read ahead to recognise gzip data.
    std::array<char, 2> start_{};
    std::size_t n_start_ = 0;
    std::size_t start_used_ = 0;
    std::unique_ptr<Inflater> inflater_;
};

}  // namespace redoubt::io
