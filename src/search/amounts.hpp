#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// Weights of planes, added up in each of a search's counts. An ordinary vote has one count.
class Amounts {
public:
    Amounts(Index only = 0) : first_(only) {}
    /// At least one.
    explicit Amounts(const std::vector<Index>& values)
        : first_(values.front()), rest_(values.begin() + 1, values.end()) {}

    std::size_t size() const { return 1 + rest_.size(); }
    Index operator[](std::size_t count) const { return count == 0 ? first_ : rest_[count - 1]; }
    Index& operator[](std::size_t count) { return count == 0 ? first_ : rest_[count - 1]; }

    void reset(std::size_t n_counts) {
        first_ = 0;
        rest_.assign(n_counts - 1, 0);
    }
    /// True if every entry is at least the other's.
    bool covers(const Amounts& others) const {
        for (std::size_t r = 0; r < size(); ++r) {
            if ((*this)[r] < others[r]) return false;
        }
        return true;
    }
    /// The first count that is negative, or size().
    std::size_t first_negative() const {
        std::size_t r = 0;
        while (r < size() && (*this)[r] >= 0) ++r;
        return r;
    }
    bool has_negative() const { return first_negative() < size(); }
    Amounts& operator-=(const Amounts& others) {
        for (std::size_t r = 0; r < size(); ++r) (*this)[r] -= others[r];
        return *this;
    }
    /// Sets negative entries to 0.
    Amounts clamped() const {
        Amounts result = *this;
        for (std::size_t r = 0; r < size(); ++r) result[r] = std::max<Index>(0, result[r]);
        return result;
    }

private:
    Index first_;
    std::vector<Index> rest_{};  ///< of further counts: an ordinary vote allocates nothing
};

/// How planes count if they are not a plain vote of their ensemble.
struct CountingRules {
    /// Planes that answer -1 where they are exactly 0; empty = none.
    std::vector<char> is_minus_at_zero{};
    /// Weights of all planes, count by count; empty = one count, of the ensemble's units.
    std::vector<std::vector<Index>> weights{};

    int answer_at_zero(int plane) const {
        return !is_minus_at_zero.empty() && is_minus_at_zero[static_cast<std::size_t>(plane)] != 0
                   ? -1
                   : 1;
    }
};

}  // namespace redoubt
