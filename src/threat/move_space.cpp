#include "threat/move_space.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Ends of boxes are moved outwards by this share: two roundings and one to spare.
constexpr double kOutwards = 1.0 + 4.0 * kEps;

}  // namespace

MoveSpace::MoveSpace(const AttackModel& attack_model, Index n)
    : model(&attack_model), n_features(n) {
    std::vector<char> is_grouped(static_cast<std::size_t>(n), 0);
    for (std::size_t g = 0; g < model->one_hot.size(); ++g) {
        const OneHotGroup& group = model->one_hot[g];
        bool is_frozen = false;
        for (int l : group.features) {
            is_grouped[static_cast<std::size_t>(l)] = 1;
            is_frozen = is_frozen || model->scale_of(l) == 0.0;
        }
        if (!is_frozen) groups.push_back(static_cast<int>(g));
    }
    for (Index l = 0; l < n; ++l) {
        if (is_grouped[static_cast<std::size_t>(l)] == 0 && model->scale_of(l) > 0.0)
            features.push_back(static_cast<int>(l));
    }
    unit.resize(size());
    integer_at.assign(features.size(), -1);
    std::vector<int> integer_of(static_cast<std::size_t>(n), -1);
    for (std::size_t i = 0; i < model->integers.size(); ++i)
        integer_of[static_cast<std::size_t>(model->integers[i].feature)] = static_cast<int>(i);
    for (Index c = 0; c < size(); ++c) {
        const int l = features[static_cast<std::size_t>(c)];
        unit[c] = model->scale_of(l);
        integer_at[static_cast<std::size_t>(c)] = integer_of[static_cast<std::size_t>(l)];
        has_integers = has_integers || integer_of[static_cast<std::size_t>(l)] >= 0;
        const bool is_free = model->lower_of(l) == -HUGE_VAL && model->upper_of(l) == HUGE_VAL &&
                             model->direction_of(l) == Direction::Both;
        has_box = has_box || !is_free;
    }
    has_box = has_box || !is_convex();
    is_ball = !has_box && size() == n && (unit.array() == 1.0).all();
}

void PointMoves::load(const VectorRef& x) {
    x_ = x;
    if (!space_->has_box) return;
    const AttackModel& model = *space_->model;
    const Index n = space_->size();
    lo_.resize(n);
    hi_.resize(n);
    ranges_.resize(static_cast<std::size_t>(n));
    for (Index c = 0; c < n; ++c) {
        const int l = space_->features[static_cast<std::size_t>(c)];
        const Direction direction = model.direction_of(l);
        const double unit = space_->unit[c];
        lo_[c] = direction == Direction::Up
                     ? 0.0
                     : std::min(0.0, (model.lower_of(l) - x[l]) / unit * kOutwards);
        hi_[c] = direction == Direction::Down
                     ? 0.0
                     : std::max(0.0, (model.upper_of(l) - x[l]) / unit * kOutwards);
        if (space_->integer_at[static_cast<std::size_t>(c)] >= 0) load_integers(c);
    }
    on_.resize(space_->groups.size());
    for (std::size_t g = 0; g < on_.size(); ++g) on_[g] = group(g).member_on(x);
}

/// The integers within the box; where the point stands is one of them whatever rounding says.
void PointMoves::load_integers(Index c) {
    const auto at = static_cast<std::size_t>(c);
    const AttackModel& model = *space_->model;
    const IntegerFeature& one = model.integers[static_cast<std::size_t>(space_->integer_at[at])];
    const double x = x_[one.feature];
    const double lower = model.lower_of(one.feature);
    const double upper = model.upper_of(one.feature);
    IntegerRange range;
    range.now = one.nearest(x);
    range.first = lo_[c] == 0.0 ? range.now : std::ceil(lower * one.scale + one.offset - 0.5);
    range.last = hi_[c] == 0.0 ? range.now : std::floor(upper * one.scale + one.offset + 0.5);
    while (range.first < range.now && one.value(range.first) < lower) range.first += 1.0;
    while (range.last > range.now && one.value(range.last) > upper) range.last -= 1.0;
    range.first = std::min(range.first, range.now);
    range.last = std::max(range.last, range.now);
    ranges_[at] = range;
    if (std::isfinite(range.first)) lo_[c] = u_of_integer(c, range.first) * kOutwards;
    if (std::isfinite(range.last)) hi_[c] = u_of_integer(c, range.last) * kOutwards;
}

double PointMoves::value_of_integer(Index c, double integer) const {
    const auto at = static_cast<std::size_t>(c);
    if (integer == ranges_[at].now) return x_[space_->features[at]];
    return space_->model->integers[static_cast<std::size_t>(space_->integer_at[at])].value(integer);
}

double PointMoves::u_of_integer(Index c, double integer) const {
    const double x = x_[space_->features[static_cast<std::size_t>(c)]];
    return (value_of_integer(c, integer) - x) / space_->unit[c];
}

double PointMoves::value_at(Index c, double u) const {
    const int l = space_->features[static_cast<std::size_t>(c)];
    const double x = x_[l];
    if (u == 0.0) return x;
    const AttackModel& model = *space_->model;
    // A point a rounding outside its range stays where it is rather than being put inside.
    const double lower = std::min(x, model.lower_of(l));
    const double upper = std::max(x, model.upper_of(l));
    const double value = std::clamp(x + u * space_->unit[c], lower, upper);
    switch (model.direction_of(l)) {
        case Direction::Up:
            return std::max(value, x);
        case Direction::Down:
            return std::min(value, x);
        case Direction::Both:
            break;
    }
    return value;
}

