#include "csv_output.hpp"

#include <iostream>

#include "io/atomic_file.hpp"

namespace redoubt::app {
namespace {

/// A blank at either end would be trimmed by readers.
bool needs_quotes(std::string_view field) {
    return field.find_first_of(",;|\"\t\r\n") != std::string_view::npos || field.starts_with(' ') ||
           field.ends_with(' ');
}

std::string with_quotes(std::string_view field) {
    std::string text = "\"";
    for (char c : field) {
        if (c == '"') text += '"';
        text += c;
    }
    return text + '"';
}

}  // namespace

void OutputOption::add_to(CLI::App& command) {
    command.add_option("--out", path, "Write the table to this file (default: standard output)");
}

void OutputOption::check() const {
    if (is_file()) io::check_can_write(path);
}

void CsvTable::add_row(const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) text_ += ',';
        text_ += needs_quotes(fields[i]) ? with_quotes(fields[i]) : fields[i];
    }
    text_ += '\n';
}

void CsvTable::write_to(const OutputOption& output) const {
    if (output.is_file()) {
        io::write_file_atomically(output.path, text_);
    } else {
        std::cout << text_;
    }
}

}  // namespace redoubt::app
