#include "search/box_bound.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// A bound this near to what is expected needs no second look.
constexpr double kNearEnough = 1.0 - 1e-9;
/// Of searches for a better multiple.
constexpr int kMaxRounds = 60;

/// What all three norms share: lambda'floor rounded down, and how far g can be off.
struct Terms {
    const PlaneSet& planes;
    const std::vector<int>& active;
    const Vector& g;
    const Vector& lo;
    const Vector& hi;
    double value;   ///< lambda'floor, rounded down
    double weight;  ///< sum_i lambda_i ||w_i||_q
    double eps;     ///< roundings of any sum below, relative to the sum of its sizes

    /// g_l is 0 whatever the multipliers are.
    bool is_zero(Index l) const {
        return std::all_of(active.begin(), active.end(),
                           [&](int i) { return planes.W()(i, l) == 0.0; });
    }
    double end(Index l) const { return g[l] > 0.0 ? hi[l] : lo[l]; }
};

/// lambda'floor - sum_l g_l end_l > 0 for sure: nothing in the box reaches the floors.
bool is_ray(const Terms& terms, Norm norm) {
    double sum = 0.0;
    double sizes = 0.0;
    double largest = 0.0;
    double square = 0.0;
    double total = 0.0;
    for (Index l = 0; l < terms.g.size(); ++l) {
        // A zero may be a rounded number of either sign.
        const double size = std::max(std::abs(terms.lo[l]), std::abs(terms.hi[l]));
        if (size == HUGE_VAL) {
            if (terms.g[l] == 0.0 && terms.is_zero(l)) continue;
            const double wrong_side = terms.g[l] > 0.0 ? terms.lo[l] : terms.hi[l];
            if (std::abs(terms.end(l)) == HUGE_VAL || terms.g[l] == 0.0) return false;
            // The sign of g is sure only if g is larger than its error.
            if (std::abs(wrong_side) == HUGE_VAL &&
                !(std::abs(terms.g[l]) > terms.eps * terms.weight))
                return false;
        }
        const double end = std::abs(terms.end(l));
        sum += terms.g[l] * terms.end(l);
        sizes += std::abs(terms.g[l]) * end;
        const double reach = size == HUGE_VAL ? end : size;
        largest = std::max(largest, reach);
        square += reach * reach;
        total += reach;
    }
    const double dual_size = norm == Norm::LInf ? largest
                             : norm == Norm::L1 ? total
                                                : std::sqrt(square);
    return terms.value - sum - terms.eps * (sizes + terms.weight * dual_size) > 0.0;
}

/// Of all multiples of the multipliers the given one is best, unless they all but prove that there
/// is no point: then a large one is. `scale` > 0 is the multiple looked at.
double half_square_l2(const Terms& terms, double scale) {
    double sum = 0.0;
    double sizes = 0.0;
    double square = 0.0;
    for (Index l = 0; l < terms.g.size(); ++l) {
        const double g = scale * terms.g[l];
        const double u = std::clamp(g, terms.lo[l], terms.hi[l]);
        sum += u * (g - 0.5 * u);
        sizes += std::abs(u) * (std::abs(g) + 0.5 * std::abs(u));
        square += u * u;
    }
    // g off by err changes the maximum by at most |u| err + err^2 / 2.
    const double off = scale * terms.eps * terms.weight;
    const double error = terms.eps * (sizes + scale * std::abs(terms.value)) +
                         off * (std::sqrt(square) + off) * (1.0 + terms.eps);
    return scale * terms.value - sum - error;
}

double bound_l2(const Terms& terms, double scale) {
    const double half_square = half_square_l2(terms, scale);
    return half_square > 0.0 ? std::sqrt(2.0 * half_square) * (1.0 - 8.0 * kEps) : 0.0;
}

