#include "redoubt/scaler.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/enum_names.hpp"
#include "core/text_tools.hpp"
#include "redoubt/error.hpp"
#include "redoubt/training_record.hpp"

namespace redoubt {

namespace {

std::string place(Index row, Index column) {
    return " in row " + std::to_string(row + 1) + ", feature " + std::to_string(column + 1);
}

void check_input(const PointsRef& X) {
    for (Index i = 0; i < X.rows(); ++i) {
        X.row(i).for_each([&](Index j, double value) {
            if (std::isfinite(value)) return;
            throw InvalidInput("X", "finite numbers", shortest(value) + place(i, j));
        });
    }
}

/// Mean and deviation of every column times `factor`, a power of two that brings the column near 1,
/// so that no sum or square overflows or vanishes.
struct Moments {
    Vector factor;
    Vector mean;
    Vector deviation;
};

Moments column_moments(const MatrixRef& X, const FeatureRanges& range) {
    // 2^1024 is no double; columns of denormals are brought as near to 1 as a finite factor can.
    constexpr int kMaxFactorExponent = 1000;
    const Index n = X.cols();
    const auto m = static_cast<double>(X.rows());
    Vector factor(n);
    for (Index j = 0; j < n; ++j) {
        int exponent = 0;
        std::frexp(std::max(std::abs(range.least[j]), std::abs(range.greatest[j])), &exponent);
        factor[j] = std::ldexp(1.0, std::min(-exponent, kMaxFactorExponent));
    }
    // Differences to the first row are summed: that keeps the digits of a column with a large mean
    // and a small spread.
    const Vector first = X.row(0).transpose().cwiseProduct(factor);
    Vector sum = Vector::Zero(n);
    for (Index i = 0; i < X.rows(); ++i) {
        sum += X.row(i).transpose().cwiseProduct(factor) - first;
    }
    const Vector mean = first + sum / m;
    Vector squares = Vector::Zero(n);
    for (Index i = 0; i < X.rows(); ++i) {
        squares += (X.row(i).transpose().cwiseProduct(factor) - mean).cwiseAbs2();
    }
    return {factor, mean, (squares / m).cwiseSqrt()};
}

/// Replaces entries that overflowed by `careful(i, j)`, and throws if that overflows as well.
template <class Careful>
void settle_overflow(std::string_view argument, const MatrixRef& input, Matrix& result,
                     const Careful& careful) {
    for (Index i = 0; i < result.rows(); ++i) {
        for (Index j = 0; j < result.cols(); ++j) {
            if (std::isfinite(result(i, j))) continue;
            result(i, j) = careful(i, j);
            if (std::isfinite(result(i, j))) continue;
            const bool bad_input = !std::isfinite(input(i, j));
            throw InvalidInput(
                argument, bad_input ? "finite numbers" : "numbers that stay finite when scaled",
                shortest(input(i, j)) + place(i, j));
        }
    }
}

void check_columns(std::string_view argument, Index wanted, Index got) {
    if (wanted == got) return;
    throw InvalidInput(argument, counted(wanted, "column"), std::to_string(got));
}

}  // namespace

std::string_view to_string(Scaling scaling) noexcept {
    return name_of(kScalingNames, scaling);
}

Scaling parse_scaling(std::string_view name) {
    return value_of(kScalingNames, "scaling", name);
}

Scaler::Scaler(Scaling kind, Vector offset, Vector scale)
    : kind_(kind), offset_(std::move(offset)), scale_(std::move(scale)) {
    if (offset_.size() != scale_.size()) {
        throw InvalidInput("scale", counted(offset_.size(), "value") + ", as many as offset",
                           std::to_string(scale_.size()));
    }
    for (Index j = 0; j < offset_.size(); ++j) {
        const std::string feature = " for feature " + std::to_string(j + 1);
        if (!std::isfinite(offset_[j])) {
            throw InvalidInput("offset", "finite numbers", shortest(offset_[j]) + feature);
        }
        if (!std::isfinite(scale_[j]) || scale_[j] <= 0.0) {
            throw InvalidInput("scale", "finite numbers above 0", shortest(scale_[j]) + feature);
        }
    }
}

Scaler Scaler::fit(Scaling kind, const PointsRef& X) {
    if (kind == Scaling::Custom) {
        throw InvalidInput("kind", "a scaling that is learnt from data", "'custom'");
    }
    if (X.rows() < 1) throw InvalidInput("X", "at least 1 row", "none");
    check_input(X);
    const Index n = X.cols();
    Vector offset = Vector::Zero(n);
    Vector scale = Vector::Ones(n);
    if (kind == Scaling::None || n == 0) return {kind, offset, scale};

    const FeatureRanges range = FeatureRanges::of(X);
    Moments moments;
    if (kind == Scaling::Standard) {
        moments = X.is_sparse() ? column_moments(X.to_dense(), range)
                                : column_moments(X.dense(), range);
    }
    for (Index j = 0; j < n; ++j) {
        if (kind == Scaling::MaxAbs) {
            const double largest = std::max(std::abs(range.least[j]), std::abs(range.greatest[j]));
            if (largest > 0.0) scale[j] = largest;
            continue;
        }
        offset[j] = range.least[j];
        // Compared, not computed: the rounded deviation of equal values need not be 0.
        if (range.least[j] == range.greatest[j]) continue;
        if (kind == Scaling::Standard) {
            // Divided, not multiplied: the inverse of the smallest factor is no double.
            offset[j] = moments.mean[j] / moments.factor[j];
            scale[j] = moments.deviation[j] / moments.factor[j];
        } else {
            scale[j] = range.greatest[j] - range.least[j];
        }
        if (std::isfinite(scale[j]) && scale[j] > 0.0) continue;
        throw InvalidInput("X", "features whose spread a double can hold",
                           shortest(range.least[j]) + " to " + shortest(range.greatest[j]) +
                               " in feature " + std::to_string(j + 1));
    }
    return {kind, offset, scale};
}

Matrix Scaler::transform(const MatrixRef& X) const {
    check_columns("X", n_features(), X.cols());
    Matrix Z = (X.rowwise() - offset_.transpose()).array().rowwise() / scale_.transpose().array();
    // Halves cannot overflow in the difference.
    settle_overflow("X", X, Z, [&](Index i, Index j) {
        return (X(i, j) / 2.0 - offset_[j] / 2.0) / scale_[j] * 2.0;
    });
    return Z;
}

bool Scaler::keeps_zeros() const {
    return (offset_.array() == 0.0).all();
}

PointSet Scaler::transform_points(const PointsRef& X) const {
    if (!X.is_sparse()) return transform(X.dense());
    if (!keeps_zeros()) return transform(X.to_dense());
    check_columns("X", n_features(), X.cols());
    SparseMatrix Z(X.cols());
    Z.reserve(X.rows(), X.sparse().n_entries());
    for (Index i = 0; i < X.rows(); ++i) {
        X.sparse().row(i).for_each([&](Index j, double value) {
            const double scaled = value / scale_[j];
            if (!std::isfinite(scaled)) {
                const bool bad_input = !std::isfinite(value);
                throw InvalidInput(
                    "X", bad_input ? "finite numbers" : "numbers that stay finite when scaled",
                    shortest(value) + place(i, j));
            }
            Z.push_back(j, scaled);
        });
        Z.end_row();
    }
    return Z;
}

Matrix Scaler::inverse_transform(const MatrixRef& Z) const {
    check_columns("Z", n_features(), Z.cols());
    Matrix X =
        (Z.array().rowwise() * scale_.transpose().array()).rowwise() + offset_.transpose().array();
    settle_overflow("Z", Z, X, [&](Index i, Index j) {
        return (Z(i, j) * (scale_[j] / 2.0) + offset_[j] / 2.0) * 2.0;
    });
    return X;
}

}  // namespace redoubt
