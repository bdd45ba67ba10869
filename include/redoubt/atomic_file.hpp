#pragma once

/// Files that are written completely or not at all.

#include <filesystem>
#include <memory>
#include <string_view>

namespace redoubt {

/// Writes `text` to a temporary file in the folder of `path`, flushes it to disk and renames it to
/// `path`. Whatever happens, `path` holds either its old contents or all of `text`, and no other
/// file is left behind (unless the process is killed half-way). A replaced file passes on its
/// permissions; a symbolic link is followed. Anything that is not a regular file (a pipe,
/// /dev/stdout) is written to directly. Throws WriteError.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// The same for a text that arrives in parts: `path` keeps its old contents until `finish` is
/// called, and for good if it never is.
class AtomicFile {
public:
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view text);
    void finish();

private:
    class State;
    std::unique_ptr<State> state_;
};

/// Throws the WriteError that `write_file_atomically` would throw for a missing folder or missing
/// permissions, so that a long computation can ask first. Changes nothing.
void check_can_write(const std::filesystem::path& path);

}  // namespace redoubt
