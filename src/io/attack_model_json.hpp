#pragma once

/// Converts between an attack model and the fields of its file, or of a field of a model file.

#include "io/json_document.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/norm.hpp"

#include <map>

namespace redoubt::io {

/// Throws ParseError with the place of the field.
AttackModel read_attack_model(const JsonField& field, const AttackedData& data);

/// The features that an attack model mentions, as a model of them alone.
struct MentionedFeatures {
    AttackModel model;
    /// Their names, or numbers as written, and what holds for all other features.
    SummaryNames names;
    /// Of each feature: its number, counted from 0; -1 if it has a name or counts from the end.
    std::vector<Index> numbers;
};

/// Reads what can be read without the features. Throws ParseError with the place of the field.
MentionedFeatures read_mentioned(const JsonField& field, int first_number);

/// The inverse of `read_attack_model`, except for lists without information.
Json attack_model_fields(const AttackModel& model, const AttackedData& data);

/// Finds features by name or number, and names them so that they can be found again.
class FeatureFinder {
public:
    /// Finds features among these names, and text columns among `columns`; both must outlive this.
    FeatureFinder(const std::vector<std::string>& names, int first_number,
                  const std::vector<ColumnFeatures>& columns);
    /// For features that are not known: every name and every number stands for a feature of its
    /// own.
    explicit FeatureFinder(int first_number) : names_(&mentioned_), first_number_(first_number) {}
    FeatureFinder(const FeatureFinder&) = delete;
    FeatureFinder& operator=(const FeatureFinder&) = delete;

    Index n_features() const { return static_cast<Index>(names_->size()); }
    bool is_open() const { return names_ == &mentioned_; }
    const std::vector<std::string>& names() const { return *names_; }
    /// For mentioned features, see MentionedFeatures.
    const std::vector<Index>& numbers() const { return numbers_; }

    /// The feature that an entry of a list names: a text (a name or else a number) or an integer,
    /// always a number. Throws ParseError, with similar names, if there is none.
    int find(const JsonField& field);
    /// The feature that the name of a field stands for.
    int find(const std::string& text, const JsonField& field);
    /// The text column that an entry or the name of a field stands for, or one that the model does
    /// not use, if no feature has that name. nullptr if there is none.
    const ColumnFeatures* find_column(const JsonField& field) const;
    const ColumnFeatures* find_column(const std::string& text) const;
    /// The feature at a position, counted from 0, of a list with one entry per feature.
    int at(std::size_t place);

    /// True if its name stands for this feature and no other.
    bool has_name(int feature) const;
    /// The name, or else the number.
    Json called(int feature) const;
    /// For messages: "'Age'" or "feature 3".
    std::string text_of(int feature) const;

private:
    int mention(const std::string& text, Index number, bool is_name);
    /// The position of a name that occurs once; -1 for any other.
    int place_of(const std::string& name) const;
    int number_of(const std::string& text) const;
    std::string range_text() const;
    std::vector<std::string> callable_names() const;
    [[noreturn]] void fail(const std::string& text, const JsonField& field) const;

    const std::vector<std::string>* names_;
    int first_number_;
    /// Positions in the order of their names.
    std::vector<int> sorted_{};
    const std::vector<ColumnFeatures>* columns_ = nullptr;
    // Used by an open finder.
    std::vector<std::string> mentioned_{};
    std::vector<Index> numbers_{};
    std::map<std::pair<bool, std::string>, int> place_of_mention_{};
};

}  // namespace redoubt::io
