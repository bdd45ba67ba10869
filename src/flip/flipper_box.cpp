/// What Flipper knows of a box: where it lies, and the margins of the planes there.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "flip/flipper.hpp"

namespace redoubt {

namespace {

/// A plane this near to all of a box, or to its farthest corner, is looked at exactly.
constexpr double kNearby = 1e-6;

}  // namespace

/// The point with the node's switches, and the box of the rest in the search's orientation, where
/// moves count against the answer: e = -current_label u.
void Flipper::load_node(const Node& node) {
    price_ = 0.0;
    if (!space_.has_box) return;
    base_ = moves_.x();
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        if (node.member[g] < 0) continue;
        const auto member = static_cast<std::size_t>(node.member[g]);
        if (member == moves_.on(g)) continue;
        moves_.apply_switch(g, member, base_);
        price_ = join_sizes(space_.model->norm, price_, moves_.cost(g, member));
    }
    margins_.lo = moves_.lo();
    margins_.hi = moves_.hi();
    for (std::size_t w = 0; w < integers_.size(); ++w) {
        const Index c = integers_[w];
        const Span& span = node.spans[w];
        const IntegerRange& range = moves_.range(c);
        const auto outwards = [](double u, double side) {
            return u + side * 4.0 * kEps * std::abs(u);
        };
        if (span.first > range.first)
            margins_.lo[c] = outwards(moves_.u_of_integer(c, span.first), -1.0);
        if (span.last < range.last)
            margins_.hi[c] = outwards(moves_.u_of_integer(c, span.last), 1.0);
        if (span.first == span.last)
            base_[space_.features[static_cast<std::size_t>(c)]] =
                moves_.value_of_integer(c, span.first);
    }
    if (current_label_ > 0) {
        margins_.lo.swap(margins_.hi);
        margins_.lo = -margins_.lo;
        margins_.hi = -margins_.hi;
    }
    load_proof(node);
}

/// The same box as values of features.
void Flipper::load_proof(const Node& node) {
    Vector lowest = base_;
    Vector highest = base_;
    for (Index c = 0; c < space_.size(); ++c) {
        const int l = space_.features[static_cast<std::size_t>(c)];
        if (space_.integer_at[static_cast<std::size_t>(c)] >= 0) continue;
        lowest[l] = moves_.value_at(c, -HUGE_VAL);
        highest[l] = moves_.value_at(c, HUGE_VAL);
    }
    for (std::size_t w = 0; w < integers_.size(); ++w) {
        const int l = space_.features[static_cast<std::size_t>(integers_[w])];
        lowest[l] = moves_.value_of_integer(integers_[w], node.spans[w].first);
        highest[l] = moves_.value_of_integer(integers_[w], node.spans[w].last);
    }
    std::vector<std::size_t> open_groups;
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        if (node.member[g] < 0) open_groups.push_back(g);
    }
    proof_.load(current_label_, std::move(lowest), std::move(highest), std::move(open_groups));
}

/// No coordinate of the node can move: what remains is a yes or a no.
bool Flipper::is_pinned() const {
    for (Index c = 0; c < space_.size(); ++c) {
        const bool is_integer = space_.integer_at[static_cast<std::size_t>(c)] >= 0;
        if (!is_integer && margins_.lo[c] < margins_.hi[c]) return false;
    }
    return true;
}

/// Goals and floors of all planes in the node's box.
void Flipper::compute_margins(const Node& node, double slack_factor) {
    const Vector& start = start_of_box();
    const bool has_open_group =
        std::any_of(node.member.begin(), node.member.end(), [](int m) { return m < 0; });
    fooled_still_.clear();
    for (int plane : threat_.still) {
        double error = 0.0;
        const bool is_fooled = has_open_group ? margin_of(plane, node, start, error) - error <= 0.0
                                              : threat_.answer(plane, start) != current_label_;
        if (is_fooled) fooled_still_.push_back(plane);
    }
    given_ = threat_.weight_of(fooled_still_);
    margins_.resize(current_label_, planes_.n_planes());
    for (Index i = 0; i < planes_.n_planes(); ++i) {
        double error = 0.0;
        const double margin = margin_of(planes_.index(i), node, start, error);
        // A plane that stays at zero must be passed, even where others are only touched.
        const bool is_passed = slack_factor == 0.0 && planes_.answer_at_zero(i) == current_label_;
        margins_.set(planes_, i, margin, error, is_passed ? 1.0 : slack_factor);
    }
    margins_.even_out(planes_, slack_factor);
    widest_gap_ = std::max(widest_gap_, margins_.widest_gap(planes_) / std::max(1.0, slack_factor));
    if (space_.has_box) settle_planes();
}

/// The point with its switches; decided integers are the box's business.
const Vector& Flipper::start_of_box() {
    if (!space_.has_box) return moves_.x();
    if (integers_.empty()) return base_;
    start_ = base_;
    for (Index c : integers_) {
        const int l = space_.features[static_cast<std::size_t>(c)];
        start_[l] = moves_.x()[l];
    }
    return start_;
}

/// By how much a plane speaks for the current label at x, undecided groups helping against it as
/// much as they can; and the rounding error of that.
double Flipper::margin_of(int plane, const Node& node, const Vector& x, double& error) const {
    const auto w = ensemble_.coef().row(plane).transpose();
    const double b = ensemble_.intercept()[plane];
    double margin = current_label_ * (w.dot(x) + b);
    double magnitude = w.cwiseAbs().dot(x.cwiseAbs()) + std::abs(b);
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        if (node.member[g] >= 0) continue;
        double best = 0.0;
        moves_.for_each_switch(g, w, [&](double change) {
            const double gain = -current_label_ * change;
            best = std::max(best, gain);
            magnitude += std::abs(gain);
        });
        for (int l : moves_.group(g).features) magnitude += 2.0 * std::abs(w[l] * x[l]);
        margin -= best;
    }
    error = margin_error(threat_.n_roundings(), magnitude);
    return margin;
}

/// A plane that is fooled all over the box or nowhere in it, which is decided exactly: its goal is
/// put well before or well beyond what the box holds.
void Flipper::settle_planes() {
    for (Index i = 0; i < planes_.n_planes(); ++i) {
        double least = 0.0;
        double most = 0.0;
        double size = planes_.size()[i] + std::abs(margins_.floor[i]);
        for (Index c = 0; c < space_.size(); ++c) {
            const double w = planes_.W()(i, c);
            if (w == 0.0) continue;
            const double low = w * margins_.lo[c];
            const double high = w * margins_.hi[c];
            least += std::min(low, high);
            most += std::max(low, high);
            size += std::min(std::abs(low), std::abs(high));
        }
        const double near = kNearby * (size + std::abs(margins_.goal[i]));
        if (most < margins_.goal[i] + near && proof_.is_never_fooled(i)) {
            margins_.goal[i] = margins_.floor[i] = most + size;
        } else if (least > margins_.floor[i] - near && proof_.is_always_fooled(i)) {
            margins_.goal[i] = margins_.floor[i] = least - size;
        }
    }
}

}  // namespace redoubt
