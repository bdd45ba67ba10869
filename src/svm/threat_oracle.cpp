#include "svm/threat_oracle.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace redoubt {

namespace {

/// Points per piece of work.
constexpr Index kPiece = 128;
/// Below this many numbers a pass is over before a second thread would have started.
constexpr double kParallelNumbers = 2e4;
/// A round part seen under a w shorter than this share of its usual length is a corner.
constexpr double kApex = 1e-3;

}  // namespace

ThreatOracle::ThreatOracle(const HingeProblem& problem, StopFlag stop)
    : problem_(problem), space_(problem.threat, problem.n()) {
    gain_.setZero(problem.m);
    moves_.setZero(problem.m, problem.n());
    is_boxed_.setZero(problem.n());
    if (problem.threat.norm == Norm::LInf) make_boxes(stop);
}

void ThreatOracle::make_boxes(StopFlag stop) {
    const Index n = problem_.n();
    is_boxed_.setOnes();
    for (const OneHotGroup& group : problem_.threat.one_hot) {
        for (int l : group.features) is_boxed_[l] = 0.0;
    }
    boxes_.middle.setZero(problem_.m, n);
    boxes_.half.setZero(problem_.m, n);
    Support support(space_);
    for (Index j = 0; j < problem_.m && !is_raised(stop); ++j) {
        if (!can_move(j)) continue;
        if (problem_.is_given(j)) {
            if (problem_.given.half.size() > 0)
                boxes_.half.row(j) = problem_.given.half.row(j - problem_.given.first);
            continue;
        }
        support.load(problem_.x(j));
        const Vector up = support.maximise(Vector::Ones(n), problem_.r[j]);
        const Vector down = support.maximise(-Vector::Ones(n), problem_.r[j]);
        boxes_.middle.row(j) = 0.5 * (up + down).cwiseProduct(is_boxed_);
        boxes_.half.row(j) = 0.5 * (up - down).cwiseProduct(is_boxed_);
    }
    if (!(boxes_.half.maxCoeff() > 0.0)) boxes_ = {};
}

void ThreatOracle::find(const VectorRef& w) {
    if (w_.size() == w.size() && w_ == w) return;  // known already
    w_ = w;
    const double work = static_cast<double>(problem_.m * problem_.n());
    const int threads = work < kParallelNumbers ? 1 : problem_.n_threads;
    parallel_blocks(problem_.m, kPiece, threads, [&](Index begin, Index end) {
        Support support(space_);
        Vector g;
        for (Index j = begin; j < end; ++j) {
            if (!can_move(j)) continue;
            g = -problem_.y[j] * w_;
            if (problem_.is_given(j)) {
                find_given(j, g);
                continue;
            }
            support.load(problem_.x(j));
            const Vector d = support.maximise(g, problem_.r[j]);
            gain_[j] = std::max(0.0, g.dot(d));
            moves_.row(j) = d - d.cwiseProduct(is_boxed_);
        }
    });
}

void ThreatOracle::find_given(Index j, const Vector& g) {
    const GivenMoves& given = problem_.given;
    const Index k = j - given.first;
    const auto at = static_cast<std::size_t>(k);
    double best = 0.0;
    moves_.row(j).setZero();
    for (Index i = given.start[at]; i < given.start[at + 1]; ++i) {
        const double gain = given.moves.row(i).dot(g);
        if (!(gain > best)) continue;
        best = gain;
        moves_.row(j) = given.moves.row(i);
    }
    if (given.half.size() > 0) best += given.half.row(k).dot(g.cwiseAbs());
    gain_[j] = best;
}

// With the clipped and the integer features where they are, h is  rho ||(S g)_F||  in the features
// F that are left, rho = ||(d / S)_F||: its derivative is  rho/|c| (I - c c'/|c|^2), c = (S g)_F,
// in units of the ball. That grows without bound towards c = 0, where h has a corner instead.
Matrix ThreatOracle::curvature(const Vector& weight) const {
    if (!is_round()) return {};
    const Index n = problem_.n();
    Matrix total = Matrix::Zero(n, n);
    const double typical = std::max(w_.norm(), 1.0 / std::sqrt(problem_.mean_square));
    const double least_size = kApex * typical * (space_.size() > 0 ? space_.unit.maxCoeff() : 1.0);
    PointMoves moves(space_);
    Vector c(n);
    for (Index j = 0; j < problem_.m; ++j) {
        if (!(weight[j] > 0.0 && can_move(j)) || problem_.is_given(j)) continue;
        moves.load(problem_.x(j));
        c.setZero();
        double rho_square = 0.0;
        for (Index i = 0; i < space_.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int l = space_.features[at];
            const double u = moves_(j, l) / space_.unit[i];
            const bool is_free =
                space_.integer_at[at] < 0 && u > moves.lo()[i] && u < moves.hi()[i];
            if (!is_free) continue;
            c[l] = space_.unit[i] * w_[l];
            rho_square += u * u;
        }
        const double size = c.norm();
        if (!(size > least_size && rho_square > 0.0)) continue;
        const double factor = weight[j] * std::sqrt(rho_square) / size;
        for (Index i = 0; i < space_.size(); ++i) {
            const int l = space_.features[static_cast<std::size_t>(i)];
            if (c[l] == 0.0) continue;
            c[l] /= size;
            total(l, l) += factor * space_.unit[i] * space_.unit[i];
            c[l] *= space_.unit[i];
        }
        total.selfadjointView<Eigen::Upper>().rankUpdate(c, -factor);
    }
    total.triangularView<Eigen::StrictlyLower>() = total.transpose();
    return total;
}

}  // namespace redoubt
