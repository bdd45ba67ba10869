#include "attack/quadratic_bound.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

constexpr int kSweeps = 4;
/// Covers the rounding of the eigenvalue and of the Gram matrix, and keeps the diagonal negative.
constexpr double kMuMargin = 1e-9;

/// Below this a row's square has lost digits to underflow.
constexpr double kLeastDiagonal = 1e-280;
/// Below this share of its terms' sizes the root is rounding noise.
constexpr double kLeastRoot = 1e-6;

}  // namespace

void QuadraticBound::prepare(const Matrix& gram, double radius, const VectorRef& c,
                             Index n_features) {
    radius_ = radius;
    n_roundings_ = 8.0 * static_cast<double>(c.size() + n_features + 16);
    c_ = c;
    diagonal_ = gram.diagonal();
    is_usable_ = diagonal_.minCoeff() > kLeastDiagonal;
    if (!is_usable_) return;
    const Vector scaling = diagonal_.cwiseSqrt().cwiseInverse();
    const Eigen::MatrixXd scaled = scaling.asDiagonal() * gram * scaling.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled, Eigen::EigenvaluesOnly);
    mu_ = (1.0 + kMuMargin) * std::max(1.0, eigen.eigenvalues().maxCoeff());
    M_ = gram;
    M_.diagonal() -= mu_ * diagonal_;
    product_.resize(c.size());
    slope_.resize(c.size());
}

double QuadraticBound::square(const std::vector<int>& free, const Vector& z, double s,
                              const Vector& point) const {
    double sum = s;
    for (const Index i : free) sum += point[i] * (2.0 * z[i] + mu_ * diagonal_[i] + product_[i]);
    return sum;
}

/// Coordinate ascent; each coordinate's best value is known, as the problem is concave in it.
void QuadraticBound::climb(const std::vector<int>& free, const Vector& z, double s, Vector& point,
                           double& root) {
    for (int turn = 0; turn < kSweeps && root > 0.0; ++turn) {
        const double rate = 0.5 * radius_ / root;
        for (const Index i : free) {
            const double* row = M_.row(i).data();
            const double others = product_[i] - row[i] * point[i];
            const double pull = c_[i] / rate + 2.0 * z[i] + mu_ * diagonal_[i] + 2.0 * others;
            const double target = std::clamp(pull / (-2.0 * row[i]), 0.0, 1.0);
            const double change = target - point[i];
            if (change == 0.0) continue;
            point[i] = target;
            for (const Index j : free) product_[j] += change * row[j];
        }
        root = std::sqrt(std::max(0.0, square(free, z, s, point)));
    }
}

double QuadraticBound::evaluate(const std::vector<int>& free, const Vector& z, double s,
                                double constant, double size, Vector& point) {
    if (!is_usable_) return std::numeric_limits<double>::infinity();
    for (const Index i : free) {
        const double* row = M_.row(i).data();
        double sum = 0.0;
        for (const Index j : free) sum += row[j] * point[j];
        product_[i] = sum;
    }
    double root = std::sqrt(std::max(0.0, square(free, z, s, point)));
    climb(free, z, s, point, root);
    if (!(root > kLeastRoot * size)) return std::numeric_limits<double>::infinity();
    // r sqrt(Q) <= r root / 2 + rate Q for every root > 0, and Q lies below its tangent.
    const double rate = 0.5 * radius_ / root;
    double tangent = s;
    double gains = 0.0;
    for (const Index i : free) {
        tangent -= point[i] * product_[i];
        slope_[i] = c_[i] + rate * (2.0 * z[i] + mu_ * diagonal_[i] + 2.0 * product_[i]);
        gains += std::max(0.0, slope_[i]);
    }
    const double slack = n_roundings_ * kEps * rate * (1.0 + mu_) * size * size;
    return constant + 0.5 * radius_ * root + rate * tangent + gains + slack;
}

}  // namespace redoubt
