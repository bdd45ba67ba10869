#include "separable/step_vote.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace redoubt {

namespace {

/// Numbers that planes on their own may take together.
constexpr double kMostPrivateWeights = 4e6;

constexpr int kStill = -1;

/// By feature, what moves it: a coordinate, or a group, numbered after the coordinates; or nothing.
std::vector<int> movers_of(const MoveSpace& space, Index n_features) {
    const auto n_coordinates = static_cast<int>(space.size());
    std::vector<int> mover(static_cast<std::size_t>(n_features), kStill);
    for (int c = 0; c < n_coordinates; ++c)
        mover[static_cast<std::size_t>(space.features[static_cast<std::size_t>(c)])] = c;
    for (std::size_t g = 0; g < space.groups.size(); ++g) {
        const auto at = static_cast<std::size_t>(space.groups[g]);
        for (int l : space.model->one_hot[at].features)
            mover[static_cast<std::size_t>(l)] = n_coordinates + static_cast<int>(g);
    }
    return mover;
}

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

PrivatePlane::PrivatePlane(const Ensemble& ensemble, Index plane, const MoveSpace& space)
    : vote(Matrix(ensemble.coef().row(plane)), Vector::Constant(1, ensemble.intercept()[plane])) {
    if (space.model->counts()) {
        counted.emplace(vote, space);
    } else {
        planes.emplace(vote, space);
    }
}

std::optional<StepVote> StepVote::of(const Ensemble& ensemble, const MoveSpace& space) {
    if (ensemble.n_planes() < 2) return std::nullopt;
    const Matrix& W = ensemble.coef();
    const auto n_coordinates = static_cast<int>(space.size());
    const std::vector<int> mover = movers_of(space, W.cols());
    StepVote vote(ensemble, space);
    std::vector<int> owner(static_cast<std::size_t>(n_coordinates), -1);
    std::vector<std::vector<int>> planes_of(owner.size());
    std::vector<std::vector<int>> planes_of_group(space.groups.size());
    constexpr int kShared = -2;
    std::vector<int> features;
    for (Index i = 0; i < W.rows(); ++i) {
        const int plane = static_cast<int>(i);
        features.clear();
        int first = kStill;
        bool is_one = true;
        bool has_still = false;
        for (Index l = 0; l < W.cols(); ++l) {
            if (W(i, l) == 0.0) continue;
            const int by = mover[static_cast<std::size_t>(l)];
            has_still = has_still || by == kStill;
            if (by == kStill) continue;
            is_one = is_one && (first == kStill || first == by);
            if (first == kStill) first = by;
            features.push_back(static_cast<int>(l));
            // Most votes do not fall apart: that shows soon.
            if (!is_one && (by >= n_coordinates || first >= n_coordinates)) return std::nullopt;
            if (by >= n_coordinates) continue;
            int& known = owner[static_cast<std::size_t>(by)];
            known = known == -1 ? plane : kShared;
        }
        if (first == kStill) continue;
        if (first >= n_coordinates) {
            planes_of_group[static_cast<std::size_t>(first - n_coordinates)].push_back(plane);
        } else if (is_one && !has_still) {
            planes_of[static_cast<std::size_t>(first)].push_back(plane);
        } else {
            vote.private_blocks_.push_back({plane, features, nullptr});
        }
        for (const PrivateBlock& block : vote.private_blocks_) {
            for (int l : block.features) {
                if (owner[static_cast<std::size_t>(mover[static_cast<std::size_t>(l)])] == kShared)
                    return std::nullopt;
            }
        }
    }
    // Each has a copy of its weights in all features.
    const auto n_private = static_cast<double>(vote.private_blocks_.size());
    if (n_private * static_cast<double>(W.cols()) > kMostPrivateWeights) return std::nullopt;
    vote.add_groups(planes_of_group);
    for (PrivateBlock& block : vote.private_blocks_)
        block.alone = std::make_shared<const PrivatePlane>(ensemble, block.plane, space);
    vote.add_steps(planes_of);
    vote.find_discrete_sizes();
    return vote;
}

std::optional<StepVote> StepVote::part_of(const Ensemble& ensemble, const MoveSpace& space) {
    const Matrix& W = ensemble.coef();
    const auto n_coordinates = static_cast<int>(space.size());
    const std::vector<int> mover = movers_of(space, W.cols());
    StepVote vote(ensemble, space);
    std::vector<std::vector<int>> planes_of(static_cast<std::size_t>(n_coordinates));
    std::vector<std::vector<int>> planes_of_group(space.groups.size());
    for (Index i = 0; i < W.rows(); ++i) {
        int first = kStill;
        bool is_one = true;
        bool has_still = false;
        for (Index l = 0; l < W.cols() && is_one; ++l) {
            if (W(i, l) == 0.0) continue;
            const int by = mover[static_cast<std::size_t>(l)];
            has_still = has_still || by == kStill;
            if (by == kStill) continue;
            is_one = first == kStill || first == by;
            first = by;
        }
        const int plane = static_cast<int>(i);
        if (first == kStill) continue;
        if (is_one && first >= n_coordinates) {
            planes_of_group[static_cast<std::size_t>(first - n_coordinates)].push_back(plane);
        } else if (is_one && !has_still) {
            planes_of[static_cast<std::size_t>(first)].push_back(plane);
        } else {
            vote.loose_.push_back(plane);
            if (2 * static_cast<Index>(vote.loose_.size()) > W.rows()) return std::nullopt;
        }
    }
    if (vote.loose_.empty()) return std::nullopt;
    const double n_copied = static_cast<double>(vote.loose_.size()) * static_cast<double>(W.cols());
    if (space.model->norm == Norm::LInf && n_copied <= kMostPrivateWeights) {
        for (int plane : vote.loose_) {
            auto alone = std::make_shared<const PrivatePlane>(ensemble, plane, space);
            vote.private_blocks_.push_back({plane, {}, std::move(alone)});
        }
    }
    vote.add_groups(planes_of_group);
    vote.add_steps(planes_of);
    vote.find_discrete_sizes();
    return vote;
}

void StepVote::add_groups(std::vector<std::vector<int>>& planes_of_group) {
    for (std::size_t g = 0; g < planes_of_group.size(); ++g) {
        if (!planes_of_group[g].empty()) group_blocks_.push_back({g, std::move(planes_of_group[g])});
    }
}

void StepVote::add_steps(const std::vector<std::vector<int>>& planes_of_coordinate) {
    for (std::size_t c = 0; c < planes_of_coordinate.size(); ++c) {
        const int l = space_->features[c];
        std::vector<Step> steps;
        for (int plane : planes_of_coordinate[c]) {
            const double w = ensemble_->coef()(plane, l);
            const double first = first_beyond(w, ensemble_->intercept()[plane]);
            if (std::isfinite(first)) steps.push_back({first, plane, w > 0.0 ? -1 : 1});
        }
        if (steps.empty()) continue;
        std::stable_sort(steps.begin(), steps.end(),
                         [](const Step& a, const Step& b) { return a.first < b.first; });
        blocks_.push_back({l, static_cast<Index>(c), std::move(steps)});
    }
}

void StepVote::find_discrete_sizes() {
    const auto is_integer = [&](Index coordinate) {
        return space_->integer_at[static_cast<std::size_t>(coordinate)] >= 0;
    };
    for (const Block& block : blocks_) {
        if (!is_integer(block.coordinate)) return;
    }
    const auto& all = space_->features;
    for (const PrivateBlock& block : private_blocks_) {
        for (int l : block.features) {
            if (!is_integer(std::lower_bound(all.begin(), all.end(), l) - all.begin())) return;
        }
    }
    const bool is_known = !model().counts() && (space_->has_integers || !space_->groups.empty());
    if (is_known) discrete_.emplace(*space_);
}

}  // namespace redoubt
