#include "threat/exact_size.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "core/exact_sign.hpp"
#include "core/rounding.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

namespace {

/// Units between these multiply without overflow or underflow.
constexpr double kLeastUnit = 0x1p-40;
constexpr double kMostUnit = 0x1p40;
/// Counts up to this are exact, squares of small ones included.
constexpr double kMostCount = 0x1p52;
/// Every unit's denominator doubles the digits of all terms, in l2 twice.
constexpr std::size_t kMostBottoms = 3;
/// Units are sought among so many halves of the least one.
constexpr int kMostHalvings = 8;
/// ... unless there are more of them than this.
constexpr std::size_t kMostUnits = 1000;

bool is_between(double value) {
    return value >= kLeastUnit && value <= kMostUnit;
}

/// Adds the product of the factors: numbers whose sum it is, exactly.
void add_product(const std::vector<double>& factors, std::vector<double>& terms) {
    std::vector<double> product{1.0};
    std::vector<double> next;
    for (double factor : factors) {
        if (factor == 1.0) continue;
        next.clear();
        for (double term : product) {
            const double high = term * factor;
            const double low = std::fma(term, factor, -high);
            next.push_back(high);
            if (low != 0.0) next.push_back(low);
        }
        product.swap(next);
    }
    terms.insert(terms.end(), product.begin(), product.end());
}

int sign_of_sum(const std::vector<double>& terms) {
    const auto n = static_cast<Index>(terms.size());
    return exact_sign(Eigen::Map<const Vector>(terms.data(), n), 0.0, Vector::Ones(n));
}

/// Is one unit a multiple of the other, exactly?
bool is_multiple(const SizeUnit& one, const SizeUnit& of) {
    const double count = std::round(one.top * of.bottom / (one.bottom * of.top));
    if (!(count >= 1.0 && count <= 1e6)) return false;
    std::vector<double> terms;
    add_product({one.top, of.bottom}, terms);
    add_product({-count, of.top, one.bottom}, terms);
    return sign_of_sum(terms) == 0;
}

}  // namespace

SizeUnit unit_of_steps(double per_radius) {
    int exponent = 0;
    // The inverse of a power of 2 is a double.
    if (std::frexp(per_radius, &exponent) == 0.5) return {1.0 / per_radius, 1.0};
    return {1.0, per_radius};
}

void ExactSize::add(double count, const SizeUnit& unit) {
    if (count == 0.0 || unit.top == 0.0) return;
    const double number = norm_ == Norm::L2 ? count * count : count;
    const auto same = std::find_if(parts_.begin(), parts_.end(),
                                   [&](const Part& part) { return part.unit == unit; });
    if (same == parts_.end()) {
        parts_.push_back({number, unit});
    } else if (norm_ == Norm::LInf) {
        same->count = std::max(same->count, number);
    } else {
        same->count += number;
    }
}

ExactSize ExactSize::multiple(Norm norm, double count, const SizeUnit& unit) {
    ExactSize size(norm);
    if (count > 0.0) size.parts_.push_back({count, unit});
    return size;
}

double ExactSize::value() const {
    double sum = 0.0;
    for (const Part& part : parts_) {
        const double unit = part.unit.top / part.unit.bottom;
        if (norm_ == Norm::L2) sum += part.count * unit * unit;
        if (norm_ == Norm::L1) sum += part.count * unit;
        if (norm_ == Norm::LInf) sum = std::max(sum, part.count * unit);
    }
    return norm_ == Norm::L2 ? std::sqrt(sum) : sum;
}

double ExactSize::error() const {
    return (static_cast<double>(parts_.size()) + 8.0) * kEps;
}

bool ExactSize::is_simple() const {
    std::vector<double> bottoms;
    for (const Part& part : parts_) {
        if (!is_between(part.unit.top) || !is_between(part.unit.bottom)) return false;
        if (!(part.count < kMostCount)) return false;
        if (part.unit.bottom == 1.0 || norm_ == Norm::LInf) continue;
        if (std::find(bottoms.begin(), bottoms.end(), part.unit.bottom) == bottoms.end())
            bottoms.push_back(part.unit.bottom);
    }
    return bottoms.size() <= kMostBottoms;
}

SizeEnds ExactSize::ends() const {
    if (parts_.empty()) return {0.0, 0.0, true};
    if (!is_simple()) {
        const double size = value();
        const double tiny = std::numeric_limits<double>::denorm_min();
        return {std::max(0.0, size * (1.0 - error()) - tiny), size * (1.0 + error()) + tiny, false};
    }
    if (norm_ != Norm::LInf) return ends_of_sum(parts_);
    SizeEnds most{0.0, 0.0, true};
    for (const Part& part : parts_) {
        const SizeEnds one = ends_of_sum({part});
        most.down = std::max(most.down, one.down);
        most.up = std::max(most.up, one.up);
    }
    return most;
}

SizeEnds ExactSize::ends_of_sum(const std::vector<Part>& parts) const {
    const Part& first = parts.front();
    if (parts.size() == 1 && first.unit.bottom == 1.0 && norm_ != Norm::L2) {
        const double size = first.count * first.unit.top;
        if (std::fma(first.count, first.unit.top, -size) == 0.0) return {size, size, true};
    }
    long double sum = 0.0L;
    for (const Part& part : parts) {
        const long double unit =
            static_cast<long double>(part.unit.top) / static_cast<long double>(part.unit.bottom);
        sum += static_cast<long double>(part.count) * (norm_ == Norm::L2 ? unit * unit : unit);
    }
    const long double size = norm_ == Norm::L2 ? std::sqrt(sum) : sum;
    const long double error = static_cast<long double>(parts.size() + 8) *
                              std::numeric_limits<long double>::epsilon() * size;
    const auto side_of = [&](double end) {
        const long double difference = size - static_cast<long double>(end);
        if (std::abs(difference) > error) return difference > 0.0L ? 1 : -1;
        return compare(parts, end);
    };
    // A neighbour of the very size, if not the one that is wanted.
    auto down = static_cast<double>(size);
    int side = side_of(down);
    while (side < 0) {
        down = std::nextafter(down, 0.0);
        side = side_of(down);
    }
    while (side > 0) {
        const double up = std::nextafter(down, HUGE_VAL);
        side = side_of(up);
        if (side < 0) return {down, up, true};
        down = up;
    }
    return {down, down, true};
}

