#include "attack/relaxed_adversary.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "attack/relaxed_rules.hpp"
#include "core/rounding.hpp"

namespace redoubt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double positive_part(double value) {
    return value > 0.0 ? value : 0.0;
}

}  // namespace

AdversaryAnswer RelaxedAdversary::solve(const PointProblem& point, const PointLimits& limits) {
    load_terms(point);
    if (!std::isfinite(terms_.scale)) {
        double sum = 0.0;
        for (Index i = 0; i < c_.size(); ++i) sum += positive_part(c_[i]);
        return {Status::NumericalFailure, Vector::Zero(point.x.size()), sum, kInfinity, 0};
    }
    status_ = Status::Optimal;
    n_nodes_ = 0;
    if (point.threat.norm == Norm::L1) {
        solve_l1();
        return finish(point);
    }
    sort_out_certain_planes();
    if (terms_.planes.empty()) {
        bound_ = -kInfinity;  // f is affine on the ball: `finish` evaluates its maximum
    } else if (point.threat.norm == Norm::LInf && point.x.size() <= tuning_.box_features) {
        solve_box_vertices();
    } else {
        solve_search(limits);
    }
    return finish(point);
}

void RelaxedAdversary::load_terms(const PointProblem& point) {
    const Matrix& W = point.ensemble.coef();
    const Vector& b = point.ensemble.intercept();
    const double y = point.y;
    c_.resize(W.rows());
    terms_.scale = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        const auto row = W.row(i).transpose();
        const double weight = point.ensemble.weight(i);
        c_[i] = weight * (1.0 - y * (row.dot(point.x) + b[i]));
        terms_.scale += weight * (1.0 + std::abs(b[i]) + row.cwiseAbs().dot(point.x.cwiseAbs()));
    }
    terms_.radius = point.radius * planes_.unit;
    terms_.sign = -y;
    terms_.scale += terms_.radius * planes_.size.sum();
    // The search adds up rows in any order, and flips up to 256 times in a row.
    const auto n_sums = static_cast<double>(W.rows() + W.cols() + 256);
    terms_.slack = 4.0 * n_sums * kEps * terms_.scale;
    v_.assign(static_cast<std::size_t>(W.rows()), 0);
}

/// A hinge that no d in the ball reaches counts 0; one that none leaves is affine.
void RelaxedAdversary::sort_out_certain_planes() {
    terms_.planes.clear();
    terms_.certain.clear();
    terms_.c0 = 0.0;
    for (Index i = 0; i < c_.size(); ++i) {
        const double reach = terms_.radius * planes_.size[i];
        if (c_[i] - reach >= 0.0) {
            terms_.certain.push_back(static_cast<int>(i));
            terms_.c0 += c_[i];
            v_[static_cast<std::size_t>(i)] = 1;
        } else if (c_[i] + reach > 0.0) {
            terms_.planes.push_back(static_cast<int>(i));
        }
    }
    terms_.c.resize(static_cast<Index>(terms_.planes.size()));
    for (std::size_t j = 0; j < terms_.planes.size(); ++j) {
        terms_.c[static_cast<Index>(j)] = c_[terms_.planes[j]];
    }
}

/// The l1 ball is the convex hull of +-r e_l, and a convex function is largest at a vertex.
void RelaxedAdversary::solve_l1() {
    const Matrix& W = planes_.W();
    const double factor = terms_.radius * terms_.sign / planes_.unit;
    at_.setZero(W.cols());
    signs_.setZero(W.cols());
    for (Index i = 0; i < W.rows(); ++i) {
        const auto row = W.row(i).transpose().array();
        at_.array() += (c_[i] + factor * row).max(0.0);
        signs_.array() += (c_[i] - factor * row).max(0.0);
    }
    Index up = 0;
    Index down = 0;
    const double most_up = at_.maxCoeff(&up);
    const double most_down = signs_.maxCoeff(&down);
    const Index best = most_up >= most_down ? up : down;
    const double step = most_up >= most_down ? factor : -factor;
    bound_ = std::max(most_up, most_down);
    for (Index i = 0; i < W.rows(); ++i) {
        v_[static_cast<std::size_t>(i)] = c_[i] + step * W(i, best) > 0.0 ? 1 : 0;
    }
}

