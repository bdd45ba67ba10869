#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace redoubt {

/// The breakpoint at which a slope is used up, with all nearer ones before it: those whose weights
/// add up to less than the slope. Returns the number of breakpoints if there are not enough.
/// Quickselect by weight.
template <typename Breakpoint, typename WeightOf>
std::size_t use_up_slope(double slope, std::vector<Breakpoint>& breakpoints, WeightOf weight_of) {
    std::size_t begin = 0;
    std::size_t end = breakpoints.size();
    const auto at = [&](std::size_t i) {
        return breakpoints.begin() + static_cast<std::ptrdiff_t>(i);
    };
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        std::nth_element(at(begin), at(middle), at(end));
        double weight = 0.0;
        for (std::size_t i = begin; i <= middle; ++i) weight += weight_of(breakpoints[i]);
        if (weight >= slope) {
            end = middle;
        } else {
            slope -= weight;
            begin = middle + 1;
        }
    }
    return begin;
}

}  // namespace redoubt
