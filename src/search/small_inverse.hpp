#pragma once

#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// The inverse of a small dense matrix, by Gauss-Jordan elimination with row pivoting. Memory is
/// reused.
class SmallInverse {
public:
    /// Room for an n x n matrix; `at` fills it, row by row or otherwise.
    void resize(std::size_t n);
    std::size_t size() const { return n_; }
    double& at(std::size_t row, std::size_t column) { return matrix_[row * n_ + column]; }
    double operator()(std::size_t row, std::size_t column) const {
        return matrix_[row * n_ + column];
    }

    /// Replaces the matrix by its inverse; false if it is singular to working precision.
    bool invert();

private:
    std::size_t n_ = 0;
    std::vector<double> matrix_;
    std::vector<std::size_t> pivot_;
};

}  // namespace redoubt
