/// How CountFlipper makes moves of what its program says.

#include <algorithm>
#include <cmath>

#include "counting/count_flipper.hpp"
#include "counting/place.hpp"

namespace redoubt {

namespace {

/// Shares above this are taken to be whole.
constexpr double kWholeShare = 1.0 - 1e-7;
/// Of the terms of a margin.
constexpr double kRounding = 1e-11;
/// Changes that the program leaves alone are tried up to this many.
constexpr int kMostTried = 4096;

}  // namespace

/// The weight of the planes whose margins are used up, but for a share of their terms.
Index CountFlipper::fooled_weight(const std::vector<double>& left, double share) const {
    Index sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double rest = left[i] - share * (1.0 + changes_.magnitudes()[i]);
        const bool is_fooled = label_ > 0 ? rest < 0.0 : rest <= 0.0;
        if (is_fooled) sum += planes_.ensemble().weight_units(static_cast<Index>(i));
    }
    return sum;
}

void CountFlipper::round(const std::vector<int>& planes, const std::vector<double>& x) {
    std::vector<double> rates(to_size(static_cast<int>(planes_.ensemble().n_planes())), 0.0);
    for (std::size_t r = 0; r < planes.size(); ++r) {
        // Planes that the program saw have its multipliers.
        const auto& lambda = program_.multipliers();
        const double margin = std::max(changes_.wanted()[to_size(planes[r])], 1e-300);
        rates[to_size(planes[r])] = r < lambda.size() && lambda[r] > 0.0 ? lambda[r] : 0.1 / margin;
    }
    round_for(rates, x);
}

/// Whole changes of the program first, then those it breaks, then whatever is worth most, until
/// enough planes are fooled; what turns out to be needless is left out again.
void CountFlipper::round_for(const std::vector<double>& rates, const std::vector<double>& x) {
    const auto k = static_cast<int>(planes_.ensemble().n_planes());
    const int n = static_cast<int>(x.size());
    std::vector<double> left = changes_.margins();
    std::vector<char> is_used(to_size(changes_.n_changes()), 0);
    const auto move_by = [&](int column, double share) {
        const double* gains = program_.gains(column);
        for (int i = 0; i < k; ++i) left[to_size(i)] -= share * gains[i];
    };
    const auto worth = [&](int column) {
        double sum = 0.0;
        const double* gains = program_.gains(column);
        for (int i = 0; i < k; ++i) sum += rates[to_size(i)] * gains[i];
        return sum / changes_.change(column).cost;
    };
    std::vector<std::pair<double, int>> others;
    std::vector<Chosen> chosen;
    for (int c = 0; c < n; ++c) {
        const double share = x[to_size(c)];
        const Change& change = changes_.change(c);
        const bool is_paid = columns_.cost[to_size(c)] == 0.0;
        if (columns_.hi[to_size(c)] == 0.0) continue;
        const bool has_length = is_paid && share > 0.0 && !change.is_whole;
        if (share >= kWholeShare || has_length) {
            if (is_used[to_size(change.lever)] != 0) continue;
            is_used[to_size(change.lever)] = 1;
            // The end of a range may touch a plane that a little less passes.
            double length = has_length ? share : 1.0;
            if (change.n_steps > 0.0)
                length = std::max(1.0, std::round(length * change.n_steps)) / change.n_steps;
            chosen.push_back({c, length});
            move_by(c, length);
            continue;
        }
        const double gain = worth(c);
        if (gain > 0.0) others.emplace_back(share > 1e-7 ? 1e300 * share : gain, c);
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    // Parts of changes are rounded to where they may just reach a plane.
    const bool has_parts = std::any_of(chosen.begin(), chosen.end(),
                                       [](const Chosen& one) { return one.share < 1.0; });
    const double slack = has_parts ? kRounding : 0.0;
    const double most = std::min(upper_, cutoff_);
    double cost = 0.0;
    for (const Chosen& one : chosen) cost += changes_.change(one.column).cost;
    int n_tried = 0;
    std::size_t next = 0;
    while (true) {
        if (cost >= most) return;
        if (fooled_weight(left, slack) >= required_) {
            std::vector<Chosen> least = chosen;
            std::vector<double> kept = left;
            // The costliest and least useful ones were taken last.
            for (std::size_t i = least.size(); i-- > 0;) {
                std::vector<double> without = kept;
                const double* gains = program_.gains(least[i].column);
                for (int p = 0; p < k; ++p) without[to_size(p)] += least[i].share * gains[p];
                if (least.size() == 1 || fooled_weight(without, slack) < required_) continue;
                least.erase(least.begin() + static_cast<std::ptrdiff_t>(i));
                kept = std::move(without);
            }
            if (offer(least) || offer(chosen)) return;
        }
        if (next == others.size() || ++n_tried > kMostTried) return;
        const int column = others[next++].second;
        const int lever = changes_.change(column).lever;
        if (is_used[to_size(lever)] != 0) continue;
        is_used[to_size(lever)] = 1;
        chosen.push_back({column, 1.0});
        move_by(column, 1.0);
        cost += changes_.change(column).cost;
    }
}

}  // namespace redoubt
