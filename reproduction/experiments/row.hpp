#pragma once

/// One column of the source paper's tables: a method with its defence radius on a data set, and its
/// accuracy at every attack radius.

#include <atomic>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/problem.hpp"
#include "experiments/published_choices.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/status.hpp"

namespace redoubt::reproduction {

enum class Mode {
    AsPublished,  ///< with every choice and quirk of the published experiments
    Corrected,    ///< as the paper means it, and defined where it leaves a choice
};

/// "as_published" or "corrected".
std::string_view to_string(Mode mode) noexcept;

/// Methods have the paper's names, and Ens-C is ours.
struct RowKey {
    std::string dataset;
    Norm norm = Norm::L2;
    std::string method;
    double defense_radius = 0.0;  ///< 0 for SVM-Ens
    Index n_planes = kUsualPlanes;

    auto operator<=>(const RowKey&) const = default;
};

/// The methods that the paper has in its tables for this norm.
std::vector<std::string> published_methods(Norm norm);

struct RowSettings {
    Mode mode = Mode::Corrected;
    PublishedChoices choices{};  ///< of Mode::AsPublished
    const std::atomic<bool>* stop = nullptr;
};

struct TrainedRow {
    std::vector<Hyperplane> planes{};
    double seconds = 0.0;
    Status status = Status::NumericalFailure;
};

/// On one thread, so that times can be compared. Throws InvalidInput for a method that the mode
/// does not know.
TrainedRow train_row(const Problem& problem, const RowKey& key, const RowSettings& settings);

/// Accuracy and balanced accuracy, as shares, at each attack radius.
struct Scores {
    Vector accuracy;
    Vector balanced_accuracy;
};

/// Of the vote of the first `n_planes` planes on the test part, from exact certificates.
Scores score_planes(const Problem& problem, const std::vector<Hyperplane>& planes, Index n_planes,
                    Norm norm, const std::vector<double>& attack_radii);

}  // namespace redoubt::reproduction
