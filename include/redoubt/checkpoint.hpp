#pragma once

/// Trainings as files: where a long training stands after a round or an epoch, to go on from later.
///
/// A training that goes on from its checkpoint ends with the same bits as one that never stopped.
/// That holds for the same data, settings and library version only, so a checkpoint knows to which
/// it belongs. The file is one JSON text, described in docs/formats.md.

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

/// Tells trainings apart. Two that differ have the same one by accident only: once in 4 billion.
struct TrainingFingerprint {
    std::uint32_t data = 0;  ///< CRC-32 of X, y and the weights
    /// CRC-32 of the radii and of all settings but threads, limits and callbacks, which do not
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
    /// Of the kind that the method has: the first planes of svm-ens, and so on.
    std::variant<std::vector<Hyperplane>, RobustEnsembleState, CollaborativeState> state{};
    std::string library_version = kVersion;

    /// Method and state of the same kind, sizes that fit, numbers finite (NaN is allowed where a
    /// record has it). Throws InvalidInput naming the field, as in "state.planes[3].w".
    void check() const;
};

/// The version of the format that this library writes. Older versions are read, newer ones refused.
inline constexpr int kCheckpointFormatVersion = 1;

/// Larger files are neither written nor read.
inline constexpr std::size_t kMaxCheckpointBytes = std::size_t{1} << 30;

/// Writes the whole file or nothing: whatever happens, `path` holds either what it held before or
/// the complete checkpoint. Throws WriteError when it cannot be written, and InvalidInput as
/// Checkpoint::check does and when the checkpoint is too large.
void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

/// Throws ParseError, which names the file and the field, when it cannot be read, was cut short or
/// damaged, or comes from a newer version of the format.
Checkpoint load_checkpoint(const std::filesystem::path& path);

/// The same for a training that is to go on. Throws ParseError also when the checkpoint belongs to
/// another method, other data, other settings or another version of the library.
Checkpoint load_checkpoint(const std::filesystem::path& path, std::string_view method,
                           const TrainingFingerprint& fingerprint);

/// The text of the file. Throws InvalidInput as above.
std::string checkpoint_to_json(const Checkpoint& checkpoint);

/// The inverse. `name` stands for the path in messages.
Checkpoint checkpoint_from_json(std::string_view text, const std::string& name = "<text>");

}  // namespace redoubt
