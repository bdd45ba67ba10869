#include "redoubt/training_record.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "core/check.hpp"
#include "core/text_tools.hpp"

namespace redoubt {

namespace {

std::string at(const std::string& list, std::size_t i) {
    return list + "[" + std::to_string(i) + "]";
}

/// Integers up to here are exact in every reader of JSON.
constexpr Index kMaxCount = Index{1} << 53;

void check_count(std::string_view argument, Index value) {
    if (value >= 0 && value <= kMaxCount) return;
    throw InvalidInput(argument, "an integer from 0 to " + std::to_string(kMaxCount),
                       std::to_string(value));
}

void check_optional(std::string_view argument, const std::optional<double>& value) {
    if (value) check_value(std::isfinite(*value), argument, "a finite number", *value);
}

void check_radii(const TrainingRadii& radii) {
    check_count("training.radii.count", radii.count);
    check_value(std::isfinite(radii.least) && radii.least >= 0.0, "training.radii.least",
                "a finite number >= 0", radii.least);
    check_value(std::isfinite(radii.greatest) && radii.greatest >= radii.least,
                "training.radii.greatest", "a finite number >= " + format_number(radii.least),
                radii.greatest);
    check_value(
        radii.mean >= radii.least && radii.mean <= radii.greatest, "training.radii.mean",
        "a number from " + format_number(radii.least) + " to " + format_number(radii.greatest),
        radii.mean);
}

void check_settings(const std::vector<TrainingSetting>& settings) {
    if (settings.size() > TrainingRecord::kMaxSettings) {
        throw InvalidInput("training.settings",
                           "at most " + std::to_string(TrainingRecord::kMaxSettings) + " entries",
                           std::to_string(settings.size()));
    }
    std::set<std::string_view> names;
    for (const TrainingSetting& setting : settings) {
        const std::string place = "training.settings." + setting.name;
        if (!names.insert(setting.name).second) {
            throw InvalidInput(place, "one value", "several");
        }
        if (const double* number = std::get_if<double>(&setting.value)) {
            check_value(std::isfinite(*number), place, "a text or a finite number", *number);
        }
    }
}

void check_table(const std::string& name, const RoundTable& table) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (names.insert(table.columns[i]).second) continue;
        throw InvalidInput(at(name + ".columns", i), "different names",
                           quote_text(table.columns[i]) + " again");
    }
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const std::string place = at(name + ".rows", i);
        const std::vector<double>& row = table.rows[i];
        check_length(place, static_cast<Index>(row.size()),
                     static_cast<Index>(table.columns.size()));
        for (std::size_t j = 0; j < row.size(); ++j) {
            check_value(!std::isinf(row[j]), at(place, j), "a finite number or NaN", row[j]);
        }
    }
}

}  // namespace

TrainingRadii TrainingRadii::of(const VectorRef& radii) {
    check_non_negative("radii", radii);
    if (radii.size() == 0) return {};
    TrainingRadii result{radii.size(), radii.minCoeff(), radii.maxCoeff()};
    // Divided first, so that the sum cannot overflow; rounding must not lead out of the range.
    const double mean = (radii / static_cast<double>(radii.size())).sum();
    result.mean = std::clamp(mean, result.least, result.greatest);
    return result;
}

FeatureRanges FeatureRanges::of(const PointsRef& X) {
    if (!X.is_sparse()) {
        return {X.dense().colwise().minCoeff().transpose(),
                X.dense().colwise().maxCoeff().transpose()};
    }
    const Vector first = X.row(0).to_dense();
    FeatureRanges ranges{first, first};
    ranges.widen(X);
    return ranges;
}

void FeatureRanges::widen(const PointsRef& X) {
    check_length("X", X.cols(), least.size());
    if (!X.is_sparse()) {
        for (const auto& row : X.dense().rowwise()) {
            least = least.cwiseMin(row.transpose());
            greatest = greatest.cwiseMax(row.transpose());
        }
        return;
    }
    // A column that is not in every row holds a 0.
    std::vector<Index> n_entries(static_cast<std::size_t>(X.cols()), 0);
    for (Index j = 0; j < X.rows(); ++j) {
        X.sparse().row(j).for_each([&](Index l, double value) {
            least[l] = std::min(least[l], value);
            greatest[l] = std::max(greatest[l], value);
            ++n_entries[static_cast<std::size_t>(l)];
        });
    }
    for (Index l = 0; l < X.cols(); ++l) {
        if (n_entries[static_cast<std::size_t>(l)] == X.rows()) continue;
        least[l] = std::min(least[l], 0.0);
        greatest[l] = std::max(greatest[l], 0.0);
    }
}

void FeatureRanges::check(Index n_features) const {
    if (least.size() == 0 && greatest.size() == 0) return;
    check_length("training.ranges.least", least.size(), n_features);
    check_length("training.ranges.greatest", greatest.size(), n_features);
    for (Index l = 0; l < n_features; ++l) {
        const auto place = static_cast<std::size_t>(l);
        check_value(std::isfinite(least[l]), at("training.ranges.least", place), "a finite number",
                    least[l]);
        check_value(std::isfinite(greatest[l]) && greatest[l] >= least[l],
                    at("training.ranges.greatest", place),
                    "a finite number >= " + format_number(least[l]), greatest[l]);
    }
}

bool FeatureRanges::operator==(const FeatureRanges& other) const {
    return least.size() == other.least.size() && greatest.size() == other.greatest.size() &&
           least == other.least && greatest == other.greatest;
}

void TrainingRecord::check() const {
    check_radii(radii);
    check_count("training.n_points", n_points);
    check_optional("training.objective", objective);
    check_optional("training.gap", gap);
    check_optional("training.seconds", seconds);
    check_settings(settings);
    check_table("training.rounds", rounds);
    check_table("training.choice", choice);
    rows.check();
}

}  // namespace redoubt
