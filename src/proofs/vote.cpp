#include "proofs/vote.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "proofs/filter.hpp"

namespace redoubt::proofs {

namespace {

ExactNumber exact_margin(const Matrix& planes, const Vector& intercepts, Index plane,
                         const Vector& point) {
    ExactNumber sum(intercepts[plane]);
    for (Index l = 0; l < point.size(); ++l) {
        const double w = planes(plane, l);
        if (w != 0.0 && point[l] != 0.0) sum += ExactNumber(w) * ExactNumber(point[l]);
    }
    return sum;
}

/// The same rounded, and a bound on the error; infinite if doubles cannot tell.
double near_margin(const Matrix& planes, const Vector& intercepts, Index plane, const Vector& point,
                   double& error) {
    double sum = intercepts[plane];
    double sizes = std::abs(sum);
    for (Index l = 0; l < point.size(); ++l) {
        const double term = planes(plane, l) * point[l];
        sum += term;
        sizes += std::abs(term);
    }
    error =
        is_ordinary(sizes) ? (static_cast<double>(point.size()) + 8.0) * kEps * sizes : HUGE_VAL;
    return sum;
}

const Matrix& planes_of(const Vote& vote, const Question& question) {
    return question.differences.size() > 0 ? question.differences : vote.planes;
}

const Vector& intercepts_of(const Vote& vote, const Question& question) {
    return question.differences.size() > 0 ? question.difference_intercepts : vote.intercepts;
}

}  // namespace

bool Question::is_reached(const std::vector<char>& planes) const {
    return std::all_of(counts.begin(), counts.end(), [&](const Count& count) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) sum += planes[i] ? count.weights[i] : 0;
        return sum >= count.need;
    });
}

bool Vote::is_answer(std::int64_t answer) const {
    return n_classes == 0 ? answer == 1 || answer == -1 : answer >= 0 && answer < n_classes;
}

std::vector<int> Vote::others(int label) const {
    std::vector<int> classes;
    for (int k = 0; k < n_classes; ++k) {
        if (k != label) classes.push_back(k);
    }
    return classes;
}

std::vector<Question> Vote::leaving(int answer) const {
    if (n_classes > 0) {
        if (is_by_value) return {by_value(answer, others(answer), true)};
        std::vector<Question> questions;
        for (int rival : others(answer)) questions.push_back(entering(rival, {answer}));
        return questions;
    }
    Question question;
    question.wanted.assign(weights.size(), -answer);
    question.at_zero = at_zero;
    const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    question.counts = {{weights, answer < 0 ? quota : total - quota + 1}};
    return {question};
}

Question Vote::entering(int label, const std::vector<int>& rivals) const {
    if (is_by_value) return by_value(label, rivals, false);
    Question question;
    question.wanted.assign(weights.size(), 0);
    question.at_zero = at_zero;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const bool is_rival = std::find(rivals.begin(), rivals.end(), class_of[i]) != rivals.end();
        question.wanted[i] = class_of[i] == label ? 1 : is_rival ? -1 : 0;
    }
    for (int rival : rivals) {
        Question::Count count{std::vector<std::int64_t>(weights.size(), 0)};
        std::int64_t total = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (class_of[i] != label && class_of[i] != rival) continue;
            count.weights[i] = weights[i];
            total += weights[i];
        }
        // Equal scores are won by the class that comes first.
        count.need = label < rival ? (total + 1) / 2 : total / 2 + 1;
        question.counts.push_back(std::move(count));
    }
    return question;
}

