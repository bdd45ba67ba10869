#pragma once

/// Dense matrices as compressed rows, in every form that the library takes.

#include <cstdint>
#include <vector>

#include "redoubt/points.hpp"

namespace redoubt::testing {

/// Starts and columns of this width, with some zeros among the values where `every_zero` > 0: each
/// zero of the matrix whose number is a multiple of that.
template <typename Start, typename Column>
class SparseCopy {
public:
    explicit SparseCopy(const Matrix& X, Index every_zero = 0) : rows_(X.rows()), cols_(X.cols()) {
        Index n_zeros = 0;
        for (Index j = 0; j < X.rows(); ++j) {
            for (Index l = 0; l < X.cols(); ++l) {
                const bool is_kept =
                    every_zero > 0 && X(j, l) == 0.0 && n_zeros++ % every_zero == 0;
                if (X(j, l) == 0.0 && !is_kept) continue;
                columns.push_back(static_cast<Column>(l));
                values.push_back(X(j, l));
            }
            starts.push_back(static_cast<Start>(values.size()));
        }
    }
    SparseView view() const { return {rows_, cols_, starts.data(), columns.data(), values.data()}; }

    std::vector<Start> starts{0};
    std::vector<Column> columns;
    std::vector<double> values;

private:
    Index rows_;
    Index cols_;
};

inline SparseMatrix compressed(const Matrix& X) {
    SparseMatrix sparse(X.cols());
    for (Index j = 0; j < X.rows(); ++j) {
        for (Index l = 0; l < X.cols(); ++l) {
            if (X(j, l) != 0.0) sparse.push_back(l, X(j, l));
        }
        sparse.end_row();
    }
    return sparse;
}

}  // namespace redoubt::testing
