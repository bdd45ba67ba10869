#include "redoubt/bands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "bands/exact_sums.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

/// Columns of a cell's sums before those of the features: weights, and weights times radii.
constexpr Index kFixedSums = 2;
/// What stays of the probability of being kept at the end of the band.
constexpr double kTail = 0.02;

constexpr std::array<double, 16> kCellEnds{0.25, 0.5, 0.75, 1.0,  1.5,  2.0,  3.0,  4.0,
                                           5.5,  8.0, 11.0, 16.0, 22.0, 32.0, 64.0, 128.0};

/// The finaliser of SplitMix64: neighbouring numbers become independent for all purposes here.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

/// The sums of one piece of the rows.
class Piece {
public:
    Piece(const BandRows& rows, const BandQuery& query)
        : rows_(rows),
          query_(query),
          moves_(query.moves.leftCols(query.w.size())),
          n_(query.w.size()),
          effects_(query.moves.rows()) {
        const Index n_cells = (4 * BandSummary::n_distances()) << query.divisions.rows();
        result_.high = IntegerMatrix::Zero(n_cells, kFixedSums + n_);
        result_.low = result_.high;
        result_.counts.assign(static_cast<std::size_t>(n_cells), 0);
        inverse_units_ = query.feature_units.cwiseInverse();
    }

    void add(Index j) {
        const double c = rows_.weights[j];
        if (!(c > 0.0)) return;
        const double* x = rows_.X.data() + j * rows_.X.outerStride();
        const double y = rows_.y[j];
        const double r = rows_.radii[j];
        const double t =
            1.0 - y * (kernels::dot(query_.w.data(), x, n_) + query_.b) + r * query_.size;
        const std::int64_t copies = copies_of(j);
        if (t > 0.0)
            add_multiple(c * t / query_.hinge_unit, result_.hinge_high, result_.hinge_low, copies);

        const double distance = distance_of(x, y, r, t);
        const double probability = query_.share * chance(distance);
        if (probability > 0.0) {
            const std::uint64_t key = rows_.key(j);
            if (probability >= 1.0 || row_uniform(query_.seed, key) < probability) {
                keep(j, key, probability, copies);
                return;
            }
        }
        const std::size_t cell = cell_of(y, t, distance) << query_.divisions.rows();
        add_to_cell(cell + division_of(x, y, r), x, c, r, copies);
    }

    BandSummary& result() { return result_; }

private:
    std::int64_t copies_of(Index j) const {
        return rows_.copies.empty() ? 1 : rows_.copies[static_cast<std::size_t>(j)];
    }

    void keep(Index j, std::uint64_t key, double probability, std::int64_t copies) {
        const auto [known, is_new] = places_.try_emplace(key, result_.kept.size());
        if (!is_new && rows_.are_equal(result_.kept[known->second], j)) {
            result_.copies[known->second] += copies;
            return;
        }
        result_.kept.push_back(j);
        result_.probability.push_back(probability);
        result_.copies.push_back(copies);
    }

    /// |t| in units of the row's scale.
    double distance_of(const double* x, double y, double r, double t) {
        const Index n_moves = effects_.size();
        const kernels::Rows moves{moves_.data(), moves_.outerStride(), n_};
        kernels::multiply_rows(moves, x, 0, n_moves, effects_.data());
        double sum = 0.0;
        for (Index i = 0; i < n_moves; ++i) {
            const double effect =
                r * query_.size_moves[i] - y * (effects_[i] + query_.moves(i, n_));
            sum += effect * effect;
        }
        const double scale = std::sqrt(sum / static_cast<double>(n_moves));
        if (t == 0.0) return 0.0;
        return std::abs(t) / scale;  // infinite where no move has an effect
    }

    double chance(double distance) const {
        if (!(distance <= query_.reach)) return 0.0;
        if (std::isinf(query_.density)) return 1.0;
        const double along = distance / query_.reach;
        const double rest = 1.0 - along * along;
        return std::min(1.0, query_.density * (rest * rest * rest + kTail));
    }

    static std::size_t cell_of(double y, double t, double distance) {
        const auto* end = std::upper_bound(kCellEnds.begin(), kCellEnds.end(), distance);
        const auto number = static_cast<std::size_t>(end - kCellEnds.begin());
        const std::size_t group = (y > 0.0 ? 2U : 0U) + (t > 0.0 ? 1U : 0U);
        return group * static_cast<std::size_t>(BandSummary::n_distances()) + number;
    }

    /// One bit per other plane: is t > 0 there?
    std::size_t division_of(const double* x, double y, double r) const {
        std::size_t bits = 0;
        for (Index i = 0; i < query_.divisions.rows(); ++i) {
            const double* plane = query_.divisions.data() + i * query_.divisions.outerStride();
            const double t =
                1.0 - y * (kernels::dot(plane, x, n_) + plane[n_]) + r * query_.division_sizes[i];
            if (t > 0.0) bits |= std::size_t{1} << i;
        }
        return bits;
    }

