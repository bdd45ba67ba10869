#include "svm/counted_moves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "core/check.hpp"

namespace redoubt {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
/// Sizes of changes and radii may be off by roundings of scales.
constexpr double kSizeSlack = 1e-9;
/// An end of a range that rounding keeps from an integer is that integer.
constexpr double kIntegral = 1e-9;

[[noreturn]] void refuse(const std::string& wanted, const std::string& got) {
    throw InvalidInput("attack_model", wanted + " where training counts changes", got);
}

/// The first and the last value that is allowed; ends that are infinite stay.
std::pair<double, double> whole_ends(const IntegerFeature& one, double least, double greatest) {
    if (std::isfinite(least))
        least = one.value(std::ceil(least * one.scale + one.offset - kIntegral));
    if (std::isfinite(greatest))
        greatest = one.value(std::floor(greatest * one.scale + one.offset + kIntegral));
    return {least, greatest};
}

}  // namespace

AttackModel counted_in_l1(const AttackModel& model, Index n_features) {
    if (!model.one_hot.empty()) refuse("no one-hot groups", "some");
    for (Index l = 0; l < model.cost.size(); ++l) {
        if (model.cost[l] != 1.0 && model.scale_of(l) > 0.0)
            refuse("costs of 1", format_number(model.cost[l]) + " for feature " + std::to_string(l + 1));
    }
    AttackModel l1 = model;
    l1.norm = Norm::L1;
    l1.cost.resize(0);
    l1.scale = Vector::Zero(n_features);
    for (Index l = 0; l < n_features; ++l) {
        if (model.scale_of(l) == 0.0) continue;
        l1.scale[l] = model.upper_of(l) - model.lower_of(l);
        if (std::isfinite(l1.scale[l])) continue;
        refuse("ranges with two ends", "[" + format_number(model.lower_of(l)) + ", " +
                                           format_number(model.upper_of(l)) + "] for feature " +
                                           std::to_string(l + 1));
    }
    for (const IntegerFeature& one : model.integers) {
        const auto [first, last] = whole_ends(one, model.lower_of(one.feature), model.upper_of(one.feature));
        if (l1.scale[one.feature] > 0.0) l1.scale[one.feature] = std::max(0.0, last - first);
    }
    // What moves goes all the way, if the radius is an integer.
    l1.integers.clear();
    return l1;
}

CountedMoves::CountedMoves(const HingeProblem& problem, bool shares_threshold)
    : shares_threshold_(shares_threshold) {
    const Index n = problem.n();
    unlisted_ = least_ = greatest_ = Vector::Zero(n);
    if (!problem.is_robust()) return;
    const AttackModel& threat = problem.threat;
    unit_ = threat.scale.size() == 0 ? Vector::Ones(n) : threat.scale;
    if (!threat.one_hot.empty()) refuse("no one-hot groups", "some");
    for (Index j = 0; j < problem.m; ++j) {
        const double most = std::round(problem.r[j]);
        if (std::abs(problem.r[j] - most) > kSizeSlack * std::max(1.0, most)) {
            throw InvalidInput("radii", "integers where training counts changes",
                               format_number(problem.r[j]));
        }
        budgets_.push_back(static_cast<Index>(std::min(most, static_cast<double>(n))));
    }
    for (Index l = 0; l < n; ++l) {
        direction_.push_back(threat.direction_of(l));
        least_[l] = threat.scale_of(l) == 0.0 ? kNowhere : threat.lower_of(l);
        greatest_[l] = threat.scale_of(l) == 0.0 ? -kNowhere : threat.upper_of(l);
    }
    for (const IntegerFeature& one : threat.integers) {
        double& least = least_[one.feature];
        double& greatest = greatest_[one.feature];
        std::tie(least, greatest) = whole_ends(one, least, greatest);
    }
    // Entries that a row lists have values of their own; zeros that it does not are all alike.
    if (problem.rows.is_sparse()) {
        for (Index l = 0; l < n; ++l) unlisted_[l] = change(l, 0.0);
    }
    for (Index j = 0; j < problem.m; ++j) {
        if (budgets_[static_cast<std::size_t>(j)] == 0 || problem.c[j] == 0.0) continue;
        problem.rows.for_each(j, [&](Index l, double value) {
            changes_listed_ = change(l, value) != 0.0 || changes_listed_;
        });
    }
    if (shares_threshold && changes_listed_)
        refuse("a threshold for each row, unless features can only be added to sparse rows",
               "a shared one");
}

