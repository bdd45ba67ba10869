#include "search/vertex_basis.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

VertexBasis::VertexBasis(const PlaneSet& planes)
    : planes_(planes),
      straight_(planes),
      g_(planes.n_features()),
      g_direction_(planes.n_features()),
      ratio_(planes.n_features()),
      end_g_(planes.n_features()) {}

void VertexBasis::clear(NodeState& state) const {
    state.members.clear();
    state.active.clear();
    state.lambda.clear();
    state.basis.clear();
    state.sign.setZero(planes_.n_features());
}

int VertexBasis::restart_plane(int n_restarts, const Vector& goal,
                               const std::vector<int>& members) const {
    const auto is_easier = [&](int i, int j) {
        return goal[i] * planes_.size()[j] < goal[j] * planes_.size()[i];
    };
    const int hardest = *std::max_element(members.begin(), members.end(), is_easier);
    const int plane = n_restarts == 0   ? members.back()
                      : n_restarts == 1 ? hardest
                                        : members.front();
    return goal[plane] > 0.0 ? plane : hardest;
}

void VertexBasis::take_sides(int plane, NodeState& state) const {
    const auto w = planes_.W().row(plane);
    for (Index l = 0; l < w.size(); ++l)
        state.sign[l] = !planes_.is_live(l) ? 0.0 : w[l] < 0.0 ? -1.0 : 1.0;
}

bool VertexBasis::solve_system(const Vector& follow, NodeState& state) {
    const std::size_t p = state.active.size();
    const std::size_t n_basic = state.basis.size();
    const Matrix& W = planes_.W();
    inverse_.resize(p);
    for (std::size_t j = 0; j < p; ++j) {
        const double* w = W.data() + state.active[j] * W.cols();
        for (std::size_t c = 0; c < n_basic; ++c) inverse_.at(j, c) = w[state.basis[c]];
        if (is_linf()) inverse_.at(j, p - 1) = W.row(state.active[j]).dot(follow);
    }
    if (!inverse_.invert()) return false;
    state.lambda.assign(p, 0.0);
    coefficients_.assign(p, 0.0);
    for (std::size_t c = 0; c < p; ++c) {
        // lambda = M^-T (0, .., 0, 1) for linf and M^-T (sides of the basic features) for l1.
        const double weight = is_linf() ? (c + 1 == p ? 1.0 : 0.0) : state.sign[state.basis[c]];
        double sum = 0.0;
        for (std::size_t j = 0; j < p; ++j) {
            sum += inverse_(c, j) * right_[j];
            if (weight != 0.0) state.lambda[j] += weight * inverse_(c, j);
        }
        coefficients_[c] = sum;
    }
    for (double& value : state.lambda) value = std::max(value, 0.0);
    g_.setZero();
    kernels::add_weighted_rows(rows(), state.active.data(), state.lambda.data(),
                               static_cast<Index>(p), g_.data());
    return true;
}

void VertexBasis::solve_direction(const Vector& follow, const NodeState& state,
                                  const Violation& violation) {
    const std::size_t p = state.active.size();
    const Matrix& W = planes_.W();
    coefficients_.assign(p, 0.0);
    if (violation.plane >= 0) {
        const double* w = W.data() + violation.plane * W.cols();
        for (std::size_t c = 0; c < state.basis.size(); ++c) coefficients_[c] = -w[state.basis[c]];
        if (is_linf()) coefficients_[p - 1] = -W.row(violation.plane).dot(follow);
        g_direction_ = W.row(violation.plane).transpose();
    } else {
        coefficients_[violation.basic] = violation.side;
        if (is_linf()) coefficients_[p - 1] = -1.0;
        g_direction_.setZero();
    }
    lambda_direction_.assign(p, 0.0);
    for (std::size_t c = 0; c < p; ++c) {
        if (coefficients_[c] == 0.0) continue;
        for (std::size_t j = 0; j < p; ++j)
            lambda_direction_[j] += coefficients_[c] * inverse_(c, j);
    }
    kernels::add_weighted_rows(rows(), state.active.data(), lambda_direction_.data(),
                               static_cast<Index>(p), g_direction_.data());
}

void VertexBasis::take_off(double share, const NodeState& state) {
    for (std::size_t j = 0; j < state.active.size(); ++j)
        lambda_direction_[j] -= share * state.lambda[j];
    g_direction_ -= share * g_;
}

VertexBasis::Step VertexBasis::step_to_leaving(const NodeState& state) const {
    Step step;
    step.leaving = state.active.size();
    double scale = 0.0;
    for (double rate : lambda_direction_) scale = std::max(scale, std::abs(rate));
    for (std::size_t j = 0; j < state.active.size(); ++j) {
        const double rate = -lambda_direction_[j];
        if (rate > kVertexTolerance * scale && state.lambda[j] < step.length * rate) {
            step.length = state.lambda[j] / rate;
            step.leaving = j;
        }
    }
    return step;
}

void VertexBasis::exchange(const Violation& violation, const Step& step, NodeState& state) const {
    if (violation.plane < 0)
        state.basis.erase(state.basis.begin() + static_cast<std::ptrdiff_t>(violation.basic));
    if (step.entering >= 0) {
        state.basis.push_back(step.entering);
        state.sign[step.entering] = step.side;
    } else {
        state.active.erase(state.active.begin() + static_cast<std::ptrdiff_t>(step.leaving));
    }
    if (violation.plane >= 0) state.active.push_back(violation.plane);
}

void VertexBasis::sum_end(const std::vector<int>& planes, const std::vector<double>& lambda) {
    end_g_.setZero();
    kernels::add_weighted_rows(rows(), planes.data(), lambda.data(),
                               static_cast<Index>(planes.size()), end_g_.data());
}

}  // namespace redoubt
