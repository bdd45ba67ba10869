#include "output/progress_bar.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <utility>

namespace redoubt::app {
namespace {

constexpr double kSecondsBeforeFirst = 2.0;
constexpr auto kPause = std::chrono::milliseconds(200);
constexpr std::size_t kBarWidth = 24;

/// "42 s", "3 min 5 s", "2 h 7 min".
std::string duration_text(double seconds) {
    const auto whole = static_cast<long>(std::min(std::ceil(seconds), 1e9));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::size_t terminal_width() {
    constexpr std::size_t kUsualWidth = 80;
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return is_known ? size.ws_col : kUsualWidth;
}

std::string three_digits(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 100.0 ? "%.0f" : "%.3g", value);
    return text;
}

}  // namespace

ProgressBar::ProgressBar(const MessageOptions& messages, std::string what, std::string noun)
    : what_(std::move(what)), noun_(std::move(noun)) {
    if (messages.quiet || ::isatty(STDERR_FILENO) != 1) return;
    painter_ = std::thread([this] { draw_until_done(); });
}

ProgressBar::~ProgressBar() {
    if (!painter_.joinable()) return;
    {
        const std::scoped_lock lock(mutex_);
        is_over_ = true;
    }
    wake_.notify_one();
    painter_.join();
}

void ProgressBar::set(double done, double total) {
    total_.store(total, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
}

Progress ProgressBar::points() {
    return [this](Index done, Index total) {
        set(static_cast<double>(done), static_cast<double>(total));
    };
}

std::function<void(const TrainingProgress&)> ProgressBar::rounds() {
    return [this](const TrainingProgress& progress) {
        double done = static_cast<double>(progress.round);
        if (progress.point > 0 && progress.n_points > 0) {
            done += static_cast<double>(progress.point) / static_cast<double>(progress.n_points);
        }
        set(done, static_cast<double>(progress.n_rounds));
    };
}

void ProgressBar::draw_until_done() {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return is_over_; };
    if (wake_.wait_for(lock, std::chrono::duration<double>(kSecondsBeforeFirst), is_over)) return;
    do {
        std::cerr << ("\r\x1b[K" + line()) << std::flush;
    } while (!wake_.wait_for(lock, kPause, is_over));
    std::cerr << "\r\x1b[K" << std::flush;
}

std::string ProgressBar::line() const {
    const double seconds = watch_.seconds();
    const double total = total_.load(std::memory_order_relaxed);
    const double done = std::min(done_.load(std::memory_order_relaxed), total);
    // A line that is too long would be broken, and the first half of it stay behind.
    const std::size_t room = terminal_width() - 1;
    if (noun_.empty() || !(total > 0.0)) {
        return (what_ + ", " + duration_text(seconds) + " so far").substr(0, room);
    }
    const double share = done / total;
    std::string figures = std::to_string(static_cast<int>(100.0 * share)) + " %, " +
                          three_digits(std::floor(done)) + " of " + three_digits(total) + " " +
                          noun_;
    if (done > 0.0) {
        figures += ", " + three_digits(done / seconds) + "/s, " +
                   duration_text((total - done) * seconds / done) + " left";
    }
    const std::size_t taken = what_.size() + figures.size() + 4;
    const std::size_t width = taken < room ? std::min(kBarWidth, room - taken) : 0;
    const auto filled = static_cast<std::size_t>(static_cast<double>(width) * share);
    const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
    return (what_ + " [" + bar + "] " + figures).substr(0, room);
}

}  // namespace redoubt::app
