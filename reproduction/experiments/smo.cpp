#include "experiments/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace redoubt::reproduction {

namespace {

using Floats = std::vector<float>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// In place of a curvature that rounding made negative or zero.
constexpr double kLeastCurvature = 1e-12;
constexpr long kMaxSteps = 10'000'000;

class PairwiseSolver {
public:
    PairwiseSolver(const Matrix& X, const Vector& y, const Vector& c)
        : X_(X),
          y_(y),
          c_(c),
          alpha_(Vector::Zero(y.size())),
          gradient_(Vector::Constant(y.size(), -1.0)),
          diagonal_(X.rowwise().squaredNorm()),
          columns_(static_cast<std::size_t>(y.size())) {}

    Hyperplane solve(double violation) {
        Index i = 0;
        Index j = 0;
        for (long step = 0; step < kMaxSteps && choose_pair(violation, i, j); ++step) {
            move_pair(i, j);
        }
        return {X_.transpose() * alpha_.cwiseProduct(y_), bias()};
    }

private:
    bool can_rise(Index t) const { return alpha_[t] < c_[t]; }
    bool can_fall(Index t) const { return alpha_[t] > 0.0; }
    /// May y alpha grow, or shrink?
    bool is_up(Index t) const { return y_[t] > 0.0 ? can_rise(t) : can_fall(t); }
    bool is_low(Index t) const { return y_[t] > 0.0 ? can_fall(t) : can_rise(t); }

    /// Row t of y y' X X'.
    const Floats& column(Index t) {
        Floats& q = columns_[static_cast<std::size_t>(t)];
        if (q.empty()) {
            const Vector products = X_ * X_.row(t).transpose();
            q.resize(static_cast<std::size_t>(y_.size()));
            for (Index s = 0; s < y_.size(); ++s)
                q[static_cast<std::size_t>(s)] = static_cast<float>(y_[t] * y_[s] * products[s]);
        }
        return q;
    }

    /// False when no pair violates the conditions by more than `violation`.
    bool choose_pair(double violation, Index& i, Index& j) {
        double most = -kInfinity;
        i = -1;
        for (Index t = 0; t < y_.size(); ++t) {
            const double value = -y_[t] * gradient_[t];
            if (is_up(t) && value >= most) {
                most = value;
                i = t;
            }
        }
        if (i < 0) return false;
        const Floats& q = column(i);
        double least = kInfinity;
        double best_gain = kInfinity;
        j = -1;
        for (Index t = 0; t < y_.size(); ++t) {
            if (!is_low(t)) continue;
            const double value = -y_[t] * gradient_[t];
            least = std::min(least, value);
            const double slope = most - value;
            if (slope <= 0.0) continue;
            const double product =
                y_[i] * y_[t] * static_cast<double>(q[static_cast<std::size_t>(t)]);
            double curvature = diagonal_[i] + diagonal_[t] - 2.0 * product;
            if (curvature <= 0.0) curvature = kLeastCurvature;
            const double gain = -slope * slope / curvature;
            if (gain <= best_gain) {
                best_gain = gain;
                j = t;
            }
        }
        return most - least >= violation && j >= 0;
    }

    /// The optimum over alpha_i and alpha_j on their line within the box.
    void move_pair(Index i, Index j) {
        const Floats& qi = column(i);
        const Floats& qj = column(j);
        const double product = y_[i] * y_[j] * static_cast<double>(qi[static_cast<std::size_t>(j)]);
        double curvature = diagonal_[i] + diagonal_[j] - 2.0 * product;
        if (curvature <= 0.0) curvature = kLeastCurvature;
        // y_i alpha_i grows by `step`, y_j alpha_j shrinks by it.
        double step = (-y_[i] * gradient_[i] + y_[j] * gradient_[j]) / curvature;
        step = std::min({step, y_[i] > 0.0 ? c_[i] - alpha_[i] : alpha_[i],
                         y_[j] > 0.0 ? alpha_[j] : c_[j] - alpha_[j]});
        const double old_i = alpha_[i];
        const double old_j = alpha_[j];
        alpha_[i] = std::clamp(old_i + y_[i] * step, 0.0, c_[i]);
        alpha_[j] = std::clamp(old_j - y_[j] * step, 0.0, c_[j]);
        const double by_i = alpha_[i] - old_i;
        const double by_j = alpha_[j] - old_j;
        for (Index t = 0; t < y_.size(); ++t) {
            const auto at = static_cast<std::size_t>(t);
            gradient_[t] += static_cast<double>(qi[at]) * by_i + static_cast<double>(qj[at]) * by_j;
        }
    }

    /// The mean over the points on the margin, or else the middle of what is allowed.
    double bias() const {
        double upper = kInfinity;
        double lower = -kInfinity;
        double sum = 0.0;
        double n_free = 0.0;
        for (Index t = 0; t < y_.size(); ++t) {
            const double value = y_[t] * gradient_[t];
            if (can_rise(t) && can_fall(t)) {
                sum += value;
                n_free += 1.0;
            } else if (is_up(t)) {
                upper = std::min(upper, value);
            } else {
                lower = std::max(lower, value);
            }
        }
        return n_free > 0.0 ? -sum / n_free : -0.5 * (upper + lower);
    }

    const Matrix& X_;
    const Vector& y_;
    const Vector& c_;
    Vector alpha_;
    Vector gradient_;
    Vector diagonal_;
    std::vector<Floats> columns_;
};

}  // namespace

Hyperplane train_pairwise_svm(const SvmData& data, double violation) {
    // LIBSVM sorts the points by class and calls the first class +1.
    std::vector<Index> kept;
    for (double label : {-1.0, 1.0}) {
        for (Index j = 0; j < data.y.size(); ++j) {
            const bool has_weight = data.weights.size() == 0 || data.weights[j] > 0.0;
            if (data.y[j] == label && has_weight) kept.push_back(j);
        }
    }
    const Matrix X = data.X.to_dense(kept);
    const Vector y = -data.y(kept);
    const Vector c = data.weights.size() == 0 ? Vector::Ones(y.size()) : data.weights(kept).eval();
    const Hyperplane reversed = PairwiseSolver(X, y, c).solve(violation);
    return {-reversed.w, -reversed.b};
}

}  // namespace redoubt::reproduction
