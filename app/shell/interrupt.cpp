#include "shell/interrupt.hpp"

#include <csignal>

namespace redoubt::app {
namespace {

std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not wait");

extern "C" void note_interrupt(int /*signal*/) {
    is_interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
    struct sigaction action {};
    sigaction(SIGINT, nullptr, &action);
    if (action.sa_handler != SIG_DFL) return is_interrupted;
    action.sa_handler = note_interrupt;
    // The default action comes back with the first signal; reads and writes go on after it.
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    return is_interrupted;
}

}  // namespace redoubt::app
