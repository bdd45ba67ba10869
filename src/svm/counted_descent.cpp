#include "svm/counted_descent.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace redoubt {

namespace {

/// k is this share of ||x||^2 / mu, on average over the rows.
constexpr double kSoftness = 0.03;
/// Features beyond those that moves use: this many times a row's budget and some more.
constexpr Index kHotBudgets = 2;
constexpr Index kMoreHot = 64;
/// Halvings and Newton steps until the level of a projection is known.
constexpr int kLevelSteps = 100;
/// Shares below this part of a multiplier are roundings.
constexpr double kNoShare = 1e-14;
/// Rows between two looks at the stop flag.
constexpr std::size_t kStopInterval = 64;

}  // namespace

CountedDescent::CountedDescent(const HingeProblem& problem, const CountedMoves& moves,
                               const WeightBox& box, StopFlag stop)
    : problem_(problem), moves_(moves), box_(box), stop_(stop), random_(0) {
    const auto n = static_cast<std::size_t>(problem.n());
    stamp_.assign(n, 0);
    place_.assign(n, -1);
    alpha_.setZero(problem.m);
    square_.setZero(problem.m);
    v_.setZero(problem.n());
    std::map<std::pair<bool, Index>, int> shared;
    for (Index j = 0; j < problem.m; ++j) {
        problem.rows.for_each(j, [&](Index, double value) { square_[j] += value * value; });
        group_of_.push_back(-1);
        if (problem.c[j] == 0.0) continue;
        rows_.push_back(static_cast<int>(j));
        const Index budget = moves.budget(j);
        if (budget == 0) continue;
        int group = static_cast<int>(groups_.size());
        if (moves.shares_threshold())
            group = shared.emplace(std::pair(problem.y[j] > 0.0, budget), group).first->second;
        if (group == static_cast<int>(groups_.size())) groups_.push_back({problem.y[j], budget});
        group_of_.back() = group;
    }
}

void CountedDescent::start(const Vector& a, const Vector& w) {
    CountedGains gains(problem_, moves_);
    gains.set_plane(w);
    std::vector<std::pair<int, double>> changes;
    alpha_ = problem_.c.cwiseProduct(a);
    for (int j : rows_) {
        const int at = group_of_[static_cast<std::size_t>(j)];
        if (at < 0) continue;
        Group& group = groups_[static_cast<std::size_t>(at)];
        group.total += alpha_[j];
        if (!group.features.empty() || alpha_[j] == 0.0) continue;
        gains.worst(j, &changes);
        for (const auto& [feature, change] : changes) {
            group.features.push_back(feature);
            group.change.push_back(change);
        }
    }
    for (Group& group : groups_) group.e.assign(group.features.size(), group.total);
}

void CountedDescent::start_harmless(const Vector& a, const WeightBox& harmless) {
    alpha_ = problem_.c.cwiseProduct(a);
    const Vector v = image(1.0, 1.0);
    struct Spender {
        Group* group;
        Index row;
        double left;
    };
    std::vector<Spender> spenders;
    std::vector<std::vector<Index>> rows_with(static_cast<std::size_t>(problem_.n()));
    for (int j : rows_) {
        const int at = group_of_[static_cast<std::size_t>(j)];
        if (at < 0 || alpha_[j] == 0.0) continue;
        Group& group = groups_[static_cast<std::size_t>(at)];
        group.total += alpha_[j];
        if (moves_.shares_threshold() && group.total > alpha_[j]) continue;
        problem_.rows.for_each(j, [&](Index l, double) {
            rows_with[static_cast<std::size_t>(l)].push_back(static_cast<Index>(spenders.size()));
        });
        spenders.push_back({&group, j, 0.0});
    }
    for (Spender& one : spenders)
        one.left = static_cast<double>(one.group->budget) * one.group->total;
    std::vector<char> lists(spenders.size(), 0);
    for (Index l = 0; l < problem_.n(); ++l) {
        const double change = moves_.unlisted()[l];
        if (change == 0.0 || (harmless.least[l] != 0.0 && harmless.greatest[l] != 0.0)) continue;
        const auto& with = rows_with[static_cast<std::size_t>(l)];
        if (!moves_.shares_threshold()) {
            for (Index i : with) lists[static_cast<std::size_t>(i)] = 1;
        }
        double need = 0.0;
        double room = 0.0;
        for (std::size_t i = 0; i < spenders.size(); ++i) {
            need = -spenders[i].group->y * v[l] / change;
            if (lists[i] == 0) room += std::min(spenders[i].left, spenders[i].group->total);
        }
        const double share = room > 0.0 ? std::min(1.0, need / room) : 0.0;
        for (std::size_t i = 0; i < spenders.size() && share > 0.0; ++i) {
            if (lists[i] != 0) continue;
            Group& group = *spenders[i].group;
            const double e = share * std::min(spenders[i].left, group.total);
            if (!(e > 0.0)) continue;
            spenders[i].left -= e;
            group.features.push_back(static_cast<int>(l));
            group.e.push_back(e);
            group.change.push_back(change);
        }
        for (Index i : with) lists[static_cast<std::size_t>(i)] = 0;
    }
}

