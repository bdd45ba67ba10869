#pragma once

/// From label texts to -1 and +1.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

/// The two classes found among label texts.
struct ClassMap {
    /// The texts of -1 and +1.
    std::array<std::string, 2> classes;
    /// -1 or +1 for each of the texts given.
    std::vector<double> sign;
    /// What was found instead of two classes ("one: 'a'"); empty if all is well.
    std::string problem;
};

/// Texts that are equal as numbers are one class; the first of them names it. `positive` is
/// described at `make_dataset`; InvalidInput when it is not one of the two.
ClassMap map_classes(std::span<const std::string> texts, std::string_view positive);

/// -1 or +1 for a text that names one of `classes` (as text or as number), else 0.
double sign_of_label(const std::array<std::string, 2>& classes, std::string_view text);

}  // namespace redoubt
