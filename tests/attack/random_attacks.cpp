#include "attack/random_attacks.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace redoubt::testing {

namespace {

void fill_planes(PlaneKind kind, std::mt19937_64& rng, Matrix& W, Vector& b) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> whole(-3, 3);
    const Vector centre = Vector::NullaryExpr(W.cols(), [&] { return normal(rng); });
    for (Index i = 0; i < W.rows(); ++i) {
        for (Index l = 0; l < W.cols(); ++l) {
            W(i, l) = kind == PlaneKind::Whole ? whole(rng) : normal(rng);
            if (kind == PlaneKind::Bagged) W(i, l) = centre[l] + 0.3 * W(i, l);
        }
        b[i] = kind == PlaneKind::Whole ? whole(rng) : 0.5 * normal(rng);
        if (kind == PlaneKind::Scaled) {
            const double size = std::pow(10.0, 2.0 * whole(rng));
            W.row(i) *= size;
            b[i] *= size;
        }
        if (kind != PlaneKind::Repeated || i == 0) continue;
        const Index other = std::uniform_int_distribution<Index>(0, i - 1)(rng);
        const int what = whole(rng);
        if (what == 3) {
            W.row(i).setZero();
        } else if (what != 0) {
            W.row(i) = (what > 0 ? 1.0 : -1.0) * W.row(other);
            b[i] = what == 1 ? b[i] : (what > 0 ? 1.0 : -1.0) * b[other];
        }
    }
}

}  // namespace

RandomAttack make_random_attack(PlaneKind kind, Index k, Index n, std::uint64_t seed) {
    std::mt19937_64 rng(seed * 1000003U + static_cast<std::uint64_t>(kind));
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> whole(-3, 3);
    Matrix W(k, n);
    Vector b(k);
    fill_planes(kind, rng, W, b);
    Vector x(n);
    for (Index l = 0; l < n; ++l) x[l] = kind == PlaneKind::Whole ? whole(rng) : normal(rng);
    const int y = rng() % 2 == 0 ? 1 : -1;
    if (kind == PlaneKind::OnMargin) {
        for (Index i = 0; i < k; ++i) b[i] = static_cast<double>(rng() % 2) * y - W.row(i).dot(x);
    }
    const double radii[] = {0.0, 0.05, 0.3, 1.0, 1.0, 2.0, 10.0};
    return {Ensemble(W, b), x, y, radii[rng() % std::size(radii)]};
}

double hinge_sum(const PointProblem& point, const Vector& d) {
    const Matrix& W = point.ensemble.coef();
    long double sum = 0.0L;
    for (Index i = 0; i < W.rows(); ++i) {
        long double value = point.ensemble.intercept()[i];
        for (Index l = 0; l < W.cols(); ++l) {
            value +=
                static_cast<long double>(W(i, l)) * (static_cast<long double>(point.x[l]) + d[l]);
        }
        sum += std::max(0.0L, 1.0L - point.y * value);
    }
    return static_cast<double>(sum);
}

double brute_force_relaxed(const PointProblem& point) {
    const Matrix& W = point.ensemble.coef();
    const Index k = W.rows();
    const Index n = W.cols();
    std::vector<long double> c(static_cast<std::size_t>(k));
    for (Index i = 0; i < k; ++i) {
        long double value = point.ensemble.intercept()[i];
        for (Index l = 0; l < n; ++l) value += static_cast<long double>(W(i, l)) * point.x[l];
        c[static_cast<std::size_t>(i)] = 1.0L - point.y * value;
    }
    long double best = 0.0L;
    std::vector<long double> sum(static_cast<std::size_t>(n));
    for (std::uint32_t v = 0; v < (std::uint32_t{1} << k); ++v) {
        std::fill(sum.begin(), sum.end(), 0.0L);
        long double value = 0.0L;
        for (Index i = 0; i < k; ++i) {
            if (((v >> i) & 1U) == 0) continue;
            value += c[static_cast<std::size_t>(i)];
            for (Index l = 0; l < n; ++l) sum[static_cast<std::size_t>(l)] += W(i, l);
        }
        long double size = 0.0L;
        for (const long double s : sum) {
            if (point.threat.norm == Norm::L1) size = std::max(size, std::abs(s));
            if (point.threat.norm == Norm::L2) size += s * s;
            if (point.threat.norm == Norm::LInf) size += std::abs(s);
        }
        if (point.threat.norm == Norm::L2) size = std::sqrt(size);
        best = std::max(best, value + point.radius * size);
    }
    return static_cast<double>(best);
}

double term_scale(const PointProblem& point) {
    const Matrix& W = point.ensemble.coef();
    double sum = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        sum += 1.0 + std::abs(point.ensemble.intercept()[i]) +
               W.row(i).cwiseAbs().dot(point.x.cwiseAbs()) +
               point.radius * norm_value(dual(point.threat.norm), W.row(i).transpose());
    }
    return sum;
}

}  // namespace redoubt::testing
