#pragma once

/// Files that are there completely or not at all.

#include <filesystem>
#include <memory>
#include <string_view>

namespace redoubt {

/// Puts `text` into a new file in the folder of `path`, makes sure it is on the disk, and gives it
/// the name `path`: whatever happens, `path` holds either what it held before or all of `text`, and
/// no other file is left behind (unless the process is killed half-way). A file that is replaced
/// hands down its access rights; a symbolic link is followed. What is no ordinary file (a pipe,
/// /dev/stdout) is simply written to. Throws WriteError.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// The same for a text that comes in parts: `path` holds what it held before until `finish`, and
/// forever if that is not called.
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

/// Throws the WriteError that `write_file_atomically` would throw for want of a folder or of
/// rights: to be asked before a long computation. Changes nothing.
void check_can_write(const std::filesystem::path& path);

}  // namespace redoubt
