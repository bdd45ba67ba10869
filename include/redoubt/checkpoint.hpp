#pragma once

/// Unfinished trainings as files, so that a long training can continue after a round or an epoch.
///
/// A training that continues from its checkpoint ends with the same bits as one that was never
/// interrupted. That holds only for the same data, settings and library version, so a checkpoint
/// records what it belongs to. The file is one JSON text, described in docs/formats.md.

#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "redoubt/version.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace redoubt {

/// Tells trainings apart. Two different ones have the same identity only by chance: 1 in 4 billion.
struct TrainingFingerprint {
    std::uint32_t data = 0;  ///< CRC-32 of X, y and the weights
    /// CRC-32 of the radii and of all settings except threads, limits and callbacks, which do not
    /// change the result.
    std::uint32_t settings = 0;

    bool operator==(const TrainingFingerprint&) const = default;
};

TrainingFingerprint training_fingerprint(const SvmData& data, const BaggingSettings& settings);
TrainingFingerprint training_fingerprint(const SvmData& data, const VectorRef& radii,
                                         const RobustEnsembleSettings& settings);
TrainingFingerprint training_fingerprint(const SvmData& data, const VectorRef& radii,
                                         const CollaborativeSettings& settings);

struct Checkpoint {
    /// "svm-ens", "ens-e", "ens-r", "ens-h" or "ens-c".
    std::string method{};
    TrainingFingerprint fingerprint{};
    /// The state of that method: the first planes of svm-ens, and so on.
    std::variant<std::vector<Hyperplane>, RobustEnsembleState, CollaborativeState> state{};
    std::string library_version = kVersion;

    /// Method and state must match, sizes must match, and numbers must be finite (NaN is allowed
    /// where a record has it). Throws InvalidInput naming the field, as in "state.planes[3].w".
    void check() const;
};

/// The version of the format that this library writes. Older versions are read, newer ones refused.
inline constexpr int kCheckpointFormatVersion = 1;

/// Larger files are neither written nor read.
inline constexpr std::size_t kMaxCheckpointBytes = std::size_t{1} << 30;

/// Writes the whole file or nothing: whatever happens, `path` holds either its old contents or the
/// complete checkpoint. Throws WriteError if it cannot be written, and InvalidInput as
/// Checkpoint::check does and if the checkpoint is too large.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// Throws ParseError, naming the file and the field, if the file cannot be read, is truncated or
/// damaged, or has a newer version of the format.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// The same for a training that is to continue. Also throws ParseError if the checkpoint belongs to
/// another method, other data, other settings or another version of the library.
Checkpoint load_checkpoint(const std::filesystem::path& path, std::string_view method,
                           const TrainingFingerprint& fingerprint);

/// The text of the file. Throws InvalidInput as above.
std::string checkpoint_to_json(const Checkpoint& checkpoint);

/// The inverse. Messages use `name` in place of the path.
Checkpoint checkpoint_from_json(std::string_view text, const std::string& name = "<text>");

}  // namespace redoubt