bool CountedMoves::suits(const HingeProblem& problem) {
    const AttackModel& threat = problem.threat;
    if (threat.norm != Norm::L1 || threat.is_plain()) return false;
    try {
        const CountedMoves moves(problem, false);
        return true;
    } catch (const InvalidInput&) {
        return false;
    }
}

double CountedMoves::change(Index feature, double value) const {
    const Direction direction = direction_[static_cast<std::size_t>(feature)];
    const double up = direction == Direction::Down ? 0.0 : greatest_[feature] - value;
    const double down = direction == Direction::Up ? 0.0 : value - least_[feature];
    if (up > 0.0 && down > 0.0) {
        refuse("features at an end of their range, or that go one way only",
               "feature " + std::to_string(feature + 1) + " with " + format_number(value) +
                   " in [" + format_number(least_[feature]) + ", " +
                   format_number(greatest_[feature]) + "]");
    }
    const double size = std::max({up, down, 0.0});
    if (size > 0.0 && std::abs(size - unit_[feature]) > kSizeSlack * unit_[feature]) {
        refuse("changes of size 1", "feature " + std::to_string(feature + 1) +
                                        ", which may change by " + format_number(size) +
                                        " at a scale of " + format_number(unit_[feature]));
    }
    return up > 0.0 ? up : -std::max(down, 0.0);
}

double CountedMoves::listed(Index feature, double value) const {
    return changes_listed_ ? change(feature, value) : 0.0;
}

CountedGains::CountedGains(const HingeProblem& problem, const CountedMoves& moves)
    : problem_(problem), moves_(moves), stamp_(static_cast<std::size_t>(problem.n()), 0) {}

void CountedGains::set_plane(const Vector& w) {
    w_ = w;
    for (const int sign : {-1, 1}) {
        std::vector<int>& order = order_[sign > 0 ? 1 : 0];
        order.clear();
        if (!problem_.is_robust()) continue;
        const Vector gain = -sign * w.cwiseProduct(moves_.unlisted());
        for (Index l = 0; l < gain.size(); ++l) {
            if (gain[l] > 0.0) order.push_back(static_cast<int>(l));
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](int left, int right) { return gain[left] > gain[right]; });
    }
}

double CountedGains::worst(Index j, std::vector<std::pair<int, double>>* changes) {
    if (changes != nullptr) changes->clear();
    Index left = moves_.budget(j);
    if (left == 0) return 0.0;
    own_.clear();
    const double y = problem_.y[j];
    if (!moves_.shares_threshold()) {
        problem_.rows.for_each(j, [&](Index l, double value) {
            stamp_[static_cast<std::size_t>(l)] = j + 1;
            const double change = moves_.listed(l, value);
            const double gain = -y * w_[l] * change;
            if (gain > 0.0) own_.push_back({gain, static_cast<int>(l), change});
        });
        std::stable_sort(own_.begin(), own_.end(),
                         [](const Gain& a, const Gain& b) { return a.gain > b.gain; });
    }
    double sum = 0.0;
    const auto take = [&](double gain, int feature, double change) {
        sum += gain;
        --left;
        if (changes != nullptr) changes->emplace_back(feature, change);
    };
    auto own = own_.begin();
    for (int l : order(y)) {
        if (left == 0) break;
        if (!moves_.shares_threshold() && stamp_[static_cast<std::size_t>(l)] == j + 1) continue;
        const double change = moves_.unlisted()[l];
        const double gain = -y * w_[l] * change;
        for (; left > 0 && own != own_.end() && own->gain >= gain; ++own)
            take(own->gain, own->feature, own->change);
        if (left > 0) take(gain, l, change);
    }
    for (; left > 0 && own != own_.end(); ++own) take(own->gain, own->feature, own->change);
    return sum;
}

}  // namespace redoubt
