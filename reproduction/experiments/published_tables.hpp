#pragma once

/// The tables of the source paper's appendix, cell by cell: what a reproduction is compared with.
///
/// Data sets have their bundled names (bundled_data.hpp), methods the paper's: SVM-Ens, RO-SVM,
/// Ens-E, Ens-R, Ens-H. A defence radius of 0 stands for SVM-Ens, which has none.

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt::reproduction {

struct PublishedAccuracy {
    std::string dataset;
    Norm norm = Norm::L2;
    std::string method;
    double defense_radius = 0.0;
    double attack_radius = 0.0;
    Index n_planes = 15;
    double percent = 0.0;  ///< with one digit behind the point
};

struct PublishedTime {
    std::string dataset;
    Norm norm = Norm::L2;
    std::string method;
    double defense_radius = 0.0;
    double seconds = 0.0;  ///< with one digit behind the point: 0 is less than 0.05
};

/// The accuracy tables: k = 15 planes.
std::vector<PublishedAccuracy> published_accuracies();

/// Accuracy over the number of planes, at defence radius 0.1. The paper's captions say attack
/// radius 1; its figures are those of 0.75, which is what is given here.
std::vector<PublishedAccuracy> published_k_development();

/// The training times. The paper does not tell on which machine.
std::vector<PublishedTime> published_times();

/// A robust SVM of the published training part as a general solver returned it (data/README.md),
/// where the optimum is not unique; nothing where it is. Planes in standardised features.
std::optional<Hyperplane> solver_plane(std::string_view dataset, Norm norm, double defense_radius);

}  // namespace redoubt::reproduction
