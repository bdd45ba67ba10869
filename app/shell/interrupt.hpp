#pragma once

/// Ctrl-C: the first requests a clean stop, the second ends the program.

#include <atomic>

namespace redoubt::app {

/// From now on the first SIGINT raises the returned flag and the next one kills, as usual. A SIGINT
/// that the program's caller chose to ignore stays ignored.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace redoubt::app
