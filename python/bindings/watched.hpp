#pragma once

/// Long computations that listen: Ctrl-C stops them, and Python hears of their progress.

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "redoubt/training.hpp"

namespace redoubt::python {

/// The two ways between the computation and the thread that waits for it.
class Watch {
public:
    const std::atomic<bool>& stop() const { return stop_; }

    /// For the computation: keeps the newest progress only.
    void note(const TrainingProgress& progress) {
        const std::scoped_lock lock(mutex_);
        progress_ = progress;
    }

    TrainingControl control(double max_seconds) {
        TrainingControl control;
        control.stop = &stop_;
        control.max_seconds = max_seconds;
        control.progress = [this](const TrainingProgress& progress) { note(progress); };
        return control;
    }

private:
    template <class Work>
    friend auto watched(const nanobind::object& on_progress, Work work);

    std::optional<TrainingProgress> take() {
        const std::scoped_lock lock(mutex_);
        return std::exchange(progress_, std::nullopt);
    }

    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable done_;
    bool is_done_ = false;
    std::optional<TrainingProgress> progress_;
};

/// Runs work(Watch&) in this thread, with the GIL released. For work so short that a thread of its
/// own would take longer; signals wait until it is done.
template <class Work>
auto unwatched(Work work) {
    const nanobind::gil_scoped_release release;
    Watch watch;
    return work(watch);
}

/// Runs work(Watch&) in a thread of its own while this one, every 50 ms, lets Python handle signals
/// and calls on_progress(round, n_rounds, point, n_points) if it is not None. When one of them
/// raises (KeyboardInterrupt, as a rule), the computation is asked to stop, and the exception goes
/// on with what there is of the result as its attribute `partial_result`. To be called with the GIL
/// held; it is released in between.
template <class Work>
auto watched(const nanobind::object& on_progress, Work work) {
    using Result = decltype(work(std::declval<Watch&>()));
    constexpr auto kPause = std::chrono::milliseconds(50);
    Watch watch;
    std::optional<Result> result;
    std::exception_ptr error;
    std::thread worker([&] {
        try {
            result.emplace(work(watch));
        } catch (...) {
            error = std::current_exception();
        }
        const std::scoped_lock lock(watch.mutex_);
        watch.is_done_ = true;
        watch.done_.notify_one();
    });
    nanobind::object pending = nanobind::none();
    for (bool is_done = false; !is_done;) {
        {
            const nanobind::gil_scoped_release release;
            std::unique_lock lock(watch.mutex_);
            is_done = watch.done_.wait_for(lock, kPause, [&] { return watch.is_done_; });
        }
        if (!pending.is_none()) continue;
        try {
            if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
            const std::optional<TrainingProgress> progress = watch.take();
            if (progress && !on_progress.is_none()) {
                on_progress(progress->round, progress->n_rounds, progress->point,
                            progress->n_points);
            }
        } catch (nanobind::python_error& raised) {
            pending = nanobind::borrow(raised.value());
            watch.stop_.store(true);
        }
    }
    {
        const nanobind::gil_scoped_release release;
        worker.join();
    }
    if (error) std::rethrow_exception(error);
    if (!pending.is_none()) {
        nanobind::setattr(pending, "partial_result", nanobind::cast(*std::move(result)));
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(pending.ptr())), pending.ptr());
        throw nanobind::python_error();
    }
    return *std::move(result);
}

}  // namespace redoubt::python