double bound_l1(const Terms& terms, double scale) {
    const double off = scale * terms.eps * terms.weight;
    double sum = 0.0;
    double sizes = 0.0;
    double total = 0.0;
    for (Index l = 0; l < terms.g.size(); ++l) {
        const double g = terms.g[l] * scale;
        // The best of the ends and of the point nearest to 0: the function is piecewise linear.
        const double z = std::clamp(0.0, terms.lo[l], terms.hi[l]);
        double e = z;
        if (g > 1.0 - off && terms.hi[l] < HUGE_VAL) e = terms.hi[l];
        if (g < -1.0 + off && terms.lo[l] > -HUGE_VAL) e = terms.lo[l];
        sum += std::max(g * e - std::abs(e), g * z - std::abs(z));
        sizes += (std::abs(g) + 1.0) * std::max(std::abs(e), std::abs(z));
        total += std::max(std::abs(e), std::abs(z));
    }
    const double error =
        terms.eps * (sizes + scale * std::abs(terms.value)) + off * total * (1.0 + terms.eps);
    return std::max(0.0, scale * terms.value - sum - error);
}

/// What the multipliers leave on sides without an end: the largest |g_l| and their length, errors
/// included.
struct Endless {
    double largest = 0.0;
    double length = 0.0;
    double gain = 0.0;  ///< lambda'floor less what the ends of all others add
};

Endless look_at_endless(const Terms& terms) {
    Endless result;
    const double off = terms.eps * terms.weight;
    double square = 0.0;
    result.gain = terms.value;
    for (Index l = 0; l < terms.g.size(); ++l) {
        const double size = std::abs(terms.g[l]);
        const bool is_sure = size > off;
        const double reach = std::max(std::abs(terms.lo[l]), std::abs(terms.hi[l]));
        if (is_sure ? std::abs(terms.end(l)) < HUGE_VAL : reach < HUGE_VAL) {
            result.gain -= terms.g[l] * terms.end(l);
            continue;
        }
        if (size == 0.0 && terms.is_zero(l)) continue;
        result.largest = std::max(result.largest, size + off);
        square += size * size;
    }
    result.length = std::sqrt(square) + off;
    return result;
}

/// The best multiple, where the slope of a concave function passes 0.
double search_l2(const Terms& terms) {
    const auto is_before = [&](double scale) {
        double slope = terms.value;
        for (Index l = 0; l < terms.g.size(); ++l)
            slope -= terms.g[l] * std::clamp(scale * terms.g[l], terms.lo[l], terms.hi[l]);
        return slope > 0.0;
    };
    double low = terms.value / terms.g.squaredNorm();
    if (!(low > 0.0 && low < HUGE_VAL)) return 0.0;
    double high = low;
    for (int i = 0; i < kMaxRounds && !is_before(low); ++i) low *= 0.25;
    for (int i = 0; i < kMaxRounds && is_before(high); ++i) high *= 4.0;
    for (int i = 0; i < kMaxRounds; ++i) {
        const double middle = std::sqrt(low) * std::sqrt(high);
        (is_before(middle) ? low : high) = middle;
    }
    return std::max(bound_l2(terms, low), bound_l2(terms, high));
}

double best_l2(const Terms& terms, double hint) {
    const double bound = bound_l2(terms, 1.0);
    if (bound >= hint * kNearEnough) return bound;
    const Endless endless = look_at_endless(terms);
    const double scale = 0.5 * endless.gain / (endless.length * endless.length);
    double best = bound;
    if (scale > 0.0 && scale < HUGE_VAL) best = std::max(bound, bound_l2(terms, scale));
    const double without_box = terms.value / (terms.g.norm() + terms.eps * terms.weight);
    return best >= without_box * kNearEnough ? best : std::max(best, search_l2(terms));
}

/// On sides without an end |g| must not exceed 1. Where it is 1 up to rounding it must not either:
/// a far end would make much of that rounding.
double best_l1(const Terms& terms, double hint) {
    const double scale = (1.0 - 4.0 * kEps) / look_at_endless(terms).largest;
    const double off = terms.eps * terms.weight;
    double nearly_one = 1.0;
    for (Index l = 0; l < terms.g.size(); ++l) {
        const double size = std::abs(terms.g[l]);
        if (size <= 1.0 + 1e-10) nearly_one = std::max(nearly_one, size + 2.0 * off);
    }
    const double bound = bound_l1(terms, std::min((1.0 - 4.0 * kEps) / nearly_one, scale));
    if (bound >= hint * kNearEnough) return bound;
    double best = bound;
    if (scale > 1.0 && scale < HUGE_VAL) best = std::max(bound, bound_l1(terms, scale));
    const double largest = terms.g.lpNorm<Eigen::Infinity>() + off;
    if (best >= terms.value / largest * kNearEnough) return best;
    // The best multiple brings one |g| to 1: a concave function with its kinks there.
    for (double g : terms.g) {
        const double kink = (1.0 - 4.0 * kEps) / (std::abs(g) + 2.0 * off);
        if (kink <= scale && kink < HUGE_VAL) best = std::max(best, bound_l1(terms, kink));
    }
    return best;
}

