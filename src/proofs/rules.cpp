#include "proofs/rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "proofs/refusal.hpp"
#include "redoubt/error.hpp"

namespace redoubt::proofs {

using io::JsonField;

namespace {

constexpr std::int64_t kExactIntegers = std::int64_t{1} << 53;
constexpr double kMostInteger = 0x1p53;

void expect_length(const JsonField& field, std::size_t n) {
    if (field.n_entries() != n) field.fail("a list of " + std::to_string(n));
}

}  // namespace

double exact_value(const JsonField& field) {
    if (field.is_integer()) {
        const std::int64_t value = field.integer();
        if (value > kExactIntegers || value < -kExactIntegers) field.fail("at most 53 bits");
        return static_cast<double>(value);
    }
    std::string_view text = field.is_text() ? std::string_view(field.text()) : std::string_view();
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    double value = 0.0;
    if (text.starts_with("0x")) {
        text.remove_prefix(2);
        const char* const end = text.data() + text.size();
        // Capitals, a second sign and names of numbers are not written by anybody.
        const bool is_plain = text.find_first_not_of("0123456789abcdefp.+-") == text.npos &&
                              text.find_first_not_of("0123456789abcdef") != 0 &&
                              text.find_first_of("+-") == text.find_last_of("+-");
        const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::hex);
        if (is_plain && error == std::errc() && rest == end && std::isfinite(value)) {
            return is_negative ? -value : value;
        }
    }
    field.fail("an integer or a hexadecimal double such as \"0x1.8p+1\"");
}

double exact_or_infinite(const JsonField& field) {
    if (field.is_text() && field.text() == "inf") return HUGE_VAL;
    if (field.is_text() && field.text() == "-inf") return -HUGE_VAL;
    return exact_value(field);
}

Vector exact_values(const JsonField& field, Index n, bool may_be_infinite) {
    expect_length(field, static_cast<std::size_t>(n));
    Vector values(n);
    for (Index i = 0; i < n; ++i) {
        const JsonField entry = field.entry(static_cast<std::size_t>(i));
        values[i] = may_be_infinite ? exact_or_infinite(entry) : exact_value(entry);
    }
    return values;
}

std::vector<int> places_in(const JsonField& field, Index n) {
    std::vector<int> places;
    std::set<int> seen;
    for (std::size_t i = 0; i < field.n_entries(); ++i) {
        places.push_back(static_cast<int>(field.entry(i).count(static_cast<std::uint64_t>(n - 1))));
        if (!seen.insert(places.back()).second) field.fail("every number once");
    }
    return places;
}

double IntegerRule::value(double z) const {
    if (!(std::abs(z) <= kMostInteger)) throw Refusal("an integer beyond 2^53");
    return (z - offset) / scale;
}

double IntegerRule::nearest(double x) const {
    return std::floor(x * scale + offset + 0.5);
}

double IntegerRule::inside(double limit, double start, double side) const {
    if (!(std::abs(nearest(limit)) < 0.5 * kMostInteger)) return side * HUGE_VAL;
    const double at = nearest(limit);
    for (int i = 2; i > -6; --i) {
        const double z = at + i * side;
        if ((z - start) * side > 0.0 && (value(z) - limit) * side > 0.0) continue;
        return side > 0.0 ? std::max(z, start) : std::min(z, start);
    }
    throw Refusal("integers whose values are not told apart");
}

double GroupRule::price(int from, int to) const {
    if (from == to) return 0.0;
    const auto own = prices.find({from, to});
    return own != prices.end() ? own->second : cost;
}

/// Exactly: two members may be nearly alike.
int GroupRule::member_on(const Vector& point) const {
    const auto way = [&](std::size_t i) {
        const auto at = static_cast<Index>(i);
        return (ExactRatio(point[features[i]]) - ExactRatio(on[at])).size() /
               (ExactRatio(on[at]) - ExactRatio(off[at])).size();
    };
    std::size_t member = 0;
    ExactRatio nearest = way(0);
    for (std::size_t i = 1; i < features.size(); ++i) {
        const ExactRatio other = way(i);
        if (compare(other, nearest) >= 0) continue;
        nearest = other;
        member = i;
    }
    return static_cast<int>(member);
}

Rules Rules::read(const JsonField& header, Index n) {
    Rules rules;
    const std::string& norm = header.at("norm").text();
    if (norm != "l1" && norm != "l2" && norm != "linf" && norm != "l0")
        header.at("norm").fail("'l1', 'l2', 'linf' or 'l0'");
    rules.norm = parse_norm(norm);
    rules.are_any = rules.are_counted();
    for (const char* name :
         {"lower", "upper", "direction", "integers", "groups", "attacking_class", "unit"})
        rules.are_any = rules.are_any || !header.at(name).is_missing();
    rules.read_fields(header, n);
    if (!header.at("integers").is_missing()) rules.read_integers(header.at("integers"));
    if (!header.at("groups").is_missing()) rules.read_groups(header.at("groups"), n);
    std::set<int> bound;
    const auto bind = [&](int feature) {
        if (feature >= n || !bound.insert(feature).second)
            header.at("groups").fail("integers and groups of different features");
    };
    for (const IntegerRule& one : rules.integers) bind(one.feature);
    for (const GroupRule& group : rules.groups)
        std::for_each(group.features.begin(), group.features.end(), bind);
    if (const JsonField attacking = header.at("attacking_class"); !attacking.is_missing())
        rules.attacking_class = static_cast<int>(attacking.integer());
    if (const JsonField unit = header.at("unit"); !unit.is_missing()) {
        const Vector parts = exact_values(unit, 2);
        if (!(parts[0] > 0.0 && parts[1] > 0.0)) unit.fail("numbers > 0");
        rules.unit = ExactRatio(parts[0]) / ExactRatio(parts[1]);
        if (!rules.has_unit(*rules.unit)) unit.fail("a number of which all sizes are multiples");
    }
    return rules;
}

