#include "svm/descent_watch.hpp"

#include <algorithm>

namespace redoubt {

namespace {

/// Passes before the first look at the gap, and the share of all passes so far between two looks.
constexpr int kFirstPasses = 5;
constexpr double kPassesPerLook = 0.25;
constexpr int kMostPasses = 5000;
constexpr int kStretchBisections = 40;
/// While the gap is above this, looks put the bias where it is best.
constexpr double kBiasGap = 1e-3;
/// Numbers per second of a pass, dense and compressed, and operations per second of a
/// factorisation: only their ratios count.
constexpr double kDenseSpeed = 0.8e9;
constexpr double kSparseSpeed = 0.3e9;
constexpr double kMatrixSpeed = 1.5e10;
/// Looking at a threshold costs several times a product.
constexpr double kThresholdCost = 3.0;
/// Newton steps to be expected from a gap of kGoodStart, and for every power of ten above.
constexpr double kStepsFromGoodStart = 6.0;
constexpr double kStepsPerDigit = 12.0;
constexpr double kGoodStart = 1e-5;
/// Above this gap only a descent that stalls is left.
constexpr double kLargestStart = 0.01;
/// A descent stalls when its error has not fallen by this factor within so many passes, at least
/// that share of all.
constexpr double kProgress = 0.7;
constexpr int kPatientPasses = 60;
constexpr double kPatientShare = 0.4;
/// Passes after a step on the face, by what factor the least error so far should fall by then, and
/// how many such steps may fail in a row.
constexpr int kPassesAfterFace = 3;
constexpr double kFaceProgress = 0.8;
constexpr int kMostFaceFailures = 3;
/// What a step is expected to take off the error's logarithm. After one that did less than a share
/// of what passes do in the same time, and before the first one, passes are worth a step.
constexpr double kFaceGain = 3.0;
constexpr double kPoorShare = 0.5;
/// Passes near the end leave out many points: what they cost then, of the estimate.
constexpr double kLateRoundShare = 0.25;
constexpr double kLateThresholdShare = 0.5;
/// Operations per second of a step on the face, whose matrices are smaller.
constexpr double kFaceSpeed = 5e10;
/// With so few points a step costs no more than a pass or two.
constexpr Index kFewPoints = 200;
/// The gap from which on the columns of a descent are those that matter, more or less, and what
/// stages in them cost, in looks at all their numbers.
constexpr double kTrustedColumns = 0.1;
constexpr double kLooksInColumns = 60.0;
/// Slower progress than this per pass is not counted on.
constexpr double kLeastRate = 0.003;

}  // namespace

DescentWatch::DescentWatch(const HingeProblem& problem, StopFlag stop)
    : problem_(problem),
      stop_(stop),
      rows_(problem),
      gap_(problem, rows_),
      descent_(problem, stop),
      face_(problem, rows_, stop) {}

bool DescentWatch::is_round() const {
    return !problem_.is_robust() || problem_.threat.norm == Norm::L2;
}

double DescentWatch::late_pass_cost() const {
    return (is_round() ? kLateRoundShare : kLateThresholdShare) * pass_cost();
}

double DescentWatch::pass_cost() const {
    const double speed = problem_.rows.is_sparse() ? kSparseSpeed : kDenseSpeed;
    return (is_round() ? 1.0 : kThresholdCost) * problem_.rows.n_numbers() / speed;
}

double DescentWatch::newton_cost() const {
    const auto n = static_cast<double>(problem_.n());
    const auto count = static_cast<double>(descent_.n_free());
    const double in_rows = count * count * (n + count / 3.0);
    const double in_features = n * n * (count + n / 3.0);
    const double digits = std::max(0.0, std::log10(relative_ / kGoodStart));
    const double steps = kStepsFromGoodStart + kStepsPerDigit * digits;
    return steps * (std::min(in_rows, in_features) / kMatrixSpeed + 4.0 * pass_cost());
}

/// One step with its passes.
double DescentWatch::face_cost() const {
    const auto count = static_cast<double>(descent_.n_free());
    const double length = problem_.rows.n_numbers() / static_cast<double>(problem_.m);
    const double products = problem_.rows.is_sparse() ? 0.5 * count * count * length / kSparseSpeed
                                                      : count * count * length / kFaceSpeed;
    return products + count * count * count / (3.0 * kFaceSpeed) +
           (passes_after_face() + 3.0) * late_pass_cost();
}

bool DescentWatch::prefers_face(double goal) const {
    if (face_failures_ >= kMostFaceFailures || n_passes_ >= kMostPasses) return false;
    const auto count = static_cast<double>(descent_.n_free());
    if (count < 1.0 || count > kLargestMatrix) return false;
    const double cost = face_cost();
    const double pace = std::max(rate_, kLeastRate) / late_pass_cost();
    if (has_few_points() && face_failures_ == 0) return true;
    const bool was_poor = face_gain_ < kPoorShare * pace * cost;
    if (was_poor && cost_of_passes_ < cost) return false;
    if (is_stalled()) return true;
    const double digits = std::log(last_error_ / allowed_error(goal));
    return digits / pace > std::ceil(digits / kFaceGain) * cost;
}

bool DescentWatch::step_on_face() {
    Vector alpha = descent_.alpha();
    double bias = z_[rows_.bias()];
    const DualFace::Task task{descent_.mu(), descent_.centre(), descent_.softness(), floor_ > 0.0};
    if (face_.step(task, alpha, bias)) {
        descent_.move_to(alpha, bias);
        is_after_face_ = true;
    } else {
        ++face_failures_;
    }
    cost_of_passes_ = 0.0;
    const bool needs_passes = !is_after_face_ || !has_all_free();
    return needs_passes ? run_passes(passes_after_face()) : !is_raised(stop_);
}

void DescentWatch::look_at(const Vector& w, const Vector& a, double mu) {
    w_ = w;
    a_ = a;
    gap_.complete(w_, z_, t_);
    stretch(mu);
    seen_ = gap_.measure(mu, z_, t_, a_);
    relative_ = seen_.relative(floor_);
}

void DescentWatch::look(double mu) {
    look_at(descent_.w(), descent_.multipliers(), mu);
    const int passes = std::max(1, n_passes_ - last_look_);
    // Progress shows below 0, too, where the lower bound is of no use yet.
    const double loss =
        mu > 0.0 ? 0.5 * seen_.squared_distance / mu : 2.0 * gap_.size_of(w_) * seen_.distance;
    const double error = std::max(seen_.primal - (seen_.multipliers - loss), 1e-300);
    if (is_after_face_) {
        face_failures_ = error < kFaceProgress * least_error_ ? 0 : face_failures_ + 1;
        face_gain_ = std::log(last_error_ / error);
    } else {
        rate_ = std::log(last_error_ / error) / passes;
    }
    is_after_face_ = false;
    last_error_ = error;
    if (error < kProgress * least_error_) {
        least_error_ = error;
        last_progress_ = n_passes_;
    }
    last_look_ = n_passes_;
    if (relative_ > kBiasGap) descent_.set_bias(z_[rows_.bias()]);
    descent_.restore();
}

/// Scales the plane to the best of its multiples: far from the optimum its direction is much better
/// than its length, and on the way to a hard margin a little more length pays for all hinges.
void DescentWatch::stretch(double mu) {
    const Vector margin = (1.0 - t_.array()).matrix();
    const double square = mu * w_.squaredNorm();
    const auto slope = [&](double f) {
        double sum = f * square;
        for (Index j = 0; j < problem_.m; ++j) {
            if (f * margin[j] < 1.0) sum -= problem_.c[j] * margin[j];
        }
        return sum;
    };
    double low = 0.5;
    double high = 2.0;
    if (slope(low) >= 0.0 || slope(high) <= 0.0) return;
    for (int i = 0; i < kStretchBisections; ++i) {
        const double middle = 0.5 * (low + high);
        (slope(middle) > 0.0 ? high : low) = middle;
    }
    w_ *= high;
    z_ *= high;
    t_ = 1.0 - high * margin.array();
}

double DescentWatch::largest_hinge() const {
    double largest = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (problem_.c[j] > 0.0) largest = std::max(largest, t_[j]);
    }
    return largest;
}