void CountedDescent::set_regularizer(double mu, double centre_weight, const Vector& centre) {
    const double b = bias();
    mu_ = mu;
    centre_weight_ = centre_weight;
    centre_ = centre;
    const double mean_square = problem_.c.dot(square_);
    softness_ = kSoftness * std::max(mean_square, 1e-300) / mu;
    set_bias(b);
}

Vector CountedDescent::image(double minus_factor, double plus_factor) const {
    Vector sum = Vector::Zero(problem_.n());
    for (int j : rows_) {
        if (alpha_[j] == 0.0) continue;
        const double factor = problem_.y[j] > 0.0 ? plus_factor : -minus_factor;
        problem_.rows.add(j, factor * alpha_[j], sum.data());
    }
    for (const Group& group : groups_) {
        const double factor = group.y > 0.0 ? plus_factor : -minus_factor;
        for (std::size_t i = 0; i < group.features.size(); ++i)
            sum[group.features[i]] += factor * group.change[i] * group.e[i];
    }
    return sum;
}

Vector CountedDescent::w() const {
    Vector w(v_.size());
    for (Index l = 0; l < w.size(); ++l) w[l] = weight(l);
    return w;
}

void CountedDescent::refresh(CountedGains& gains) {
    v_ = image(1.0, 1.0);
    if (centre_weight_ > 0.0) v_ += centre_weight_ * centre_;
    balance_ = problem_.y.dot(alpha_);
    for (Group& group : groups_) group.total = 0.0;
    for (int j : rows_) {
        const int at = group_of_[static_cast<std::size_t>(j)];
        if (at >= 0) groups_[static_cast<std::size_t>(at)].total += alpha_[j];
    }
    gains.set_plane(w());
    for (const double label : {-1.0, 1.0}) {
        std::vector<int>& hot = hot_[label > 0.0 ? 1 : 0];
        hot.clear();
        Index budget = 0;
        ++n_stamps_;
        for (const Group& group : groups_) {
            if (group.y != label) continue;
            budget = std::max(budget, group.budget);
            for (std::size_t i = 0; i < group.features.size(); ++i) {
                const auto l = static_cast<std::size_t>(group.features[i]);
                if (stamp_[l] == n_stamps_ || moves_.unlisted()[group.features[i]] == 0.0) continue;
                stamp_[l] = n_stamps_;
                hot.push_back(group.features[i]);
            }
        }
        if (budget == 0) continue;
        const auto& order = gains.order(label);
        const auto n_most = static_cast<std::size_t>(kHotBudgets * budget + kMoreHot);
        for (std::size_t i = 0; i < std::min(order.size(), n_most); ++i) {
            if (stamp_[static_cast<std::size_t>(order[i])] != n_stamps_) hot.push_back(order[i]);
        }
        std::sort(hot.begin(), hot.end());
    }
}

bool CountedDescent::pass() {
    random_.shuffle(rows_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (i % kStopInterval == 0 && is_raised(stop_)) return false;
        visit(rows_[i]);
    }
    if (moves_.shares_threshold()) {
        for (Group& group : groups_) spread(group, -1);
    }
    bias_centre_ += softness_ * balance_;
    return true;
}