/// All vertices in Gray order, one flip a time, from d = (r, ..., r); the first best one wins.
void RelaxedAdversary::solve_box_vertices() {
    const Matrix& W = planes_.W();
    const double factor = terms_.radius * terms_.sign / planes_.unit;
    const Index n = W.cols();
    const auto n_terms = static_cast<Index>(terms_.planes.size());
    // Column l holds a_il r of the uncertain planes and, last, of the sum of the certain ones.
    columns_.setZero(n, n_terms + 1);
    for (Index j = 0; j < n_terms; ++j) {
        columns_.col(j) = factor * W.row(terms_.planes[static_cast<std::size_t>(j)]).transpose();
    }
    for (const int i : terms_.certain) columns_.col(n_terms) += factor * W.row(i).transpose();
    at_ = columns_.colwise().sum().transpose();
    at_.head(n_terms) += terms_.c;
    signs_.setOnes(n);
    const auto value = [&] { return at_.head(n_terms).cwiseMax(0.0).sum() + at_[n_terms]; };
    double most = value();
    best_at_ = at_;
    const std::uint32_t n_vertices = std::uint32_t{1} << n;
    for (std::uint32_t flip = 1; flip < n_vertices; ++flip) {
        const Index l = std::countr_zero(flip);
        at_ -= (2.0 * signs_[l]) * columns_.row(l).transpose();
        signs_[l] = -signs_[l];
        const double sum = value();
        if (sum > most + terms_.slack) {
            most = sum;
            best_at_ = at_;
        }
    }
    // The flips add one rounding each, and ties within the slack were not taken.
    terms_.slack += (2.0 * n_vertices) * kEps * terms_.scale;
    bound_ = terms_.c0 + most + terms_.slack;
    for (Index j = 0; j < n_terms; ++j) {
        v_[static_cast<std::size_t>(terms_.planes[static_cast<std::size_t>(j)])] =
            best_at_[j] > 0.0 ? 1 : 0;
    }
}

void RelaxedAdversary::solve_search(const PointLimits& limits) {
    const RelaxedOptimum& optimum = search_.solve(terms_, limits);
    status_ = optimum.status;
    n_nodes_ = optimum.n_nodes;
    bound_ = optimum.bound;
    for (std::size_t j = 0; j < terms_.planes.size(); ++j) {
        v_[static_cast<std::size_t>(terms_.planes[j])] = optimum.v[j];
    }
}

AdversaryAnswer RelaxedAdversary::finish(const PointProblem& point) const {
    const Matrix& W = planes_.W();
    const double factor = terms_.sign / planes_.unit;
    Vector g = Vector::Zero(W.cols());
    for (Index i = 0; i < W.rows(); ++i) {
        if (v_[static_cast<std::size_t>(i)] != 0) g += factor * W.row(i).transpose();
    }
    AdversaryAnswer answer;
    answer.status = status_;
    answer.d = Vector::Zero(g.size());
    if (point.radius > 0.0) answer.d = steepest_step(point.threat.norm, g, point.radius);
    fit_into_ball(point.threat.norm, point.radius, answer.d);
    answer.n_nodes = n_nodes_;
    for (Index i = 0; i < W.rows(); ++i) {
        answer.objective += positive_part(c_[i] + terms_.sign * W.row(i).dot(answer.d));
    }
    answer.bound = std::max(bound_, answer.objective) + terms_.slack;
    return answer;
}

AdversaryAnswer relaxed_adversary(const PointProblem& point, const PointLimits& limits) {
    const MoveSpace space(point.threat, point.x.size());
    if (!space.is_ball) return RelaxedRuleSearch(space).solve(point, limits);
    const RelaxedPlanes planes(point.ensemble, point.threat.norm);
    return RelaxedAdversary(planes).solve(point, limits);
}

}  // namespace redoubt
