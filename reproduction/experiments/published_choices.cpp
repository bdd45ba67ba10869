#include "experiments/published_choices.hpp"

namespace redoubt::reproduction {

namespace {

/// Well below the accuracy of the solvers that the published planes came from.
constexpr double kNoise = 1e-7;
constexpr std::uint64_t kNoiseSeeds = 5;

}  // namespace

std::vector<AlternativeChoice> alternative_choices() {
    std::vector<AlternativeChoice> list;
    const auto add = [&](const char* erratum) -> PublishedChoices& {
        return list.emplace_back(AlternativeChoice{erratum, {}}).choices;
    };
    add("tolerance").loose_svm = false;
    for (std::uint64_t seed = 0; seed < kNoiseSeeds; ++seed) {
        PublishedChoices& choices = add("rounding");
        choices.noise = kNoise;
        choices.noise_seed = seed;
    }
    add("E6").first_plane = FirstPlane::LeastNorm;
    add("E7").l2_perturbation = Perturbation::Stretched;
    add("E7").l2_perturbation = Perturbation::Halfway;
    add("E7").linf_perturbation = Perturbation::Shortest;
    add("E9").zero_abstains = false;
    return list;
}

}  // namespace redoubt::reproduction
