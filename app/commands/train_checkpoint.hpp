#pragma once

/// --checkpoint FILE and --resume: the state of a training, saved as it goes on.

#include <filesystem>
#include <optional>
#include <string>

#include "redoubt/checkpoint.hpp"

namespace redoubt::app {

/// What the options say. An empty path means no checkpoint.
struct CheckpointFile {
    std::string path{};
    bool resume = false;
};

class TrainCheckpoint {
public:
    /// Throws WriteError if the checkpoint file cannot be written: now, not after the first round.
    TrainCheckpoint(CheckpointFile file, std::string method,
                    const TrainingFingerprint& fingerprint);

    bool is_wanted() const { return !file_.path.empty(); }

    /// The state to continue from, if requested and present. Throws ParseError for a damaged file
    /// or one that belongs to another training.
    template <class State>
    std::optional<State> load() const {
        if (!can_resume()) return std::nullopt;
        // The method, which was compared, determines the kind of the state.
        return std::get<State>(load_checkpoint(file_.path, method_, fingerprint_).state);
    }

    template <class State>
    void save(const State& state) const {
        if (is_wanted()) save_checkpoint({method_, fingerprint_, state}, file_.path);
    }

private:
    bool can_resume() const;

    CheckpointFile file_;
    std::string method_;
    TrainingFingerprint fingerprint_;
};

}  // namespace redoubt::app