    void add_to_cell(std::size_t cell, const double* x, double c, double r, std::int64_t copies) {
        result_.counts[cell] += copies;
        std::int64_t* high = result_.high.data() + static_cast<Index>(cell) * (kFixedSums + n_);
        std::int64_t* low = result_.low.data() + static_cast<Index>(cell) * (kFixedSums + n_);
        add_multiple(c / query_.weight_unit, high[0], low[0], copies);
        add_multiple(c * r / query_.radius_unit, high[1], low[1], copies);
        // Units are powers of 2: multiplying by the inverse is exact, and quicker.
        for (Index l = 0; l < n_; ++l)
            add_multiple(c * x[l] * inverse_units_[l], high[kFixedSums + l], low[kFixedSums + l],
                         copies);
    }

    const BandRows& rows_;
    const BandQuery& query_;
    Matrix moves_;
    Index n_;
    Vector effects_;
    Vector inverse_units_;
    /// Of the kept rows, by their keys.
    std::unordered_map<std::uint64_t, std::size_t> places_;
    BandSummary result_;
};

void append(BandSummary& all, const BandSummary& part) {
    all.high += part.high;
    all.low += part.low;
    all.hinge_high += part.hinge_high;
    all.hinge_low += part.hinge_low;
    for (std::size_t i = 0; i < part.counts.size(); ++i) all.counts[i] += part.counts[i];
    all.kept.insert(all.kept.end(), part.kept.begin(), part.kept.end());
    all.probability.insert(all.probability.end(), part.probability.begin(), part.probability.end());
    all.copies.insert(all.copies.end(), part.copies.begin(), part.copies.end());
}

}  // namespace

double row_uniform(std::uint64_t seed, std::uint64_t row) {
    const std::uint64_t value = mixed(row + (seed + 1) * 0x9E3779B97F4A7C15ULL);
    return static_cast<double>(value >> 11) * 0x1.0p-53;
}

std::uint64_t BandRows::key(Index j) const {
    std::uint64_t key = 0x9E3779B97F4A7C15ULL;
    const auto add = [&key](double value) {
        key = std::rotl(key, 23) ^ (std::bit_cast<std::uint64_t>(value) * 0xD6E8FEB86659FD93ULL);
        key *= 0x9FB21C651E98DF25ULL;
    };
    const double* x = X.data() + j * X.outerStride();
    for (Index l = 0; l < X.cols(); ++l) add(x[l]);
    add(y[j]);
    add(weights[j]);
    add(radii[j]);
    return mixed(key);
}

bool BandRows::are_equal(Index i, Index j) const {
    const auto row = [this](Index k) { return X.data() + k * X.outerStride(); };
    const auto length = static_cast<std::size_t>(X.cols()) * sizeof(double);
    return y[i] == y[j] && weights[i] == weights[j] && radii[i] == radii[j] &&
           std::memcmp(row(i), row(j), length) == 0;
}

const std::vector<double>& BandSummary::cell_ends() {
    static const std::vector<double> ends(kCellEnds.begin(), kCellEnds.end());
    return ends;
}

Index BandSummary::n_distances() {
    return static_cast<Index>(kCellEnds.size()) + 1;
}

void BandQuery::check(Index n_features) const {
    check_length("w", w.size(), n_features);
    check_length("feature_units", feature_units.size(), n_features);
    check_length("size_moves", size_moves.size(), moves.rows());
    if (moves.rows() < 1 || moves.cols() != n_features + 1)
        throw InvalidInput("moves", "one column per feature and one for the bias",
                           std::to_string(moves.cols()));
    check_length("division_sizes", division_sizes.size(), divisions.rows());
    if (divisions.rows() > kMostDivisions)
        throw InvalidInput("divisions", "at most " + std::to_string(kMostDivisions) + " planes",
                           std::to_string(divisions.rows()));
    if (divisions.rows() > 0) check_length("divisions", divisions.cols(), n_features + 1);
    for (Index l = 0; l < n_features; ++l)
        check_value(is_unit(feature_units[l]), "feature_units", "positive numbers",
                    feature_units[l]);
    check_value(is_unit(radius_unit), "radius_unit", "a positive number", radius_unit);
    check_value(is_unit(hinge_unit), "hinge_unit", "a positive number", hinge_unit);
    check_value(is_unit(weight_unit), "weight_unit", "a positive number", weight_unit);
}

BandSummary summarise_bands(const BandRows& rows, const BandQuery& query, int n_threads) {
    query.check(rows.X.cols());
    check_rows(rows);
    return summarise_rows<Piece>(rows, query, n_threads, append);
}

}  // namespace redoubt
