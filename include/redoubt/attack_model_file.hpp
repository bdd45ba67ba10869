#pragma once

/// Attack models as files: one JSON text, described in docs/formats.md.
///
/// The numbers of a file are in the units of the data, and so is the AttackModel that is read:
/// `AttackModel::scaled` turns it into one for the features that planes see. Features are called by
/// name or by number, counted from 1.

#include "redoubt/attack_model.hpp"
#include "redoubt/types.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

class Model;

/// Larger files are not read.
inline constexpr std::size_t kMaxAttackModelBytes = std::size_t{16} << 20;

/// The data that an attack model is for: what its names stand for.
struct AttackedData {
    /// One per feature, after one-hot coding. Empty texts and texts that occur twice name nothing:
    /// such features are called by number.
    std::vector<std::string> feature_names{};
    /// The labels that -1 and +1 stand for.
    std::array<std::string, 2> classes{"-1", "+1"};
    /// One unit of each scaled feature in the units of the data (Scaler::scale): how far a feature
    /// moves at radius 1 when the file says nothing about it. Empty = 1 for all.
    Vector unit{};

    /// The features, classes and scaling of a model.
    static AttackedData of(const Model& model);
};

/// "-" is standard input. Throws ParseError, which names the file and the field, when it cannot be
/// read, is no attack model, names a feature or a class that the data do not have, or makes no
/// sense (AttackModel::check).
AttackModel load_attack_model(const std::filesystem::path& path, const AttackedData& data);

/// The same from a text. `name` stands for the path in messages.
AttackModel attack_model_from_json(std::string_view text, const AttackedData& data,
                                   const std::string& name = "<text>");

/// The text of a file that reads back as an equal model, where a list that says nothing (all
/// features go both ways, no limits) comes back empty. The model must pass AttackModel::check for
/// these features. Throws InvalidInput otherwise, and when a name is not UTF-8.
std::string attack_model_to_json(const AttackModel& model, const AttackedData& data);

}  // namespace redoubt
