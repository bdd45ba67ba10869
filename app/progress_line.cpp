#include "progress_line.hpp"

#include <unistd.h>

#include <cmath>
#include <iostream>
#include <sstream>

namespace redoubt::app {

ProgressLine::ProgressLine(const char* noun)
    : noun_(noun), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    wipe();
}

void ProgressLine::show(const TrainingProgress& progress) {
    if (!is_terminal_) return;
    std::ostringstream line;
    line << noun_ << "s done: " << progress.round << " of " << progress.n_rounds;
    if (progress.point > 0) {
        line << ", points of this one: " << progress.point << " of " << progress.n_points;
    }
    if (std::isfinite(progress.seconds_left)) {
        line << ", about " << std::ceil(progress.seconds_left) << " s left";
    }
    wipe();
    std::cerr << line.str() << std::flush;
    is_dirty_ = true;
}

void ProgressLine::wipe() {
    if (is_dirty_) std::cerr << "\r\x1b[K" << std::flush;
    is_dirty_ = false;
}

}  // namespace redoubt::app
