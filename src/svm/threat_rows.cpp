#include "svm/threat_rows.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

ThreatRows::ThreatRows(const HingeProblem& problem, const ThreatBoxes& boxes)
    : problem_(problem), boxes_(boxes) {
    for (Index j = 0; j < problem.m; ++j) {
        if (!(problem.c[j] > 0.0)) continue;
        points_.push_back(j);
        start_.push_back(n_groups());
    }
    rows_.resize(n_groups(), bias());
    const Vector nowhere = Vector::Zero(problem.n());
    for (Index group = 0; group < n_groups(); ++group)
        write_row(group, nowhere, rows_.row(group).data());
    set_signs_and_weights();
}

void ThreatRows::write_row(Index group, const Vector& d, double* out) const {
    const Index n = problem_.n();
    const Index j = point(group);
    Eigen::Map<Vector> w_part(out, n);
    w_part = problem_.x(j) - problem_.mean + d;
    if (!boxes_.empty()) {
        w_part += boxes_.middle.row(j).transpose();
        Eigen::Map<Vector>(out + n, n) = boxes_.half.row(j).transpose();
    }
    w_part *= -problem_.y[j];
}

void ThreatRows::set_signs_and_weights() {
    signs_.resize(n_rows());
    weights_.resize(n_rows());
    for (Index group = 0; group < n_groups(); ++group) {
        for (Index row = begin(group); row < end(group); ++row) {
            signs_[row] = -label(group);
            weights_[row] = weight(group);
        }
    }
}

double ThreatRows::squared_distance(Index row, Index group, const Vector& d) const {
    const Index n = problem_.n();
    const auto moved = rows_.row(row).head(n) - rows_.row(begin(group)).head(n);
    return (moved.transpose() + label(group) * d).squaredNorm();
}

void ThreatRows::multiply(const Vector& z, Vector& out) const {
    out.resize(n_rows());
    const kernels::Rows rows{rows_.data(), rows_.outerStride(), rows_.cols()};
    kernels::multiply_rows(rows, z.data(), 0, n_rows(), out.data());
    out += z[bias()] * signs_;
}

void ThreatRows::multiply_transposed(const Vector& alpha, Vector& out) {
    used_.clear();
    coef_.clear();
    double balance = 0.0;
    for (Index row = 0; row < n_rows(); ++row) {
        if (alpha[row] == 0.0) continue;
        used_.push_back(static_cast<int>(row));
        coef_.push_back(alpha[row]);
        balance += signs_[row] * alpha[row];
    }
    out.setZero(n_variables());
    const kernels::Rows rows{rows_.data(), rows_.outerStride(), rows_.cols()};
    kernels::add_weighted_rows(rows, used_.data(), coef_.data(),
                               static_cast<std::ptrdiff_t>(used_.size()), out.data());
    out[bias()] = balance;
}

void ThreatRows::gram(const std::vector<FreeGroup>& groups, const std::vector<int>& free_rows,
                      double eps, Matrix& H) {
    const Index width = kernels::padded(n_variables());
    H.setZero(width, width);
    panel_.resize(static_cast<std::size_t>(kPanelRows * width));
    Index n_packed = 0;
    const auto flush = [&] {
        kernels::add_gram(panel_.data(), n_packed, width, H.data());
        n_packed = 0;
    };
    for (const FreeGroup& free : groups) {
        const Vector centre = centre_of(free, free_rows);
        for (std::size_t i = free.begin; i < free.end; ++i) {
            double* out = panel_.data() + n_packed * width;
            pack_row(free, free_rows[i], centre, eps, out);
            std::fill(out + n_variables(), out + width, 0.0);
            if (++n_packed == kPanelRows) flush();
        }
    }
    flush();
}

bool ThreatRows::gram(const std::vector<FreeGroup>& groups, const std::vector<int>& free_rows,
                      double eps, LargeCholesky& H) const {
    H.reset(n_variables());
    auto free = groups.begin();
    Vector centre;
    return H.add_rows(static_cast<Index>(free_rows.size()), [&](Index i, double* out) {
        const auto at = static_cast<std::size_t>(i);
        if (at >= free->end) ++free;
        if (at == free->begin) centre = centre_of(*free, free_rows);
        pack_row(*free, free_rows[at], centre, eps, out);
    });
}

Vector ThreatRows::centre_of(const FreeGroup& free, const std::vector<int>& free_rows) const {
    Vector centre = Vector::Zero(rows_.cols());
    if (!free.is_capped) return centre;
    for (std::size_t i = free.begin; i < free.end; ++i)
        centre += rows_.row(free_rows[i]).transpose();
    return centre / static_cast<double>(free.end - free.begin);
}

void ThreatRows::pack_row(const FreeGroup& free, int row, const Vector& centre, double eps,
                          double* out) const {
    const double root = std::sqrt(weight(free.group) / eps);
    Eigen::Map<Vector>(out, rows_.cols()) = root * (rows_.row(row).transpose() - centre);
    out[bias()] = free.is_capped ? 0.0 : root * signs_[row];
}

void ThreatRows::update(const std::vector<NewRow>& added, const std::vector<char>& is_dropped,
                        const std::vector<Vector*>& followers) {
    constexpr Index kNew = -1;
    std::vector<Index> source;  // of every row to be: the row that it is now
    std::vector<Index> start{0};
    auto next = added.begin();
    for (Index group = 0; group < n_groups(); ++group) {
        for (Index row = begin(group); row < end(group); ++row) {
            if (is_dropped[static_cast<std::size_t>(row)] == 0) source.push_back(row);
        }
        if (next != added.end() && next->group == group) {
            source.push_back(kNew);
            ++next;
        }
        start.push_back(static_cast<Index>(source.size()));
    }
    start_ = std::move(start);
    Matrix rows(n_rows(), rows_.cols());
    std::vector<Vector> moved(followers.size(), Vector::Zero(n_rows()));
    for (Index row = 0; row < n_rows(); ++row) {
        const Index from = source[static_cast<std::size_t>(row)];
        if (from == kNew) continue;
        rows.row(row) = rows_.row(from);
        for (std::size_t i = 0; i < moved.size(); ++i) moved[i][row] = (*followers[i])[from];
    }
    for (const NewRow& fresh : added)
        write_row(fresh.group, fresh.d, rows.row(end(fresh.group) - 1).data());
    rows_ = std::move(rows);
    for (std::size_t i = 0; i < moved.size(); ++i) *followers[i] = std::move(moved[i]);
    set_signs_and_weights();
}

}  // namespace redoubt
