#include "svm/threat_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svm/capped_simplex.hpp"
#include "svm/hard_margin.hpp"
#include "svm/optimal_bias.hpp"

namespace redoubt {

namespace {

constexpr HingeStage::Traits kThreatTraits{.least_eps = 1e-6,
                                           .max_idle_stages = 60,
                                           .max_idle_small = std::numeric_limits<int>::max(),
                                           .keeps_best_hard_margin = true};
/// Width of the boxes' smoothing for a hinge width of 1; see kConeRatio in ball_stage.cpp.
constexpr double kBoxRatio = 2.0;
/// A stage goes on until it is clean, unlike those of a ball: moves are found at its end, and they
/// should be worth it. Then a few more steps go after the gradient itself, until it is worth no
/// more than this share of the gap allowed.
constexpr double kGradientGoal = 0.1;
constexpr int kMaxExtraSteps = 5;
/// The smoothing shrinks no further while the moves found so far miss more than this many times
/// its error: moves come first.
constexpr double kMissedShare = 1.0;
/// Then it grows by at most this factor, which keeps the multipliers from jumping to new rows.
constexpr double kMaxGrowth = 3.0;
/// New moves replace those that differ by less than this share of their length. A round set then
/// keeps one row per point, whose curvature the stage knows. But what is replaced is forgotten, so
/// that two moves could replace each other for ever: after some stages the share falls to nothing.
constexpr double kNearlySame = 0.1;
constexpr double kMergingDecay = 0.7;
constexpr int kMergingStages = 20;
/// A point's worst move is added when it is missed by more than this share of what the tolerance
/// allows in all.
constexpr double kMissedGoal = 0.01;
/// Rounds that an unused row survives.
constexpr double kPatience = 30.0;
/// Sums of multipliers this close to 1 are at the cap: those at the cap are 1 to a few roundings.
constexpr double kCapRounding = 1e-14;

}  // namespace

ThreatStage::ThreatStage(const HingeProblem& problem, const SvmSettings& settings)
    : HingeStage(problem, kThreatTraits, LineSearch::Careful, settings.stop),
      tolerance_(settings.tolerance),
      oracle_(problem, settings.stop),
      rows_(problem, oracle_.boxes()) {
    lay_out({.bias = rows_.bias(),
             .first_size = problem.n(),
             .n_sizes = rows_.n_boxed(),
             .n_cone = 2 * rows_.n_boxed(),
             .n_rows = rows_.n_rows()});
    for (Vector* v : {&trial_, &idle_}) v->setZero(rows_.n_rows());
}

bool ThreatStage::start(const Hyperplane& plane, const Vector& a, double eps) {
    place(plane);
    smooth(eps);
    if (a.size() == 0) return false;
    oracle_.find(plane.w);
    std::vector<NewRow> added;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const Index j = rows_.point(group);
        added.push_back({group, oracle_.move(j), std::clamp(a[j], 0.0, 1.0)});
    }
    update_rows(std::move(added), 0.0);
    update_curvature();
    return true;
}

void ThreatStage::smooth(double eps) {
    eps_ = eps_cone_ = eps;
    if (rows_.n_boxed() == 0) return;
    const double mean_half = oracle_.boxes().half.rowwise().sum().dot(problem_.c);
    const double size = std::max(w().norm(), 1.0 / std::sqrt(problem_.mean_square));
    eps_cone_ = eps * kBoxRatio * size / mean_half * static_cast<double>(problem_.n());
}

bool ThreatStage::is_minimal(int n_clean, bool /*is_flat*/) const {
    if (n_clean == 0) return false;
    // What is left of the gradient widens the duality gap by its product with w.
    const double loss = gradient_.norm() * w().norm();
    return loss <= kGradientGoal * tolerance_ * last_primal_ || n_clean > kMaxExtraSteps;
}

// --- Hinges -------------------------------------------------------------------------------------

/// The group's maximiser at z + step * direction, into trial_.
void ThreatStage::project_group(Index group, double step) {
    const double slope = 1.0 / eps_;
    const Index begin = rows_.begin(group);
    const Index count = rows_.end(group) - begin;
    for (Index row = begin; row < begin + count; ++row)
        trial_[row] = a_centre_[row] + slope * (t_[row] + step * t_direction_[row]);
    if (count == 1) {
        trial_[begin] = std::min(1.0, std::max(0.0, trial_[begin]));
    } else {
        project_to_capped_simplex(trial_.data() + begin, count);
    }
}

