#include "explain/raw_move.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace redoubt {

namespace {

/// The first stretch that is tried: a few units in the last place.
constexpr double kFirstStretch = 0x1p-50;
/// Neighbours of the rounded raw value that may have the wanted scaled value.
constexpr int kMaxNeighbours = 4;
/// Rows of neighbours that are tried before a move is given up.
constexpr int kMaxTries = 300;

}  // namespace

double scaled_value(const Scaler& scaler, Index feature, double raw) {
    const double offset = scaler.offset()[feature];
    const double scale = scaler.scale()[feature];
    const double value = (raw - offset) / scale;
    return std::isfinite(value) ? value : (raw / 2.0 - offset / 2.0) / scale * 2.0;
}

RawMover::RawMover(const Model& model, const AttackModel& attack_model)
    : model_(model),
      attack_model_(attack_model),
      integer_(model.feature_names().size(), -1),
      off_(Vector::Constant(model.scaler().n_features(), std::nan(""))),
      on_(off_) {
    for (std::size_t i = 0; i < attack_model.integers.size(); ++i) {
        integer_[static_cast<std::size_t>(attack_model.integers[i].feature)] = static_cast<int>(i);
    }
    for (const OneHotGroup& group : attack_model.one_hot) {
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            off_[group.features[i]] = group.off_value(i);
            on_[group.features[i]] = group.on_value(i);
        }
    }
}

bool RawMover::move(const VectorRef& raw, const VectorRef& step, std::optional<int> answer,
                    Vector& row) const {
    const auto try_stretch = [&](double stretch) {
        place(raw, step, stretch, row);
        if (!answer || !row.allFinite()) return !answer;
        return model_.predict_all(row.transpose())[0] == *answer;
    };
    if (try_stretch(0.0)) return true;
    for (double stretch = kFirstStretch; stretch <= kMaxStretch; stretch *= 4.0) {
        if (try_stretch(stretch)) return true;
    }
    if (try_neighbours(raw, step, *answer, row)) return true;
    place(raw, step, 0.0, row);
    return false;
}

bool RawMover::is_free(Index l) const {
    return integer_[static_cast<std::size_t>(l)] < 0 && std::isnan(on_[l]);
}

/// Draws a few units in the last place for every feature that moves, more of them as time goes on.
bool RawMover::try_neighbours(const VectorRef& raw, const VectorRef& step, int answer,
                              Vector& row) const {
    Random random(1, 1);
    Vector first;
    place(raw, step, 0.0, first);
    if (!first.allFinite()) return false;
    for (int i = 0; i < kMaxTries; ++i) {
        row = first;
        const Index reach = 1 + i / 50;
        for (Index l = 0; l < raw.size(); ++l) {
            if (step[l] == 0.0 || !is_free(l)) continue;
            const Index ulps = random.below(2 * reach + 1) - reach;
            for (Index j = 0; j < std::abs(ulps); ++j) {
                row[l] = std::nextafter(row[l], ulps > 0 ? HUGE_VAL : -HUGE_VAL);
            }
            row[l] = keep_rules(l, raw[l], row[l]);
        }
        if (!row.allFinite()) continue;
        if (model_.predict_all(row.transpose())[0] == answer) return true;
    }
    return false;
}

void RawMover::place(const VectorRef& raw, const VectorRef& step, double stretch,
                     Vector& row) const {
    row = raw;
    for (Index l = 0; l < raw.size(); ++l) {
        if (step[l] == 0.0) continue;
        const double value = raw[l] + step[l] * model_.scaler().scale()[l];
        const int integer = integer_[static_cast<std::size_t>(l)];
        if (integer >= 0) {
            const IntegerFeature& one = attack_model_.integers[static_cast<std::size_t>(integer)];
            row[l] = one.value(one.nearest(value));
        } else if (!std::isnan(on_[l])) {
            row[l] = std::abs(value - on_[l]) < std::abs(value - off_[l]) ? on_[l] : off_[l];
        } else {
            row[l] = keep_rules(l, raw[l], land(l, raw[l], step[l], stretch));
        }
    }
}

/// The raw value whose scaled value is that of the move; if there is none near by, the first one
/// beyond it.
double RawMover::land(Index l, double raw, double step, double stretch) const {
    const Scaler& scaler = model_.scaler();
    const double value = raw + (1.0 + stretch) * step * scaler.scale()[l];
    if (stretch > 0.0 || !std::isfinite(value)) return value;
    const double target = scaled_value(scaler, l, raw) + step;
    const double onwards = step > 0.0 ? HUGE_VAL : -HUGE_VAL;
    double next = value;
    for (int i = 0; i < kMaxNeighbours; ++i) next = std::nextafter(next, -onwards);
    for (int i = 0; i <= 2 * kMaxNeighbours; ++i) {
        const double scaled = scaled_value(scaler, l, next);
        if (step > 0.0 ? scaled >= target : scaled <= target) return next;
        next = std::nextafter(next, onwards);
    }
    return value;
}

double RawMover::keep_rules(Index l, double raw, double value) const {
    // A point a rounding outside its range stays where it is rather than being put inside.
    const double lower = std::min(raw, attack_model_.lower_of(l));
    const double upper = std::max(raw, attack_model_.upper_of(l));
    value = std::clamp(value, lower, upper);
    switch (attack_model_.direction_of(l)) {
        case Direction::Up:
            return std::max(value, raw);
        case Direction::Down:
            return std::min(value, raw);
        case Direction::Both:
            break;
    }
    return value;
}

}  // namespace redoubt
