#pragma once

/// How far a long computation is, on one line of a terminal that is written over and over.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "output/messages.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/training.hpp"

namespace redoubt::app {

/// Shows itself on standard error once two seconds have passed, if that is a terminal and --quiet
/// was not given: share, count, rate and time left where the end is known, else the time so far.
/// The line is wiped at the end. Many computations share it one after the other.
class ProgressBar {
public:
    /// `what` is what is being done, as in "certifying", and `noun` what is counted, as in
    /// "points". Without a noun nothing is.
    ProgressBar(const MessageOptions& messages, std::string what, std::string noun = {});
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// From any thread. Parts of a unit count, too.
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
