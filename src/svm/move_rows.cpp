#include "svm/move_rows.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

namespace {

/// Rows packed at once before they are multiplied out.
constexpr Index kPanelRows = 256;

}  // namespace

MoveRows::MoveRows(const HingeProblem& problem, const MoveBoxes& boxes)
    : problem_(problem), boxes_(boxes) {
    mean_ = Vector::Zero(problem.n());
    Vector squares = Vector::Zero(problem.n());
    const auto x = [&](Index j) {
        return Eigen::Map<const Vector>(problem.X.data + j * problem.X.stride, problem.n());
    };
    for (Index j = 0; j < problem.m; ++j) {
        mean_ += problem.c[j] * x(j);
        if (problem.c[j] > 0.0) points_.push_back(j);
    }
    for (Index j = 0; j < problem.m; ++j) squares += problem.c[j] * (x(j) - mean_).cwiseAbs2();
    mean_square_ = squares.mean();
    // All points alike: any scale will do.
    if (!(mean_square_ > 0.0)) mean_square_ = 1.0;

    rows_.resize(n_groups(), n() + n_boxed());
    signs_.resize(n_groups());
    start_.push_back(0);
    for (Index group = 0; group < n_groups(); ++group) {
        write_row(group, nullptr, rows_.row(group).data());
        signs_[group] = -label(group);
        start_.push_back(group + 1);
    }
}

void MoveRows::write_row(Index group, const Vector* d, double* out) const {
    const Index j = point(group);
    Eigen::Map<Vector> w_part(out, n());
    w_part = Eigen::Map<const Vector>(problem_.X.data + j * problem_.X.stride, n()) - mean_;
    if (d != nullptr) w_part += *d;
    if (!boxes_.empty()) {
        w_part += boxes_.middle.row(j).transpose();
        Eigen::Map<Vector>(out + n(), n()) = boxes_.half.row(j).transpose();
    }
    w_part *= -problem_.y[j];
}

double MoveRows::squared_distance(Index row, Index group, const Vector& d) const {
    const Index first = begin(group);
    const auto moved = rows_.row(row).head(n()) - rows_.row(first).head(n());
    return (moved.transpose() + label(group) * d).squaredNorm();
}

void MoveRows::multiply(const Vector& z, Vector& out) const {
    out.resize(n_rows());
    const kernels::Rows rows{rows_.data(), rows_.outerStride(), rows_.cols()};
    kernels::multiply_rows(rows, z.data(), 0, n_rows(), out.data());
    out += z[bias()] * signs_;
}

void MoveRows::multiply_transposed(const Vector& alpha, Vector& out) const {
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

void MoveRows::gram(const std::vector<FreeGroup>& groups, const std::vector<int>& free_rows,
                    double eps, Matrix& H) {
    const Index width = kernels::padded(n_variables());
    H.setZero(width, width);
    panel_.resize(static_cast<std::size_t>(kPanelRows * width));
    Index n_packed = 0;
    const auto flush = [&] {
        kernels::add_gram(panel_.data(), n_packed, width, H.data());
        n_packed = 0;
    };
    Vector centre(rows_.cols());
    for (const FreeGroup& free : groups) {
        const double root = std::sqrt(weight(free.group) / eps);
        const auto count = static_cast<double>(free.end - free.begin);
        centre.setZero();
        if (free.is_capped) {
            for (std::size_t i = free.begin; i < free.end; ++i)
                centre += rows_.row(free_rows[i]).transpose();
            centre /= count;
        }
        for (std::size_t i = free.begin; i < free.end; ++i) {
            double* out = panel_.data() + n_packed * width;
            Eigen::Map<Vector>(out, rows_.cols()) =
                root * (rows_.row(free_rows[i]).transpose() - centre);
            out[bias()] = free.is_capped ? 0.0 : root * signs_[free_rows[i]];
            std::fill(out + n_variables(), out + width, 0.0);
            if (++n_packed == kPanelRows) flush();
        }
    }
    flush();
}

void MoveRows::update(const std::vector<NewRow>& added, const std::vector<char>& is_dropped,
                      Vector& a, const std::vector<Vector*>& others) {
    std::vector<std::vector<const NewRow*>> by_group(static_cast<std::size_t>(n_groups()));
    for (const NewRow& row : added) by_group[static_cast<std::size_t>(row.group)].push_back(&row);
    const Index n_kept = n_rows() - std::count(is_dropped.begin(), is_dropped.end(), 1);
    const Index n_new = n_kept + static_cast<Index>(added.size());
    Matrix rows(n_new, rows_.cols());
    Vector signs(n_new);
    Vector new_a(n_new);
    std::vector<Vector> new_others(others.size(), Vector::Zero(n_new));
    std::vector<Index> start{0};
    Index at = 0;
    for (Index group = 0; group < n_groups(); ++group) {
        for (Index row = begin(group); row < end(group); ++row) {
            if (is_dropped[static_cast<std::size_t>(row)] != 0) continue;
            rows.row(at) = rows_.row(row);
            signs[at] = signs_[row];
            new_a[at] = a[row];
            for (std::size_t i = 0; i < others.size(); ++i) new_others[i][at] = (*others[i])[row];
            ++at;
        }
        for (const NewRow* row : by_group[static_cast<std::size_t>(group)]) {
            write_row(group, &row->d, rows.row(at).data());
            signs[at] = -label(group);
            new_a[at] = row->a;
            ++at;
        }
        start.push_back(at);
    }
    rows_ = std::move(rows);
    signs_ = std::move(signs);
    start_ = std::move(start);
    a = std::move(new_a);
    for (std::size_t i = 0; i < others.size(); ++i) *others[i] = std::move(new_others[i]);
}

}  // namespace redoubt
