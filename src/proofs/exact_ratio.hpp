#pragma once

/// Quotients of exact numbers.

#include "proofs/exact_number.hpp"

#include <cmath>
#include <utility>

namespace redoubt::proofs {

class ExactRatio {
public:
    ExactRatio() : bottom_(1.0) {}
    ExactRatio(ExactNumber value) : top_(std::move(value)), bottom_(1.0), is_number_(true) {}
    explicit ExactRatio(double value) : ExactRatio(ExactNumber(value)) {}

    int sign() const { return top_.sign(); }
    ExactRatio size() const { return {top_.size(), bottom_, is_number_}; }
    ExactRatio operator-() const { return {-top_, bottom_, is_number_}; }

    friend ExactRatio operator+(const ExactRatio& a, const ExactRatio& b) {
        if (a.is_number_ && b.is_number_) return a.top_ + b.top_;
        if (a.sign() == 0) return b;
        if (b.sign() == 0) return a;
        if (compare(a.bottom_, b.bottom_) == 0) return {a.top_ + b.top_, a.bottom_, false};
        return {a.top_ * b.bottom_ + b.top_ * a.bottom_, a.bottom_ * b.bottom_, false};
    }
    friend ExactRatio operator-(const ExactRatio& a, const ExactRatio& b) { return a + -b; }
    friend ExactRatio operator*(const ExactRatio& a, const ExactRatio& b) {
        if (a.is_number_ && b.is_number_) return a.top_ * b.top_;
        return {a.top_ * b.top_, a.bottom_ * b.bottom_, false};
    }
    /// b > 0.
    friend ExactRatio operator/(const ExactRatio& a, const ExactRatio& b) {
        return {a.top_ * b.bottom_, a.bottom_ * b.top_, false};
    }
    ExactRatio& operator+=(const ExactRatio& other) { return *this = *this + other; }
    friend int compare(const ExactRatio& a, const ExactRatio& b) { return (a - b).sign(); }

    /// The least integer that is not below this, if it has at most 53 bits; else an infinite one.
    double ceiling() const {
        double integer = std::ceil(quotient(top_, bottom_));
        if (!(std::abs(integer) < 0x1p53)) return std::copysign(HUGE_VAL, integer);
        while (compare(ExactRatio(integer), *this) < 0) integer += 1.0;
        while (compare(ExactRatio(integer - 1.0), *this) >= 0) integer -= 1.0;
        return integer;
    }

private:
    ExactRatio(ExactNumber top, ExactNumber bottom, bool is_number)
        : top_(std::move(top)), bottom_(std::move(bottom)), is_number_(is_number) {}

    ExactNumber top_{};
    ExactNumber bottom_;     ///< > 0
    bool is_number_ = true;  ///< the bottom is 1
};

}  // namespace redoubt::proofs
