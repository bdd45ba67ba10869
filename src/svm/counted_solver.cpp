#include "svm/counted_solver.hpp"

#include <algorithm>
#include <cmath>

#include "svm/duality_gap.hpp"
#include "svm/optimal_bias.hpp"

namespace redoubt {

namespace {

/// Passes between two looks at the gap, at first and later on.
constexpr Index kFirstLook = 4;
constexpr Index kLatestLook = 16;
/// While the gap is larger than this the bias jumps to the best one at every look.
constexpr double kJumpGap = 1e-3;
/// A problem without a regulariser is solved as a sequence of such with one around the last
/// answer: its strength is this times that at which ||w|| = 1 costs what all hinges do...
constexpr double kCountedProximal = 1e-2;
/// ... and falls by this where the answer moved on.
constexpr double kCountedProximalFall = 0.5;
/// The plane without harmful weights may take one pass in so many.
constexpr Index kHarmlessShare = 2;
/// Its problems are solved until their own gap is this share of the whole problem's.
constexpr double kInnerShare = 0.2;

class CountedSolver {
public:
    CountedSolver(const HingeProblem& problem, const WeightBox& box, bool shares_threshold,
                  const SvmSettings& settings)
        : problem_(problem),
          box_(box),
          settings_(settings),
          moves_(problem, shares_threshold),
          gains_(problem, moves_),
          descent_(problem, moves_, box, settings.stop) {}

    SvmResult run(Index n_passes, const std::optional<SvmStart>& start);

private:
    void restart(double mu, double centre_weight, const Vector& centre) {
        descent_.set_regularizer(mu, centre_weight, centre);
        descent_.refresh(gains_);
    }
    void look();
    /// hinges of w with its best bias, which goes to `bias`.
    double hinge_of(const Vector& w, double& bias);
    Vector levelled(const Vector& w, double share) const;
    void improve_plane();
    void start_harmless(Index n_passes);
    double dual_of(const Vector& v, double multipliers, double mu, double centre_weight,
                   const Vector& centre) const;

    const HingeProblem& problem_;
    const WeightBox& box_;
    const SvmSettings& settings_;
    CountedMoves moves_;
    CountedGains gains_;
    CountedDescent descent_;
    Vector centre_;
    std::optional<double> bias_start_{};
    double proximal_ = 0.0;
    // What `look` found.
    Vector w_;
    double bias_ = 0.0;
    double descent_bias_ = 0.0;  ///< the best one of the descent's own plane
    double primal_ = HUGE_VAL;
    double dual_ = 0.0;
    double inner_gap_ = HUGE_VAL;  ///< of the problem around the centre
    Vector dual_ratio_;
};

/// Phi of a dual value: the most that v gains over w in the box, less the regulariser.
double CountedSolver::dual_of(const Vector& v, double multipliers, double mu, double centre_weight,
                              const Vector& centre) const {
    double loss = 0.0;
    for (Index l = 0; l < v.size(); ++l) {
        const double pull = v[l] + (centre_weight > 0.0 ? centre_weight * centre[l] : 0.0);
        const double w = box_.clip(l, pull / mu);
        loss += w * (pull - 0.5 * mu * w);
    }
    return multipliers - loss;
}

double CountedSolver::hinge_of(const Vector& w, double& bias) {
    gains_.set_plane(w);
    Vector values(problem_.m);
    problem_.rows.multiply(w.data(), 0, problem_.m, values.data());
    Vector needed = Vector::Ones(problem_.m);
    for (Index j = 0; j < problem_.m; ++j) needed[j] += gains_.worst(j);
    bias = optimal_bias(values, needed, problem_.y, problem_.c);
    double hinge = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        const double t = needed[j] - problem_.y[j] * (values[j] + bias);
        hinge += problem_.c[j] * std::max(t, 0.0);
    }
    return hinge;
}

/// w with no gain above this share of the one that just exceeds the largest budget, which is where
/// optimal weights are all alike.
Vector CountedSolver::levelled(const Vector& w, double share) const {
    Vector result = w;
    for (const double label : {-1.0, 1.0}) {
        const std::vector<int>& order = gains_.order(label);
        Index budget = 0;
        for (Index j = 0; j < problem_.m; ++j) {
            if (problem_.y[j] == label) budget = std::max(budget, moves_.budget(j));
        }
        if (budget == 0 || order.empty()) continue;
        const auto at = std::min(static_cast<std::size_t>(budget), order.size() - 1);
        const auto gain = [&](int l) { return -label * w[l] * moves_.unlisted()[l]; };
        const double level = share * gain(order[at]);
        for (int l : order) {
            if (!(gain(l) > level)) break;
            result[l] = box_.clip(l, -label * level / moves_.unlisted()[l]);
        }
    }
    return result;
}

/// Descent gives the multipliers first; its plane wavers around one that is level.
void CountedSolver::improve_plane() {
    if (!problem_.is_robust()) return;
    const Vector start = w_;
    for (const double share : {1.0, 0.5, 0.0}) {
        gains_.set_plane(start);
        const Vector w = levelled(start, share);
        double bias = 0.0;
        const double value = hinge_of(w, bias) + 0.5 * problem_.mu * w.squaredNorm();
        if (!(value < primal_)) continue;
        primal_ = value;
        w_ = w;
        bias_ = bias;
    }
}

/// Both sides of the problem at the present point, from the data.
void CountedSolver::look() {
    descent_.refresh(gains_);
    w_ = descent_.w();
    const double hinge = hinge_of(w_, bias_);
    const double around = hinge + 0.5 * proximal_ * (w_ - centre_).squaredNorm();
    descent_bias_ = bias_;
    primal_ = hinge + 0.5 * problem_.mu * w_.squaredNorm();
    improve_plane();
    double plus = 0.0;
    double minus = 0.0;
    const Vector& alpha = descent_.alpha();
    for (Index j = 0; j < problem_.m; ++j) {
        (problem_.y[j] > 0.0 ? plus : minus) += alpha[j];
    }
    const double least = std::min(plus, minus);
    const double plus_factor = plus > 0.0 ? least / plus : 0.0;
    const double minus_factor = minus > 0.0 ? least / minus : 0.0;
    const Vector v = descent_.image(minus_factor, plus_factor);
    if (problem_.mu > 0.0) {
        dual_ = std::max(dual_, dual_of(v, 2.0 * least, problem_.mu, 0.0, v));
        inner_gap_ = 0.0;
    } else {
        double most = 0.0;  // of v'w in the box
        for (Index l = 0; l < v.size(); ++l)
            most += v[l] == 0.0 ? 0.0 : v[l] * (v[l] > 0.0 ? box_.greatest[l] : box_.least[l]);
        most = std::min(most, 2.0 * w_.norm() * v.norm());
        // The bound is about planes up to twice as long as this one: no earlier one counts.
        dual_ = std::max(0.0, 2.0 * least - most);
        inner_gap_ = around - (dual_of(v, 2.0 * least, proximal_, proximal_, centre_) +
                               0.5 * proximal_ * centre_.squaredNorm());
    }
    dual_ratio_ = Vector::Zero(problem_.m);
    for (Index j = 0; j < problem_.m; ++j) {
        if (problem_.c[j] == 0.0) continue;
        const double factor = problem_.y[j] > 0.0 ? plus_factor : minus_factor;
        dual_ratio_[j] = std::min(1.0, factor * alpha[j] / problem_.c[j]);
    }
}

/// The plane without harmful weights is quickly found. Where the budget is large it is the answer,
/// and its multipliers prove that; elsewhere it is where to start.
void CountedSolver::start_harmless(Index n_passes) {
    double label = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (moves_.budget(j) == 0 || problem_.y[j] == label) continue;
        if (label != 0.0) return;
        label = problem_.y[j];
    }
    if (label == 0.0) return;
    WeightBox harmless = box_;
    for (Index l = 0; l < problem_.n(); ++l) {
        const double change = label * moves_.unlisted()[l];
        double& end = change > 0.0 ? harmless.least[l] : harmless.greatest[l];
        if (change == 0.0) continue;
        end = change > 0.0 ? std::max(end, 0.0) : std::min(end, 0.0);
        if (harmless.least[l] > harmless.greatest[l]) return;
    }
    HingeProblem still = problem_;
    still.r.resize(0);
    const SvmResult found = CountedSolver(still, harmless, false, settings_)
                                .run(n_passes / kHarmlessShare, std::nullopt);
    descent_.start_harmless(found.dual_ratio, harmless);
    bias_start_ = found.plane.b;
}

