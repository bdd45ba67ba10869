#include "svm/grouped_hinge.hpp"

#include <algorithm>
#include <cmath>

#include "svm/line_search.hpp"

namespace redoubt {

namespace {

/// As in SmoothedHinge: only felt where b or s is not determined.
constexpr double kProximalWeight = 1e-8;
/// Added to the diagonal, relative to it, when rounding makes a Hessian indefinite.
constexpr double kDiagonalLift = 1e-12;
/// Sums of multipliers this close to 1 are at the cap: those at the cap are 1 to a few roundings.
constexpr double kCapRounding = 1e-14;

}  // namespace

bool project_to_capped_simplex(double* v, Index count) {
    double sum = 0.0;
    double largest = 0.0;
    for (Index i = 0; i < count; ++i) {
        v[i] = std::max(0.0, v[i]);
        sum += v[i];
        largest = std::max(largest, v[i]);
    }
    if (sum < 1.0) return false;
    // Take the same amount off all that stay positive: those that would not, drop out first. The
    // result does not change when all move alike, and near 0 the numbers have all their digits.
    sum = 0.0;
    for (Index i = 0; i < count; ++i) {
        v[i] = std::max(v[i] - largest, -1.0);
        sum += v[i];
    }
    Index n_left = count;
    double threshold = (sum - 1.0) / static_cast<double>(count);
    for (;;) {
        double rest = 0.0;
        Index n_above = 0;
        for (Index i = 0; i < count; ++i) {
            if (v[i] <= threshold) continue;
            rest += v[i];
            ++n_above;
        }
        // More than before only by rounding.
        if (n_above >= n_left || n_above == 0) break;
        n_left = n_above;
        threshold = (rest - 1.0) / static_cast<double>(n_above);
    }
    for (Index i = 0; i < count; ++i) v[i] = std::max(0.0, v[i] - threshold);
    return true;
}

GroupedHinge::GroupedHinge(MoveRows& rows)
    : rows_(rows), delta_bias_(kProximalWeight), delta_size_(kProximalWeight * rows.mean_square()) {
    for (Vector* v : {&z_, &z_centre_, &direction_, &gradient_}) v->setZero(rows.n_variables());
    for (Vector* v : {&w_ref_, &w_at_}) v->setZero(rows.n());
    for (Vector* v : {&t_, &t_direction_, &a_, &a_centre_, &alpha_, &idle_, &trial_})
        v->setZero(rows.n_rows());
    for (Vector* v : {&p_, &q_, &p_centre_, &q_centre_}) v->setZero(rows.n_boxed());
}

void GroupedHinge::start(const VectorRef& w, double bias) {
    z_.head(rows_.n()) = w;
    z_.segment(rows_.n(), rows_.n_boxed()) = w.head(rows_.n_boxed()).cwiseAbs();
    z_[rows_.bias()] = bias;
    z_centre_ = z_;
    w_at_ = w;
    rows_.multiply(z_, t_);
    t_.array() += 1.0;
}

void GroupedHinge::update_rows(std::vector<NewRow> added, double nearly_same) {
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
    rows_.update(added, is_dropped, a_, {&a_centre_, &idle_});
    a_centre_ = a_;
    rows_.multiply(z_, t_);
    t_.array() += 1.0;
    for (Vector* v : {&t_direction_, &alpha_, &trial_}) v->setZero(rows_.n_rows());
    find_pieces();
}

void GroupedHinge::set_regularizer(double mu, Reference reference) {
    mu_ = mu;
    if (reference == Reference::Current) {
        w_ref_ = z_.head(rows_.n());
    } else {
        w_ref_.setZero();
    }
}

void GroupedHinge::set_curvature(Matrix curvature) {
    curvature_ = std::move(curvature);
    w_at_ = z_.head(rows_.n());
}

/// The group's maximiser at z + step * direction, into trial_.
void GroupedHinge::project_group(Index group, double step) {
    const double slope = 1.0 / smoothing_.eps;
    const Index begin = rows_.begin(group);
    const Index count = rows_.end(group) - begin;
    for (Index row = begin; row < begin + count; ++row) {
        trial_[row] = a_centre_[row] + slope * (t_[row] + step * t_direction_[row]);
    }
    if (count == 1) {
        trial_[begin] = std::min(1.0, std::max(0.0, trial_[begin]));
    } else {
        project_to_capped_simplex(trial_.data() + begin, count);
    }
}

void GroupedHinge::evaluate() {
    for (Index group = 0; group < rows_.n_groups(); ++group) project_group(group, 0.0);
    a_ = trial_;
    find_pieces();
    follow_multipliers();
}

/// Which multipliers are free, from their values.
void GroupedHinge::find_pieces() {
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
        const std::size_t count = free_rows_.size() - first;
        const bool is_capped = sum >= 1.0 - kCapRounding;
        if (is_capped && count == 1) free_rows_.pop_back();
        if (free_rows_.size() == first) continue;
        free_groups_.push_back({group, first, free_rows_.size(), is_capped});
        free_weight_ += rows_.weight(group);
    }
}

void GroupedHinge::evaluate_on_last_piece() {
    for (const FreeGroup& free : free_groups_) {
        double sum = 0.0;
        for (std::size_t i = free.begin; i < free.end; ++i) {
            const int row = free_rows_[i];
            a_[row] = a_centre_[row] + t_[row] / smoothing_.eps;
            sum += a_[row];
        }
        if (!free.is_capped) continue;
        const double excess = (sum - 1.0) / static_cast<double>(free.end - free.begin);
        for (std::size_t i = free.begin; i < free.end; ++i) a_[free_rows_[i]] -= excess;
    }
    follow_multipliers();
}