void ThreatStage::find_multipliers() {
    for (Index group = 0; group < rows_.n_groups(); ++group) project_group(group, 0.0);
    a_ = trial_;
    find_free_groups();
}

/// Which multipliers are free, from their values.
void ThreatStage::find_free_groups() {
    free_groups_.clear();
    free_rows_.clear();
    free_weight_ = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const std::size_t first = free_rows_.size();
        double sum = 0.0;
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row) {
            if (!(a_[row] > 0.0)) continue;
            free_rows_.push_back(static_cast<int>(row));
            sum += a_[row];
        }
        const bool is_capped = sum >= 1.0 - kCapRounding;
        if (is_capped && free_rows_.size() == first + 1) free_rows_.pop_back();
        if (free_rows_.size() == first) continue;
        free_groups_.push_back({group, first, free_rows_.size(), is_capped});
        free_weight_ += rows_.weight(group);
    }
}

void ThreatStage::extend_last_piece() {
    for (const FreeGroup& free : free_groups_) {
        double sum = 0.0;
        for (std::size_t i = free.begin; i < free.end; ++i) {
            const int row = free_rows_[i];
            a_[row] = a_centre_[row] + t_[row] / eps_;
            sum += a_[row];
        }
        if (!free.is_capped) continue;
        const double excess = (sum - 1.0) / static_cast<double>(free.end - free.begin);
        for (std::size_t i = free.begin; i < free.end; ++i) a_[free_rows_[i]] -= excess;
    }
}

double ThreatStage::hinge_slope(double step) {
    double result = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        project_group(group, step);
        double sum = 0.0;
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
            sum += trial_[row] * t_direction_[row];
        result += rows_.weight(group) * sum;
    }
    return result;
}

double ThreatStage::group_multiplier(Index group) const {
    double sum = 0.0;
    for (Index row = rows_.begin(group); row < rows_.end(group); ++row) sum += a_[row];
    return sum;
}

/// The point's hinge over the moves found so far.
double ThreatStage::group_hinge(Index group) const {
    double largest = 0.0;
    for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
        largest = std::max(largest, t_[row]);
    return largest;
}

const Vector& ThreatStage::multipliers() {
    point_multipliers_.setZero(problem_.m);
    for (Index group = 0; group < rows_.n_groups(); ++group)
        point_multipliers_[rows_.point(group)] = std::min(1.0, group_multiplier(group));
    return point_multipliers_;
}

// --- The cone: s_l >= |w_l|. Its multipliers u are p, then q. -----------------------------------

void ThreatStage::add_cone_gradient() {
    const Index n = problem_.n();
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double w = z_[l];
        const double s = z_[n + l];
        const double p = u_[l] = std::max(0.0, u_centre_[l] + (w - s) / eps_cone_);
        const double q = u_[n + l] = std::max(0.0, u_centre_[n + l] + (-w - s) / eps_cone_);
        gradient_[l] += p - q;
        gradient_[n + l] += -p - q + proximal(n + l);
    }
}

bool ThreatStage::set_hinge_hessian() {
    if (is_large_) return rows_.gram(free_groups_, free_rows_, eps_, large_);
    rows_.gram(free_groups_, free_rows_, eps_, hessian());
    return true;
}

const FreeRows* ThreatStage::split_hessian(FreeRowSystem::Parts& parts) {
    // The curvature of round sets is a full matrix.
    if (curvature_.size() > 0 || static_cast<Index>(free_rows_.size()) >= rows_.bias())
        return nullptr;
    free_row_view_.set(rows_, free_groups_, free_rows_, eps_, parts);
    parts.Theta = Vector::Constant(1, delta_bias());
    parts.D = Vector::Constant(rows_.bias(), mu_);
    const Index n = rows_.n_boxed();
    if (n > 0) {
        const double strength = 1.0 / eps_cone_;
        const auto active = [&](Index begin) -> Vector {
            return (u_.segment(begin, n).array() > 0.0).cast<double>() * strength;
        };
        free_row_view_.set_cone(mu_, delta_size_, active(0), active(n), parts);
    }
    return &free_row_view_;
}