/// linf with the features in F whose ends lie before `level`.
double bound_linf(const Terms& terms, double level) {
    double value = terms.value;
    double sizes = std::abs(value);
    double slope = 0.0;
    double largest = 0.0;
    for (Index l = 0; l < terms.g.size(); ++l) {
        const double size = std::abs(terms.g[l]);
        const double end = terms.end(l);
        const double way = terms.g[l] > 0.0 ? end : -end;
        const double reach = std::max(std::abs(terms.lo[l]), std::abs(terms.hi[l]));
        // Too small to know its side: then it may be the other end.
        const bool is_sure = size > terms.eps * terms.weight;
        if (is_sure ? way < level : reach < level) {
            value -= size * way;
            sizes += size * std::abs(way);
            largest = std::max(largest, is_sure ? std::abs(end) : reach);
        } else {
            slope += size;
        }
    }
    value -= terms.eps * (sizes + terms.weight * largest);
    slope = slope * (1.0 + terms.eps) + terms.eps * terms.weight;
    return value > 0.0 ? value / slope * (1.0 - 4.0 * kEps) : 0.0;
}

double best_linf(const Terms& terms, double hint) {
    double best = 0.0;
    double level = hint;
    for (int round = 0; round < 3; ++round) {
        const double bound = bound_linf(terms, level);
        if (bound >= hint * kNearEnough) return bound;
        if (!(bound > best)) break;
        best = level = bound;
    }
    // The hint was of no help. From below every bound is a level for the next.
    for (int round = 0; round < kMaxRounds; ++round) {
        const double bound = bound_linf(terms, best);
        if (!(bound > best * (1.0 + 4.0 * kEps))) break;
        best = bound;
    }
    return best;
}

double best_bound(const Terms& terms, Norm norm, double hint) {
    if (norm == Norm::L2) return best_l2(terms, hint);
    return norm == Norm::L1 ? best_l1(terms, hint) : best_linf(terms, hint);
}

Terms make_terms(const PlaneSet& planes, const PointMargins& margins,
                 const std::vector<int>& active, const std::vector<double>& lambda,
                 const Vector& g) {
    double value = 0.0;
    double sizes = 0.0;
    double weight = 0.0;
    for (std::size_t a = 0; a < active.size(); ++a) {
        const double term = lambda[a] * margins.floor[active[a]];
        value += term;
        sizes += std::abs(term);
        weight += lambda[a] * planes.size()[active[a]];
    }
    const double n_terms =
        static_cast<double>(g.size()) + static_cast<double>(active.size()) + 16.0;
    return {planes, active,        g, margins.lo, margins.hi, value - n_terms * kEps * sizes,
            weight, n_terms * kEps};
}

}  // namespace

double proven_in_box(const PlaneSet& planes, const PointMargins& margins,
                     const std::vector<int>& active, const std::vector<double>& lambda,
                     const Vector& g, double hint) {
    const Terms terms = make_terms(planes, margins, active, lambda, g);
    if (!std::isfinite(terms.weight)) return 0.0;
    if (hint == HUGE_VAL && is_ray(terms, planes.norm())) return HUGE_VAL;
    const double bound = best_bound(terms, planes.norm(), hint);
    const bool is_settled = bound >= hint * kNearEnough || margins.proof == nullptr;
    return !is_settled && margins.proof->holds(active, lambda) ? HUGE_VAL : bound;
}

double dual_square_in_box(const PlaneSet& planes, const PointMargins& margins,
                          const std::vector<int>& active, const std::vector<double>& lambda,
                          const Vector& g) {
    const Terms terms = make_terms(planes, margins, active, lambda, g);
    return std::isfinite(terms.weight) ? 2.0 * half_square_l2(terms, 1.0) : -HUGE_VAL;
}

}  // namespace redoubt
