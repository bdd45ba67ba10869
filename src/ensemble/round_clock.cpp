#include "ensemble/round_clock.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace redoubt {

namespace {

/// Between two reports within a round.
constexpr std::chrono::milliseconds kReportInterval{100};

}  // namespace

void TrainingControl::check() const {
    check_value(max_seconds >= 0.0, "max_seconds", "a number >= 0", max_seconds);
}

RoundClock::RoundClock(const TrainingControl& control)
    : control_(control),
      start_(Clock::now()),
      deadline_(deadline_after(start_, control.max_seconds)),
      next_report_(start_) {}

bool RoundClock::is_up() {
    if (status_ != Status::Optimal) return true;
    if (control_.stop != nullptr && control_.stop->load(std::memory_order_relaxed)) {
        status_ = Status::Interrupted;
    } else if (Clock::now() >= deadline_) {
        status_ = Status::TimeLimit;
    }
    return status_ != Status::Optimal;
}

double RoundClock::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

void RoundClock::report(TrainingProgress progress) {
    if (first_round_ < 0) first_round_ = std::max<Index>(0, progress.round - 1);
    if (!control_.progress) return;
    const auto now = Clock::now();
    if (progress.point > 0 && now < next_report_) return;
    next_report_ = now + kReportInterval;
    progress.seconds = seconds();
    const double within = progress.n_points > 0 ? static_cast<double>(progress.point) /
                                                      static_cast<double>(progress.n_points)
                                                : 0.0;
    const double n_done = static_cast<double>(progress.round - first_round_) + within;
    const double n_left = static_cast<double>(progress.n_rounds - progress.round) - within;
    progress.seconds_left =
        n_done > 0.0 ? progress.seconds * n_left / n_done : std::numeric_limits<double>::infinity();
    control_.progress(progress);
}

}  // namespace redoubt
