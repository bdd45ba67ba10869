#include <limits>

#include "core/check.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt {

Vector plane_radii(const Hyperplane& plane, const PointsRef& X, const VectorRef& y, Norm norm) {
    check_length("plane.w", plane.w.size(), X.cols());
    check_length("y", y.size(), X.rows());
    check_finite("plane.w", VectorRef(plane.w));
    check_value(std::isfinite(plane.b), "plane.b", "a finite number", plane.b);
    check_points("X", X);
    check_labels("y", y);
    const double size = norm_value(dual(norm), plane.w);
    const Vector margins =
        y.cwiseProduct(X.multiply(plane.w).array().matrix() + Vector::Constant(X.rows(), plane.b));
    if (size > 0.0) return margins / size;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double answer = plane.b >= 0.0 ? 1.0 : -1.0;
    return (y.array() * answer > 0.0).select(Vector::Constant(y.size(), infinity), -infinity);
}

}  // namespace redoubt