void ThreatStage::add_cone_hessian() {
    const Index n = problem_.n();
    Matrix& H = hessian();
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double plus = u_[l] > 0.0 ? 1.0 / eps_cone_ : 0.0;
        const double minus = u_[n + l] > 0.0 ? 1.0 / eps_cone_ : 0.0;
        H(l, l) += plus + minus;
        H(n + l, n + l) += plus + minus + delta_size_;
        H(l, n + l) += minus - plus;
    }
}

double ThreatStage::add_cone_slope(double sum, double step) {
    const Index n = problem_.n();
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double dw = direction_[l];
        const double ds = direction_[n + l];
        const double w = z_[l] + step * dw;
        const double s = z_[n + l] + step * ds;
        const double p = std::max(0.0, u_centre_[l] + (w - s) / eps_cone_);
        const double q = std::max(0.0, u_centre_[n + l] + (-w - s) / eps_cone_);
        sum += p * (dw - ds) - q * (dw + ds) + proximal_slope(n + l, step);
    }
    return sum;
}

// --- The gap ------------------------------------------------------------------------------------

DualityGap ThreatStage::measure(double mu) {
    const Index n = problem_.n();
    oracle_.find(w());
    DualityGap gap;
    missed_ = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const Index j = rows_.point(group);
        // The first row has d = 0, but its box is in it.
        double plain = t_[rows_.begin(group)];
        if (rows_.n_boxed() > 0) {
            plain += rows_.label(group) * oracle_.boxes().middle.row(j).dot(w()) -
                     oracle_.boxes().half.row(j).dot(z_.segment(n, n));
        }
        const double hinge = std::max(0.0, plain + oracle_.gain()[j]);
        gap.hinge += rows_.weight(group) * hinge;
        missed_ += rows_.weight(group) * std::max(0.0, hinge - group_hinge(group));
    }
    gap.primal = gap.hinge + 0.5 * mu * w().squaredNorm();
    set_dual(mu, gap);
    return gap;
}

/// The dual side with the present rows and multipliers: v = sum alpha y (x + d), and with boxes the
/// distance is that to { |v_l| <= sum alpha half_l }.
void ThreatStage::set_dual(double mu, DualityGap& gap) {
    gap.dual = gap.multipliers = gap.distance = gap.squared_distance = 0.0;
    double plus = 0.0;
    double minus = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group)
        (rows_.label(group) > 0.0 ? plus : minus) += rows_.weight(group) * group_multiplier(group);
    const double lighter = std::min(plus, minus);
    if (lighter <= 0.0) return;
    Vector alpha(rows_.n_rows());
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const double share = lighter / (rows_.label(group) > 0.0 ? plus : minus);
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
            alpha[row] = share * rows_.weight(group) * a_[row];
    }
    const Index n = problem_.n();
    Vector image;
    rows_.multiply_transposed(alpha, image);
    Vector rest = image.head(n);
    if (rows_.n_boxed() > 0) rest = (rest.cwiseAbs() - image.segment(n, n)).cwiseMax(0.0);
    gap.multipliers = 2.0 * lighter;
    gap.distance = rest.norm();
    gap.squared_distance = rest.squaredNorm();
    gap.set_dual(mu, w().norm());
}

DualityGap ThreatStage::finish(Hyperplane& plane, const Vector& /*a*/,
                               const std::optional<DualityGap>& gap, bool is_hard_margin) {
    // What multipliers and moves prove does not depend on the bias.
    DualityGap result = gap ? *gap : measure(problem_.mu);
    oracle_.find(plane.w);
    Vector score(problem_.m);
    problem_.rows.multiply(plane.w.data(), 0, problem_.m, score.data());
    const Vector height = 1.0 + oracle_.gain().array();
    plane.b = optimal_bias(score, height, problem_.y, problem_.c);
    Vector t = height - problem_.y.cwiseProduct((score.array() + plane.b).matrix());
    if (is_hard_margin) {
        // Margins grow with the plane, what moves take from them included.
        const double factor = stretch_to_margin(t, problem_.c, kLargestStretch);
        plane.w *= factor;
        plane.b *= factor;
        if (factor > 1.0) t = 1.0 - factor * (1.0 - t.array());
    }
    result.primal = 0.5 * problem_.mu * plane.w.squaredNorm();
    for (Index j = 0; j < problem_.m; ++j) result.primal += problem_.c[j] * std::max(0.0, t[j]);
    result.set_dual(problem_.mu, plane.w.norm());
    return result;
}

