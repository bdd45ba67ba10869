#include "attack/relaxed_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// A node is closed when its bound exceeds the incumbent by less than this share of the size of all
/// terms: well above rounding, so that ties do not keep the search alive, and far below any use.
constexpr double kTolerance = 1e-12;

/// Another round of narrowing costs as much as a child; it must shorten the intervals by this
/// share.
constexpr double kWorthwhileShrink = 0.3;

}  // namespace

const RelaxedOptimum& RelaxedSearch::solve(const RelaxedTerms& terms, const PointLimits& limits) {
    terms_ = &terms;
    limits_ = &limits;
    const std::size_t n_terms = terms.planes.size();
    tolerance_ = std::max(kTolerance * terms.scale, terms.slack);
    stopped_ = false;
    has_quadratic_ = false;
    gram_error_ = static_cast<double>(planes_.ensemble->n_features()) +
                  4.0 * static_cast<double>(n_terms) + 16.0;
    best_.status = Status::Optimal;
    best_.n_nodes = 0;
    best_.value = best_.bound = -std::numeric_limits<double>::infinity();
    load_rows();
    trial_.assign(n_terms, 0);
    for (std::size_t i = 0; i < n_terms; ++i)
        trial_[i] = terms.c[static_cast<Index>(i)] > 0.0 ? 1 : 0;
    offer(trial_);
    trial_.assign(n_terms, 1);
    offer(trial_);
    open_root();
    visit(0);
    best_.bound = std::max(best_.bound, best_.value);
    return best_;
}

void RelaxedSearch::load_rows() {
    const Matrix& W = planes_.W();
    const auto n_terms = static_cast<Index>(terms_->planes.size());
    const double factor = terms_->sign / planes_.unit;
    rows_.resize(n_terms, W.cols());
    for (Index i = 0; i < n_terms; ++i) {
        rows_.row(i) = factor * W.row(terms_->planes[static_cast<std::size_t>(i)]);
    }
    u0_.setZero(W.cols());
    for (const int i : terms_->certain) u0_ += factor * W.row(i).transpose();
    size_.resize(static_cast<std::size_t>(n_terms));
    for (std::size_t i = 0; i < size_.size(); ++i) size_[i] = planes_.size[terms_->planes[i]];
    if (planes_.norm != Norm::L2) return;
    gram_.resize(n_terms, n_terms);
    for (Index i = 0; i < n_terms; ++i) {
        const double* row = planes_.gram.row(terms_->planes[static_cast<std::size_t>(i)]).data();
        for (Index j = 0; j < n_terms; ++j) {
            gram_(i, j) = row[terms_->planes[static_cast<std::size_t>(j)]];
        }
    }
}

void RelaxedSearch::open_root() {
    const std::size_t n_terms = terms_->planes.size();
    // Reserved in full: `visit` holds references to its node while children are made.
    nodes_.resize(std::max(nodes_.size(), n_terms + 1));
    Node& root = nodes_[0];
    root.free.resize(n_terms);
    root.lo.resize(n_terms);
    root.hi.resize(n_terms);
    root.v.assign(n_terms, 0);
    for (std::size_t i = 0; i < n_terms; ++i) {
        root.free[i] = static_cast<int>(i);
        root.hi[i] = terms_->radius * size_[i];
        root.lo[i] = -root.hi[i];
    }
    root.constant = terms_->c0;
    root.bound = std::numeric_limits<double>::infinity();
    if (planes_.norm == Norm::L2) {
        root.fixed.noalias() = rows_ * u0_;
        root.fixed_square = u0_.squaredNorm();
        root.fixed_size = 0.0;
        for (const int i : terms_->certain) root.fixed_size += planes_.size[i];
    } else {
        root.fixed = u0_;
    }
    const auto n = static_cast<Index>(n_terms);
    lambda_.resize(n);
    step_.resize(n);
    cost_.resize(rows_.cols());
    gain_.resize(rows_.cols());
}

void RelaxedSearch::visit(std::size_t depth) {
    Node& node = nodes_[depth];
    if (limits_->reached(best_.n_nodes, &best_.status)) {
        stopped_ = true;
        if (depth == 0) {
            evaluate(node);
            node.bound = bound_;
        }
        best_.bound = std::max(best_.bound, node.bound);
        return;
    }
    ++best_.n_nodes;
    while (reduce(node)) {
        if (reduce_quadratic(node)) continue;
        if (node.bound > best_.value + tolerance_) {
            if (node.free.size() <= tuning_.enumerated_planes) {
                enumerate(node);
            } else {
                branch(depth);
            }
        } else {
            best_.bound = std::max(best_.bound, node.bound);
        }
        return;
    }
}

bool RelaxedSearch::reduce(Node& node) {
    const auto total_width = [&node] {
        double sum = 0.0;
        for (const int i : node.free) {
            const auto at = static_cast<std::size_t>(i);
            sum += node.hi[at] - node.lo[at];
        }
        return sum;
    };
    while (!node.free.empty()) {
        evaluate(node);
        node.bound = std::min(node.bound, bound_);
        if (node.bound > best_.value + tolerance_) offer_step(node);
        if (node.bound <= best_.value + tolerance_) {
            best_.bound = std::max(best_.bound, node.bound);
            return false;
        }
        const std::size_t n_free = node.free.size();
        const double width = total_width();
        narrow(node);
        if (node.free.size() == n_free && total_width() > (1.0 - kWorthwhileShrink) * width)
            return true;
    }
    offer(node.v);
    best_.bound = std::max(best_.bound, value_of(node.v));
    return false;
}

