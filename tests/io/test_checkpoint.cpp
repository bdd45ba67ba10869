#include "redoubt/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "io/checkpoint_json.hpp"
#include "support/checkpoints.hpp"
#include "support/file_helpers.hpp"

namespace redoubt::test {
namespace {

TEST(CheckpointFile, HoldsTheStateToTheBit) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "training.json";
    for (const Checkpoint& checkpoint : all_checkpoints()) {
        save_checkpoint(checkpoint, path);
        expect_same(load_checkpoint(path), checkpoint);
        expect_same(load_checkpoint(path, checkpoint.method, checkpoint.fingerprint), checkpoint);
    }
}

TEST(CheckpointFile, HoldsNumbersOfAllSizesAndWhatWasNotMeasured) {
    Checkpoint checkpoint = collaborative_checkpoint(0.0, 2);
    auto& state = std::get<CollaborativeState>(checkpoint.state);
    EXPECT_TRUE(std::isnan(state.history[0].validation_objective));
    state.coef(0, 0) = -0.0;
    state.moment(0, 0) = 5e-324;
    state.variance(1, 0) = -1.7976931348623157e308;
    expect_same(checkpoint_from_json(checkpoint_to_json(checkpoint)), checkpoint);
}

TEST(CheckpointFile, MayHoldNothingYet) {
    for (const Checkpoint& checkpoint :
         {Checkpoint{"svm-ens", {1, 2}, std::vector<Hyperplane>()},
          Checkpoint{"ens-h", {0, 0xffffffff}, RobustEnsembleState()}}) {
        expect_same(checkpoint_from_json(checkpoint_to_json(checkpoint)), checkpoint);
    }
}

/// The second example of the page, after the model.
TEST(CheckpointFile, LooksAsDocumented) {
    CollaborativeState state;
    state.n_epochs_done = 1;
    state.coef = Matrix{{0.6, -0.8}, {1.0, 0.0}};
    state.intercept = Vector{{-1.25, 0.1}};
    state.moment = Matrix{{0.0, 0.5, -2.5e-07}, {0.25, 0.0, 1.0}};
    state.variance = Matrix{{0.0, 0.25, 1e-12}, {0.0625, 0.0, 1.0}};
    state.n_steps = 5;
    state.history = {{0.75, NAN, 0.125}};
    const Checkpoint checkpoint{"ens-c", {0x5ca1ab1e, 0x0ddba11}, state, "0.1.0"};
    std::ifstream file(REDOUBT_DATA "/../docs/formats.md");
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    const std::string opening = "```json\n";
    const std::size_t start = page.find(opening, page.find("## Checkpoint")) + opening.size();
    EXPECT_EQ(checkpoint_to_json(checkpoint), page.substr(start, page.find("```", start) - start));
}

TEST(CheckpointFile, ResumesARobustEnsembleToTheSameBits) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "training.json";
    const RandomProblem data = problem();
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
        const RobustEnsembleSettings settings = robust_settings(adversary);
        const RobustEnsembleResult whole = train_robust_ensemble(data.data(), kRadius, settings);
        for (std::size_t round : {1U, 3U}) {
            save_checkpoint(robust_checkpoint(adversary, round), path);
            const auto from = std::get<RobustEnsembleState>(load_checkpoint(path).state);
            ASSERT_EQ(from.planes.size(), round);
            expect_same(train_robust_ensemble(data.data(), kRadius, settings, from).state.planes,
                        whole.state.planes);
        }
    }
}