// --- Moves --------------------------------------------------------------------------------------

DualityGap ThreatStage::add_rows(const DualityGap& gap, const StagePlan& plan) {
    smoothing_error_ = smoothing_error();
    last_primal_ = std::max(gap.primal, kGapFloor);
    const double floor = plan.is_flat() ? 0.0 : kGapFloor;
    const double allowance = kMissedGoal * tolerance_ * std::max(gap.primal, floor);
    const int n_late = std::max(0, ++n_rounds_ - kMergingStages);
    update_rows(missing_rows(allowance), kNearlySame * std::pow(kMergingDecay, n_late));
    DualityGap fresh = gap;
    set_dual(plan.gap_mu(), fresh);
    return fresh.dual > gap.dual ? fresh : gap;
}

/// The worst moves of the points whose hinge they raise by more than the allowance; of a round set
/// also those of all points with a multiplier, because its moves never come twice.
std::vector<NewRow> ThreatStage::missing_rows(double allowance) const {
    std::vector<NewRow> missing;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const Index j = rows_.point(group);
        if (!(problem_.r[j] > 0.0)) continue;
        const auto d = oracle_.move(j);
        const double moved = t_[rows_.begin(group)] - rows_.label(group) * d.dot(w());
        const double known = group_hinge(group);
        const bool is_missed = moved > known + allowance;
        const bool is_round = oracle_.is_round() && group_multiplier(group) > 0.0;
        if (is_missed || (is_round && moved > known)) missing.push_back({group, d, 0.0});
    }
    return missing;
}

/// Adds rows and takes out those that have been idle for long. A new row takes the place of rows of
/// its group whose move differs by less than the share `nearly_same` of its length, and their
/// multipliers. The centre must be at the multipliers.
void ThreatStage::update_rows(std::vector<NewRow> added, double nearly_same) {
    std::vector<char> is_dropped(static_cast<std::size_t>(rows_.n_rows()), 0);
    bool is_changed = !added.empty();
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        for (Index row = rows_.begin(group) + 1; row < rows_.end(group); ++row) {
            idle_[row] = a_[row] > 0.0 ? 0.0 : idle_[row] + 1.0;
            if (idle_[row] <= kPatience || a_centre_[row] > 0.0) continue;
            is_dropped[static_cast<std::size_t>(row)] = 1;
            is_changed = true;
        }
    }
    if (!is_changed) return;
    for (NewRow& fresh : added) {
        const double near = nearly_same * nearly_same * fresh.d.squaredNorm();
        for (Index row = rows_.begin(fresh.group) + 1; row < rows_.end(fresh.group); ++row) {
            if (rows_.squared_distance(row, fresh.group, fresh.d) > near) continue;
            fresh.a += a_[row];
            is_dropped[static_cast<std::size_t>(row)] = 1;
        }
    }
    rows_.update(added, is_dropped, {&a_, &idle_});
    for (const NewRow& fresh : added) a_[rows_.end(fresh.group) - 1] = fresh.a;
    a_centre_ = a_;
    rows_.multiply(z_, t_);
    t_.array() += 1.0;
    for (Vector* v : {&t_direction_, &trial_}) v->setZero(rows_.n_rows());
    find_free_groups();
}

void ThreatStage::update_curvature() {
    Vector weight = Vector::Zero(problem_.m);
    for (Index group = 0; group < rows_.n_groups(); ++group)
        weight[rows_.point(group)] = rows_.weight(group) * group_multiplier(group);
    curvature_ = oracle_.curvature(weight);
    w_at_ = w();
}

double ThreatStage::prepare(const StagePlan& plan, bool is_clean, int n_steps) {
    update_curvature();
    if (!(missed_ > kMissedShare * smoothing_error_)) return plan.shrunk_eps(is_clean, n_steps);
    const double growth = std::min(kMaxGrowth, missed_ / smoothing_error_);
    return std::min(kColdEps, growth * plan.eps());
}

}  // namespace redoubt
