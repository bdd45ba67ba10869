#pragma once

/// Files that live as long as a test, and errors as text.

#include "redoubt/data_files.hpp"
#include "redoubt/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace redoubt::test {

/// A fresh folder that is removed again.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "redoubt-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path path() const { return path_; }

    std::string write(const std::string& name, std::string_view bytes) const {
        const std::string file = (path_ / name).string();
        std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
        return file;
    }

private:
    std::filesystem::path path_;
};

/// The message of the `Error` that `call` throws; a remark if it throws nothing.
template <class Error, class Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

inline Dataset from_text(std::string_view text, const ReadSettings& settings = {}) {
    return read_dataset(DataSource::text(text), settings);
}

inline std::string error_of_text(std::string_view text, const ReadSettings& settings = {}) {
    return message_of<ParseError>([&] { from_text(text, settings); });
}

}  // namespace redoubt::test
