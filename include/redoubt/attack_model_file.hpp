#pragma once

/// Attack models as files: one JSON text, described in docs/formats.md.
///
/// The numbers of a file are in the units of the data, and so is the AttackModel that is read:
/// `AttackModel::scaled` turns it into one for the features that planes see. Features are called by
/// name or by number, counted from 1.
///
/// Reading takes the names of the features. Where they are not known yet, AttackRules holds a text
/// that is checked as far as it can be without them.

#include "redoubt/attack_model.hpp"
#include "redoubt/columns.hpp"
#include "redoubt/data_files.hpp"
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
    /// The labels that -1 and +1 stand for. Both empty: not known, and the attacking class is left
    /// out.
    ClassNames classes{"-1", "+1"};
    /// One unit of each scaled feature in the units of the data (Scaler::scale): how far a feature
    /// moves at radius 1 when the file says nothing about it. Empty = 1 for all.
    Vector unit{};
    /// What numbers of features (not texts of digits) count from: 1 in files. From 0, negative ones
    /// count from the end: -1 is the last feature.
    int first_number = 1;
    /// The columns that the features come from; without them, every feature is a column of numbers.
    /// A text column is called by its name as a whole. Its features are a group, unless the file
    /// says otherwise, and what says that an entry is missing does not move.
    std::vector<ColumnFeatures> columns{};

    /// The features, classes and scaling of a model.
    static AttackedData of(const Model& model);
    static AttackedData of(const TableCoding& coding, const Scaler& scaler);
};

/// "-" is standard input. Throws ParseError, which names the file and the field, when it cannot be
/// read, is no attack model, names a feature or a class that the data do not have, or makes no
/// sense (AttackModel::check).
AttackModel load_attack_model(const std::filesystem::path& path, const AttackedData& data);

/// The same from a text. `name` stands for the path in messages.
AttackModel attack_model_from_json(std::string_view text, const AttackedData& data,
                                   const std::string& name = "<text>");

/// An attack model whose features are not known yet.
class AttackRules {
public:
    /// Throws ParseError for what is wrong whatever the features: bad JSON, unknown fields, numbers
    /// out of range, rules that contradict each other. `name` stands for the path in messages.
    explicit AttackRules(std::string text, std::string name = "<text>", int first_number = 1);

    /// As `attack_model_from_json`, with this `first_number`.
    AttackModel resolve(AttackedData data) const;

    /// AttackModel::summary and brief of the features that are mentioned, in this order. Those that
    /// are mentioned by number take their names from `feature_names`, if there are any.
    std::string summary(const std::vector<std::string>& feature_names = {}) const;
    std::string brief() const;

private:
    std::string text_;
    std::string name_;
    int first_number_;
    AttackModel mentioned_;
    SummaryNames names_;
    std::vector<Index> number_of_;  ///< of each mentioned feature; -1: by name, or from the end
};

/// The text of an attack model to edit: integers where a column holds nothing else, the range of
/// the data as bounds, one standard deviation as scale, text columns that switch at the price of 1;
/// columns that are constant or look like identifiers are frozen. `comment` says so.
std::string propose_attack_model(const FeatureData& table, const TableCoding& coding, Norm norm);

/// The text of a file that reads back as an equal model, where a list that says nothing (all
/// features go both ways, no limits) comes back empty. The model must pass AttackModel::check for
/// these features. Throws InvalidInput otherwise, and when a name is not UTF-8.
std::string attack_model_to_json(const AttackModel& model, const AttackedData& data);

}  // namespace redoubt
