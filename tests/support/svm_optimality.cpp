#include "support/svm_optimality.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt::testing {

namespace {

double plain_norm(Norm norm, const Vector& v) {
    double sum = 0.0;
    double largest = 0.0;
    double squares = 0.0;
    for (double value : v) {
        sum += std::abs(value);
        largest = std::max(largest, std::abs(value));
        squares += value * value;
    }
    return norm == Norm::L1 ? sum : norm == Norm::LInf ? largest : std::sqrt(squares);
}

Norm other(Norm norm) {
    return norm == Norm::L1 ? Norm::LInf : norm == Norm::LInf ? Norm::L1 : Norm::L2;
}

double hinges(const RandomProblem& problem, const Vector& radii, double size,
              const Hyperplane& plane) {
    double sum = 0.0;
    for (Index j = 0; j < problem.X.rows(); ++j) {
        // Long double: far from the origin the score itself is a small difference of large numbers.
        long double score = plane.b;
        for (Index l = 0; l < problem.X.cols(); ++l) {
            score += static_cast<long double>(plane.w[l]) * problem.X(j, l);
        }
        const double t = static_cast<double>(1.0L - problem.y[j] * score) + radii[j] * size;
        sum += problem.weights[j] * std::max(0.0, t);
    }
    return sum;
}

struct DualPoint {
    Vector v;             ///< sum alpha y x
    double total = 0.0;   ///< sum alpha
    double radius = 0.0;  ///< sum alpha r
};

DualPoint balanced_dual_point(const RandomProblem& problem, const Vector& radii, double C,
                              const Vector& ratio) {
    double plus = 0.0;
    double minus = 0.0;
    for (Index j = 0; j < ratio.size(); ++j) {
        (problem.y[j] > 0.0 ? plus : minus) += C * problem.weights[j] * ratio[j];
    }
    const double lighter = std::min(plus, minus);
    DualPoint point{Vector::Zero(problem.X.cols()), 0.0, 0.0};
    if (lighter == 0.0) return point;
    // Sums of alpha y are zero, so the points may be taken relative to any origin.
    const Vector origin = problem.X.colwise().mean().transpose();
    for (Index j = 0; j < ratio.size(); ++j) {
        const double alpha =
            C * problem.weights[j] * ratio[j] * lighter / (problem.y[j] > 0.0 ? plus : minus);
        point.v += alpha * problem.y[j] * (problem.X.row(j).transpose() - origin);
        point.total += alpha;
        point.radius += alpha * radii[j];
    }
    return point;
}

}  // namespace

double svm_objective(const RandomProblem& problem, double C, const Hyperplane& plane) {
    return 0.5 * plane.w.squaredNorm() +
           C * hinges(problem, Vector::Zero(problem.y.size()), 0.0, plane);
}

double robust_objective(const RandomProblem& problem, const Vector& radii, Norm norm,
                        double regularization, const Hyperplane& plane) {
    return 0.5 * regularization * plane.w.squaredNorm() +
           hinges(problem, radii, plain_norm(other(norm), plane.w), plane);
}

double svm_lower_bound(const RandomProblem& problem, double C, const Vector& dual_ratio) {
    const DualPoint point =
        balanced_dual_point(problem, Vector::Zero(problem.y.size()), C, dual_ratio);
    return point.total - 0.5 * point.v.squaredNorm();
}

double robust_lower_bound(const RandomProblem& problem, const Vector& radii, Norm norm,
                          double largest_size, const Vector& dual_ratio) {
    const DualPoint point = balanced_dual_point(problem, radii, 1.0, dual_ratio);
    const double excess = std::max(0.0, plain_norm(norm, point.v) - point.radius);
    return std::max(0.0, point.total - largest_size * excess);
}

}  // namespace redoubt::testing
