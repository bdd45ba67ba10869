#pragma once

/// Between an attack model and the fields of its file, or of the field of a model file.

#include "io/json_document.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/norm.hpp"

namespace redoubt::io {

inline constexpr Words<Norm, 3> kNormWords{
    {{Norm::L1, "l1"}, {Norm::L2, "l2"}, {Norm::LInf, "linf"}}};

/// Throws ParseError with the place of the field.
AttackModel read_attack_model(const JsonField& field, const AttackedData& data);

/// The inverse, up to lists that say nothing.
Json attack_model_fields(const AttackModel& model, const AttackedData& data);

/// Finds features by name or number, and calls them so that they are found again.
class FeatureFinder {
public:
    explicit FeatureFinder(const std::vector<std::string>& names);

    Index n_features() const { return static_cast<Index>(names_->size()); }

    /// The feature that an entry of a list names: a text (a name or else a number) or an integer,
    /// always a number. Throws ParseError, with near names, if there is none.
    int find(const JsonField& field) const;
    /// The feature that the name of a field stands for.
    int find(const std::string& text, const JsonField& field) const;

    /// Does its name mean this feature and no other?
    bool has_name(int feature) const;
    /// The name, or else the number.
    Json called(int feature) const;
    /// For messages: "'Age'" or "feature 3".
    std::string text_of(int feature) const;

private:
    /// The place of a name that occurs once; -1 for any other.
    int place_of(const std::string& name) const;
    int number_of(const std::string& text) const;
    [[noreturn]] void fail(const std::string& text, const JsonField& field) const;

    const std::vector<std::string>* names_;
    /// Places in the order of their names.
    std::vector<int> sorted_;
};

}  // namespace redoubt::io