void PointMoves::apply_switch(std::size_t g, std::size_t member, Vector& moved) const {
    const OneHotGroup& one = group(g);
    for (std::size_t i = 0; i < one.features.size(); ++i) {
        const int l = one.features[i];
        moved[l] = member == on_[g] ? x_[l] : i == member ? one.on_value(i) : one.off_value(i);
    }
}

Vector PointMoves::step_to(const Vector& moved) const {
    const AttackModel& model = *space_->model;
    Vector d = moved - x_;
    for (Index l = 0; l < d.size(); ++l) {
        if (d[l] == 0.0 || x_[l] + d[l] == moved[l]) continue;
        const double up = std::nextafter(d[l], HUGE_VAL);
        const double down = std::nextafter(d[l], -HUGE_VAL);
        const auto is_inside = [&](double step) {
            return x_[l] + step >= model.lower_of(l) && x_[l] + step <= model.upper_of(l);
        };
        if (x_[l] + up == moved[l]) {
            d[l] = up;
        } else if (x_[l] + down == moved[l]) {
            d[l] = down;
        } else if (!is_inside(d[l])) {
            d[l] = is_inside(up) ? up : down;
        }
    }
    return d;
}

double join_sizes(Norm norm, double a, double b) {
    if (norm == Norm::L2) return std::hypot(a, b);
    return norm == Norm::LInf ? std::max(a, b) : a + b;
}

double rest_of_size(Norm norm, double size, double b) {
    if (b > size) return -1.0;
    if (b == 0.0 || size == HUGE_VAL) return size;
    if (norm == Norm::L2) return std::sqrt((size - b) * (size + b));
    return norm == Norm::LInf ? size : size - b;
}

SizeUnit step_unit(const IntegerFeature& one, double model_scale) {
    const double steps = one.steps_at(model_scale);
    // Numbers too large or small to be multiplied are divided by one after the other.
    return std::isnormal(steps) ? unit_of_steps(steps) : SizeUnit{1.0 / one.scale, model_scale};
}

SizeUnit MoveSpace::step_unit(Index coordinate) const {
    const int integer = integer_at[static_cast<std::size_t>(coordinate)];
    return redoubt::step_unit(model->integers[static_cast<std::size_t>(integer)], unit[coordinate]);
}

std::pair<ExactSize, double> split_move(const AttackModel& model, const VectorRef& x,
                                        const VectorRef& d) {
    ExactSize decided(model.norm);
    double rest = 0.0;
    const auto add = [&](double part) { rest = join_sizes(model.norm, rest, std::abs(part)); };
    std::vector<char> is_counted(static_cast<std::size_t>(x.size()), 0);
    for (const OneHotGroup& group : model.one_hot) {
        bool is_moved = false;
        bool is_frozen = false;
        for (int l : group.features) {
            is_counted[static_cast<std::size_t>(l)] = 1;
            is_moved = is_moved || d[l] != 0.0;
            is_frozen = is_frozen || model.scale_of(l) == 0.0;
        }
        if (!is_moved) continue;
        double cost = is_frozen ? HUGE_VAL : group.switch_cost;
        if (!is_frozen && !group.prices.empty()) cost = group.cost_between(x, x + d);
        if (cost < HUGE_VAL) {
            decided.add(cost);
        } else {
            add(cost);
        }
    }
    if (model.counts()) {
        for (Index l = 0; l < x.size(); ++l) {
            if (is_counted[static_cast<std::size_t>(l)] != 0 || d[l] == 0.0) continue;
            if (model.scale_of(l) == 0.0) {
                add(HUGE_VAL);
            } else {
                decided.add(model.cost_of(l));
            }
        }
        return {decided, rest};
    }
    for (const IntegerFeature& one : model.integers) {
        const Index l = one.feature;
        if (d[l] == 0.0 || model.scale_of(l) == 0.0) continue;
        const double count = std::abs(one.nearest(x[l] + d[l]) - one.nearest(x[l]));
        if (count == 0.0) continue;
        is_counted[static_cast<std::size_t>(l)] = 1;
        decided.add(count, step_unit(one, model.scale_of(l)));
    }
    for (Index l = 0; l < x.size(); ++l) {
        if (is_counted[static_cast<std::size_t>(l)] == 0 && d[l] != 0.0)
            add(d[l] / model.scale_of(l));
    }
    return {decided, rest};
}

SizeEnds move_size_ends(const MoveSpace& space, const VectorRef& x, const VectorRef& moved) {
    const auto n = static_cast<double>(x.size());
    const Norm norm = space.model->norm;
    if (space.is_ball) return {0.0, norm_value(norm, moved - x) * (1.0 + (n + 8.0) * kEps), false};
    if (space.is_convex() && !space.model->counts())
        return {0.0, space.model->move_size(x, moved - x) * (1.0 + (n + 12.0) * kEps), false};
    const auto [decided, continuous] = split_move(*space.model, x, moved - x);
    const SizeEnds ends = decided.ends();
    const double rest = continuous * (1.0 + (n + 12.0) * kEps);
    if (rest == 0.0 || (norm == Norm::LInf && rest <= ends.down)) return ends;
    return {0.0, join_sizes(norm, ends.up, rest) * (1.0 + 4.0 * kEps), false};
}

}  // namespace redoubt
