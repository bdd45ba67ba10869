#pragma once

/// Numbers without rounding: an integer of any length times a power of two. Sums and products of
/// doubles are such numbers.

#include <cstdint>
#include <vector>

namespace redoubt::proofs {

class ExactNumber {
public:
    ExactNumber() = default;
    /// Exactly this value, which must be finite.
    explicit ExactNumber(double value);
    explicit ExactNumber(std::int64_t value);

    /// -1, 0 or +1.
    int sign() const { return digits_.empty() ? 0 : is_negative_ ? -1 : 1; }

    ExactNumber operator-() const;
    friend ExactNumber operator+(const ExactNumber& a, const ExactNumber& b);
    friend ExactNumber operator*(const ExactNumber& a, const ExactNumber& b);
    ExactNumber& operator+=(const ExactNumber& other) { return *this = *this + other; }
    ExactNumber size() const;
    /// Rounded: within 2^-60 of it, relatively, before the last rounding. May overflow or
    /// underflow.
    double approximately() const;

    /// a / b (b not 0), to a few rounding errors; overflows or underflows only if the quotient
    /// does.
    friend double quotient(const ExactNumber& a, const ExactNumber& b);

    /// The sign of a - b.
    friend int compare(const ExactNumber& a, const ExactNumber& b) { return (a + -b).sign(); }

private:
    using Digits = std::vector<std::uint32_t>;  ///< least significant first, without trailing zeros

    static Digits shifted(const Digits& digits, int bits);
    static int compare_digits(const Digits& a, const Digits& b);
    static Digits add(const Digits& a, const Digits& b);
    static Digits subtract(const Digits& larger, const Digits& smaller);
    static void trim(Digits& digits);
    /// The leading digits, and the power of two to multiply them by.
    double leading(int& exponent) const;

    bool is_negative_ = false;
    Digits digits_{};
    int exponent_ = 0;
};

}  // namespace redoubt::proofs
