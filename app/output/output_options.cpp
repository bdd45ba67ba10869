#include <unistd.h>
#include <CLI/App.hpp>

#include <iostream>

#include "options/validators.hpp"
#include "output/report.hpp"
#include "redoubt/atomic_file.hpp"

namespace redoubt::app {

void OutputOptions::add_to(CLI::App& command) {
    const char* const group = "Output";
    command
        .add_option("--format", format_,
                    usual_ == Usual::Text
                        ? "table, csv (the main table) or json (default: table)"
                        : "table, csv or json (default: table on a terminal, else csv)")
        ->check(one_of({"table", "csv", "json"}))
        ->group(group);
    command
        .add_option("--out", path_,
                    "Write to this file instead of standard output (default format: json for "
                    "*.json, else csv)")
        ->type_name("FILE")
        ->group(group);
}

void OutputOptions::check() const {
    if (is_file()) check_can_write(path_);
}

OutputFormat OutputOptions::format() const {
    if (format_ == "table") return OutputFormat::Text;
    if (format_ == "csv") return OutputFormat::Csv;
    if (format_ == "json") return OutputFormat::Json;
    if (is_file()) return path_.ends_with(".json") ? OutputFormat::Json : OutputFormat::Csv;
    if (usual_ == Usual::Text) return OutputFormat::Text;
    return ::isatty(STDOUT_FILENO) == 1 ? OutputFormat::Text : OutputFormat::Csv;
}

void OutputOptions::write(const Report& report) const {
    if (is_file()) {
        write_file_atomically(path_, report.text());
    } else {
        std::cout << report.text();
    }
}

ReportSink OutputOptions::open() const {
    return ReportSink(is_file() ? path_ : "");
}

ReportSink::ReportSink(const std::string& path) {
    if (!path.empty()) file_ = std::make_unique<AtomicFile>(path);
}

bool ReportSink::write(std::string_view text) {
    if (file_) {
        file_->write(text);
        return true;
    }
    std::cout << text << std::flush;
    return static_cast<bool>(std::cout);
}

void ReportSink::finish() {
    if (file_) file_->finish();
}

}  // namespace redoubt::app
