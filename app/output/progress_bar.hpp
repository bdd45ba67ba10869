#pragma once

/// The progress of a long computation, on one line of a terminal that is overwritten.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "output/messages.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/training.hpp"

namespace redoubt::app {

/// Appears on standard error after two seconds, if that is a terminal and --quiet was not given:
/// share, count, rate and time left if the end is known, else the time so far. The line is wiped at
/// the end. Several computations may share it one after the other.
class ProgressBar {
public:
    /// `what` is what is being done, as in "certifying", and `noun` what is counted, as in
    /// "points". Without a noun nothing is counted.
    ProgressBar(const MessageOptions& messages, std::string what, std::string noun = {});
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// May be called from any thread, also with parts of a unit.
    void set(double done, double total);

    /// For the settings of a search and of a training.
    Progress points();
    std::function<void(const TrainingProgress&)> rounds();

private:
    void draw_until_done();
    std::string line() const;

    std::string what_;
    std::string noun_;
    Stopwatch watch_;
    std::atomic<double> done_{0.0};
    std::atomic<double> total_{0.0};
    std::mutex mutex_;
    std::condition_variable wake_;
    bool is_over_ = false;
    std::thread painter_;
};

}  // namespace redoubt::app
