#pragma once

/// What the program says in addition to its results, on standard error.

#include <string>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// --quiet and --verbose, which exclude each other.
struct MessageOptions {
    bool quiet = false;
    bool verbose = false;

    void add_to(CLI::App& command);

    /// Shown unless --quiet: what was done and how long it took.
    void note(const std::string& text) const;
    /// Shown with --verbose only: the steps on the way.
    void detail(const std::string& text) const;
};

/// "redoubt: warning: ..", whatever the options.
void warn(const std::string& text);

/// "0.0123 s".
std::string seconds_text(double seconds);

/// Measures time since its construction.
class Stopwatch {
public:
    Stopwatch();
    double seconds() const;
    std::string text() const { return seconds_text(seconds()); }

private:
    double start_;
};

}  // namespace redoubt::app
