#include "flip/radius_slope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redoubt {

namespace {

/// A move smaller than this share of the size is none: multipliers would be 0 / 0...
constexpr double kNoMove = 1e-12;
/// ... and so is one that is smaller than this.
constexpr double kOnPlane = 1e-150;
/// Less of a plane's weight than this on features that move counts as none.
constexpr double kNoWeight = 1e-6;
/// A feature follows the level of an linf move unless its end is nearer, by more than rounding.
constexpr double kLevel = 1e-12;

/// The mean of the scales > 0 of features that move, or 1.
double mean_scale(const MoveSpace& space) {
    double sum = space.unit.sum();
    auto count = static_cast<double>(space.size());
    for (int g : space.groups) {
        for (int l : space.model->one_hot[static_cast<std::size_t>(g)].features) {
            sum += space.model->scale_of(l);
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : 1.0;
}

}  // namespace

PlaneLength::PlaneLength(const MoveSpace& space)
    : norm_(space.model->counts() ? Norm::L1 : space.model->norm) {
    if (space.is_ball) return;
    scale_.setZero(space.n_features);
    const double mean = mean_scale(space);
    for (Index c = 0; c < space.size(); ++c)
        scale_[space.features[static_cast<std::size_t>(c)]] = space.unit[c] / mean;
    for (int g : space.groups) {
        for (int l : space.model->one_hot[static_cast<std::size_t>(g)].features)
            scale_[l] = space.model->scale_of(l) / mean;
    }
}

double PlaneLength::operator()(const VectorRef& w) const {
    if (scale_.size() == 0) return norm_value(dual(norm_), w);
    const double plain = w.norm();
    const Vector scaled = scale_.cwiseProduct(w);
    const double length = norm_value(dual(norm_), scaled);
    return length > kNoWeight * plain ? length : plain;
}

RadiusSloper::RadiusSloper(const ThreatPlanes& planes)
    : threat_(planes), engine_(planes.planes, planes.space.has_box), moves_(planes.space) {
    if (!planes.space.is_convex()) flipper_.emplace(planes);
}

RadiusSlope RadiusSloper::solve(const VectorRef& x, int y, const RadiusLimits& limits) {
    const int current_label = threat_.ensemble.predict(x);
    const double side = current_label == y ? 1.0 : -1.0;
    const double limit = current_label == y ? limits.right_limit : limits.wrong_limit;
    moves_.load(x);
    if (flipper_) return solve_discrete(x, y, current_label, limit);
    RadiusSlope slope;
    const double size =
        solve_rest({x, 0.0, moves_.lo(), moves_.hi()}, current_label, y, limit, slope);
    slope.is_beyond = !(size < limit);
    slope.radius = side * (slope.is_beyond ? limit : size);
    if (slope.is_beyond) {
        slope.shares.clear();
    } else if (slope.shares.empty()) {
        pull_at(x, current_label, y, slope);
    }
    return slope;
}

RadiusSlope RadiusSloper::solve_discrete(const VectorRef& x, int y, int current_label,
                                         double limit) {
    RadiusSlope slope;
    const Flip flip = flipper_->fool_planes(
        x, current_label, weight_needed(threat_.ensemble, current_label), limit, PointLimits{});
    slope.is_beyond = flip.d.size() == 0 || !(flip.upper < limit);
    slope.radius = (current_label == y ? 1.0 : -1.0) * (slope.is_beyond ? limit : flip.upper);
    if (slope.is_beyond) return slope;
    const Vector moved = x + flip.d;
    for (const bool holds_integers : {true, false}) {
        solve_rest(held_rest(x, moved, holds_integers), current_label, y, HUGE_VAL, slope);
        slope.is_surrogate = !holds_integers;
        if (!slope.shares.empty()) return slope;
    }
    pull_at(moved, current_label, y, slope);
    return slope;
}

/// What is left when the switches of a move are held and, if asked for, its integers.
RadiusSloper::Rest RadiusSloper::held_rest(const VectorRef& x, const Vector& moved,
                                           bool holds_integers) {
    const MoveSpace& space = threat_.space;
    const Norm norm = threat_.norm();
    held_ = x;
    Rest rest{held_, 0.0, moves_.lo(), moves_.hi()};
    for (std::size_t g = 0; g < space.groups.size(); ++g) {
        const OneHotGroup& group = moves_.group(g);
        const auto& features = group.features;
        const bool is_switched =
            std::any_of(features.begin(), features.end(), [&](int l) { return moved[l] != x[l]; });
        if (!is_switched) continue;
        for (int l : features) held_[l] = moved[l];
        rest.fixed = join_sizes(norm, rest.fixed, group.cost_between(x, moved));
    }
    if (!holds_integers) return rest;
    for (Index c = 0; c < space.size(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        if (space.integer_at[at] < 0) continue;
        const int l = space.features[at];
        held_[l] = moved[l];
        rest.fixed = join_sizes(norm, rest.fixed, std::abs(moved[l] - x[l]) / space.unit[c]);
        rest.lo[c] = rest.hi[c] = 0.0;
    }
    return rest;
}

/// The size of the least move, its shares and where it ends. No shares when the size does not
/// change with the planes a little, or when there is no move below the limit: infinity.
double RadiusSloper::solve_rest(const Rest& rest, int current_label, int y, double limit,
                                RadiusSlope& slope) {
    const PlaneSet& planes = threat_.planes;
    const Index required = load_margins(rest, current_label);
    if (required <= 0) return rest.fixed;
    const Norm norm = planes.norm();
    const double room = rest_of_size(norm, limit, rest.fixed);
    if (!(room > 0.0)) return HUGE_VAL;
    const SearchResult flip = engine_.run(margins_, required, room, PointLimits{});
    if (flip.e.size() == 0) return HUGE_VAL;
    const double size = join_sizes(norm, rest.fixed, flip.distance);
    const bool is_fixed = norm == Norm::LInf && !(flip.distance > rest.fixed);
    const double unit = multiplier_unit(flip, size);
    const bool has_moved = flip.distance > kNoMove * size && flip.distance > kOnPlane;
    if (is_fixed || !has_moved || !(unit > 0.0)) return size;
    if (threat_.space.is_ball) {
        slope.moved = rest.base - current_label * flip.e;
    } else {
        slope.moved = rest.base;
        for (Index c = 0; c < threat_.space.size(); ++c) {
            slope.moved[threat_.space.features[static_cast<std::size_t>(c)]] -=
                current_label * flip.e[c] * threat_.space.unit[c];
        }
    }
    for (std::size_t a = 0; a < flip.active.size(); ++a) {
        const Index i = flip.active[a];
        slope.shares.push_back({planes.index(i), y * planes.scale(i) * flip.lambda[a] / unit});
    }
    return size;
}

/// Goals and box in the search's orientation, e = -current_label u. Returns the weight of planes
/// that the search must fool: those that it does not know are fooled at the base already, or never.
Index RadiusSloper::load_margins(const Rest& rest, int current_label) {
    const PlaneSet& planes = threat_.planes;
    const Ensemble& ensemble = threat_.ensemble;
    margins_.resize(current_label, planes.n_planes());
    const bool has_box = rest.lo.size() > 0;
    if (has_box) {
        margins_.lo = current_label > 0 ? Vector(-rest.hi) : rest.lo;
        margins_.hi = current_label > 0 ? Vector(-rest.lo) : rest.hi;
    }
    for (Index i = 0; i < planes.n_planes(); ++i) {
        const auto w = ensemble.coef().row(planes.index(i)).transpose();
        const double b = ensemble.intercept()[planes.index(i)];
        const double margin = current_label * (w.dot(rest.base) + b);
        const double magnitude = w.cwiseAbs().dot(rest.base.cwiseAbs()) + std::abs(b);
        margins_.set(planes, i, margin, margin_error(threat_.n_roundings(), magnitude), 1.0);
        bool moves = !has_box;
        for (Index c = 0; !moves && c < planes.n_features(); ++c)
            moves = planes.W()(i, c) != 0.0 && rest.lo[c] < rest.hi[c];
        if (moves) continue;
        const bool is_fooled = sign_of_plane(w, b, rest.base) != current_label;
        margins_.goal[i] = margins_.floor[i] = is_fooled ? -planes.size()[i] : planes.size()[i];
    }
    if (!has_box) margins_.even_out(planes, 1.0);
    Index required = weight_needed(ensemble, current_label);
    for (int plane : threat_.still) {
        const auto w = ensemble.coef().row(plane).transpose();
        if (sign_of_plane(w, ensemble.intercept()[plane], rest.base) != current_label)
            required -= ensemble.weight_units(plane);
    }
    return required;
}

/// By what the search's multipliers are too large to be those of the size.
double RadiusSloper::multiplier_unit(const SearchResult& flip, double size) const {
    const PlaneSet& planes = threat_.planes;
    // The l2 search minimises 1/2 ||e||^2, and d size / d ||e|| = ||e|| / size.
    if (planes.norm() == Norm::L2) return size;
    if (planes.norm() == Norm::L1 || !threat_.space.has_box) return 1.0;
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
void RadiusSloper::pull_at(const Vector& moved, int current_label, int y,
                           RadiusSlope& slope) const {
    const Ensemble& ensemble = threat_.ensemble;
    const PlaneLength length(threat_.space);
    std::vector<std::pair<double, int>> distances;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const auto w = ensemble.coef().row(i).transpose();
        const double size = length(w);
        if (!(size > 0.0)) continue;
        const double margin = current_label * (w.dot(moved) + ensemble.intercept()[i]);
        distances.emplace_back(margin / size, static_cast<int>(i));
    }
    slope.is_surrogate = true;
    slope.shares.clear();
    slope.moved = moved;
    if (distances.empty()) return;
    std::sort(distances.begin(), distances.end());
    Index missing = weight_needed(ensemble, current_label);
    int deciding = distances.back().second;
    for (const auto& [distance, plane] : distances) {
        missing -= ensemble.weight_units(plane);
        deciding = plane;
        if (missing <= 0) break;
    }
    slope.shares.push_back({deciding, y / length(ensemble.coef().row(deciding).transpose())});
}

}  // namespace redoubt
