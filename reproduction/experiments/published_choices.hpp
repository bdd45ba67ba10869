#pragma once

/// What the published experiments did where the paper is silent, or otherwise than it says.
///
/// Each was found by comparing with the published cells; docs/reproduction.md has the figures.

#include <cstdint>
#include <string>
#include <vector>

namespace redoubt::reproduction {

/// Which robust SVM comes first where many are optimal (E6).
enum class FirstPlane {
    Solver,     ///< what a general solver returned (published_tables.hpp)
    LeastNorm,  ///< ours
};

/// Which of the exact adversary's equally good perturbations is taken (E7).
enum class Perturbation {
    Shortest,   ///< ours
    Stretched,  ///< as long as the ball allows, as long as no fewer planes are fooled
    Halfway,    ///< between the two
    Corner,     ///< linf: of the corners of the box that fool the most planes, the one deepest in
};

struct PublishedChoices {
    FirstPlane first_plane = FirstPlane::Solver;
    /// Moves the first plane by this share in a random direction: how much a row depends on the
    /// last digits of a solver's answer.
    double noise = 0.0;
    std::uint64_t noise_seed = 0;
    /// SVMs by pairwise steps to LIBSVM's usual tolerance instead of to the optimum (smo.hpp).
    bool loose_svm = true;
    /// A plane is foolable when its margin after the steepest step is at most this.
    double foolable_margin = 1e-4;
    /// A plane that a moved point touches abstains when the points are weighted (E9).
    bool zero_abstains = true;
    Perturbation l2_perturbation = Perturbation::Shortest;
    /// An integer solver fixes a component at its bound when that suits every plane.
    Perturbation linf_perturbation = Perturbation::Corner;
};

/// Another choice that may have been made, and what leaves it open: an erratum, "tolerance" (of the
/// SVMs) or "rounding" (of the first plane).
struct AlternativeChoice {
    std::string erratum;
    PublishedChoices choices;
};

/// Each differs from the usual choices in one thing.
std::vector<AlternativeChoice> alternative_choices();

}  // namespace redoubt::reproduction
