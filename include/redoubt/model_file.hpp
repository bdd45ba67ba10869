#pragma once

/// Models as files: one JSON text, described in docs/formats.md.
///
/// A model that was saved and loaded is the same to the last bit: it predicts, and certifies, the
/// same.

#include "redoubt/model.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace redoubt {

/// The newest version of the format that this library knows. Older versions are read, newer ones
/// refused. A model that needs no newer version is written as an older one.
inline constexpr int kModelFormatVersion = 7;

/// Larger files are neither written nor read. Loading takes memory in proportion to the file: a few
/// times its length for a model, at most 40 times for the worst that can be made up.
inline constexpr std::size_t kMaxModelBytes = std::size_t{256} << 20;

/// Writes the whole file or nothing: whatever happens, `path` holds either what it held before or
/// the complete model. Throws WriteError when it cannot be written, and InvalidInput when a text in
/// the model is not UTF-8 or the model is too large.
void save_model(const Model& model, const std::filesystem::path& path);

/// "-" is standard input. Throws ParseError, which names the file and the field, when it cannot be
/// read, was cut short or damaged, or comes from a newer version of the format.
Model load_model(const std::filesystem::path& path);

/// The text of the file. Throws InvalidInput as above.
std::string model_to_json(const Model& model);

/// The inverse. `name` stands for the path in messages.
Model model_from_json(std::string_view text, const std::string& name = "<text>");

}  // namespace redoubt
