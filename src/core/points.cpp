#include "redoubt/points.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/kernels.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

void SparseView::check(Index n_stored) const {
    if (start(0) != 0)
        throw InvalidInput("X", "row starts that begin with 0", std::to_string(start(0)));
    for (Index j = 0; j < rows_; ++j) {
        if (start(j + 1) >= start(j) && start(j + 1) <= n_stored) continue;
        throw InvalidInput(
            "X",
            "row starts that ascend to " + std::to_string(n_stored) + ", the number of entries",
            std::to_string(start(j + 1)) + " after row " + std::to_string(j));
    }
    if (n_entries() != n_stored)
        throw InvalidInput("X", std::to_string(n_stored) + " entries in its rows",
                           std::to_string(n_entries()));
    for (Index j = 0; j < rows_; ++j) {
        const SparseRow entries = row(j);
        Index last = -1;
        for (Index i = 0; i < entries.n_entries; ++i) {
            const Index column = entries.column(i);
            if (column < 0 || column >= cols_)
                throw InvalidInput("X", "columns 0 to " + std::to_string(cols_ - 1),
                                   std::to_string(column) + " in row " + std::to_string(j));
            if (column <= last)
                throw InvalidInput("X", "columns that ascend within a row, each at most once",
                                   std::to_string(column) + " after " + std::to_string(last) +
                                       " in row " + std::to_string(j));
            last = column;
        }
    }
}

const Vector& PointRef::empty() {
    static const Vector none;
    return none;
}

double PointRef::norm() const {
    if (!is_sparse_) return dense_.norm();
    return Eigen::Map<const Vector>(sparse_.values, sparse_.n_entries).norm();
}

Vector PointRef::to_dense() const {
    if (!is_sparse_) return dense_;
    Vector x = Vector::Zero(sparse_.size);
    sparse_.for_each([&](Index l, double value) { x[l] = value; });
    return x;
}

const Matrix& PointsRef::empty() {
    static const Matrix none;
    return none;
}

Vector PointsRef::multiply(const VectorRef& w) const {
    if (!is_sparse_) return dense_ * w;
    Vector out(rows());
    for (Index j = 0; j < rows(); ++j) out[j] = kernels::dot(sparse_.row(j), w.data());
    return out;
}

Matrix PointsRef::to_dense() const {
    if (!is_sparse_) return dense_;
    Matrix out = Matrix::Zero(rows(), cols());
    for (Index j = 0; j < rows(); ++j)
        sparse_.row(j).for_each([&](Index l, double value) { out(j, l) = value; });
    return out;
}

Matrix PointsRef::to_dense(const std::vector<Index>& rows) const {
    if (!is_sparse_) return dense_(rows, Eigen::all);
    Matrix out(static_cast<Index>(rows.size()), cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
        out.row(static_cast<Index>(i)) = row(rows[i]).to_dense().transpose();
    return out;
}

namespace {

void add_row(SparseMatrix& to, const SparseRow& row) {
    row.for_each([&](Index l, double value) { to.push_back(l, value); });
    to.end_row();
}

void add_rows(SparseMatrix& to, const SparseView& rows) {
    for (Index j = 0; j < rows.rows(); ++j) add_row(to, rows.row(j));
}

}  // namespace

PointSet::PointSet(const PointsRef& X, const std::vector<Index>& rows) {
    if (!X.is_sparse()) {
        dense_ = X.to_dense(rows);
        return;
    }
    sparse_.emplace(X.cols());
    for (Index j : rows) add_row(*sparse_, X.sparse().row(j));
}

double PointSet::operator()(Index row, Index column) const {
    if (!sparse_) return dense_(row, column);
    const SparseRow entries = sparse_->view().row(row);
    const std::int32_t* const end = entries.columns32 + entries.n_entries;
    const std::int32_t* const found = std::lower_bound(entries.columns32, end, column);
    return found != end && *found == column ? entries.values[found - entries.columns32] : 0.0;
}

Matrix PointSet::to_dense() const {
    return PointsRef(*this).to_dense();
}

bool PointSet::operator==(const PointSet& other) const {
    if (rows() != other.rows() || cols() != other.cols()) return false;
    for (Index j = 0; j < rows(); ++j) {
        if (row(j).to_dense() != other.row(j).to_dense()) return false;
    }
    return true;
}

void PointSet::append(const PointsRef& X) {
    if (X.is_sparse()) {
        if (!sparse_) sparse_.emplace(X.cols());
        add_rows(*sparse_, X.sparse());
        return;
    }
    const Index n_before = dense_.rows();
    dense_.conservativeResize(n_before + X.rows(), X.cols());
    dense_.bottomRows(X.rows()) = X.dense();
}

}  // namespace redoubt