void CountedDescent::visit(Index j) {
    const double y = problem_.y[j];
    const int at = group_of_[static_cast<std::size_t>(j)];
    Group* group = at < 0 ? nullptr : &groups_[static_cast<std::size_t>(at)];
    if (group != nullptr) {
        if (group->total > 0.0 && !moves_.shares_threshold()) spread(*group, j);
        if (group->total == 0.0) worst_hot_move(*group, j);
    }
    double product = bias();
    problem_.rows.for_each(j, [&](Index l, double value) { product += weight(l) * value; });
    // z = x + the group's move for a multiplier of 1.
    const double unit = group == nullptr || group->total == 0.0 ? 1.0 : 1.0 / group->total;
    double square = square_[j];
    if (group != nullptr) {
        double cross = 0.0;
        for (std::size_t i = 0; i < group->features.size(); ++i) {
            const double d = group->change[i] * group->e[i] * unit;
            product += weight(group->features[i]) * d;
            square += d * d;
            place_[static_cast<std::size_t>(group->features[i])] = static_cast<int>(i);
        }
        problem_.rows.for_each(j, [&](Index l, double value) {
            const int i = place_[static_cast<std::size_t>(l)];
            if (i < 0) return;
            const auto k = static_cast<std::size_t>(i);
            cross += value * group->change[k] * group->e[k] * unit;
        });
        for (int l : group->features) place_[static_cast<std::size_t>(l)] = -1;
        square += 2.0 * cross;
    }
    const double slope = 1.0 - y * product;
    const double wanted = alpha_[j] + slope / (square / mu_ + softness_);
    const double next = std::clamp(wanted, 0.0, problem_.c[j]);
    const double step = next - alpha_[j];
    if (step == 0.0) {
        if (group != nullptr && group->total == 0.0) {
            group->features.clear();
            group->e.clear();
            group->change.clear();
        }
        return;
    }
    alpha_[j] = next;
    balance_ += y * step;
    problem_.rows.add(j, y * step, v_.data());
    if (group == nullptr) return;
    const double before = group->total;
    double after = before + step;
    if (!moves_.shares_threshold()) after = next;
    if (!(after > 0.0)) after = 0.0;
    for (std::size_t i = 0; i < group->features.size(); ++i) {
        const double old = before == 0.0 ? 0.0 : group->e[i];
        const double e = group->e[i] * unit * after;
        v_[group->features[i]] += y * group->change[i] * (e - old);
        group->e[i] = e;
    }
    group->total = after;
    if (after > 0.0) return;
    group->features.clear();
    group->e.clear();
    group->change.clear();
}

/// A first move for a row that has none: the worst among hot features, for a multiplier of 1.
void CountedDescent::worst_hot_move(Group& group, Index j) {
    find_candidates(group, j);
    const auto gain = [&](const Candidate& one) {
        return -group.y * one.change * weight(one.feature);
    };
    std::erase_if(candidates_, [&](const Candidate& one) { return !(gain(one) > 0.0); });
    const auto size = std::min(candidates_.size(), static_cast<std::size_t>(group.budget));
    const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(size);
    std::partial_sort(candidates_.begin(), middle, candidates_.end(),
                      [&](const Candidate& a, const Candidate& b) {
                          const double left = gain(a);
                          const double right = gain(b);
                          return left > right || (left == right && a.feature < b.feature);
                      });
    group.features.clear();
    group.change.clear();
    for (std::size_t i = 0; i < size; ++i) {
        group.features.push_back(candidates_[i].feature);
        group.change.push_back(candidates_[i].change);
    }
    group.e.assign(size, 1.0);
}

/// What may move in a row: the entries that it lists, and hot features among the others. j = -1:
/// all rows of a shared threshold.
void CountedDescent::find_candidates(const Group& group, Index j) {
    candidates_.clear();
    ++n_stamps_;
    if (j >= 0 && !moves_.shares_threshold()) {
        problem_.rows.for_each(j, [&](Index l, double value) {
            stamp_[static_cast<std::size_t>(l)] = n_stamps_;
            const double change = moves_.listed(l, value);
            if (change != 0.0) candidates_.push_back({static_cast<int>(l), change, v_[l], 0.0});
        });
    }
    for (int l : hot_[group.y > 0.0 ? 1 : 0]) {
        if (stamp_[static_cast<std::size_t>(l)] == n_stamps_) continue;
        candidates_.push_back({l, moves_.unlisted()[l], v_[l], 0.0});
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i)
        place_[static_cast<std::size_t>(candidates_[i].feature)] = static_cast<int>(i);
    if (group.total > 0.0) {
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const int at = place_[static_cast<std::size_t>(group.features[i])];
            if (at < 0) continue;  // cannot be: what a group moves is hot
            Candidate& one = candidates_[static_cast<std::size_t>(at)];
            one.e = group.e[i];
            one.base -= group.y * one.change * one.e;
        }
    }
    for (const Candidate& one : candidates_) place_[static_cast<std::size_t>(one.feature)] = -1;
}

