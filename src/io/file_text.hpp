#pragma once

/// The bytes of a source as one piece of text.

#include "redoubt/data_files.hpp"

#include <limits>
#include <string>
#include <string_view>

namespace redoubt::io {

class ByteSource;

/// What a file should hold.
enum class FileContent { Text, Model };

/// Keeps a file mapped (or, for pipes, devices and gzip data, its bytes in memory) while its text
/// is in use.
class FileText {
public:
    /// Throws ParseError if the source is missing, a directory, unreadable, empty, longer than
    /// `max_bytes` or not UTF-8 text; in the last case the message says how to convert it. A UTF-8
    /// byte order mark is skipped. What should be a model is refused with the cause NotModel if it
    /// does not start like one.
    explicit FileText(const DataSource& source, std::size_t max_bytes = kNoLimit,
                      FileContent content = FileContent::Text);
    ~FileText();
    FileText(const FileText&) = delete;
    FileText& operator=(const FileText&) = delete;

    std::string_view text() const noexcept { return text_; }

    /// The path, for messages; "<stdin>" for standard input.
    const std::string& name() const noexcept { return name_; }

private:
    static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

    bool map(const ByteSource& bytes);
    void read_all(ByteSource& bytes);
    void check_size(std::size_t size) const;

    std::string name_;
    std::size_t max_bytes_;
    std::string_view text_;
    std::string bytes_;
    void* map_ = nullptr;
    std::size_t map_size_ = 0;
};

}  // namespace redoubt::io
