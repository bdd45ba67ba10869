#include "certify/flip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace redoubt {

namespace {

/// A witness that rounding robbed of its effect is sought again this much further past the
/// planes...
constexpr double kSlackGrowth = 64.0;
/// ... this often.
constexpr int kMaxAttempts = 5;
/// Data on a grid have their solutions on one too: numbers with this many bits.
constexpr int kSnapBits = 24;
/// A radius with a bracket wider than this share of it does not count as found.
constexpr double kProvenGap = 1e-6;
/// Distances of this many roundings of a margin say nothing: a bracket that narrow is closed.
constexpr double kRoundings = 1e3;

/// ||moved - x||_p, never less than in exact arithmetic.
double distance_rounded_up(Norm norm, const VectorRef& moved, const VectorRef& x) {
    const double terms = static_cast<double>(x.size()) + 8.0;
    return norm_value(norm, moved - x) * (1.0 + terms * std::numeric_limits<double>::epsilon());
}

}  // namespace

Vector snapped(const VectorRef& d) {
    const double largest = d.lpNorm<Eigen::Infinity>();
    if (!(largest > 0.0) || !std::isfinite(largest)) return d;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - kSnapBits);
    return d.unaryExpr([&](double value) { return std::round(value / unit) * unit; });
}

Index planes_needed(Index k, int from) {
    return from > 0 ? k / 2 + 1 : (k + 1) / 2;
}

std::vector<int> fooled_planes(const Ensemble& ensemble, const VectorRef& x, int from) {
    std::vector<int> fooled;
    const Eigen::VectorXi answers = ensemble.answers(x);
    for (Index i = 0; i < answers.size(); ++i) {
        if (answers[i] != from) fooled.push_back(static_cast<int>(i));
    }
    return fooled;
}

Index weight_of(const Ensemble& ensemble, const std::vector<int>& planes) {
    Index sum = 0;
    for (int i : planes) sum += ensemble.weight_units(i);
    return sum;
}

Flipper::Flipper(const Ensemble& ensemble, const PlaneSet& planes)
    : ensemble_(ensemble), planes_(planes), engine_(planes) {}

Flip Flipper::flip_answer(const VectorRef& x, int from, const PointLimits& limits) {
    return fool_planes(x, from, weight_needed(ensemble_, from), HUGE_VAL, limits);
}

Flip Flipper::fool_planes(const VectorRef& x, int from, Index need, double cutoff,
                          const PointLimits& limits) {
    Flip flip;
    double slack_factor = 1.0;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt, slack_factor *= kSlackGrowth) {
        margins_.compute(planes_, x, from, slack_factor);
        FlipResult result =
            engine_.run(margins_, need - planes_.constant_weight(-from), cutoff, limits);
        flip.n_nodes += result.n_nodes;
        flip.status = result.status;
        flip.lower = std::max(flip.lower, result.proven);
        if (result.e.size() == 0) break;
        const Vector d = -from * result.e;
        const Vector moved = x + d;
        if (moved.allFinite()) flip.fooled = fooled_planes(ensemble_, moved, from);
        if (weight_of(ensemble_, flip.fooled) >= need) {
            flip.d = d;
            flip.upper = distance_rounded_up(planes_.norm(), moved, x);
            break;
        }
        if (flip.status == Status::Optimal) flip.status = Status::NumericalFailure;
    }
    if (flip.d.size() == 0) flip.fooled.clear();
    flip.lower = std::min(flip.lower, flip.upper);
    const double room = kRoundings * margins_.widest_gap(planes_);
    const auto is_open = [&] {
        return flip.lower < std::min(flip.upper, cutoff) * (1.0 - kProvenGap) - room;
    };
    const bool is_limited =
        flip.status != Status::Optimal && flip.status != Status::NumericalFailure;
    if (is_limited || !is_open()) return flip;
    if (from < 0) touch_planes(x, need, cutoff, limits, flip);
    if (flip.d.size() > 0 && is_open()) flip.status = Status::NumericalFailure;
    return flip;
}

/// Towards +1 a plane that is touched counts. Half-spaces that meet in touching points only have no
/// point beyond their goals, so the search is run again with the margins themselves as goals, and
/// its point is accepted if it really touches.
void Flipper::touch_planes(const VectorRef& x, Index need, double cutoff, const PointLimits& limits,
                           Flip& flip) {
    margins_.compute(planes_, x, -1, 0.0);
    const FlipResult result = engine_.run(margins_, need - planes_.constant_weight(1),
                                          std::min(cutoff, flip.upper), limits);
    flip.n_nodes += result.n_nodes;
    if (result.e.size() == 0) return;
    for (const Vector& d : {result.e, snapped(result.e)}) {
        const Vector moved = x + d;
        if (!moved.allFinite()) continue;
        std::vector<int> fooled = fooled_planes(ensemble_, moved, -1);
        const double distance = distance_rounded_up(planes_.norm(), moved, x);
        if (weight_of(ensemble_, fooled) < need || !(distance < flip.upper)) continue;
        flip.d = d;
        flip.fooled = std::move(fooled);
        flip.upper = distance;
        flip.lower = std::min(flip.lower, flip.upper);
        flip.status = result.status;
        return;
    }
    // They may touch where no double is: what happens beyond that place was not looked at.
    if (flip.status == Status::Optimal) flip.status = Status::NumericalFailure;
}

}  // namespace redoubt
