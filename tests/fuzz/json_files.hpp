#pragma once

/// What the harnesses of model files and checkpoints share.

#include "fuzz/harness.hpp"

#include <string_view>

namespace redoubt::fuzz {

/// What loading a JSON file of `size` bytes may take, as the headers of both files state it.
std::size_t json_memory(std::size_t size);

/// Do two JSON texts say the same but for the checksum, which depends on the layout? Fields may
/// stand in any order, and numbers compare by value.
bool say_the_same(std::string_view a, std::string_view b);

}  // namespace redoubt::fuzz
