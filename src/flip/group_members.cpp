#include "flip/group_members.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// What one member being on adds against the label, plane by plane.
struct Gains {
    Gains(const Ensemble& vote, const OneHotGroup& group, int label)
        : rise(static_cast<Index>(group.features.size())),
          gain(vote.n_planes(), rise.size()),
          weight(vote.n_planes(), rise.size()) {
        for (Index m = 0; m < rise.size(); ++m) {
            const auto at = static_cast<std::size_t>(m);
            rise[m] = group.on_value(at) - group.off_value(at);
            weight.col(m) = vote.coef().col(group.features[at]);
            gain.col(m) = -label * rise[m] * weight.col(m);
        }
    }

    /// Is `a` at least as good as `b` for every plane? A product and a difference are off by a
    /// rounding each; equal factors give equal products.
    bool is_as_good(Index a, Index b) const {
        for (Index i = 0; i < gain.rows(); ++i) {
            const double room = 8.0 * kEps * (std::abs(gain(i, a)) + std::abs(gain(i, b)));
            const bool is_alike = weight(i, a) == weight(i, b) && rise[a] == rise[b];
            if (!is_alike && gain(i, a) - gain(i, b) < room) return false;
        }
        return true;
    }

    Vector rise;
    Matrix gain;
    Matrix weight;
};

}  // namespace

UsefulMembers useful_members(const Ensemble& vote, const OneHotGroup& group, int label) {
    const Gains gains(vote, group, label);
    // Who outdoes another one has the larger sum, so comes first.
    std::vector<int> order(group.features.size());
    std::iota(order.begin(), order.end(), 0);
    const Vector sums = gains.gain.colwise().sum().transpose();
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sums[a] > sums[b]; });
    // Prices of their own are not compared.
    std::vector<char> has_price(group.features.size(), 0);
    for (const SwitchPrice& price : group.prices) has_price[static_cast<std::size_t>(price.to)] = 1;
    UsefulMembers found;
    std::vector<int>& useful = found.members;
    found.stand_in.resize(group.features.size());
    std::vector<int> priced;
    for (int member : order) {
        int& stand_in = found.stand_in[static_cast<std::size_t>(member)];
        stand_in = member;
        if (has_price[static_cast<std::size_t>(member)] != 0) {
            priced.push_back(member);
            continue;
        }
        const auto better = std::find_if(useful.begin(), useful.end(), [&](int other) {
            return gains.is_as_good(other, member);
        });
        if (better != useful.end()) {
            stand_in = *better;
        } else {
            useful.push_back(member);
        }
    }
    useful.insert(useful.end(), priced.begin(), priced.end());
    std::sort(useful.begin(), useful.end());
    return found;
}

}  // namespace redoubt
