#pragma once

/// Scaling of features:  z = (x - offset) / scale, one offset and one scale per feature.
///
/// The parameters are learnt from the training data and kept with the model, which therefore takes
/// raw data and returns results in their units.

#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

#include <string_view>

namespace redoubt {

enum class Scaling {
    None,      ///< offset 0, scale 1
    Standard,  ///< offset = mean, scale = population deviation: sqrt(1/m sum (x - mean)^2)
    MinMax,    ///< offset = least, scale = greatest - least: training data lie in [0, 1]
    MaxAbs,    ///< offset 0, scale = largest magnitude: zeros stay zeros, data in [-1, 1]
    Custom,    ///< offset and scale were given; cannot be fitted
};

/// "none", "standard", "minmax", "maxabs" or "custom".
std::string_view to_string(Scaling scaling) noexcept;

/// The inverse of `to_string`. Throws InvalidInput for anything else.
Scaling parse_scaling(std::string_view name);

/// Immutable once built. A feature whose training values are all equal gets exactly scale 1.
///
/// Internally, numbers are scaled by powers of two, so that nothing overflows or vanishes on the
/// way to a result that a double can hold. If the result itself does not fit, InvalidInput names
/// the feature; features and rows in messages count from 1.
class Scaler {
public:
    /// Scales nothing and accepts no features; a placeholder until one is fitted.
    Scaler() = default;

    /// Learns from X (m x n, m >= 1, finite). Cost: two passes over X; Standard expands it if it is
    /// compressed. Throws InvalidInput for Custom.
    static Scaler fit(Scaling kind, const PointsRef& X);

    /// From stored parameters: equal lengths, all finite, scale > 0. Throws InvalidInput otherwise.
    Scaler(Scaling kind, Vector offset, Vector scale);

    /// (x - offset) / scale for every row. Throws InvalidInput for a wrong number of columns, a
    /// value that is not finite, or a result that is not finite.
    Matrix transform(const MatrixRef& X) const;

    /// The same for points of either kind. Compressed ones stay compressed if every offset is 0.
    PointSet transform_points(const PointsRef& X) const;

    /// True if every offset is 0, so that zeros stay zeros.
    bool keeps_zeros() const;

    /// z * scale + offset for every row; undoes `transform` up to rounding. Throws as above.
    Matrix inverse_transform(const MatrixRef& Z) const;

    Scaling kind() const noexcept { return kind_; }
    Index n_features() const noexcept { return offset_.size(); }
    const Vector& offset() const noexcept { return offset_; }
    const Vector& scale() const noexcept { return scale_; }

private:
    Scaling kind_ = Scaling::None;
    Vector offset_;
    Vector scale_;
};

}  // namespace redoubt