/// The share at which the gain of a feature has fallen to `level`.
double CountedDescent::share_at(const Candidate& one, double level, double total) const {
    const double y_change = one.change;  // times y
    const double gain = -y_change * box_.clip(one.feature, one.base / mu_);
    if (!(gain > level)) return 0.0;
    const double share = (-y_change * one.base - mu_ * level) / (one.change * one.change);
    return std::clamp(share, 0.0, total);
}

/// The least level >= 0 at which the shares sum to at most the budget; sets the shares.
///
/// The sum falls with the level along straight pieces, and jumps where a weight leaves its end of
/// the box. Newton's method from the group's last level finds the piece in a few steps, within a
/// bracket that halving keeps shrinking.
void CountedDescent::level_out(Group& group) {
    const double most = static_cast<double>(group.budget) * group.total;
    const auto sum_at = [&](double level, double& slope) {
        double sum = 0.0;
        slope = 0.0;
        for (const Candidate& one : candidates_) {
            const double share = share_at(one, level, group.total);
            sum += share;
            if (share > 0.0 && share < group.total) slope += mu_ / (one.change * one.change);
        }
        return sum;
    };
    double low = 0.0;
    double high = HUGE_VAL;
    double sum_low = HUGE_VAL;
    double sum_high = 0.0;
    double level = group.level;
    for (int step = 0; step < kLevelSteps; ++step) {
        double slope = 0.0;
        const double sum = sum_at(level, slope);
        const double newton = slope > 0.0 ? level + (sum - most) / slope : HUGE_VAL;
        // As near as doubles come.
        const bool is_met = std::abs(newton - level) <= kNoShare * level;
        if (sum > most) {
            low = level;
            sum_low = sum;
        }
        if (sum <= most || is_met) {
            high = level;
            sum_high = sum;
        }
        if (is_met || (level == 0.0 && sum <= most)) break;
        double next = newton;
        if (std::isinf(next) || !(next < high)) {
            next = std::isinf(high) ? 2.0 * level + largest_gain_ : 0.5 * (low + high);
        }
        // Below the bracket there is nothing but 0 itself, while that was not looked at.
        if (!(next > low)) next = sum_low < HUGE_VAL ? 0.5 * (low + high) : 0.0;
        if (sum_low < HUGE_VAL && !(next > low && next < high)) break;
        level = next;
    }
    if (std::isinf(high)) high = level;
    group.level = high;
    // Between the two ends the shares of equal gains jump: they are split.
    const bool splits = sum_low < HUGE_VAL && sum_low > sum_high && low < high;
    const double part = splits ? std::clamp((most - sum_high) / (sum_low - sum_high), 0.0, 1.0) : 0.0;
    for (Candidate& one : candidates_) {
        one.e = share_at(one, high, group.total);
        if (part > 0.0) one.e += part * (share_at(one, low, group.total) - one.e);
        if (one.e < kNoShare * group.total) one.e = 0.0;
    }
}

/// The best e of a group for the multipliers that it has.
void CountedDescent::spread(Group& group, Index j) {
    if (!(group.total > 0.0)) return;
    find_candidates(group, j);
    // From here on changes are those that y makes of them.
    largest_gain_ = 0.0;
    for (Candidate& one : candidates_) {
        one.change *= group.y;
        const double gain = -one.change * box_.clip(one.feature, one.base / mu_);
        largest_gain_ = std::max(largest_gain_, gain);
    }
    level_out(group);
    for (std::size_t i = 0; i < group.features.size(); ++i)
        v_[group.features[i]] -= group.y * group.change[i] * group.e[i];
    group.features.clear();
    group.e.clear();
    group.change.clear();
    for (const Candidate& one : candidates_) {
        if (one.e == 0.0) continue;
        group.features.push_back(one.feature);
        group.e.push_back(one.e);
        group.change.push_back(one.change * group.y);
        v_[one.feature] += one.change * one.e;
    }
}

}  // namespace redoubt
