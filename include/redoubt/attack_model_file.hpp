#pragma once

/// Attack models as files: one JSON text, described in docs/formats.md.
///
/// The numbers in a file are in the units of the data, and so is the AttackModel that is read:
/// `AttackModel::scaled` converts it for the features that planes see. Features are called by name
/// or by number, counted from 1.
///
/// Reading needs the names of the features. If they are not known yet, AttackRules holds a text
/// that is checked as far as possible without them.

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

/// Larger files are refused.
inline constexpr std::size_t kMaxAttackModelBytes = std::size_t{16} << 20;

/// The data that an attack model is for, which give its names a meaning.
struct AttackedData {
    /// One per feature, after one-hot coding. Empty and repeated names identify nothing; such
    /// features are called by number.
    std::vector<std::string> feature_names{};
    /// The labels that -1 and +1 stand for, or those of more classes in their order. Two empty
    /// ones: not known; the attacking class is then left out.
    ClassNames classes{"-1", "+1"};
    /// One unit of each scaled feature in the units of the data (Scaler::scale): how far a feature
    /// moves at radius 1 if the file does not mention it. Empty = 1 for all.
    Vector unit{};
    /// The number of the first feature (as a number, not as a text of digits): 1 in files. With 0,
    /// negative numbers count from the end: -1 is the last feature.
    int first_number = 1;
    /// The columns that the features come from; if empty, every feature is a column of numbers. A
    /// text column is called by its name as a whole. Its features form a group, unless the file
    /// says otherwise, and its missing-value indicator does not move.
    std::vector<ColumnFeatures> columns{};

    /// The features, classes and scaling of a model.
    static AttackedData of(const Model& model);
    static AttackedData of(const TableCoding& coding, const Scaler& scaler);
};

/// "-" is standard input. Throws ParseError, naming the file and the field, if the file cannot be
/// read, is not an attack model, names a feature or class that the data do not have, or is
/// inconsistent (AttackModel::check).
AttackModel load_attack_model(const std::filesystem::path& path, const AttackedData& data);

/// The same from a text. Messages use `name` in place of the path.
AttackModel attack_model_from_json(std::string_view text, const AttackedData& data,
                                   const std::string& name = "<text>");

/// An attack model whose features are not known yet.
class AttackRules {
public:
    /// Throws ParseError for mistakes that do not depend on the features: bad JSON, unknown fields,
    /// numbers out of range, contradictory rules. Messages use `name` in place of the path.
    explicit AttackRules(std::string text, std::string name = "<text>", int first_number = 1);

    /// As `attack_model_from_json`, with this `first_number`.
    AttackModel resolve(AttackedData data) const;

    /// AttackModel::summary and brief for the features that are mentioned, in this order. Features
    /// mentioned by number take their names from `feature_names`, if given.
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
/// the data as bounds, one standard deviation as scale, text columns that switch at a cost of 1;
/// columns that are constant or look like identifiers are frozen. The field `comment` says so.
std::string propose_attack_model(const FeatureData& table, const TableCoding& coding, Norm norm);

/// The text of a file that reads back as an equal model, except that a list without information
/// (all features move both ways, no limits) comes back empty. Throws InvalidInput unless the model
/// passes AttackModel::check for these features and all names are UTF-8.
std::string attack_model_to_json(const AttackModel& model, const AttackedData& data);

}  // namespace redoubt