/// What there is one of for every feature.
void Rules::read_fields(const JsonField& header, Index n) {
    scale = Vector::Ones(n);
    if (!header.at("scale").is_missing()) scale = exact_values(header.at("scale"), n);
    if ((scale.array() < 0.0).any()) header.at("scale").fail("numbers >= 0");
    cost = Vector::Ones(n);
    if (const JsonField costs = header.at("cost"); !costs.is_missing()) {
        cost = exact_values(costs, n);
        if (!are_counted() || !(cost.array() > 0.0).all()) costs.fail("numbers > 0, in l0");
    }
    lower = Vector::Constant(n, -HUGE_VAL);
    upper = Vector::Constant(n, HUGE_VAL);
    if (!header.at("lower").is_missing()) lower = exact_values(header.at("lower"), n, true);
    if (!header.at("upper").is_missing()) upper = exact_values(header.at("upper"), n, true);
    direction.assign(static_cast<std::size_t>(n), "both");
    if (const JsonField sides = header.at("direction"); !sides.is_missing()) {
        direction = sides.texts();
        expect_length(sides, static_cast<std::size_t>(n));
        for (const std::string& side : direction) {
            if (side != "both" && side != "up" && side != "down")
                sides.fail("'both', 'up' or 'down'");
        }
    }
}

void Rules::read_integers(const JsonField& list) {
    for (std::size_t i = 0; i < list.n_entries(); ++i) {
        const JsonField one = list.entry(i);
        one.expect_fields({"feature", "offset", "scale", "step"});
        IntegerRule rule;
        rule.feature = static_cast<int>(one.at("feature").count(INT32_MAX));
        rule.offset = exact_value(one.at("offset"));
        rule.scale = exact_value(one.at("scale"));
        const Vector step = exact_values(one.at("step"), 2);
        if (!(rule.scale > 0.0 && step[0] > 0.0 && step[1] > 0.0))
            one.fail("a scale and a step > 0");
        rule.step = ExactRatio(step[0]) / ExactRatio(step[1]);
        rule.near_step = step[0] / step[1];
        integers.push_back(rule);
    }
}

void Rules::read_groups(const JsonField& list, Index n) {
    for (std::size_t g = 0; g < list.n_entries(); ++g) {
        const JsonField one = list.entry(g);
        one.expect_fields({"features", "on", "off", "cost", "prices"});
        GroupRule group;
        group.features = places_in(one.at("features"), n);
        const auto size = static_cast<Index>(group.features.size());
        if (size == 0) one.at("features").fail("at least one feature");
        group.on = Vector::Ones(size);
        group.off = Vector::Zero(size);
        if (!one.at("on").is_missing()) group.on = exact_values(one.at("on"), size);
        if (!one.at("off").is_missing()) group.off = exact_values(one.at("off"), size);
        if ((group.on.array() == group.off.array()).any())
            one.fail("on and off values that differ");
        group.cost = exact_or_infinite(one.at("cost"));
        const JsonField prices = one.at("prices");
        for (std::size_t i = 0; !prices.is_missing() && i < prices.n_entries(); ++i) {
            const JsonField price = prices.entry(i);
            expect_length(price, 3);
            const auto from = static_cast<int>(price.entry(0).count(INT32_MAX));
            const auto to = static_cast<int>(price.entry(1).count(INT32_MAX));
            group.prices[{from, to}] = exact_or_infinite(price.entry(2));
        }
        const bool has_negative = std::any_of(group.prices.begin(), group.prices.end(),
                                              [](const auto& price) { return price.second < 0.0; });
        if (has_negative || group.cost < 0.0) one.fail("costs >= 0");
        groups.push_back(std::move(group));
    }
}

bool Rules::has_unit(const ExactRatio& candidate) const {
    const auto is_multiple = [&](const ExactRatio& size) {
        const ExactRatio count = size / candidate;
        const double near = count.ceiling();
        return std::isfinite(near) && compare(ExactRatio(near), count) == 0;
    };
    for (const IntegerRule& one : integers) {
        if (scale[one.feature] > 0.0 && !is_multiple(one.step)) return false;
    }
    std::set<int> bound;
    for (const IntegerRule& one : integers) bound.insert(one.feature);
    for (const GroupRule& group : groups)
        bound.insert(group.features.begin(), group.features.end());
    for (Index l = 0; are_counted() && l < cost.size(); ++l) {
        const bool is_priced = scale[l] > 0.0 && !bound.contains(static_cast<int>(l));
        if (is_priced && !is_multiple(ExactRatio(cost[l]))) return false;
    }
    for (const GroupRule& group : groups) {
        const bool is_still = std::any_of(group.features.begin(), group.features.end(),
                                          [&](int l) { return scale[l] == 0.0; });
        if (is_still) continue;
        std::vector<double> costs{group.cost};
        for (const auto& [pair, price] : group.prices) costs.push_back(price);
        for (double price : costs) {
            if (price > 0.0 && std::isfinite(price) && !is_multiple(ExactRatio(price)))
                return false;
        }
    }
    return true;
}

}  // namespace redoubt::proofs
