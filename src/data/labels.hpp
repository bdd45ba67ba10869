#pragma once

/// Converts label texts to -1 and +1, or to class numbers.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redoubt/columns.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// The classes found among label texts.
struct ClassMap {
    /// The texts of -1 and +1, or of classes 0, 1, ..
    ClassNames classes;
    /// The label of each given text.
    std::vector<double> labels;
    /// What was found instead of two classes, or of as many as allowed ("one: 'a'"); empty if all
    /// is well.
    std::string problem;
};

/// Texts that are equal as numbers are one class, named by the first of them. `positive` is
/// described at `make_dataset`; InvalidInput if it is not one of the two, or if there are more.
ClassMap map_classes(std::span<const std::string> texts, std::string_view positive,
                     Index max_classes = 2);

/// The number of the class that a text (compared as text or as number) names.
std::optional<std::size_t> find_class(const ClassNames& classes, std::string_view text);

}  // namespace redoubt
