#pragma once

/// The answer of a model along one feature: where it changes first.

#include <cstdint>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/model.hpp"

namespace redoubt {

/// The values that a feature may take, from the point on in both directions, numbered so that
/// larger values have larger numbers: all doubles of a range, or integers.
class AxisValues {
public:
    /// All doubles from `lower` to `upper`, which may be infinite; `start` is the point's value.
    AxisValues(double start, double lower, double upper);
    /// Only integers among them.
    AxisValues(const IntegerFeature& integer, double start, double lower, double upper);

    double at(std::int64_t number) const;
    std::int64_t first() const { return first_; }
    std::int64_t start() const { return start_; }
    std::int64_t last() const { return last_; }

private:
    bool is_integer_ = false;
    IntegerFeature integer_{};
    double start_value_;
    std::int64_t first_;
    std::int64_t start_;
    std::int64_t last_;
};

/// One point of a model. Along a feature every plane changes its vote at most once, and so does
/// every pair of classes whose values are compared; bisection with exact signs finds where. So
/// nothing is missed between two values.
class AxisSearch {
public:
    /// The model must outlive this.
    AxisSearch(const Model& model, const VectorRef& raw);

    int answer() const { return answer_; }

    /// The first value on the way from the point to values.last() (`is_up`) or values.first() at
    /// which the answer differs; NaN if there is none.
    double first_change(Index feature, const AxisValues& values, bool is_up);

    /// The answer if these features have these raw values and all others are unchanged.
    int answer_at(std::initializer_list<std::pair<Index, double>> changes);

    /// The last raw value upwards or downwards whose scaled value is finite.
    double last_finite(Index feature, bool is_up) const;

private:
    /// The position of a feature among the entries; if it is absent, it is added with its own
    /// value.
    std::size_t place_of(Index feature);
    void set(Index feature, double raw);
    /// Returns to the point itself.
    void reset();
    PointRef moved() const;
    int sign(std::size_t plane, Index feature, double raw);
    int answer_there() const;

    const Model& model_;
    Vector raw_;
    Vector scaled_;
    /// The moved point as its entries: those that are not 0 and those that were moved. A feature
    /// that is 0 contributes nothing to any sign, and in a wide table most are.
    std::vector<std::int64_t> features_;
    std::vector<double> values_;
    std::vector<std::int64_t> own_features_;
    std::vector<double> own_values_;
    /// The planes whose signs determine the answer.
    std::vector<Hyperplane> planes_;
    int answer_ = 0;
};

}  // namespace redoubt