void RelaxedSearch::branch(std::size_t depth) {
    Node& node = nodes_[depth];
    std::size_t position = 0;
    double largest = -1.0;
    for (std::size_t j = 0; j < node.free.size(); ++j) {
        const Index i = node.free[j];
        const double chord = lambda_[i] * (step_[i] - node.lo[static_cast<std::size_t>(i)]);
        const double gap = chord - std::max(0.0, terms_->c[i] + step_[i]);
        if (gap > largest) {
            largest = gap;
            position = j;
        }
    }
    const Index chosen = node.free[position];
    const bool first = terms_->c[chosen] + step_[chosen] > 0.0;
    for (const bool value : {first, !first}) {
        // A limit that was reached below the first child leaves the second one open.
        if (stopped_) {
            best_.bound = std::max(best_.bound, node.bound);
            return;
        }
        Node& child = nodes_[depth + 1];
        child = node;
        decide(child, position, value);
        visit(depth + 1);
    }
}

void RelaxedSearch::enumerate(Node& node) {
    const std::uint32_t n_choices = std::uint32_t{1} << node.free.size();
    const double r = terms_->radius;
    // Each flip adds a rounding to a sum of squares (L2); the other sums stay within the slack.
    double size = node.fixed_size;
    for (const int i : node.free) size += size_[static_cast<std::size_t>(i)];
    const double error = (n_choices + gram_error_) * kEps * size * size;
    for (std::uint32_t flip = 0; flip < n_choices; ++flip) {
        if (flip > 0) {
            const Index i = node.free[static_cast<std::size_t>(std::countr_zero(flip))];
            char& v = node.v[static_cast<std::size_t>(i)];
            const double change = v != 0 ? -1.0 : 1.0;
            v = v != 0 ? 0 : 1;
            node.constant += change * terms_->c[i];
            if (planes_.norm == Norm::L2) {
                node.fixed_square += change * 2.0 * node.fixed[i] + gram_(i, i);
                for (const Index j : node.free) node.fixed[j] += change * gram_(i, j);
            } else {
                node.fixed += change * rows_.row(i).transpose();
            }
        }
        const double value =
            node.constant + r * (planes_.norm == Norm::L2
                                     ? std::sqrt(std::max(0.0, node.fixed_square) + error)
                                     : node.fixed.lpNorm<1>());
        if (value <= best_.value + tolerance_) {
            best_.bound = std::max(best_.bound, value);
        } else {
            // Only a Gram matrix that lost its digits makes a value that is not reached.
            best_.bound = std::max(best_.bound, value_of(node.v));
            offer(node.v);
        }
    }
}

void RelaxedSearch::decide(Node& node, std::size_t position, bool value) {
    const Index i = node.free[position];
    node.free.erase(node.free.begin() + static_cast<std::ptrdiff_t>(position));
    node.v[static_cast<std::size_t>(i)] = value ? 1 : 0;
    if (!value) return;
    node.constant += terms_->c[i];
    if (planes_.norm == Norm::L2) {
        node.fixed_square += 2.0 * node.fixed[i] + gram_(i, i);
        node.fixed_size += size_[static_cast<std::size_t>(i)];
        node.fixed += gram_.row(i).transpose();
    } else {
        node.fixed += rows_.row(i).transpose();
    }
}

double RelaxedSearch::value_of(const std::vector<char>& v) {
    sum_ = u0_;
    double sum = terms_->c0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (v[i] == 0) continue;
        sum_ += rows_.row(static_cast<Index>(i)).transpose();
        sum += terms_->c[static_cast<Index>(i)];
    }
    const double length = planes_.norm == Norm::L2 ? sum_.norm() : sum_.lpNorm<1>();
    return sum + terms_->radius * length;
}

void RelaxedSearch::offer(const std::vector<char>& v) {
    candidate_ = v;
    // The best step for v may earn more with another v: a climb that ends, as each turn gains.
    for (;;) {
        const double value = value_of(candidate_);
        if (!(value > best_.value + tolerance_)) return;
        best_.value = value;
        best_.v = candidate_;
        if (planes_.norm == Norm::L2) {
            const double length = sum_.norm();
            if (length > 0.0) sum_ *= terms_->radius / length;
        } else {
            sum_ = (sum_.array() < 0.0)
                       .select(Vector::Constant(sum_.size(), -terms_->radius), terms_->radius);
        }
        for (std::size_t i = 0; i < candidate_.size(); ++i) {
            const auto at = static_cast<Index>(i);
            candidate_[i] = terms_->c[at] + rows_.row(at).dot(sum_) > 0.0 ? 1 : 0;
        }
    }
}

void RelaxedSearch::offer_step(const Node& node) {
    double value = bound_;
    for (const Index i : node.free) {
        const double chord = lambda_[i] * (step_[i] - node.lo[static_cast<std::size_t>(i)]);
        value += std::max(0.0, terms_->c[i] + step_[i]) - chord;
    }
    if (!(value > best_.value + tolerance_)) return;
    trial_ = node.v;
    for (const Index i : node.free) {
        trial_[static_cast<std::size_t>(i)] = terms_->c[i] + step_[i] > 0.0 ? 1 : 0;
    }
    offer(trial_);
}

}  // namespace redoubt
