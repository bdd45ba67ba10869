#include "attack/relaxed_rules.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

/// A hinge that no move reaches counts 0; one that none leaves is affine.
void RelaxedRuleSearch::load_hinges(const PointProblem& point) {
    support_.load(point.x);
    const Matrix& W = point.ensemble.coef();
    hinges_.clear();
    certain_g_.setZero(W.cols());
    certain_c_ = 0.0;
    scale_ = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        const double weight = point.ensemble.weight(i);
        const Vector a = -point.y * weight * W.row(i).transpose();
        const double b = weight * point.ensemble.intercept()[i];
        const double c = weight + a.dot(point.x) - point.y * b;
        const double hi = support_.value(a, point.radius);
        const double lo = -support_.value(-a, point.radius);
        scale_ += weight + std::abs(b) + a.cwiseAbs().dot(point.x.cwiseAbs()) + hi - lo;
        if (c + lo >= 0.0) {
            certain_g_ += a;
            certain_c_ += c;
        } else if (c + hi > 0.0) {
            hinges_.push_back({static_cast<int>(i), weight, c, lo, hi});
        }
    }
}

double RelaxedRuleSearch::hinge_sum(const PointProblem& point, const Vector& d) const {
    double sum = certain_c_ + certain_g_.dot(d);
    for (const Hinge& hinge : hinges_) {
        const double step = -point.y * hinge.weight * point.ensemble.coef().row(hinge.plane).dot(d);
        sum += std::max(0.0, hinge.c + step);
    }
    return sum;
}

void RelaxedRuleSearch::offer(const PointProblem& point, const Vector& d) {
    const double value = hinge_sum(point, d);
    if (best_d_.size() > 0 && value <= best_) return;
    best_ = value;
    best_d_ = d;
}

/// The farthest move along the planes that count, as long as that helps.
void RelaxedRuleSearch::improve(const PointProblem& point, Vector d) {
    for (int round = 0; round < 20; ++round) {
        const double before = hinge_sum(point, d);
        offer(point, d);
        Vector g = certain_g_;
        for (const Hinge& hinge : hinges_) {
            const Vector a =
                -point.y * hinge.weight * point.ensemble.coef().row(hinge.plane).transpose();
            if (hinge.c + a.dot(d) > 0.0) g += a;
        }
        d = support_.maximise(g, point.radius);
        if (!(hinge_sum(point, d) > before)) break;
    }
    offer(point, d);
}

/// Sets the choice's bound; returns the undecided hinge that the bound overrates most, or -1.
int RelaxedRuleSearch::bound_choice(const PointProblem& point, Choice& choice) {
    Vector u = certain_g_;
    double constant = certain_c_;
    for (std::size_t j = 0; j < hinges_.size(); ++j) {
        if (choice.v[j] == 0) continue;
        const Hinge& hinge = hinges_[j];
        const double slope = choice.v[j] == 1 ? 1.0 : (hinge.c + hinge.hi) / (hinge.hi - hinge.lo);
        u -= slope * hinge.weight * point.y * point.ensemble.coef().row(hinge.plane).transpose();
        constant += choice.v[j] == 1 ? hinge.c : -slope * hinge.lo;
    }
    const Vector d = support_.maximise(u, point.radius);
    choice.bound = std::min(choice.bound, constant + u.dot(d));
    offer(point, d);
    int split = -1;
    double most = 0.0;
    for (std::size_t j = 0; j < hinges_.size(); ++j) {
        if (choice.v[j] >= 0) continue;
        const Hinge& hinge = hinges_[j];
        const double step = -point.y * hinge.weight * point.ensemble.coef().row(hinge.plane).dot(d);
        const double chord = (hinge.c + hinge.hi) / (hinge.hi - hinge.lo) * (step - hinge.lo);
        const double excess = chord - std::max(0.0, hinge.c + step);
        if (split < 0 || excess > most) {
            most = excess;
            split = static_cast<int>(j);
        }
    }
    return split;
}

AdversaryAnswer RelaxedRuleSearch::solve(const PointProblem& point, const PointLimits& limits) {
    load_hinges(point);
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    best_d_.resize(0);
    best_ = 0.0;
    improve(point, Vector::Zero(point.x.size()));
    const double slack = kSupportError * scale_;
    const auto has_lower_bound = [](const Choice& a, const Choice& b) { return a.bound < b.bound; };
    open_.clear();
    open_.push_back({std::vector<signed char>(hinges_.size(), -1), HUGE_VAL});
    answer.bound = -HUGE_VAL;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), has_lower_bound);
        Choice choice = std::move(open_.back());
        open_.pop_back();
        const bool is_stopped = limits.reached_now(answer.n_nodes, &answer.status);
        if (is_stopped || choice.bound <= best_ + slack) {
            // Best first: no other open choice reaches more.
            answer.bound = std::max(answer.bound, choice.bound);
            break;
        }
        ++answer.n_nodes;
        const int split = bound_choice(point, choice);
        if (split < 0 || choice.bound <= best_ + slack) {
            answer.bound = std::max(answer.bound, choice.bound);
            continue;
        }
        for (const bool counts : {true, false}) {
            open_.push_back(choice);
            open_.back().v[static_cast<std::size_t>(split)] = counts ? 1 : 0;
            std::push_heap(open_.begin(), open_.end(), has_lower_bound);
        }
    }
    answer.d = best_d_;
    answer.objective = best_;
    answer.bound = std::max(answer.bound, best_) + slack;
    return answer;
}

}  // namespace redoubt
