#pragma once

/// Moves of scaled features as rows of the data.

#include <optional>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/model.hpp"

namespace redoubt {

/// The scaled value of a raw one, rounded as Scaler::transform rounds.
double scaled_value(const Scaler& scaler, Index feature, double raw);

/// Turns a step d of scaled features into a raw row that obeys an attack model exactly:
///
///     features with d = 0   are the same to the last bit
///     integers              stay integers
///     members of groups     have the values for on and off
///     all others            raw + d * scale, within their range and on the right side of raw
///
/// A move often ends on the very edge of a plane, where rounding decides. A row without the
/// required answer is therefore moved further, by at most kMaxStretch times its step. If that is
/// not enough, because planes are so close together that only few doubles lie between them, some
/// neighbouring doubles are tried.
class RawMover {
public:
    static constexpr double kMaxStretch = 0x1p-30;

    /// Both must outlive this.
    RawMover(const Model& model, const AttackModel& attack_model);

    /// Writes the moved row; `answer` is the required answer, empty if it does not matter. False if
    /// the answer differs.
    bool move(const VectorRef& raw, const VectorRef& step, std::optional<int> answer,
              Vector& row) const;

private:
    void place(const VectorRef& raw, const VectorRef& step, double stretch, Vector& row) const;
    double land(Index feature, double raw, double step, double stretch) const;
    bool try_neighbours(const VectorRef& raw, const VectorRef& step, int answer, Vector& row) const;
    bool is_free(Index feature) const;
    double keep_rules(Index feature, double raw, double value) const;

    const Model& model_;
    const AttackModel& attack_model_;
    /// By feature: its position among the integers, or -1.
    std::vector<int> integer_;
    /// By feature: the raw values of a group member when off and on; NaN for all other features.
    Vector off_;
    Vector on_;
};

}  // namespace redoubt
