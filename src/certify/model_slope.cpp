#include "certify/model_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "certify/flip.hpp"

namespace redoubt {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// A move smaller than this share of the whole size is none: multipliers would be 0 / 0.
constexpr double kNoMove = 1e-12;
/// Less of a plane's weight than this on features that move counts as none.
constexpr double kNoWeight = 1e-6;
/// A feature follows the level of an linf move unless its end is nearer, by more than rounding.
constexpr double kLevel = 1e-12;

/// The mean of the scales > 0 of features that move, or 1.
double mean_scale(const AttackModel& model, const MoveSpace& space) {
    double sum = space.unit.sum();
    auto count = static_cast<double>(space.size());
    for (int g : space.groups) {
        for (int l : model.one_hot[static_cast<std::size_t>(g)].features) {
            sum += model.scale_of(l);
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : 1.0;
}

}  // namespace

PlaneLength::PlaneLength(const AttackModel& model, Index n_features)
    : norm_(model.norm), scale_(Vector::Zero(n_features)) {
    const MoveSpace space(model, n_features);
    const double mean = mean_scale(model, space);
    for (Index c = 0; c < space.size(); ++c)
        scale_[space.features[static_cast<std::size_t>(c)]] = space.unit[c] / mean;
    for (int g : space.groups) {
        for (int l : model.one_hot[static_cast<std::size_t>(g)].features)
            scale_[l] = model.scale_of(l) / mean;
    }
}

double PlaneLength::operator()(const VectorRef& w) const {
    const double plain = w.norm();
    const Vector scaled = scale_.cwiseProduct(w);
    const double length = norm_value(dual(norm_), scaled);
    return length > kNoWeight * plain ? length : plain;
}

ModelPlanes::ModelPlanes(const Ensemble& the_planes, const AttackModel& attack_model)
    : ensemble(&the_planes),
      model(&attack_model),
      space(attack_model, the_planes.n_features()),
      planes(the_planes, space),
      length(attack_model, the_planes.n_features()) {}

ModelSloper::ModelSloper(const ModelPlanes& planes)
    : planes_(planes), engine_(planes.planes, true), moves_(planes.space) {
    if (!planes.space.is_convex()) flipper_.emplace(*planes.ensemble, planes.planes, planes.space);
}

RadiusSlope ModelSloper::solve(const VectorRef& x, int y, const RadiusLimits& limits) {
    const int from = planes_.ensemble->predict(x);
    const double limit = from == y ? limits.right_limit : limits.wrong_limit;
    RadiusSlope slope;
    slope.is_beyond = true;
    slope.radius = from == y ? limit : -limit;
    moves_.load(x);
    if (flipper_) return solve_discrete(x, y, from, limit);
    const Rest rest{x, 0.0, moves_.lo(), moves_.hi()};
    const double size = solve_rest(rest, from, y, limit, slope);
    if (!(size < limit)) return slope;
    slope.is_beyond = false;
    slope.radius = from == y ? size : -size;
    if (slope.shares.empty()) pull_at(x, from, y, slope);
    return slope;
}

RadiusSlope ModelSloper::solve_discrete(const VectorRef& x, int y, int from, double limit) {
    RadiusSlope slope;
    const Index need = planes_needed(planes_.ensemble->n_planes(), from);
    const Flip flip = flipper_->fool_planes(x, from, need, limit, PointLimits{});
    slope.is_beyond = flip.d.size() == 0 || !(flip.upper < limit);
    slope.radius = (from == y ? 1.0 : -1.0) * (slope.is_beyond ? limit : flip.upper);
    if (slope.is_beyond) return slope;
    const Vector moved = x + flip.d;
    for (const bool holds_whole : {true, false}) {
        solve_rest(held_rest(x, moved, holds_whole), from, y, HUGE_VAL, slope);
        slope.is_surrogate = !holds_whole;
        if (!slope.shares.empty()) return slope;
    }
    pull_at(moved, from, y, slope);
    return slope;
}

/// What is left when the switches of a move are held and, if asked for, its whole numbers.
ModelSloper::Rest ModelSloper::held_rest(const VectorRef& x, const Vector& moved,
                                         bool holds_whole) {
    const MoveSpace& space = planes_.space;
    const Norm norm = planes_.model->norm;
    Rest rest{x, 0.0, moves_.lo(), moves_.hi()};
    for (std::size_t g = 0; g < space.groups.size(); ++g) {
        const OneHotGroup& group = moves_.group(g);
        const auto& features = group.features;
        const bool is_switched =
            std::any_of(features.begin(), features.end(), [&](int l) { return moved[l] != x[l]; });
        if (!is_switched) continue;
        for (int l : features) rest.base[l] = moved[l];
        rest.fixed = join_sizes(norm, rest.fixed, group.switch_cost);
    }
    if (!holds_whole) return rest;
    for (Index c = 0; c < space.size(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        if (space.whole[at] < 0) continue;
        const int l = space.features[at];
        rest.base[l] = moved[l];
        rest.fixed = join_sizes(norm, rest.fixed, std::abs(moved[l] - x[l]) / space.unit[c]);
        rest.lo[c] = rest.hi[c] = 0.0;
    }
    return rest;
}

/// The size of the least move, its shares and where it ends. No shares when the size does not
/// change with the planes a little, or when there is no move below the limit: infinity.
double ModelSloper::solve_rest(const Rest& rest, int from, int y, double limit,
                               RadiusSlope& slope) {
    const PlaneSet& planes = planes_.planes;
    const Index need = load_margins(rest, from);
    if (need <= 0) return rest.fixed;
    const Norm norm = planes.norm();
    const double room = rest_of_size(norm, limit, rest.fixed);
    if (!(room > 0.0)) return HUGE_VAL;
    const FlipResult flip = engine_.run(margins_, need, room, PointLimits{});
    if (flip.e.size() == 0) return HUGE_VAL;
    const double size = join_sizes(norm, rest.fixed, flip.distance);
    const bool is_fixed = norm == Norm::LInf && !(flip.distance > rest.fixed);
    const double unit = multiplier_unit(flip, size);
    if (is_fixed || !(flip.distance > kNoMove * size) || !(unit > 0.0)) return size;
    slope.moved = rest.base;
    for (Index c = 0; c < planes_.space.size(); ++c) {
        slope.moved[planes_.space.features[static_cast<std::size_t>(c)]] -=
            from * flip.e[c] * planes_.space.unit[c];
    }
    for (std::size_t a = 0; a < flip.active.size(); ++a) {
        const Index i = flip.active[a];
        slope.shares.push_back({planes.index(i), y * planes.scale(i) * flip.lambda[a] / unit});
    }
    return size;
}

/// Goals and box in the search's orientation, e = -from u. Returns how many of the planes must be
/// fooled: those that no coordinate moves are fooled at the base already, or never.
Index ModelSloper::load_margins(const Rest& rest, int from) {
    const PlaneSet& planes = planes_.planes;
    const Ensemble& ensemble = *planes_.ensemble;
    margins_.from = from;
    margins_.lo = from > 0 ? Vector(-rest.hi) : rest.lo;
    margins_.hi = from > 0 ? Vector(-rest.lo) : rest.hi;
    margins_.goal.resize(planes.n_planes());
    margins_.floor.resize(planes.n_planes());
    const auto n = static_cast<double>(ensemble.n_features());
    auto need = planes_needed(ensemble.n_planes(), from) -
                static_cast<Index>(fooled_planes(ensemble, rest.base, from).size());
    for (Index i = 0; i < planes.n_planes(); ++i) {
        const auto w = ensemble.coef().row(planes.index(i)).transpose();
        const double b = ensemble.intercept()[planes.index(i)];
        const bool is_fooled = sign_of_plane(w, b, rest.base) != from;
        bool moves = false;
        for (Index c = 0; !moves && c < planes.n_features(); ++c)
            moves = planes.W()(i, c) != 0.0 && rest.lo[c] < rest.hi[c];
        // All planes that the search knows are its to count.
        need += is_fooled ? 1 : 0;
        const double margin = from * (w.dot(rest.base) + b);
        const double magnitude = w.cwiseAbs().dot(rest.base.cwiseAbs()) + std::abs(b);
        const double error = (n + 8.0) * kEps * magnitude;
        const double uneven =
            1.0 + 0.25 * std::fmod(0.618033988749895 * static_cast<double>(i + 1), 1.0);
        margins_.floor[i] = (margin - error) * planes.scale(i);
        margins_.goal[i] =
            (margin + uneven * (4.0 * error + 64.0 * kEps * std::abs(margin))) * planes.scale(i);
        if (!moves)
            margins_.goal[i] = margins_.floor[i] = is_fooled ? -planes.size()[i] : planes.size()[i];
    }
    return need;
}

/// By what the search's multipliers are too large to be those of the size.
double ModelSloper::multiplier_unit(const FlipResult& flip, double size) const {
    const PlaneSet& planes = planes_.planes;
    // The l2 search minimises 1/2 ||e||^2, and d size / d ||e|| = ||e|| / size.
    if (planes.norm() == Norm::L2) return size;
    if (planes.norm() == Norm::L1) return 1.0;
    // Only the direction counts for linf: features that go as far as the level share a weight of 1.
    Vector g = Vector::Zero(planes.n_features());
    for (std::size_t a = 0; a < flip.active.size(); ++a)
        g += flip.lambda[a] * planes.W().row(flip.active[a]).transpose();
    const double level = flip.distance * (1.0 - kLevel);
    double sum = 0.0;
    for (Index c = 0; c < g.size(); ++c) {
        const double end = g[c] > 0.0 ? margins_.hi[c] : -margins_.lo[c];
        if (end > level) sum += std::abs(g[c]);
    }
    return sum;
}

/// Of the planes that are easiest to fool there, the last one that is needed.
void ModelSloper::pull_at(const Vector& moved, int from, int y, RadiusSlope& slope) const {
    const Ensemble& ensemble = *planes_.ensemble;
    std::vector<std::pair<double, int>> distances;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const auto w = ensemble.coef().row(i).transpose();
        const double length = planes_.length(w);
        if (!(length > 0.0)) continue;
        const double margin = from * (w.dot(moved) + ensemble.intercept()[i]);
        distances.emplace_back(margin / length, static_cast<int>(i));
    }
    slope.is_surrogate = true;
    slope.shares.clear();
    slope.moved = moved;
    if (distances.empty()) return;
    std::sort(distances.begin(), distances.end());
    const auto need = static_cast<std::size_t>(planes_needed(ensemble.n_planes(), from));
    const int plane = distances[std::min(need, distances.size()) - 1].second;
    const double length = planes_.length(ensemble.coef().row(plane).transpose());
    slope.shares.push_back({plane, y / length});
}

}  // namespace redoubt
