#pragma once

/// Points by rows, dense or compressed, as training, prediction and certificates take them. Nothing
/// here copies numbers unless it says so.

#include "redoubt/types.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace redoubt {

/// One compressed point: `values[i]` in column `column(i)`, ascending; 0 everywhere else.
struct SparseRow {
    Index size = 0;  ///< columns, stored or not
    Index n_entries = 0;
    const double* values = nullptr;
    /// Exactly one of these is set.
    const std::int32_t* columns32 = nullptr;
    const std::int64_t* columns64 = nullptr;

    Index column(Index i) const { return columns32 != nullptr ? columns32[i] : columns64[i]; }

    /// Calls f(column, value) for every entry.
    template <typename F>
    void for_each(F&& f) const {
        if (columns32 != nullptr) {
            for (Index i = 0; i < n_entries; ++i) f(static_cast<Index>(columns32[i]), values[i]);
        } else {
            for (Index i = 0; i < n_entries; ++i) f(static_cast<Index>(columns64[i]), values[i]);
        }
    }
};

/// Compressed sparse rows (CSR) in the caller's memory: row j has the entries starts[j] to
/// starts[j + 1]. Columns ascend within a row, each at most once; zeros may be among the values.
class SparseView {
public:
    SparseView() = default;
    /// `starts` has rows + 1 numbers. Only `check` verifies them and `columns`.
    SparseView(Index rows, Index cols, const std::int32_t* starts, const std::int32_t* columns,
               const double* values)
        : rows_(rows), cols_(cols), starts32_(starts), columns32_(columns), values_(values) {}
    SparseView(Index rows, Index cols, const std::int64_t* starts, const std::int64_t* columns,
               const double* values)
        : rows_(rows), cols_(cols), starts64_(starts), columns64_(columns), values_(values) {}

    SparseView(Index rows, Index cols, const std::int64_t* starts, const std::int32_t* columns,
               const double* values)
        : rows_(rows), cols_(cols), starts64_(starts), columns32_(columns), values_(values) {}

    Index rows() const { return rows_; }
    Index cols() const { return cols_; }
    Index n_entries() const { return rows_ > 0 ? start(rows_) : 0; }
    Index start(Index j) const {
        return starts32_ != nullptr ? starts32_[j] : static_cast<Index>(starts64_[j]);
    }
    SparseRow row(Index j) const {
        const Index begin = start(j);
        return {cols_, start(j + 1) - begin, values_ + begin,
                columns32_ != nullptr ? columns32_ + begin : nullptr,
                columns64_ != nullptr ? columns64_ + begin : nullptr};
    }

    /// Throws InvalidInput unless starts ascend from 0 to `n_stored`, the length of columns and
    /// values, and the columns of every row ascend within [0, cols). One pass.
    void check(Index n_stored) const;

private:
    Index rows_ = 0;
    Index cols_ = 0;
    const std::int32_t* starts32_ = nullptr;
    const std::int64_t* starts64_ = nullptr;
    const std::int32_t* columns32_ = nullptr;
    const std::int64_t* columns64_ = nullptr;
    const double* values_ = nullptr;
};

/// The same with its own memory, filled row by row. Up to 2^31 - 1 columns.
class SparseMatrix {
public:
    explicit SparseMatrix(Index cols = 0) : cols_(cols) {}

    /// Reserves memory for further rows and entries.
    void reserve(Index rows, Index entries) {
        starts_.reserve(static_cast<std::size_t>(rows) + 1);
        columns_.reserve(static_cast<std::size_t>(entries));
        values_.reserve(static_cast<std::size_t>(entries));
    }
    /// Appends an entry to the last row: columns ascend within a row.
    void push_back(Index column, double value) {
        columns_.push_back(static_cast<std::int32_t>(column));
        values_.push_back(value);
    }
    /// Ends the last row.
    void end_row() { starts_.push_back(static_cast<std::int64_t>(columns_.size())); }
    /// Appends columns without entries.
    void widen(Index cols) { cols_ = cols; }

    Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
    Index cols() const { return cols_; }
    Index n_entries() const { return static_cast<Index>(values_.size()); }
    std::vector<double>& values() { return values_; }

