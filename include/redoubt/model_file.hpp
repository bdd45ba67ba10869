#pragma once

/// Models as files: one JSON text, described in docs/formats.md.
///
/// A model that was saved and loaded is identical to the last bit: it predicts and certifies the
/// same.

#include "redoubt/model.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace redoubt {

/// The newest version of the format that this library knows. Older versions are read, newer ones
/// refused. A model is written in the oldest version that can hold it.
inline constexpr int kModelFormatVersion = 7;

/// Larger files are neither written nor read. Loading takes memory in proportion to the file: a few
/// times its length for a real model, at most 40 times in the worst case.
inline constexpr std::size_t kMaxModelBytes = std::size_t{256} << 20;

/// Writes the whole file or nothing: whatever happens, `path` holds either its old contents or the
/// complete model. Throws WriteError if it cannot be written, and InvalidInput if a text in the
/// model is not UTF-8 or the model is too large.
void save_model(const Model& model, const std::filesystem::path& path);

/// "-" is standard input. Throws ParseError, naming the file and the field, if the file cannot be
/// read, is truncated or damaged, or has a newer version of the format.
Model load_model(const std::filesystem::path& path);

/// The text of the file. Throws InvalidInput as above.
std::string model_to_json(const Model& model);

/// The inverse. Messages use `name` in place of the path.
Model model_from_json(std::string_view text, const std::string& name = "<text>");

}  // namespace redoubt