/// Everything that follows from the multipliers a: gradient, box multipliers.
void GroupedHinge::follow_multipliers() {
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const double weight = rows_.weight(group);
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
            alpha_[row] = weight * a_[row];
    }
    rows_.multiply_transposed(alpha_, gradient_);
    const Index n = rows_.n();
    const Index bias = rows_.bias();
    gradient_.head(n) += mu_ * (z_.head(n) - w_ref_);
    if (curvature_.size() > 0) gradient_.head(n) += curvature_ * (z_.head(n) - w_at_);
    gradient_[bias] += delta_bias_ * (z_[bias] - z_centre_[bias]);
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double w = z_[l];
        const double s = z_[n + l];
        p_[l] = std::max(0.0, p_centre_[l] + (w - s) / smoothing_.eps_box);
        q_[l] = std::max(0.0, q_centre_[l] + (-w - s) / smoothing_.eps_box);
        gradient_[l] += p_[l] - q_[l];
        gradient_[n + l] += -p_[l] - q_[l] + delta_size_ * (s - z_centre_[n + l]);
    }
}

void GroupedHinge::add_box_terms() {
    const Index n = rows_.n();
    const double factor = 1.0 / smoothing_.eps_box;
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double plus = p_[l] > 0.0 ? factor : 0.0;
        const double minus = q_[l] > 0.0 ? factor : 0.0;
        hessian_(l, l) += plus + minus;
        hessian_(n + l, n + l) += plus + minus + delta_size_;
        hessian_(l, n + l) += minus - plus;
    }
}

bool GroupedHinge::factorize() {
    const Index N = rows_.n_variables();
    const Index n = rows_.n();
    rows_.gram(free_groups_, free_rows_, smoothing_.eps, hessian_);
    hessian_.diagonal().head(n).array() += mu_;
    if (curvature_.size() > 0) hessian_.topLeftCorner(n, n) += curvature_;
    hessian_(rows_.bias(), rows_.bias()) += delta_bias_;
    add_box_terms();
    factor_.compute(hessian_.topLeftCorner(N, N));
    if (factor_.info() == Eigen::Success) return true;
    hessian_.diagonal() *= 1.0 + kDiagonalLift;
    hessian_.diagonal().array() += kDiagonalLift * hessian_.diagonal().maxCoeff();
    factor_.compute(hessian_.topLeftCorner(N, N));
    return factor_.info() == Eigen::Success;
}

bool GroupedHinge::step() {
    if (!factorize()) return false;
    direction_ = factor_.solve(-gradient_);
    rows_.multiply(direction_, t_direction_);
    const double first_slope = slope(0.0);
    if (!(first_slope < 0.0)) return false;
    decrement_ = -first_slope;
    const double length = find_step(
        LineSearch::Careful, [this](double step) { return slope(step); }, first_slope);
    if (!(length > 0.0)) return false;
    z_ += length * direction_;
    t_ += length * t_direction_;
    return true;
}

/// d/d(step) of Phi(z + step * direction).
double GroupedHinge::slope(double step) {
    double result = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        project_group(group, step);
        double sum = 0.0;
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
            sum += trial_[row] * t_direction_[row];
        result += rows_.weight(group) * sum;
    }
    const Index n = rows_.n();
    const auto dw = direction_.head(n);
    result += mu_ * ((z_.head(n) - w_ref_).dot(dw) + step * dw.squaredNorm());
    if (curvature_.size() > 0) result += (curvature_ * (z_.head(n) - w_at_ + step * dw)).dot(dw);
    const auto proximal = [&](Index i, double delta) {
        return delta * (z_[i] + step * direction_[i] - z_centre_[i]) * direction_[i];
    };
    result += proximal(rows_.bias(), delta_bias_);
    for (Index l = 0; l < rows_.n_boxed(); ++l) {
        const double w = z_[l] + step * dw[l];
        const double ds = direction_[n + l];
        const double s = z_[n + l] + step * ds;
        const double p = std::max(0.0, p_centre_[l] + (w - s) / smoothing_.eps_box);
        const double q = std::max(0.0, q_centre_[l] + (-w - s) / smoothing_.eps_box);
        result += p * (dw[l] - ds) - q * (dw[l] + ds) + proximal(n + l, delta_size_);
    }
    return result;
}

double GroupedHinge::next_decrement() {
    return gradient_.dot(factor_.solve(gradient_));
}

double GroupedHinge::smoothing_error() const {
    const double average = 1.0 / static_cast<double>(rows_.n_groups());
    return 0.5 * smoothing_.eps * std::max(free_weight_, average);
}

double GroupedHinge::group_multiplier(Index group) const {
    double sum = 0.0;
    for (Index row = rows_.begin(group); row < rows_.end(group); ++row) sum += a_[row];
    return sum;
}

double GroupedHinge::largest_multiplier() const {
    double largest = 0.0;
    for (Index group = 0; group < rows_.n_groups(); ++group)
        largest = std::max(largest, group_multiplier(group));
    return largest;
}

void GroupedHinge::advance() {
    a_centre_ = a_;
    p_centre_ = p_;
    q_centre_ = q_;
    z_centre_ = z_;
    // The terms must stay as small where b and s have grown large.
    const double bias = std::max(1.0, std::abs(z_[rows_.bias()]));
    delta_bias_ = kProximalWeight / (bias * bias);
    const double size = rows_.n_boxed() > 0 ? z_.segment(rows_.n(), rows_.n_boxed()).norm() : 0.0;
    delta_size_ = kProximalWeight / std::max(1.0 / rows_.mean_square(), size * size);
}

void GroupedHinge::scale_multipliers(double factor) {
    mu_ *= factor;
    a_ *= factor;
    a_centre_ *= factor;
    p_centre_ *= factor;
    q_centre_ *= factor;
    curvature_ *= factor;
}

}  // namespace redoubt