/// One plane per rival, which speaks for the one that is to win.
Question Vote::by_value(int label, const std::vector<int>& rivals, bool is_leaving) const {
    Question question;
    question.differences = Matrix::Zero(planes.rows(), planes.cols());
    question.difference_intercepts = Vector::Zero(planes.rows());
    question.wanted.assign(weights.size(), 0);
    question.at_zero.assign(weights.size(), 1);
    Question::Count count{std::vector<std::int64_t>(weights.size(), 0)};
    for (int rival : rivals) {
        const auto at = static_cast<std::size_t>(rival);
        const int winner = is_leaving ? rival : label;
        const int loser = is_leaving ? label : rival;
        question.differences.row(rival) = planes.row(winner) - planes.row(loser);
        question.difference_intercepts[rival] = intercepts[winner] - intercepts[loser];
        question.wanted[at] = 1;
        question.at_zero[at] = winner < loser ? 1 : -1;
        count.weights[at] = 1;
    }
    count.need = is_leaving ? 1 : static_cast<std::int64_t>(rivals.size());
    question.counts.push_back(std::move(count));
    return question;
}

bool Vote::changes(const Question& question, const Vector& point) const {
    const Matrix& rows = planes_of(*this, question);
    const Vector& b = intercepts_of(*this, question);
    std::vector<char> is_fooled(question.wanted.size(), 0);
    for (std::size_t i = 0; i < is_fooled.size(); ++i) {
        if (question.wanted[i] == 0) continue;
        const auto plane = static_cast<Index>(i);
        double error = 0.0;
        const double near = near_margin(rows, b, plane, point, error);
        const bool is_clear = std::abs(near) > error;
        const int sign =
            is_clear ? (near > 0.0 ? 1 : -1) : exact_margin(rows, b, plane, point).sign();
        is_fooled[i] = (sign == 0 ? question.at_zero[i] : sign) == question.wanted[i] ? 1 : 0;
    }
    return question.is_reached(is_fooled);
}

Claim::Claim(const Vote& vote, const Question& question, const Moves& moves, const Vector& point,
             double radius)
    : vote_(vote),
      question_(question),
      moves_(moves),
      point_(point),
      radius_(radius),
      planes_(planes_of(vote, question)),
      intercepts_(intercepts_of(vote, question)),
      scale_(Vector::Zero(point_.size())),
      near_support_(Vector::Zero(vote.planes.rows())),
      support_error_(Vector::Zero(vote.planes.rows())),
      support_(static_cast<std::size_t>(vote.planes.rows())) {
    for (Index i = 0; i < vote.planes.rows(); ++i) {
        const int wanted = question.wanted[static_cast<std::size_t>(i)];
        if (wanted != 0)
            near_support_[i] =
                -wanted * near_margin(planes_, intercepts_, i, point_, support_error_[i]);
    }
    for (int l : moves_.columns()) scale_[l] = vote.rules.scale[l];
}

const ExactNumber& Claim::support(int plane) const {
    std::optional<ExactNumber>& known = support_[static_cast<std::size_t>(plane)];
    if (!known) {
        known = exact_margin(planes_, intercepts_, plane, point_);
        if (question_.wanted[static_cast<std::size_t>(plane)] > 0) known = -*known;
    }
    return *known;
}

ExactNumber Claim::missing(const Sum& sum) const {
    ExactNumber total;
    for (std::size_t i = 0; i < sum.planes.size(); ++i)
        total += ExactNumber(sum.multipliers[i]) * support(sum.planes[i]);
    return total;
}

Claim::NearSum Claim::add_up(const Sum& sum) const {
    const std::vector<int>& planes = sum.planes;
    const double n_terms = static_cast<double>(planes.size()) + static_cast<double>(point_.size());
    const double share = (n_terms + 16.0) * kEps;
    double total = 0.0;
    double sizes = 0.0;
    double errors = 0.0;
    NearSum near{0.0, {Vector::Zero(point_.size()), Vector::Zero(point_.size())}};
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const auto w = planes_.row(planes[i]).transpose();
        const double term = sum.multipliers[i] * near_support_[planes[i]];
        total += term;
        sizes += std::abs(term);
        errors += sum.multipliers[i] * support_error_[planes[i]];
        near.slopes.value += turned(sum, i) * w;
        near.slopes.error += sum.multipliers[i] * w.cwiseAbs();
    }
    near.slopes.error *= share;
    near.least = total - share * sizes - errors * (1.0 + share);
    const bool is_finite = errors < kGreatest && (near.slopes.error.array() < kGreatest).all();
    if (!is_ordinary(sizes) || !is_finite) near.least = std::nan("");
    return near;
}

