#pragma once

/// What shows in exact arithmetic that planes cannot be fooled together: signs of sums of products,
/// and multipliers that are integers.

#include <vector>

namespace redoubt {

/// Products whose sum counts.
class ExactTerms {
public:
    void clear();
    void add(double a, double b);
    /// Adds a b c; false where that would underflow.
    bool add(double a, double b, double c);
    /// Of the sum: -1, 0 or +1, without any rounding.
    int sign() const;

private:
    std::vector<double> left_{};
    std::vector<double> right_{};
};

/// Integers > 0 in about the ratio of these numbers > 0; empty where they are not near to small ones.
std::vector<double> integer_multiples(const std::vector<double>& shares);

}  // namespace redoubt
