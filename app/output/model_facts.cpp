#include "output/model_facts.hpp"

#include "output/report.hpp"

namespace redoubt::app {
namespace {

std::string radii_text(const TrainingRadii& radii) {
    if (radii.count == 0) return "none";
    if (radii.count == 1) return shown_text(radii.mean);
    return shown_text(radii.least) + " to " + shown_text(radii.greatest) + ", mean " +
           shown_text(radii.mean) + ", of " + std::to_string(radii.count) + " points";
}

}  // namespace

std::string ModelFact::text() const {
    if (const auto* number = std::get_if<double>(&value)) return shown_text(*number);
    if (const auto* integer = std::get_if<Index>(&value)) return std::to_string(*integer);
    return std::get<std::string>(value);
}

std::string decision_text(const ClassVote& vote) {
    return vote.score() == ClassScore::Value
               ? "the greatest value of one plane per class"
               : "most votes, of " + std::to_string(vote.n_planes(0)) + " planes per class";
}

std::vector<ModelFact> training_facts(const TrainingRecord& training) {
    std::vector<ModelFact> facts{
        {"method", training.method},
        {"norm", std::string(to_string(training.norm))},
        {"training radius", radii_text(training.radii)},
        {"training data", training.data + ", " + std::to_string(training.n_points) + " points"},
        {"status", training.status + (training.is_partial ? ", so partial" : "")}};
    if (training.objective) facts.push_back({"objective", *training.objective});
    if (training.gap) facts.push_back({"relative gap", *training.gap});
    if (training.seconds) facts.push_back({"seconds", *training.seconds});
    if (training.seed) facts.push_back({"seed", static_cast<Index>(*training.seed)});
    for (const TrainingSetting& setting : training.settings) {
        std::visit([&](const auto& value) { facts.push_back({setting.name, value}); },
                   setting.value);
    }
    facts.push_back({"library version", training.library_version});
    return facts;
}

}  // namespace redoubt::app