bool Claim::refutes_clearly(const Sum& sum) const {
    const NearSum near = add_up(sum);
    const double n_terms =
        static_cast<double>(sum.planes.size()) + static_cast<double>(point_.size());
    // An upper end of each |c_l s_l|.
    const Vector slope = (near.slopes.value.cwiseAbs() + near.slopes.error).cwiseProduct(scale_);
    const double dual = norm_value(redoubt::dual(vote_.rules.norm), slope);
    for (double value : {near.least, dual, radius_}) {
        if (!is_ordinary(value)) return false;
    }
    return near.least > radius_ * dual * (1.0 + 4.0 * (n_terms + 16.0) * kEps);
}

bool Claim::refutes_clearly(const Sum& sum, double charge, const Box& box) const {
    const NearSum near = add_up(sum);
    return near.least > moves_.most_nearly(near.slopes, charge, box);
}

/// Of the turned planes.
ExactNumber Claim::slope_of(int feature, const Sum& sum) const {
    ExactNumber slope;
    for (std::size_t i = 0; i < sum.planes.size(); ++i) {
        const double w = planes_(sum.planes[i], feature);
        if (w != 0.0) slope += ExactNumber(turned(sum, i)) * ExactNumber(w);
    }
    return slope;
}

bool Claim::refutes(const std::vector<int>& planes, const std::vector<double>& multipliers,
                    std::optional<double> charge, const Box& box) const {
    const bool is_strict = std::any_of(planes.begin(), planes.end(), [&](int i) {
        return !question_.is_touched(static_cast<std::size_t>(i));
    });
    const Sum sum{planes, multipliers, is_strict};
    if (!charge && !moves_.needs_charge()) return !planes.empty() && refutes_in_ball(sum);
    if (refutes_clearly(sum, charge.value_or(0.0), box)) return true;
    const MostGain most = moves_.most([&](int l) { return slope_of(l, sum); },
                                      ExactNumber(charge.value_or(0.0)), box);
    if (most.is_empty) return true;
    if (most.is_endless) return false;
    const int sign = compare(ExactRatio(missing(sum)), most.value);
    return sign > 0 || (sign == 0 && (!most.is_attained || is_strict));
}

bool Claim::refutes_in_ball(const Sum& by) const {
    if (refutes_clearly(by)) return true;
    const ExactNumber total = missing(by);
    ExactNumber sum;
    ExactNumber greatest;
    ExactNumber square;
    for (Index l = 0; l < point_.size(); ++l) {
        if (scale_[l] == 0.0) continue;
        ExactNumber slope = slope_of(static_cast<int>(l), by);
        if (slope.sign() == 0) continue;
        slope = (slope * ExactNumber(scale_[l])).size();
        if (vote_.rules.norm == Norm::L2) square += slope * slope;
        if (vote_.rules.norm == Norm::LInf) sum += slope;
        if (vote_.rules.norm != Norm::L1 ? greatest.sign() == 0 : compare(slope, greatest) > 0)
            greatest = slope;
    }
    // No move changes their sum: they are fooled now or never.
    if (greatest.sign() == 0) return total.sign() > 0 || (total.sign() == 0 && by.is_strict);
    if (std::isinf(radius_) || total.sign() <= 0) return false;
    // Equality is enough: no move of a smaller size attains the bound.
    const ExactNumber r(radius_);
    if (vote_.rules.norm == Norm::L2) return compare(total * total, r * r * square) >= 0;
    return compare(total, r * (vote_.rules.norm == Norm::L1 ? greatest : sum)) >= 0;
}

}  // namespace redoubt::proofs
