#include "core/exact_sign.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace redoubt {

namespace {

/// A non-negative sum of products of doubles, held exactly as one long binary number.
///
/// A double is M 2^e with |M| < 2^53 and -1074 <= e <= 971, so a product is an integer below 2^106
/// times 2^e with e in [-2148, 1942]. 67 limbs of 64 bits hold 2^-2148 .. 2^2139: products fill
/// the lowest 4196 bits at most, and the rest takes the carries of more terms than memory holds.
class LongSum {
public:
    /// Adds |a| |b|.
    void add_product(double a, double b) {
        int exponent_a = 0;
        int exponent_b = 0;
        const auto mantissa_a =
            static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(a), &exponent_a), 53));
        const auto mantissa_b =
            static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(b), &exponent_b), 53));
        if (mantissa_a == 0 || mantissa_b == 0) return;
        // A denormal has trailing zero bits here, and an exponent below -1074: shift them out.
        add(split(mantissa_a, exponent_a - 53), split(mantissa_b, exponent_b - 53));
    }

    friend int compare(const LongSum& a, const LongSum& b) {
        for (std::size_t i = kLimbs; i-- > 0;) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] > b.limbs_[i] ? 1 : -1;
        }
        return 0;
    }

private:
    static constexpr std::size_t kLimbs = 67;
    static constexpr int kLowestExponent = -1074;

    struct Scaled {
        std::uint64_t mantissa;
        int exponent;
    };

    static Scaled split(std::uint64_t mantissa, int exponent) {
        if (exponent >= kLowestExponent) return {mantissa, exponent};
        return {mantissa >> (kLowestExponent - exponent), kLowestExponent};
    }

    void add(Scaled a, Scaled b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a.mantissa) * b.mantissa;
        const auto position = static_cast<unsigned>(a.exponent + b.exponent - 2 * kLowestExponent);
        const unsigned shift = position % 64;
        std::size_t limb = position / 64;
        const Wide low = (product & ~std::uint64_t{0}) << shift;
        const Wide high = ((product >> 64) << shift) + (low >> 64);
        std::uint64_t carry = 0;
        const std::array<std::uint64_t, 3> parts{static_cast<std::uint64_t>(low),
                                                 static_cast<std::uint64_t>(high),
                                                 static_cast<std::uint64_t>(high >> 64)};
        for (std::size_t i = 0; limb < kLimbs && (i < parts.size() || carry != 0); ++i, ++limb) {
            const Wide sum =
                static_cast<Wide>(limbs_[limb]) + (i < parts.size() ? parts[i] : 0) + carry;
            limbs_[limb] = static_cast<std::uint64_t>(sum);
            carry = static_cast<std::uint64_t>(sum >> 64);
        }
    }

    std::array<std::uint64_t, kLimbs> limbs_{};
};

}  // namespace

int exact_sign(const VectorRef& w, double b, const PointRef& x) {
    LongSum positive;
    LongSum negative;
    const auto add = [&](double factor_a, double factor_b) {
        const bool is_negative = std::signbit(factor_a) != std::signbit(factor_b);
        (is_negative ? negative : positive).add_product(factor_a, factor_b);
    };
    if (x.is_sparse()) {
        x.sparse().for_each([&](Index l, double value) { add(w[l], value); });
    } else {
        for (Index l = 0; l < w.size(); ++l) add(w[l], x.dense()[l]);
    }
    add(b, 1.0);
    return compare(positive, negative);
}

}  // namespace redoubt