    /// Valid until this object changes or ends.
    SparseView view() const {
        return {rows(), cols_, starts_.data(), columns_.data(), values_.data()};
    }

private:
    Index cols_;
    std::vector<std::int64_t> starts_{0};
    std::vector<std::int32_t> columns_;
    std::vector<double> values_;
};

/// One point, dense or compressed.
class PointRef {
public:
    template <typename Derived>
    PointRef(const Eigen::MatrixBase<Derived>& x) : dense_(x.derived()) {}
    PointRef(const SparseRow& x) : dense_(empty()), sparse_(x), is_sparse_(true) {}

    bool is_sparse() const { return is_sparse_; }
    Index size() const { return is_sparse_ ? sparse_.size : dense_.size(); }
    /// Whichever kind it is.
    const VectorRef& dense() const { return dense_; }
    const SparseRow& sparse() const { return sparse_; }

    /// Calls f(column, value) for every entry; for a dense point for every feature.
    template <typename F>
    void for_each(F&& f) const {
        if (is_sparse_) {
            sparse_.for_each(f);
        } else {
            for (Index l = 0; l < dense_.size(); ++l) f(l, dense_[l]);
        }
    }
    /// How many numbers a product reads.
    Index n_entries() const { return is_sparse_ ? sparse_.n_entries : dense_.size(); }
    double norm() const;
    /// A dense copy.
    Vector to_dense() const;

private:
    static const Vector& empty();

    VectorRef dense_;
    SparseRow sparse_{};
    bool is_sparse_ = false;
};

/// Points by rows, dense or compressed. Constructed from either without a copy, and as short-lived
/// as a reference: the numbers must outlive it.
class PointsRef {
public:
    template <typename Derived>
    PointsRef(const Eigen::MatrixBase<Derived>& X) : dense_(X.derived()) {}
    PointsRef(const SparseView& X) : dense_(empty()), sparse_(X), is_sparse_(true) {}
    PointsRef(const SparseMatrix& X) : PointsRef(X.view()) {}

    bool is_sparse() const { return is_sparse_; }
    Index rows() const { return is_sparse_ ? sparse_.rows() : dense_.rows(); }
    Index cols() const { return is_sparse_ ? sparse_.cols() : dense_.cols(); }
    /// Whichever kind it is.
    const MatrixRef& dense() const { return dense_; }
    const SparseView& sparse() const { return sparse_; }

    PointRef row(Index j) const {
        return is_sparse_ ? PointRef(sparse_.row(j)) : PointRef(dense_.row(j).transpose());
    }
    /// X w.
    Vector multiply(const VectorRef& w) const;
    /// A dense copy of all rows, or of these.
    Matrix to_dense() const;
    Matrix to_dense(const std::vector<Index>& rows) const;

private:
    static const Matrix& empty();

    MatrixRef dense_;
    SparseView sparse_{};
    bool is_sparse_ = false;
};

/// Points with their own memory, dense or compressed.
class PointSet {
public:
    PointSet() = default;
    PointSet(Matrix X) : dense_(std::move(X)) {}
    template <typename Derived>
    PointSet(const Eigen::MatrixBase<Derived>& X) : dense_(X) {}
    PointSet(SparseMatrix X) : sparse_(std::move(X)) {}
    /// A copy of these rows, in this order.
    PointSet(const PointsRef& X, const std::vector<Index>& rows);

    bool is_sparse() const { return sparse_.has_value(); }
    Index rows() const { return sparse_ ? sparse_->rows() : dense_.rows(); }
    Index cols() const { return sparse_ ? sparse_->cols() : dense_.cols(); }
    /// One number; of compressed points by a search in its row.
    double operator()(Index row, Index column) const;
    PointRef row(Index j) const { return PointsRef(*this).row(j); }
    /// Whichever kind it is; the other one is empty.
    const Matrix& dense() const { return dense_; }
    const std::optional<SparseMatrix>& sparse() const { return sparse_; }
    /// A dense copy.
    Matrix to_dense() const;
    /// Appends rows of the same kind and width; an empty set takes any.
    void append(const PointsRef& X);

    /// The same numbers, dense or compressed.
    bool operator==(const PointSet& other) const;

    operator PointsRef() const { return sparse_ ? PointsRef(*sparse_) : PointsRef(dense_); }

private:
    Matrix dense_;
    std::optional<SparseMatrix> sparse_;
};

}  // namespace redoubt
