#include "explain/axis_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "explain/raw_move.hpp"

namespace redoubt {

namespace {

constexpr double kMostDouble = std::numeric_limits<double>::max();
/// Integers beyond are not all doubles.
constexpr double kMostInteger = 0x1p53;

/// The place of a double among all of them: neighbours differ by 1, both zeros are 0.
std::int64_t order_of(double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double at_order(std::int64_t order) {
    return std::bit_cast<double>(order >= 0 ? order
                                            : std::numeric_limits<std::int64_t>::min() - order);
}

}  // namespace

AxisValues::AxisValues(double start, double lower, double upper)
    : start_value_(start),
      first_(order_of(std::clamp(lower, -kMostDouble, start))),
      start_(order_of(start)),
      last_(order_of(std::clamp(upper, start, kMostDouble))) {}

AxisValues::AxisValues(const IntegerFeature& integer, double start, double lower, double upper)
    : is_integer_(true), integer_(integer), start_value_(start) {
    const double now = std::clamp(integer.nearest(start), -kMostInteger, kMostInteger);
    // Half a step too far, and then back until the very value is within the range.
    double first =
        std::clamp(std::ceil(lower * integer.scale + integer.offset - 0.5), -kMostInteger, now);
    double last =
        std::clamp(std::floor(upper * integer.scale + integer.offset + 0.5), now, kMostInteger);
    while (first < now && integer.value(first) < lower) first += 1.0;
    while (last > now && integer.value(last) > upper) last -= 1.0;
    first_ = static_cast<std::int64_t>(first);
    start_ = static_cast<std::int64_t>(now);
    last_ = static_cast<std::int64_t>(last);
}

double AxisValues::at(std::int64_t number) const {
    if (number == start_) return start_value_;
    return is_integer_ ? integer_.value(static_cast<double>(number)) : at_order(number);
}

namespace {

/// The planes whose signs, +1 at zero, determine the answer.
std::vector<Hyperplane> deciding_planes(const Model& model) {
    std::vector<Hyperplane> planes;
    const std::optional<ClassVote>& classes = model.class_vote();
    const bool has_values =
        classes && (classes->score() == ClassScore::Value || classes->tie_values().has_value());
    for (Index k = 1; has_values && k < classes->n_classes(); ++k) {
        for (Index c = 0; c < k; ++c) planes.push_back(classes->difference(c, k));
    }
    if (classes && classes->score() == ClassScore::Value) return planes;
    const Ensemble& all = model.ensemble();
    for (Index i = 0; i < all.n_planes(); ++i) {
        const double sign = classes ? static_cast<double>(classes->answer_at_zero(i)) : 1.0;
        planes.push_back({sign * all.coef().row(i).transpose(), sign * all.intercept()[i]});
    }
    return planes;
}

}  // namespace

AxisSearch::AxisSearch(const Model& model, const VectorRef& raw)
    : model_(model),
      raw_(raw),
      scaled_(model.scaler().transform(raw.transpose()).row(0).transpose()) {
    for (Index l = 0; l < scaled_.size(); ++l) {
        if (scaled_[l] == 0.0) continue;
        own_features_.push_back(l);
        own_values_.push_back(scaled_[l]);
    }
    reset();
    planes_ = deciding_planes(model);
    answer_ = answer_there();
}

int AxisSearch::answer_there() const {
    return model_.class_vote() ? model_.class_vote()->predict(moved())
                               : model_.ensemble().predict(moved());
}

std::size_t AxisSearch::place_of(Index feature) {
    const auto found = std::lower_bound(features_.begin(), features_.end(), feature);
    const auto place = found - features_.begin();
    if (found == features_.end() || *found != feature) {
        features_.insert(found, feature);
        values_.insert(values_.begin() + place, scaled_[feature]);
    }
    return static_cast<std::size_t>(place);
}

void AxisSearch::set(Index feature, double raw) {
    values_[place_of(feature)] = scaled_value(model_.scaler(), feature, raw);
}

void AxisSearch::reset() {
    features_ = own_features_;
    values_ = own_values_;
}

PointRef AxisSearch::moved() const {
    return SparseRow{scaled_.size(), static_cast<Index>(values_.size()), values_.data(), nullptr,
                     features_.data()};
}

int AxisSearch::sign(std::size_t plane, Index feature, double raw) {
    set(feature, raw);
    return sign_of_plane(planes_[plane].w, planes_[plane].b, moved());
}

double AxisSearch::first_change(Index feature, const AxisValues& values, bool is_up) {
    const std::int64_t end = is_up ? values.last() : values.first();
    std::vector<std::int64_t> changes;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        if (planes_[i].w[feature] == 0.0) continue;
        const int before = sign(i, feature, values.at(values.start()));
        if (sign(i, feature, values.at(end)) == before) continue;
        std::int64_t kept = values.start();
        std::int64_t changed = end;
        // Rounds towards `kept`, so it ends there when the two are neighbours.
        for (auto middle = std::midpoint(kept, changed); middle != kept;
             middle = std::midpoint(kept, changed)) {
            (sign(i, feature, values.at(middle)) == before ? kept : changed) = middle;
        }
        changes.push_back(changed);
    }
    std::sort(changes.begin(), changes.end());
    if (!is_up) std::reverse(changes.begin(), changes.end());
    double found = std::nan("");
    for (std::int64_t number : changes) {
        set(feature, values.at(number));
        if (answer_there() == answer_) continue;
        found = values.at(number);
        break;
    }
    reset();
    return found;
}

int AxisSearch::answer_at(std::initializer_list<std::pair<Index, double>> changes) {
    for (const auto& [feature, raw] : changes) set(feature, raw);
    const int answer = answer_there();
    reset();
    return answer;
}

double AxisSearch::last_finite(Index feature, bool is_up) const {
    const auto is_finite = [&](double raw) {
        return std::isfinite(scaled_value(model_.scaler(), feature, raw));
    };
    const double end = is_up ? kMostDouble : -kMostDouble;
    if (is_finite(end)) return end;
    std::int64_t inside = order_of(raw_[feature]);
    std::int64_t outside = order_of(end);
    for (auto middle = std::midpoint(inside, outside); middle != inside;
         middle = std::midpoint(inside, outside)) {
        (is_finite(at_order(middle)) ? inside : outside) = middle;
    }
    return at_order(inside);
}

}  // namespace redoubt