TEST(CheckpointFile, ResumesACollaborativeEnsembleToTheSameBits) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "training.json";
    const RandomProblem data = problem();
    for (double share : {0.0, 0.3}) {
        const CollaborativeSettings settings = collaborative_settings(share);
        const CollaborativeResult whole = train_collaborative(data.data(), kRadius, settings);
        for (Index epoch : {1, 3}) {
            save_checkpoint(collaborative_checkpoint(share, epoch), path);
            const auto from = std::get<CollaborativeState>(load_checkpoint(path).state);
            ASSERT_EQ(from.n_epochs_done, epoch);
            const CollaborativeResult resumed =
                train_collaborative(data.data(), kRadius, settings, from);
            EXPECT_TRUE(same(resumed.ensemble.coef(), whole.ensemble.coef()));
            EXPECT_TRUE(same(resumed.state.moment, whole.state.moment));
            EXPECT_EQ(resumed.state.history.size(), whole.state.history.size());
        }
    }
}

TEST(CheckpointFile, ResumesABaggingToTheSameBits) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "training.json";
    save_checkpoint(bagging_checkpoint(), path);
    const auto from = std::get<std::vector<Hyperplane>>(load_checkpoint(path).state);
    ASSERT_EQ(from.size(), 2U);
    const RandomProblem data = problem();
    expect_same(train_bagged_svms(data.data(), bagging_settings(), from).planes,
                train_bagged_svms(data.data(), bagging_settings()).planes);
}

TEST(CheckpointFile, OfAnotherTrainingIsRefusedByName) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "training.json";
    Checkpoint checkpoint = robust_checkpoint(Adversary::Exact, 2);
    save_checkpoint(checkpoint, path);
    const auto error_for = [&](const std::string& method, const TrainingFingerprint& fingerprint) {
        const std::string message =
            message_of<ParseError>([&] { load_checkpoint(path, method, fingerprint); });
        const std::string start = path.string() + ": the checkpoint belongs to ";
        return message.rfind(start, 0) == 0 ? message.substr(start.size()) : message;
    };
    RandomProblem data = problem();
    RobustEnsembleSettings settings = robust_settings(Adversary::Exact);
    settings.C = 2.0;
    EXPECT_EQ(error_for("ens-e", training_fingerprint(data.data(), kRadius, settings)),
              "other settings");
    settings.C = 1.0;
    EXPECT_EQ(
        error_for("ens-e", training_fingerprint(data.data(), Vector::Constant(1, 0.3), settings)),
        "other settings");
    data.X(0, 0) = std::nextafter(data.X(0, 0), 1e9);
    EXPECT_EQ(error_for("ens-e", training_fingerprint(data.data(), kRadius, settings)),
              "other data");
    EXPECT_EQ(error_for("ens-r", checkpoint.fingerprint), "another method: 'ens-e'");
    checkpoint.library_version = "0.0.1";
    save_checkpoint(checkpoint, path);
    EXPECT_EQ(error_for("ens-e", checkpoint.fingerprint), "another version of redoubt: '0.0.1'");
}

TEST(CheckpointFile, WithoutAFolderIsNotWritten) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "none" / "training.json";
    EXPECT_EQ(message_of<WriteError>([&] { save_checkpoint(bagging_checkpoint(), path); }),
              path.string() + ": cannot write the file: No such file or directory");
}

TEST(Checkpoint, IsCheckedBeforeItIsWritten) {
    const auto error_with = [](const Checkpoint& checkpoint) {
        return message_of<InvalidInput>([&] { checkpoint_to_json(checkpoint); });
    };
    Checkpoint checkpoint = bagging_checkpoint();
    checkpoint.method = "ens-e";
    EXPECT_EQ(error_with(checkpoint),
              "method: expected the name of a method with such a state, got 'ens-e'");
    checkpoint = collaborative_checkpoint(0.0, 1);
    std::get<CollaborativeState>(checkpoint.state).coef(0, 0) = HUGE_VAL;
    EXPECT_EQ(error_with(checkpoint).substr(0, 21), "state.coef: expected ");
    checkpoint = robust_checkpoint(Adversary::Exact, 2);
    std::get<RobustEnsembleState>(checkpoint.state).history[1].svm_seconds = NAN;
    EXPECT_EQ(error_with(checkpoint),
              "state.history[1].svm_seconds: expected a finite number, got nan");
}

}  // namespace
}  // namespace redoubt::test
