#pragma once

/// --checkpoint FILE and --resume: where a training stands, kept as it goes on.

#include <filesystem>
#include <optional>
#include <string>

#include "redoubt/checkpoint.hpp"
#include "train_options.hpp"

namespace redoubt::app {

class TrainCheckpoint {
public:
    /// Throws WriteError if there is to be a file that could not be written: now, not after the
    /// first round.
    TrainCheckpoint(const TrainOptions& options, const TrainingFingerprint& fingerprint);

    bool is_wanted() const { return !path_.empty(); }

    /// The state to go on from, if that is asked for and there is one. Throws ParseError for a
    /// damaged file or one that belongs to another training.
    template <class State>
    std::optional<State> load() const {
        if (!can_resume()) return std::nullopt;
        // The method, which was compared, decides on the kind of the state.
        return std::get<State>(load_checkpoint(path_, method_, fingerprint_).state);
    }

    template <class State>
    void save(const State& state) const {
        if (is_wanted()) save_checkpoint({method_, fingerprint_, state}, path_);
    }

private:
    bool can_resume() const;

    std::string path_;
    std::string method_;
    bool resume_;
    TrainingFingerprint fingerprint_;
};

}  // namespace redoubt::app
