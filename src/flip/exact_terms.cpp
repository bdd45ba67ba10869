#include "flip/exact_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/exact_sign.hpp"
#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Ratios of multipliers are taken for fractions this near to them...
constexpr double kSameRatio = 1e-7;
/// ... with denominators up to this, and a common one up to the other.
constexpr std::int64_t kMostParts = 1 << 12;
constexpr std::int64_t kMostCommonParts = std::int64_t{1} << 30;
/// Products beyond this are far from underflow.
constexpr double kNoUnderflow = 1e-250;

struct Fraction {
    std::int64_t top;
    std::int64_t bottom;  ///< 0 when there is none
};

/// The simplest fraction near a ratio > 0, by continued fractions.
Fraction simple_fraction(double ratio) {
    Fraction last{1, 0};
    Fraction now{static_cast<std::int64_t>(std::floor(ratio)), 1};
    double rest = ratio - std::floor(ratio);
    const auto is_near = [&] {
        const double value = static_cast<double>(now.top) / static_cast<double>(now.bottom);
        return std::abs(value - ratio) <= kSameRatio * ratio;
    };
    while (!is_near()) {
        if (!(rest > 0.0)) return {0, 0};
        const double inverse = 1.0 / rest;
        if (!(inverse < static_cast<double>(kMostParts))) return {0, 0};
        const auto digit = static_cast<std::int64_t>(std::floor(inverse));
        rest = inverse - std::floor(inverse);
        const Fraction next{digit * now.top + last.top, digit * now.bottom + last.bottom};
        last = now;
        now = next;
        if (now.bottom > kMostParts) return {0, 0};
    }
    return now;
}

}  // namespace

void ExactTerms::clear() {
    left_.clear();
    right_.clear();
}

void ExactTerms::add(double a, double b) {
    left_.push_back(a);
    right_.push_back(b);
}

bool ExactTerms::add(double a, double b, double c) {
    const double product = a * b;
    if (product == 0.0 && (a == 0.0 || b == 0.0)) return true;
    if (!(std::abs(product) > kNoUnderflow && std::abs(product) < HUGE_VAL)) return false;
    add(product, c);
    // What rounding took from it, exactly.
    add(std::fma(a, b, -product), c);
    return true;
}

int ExactTerms::sign() const {
    double value = 0.0;
    double magnitude = 0.0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
        value += left_[i] * right_[i];
        magnitude += std::abs(left_[i] * right_[i]);
    }
    const auto n = static_cast<double>(left_.size());
    const double error =
        (n + 4.0) * kEps * magnitude + 2.0 * n * std::numeric_limits<double>::denorm_min();
    if (std::isfinite(magnitude) && std::abs(value) > error) return value > 0.0 ? 1 : -1;
    const auto size = static_cast<Index>(left_.size());
    return exact_sign(Eigen::Map<const Vector>(left_.data(), size), 0.0,
                      Eigen::Map<const Vector>(right_.data(), size));
}

std::vector<double> integer_multiples(const std::vector<double>& shares) {
    const double first = shares.front();
    std::vector<Fraction> fractions;
    std::int64_t common = 1;
    for (double share : shares) {
        const double ratio = share / first;
        if (!(ratio > 1.0 / static_cast<double>(kMostParts) &&
              ratio < static_cast<double>(kMostCommonParts)))
            return {};
        fractions.push_back(simple_fraction(ratio));
        if (fractions.back().bottom == 0) return {};
        common = std::lcm(common, fractions.back().bottom);
        if (common > kMostCommonParts) return {};
    }
    std::vector<double> multiples;
    for (const Fraction& fraction : fractions) {
        const auto factor = common / fraction.bottom;  // without remainder
        multiples.push_back(static_cast<double>(fraction.top) * static_cast<double>(factor));
    }
    const bool is_exact = std::all_of(multiples.begin(), multiples.end(), [](double value) {
        return value > 0.0 && value < static_cast<double>(std::int64_t{1} << 53);
    });
    return is_exact ? multiples : std::vector<double>();
}

}  // namespace redoubt
