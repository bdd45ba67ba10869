#include "svm/chosen_columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redoubt {

namespace {

/// Share of the tolerance that the problem in some columns may use up.
constexpr double kRestrictedShare = 0.3;
constexpr double kLeastTolerance = 1e-14;
constexpr int kMostRounds = 10;
constexpr std::size_t kColumnsPerRound = 30;
/// A column whose multipliers are this close to what the moves can take may well get a weight.
constexpr double kNearShare = 0.95;

/// How far the multipliers exceed R in every column: |v| - R.
Vector excess(const HingeProblem& problem, BallRows& rows, const Vector& a, double share) {
    Vector image(rows.n_variables());
    rows.multiply_transposed(problem.c.cwiseProduct(a), image);
    return image.head(problem.n()).cwiseAbs().array() - share * image[rows.size()];
}

/// Adds the columns with the largest excess above 0. False if there is none.
bool add_columns(const Vector& excess, std::size_t most, std::vector<char>& is_chosen) {
    std::vector<std::pair<double, Index>> found;
    for (Index l = 0; l < excess.size(); ++l) {
        if (excess[l] > 0.0 && is_chosen[static_cast<std::size_t>(l)] == 0)
            found.emplace_back(-excess[l], l);
    }
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), most));
    for (const auto& [size, l] : found) is_chosen[static_cast<std::size_t>(l)] = 1;
    return !found.empty();
}

}  // namespace

ChosenColumns::ChosenColumns(const HingeProblem& problem, std::vector<Index> columns)
    : n_(problem.n()),
      columns_(std::move(columns)),
      X_(Matrix::Zero(problem.m, static_cast<Index>(columns_.size()))),
      chosen_(problem) {
    constexpr Index kNone = -1;
    std::vector<Index> place(static_cast<std::size_t>(n_), kNone);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        place[static_cast<std::size_t>(columns_[i])] = static_cast<Index>(i);
    for (Index j = 0; j < problem.m; ++j) {
        problem.rows.for_each(j, [&](Index l, double value) {
            const Index at = place[static_cast<std::size_t>(l)];
            if (at != kNone) X_(j, at) = value;
        });
    }
    chosen_.rows = SampleRows(PointsRef(X_));
    chosen_.mean = choose(problem.mean);
    double sum = 0.0;
    for (Index j = 0; j < problem.m; ++j)
        sum += problem.c[j] * (X_.row(j).transpose() - chosen_.mean).squaredNorm();
    if (sum > 0.0) chosen_.mean_square = sum / static_cast<double>(columns_.size());
}

Vector ChosenColumns::choose(const Vector& w) const {
    Vector u(static_cast<Index>(columns_.size()));
    for (Index i = 0; i < u.size(); ++i) u[i] = w[columns_[static_cast<std::size_t>(i)]];
    return u;
}

Vector ChosenColumns::expand(const Vector& u) const {
    Vector w = Vector::Zero(n_);
    for (Index i = 0; i < u.size(); ++i) w[columns_[static_cast<std::size_t>(i)]] = u[i];
    return w;
}

std::optional<SvmResult> solve_in_columns(const HingeProblem& problem, const SvmSettings& settings,
                                          BallRows& rows, StagedStart start) {
    SvmSettings inner = settings;
    inner.tolerance = std::max(kLeastTolerance, kRestrictedShare * settings.tolerance);
    std::vector<char> is_chosen(static_cast<std::size_t>(problem.n()));
    for (Index l = 0; l < problem.n(); ++l)
        is_chosen[static_cast<std::size_t>(l)] = start.plane.w[l] != 0.0 ? 1 : 0;
    add_columns(excess(problem, rows, start.a, kNearShare), kColumnsPerRound, is_chosen);
    SvmStats stats;
    std::optional<SvmStart> last;
    for (int round = 0; round < kMostRounds; ++round) {
        std::vector<Index> columns;
        for (Index l = 0; l < problem.n(); ++l) {
            if (is_chosen[static_cast<std::size_t>(l)] != 0) columns.push_back(l);
        }
        const auto count = static_cast<Index>(columns.size());
        if (count == 0 || count > kMostNarrowColumns) return std::nullopt;
        const ChosenColumns chosen(problem, std::move(columns));
        if (last) {
            last->plane.w = chosen.choose(last->plane.w);
        } else {
            start.plane.w = chosen.choose(start.plane.w);
        }
        const bool is_first = !last && start.is_any_optimum;
        SvmResult result = is_first ? solve_in_stages(chosen.problem(), inner, start)
                                    : solve_in_stages(chosen.problem(), inner, last);
        const bool is_stopped = result.status == Status::Interrupted;
        if (result.status != Status::Optimal && !is_stopped) return std::nullopt;

        stats.n_newton_steps += result.stats.n_newton_steps;
        stats.n_stages += result.stats.n_stages;
        result.stats = stats;
        result.plane.w = chosen.expand(result.plane.w);
        const DualityGap gap = BallGap(problem, rows).finish(result.plane, result.dual_ratio, 0.0);
        result.primal_value = gap.primal;
        result.dual_value = gap.dual;
        result.relative_gap = gap.relative(kGapFloor);
        if (is_stopped || result.relative_gap <= settings.tolerance) return result;
        if (!add_columns(excess(problem, rows, result.dual_ratio, 1.0), kColumnsPerRound,
                         is_chosen))
            return std::nullopt;
        last = result.start();
    }
    return std::nullopt;
}

}  // namespace redoubt
