#pragma once

/// Tables as results: CSV on standard output, or in a file that is written completely or not at
/// all.

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt::app {

/// --out FILE. A path of "-" is standard output, as is none.
struct OutputOption {
    std::string path;

    void add_to(CLI::App& command);
    bool is_file() const { return !path.empty() && path != "-"; }
    /// Throws WriteError if the file could not be written: now, not after the work.
    void check() const;
};

/// Grows row by row. Fields are quoted where they must be.
class CsvTable {
public:
    explicit CsvTable(const std::vector<std::string>& columns) { add_row(columns); }

    void add_row(const std::vector<std::string>& fields);
    /// Throws WriteError.
    void write_to(const OutputOption& output) const;

private:
    std::string text_;
};

}  // namespace redoubt::app