bool DescentWatch::is_beyond_newton() const {
    return static_cast<double>(std::min(problem_.n(), descent_.n_free())) > kLargestMatrix;
}

bool DescentWatch::is_stalled() const {
    const double patience = std::max<double>(kPatientPasses, kPatientShare * n_passes_);
    return n_passes_ - last_progress_ > patience;
}

bool DescentWatch::is_slow(double goal) const {
    if (n_passes_ >= kMostPasses) return true;
    if (is_beyond_newton()) return false;
    if (is_stalled()) return true;
    if (rate_ < kLeastRate || relative_ > kLargestStart) return false;
    return std::log(last_error_ / allowed_error(goal)) / rate_ * pass_cost() > newton_cost();
}

bool DescentWatch::prefers_columns() {
    if (relative_ > kTrustedColumns) return false;
    const auto count = static_cast<Index>((w_.array() != 0.0).count());
    if (count == 0 || count > kMostNarrowColumns || 2 * count > problem_.n()) return false;
    const double numbers = static_cast<double>(problem_.m * count);
    if (kLooksInColumns * numbers / kDenseSpeed > cost_before_columns_) return false;
    cost_before_columns_ = 0.0;
    return true;
}

double DescentWatch::allowed_error(double goal) const {
    return goal * std::max(seen_.dual, kGapFloor);
}

int DescentWatch::first_passes() const {
    return has_few_points() ? 1 : kFirstPasses;
}

int DescentWatch::passes_after_face() const {
    return has_few_points() ? 1 : kPassesAfterFace;
}

bool DescentWatch::has_few_points() const {
    return problem_.m <= kFewPoints;
}

bool DescentWatch::has_all_free() const {
    return has_few_points() && descent_.n_free() == problem_.m;
}

int DescentWatch::passes_to(double goal) const {
    const double digits = std::log(last_error_ / allowed_error(goal));
    const double wanted = digits / std::max(rate_, kLeastRate);
    const double most = std::max<double>(kFirstPasses, kPassesPerLook * n_passes_);
    return static_cast<int>(std::clamp(std::ceil(wanted), 1.0, most));
}

void DescentWatch::forget_progress() {
    face_failures_ = 0;
    face_gain_ = 0.0;
    last_error_ = least_error_ = HUGE_VAL;
    last_progress_ = n_passes_;
}

bool DescentWatch::run_passes(int count) {
    // Whatever a rate gone wrong asks for, the flag is heard and the limit of passes comes nearer.
    for (int i = 0; i < std::max(1, count); ++i) {
        ++n_passes_;
        cost_of_passes_ += late_pass_cost();
        cost_before_columns_ += late_pass_cost();
        if (!descent_.pass()) return false;
    }
    return true;
}

}  // namespace redoubt
