#pragma once

/// Ctrl-C: the first asks for a clean stop, the second ends the program.

#include <atomic>

namespace redoubt::app {

/// From now on the first SIGINT raises the flag that is returned and the next one kills, as usual.
/// A SIGINT that the caller of the program chose to ignore stays ignored.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace redoubt::app
