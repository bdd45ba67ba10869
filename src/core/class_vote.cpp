#include "redoubt/class_vote.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "core/enum_names.hpp"
#include "core/parallel.hpp"
#include "core/rounding.hpp"

namespace redoubt {

namespace {

constexpr Index kClassRowsPerBlock = 256;

Ensemble stack_classes(const std::vector<Ensemble>& classes) {
    if (classes.empty()) throw InvalidInput("classes", "at least 2", "none");
    Index n_planes = 0;
    for (const Ensemble& one : classes) {
        check_length("classes", one.n_features(), classes.front().n_features());
        if (one.has_quota())
            throw InvalidInput("classes", "votes without a quota", format_number(one.quota()));
        if (one.is_weighted() != classes.front().is_weighted())
            throw InvalidInput("classes", "weights for all or none", "some with weights");
        n_planes += one.n_planes();
    }
    Matrix coef(n_planes, classes.front().n_features());
    Vector intercept(n_planes);
    Vector weights(classes.front().is_weighted() ? n_planes : 0);
    Index at = 0;
    for (const Ensemble& one : classes) {
        coef.middleRows(at, one.n_planes()) = one.coef();
        intercept.segment(at, one.n_planes()) = one.intercept();
        if (weights.size() > 0) weights.segment(at, one.n_planes()) = one.weights();
        at += one.n_planes();
    }
    return {std::move(coef), std::move(intercept), std::move(weights)};
}

std::vector<Index> counts_of(const std::vector<Ensemble>& classes) {
    std::vector<Index> counts;
    for (const Ensemble& one : classes) counts.push_back(one.n_planes());
    return counts;
}

}  // namespace

std::string_view to_string(ClassScore score) noexcept {
    return name_of(kClassScoreNames, score);
}

ClassScore parse_class_score(std::string_view name) {
    return value_of(kClassScoreNames, "score", name);
}

ClassVote::ClassVote(Ensemble planes, std::vector<Index> counts, ClassScore score,
                     std::vector<char> is_minus_at_zero, std::optional<Ensemble> tie_values)
    : planes_(std::move(planes)),
      score_(score),
      is_minus_at_zero_(std::move(is_minus_at_zero)),
      tie_values_(std::move(tie_values)) {
    if (counts.size() < 2)
        throw InvalidInput("counts", "at least 2 classes", std::to_string(counts.size()));
    first_.push_back(0);
    for (Index count : counts) {
        check_value(count >= 1, "counts", "at least one plane per class",
                    static_cast<double>(count));
        check_value(score == ClassScore::Votes || count == 1, "counts",
                    "one plane per class where values are compared", static_cast<double>(count));
        first_.push_back(first_.back() + count);
    }
    check_value(first_.back() == planes_.n_planes(), "counts",
                "numbers that add up to the " + std::to_string(planes_.n_planes()) + " planes",
                static_cast<double>(first_.back()));
    if (score == ClassScore::Value && planes_.is_weighted())
        throw InvalidInput("weights", "none where values are compared", "some");
    if (planes_.has_quota())
        throw InvalidInput("planes", "no quota with several classes",
                           format_number(planes_.quota()));
    if (!is_minus_at_zero_.empty()) {
        check_length("is_minus_at_zero", static_cast<Index>(is_minus_at_zero_.size()),
                     planes_.n_planes());
    }
    if (!tie_values_) return;
    if (score == ClassScore::Value)
        throw InvalidInput("tie_values", "none where values are compared", "some");
    check_length("tie_values", tie_values_->n_planes(), n_classes());
    check_length("tie_values", tie_values_->n_features(), n_features());
}

ClassVote::ClassVote(const std::vector<Ensemble>& classes, ClassScore score)
    : ClassVote(stack_classes(classes), counts_of(classes), score) {}

ClassVote ClassVote::against_rest(const std::vector<Ensemble>& classes) {
    Index n_planes = classes.empty() ? 0 : classes.front().n_planes();
    for (const Ensemble& each : classes) n_planes = std::min(n_planes, each.n_planes());
    std::vector<Ensemble> parts;
    for (const Ensemble& each : classes) {
        parts.emplace_back(Matrix(each.coef().topRows(n_planes)),
                           Vector(each.intercept().head(n_planes)));
    }
    return {parts, n_planes == 1 ? ClassScore::Value : ClassScore::Votes};
}

Hyperplane ClassVote::difference(Index c, Index k) const {
    const Ensemble& values = tie_values_ ? *tie_values_ : planes_;
    const Index mine = tie_values_ ? c : first_plane(c);
    const Index theirs = tie_values_ ? k : first_plane(k);
    return {values.coef().row(mine).transpose() - values.coef().row(theirs).transpose(),
            values.intercept()[mine] - values.intercept()[theirs]};
}

Eigen::VectorXi ClassVote::answers(const PointRef& x) const {
    Eigen::VectorXi result = planes_.answers(x);
    for (Index i = 0; !is_minus_at_zero_.empty() && i < result.size(); ++i) {
        if (result[i] < 0 || answer_at_zero(i) > 0) continue;
        result[i] = -sign_of_plane(-planes_.coef().row(i).transpose(), -planes_.intercept()[i], x);
    }
    return result;
}

std::vector<std::int64_t> ClassVote::vote_units(const PointRef& x) const {
    const Eigen::VectorXi signs = answers(x);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(n_classes()), 0);
    for (Index c = 0; c < n_classes(); ++c) {
        for (Index i = first_plane(c); i < first_plane(c + 1); ++i)
            sums[static_cast<std::size_t>(c)] += signs[i] * planes_.weight_units(i);
    }
    return sums;
}

