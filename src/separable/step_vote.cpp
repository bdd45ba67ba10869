#include "separable/step_vote.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace redoubt {

namespace {

/// The answer of w v + b at a value of the only feature.
int answer_at(double w, double b, double v) {
    return sign_of_plane(Vector::Constant(1, w), b, Vector::Constant(1, v));
}

/// The least double at which the plane answers as it does for large values; infinite if its answer
/// is the same for all of them.
double first_beyond(double w, double b) {
    constexpr double most = std::numeric_limits<double>::max();
    const int right = answer_at(w, b, most);
    if (answer_at(w, b, -most) == right) return HUGE_VAL;
    double low = -most;
    double high = most;
    const double threshold = -b / w;
    for (int n = 0; n < 8; ++n) {
        // Next to the quotient, as a rule.
        double guess = std::clamp(threshold, -most, most);
        for (int i = 0; i < n; ++i) guess = std::nextafter(guess, n % 2 == 0 ? -most : most);
        (answer_at(w, b, guess) == right ? high : low) =
            answer_at(w, b, guess) == right ? std::min(high, guess) : std::max(low, guess);
    }
    while (std::nextafter(low, HUGE_VAL) < high) {
        const double middle = std::abs(low) < most && std::abs(high) < most
                                  ? low + 0.5 * (high - low)
                                  : 0.5 * low + 0.5 * high;
        const double next = middle > low && middle < high ? middle : std::nextafter(low, HUGE_VAL);
        (answer_at(w, b, next) == right ? high : low) = next;
    }
    return high;
}

}  // namespace

std::optional<StepVote> StepVote::of(const Ensemble& ensemble, const MoveSpace& space) {
    if (ensemble.n_planes() < 2) return std::nullopt;
    const Matrix& W = ensemble.coef();
    std::vector<Index> feature_of(static_cast<std::size_t>(W.rows()), -1);
    for (Index i = 0; i < W.rows(); ++i) {
        for (Index l = 0; l < W.cols(); ++l) {
            if (W(i, l) == 0.0) continue;
            Index& feature = feature_of[static_cast<std::size_t>(i)];
            if (feature >= 0) return std::nullopt;
            feature = l;
        }
    }
    const AttackModel& model = *space.model;
    std::vector<char> is_used(static_cast<std::size_t>(W.cols()), 0);
    for (Index l : feature_of) {
        if (l >= 0) is_used[static_cast<std::size_t>(l)] = 1;
    }
    for (int g : space.groups) {
        for (int l : model.one_hot[static_cast<std::size_t>(g)].features) {
            if (is_used[static_cast<std::size_t>(l)] != 0) return std::nullopt;
        }
    }
    StepVote vote(ensemble, space);
    for (std::size_t i = 0; i < model.integers.size(); ++i) {
        const auto l = static_cast<std::size_t>(model.integers[i].feature);
        if (is_used[l] == 0) continue;
        if (!model.counts()) return std::nullopt;
        vote.integer_of_.resize(is_used.size(), -1);
        vote.integer_of_[l] = static_cast<int>(i);
    }
    std::map<int, std::vector<Step>> by_feature;
    for (Index i = 0; i < W.rows(); ++i) {
        const Index l = feature_of[static_cast<std::size_t>(i)];
        if (l < 0 || !std::binary_search(space.features.begin(), space.features.end(),
                                         static_cast<int>(l))) {
            continue;
        }
        const double first = first_beyond(W(i, l), ensemble.intercept()[i]);
        if (!std::isfinite(first)) continue;
        by_feature[static_cast<int>(l)].push_back(
            {first, static_cast<int>(i), W(i, l) > 0.0 ? -1 : 1});
    }
    for (auto& [feature, steps] : by_feature) {
        std::stable_sort(steps.begin(), steps.end(),
                         [](const Step& a, const Step& b) { return a.first < b.first; });
        vote.blocks_.push_back({feature, std::move(steps)});
    }
    return vote;
}

}  // namespace redoubt
