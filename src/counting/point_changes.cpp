#include "counting/point_changes.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "counting/place.hpp"
#include "flip/exact_terms.hpp"

namespace redoubt {

namespace {

/// Features of the order that a point looks at first.
constexpr std::size_t kFirstRanked = 48;

/// Binary digits that are left of a snapped value.
constexpr int kSnapBits = 30;

bool is_integral(double value) {
    return value == std::floor(value) && std::abs(value) < 0x1p40;
}

}  // namespace

PointChanges::PointChanges(const CountedPlanes& planes) : planes_(planes) {
    is_own_.assign(to_size(planes.ensemble().n_features()), 0);
    const AttackModel& model = planes.model();
    has_grid_space_ = true;
    for (int l : planes.space().features) {
        const int integer = planes.integer_of(l);
        if (integer < 0) {
            has_grid_space_ = false;
            break;
        }
        const IntegerFeature& one = model.integers[to_size(integer)];
        has_grid_space_ = has_grid_space_ && one.scale == 1.0 && is_integral(one.offset);
    }
    for (int g : planes.space().groups) {
        const OneHotGroup& group = model.one_hot[to_size(g)];
        for (std::size_t m = 0; m < group.features.size(); ++m) {
            has_grid_space_ = has_grid_space_ && is_integral(group.on_value(m)) &&
                              is_integral(group.off_value(m));
        }
    }
}

void PointChanges::load(const PointRef& x, int label, CoverProgram& program) {
    for (Index l : own_) is_own_[to_size(l)] = 0;
    own_.clear();
    columns_.clear();
    values_.clear();
    changes_.clear();
    n_levers_ = 0;
    n_ranked_ = 0;
    has_exact_gains_ = true;
    label_ = label;
    n_features_ = x.size();
    program.clear(static_cast<int>(planes_.ensemble().n_planes()));
    const auto take = [&](Index l, double value) {
        if (value == 0.0) return;
        columns_.push_back(l);
        values_.push_back(value);
    };
    if (x.is_sparse()) {
        x.sparse().for_each(take);
    } else {
        for (Index l = 0; l < x.size(); ++l) take(l, x.dense()[l]);
    }
    load_margins();
    // Features with another value than most points have, and those that are 0 where most are not.
    const auto own = [&](Index l, double value) {
        if (!planes_.is_free(l) || value == planes_.usual_value(l)) return;
        is_own_[to_size(l)] = 1;
        own_.push_back(l);
        add_feature(l, value, nullptr, program);
    };
    for (std::size_t e = 0; e < columns_.size(); ++e) own(columns_[e], values_[e]);
    for (Index l : planes_.usually_not_zero()) {
        if (value_of(l) == 0.0) own(l, 0.0);
    }
    for (std::size_t g = 0; g < planes_.space().groups.size(); ++g) add_group(g, program);
    take_ranked(kFirstRanked, program);
}

double PointChanges::value_of(Index feature) const {
    const auto found = std::lower_bound(columns_.begin(), columns_.end(), feature);
    const bool is_there = found != columns_.end() && *found == feature;
    return is_there ? values_[to_size(found - columns_.begin())] : 0.0;
}

void PointChanges::load_margins() {
    const Ensemble& ensemble = planes_.ensemble();
    const Matrix& W = ensemble.coef();
    margins_.clear();
    wanted_.clear();
    magnitudes_.clear();
    const bool is_grid_point =
        has_grid_space_ && std::all_of(values_.begin(), values_.end(), is_integral);
    for (Index i = 0; i < W.rows(); ++i) {
        double sum = ensemble.intercept()[i];
        double magnitude = std::abs(sum);
        const double* w = W.data() + i * W.cols();
        for (std::size_t e = 0; e < columns_.size(); ++e) {
            const double term = w[columns_[e]] * values_[e];
            sum += term;
            magnitude += std::abs(term);
        }
        const double margin = label_ * sum;
        const double grid = is_grid_point ? planes_.grid(static_cast<int>(i)) : 0.0;
        margins_.push_back(margin);
        magnitudes_.push_back(magnitude);
        if (grid > 0.0 && magnitude < grid * 0x1p52) {
            // Nothing was rounded, and a plane that must answer -1 is short of 0 by a whole unit.
            wanted_.push_back(label_ > 0 ? margin + grid : margin);
        } else {
            const double n_roundings = static_cast<double>(columns_.size()) + 4.0;
            wanted_.push_back(margin - n_roundings * kEps * magnitude);
        }
    }
}

/// `weights` are those of the planes, or nullptr.
void PointChanges::add_feature(Index feature, double x, const double* weights,
                               CoverProgram& program) {
    const FeatureEnds reached = planes_.ends(feature, x);
    if (reached.n == 0) return;
    const Matrix& W = planes_.ensemble().coef();
    if (weights == nullptr) {
        weights_.resize(to_size(W.rows()));
        for (Index i = 0; i < W.rows(); ++i) weights_[to_size(i)] = W(i, feature);
        weights = weights_.data();
    }
    const int integer = planes_.integer_of(feature);
    bool is_added = false;
    for (int e = 0; e < reached.n; ++e) {
        const FeatureChange& end = reached.ends[to_size(e)];
        const double step = end.value - x;
        gains_.clear();
        double most = 0.0;
        for (Index i = 0; i < W.rows(); ++i) {
            const double w = weights[i];
            gains_.push_back(-label_ * w * step);
            most = std::max(most, gains_.back());
            if (std::fma(-label_ * w, step, -gains_.back()) != 0.0) has_exact_gains_ = false;
        }
        if (most == 0.0) continue;
        if (x + step != end.value) has_exact_gains_ = false;
        Change change;
        change.lever = n_levers_;
        change.feature = static_cast<int>(feature);
        change.to = end.value;
        change.step = step;
        change.cost = planes_.model().cost_of(feature);
        change.is_whole = end.is_whole;
        if (integer >= 0) {
            const IntegerFeature& one = planes_.model().integers[to_size(integer)];
            change.n_steps = std::abs(one.nearest(end.value) - one.nearest(x));
        }
        changes_.push_back(change);
        program.add_column(gains_.data());
        is_added = true;
    }
    if (is_added) ++n_levers_;
}

void PointChanges::add_group(std::size_t group_at, CoverProgram& program) {
    const OneHotGroup& group = planes_.model().one_hot[to_size(planes_.space().groups[group_at])];
    const Matrix& W = planes_.ensemble().coef();
    const std::size_t n = group.features.size();
    std::vector<double> now(n);
    std::size_t on = 0;
    double nearest = HUGE_VAL;
    for (std::size_t m = 0; m < n; ++m) {
        now[m] = value_of(group.features[m]);
        const double way =
            std::abs(now[m] - group.on_value(m)) / std::abs(group.on_value(m) - group.off_value(m));
        if (way < nearest) {
            nearest = way;
            on = m;
        }
    }
    bool is_added = false;
    for (std::size_t m = 0; m < n; ++m) {
        const double cost = group.cost(on, m);
        if (m == on || !(cost < HUGE_VAL)) continue;
        gains_.clear();
        double most = 0.0;
        for (Index i = 0; i < W.rows(); ++i) {
            double rise = 0.0;
            for (std::size_t other : {m, on}) {
                const double to = other == m ? group.on_value(m) : group.off_value(other);
                rise += W(i, group.features[other]) * (to - now[other]);
            }
            gains_.push_back(-label_ * rise);
            most = std::max(most, gains_.back());
        }
        if (most == 0.0) continue;
        Change change;
        change.lever = n_levers_;
        change.group = static_cast<int>(group_at);
        change.member = static_cast<int>(m);
        change.cost = cost;
        changes_.push_back(change);
        program.add_column(gains_.data());
        is_added = true;
        has_exact_gains_ = false;
    }
    if (is_added) ++n_levers_;
}

void PointChanges::take_ranked(std::size_t n, CoverProgram& program) {
    const auto& ranked = planes_.ranked(label_);
    const std::size_t end = std::min(ranked.size(), n_ranked_ + n);
    for (; n_ranked_ < end; ++n_ranked_) {
        const int feature = ranked[n_ranked_].feature;
        if (is_own_[to_size(feature)] != 0) continue;
        add_feature(feature, planes_.usual_value(feature),
                    planes_.ranked_weights(label_, n_ranked_), program);
    }
}

bool PointChanges::extend(CoverProgram& program, CoverColumns& columns) {
    if (n_ranked_ >= planes_.ranked(label_).size()) return false;
    take_ranked(n_ranked_, program);
    for (int c = static_cast<int>(columns.lo.size()); c < n_changes(); ++c) {
        columns.lo.push_back(0.0);
        columns.hi.push_back(1.0);
        columns.cost.push_back(change(c).cost);
    }
    return true;
}

double PointChanges::worth_beyond() const {
    const auto& ranked = planes_.ranked(label_);
    // A rounding or two more than computed.
    return n_ranked_ < ranked.size() ? ranked[n_ranked_].worth * (1.0 + 8.0 * kEps) : 0.0;
}

std::vector<std::pair<Index, double>> PointChanges::targets(const std::vector<Chosen>& chosen,
                                                            bool is_snapped) const {
    std::vector<std::pair<Index, double>> found;
    for (const Chosen& one : chosen) {
        const Change& each = change(one.column);
        if (each.group < 0) {
            double value = each.to;
            if (one.share < 1.0) {
                const double x = value_of(each.feature);
                value = x + one.share * each.step;
                if (each.n_steps > 0.0) {
                    const int integer = planes_.integer_of(each.feature);
                    const IntegerFeature& whole = planes_.model().integers[to_size(integer)];
                    value = whole.value(whole.nearest(value));
                } else if (is_snapped) {
                    const double size = std::max(std::abs(x), std::abs(each.step));
                    const double unit = std::ldexp(1.0, std::ilogb(size) - kSnapBits);
                    value = std::round(value / unit) * unit;
                }
                value = std::clamp(value, std::min(x, each.to), std::max(x, each.to));
            }
            found.emplace_back(each.feature, value);
            continue;
        }
        const OneHotGroup& group =
            planes_.model().one_hot[to_size(planes_.space().groups[to_size(each.group)])];
        for (std::size_t m = 0; m < group.features.size(); ++m) {
            const bool is_on = static_cast<int>(m) == each.member;
            const double now = value_of(group.features[m]);
            const double to = is_on ? group.on_value(m) : group.off_value(m);
            const double away = std::abs(group.on_value(m) - group.off_value(m));
            // A member that stays off keeps its very value.
            if (!is_on && std::abs(now - to) < 0.5 * away) continue;
            found.emplace_back(group.features[m], to);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

PointChanges::Moved PointChanges::moved(const std::vector<Chosen>& chosen, bool is_snapped) {
    Moved result;
    moved_columns_.clear();
    moved_values_.clear();
    std::size_t e = 0;
    const auto keep_until = [&](Index feature) {
        for (; e < columns_.size() && columns_[e] < feature; ++e) {
            moved_columns_.push_back(columns_[e]);
            moved_values_.push_back(values_[e]);
        }
    };
    for (const auto& [feature, value] : targets(chosen, is_snapped)) {
        keep_until(feature);
        double x = 0.0;
        if (e < columns_.size() && columns_[e] == feature) x = values_[e++];
        double step = value - x;
        // A neighbour, where rounding misses the value.
        for (double near : {std::nextafter(step, HUGE_VAL), std::nextafter(step, -HUGE_VAL)}) {
            if (x + step != value && x + near == value) step = near;
        }
        result.steps.emplace_back(feature, step);
        moved_columns_.push_back(feature);
        moved_values_.push_back(x + step);
    }
    keep_until(n_features_);
    SparseRow row;
    row.size = n_features_;
    row.n_entries = static_cast<Index>(moved_columns_.size());
    row.values = moved_values_.data();
    row.columns64 = moved_columns_.data();
    const Eigen::VectorXi answers = planes_.ensemble().answers(row);
    for (Index i = 0; i < answers.size(); ++i) {
        if (answers[i] != label_) result.fooled.push_back(static_cast<int>(i));
    }
    return result;
}

std::optional<int> PointChanges::sign_of_sum(const std::vector<int>& planes,
                                             const std::vector<double>& multiples,
                                             const std::vector<Chosen>& chosen,
                                             const std::vector<Product>& products) const {
    const Ensemble& ensemble = planes_.ensemble();
    ExactTerms sum;
    bool is_known = true;
    const auto add = [&](Index feature, double value) {
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const double w = ensemble.coef()(planes[i], feature);
            is_known = sum.add(label_ * multiples[i], w, value) && is_known;
        }
    };
    for (std::size_t i = 0; i < planes.size(); ++i)
        sum.add(label_ * multiples[i], ensemble.intercept()[planes[i]]);
    const auto moved = targets(chosen, false);
    auto next = moved.begin();
    for (std::size_t e = 0; e < columns_.size(); ++e) {
        while (next != moved.end() && next->first < columns_[e]) ++next;
        const bool moves = next != moved.end() && next->first == columns_[e];
        if (!moves) add(columns_[e], values_[e]);
    }
    for (const auto& [feature, value] : moved) add(feature, value);
    for (const auto& [a, b, c] : products) is_known = sum.add(a, b, c) && is_known;
    return is_known ? std::optional(sum.sign()) : std::nullopt;
}

bool PointChanges::is_sum_never_fooled(const std::vector<int>& planes,
                                       const std::vector<double>& multiples,
                                       const std::vector<Range>& ranges) const {
    const Ensemble& ensemble = planes_.ensemble();
    const Matrix& W = ensemble.coef();
    ExactTerms sum;
    ExactTerms slope;
    bool is_known = true;
    const auto add = [&](Index feature, double value) {
        for (std::size_t i = 0; i < planes.size(); ++i)
            is_known = sum.add(multiples[i], W(planes[i], feature), value) && is_known;
    };
    for (std::size_t i = 0; i < planes.size(); ++i)
        sum.add(multiples[i], ensemble.intercept()[planes[i]]);
    auto range = ranges.begin();
    for (std::size_t e = 0; e < columns_.size(); ++e) {
        while (range != ranges.end() && range->feature < columns_[e]) ++range;
        const bool moves = range != ranges.end() && range->feature == columns_[e];
        if (!moves) add(columns_[e], values_[e]);
    }
    // A linear function is greatest at the ends.
    for (const Range& each : ranges) {
        slope.clear();
        for (std::size_t i = 0; i < planes.size(); ++i)
            slope.add(multiples[i], W(planes[i], each.feature));
        const int sign = -label_ * slope.sign();
        if (sign != 0) add(each.feature, sign > 0 ? each.upper : each.lower);
    }
    // Towards -1 a plane must be passed, towards +1 it need only be reached.
    const int most = -label_ * sum.sign();
    return is_known && (label_ > 0 ? most <= 0 : most < 0);
}

}  // namespace redoubt
