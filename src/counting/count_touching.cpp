/// Changes of any length, where planes can only just be reached together.

#include <algorithm>
#include <cmath>

#include "counting/count_flipper.hpp"
#include "counting/place.hpp"
#include "flip/exact_terms.hpp"

namespace redoubt {

namespace {

/// What cannot be passed by this share of its terms may not be passed at all.
constexpr double kJustReached = 1e-6;
/// Multipliers below this share of the largest are rounding errors.
constexpr double kNoMultiplier = 1e-8;

}  // namespace

bool CountFlipper::has_length(const Node& node) const {
    return std::any_of(node.decisions.begin(), node.decisions.end(), [&](const Decision& each) {
        const Change& change = changes_.change(each.column);
        return each.happens && !change.is_whole && change.n_steps == 0.0;
    });
}

/// What the planes are to lose so that they are passed by a share of their terms.
std::vector<double> CountFlipper::beyond_planes(const Node& node, double share) const {
    std::vector<double> scale = changes_.magnitudes();
    for (const Decision& each : node.decisions) {
        if (!each.happens) continue;
        const double* gains = program_.gains(each.column);
        for (std::size_t i = 0; i < scale.size(); ++i)
            scale[i] = std::max(scale[i], std::abs(gains[i]));
    }
    std::vector<double> aim = changes_.margins();
    for (std::size_t i = 0; i < aim.size(); ++i) {
        const double size = scale[i] + std::abs(aim[i]);
        // A margin may have no terms at all.
        aim[i] += share * (size > 0.0 ? size : 1.0);
    }
    return aim;
}

/// Changes of any length end where the planes are, as the program says; a witness lies there or
/// beyond.
void CountFlipper::go_past_planes(const Node& node) {
    for (double share : {0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-5, 1e-2}) {
        if (is_closed(node.lower)) return;
        CoverBasis basis = node.basis;
        const auto outcome =
            program_.solve(node.planes, beyond_planes(node, share), columns_, HUGE_VAL, basis);
        if (outcome != CoverProgram::Outcome::Solved) return;
        const std::vector<double> beyond = program_.x();
        round(node.planes, beyond);
    }
}

/// Does exact arithmetic show that the planes cannot be fooled together, whatever happens? The
/// multipliers of a program that asks for a little more are those of the planes as they are, and
/// ratios of small integers on a grid. A wrong guess proves nothing and does no harm.
bool CountFlipper::is_refuted(const Node& node) {
    std::vector<int> planes;
    std::vector<double> multiples;
    return planes_.space().groups.empty() && find_multiples(node, planes, multiples) &&
           changes_.is_sum_never_fooled(planes, multiples, open_ranges());
}

bool CountFlipper::find_multiples(const Node& node, std::vector<int>& planes,
                                  std::vector<double>& multiples) {
    if (changes_.worth_beyond() > 0.0) return false;
    CoverBasis basis = node.basis;
    const std::vector<double> aim = beyond_planes(node, kJustReached);
    const auto outcome = program_.solve(node.planes, aim, columns_, HUGE_VAL, basis);
    if (outcome != CoverProgram::Outcome::Infeasible) return false;
    const std::vector<double>& lambda = program_.multipliers();
    const double largest = *std::max_element(lambda.begin(), lambda.end());
    std::vector<double> shares;
    for (std::size_t r = 0; r < lambda.size(); ++r) {
        if (!(lambda[r] > kNoMultiplier * largest)) continue;
        planes.push_back(node.planes[r]);
        shares.push_back(lambda[r]);
    }
    if (shares.empty()) return false;
    multiples = integer_multiples(shares);
    return !multiples.empty();
}

/// Where features may stand by the decisions of the node that is loaded, ascending.
std::vector<PointChanges::Range> CountFlipper::open_ranges() const {
    std::vector<PointChanges::Range> ranges;
    for (int c = 0; c < changes_.n_changes(); ++c) {
        const Change& change = changes_.change(c);
        if (columns_.hi[to_size(c)] == 0.0) continue;
        // An integer's range is taken as a whole.
        const bool happens = change.is_whole && columns_.lo[to_size(c)] == 1.0;
        const double x = happens ? change.to : changes_.value_of(change.feature);
        ranges.push_back({change.feature, std::min(x, change.to), std::max(x, change.to)});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const auto& a, const auto& b) { return a.feature < b.feature; });
    // A feature may go both ways.
    std::vector<PointChanges::Range> joined;
    for (const PointChanges::Range& each : ranges) {
        if (joined.empty() || joined.back().feature != each.feature) {
            joined.push_back(each);
            continue;
        }
        joined.back().lower = std::min(joined.back().lower, each.lower);
        joined.back().upper = std::max(joined.back().upper, each.upper);
    }
    return joined;
}

}  // namespace redoubt