/// The sign of the parts' size minus `size`, both multiplied by all denominators.
int ExactSize::compare(const std::vector<Part>& parts, double size) const {
    const bool is_square = norm_ == Norm::L2;
    std::vector<double> bottoms;
    for (const Part& part : parts) {
        const double bottom = part.unit.bottom;
        const bool is_new = std::find(bottoms.begin(), bottoms.end(), bottom) == bottoms.end();
        if (bottom != 1.0 && is_new) bottoms.push_back(bottom);
    }
    std::vector<double> terms;
    std::vector<double> factors;
    const auto add_factor = [&](double factor) {
        factors.push_back(factor);
        if (is_square) factors.push_back(factor);
    };
    for (const Part& part : parts) {
        factors.assign(1, part.count);
        add_factor(part.unit.top);
        for (double bottom : bottoms) {
            if (bottom != part.unit.bottom) add_factor(bottom);
        }
        add_product(factors, terms);
    }
    factors.assign(1, -1.0);
    add_factor(size);
    for (double bottom : bottoms) add_factor(bottom);
    add_product(factors, terms);
    return sign_of_sum(terms);
}

DiscreteSizes::DiscreteSizes(const MoveSpace& space)
    : norm_(space.model->counts() ? Norm::L1 : space.model->norm) {
    std::set<double> costs;
    for (int g : space.groups) {
        const OneHotGroup& group = space.model->one_hot[static_cast<std::size_t>(g)];
        costs.insert(group.switch_cost);
        for (const SwitchPrice& price : group.prices) costs.insert(price.cost);
    }
    std::copy_if(costs.begin(), costs.end(), std::back_inserter(switches_),
                 [](double cost) { return cost > 0.0 && cost < HUGE_VAL; });
    for (Index c = 0; c < space.size(); ++c) {
        if (space.integer_at[static_cast<std::size_t>(c)] < 0) continue;
        const SizeUnit unit = space.step_unit(c);
        if (unit.top > 0.0 && std::find(steps_.begin(), steps_.end(), unit) == steps_.end())
            steps_.push_back(unit);
    }
    is_known_ = (!steps_.empty() || !switches_.empty()) &&
                std::all_of(switches_.begin(), switches_.end(), is_between) &&
                std::all_of(steps_.begin(), steps_.end(), [](const SizeUnit& unit) {
                    return is_between(unit.top) && is_between(unit.bottom);
                });
    if (norm_ != Norm::LInf && is_known_) find_common_unit();
}

/// The least unit or a half, a quarter... of it, if all others are multiples of that.
void DiscreteSizes::find_common_unit() {
    std::vector<SizeUnit> units = steps_;
    for (double cost : switches_) units.push_back({cost, 1.0});
    if (units.size() > kMostUnits) return;
    common_ = *std::min_element(units.begin(), units.end(), [](const auto& a, const auto& b) {
        return a.top / a.bottom < b.top / b.bottom;
    });
    for (int n_halvings = 0; n_halvings < kMostHalvings; ++n_halvings, common_.top *= 0.5) {
        has_common_unit_ = std::all_of(units.begin(), units.end(), [&](const SizeUnit& unit) {
            return is_multiple(unit, common_);
        });
        if (has_common_unit_) return;
    }
}

double DiscreteSizes::multiple_from(double size, const SizeUnit& unit) const {
    double share = size * (1.0 - 8.0 * kEps) / unit.top * unit.bottom;
    // Two roundings more for the square.
    if (norm_ == Norm::L2) share *= share * (1.0 - 2.0 * kEps);
    const double count = std::ceil(share * (1.0 - 4.0 * kEps));
    if (!(count < kMostCount)) return size;
    return std::max(size, ExactSize::multiple(norm_, count, unit).ends().down);
}

double DiscreteSizes::least_from(double size) const {
    if (!(size > 0.0) || std::isinf(size) || !is_known_) return size;
    if (norm_ != Norm::LInf) return has_common_unit_ ? multiple_from(size, common_) : size;
    const auto next = std::lower_bound(switches_.begin(), switches_.end(), size);
    double least = next == switches_.end() ? HUGE_VAL : *next;
    for (const SizeUnit& step : steps_) least = std::min(least, multiple_from(size, step));
    return least;
}

double DiscreteSizes::power_below(double size) const {
    const auto to_power = [&](double value) { return norm_ == Norm::L2 ? value * value : value; };
    const double power = to_power(size) * (1.0 + 2.0 * kEps);
    if (!has_common_unit_ || !(size < HUGE_VAL)) return power;
    const double unit = to_power(common_.top / common_.bottom);
    const double count = std::ceil(to_power(size) / unit * (1.0 - 16.0 * kEps)) - 1.0;
    if (!(count < kMostCount)) return power;
    return std::min(power, std::max(0.0, count) * unit * (1.0 + 8.0 * kEps));
}

}  // namespace redoubt
