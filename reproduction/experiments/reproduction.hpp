#pragma once

/// All that one run of `redoubt reproduce` computes.

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/comparison.hpp"
#include "experiments/experiments.hpp"
#include "experiments/splits.hpp"
#include "redoubt/attack_curve.hpp"

namespace redoubt::reproduction {

/// What one mode gave.
struct ModeResults {
    Mode mode = Mode::Corrected;
    std::vector<RowResult> rows{};
    std::vector<DevelopmentResult> development{};
    /// Against the published tables, where there are any.
    std::vector<CellComparison> accuracy_comparison{};
    std::vector<CellComparison> development_comparison{};
    double seconds = 0.0;
    double development_seconds = 0.0;
};

struct Reproduction {
    std::vector<Arena> arenas{};
    Problems problems{};
    std::vector<ModeResults> modes{};
    std::vector<AccuracyCeiling> ceilings{};  ///< one per arena
    std::vector<SplitResult> splits{};
    double splits_seconds = 0.0;
};

struct ReproduceSettings {
    std::vector<Arena> arenas{};
    std::vector<Mode> modes{};
    PublishedChoices choices{};  ///< of Mode::AsPublished
    bool has_development = false;
    Index n_splits = 0;
    std::uint64_t seed = 0;
    int n_threads = 0;
    const std::atomic<bool>* stop = nullptr;
    /// Called with (rows done, rows in all), one call at a time. May be empty.
    std::function<void(Index, Index)> progress{};
};

/// Nothing when it was stopped.
std::optional<Reproduction> reproduce(const ReproduceSettings& settings);

/// One figure of an accuracy table, published or own.
struct AccuracyCell {
    std::string mode;  ///< "published", "as_published" or "corrected"
    CellKey key;
    double accuracy = 0.0;           ///< percent
    double balanced_accuracy = 0.0;  ///< percent; NaN for published
    bool is_best = false;            ///< of its mode, arena and attack radius
};

/// Every cell of the accuracy tables, the published ones first.
std::vector<AccuracyCell> accuracy_cells(const Reproduction& reproduction);

/// How much a method's mean over the attack radii depends on its defence radius: the paper's main
/// claim is that ensembles depend on it little.
struct Stability {
    std::string mode;
    RowKey method;        ///< with defence radius 0
    std::string measure;  ///< "accuracy" or "balanced_accuracy"
    double least = 0.0;   ///< percent, over the paper's six defence radii
    double greatest = 0.0;
    double best_radius = 0.0;
};

std::vector<Stability> stability_of(const std::vector<AccuracyCell>& cells);

}  // namespace redoubt::reproduction