SvmResult CountedSolver::run(Index n_passes, const std::optional<SvmStart>& start) {
    const Index n = problem_.n();
    const bool is_proximal = problem_.mu == 0.0;
    centre_ = start && is_proximal ? start->plane.w : Vector::Zero(n);
    for (Index l = 0; l < n; ++l) centre_[l] = box_.clip(l, centre_[l]);
    if (!start && !is_proximal) start_harmless(n_passes);
    if (start && start->dual_ratio.size() > 0) descent_.start(start->dual_ratio, start->plane.w);
    proximal_ = is_proximal ? kCountedProximal : 0.0;
    restart(is_proximal ? proximal_ : problem_.mu, proximal_, centre_);
    if (start || bias_start_) descent_.set_bias(start ? start->plane.b : *bias_start_);

    SvmResult best;
    best.status = Status::IterationLimit;
    best.relative_gap = HUGE_VAL;
    Index wait = kFirstLook;
    bool is_stopped = false;
    for (Index done = 0; done <= n_passes && !is_stopped; done += wait) {
        look();
        const double gap = (primal_ - dual_) / std::max(primal_, kGapFloor);
        if (gap < best.relative_gap || best.plane.w.size() == 0) {
            best.plane = {w_, bias_};
            best.primal_value = primal_;
            best.dual_value = dual_;
            best.relative_gap = gap;
            best.dual_ratio = dual_ratio_;
        }
        ++best.stats.n_stages;
        if (best.relative_gap <= settings_.tolerance) {
            best.status = Status::Optimal;
            break;
        }
        if (is_raised(settings_.stop)) {
            is_stopped = true;
            break;
        }
        if (gap > kJumpGap) descent_.set_bias(descent_bias_);
        const double goal = std::max(kInnerShare * (primal_ - dual_),
                                     0.1 * settings_.tolerance * std::max(primal_, kGapFloor));
        if (is_proximal && inner_gap_ <= goal) {
            centre_ = descent_.w();
            proximal_ *= kCountedProximalFall;
            restart(proximal_, proximal_, centre_);
        }
        for (Index pass = 0; pass < wait && !is_stopped; ++pass) {
            is_stopped = !descent_.pass();
            ++best.stats.n_newton_steps;
        }
        wait = std::min(kLatestLook, wait + wait / 2);
    }
    if (is_stopped) best.status = Status::Interrupted;
    return best;
}

}  // namespace

SvmResult solve_counted(const HingeProblem& problem, const WeightBox& box, bool shares_threshold,
                        const SvmSettings& settings, Index n_passes,
                        const std::optional<SvmStart>& start) {
    return CountedSolver(problem, box, shares_threshold, settings).run(n_passes, start);
}

}  // namespace redoubt
