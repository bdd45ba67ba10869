#include "proofs/exact_number.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt::proofs {

namespace {

constexpr int kDigitBits = 32;
constexpr int kMantissaBits = 53;

}  // namespace

ExactNumber::ExactNumber(double value) {
    int exponent = 0;
    const double mantissa = std::frexp(std::abs(value), &exponent);
    const auto integer = static_cast<std::uint64_t>(std::ldexp(mantissa, kMantissaBits));
    digits_ = {static_cast<std::uint32_t>(integer), static_cast<std::uint32_t>(integer >> 32)};
    trim(digits_);
    is_negative_ = value < 0.0;
    exponent_ = exponent - kMantissaBits;
}

ExactNumber::ExactNumber(std::int64_t value) {
    const auto size =
        value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    digits_ = {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size >> 32)};
    trim(digits_);
    is_negative_ = value < 0;
}

void ExactNumber::trim(Digits& digits) {
    while (!digits.empty() && digits.back() == 0) digits.pop_back();
}

ExactNumber ExactNumber::operator-() const {
    ExactNumber result = *this;
    result.is_negative_ = !is_negative_;
    return result;
}

ExactNumber ExactNumber::size() const {
    ExactNumber result = *this;
    result.is_negative_ = false;
    return result;
}

double ExactNumber::approximately() const {
    double value = 0.0;
    const std::size_t n = digits_.size();
    for (std::size_t i = n; i-- > 0 && i + 3 >= n;) {
        value += std::ldexp(static_cast<double>(digits_[i]),
                            static_cast<int>(i) * kDigitBits + exponent_);
    }
    return is_negative_ ? -value : value;
}

double ExactNumber::leading(int& exponent) const {
    const std::size_t n = digits_.size();
    const std::size_t first = n > 3 ? n - 3 : 0;
    double value = 0.0;
    for (std::size_t i = n; i-- > first;) value = value * 0x1p32 + static_cast<double>(digits_[i]);
    exponent = static_cast<int>(first) * kDigitBits + exponent_;
    return is_negative_ ? -value : value;
}

double quotient(const ExactNumber& a, const ExactNumber& b) {
    int above = 0;
    int below = 0;
    const double top = a.leading(above);
    const double bottom = b.leading(below);
    return std::ldexp(top / bottom, above - below);
}

ExactNumber::Digits ExactNumber::shifted(const Digits& digits, int bits) {
    if (digits.empty()) return {};
    Digits result(static_cast<std::size_t>(bits / kDigitBits), 0);
    const int part = bits % kDigitBits;
    std::uint64_t carry = 0;
    for (std::uint32_t digit : digits) {
        carry |= static_cast<std::uint64_t>(digit) << part;
        result.push_back(static_cast<std::uint32_t>(carry));
        carry >>= kDigitBits;
    }
    result.push_back(static_cast<std::uint32_t>(carry));
    trim(result);
    return result;
}

int ExactNumber::compare_digits(const Digits& a, const Digits& b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    for (std::size_t i = a.size(); i-- > 0;) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

ExactNumber::Digits ExactNumber::add(const Digits& a, const Digits& b) {
    Digits result(std::max(a.size(), b.size()) + 1, 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        carry += i < a.size() ? a[i] : 0U;
        carry += i < b.size() ? b[i] : 0U;
        result[i] = static_cast<std::uint32_t>(carry);
        carry >>= kDigitBits;
    }
    trim(result);
    return result;
}

ExactNumber::Digits ExactNumber::subtract(const Digits& larger, const Digits& smaller) {
    Digits result(larger.size(), 0);
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < larger.size(); ++i) {
        std::int64_t rest = static_cast<std::int64_t>(larger[i]) - borrow -
                            (i < smaller.size() ? static_cast<std::int64_t>(smaller[i]) : 0);
        borrow = rest < 0 ? 1 : 0;
        if (rest < 0) rest += std::int64_t{1} << kDigitBits;
        result[i] = static_cast<std::uint32_t>(rest);
    }
    trim(result);
    return result;
}

ExactNumber operator+(const ExactNumber& a, const ExactNumber& b) {
    if (a.sign() == 0) return b;
    if (b.sign() == 0) return a;
    ExactNumber result;
    result.exponent_ = std::min(a.exponent_, b.exponent_);
    const auto left = ExactNumber::shifted(a.digits_, a.exponent_ - result.exponent_);
    const auto right = ExactNumber::shifted(b.digits_, b.exponent_ - result.exponent_);
    if (a.is_negative_ == b.is_negative_) {
        result.digits_ = ExactNumber::add(left, right);
        result.is_negative_ = a.is_negative_;
    } else if (ExactNumber::compare_digits(left, right) >= 0) {
        result.digits_ = ExactNumber::subtract(left, right);
        result.is_negative_ = a.is_negative_;
    } else {
        result.digits_ = ExactNumber::subtract(right, left);
        result.is_negative_ = b.is_negative_;
    }
    return result;
}

ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) {
    ExactNumber result;
    if (a.sign() == 0 || b.sign() == 0) return result;
    result.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.digits_.size(); ++j) {
            carry +=
                static_cast<std::uint64_t>(a.digits_[i]) * b.digits_[j] + result.digits_[i + j];
            result.digits_[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= kDigitBits;
        }
        result.digits_[i + b.digits_.size()] = static_cast<std::uint32_t>(carry);
    }
    ExactNumber::trim(result.digits_);
    result.is_negative_ = a.is_negative_ != b.is_negative_;
    result.exponent_ = a.exponent_ + b.exponent_;
    return result;
}

}  // namespace redoubt::proofs
