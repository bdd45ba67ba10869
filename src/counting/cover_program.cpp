#include "counting/cover_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rounding.hpp"
#include "counting/place.hpp"

namespace redoubt {

namespace {

/// Values that miss their bounds by less than this are taken to keep them.
constexpr double kFeasible = 1e-9;
/// Pivots below this are rounding.
constexpr double kPivot = 1e-9;
constexpr int kIterationsPerRow = 30;

bool is_surplus(int variable) {
    return variable < 0;
}

}  // namespace

void CoverProgram::clear(int n_planes) {
    k_ = n_planes;
    n_columns_ = 0;
    gains_.clear();
    by_plane_.resize(to_size(n_planes));
    for (auto& each : by_plane_) each.clear();
    magnitudes_.assign(to_size(n_planes), 0.0);
}

void CoverProgram::add_column(const double* gains) {
    gains_.insert(gains_.end(), gains, gains + k_);
    for (int i = 0; i < k_; ++i) {
        by_plane_[to_size(i)].push_back(gains[i]);
        magnitudes_[to_size(i)] += std::abs(gains[i]);
    }
    ++n_columns_;
}

double CoverProgram::multiplier_sum() const {
    double sum = 0.0;
    for (double each : lambda_) sum += each;
    return sum * (1.0 + 64.0 * kEps);
}

/// Adds the rows, each times its factor, to one number per column.
void CoverProgram::add_rows(const std::vector<double>& factors, std::vector<double>& sum) const {
    const std::size_t n = to_size(n_columns_);
    for (int r = 0; r < n_rows(); ++r) {
        const double factor = factors[to_size(r)];
        if (factor == 0.0) continue;
        const double* row = by_plane_[to_size(rows_[to_size(r)])].data();
        double* to = sum.data();
        for (std::size_t j = 0; j < n; ++j) to[j] += factor * row[j];
    }
}

/// The multipliers' bound, less than it by all roundings of its terms.
double CoverProgram::safe_bound(bool has_costs) {
    double sum = 0.0;
    double magnitude = 0.0;
    for (int r = 0; r < n_rows(); ++r) {
        const double lambda = lambda_[to_size(r)];
        sum += lambda * wanted_[to_size(r)];
        magnitude +=
            lambda * (std::abs(wanted_[to_size(r)]) + magnitudes_[to_size(rows_[to_size(r)])]);
    }
    products_.assign(to_size(n_columns_), 0.0);
    add_rows(lambda_, products_);
    for (std::size_t c = 0; c < products_.size(); ++c) {
        const double cost = has_costs ? columns_->cost[c] : 0.0;
        const double rate = cost - products_[c];
        sum += rate * (rate < 0.0 ? columns_->hi[c] : columns_->lo[c]);
        magnitude += cost * columns_->hi[c];
    }
    const double n_roundings = static_cast<double>(n_columns_ + 2 * n_rows() + 16);
    return sum - n_roundings * kEps * (magnitude + std::abs(sum));
}

/// The bound of the present multipliers, up to rounding.
double CoverProgram::likely_bound() const {
    double sum = 0.0;
    for (int r = 0; r < n_rows(); ++r)
        sum += std::max(0.0, dual_[to_size(r)]) * wanted_[to_size(r)];
    for (std::size_t c = 0; c < reduced_.size(); ++c)
        sum += reduced_[c] * (reduced_[c] < 0.0 ? columns_->hi[c] : columns_->lo[c]);
    return sum;
}

/// Every row's own surplus: multipliers 0.
void CoverProgram::start_with_surplus(CoverBasis& basis) {
    basis.basic.resize(rows_.size());
    for (int r = 0; r < n_rows(); ++r) basis.basic[to_size(r)] = -1 - r;
    std::fill(inverse_.begin(), inverse_.end(), 0.0);
    for (int r = 0; r < n_rows(); ++r) inverse_[at(r, r)] = -1.0;
}

/// The inverse of the basic columns, by elimination; false if they are singular.
bool CoverProgram::factor(CoverBasis& basis) {
    const int n = n_rows();
    inverse_.assign(to_size(n) * to_size(n), 0.0);
    work_.assign(to_size(n) * to_size(n), 0.0);
    for (int b = 0; b < n; ++b) {
        const int variable = basis.basic[to_size(b)];
        for (int r = 0; r < n; ++r) {
            work_[at(r, b)] =
                is_surplus(variable) ? (r == -1 - variable ? -1.0 : 0.0) : gain(variable, r);
        }
        inverse_[at(b, b)] = 1.0;
    }
    // Rows of `work_` turn into the identity, column by column.
    for (int b = 0; b < n; ++b) {
        int best = b;
        double scale = 0.0;
        for (int r = 0; r < n; ++r) scale = std::max(scale, std::abs(work_[at(r, b)]));
        for (int r = b; r < n; ++r) {
            if (std::abs(work_[at(r, b)]) > std::abs(work_[at(best, b)])) best = r;
        }
        const double pivot = work_[at(best, b)];
        if (!(std::abs(pivot) > kPivot * scale) || pivot == 0.0) return false;
        for (int c = 0; c < n; ++c) {
            std::swap(work_[at(best, c)], work_[at(b, c)]);
            std::swap(inverse_[at(best, c)], inverse_[at(b, c)]);
        }
        for (int c = 0; c < n; ++c) {
            work_[at(b, c)] /= pivot;
            inverse_[at(b, c)] /= pivot;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = work_[at(r, b)];
            if (r == b || factor == 0.0) continue;
            for (int c = 0; c < n; ++c) {
                work_[at(r, c)] -= factor * work_[at(b, c)];
                inverse_[at(r, c)] -= factor * inverse_[at(b, c)];
            }
        }
    }
    return true;
}

void CoverProgram::compute_duals(const CoverBasis& basis) {
    const int n = n_rows();
    dual_.assign(to_size(n), 0.0);
    for (int b = 0; b < n; ++b) {
        const int variable = basis.basic[to_size(b)];
        if (is_surplus(variable)) continue;
        const double cost = columns_->cost[to_size(variable)];
        for (int r = 0; r < n; ++r) dual_[to_size(r)] += cost * inverse(b, r);
    }
    reduced_.assign(columns_->cost.begin(), columns_->cost.begin() + n_columns_);
    factors_.resize(to_size(n));
    for (int r = 0; r < n; ++r) factors_[to_size(r)] = -dual_[to_size(r)];
    add_rows(factors_, reduced_);
}

double CoverProgram::resting_value(const CoverBasis& basis, int column) const {
    const std::size_t c = to_size(column);
    return basis.is_at_upper[c] != 0 ? columns_->hi[c] : columns_->lo[c];
}

void CoverProgram::compute_basics(const CoverBasis& basis) {
    const int n = n_rows();
    work_ = wanted_;
    for (int j = 0; j < n_columns_; ++j) {
        const double value = is_basic_[to_size(j)] != 0 ? 0.0 : resting_value(basis, j);
        if (value == 0.0) continue;
        for (int r = 0; r < n; ++r) work_[to_size(r)] -= value * gain(j, r);
    }
    basics_.assign(to_size(n), 0.0);
    for (int b = 0; b < n; ++b) {
        for (int r = 0; r < n; ++r) basics_[to_size(b)] += inverse(b, r) * work_[to_size(r)];
    }
}

/// The basic variable that misses its bounds by most; -1 if none does.
int CoverProgram::leaving_row(const CoverBasis& basis, bool& is_below) const {
    int worst = -1;
    double most = kFeasible;
    for (int b = 0; b < n_rows(); ++b) {
        const int variable = basis.basic[to_size(b)];
        const double value = basics_[to_size(b)];
        const double lo = is_surplus(variable) ? 0.0 : columns_->lo[to_size(variable)];
        const double hi = is_surplus(variable) ? HUGE_VAL : columns_->hi[to_size(variable)];
        // A surplus is measured in units of its row.
        const double unit =
            is_surplus(variable) ? 1.0 + std::abs(wanted_[to_size(-1 - variable)]) : 1.0;
        if ((lo - value) / unit > most) {
            most = (lo - value) / unit;
            worst = b;
            is_below = true;
        }
        if ((value - hi) / unit > most) {
            most = (value - hi) / unit;
            worst = b;
            is_below = false;
        }
    }
    return worst;
}

/// The ratio test: variables on the way whose flip to their other bound does not yet mend the row
/// are flipped, and the next one enters.
CoverProgram::Step CoverProgram::pivot(CoverBasis& basis, int row, bool is_below) {
    const int n = n_rows();
    const int leaving = basis.basic[to_size(row)];
    const double sign = is_below ? 1.0 : -1.0;
    // In units of `sign`, a variable that rests low mends the row when its entry is negative.
    ratios_.clear();
    const auto consider = [&](int variable, double entry, double reduced, bool is_upper) {
        const double towards = is_upper ? sign * entry : -sign * entry;
        if (!(towards > kPivot)) return;
        ratios_.push_back({std::abs(reduced) / towards, towards, variable});
    };
    factors_.resize(to_size(n));
    for (int r = 0; r < n; ++r) factors_[to_size(r)] = inverse(row, r);
    products_.assign(to_size(n_columns_), 0.0);
    add_rows(factors_, products_);
    for (int j = 0; j < n_columns_; ++j) {
        const std::size_t c = to_size(j);
        if (is_basic_[c] != 0 || columns_->lo[c] == columns_->hi[c]) continue;
        consider(j, products_[c], reduced_[c], basis.is_at_upper[c] != 0);
    }
    for (int r = 0; r < n; ++r) {
        const bool is_in =
            std::find(basis.basic.begin(), basis.basic.end(), -1 - r) != basis.basic.end();
        if (!is_in) consider(-1 - r, -inverse(row, r), dual_[to_size(r)], false);
    }
    const double value = basics_[to_size(row)];
    const double target = is_surplus(leaving) ? 0.0
                          : is_below          ? columns_->lo[to_size(leaving)]
                                              : columns_->hi[to_size(leaving)];
    double missing = std::abs(value - target);
    // Few are needed, as a rule: a heap, the next one at its front. What was taken stands behind
    // it, the last one first.
    const auto is_later = [](const Ratio& a, const Ratio& b) {
        return a.ratio > b.ratio || (a.ratio == b.ratio && a.slope < b.slope) ||
               (a.ratio == b.ratio && a.slope == b.slope && a.variable < b.variable);
    };
    std::make_heap(ratios_.begin(), ratios_.end(), is_later);
    auto rest = ratios_.end();
    bool is_found = false;
    while (!is_found && rest != ratios_.begin()) {
        std::pop_heap(ratios_.begin(), rest, is_later);
        --rest;
        const double range = is_surplus(rest->variable) ? HUGE_VAL
                                                        : columns_->hi[to_size(rest->variable)] -
                                                              columns_->lo[to_size(rest->variable)];
        missing -= rest->slope * range;
        is_found = missing <= 0.0;
    }
    if (!is_found) {
        // Everything that could mend the row is not enough: the row of the inverse proves it.
        for (int r = 0; r < n; ++r) lambda_[to_size(r)] = std::max(0.0, sign * -inverse(row, r));
        return Step::Ray;
    }
    for (auto passed = rest + 1; passed != ratios_.end(); ++passed) {
        char& mark = basis.is_at_upper[to_size(passed->variable)];
        mark = mark != 0 ? 0 : 1;
    }
    const int variable = rest->variable;
    // B^-1 times the column that enters.
    work_.assign(to_size(n), 0.0);
    for (int b = 0; b < n; ++b) {
        if (is_surplus(variable)) {
            work_[to_size(b)] = -inverse(b, -1 - variable);
        } else {
            for (int r = 0; r < n; ++r) work_[to_size(b)] += inverse(b, r) * gain(variable, r);
        }
    }
    const double divisor = work_[to_size(row)];
    if (!(std::abs(divisor) > kPivot)) return Step::Stuck;
    for (int r = 0; r < n; ++r) inverse_[at(row, r)] /= divisor;
    for (int b = 0; b < n; ++b) {
        const double factor = work_[to_size(b)];
        if (b == row || factor == 0.0) continue;
        for (int r = 0; r < n; ++r) inverse_[at(b, r)] -= factor * inverse(row, r);
    }
    basis.basic[to_size(row)] = variable;
    if (!is_surplus(variable)) is_basic_[to_size(variable)] = 1;
    if (!is_surplus(leaving)) {
        is_basic_[to_size(leaving)] = 0;
        basis.is_at_upper[to_size(leaving)] = is_below ? 0 : 1;
    }
    return Step::Done;
}

CoverProgram::Outcome CoverProgram::solve(const std::vector<int>& rows,
                                          const std::vector<double>& margins,
                                          const CoverColumns& columns, double cutoff,
                                          CoverBasis& basis) {
    rows_ = rows;
    columns_ = &columns;
    wanted_.clear();
    for (int i : rows) wanted_.push_back(margins[to_size(i)]);
    lambda_.assign(rows.size(), 0.0);
    const int n_known = static_cast<int>(basis.basic.size());
    for (int r = n_known; r < n_rows(); ++r) basis.basic.push_back(-1 - r);
    basis.is_at_upper.resize(to_size(n_columns_), 0);
    // A column that is fixed now may not be basic.
    if (!factor(basis)) start_with_surplus(basis);
    compute_duals(basis);
    const auto has_negative = [&] {
        return std::any_of(dual_.begin(), dual_.end(), [](double d) { return d < -kPivot; });
    };
    if (has_negative()) {
        start_with_surplus(basis);
        compute_duals(basis);
    }
    bound_ = -HUGE_VAL;
    const int most = kIterationsPerRow * (n_rows() + 2);
    Outcome outcome = Outcome::Unfinished;
    for (int iteration = 0; iteration < most; ++iteration) {
        is_basic_.assign(to_size(n_columns_), 0);
        for (int variable : basis.basic) {
            if (!is_surplus(variable)) is_basic_[to_size(variable)] = 1;
        }
        for (int j = 0; j < n_columns_; ++j) {
            if (is_basic_[to_size(j)] != 0) continue;
            if (reduced_[to_size(j)] < -kPivot) basis.is_at_upper[to_size(j)] = 1;
            if (reduced_[to_size(j)] > kPivot) basis.is_at_upper[to_size(j)] = 0;
        }
        compute_basics(basis);
        bool is_below = false;
        const int row = leaving_row(basis, is_below);
        if (row < 0) {
            outcome = Outcome::Solved;
            break;
        }
        const Step step = pivot(basis, row, is_below);
        if (step == Step::Ray) {
            if (safe_bound(false) > 0.0) {
                bound_ = HUGE_VAL;
                return Outcome::Infeasible;
            }
            break;
        }
        if (step == Step::Stuck) {
            if (!factor(basis)) start_with_surplus(basis);
        }
        compute_duals(basis);
        if (cutoff < HUGE_VAL && likely_bound() > cutoff) {
            for (int r = 0; r < n_rows(); ++r)
                lambda_[to_size(r)] = std::max(0.0, dual_[to_size(r)]);
            if (safe_bound(true) > cutoff) break;
        }
    }
    for (int r = 0; r < n_rows(); ++r) lambda_[to_size(r)] = std::max(0.0, dual_[to_size(r)]);
    bound_ = safe_bound(true);
    x_.assign(to_size(n_columns_), 0.0);
    for (int j = 0; j < n_columns_; ++j) {
        if (is_basic_[to_size(j)] == 0) x_[to_size(j)] = resting_value(basis, j);
    }
    for (int b = 0; b < n_rows(); ++b) {
        const int variable = basis.basic[to_size(b)];
        if (is_surplus(variable)) continue;
        const std::size_t c = to_size(variable);
        x_[c] = std::clamp(basics_[to_size(b)], columns.lo[c], columns.hi[c]);
    }
    return outcome;
}

}  // namespace redoubt