/// The pairs decide wherever rounding might.
int ClassVote::best_value(const PointRef& x) const {
    const Vector values = planes_.margins(x);
    const auto n = static_cast<double>(x.n_entries());
    const double length = x.norm() * (1.0 + (n + 4.0) * kEps);
    const auto error_of = [&](Index c) {
        const double size = planes_.coef().row(c).stableNorm() * length;
        return (2.0 * n + 32.0) * (kEps * (size + std::abs(planes_.intercept()[c])) +
                                   std::numeric_limits<double>::denorm_min());
    };
    Index best = 0;
    for (Index k = 1; k < n_classes(); ++k) {
        const double ahead = values[k] - values[best];
        bool is_better = ahead > 0.0;
        if (!(std::abs(ahead) > error_of(k) + error_of(best))) {
            // `best` comes first, so it keeps a tie.
            const Hyperplane pair = difference(best, k);
            is_better = sign_of_plane(pair.w, pair.b, x) < 0;
        }
        if (is_better) best = k;
    }
    return static_cast<int>(best);
}

int ClassVote::predict(const PointRef& x) const {
    if (score_ == ClassScore::Value) return best_value(x);
    const std::vector<std::int64_t> sums = vote_units(x);
    const auto most = std::max_element(sums.begin(), sums.end());
    auto best = most - sums.begin();
    if (!tie_values_) return static_cast<int>(best);
    for (auto k = best + 1; k < std::ssize(sums); ++k) {
        if (sums[static_cast<std::size_t>(k)] != *most) continue;
        const Hyperplane pair = difference(best, k);
        if (sign_of_plane(pair.w, pair.b, x) < 0) best = k;
    }
    return static_cast<int>(best);
}

/// Calls take(j, x) for every row x of X, which is checked.
template <typename Take>
void ClassVote::for_each_row(const PointsRef& X, int n_threads, Take take) const {
    if (X.cols() != n_features()) {
        throw InvalidInput("X", std::to_string(n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_points("X", X);
    parallel_blocks(X.rows(), kClassRowsPerBlock, n_threads, [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) take(j, X.row(j));
    });
}

Eigen::VectorXi ClassVote::predict_all(const PointsRef& X, int n_threads) const {
    Eigen::VectorXi result(X.rows());
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) { result[j] = predict(x); });
    return result;
}

Eigen::MatrixXi ClassVote::votes(const PointsRef& X, int n_threads) const {
    Eigen::MatrixXi result = Eigen::MatrixXi::Zero(X.rows(), n_classes());
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) {
        const Eigen::VectorXi signs = answers(x);
        for (Index c = 0; c < n_classes(); ++c)
            result(j, c) =
                static_cast<int>((signs.segment(first_plane(c), n_planes(c)).array() > 0).count());
    });
    return result;
}

Matrix ClassVote::scores(const PointsRef& X, int n_threads) const {
    Matrix result(X.rows(), n_classes());
    std::vector<double> total;
    for (Index c = 0; c < n_classes(); ++c) {
        std::int64_t sum = 0;
        for (Index i = first_plane(c); i < first_plane(c + 1); ++i) sum += planes_.weight_units(i);
        total.push_back(static_cast<double>(sum));
    }
    for_each_row(X, n_threads, [&](Index j, const PointRef& x) {
        if (score_ == ClassScore::Value) {
            result.row(j) = planes_.margins(x).transpose();
            return;
        }
        const std::vector<std::int64_t> sums = vote_units(x);
        for (std::size_t c = 0; c < sums.size(); ++c)
            result(j, static_cast<Index>(c)) = static_cast<double>(sums[c]) / total[c];
    });
    return result;
}

}  // namespace redoubt
