#include "output/messages.hpp"

#include <CLI/App.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace redoubt::app {
namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void MessageOptions::add_to(CLI::App& command) {
    const char* const group = "Messages";
    CLI::Option* const be_quiet =
        command.add_flag("--quiet,-q", quiet, "Only warnings and errors")->group(group);
    command.add_flag("--verbose,-v", verbose, "Every step and its time")
        ->excludes(be_quiet)
        ->group(group);
}

void MessageOptions::note(const std::string& text) const {
    if (!quiet) std::cerr << text << '\n';
}

void MessageOptions::detail(const std::string& text) const {
    if (verbose) std::cerr << text << '\n';
}

void warn(const std::string& text) {
    std::cerr << "redoubt: warning: " << text << '\n';
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

Stopwatch::Stopwatch() : start_(now()) {}

double Stopwatch::seconds() const {
    return now() - start_;
}

}  // namespace redoubt::app
