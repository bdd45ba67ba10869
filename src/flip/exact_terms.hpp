#pragma once

/// The means to show in exact arithmetic that planes cannot be fooled together: signs of sums of
/// products, and integer multipliers.

#include <vector>

namespace redoubt {

/// Products to be added up.
class ExactTerms {
public:
    void clear();
    void add(double a, double b);
    /// Adds a b c; false if that would underflow.
    bool add(double a, double b, double c);
    /// The sign of the sum: -1, 0 or +1, without any rounding.
    int sign() const;

private:
    std::vector<double> left_{};
    std::vector<double> right_{};
};

/// Integers > 0 in roughly the ratio of these numbers > 0; empty if no small integers are close.
std::vector<double> integer_multiples(const std::vector<double>& shares);

}  // namespace redoubt
