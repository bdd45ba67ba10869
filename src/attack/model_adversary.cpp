#include "attack/model_adversary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/most_fooled.hpp"

namespace redoubt {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Moves are sought up to this share beyond the radius: what lies past it is then proven to do so,
/// and what lies a rounding past it may be put back onto the edge.
constexpr double kHair = 1e-9;
/// Values of the support function are this sure, relative to the sizes of its terms.
constexpr double kSupportError = 1e-11;

/// The move itself if it is small enough, or one that is put back onto the edge and still fools
/// planes of weight `need`.
bool fits(const ModelAttack& attack, const PointProblem& point, Index need, Flip& flip) {
    const AttackModel& model = *attack.model;
    const auto size = [&](const Vector& d) {
        const Vector moved = point.x + d;
        return model.move_size(point.x, moved - point.x);
    };
    const double length = size(flip.d);
    if (length <= point.radius) return true;
    if (!attack.space.is_convex()) return false;
    const Vector shorter = flip.d * (point.radius / length);
    for (const Vector& d : {snapped(flip.d), shorter, snapped(shorter)}) {
        const Vector moved = point.x + d;
        if (!(size(d) <= point.radius) || !model.allows(point.x, moved)) continue;
        std::vector<int> fooled = fooled_planes(point.ensemble, moved, point.y);
        if (weight_of(point.ensemble, fooled) < need) continue;
        flip.d = d;
        flip.fooled = std::move(fooled);
        return true;
    }
    return false;
}

}  // namespace

/// Planes that a move of this size fools, each for itself; or seems to, up to rounding.
Index ModelAdversary::foolable_weight(const PointProblem& point) {
    support_.load(point.x);
    const auto n = static_cast<double>(point.x.size());
    Index weight = 0;
    for (Index i = 0; i < point.ensemble.n_planes(); ++i) {
        const Vector w = point.ensemble.coef().row(i).transpose();
        const double b = point.ensemble.intercept()[i];
        const double margin = point.y * (w.dot(point.x) + b);
        const double magnitude = w.cwiseAbs().dot(point.x.cwiseAbs()) + std::abs(b);
        const double reach = support_.value(-point.y * w, point.radius * (1.0 + kHair));
        const double error = (n + 16.0) * kEps * magnitude + kSupportError * std::abs(reach);
        weight += margin - error <= reach ? point.ensemble.weight_units(i) : 0;
    }
    return weight;
}

AdversaryAnswer ModelAdversary::exact(const PointProblem& point, const PointLimits& limits) {
    const double radius = std::nextafter(point.radius * (1.0 + kHair), HUGE_VAL);
    return most_fooled(
        point,
        {[&](Index need) { return flipper_.fool_planes(point.x, point.y, need, radius, limits); },
         [&](Index need, Flip& flip) { return fits(attack_, point, need, flip); },
         foolable_weight(point)});
}

AdversaryAnswer ModelAdversary::heuristic(const PointProblem& point) {
    const Matrix& W = point.ensemble.coef();
    Vector g = Vector::Zero(W.cols());
    double sum = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        const double margin = point.y * (W.row(i).dot(point.x) + point.ensemble.intercept()[i]);
        const double beta = point.ensemble.weight(i) * std::max(0.0, 1.0 + margin);
        g += beta * W.row(i).transpose();
        sum += beta;
    }
    if (sum > 0.0) g *= -point.y / sum;
    AdversaryAnswer answer;
    answer.bound = std::numeric_limits<double>::infinity();
    answer.status = g.allFinite() ? Status::Optimal : Status::NumericalFailure;
    if (!g.allFinite()) g.setZero();
    support_.load(point.x);
    answer.d = support_.maximise(g, point.radius);
    const std::vector<int> fooled = fooled_planes(point.ensemble, point.x + answer.d, point.y);
    answer.objective =
        point.ensemble.weight_unit() * static_cast<double>(weight_of(point.ensemble, fooled));
    return answer;
}

/// A hinge that no move reaches counts 0; one that none leaves is affine.
void ModelAdversary::load_hinges(const PointProblem& point) {
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

double ModelAdversary::hinge_sum(const PointProblem& point, const Vector& d) const {
    double sum = certain_c_ + certain_g_.dot(d);
    for (const Hinge& hinge : hinges_) {
        const double step = -point.y * hinge.weight * point.ensemble.coef().row(hinge.plane).dot(d);
        sum += std::max(0.0, hinge.c + step);
    }
    return sum;
}

void ModelAdversary::offer(const PointProblem& point, const Vector& d) {
    const double value = hinge_sum(point, d);
    if (best_d_.size() > 0 && value <= best_) return;
    best_ = value;
    best_d_ = d;
}

/// The farthest move along the planes that count, as long as that helps.
void ModelAdversary::improve(const PointProblem& point, Vector d) {
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
int ModelAdversary::bound_choice(const PointProblem& point, Choice& choice) {
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

AdversaryAnswer ModelAdversary::relaxed(const PointProblem& point, const PointLimits& limits) {
    load_hinges(point);
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    best_d_.resize(0);
    best_ = 0.0;
    improve(point, Vector::Zero(point.x.size()));
    const double slack = kSupportError * scale_;
    const auto is_dearer = [](const Choice& a, const Choice& b) { return a.bound < b.bound; };
    open_.clear();
    open_.push_back({std::vector<signed char>(hinges_.size(), -1), HUGE_VAL});
    answer.bound = -HUGE_VAL;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), is_dearer);
        Choice choice = std::move(open_.back());
        open_.pop_back();
        const bool is_struck = limits.struck(answer.n_nodes, &answer.status);
        if (is_struck || choice.bound <= best_ + slack) {
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
            std::push_heap(open_.begin(), open_.end(), is_dearer);
        }
    }
    answer.d = best_d_;
    answer.objective = best_;
    answer.bound = std::max(answer.bound, best_) + slack;
    return answer;
}

}  // namespace redoubt
