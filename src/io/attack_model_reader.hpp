#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/attack_model_json.hpp"

namespace redoubt::io {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A size: a finite number >= 0.
double read_scale_number(const JsonField& field);
/// A finite number > 0.
double read_change_cost(const JsonField& field);

/// Collects the fields of a file. Remembers which lists a feature is in, so that contradictory
/// lists are found.
class AttackModelReader {
public:
    /// Without `data`, the features are those that are mentioned, and no class is known.
    AttackModelReader(const JsonField& field, const AttackedData* data, int first_number);

    AttackModel read();

    /// After `read`.
    const FeatureFinder& finder() const { return finder_; }
    SummaryNames names() const;

private:
    using Range = std::pair<double, double>;
    using TakeFeature = std::function<void(int)>;
    using TakeValue = std::function<void(int, const JsonField&)>;
    using TakeColumn = std::function<void(const ColumnFeatures&, const JsonField&)>;

    Index n() const { return finder_.n_features(); }

    // The lists that a feature is in.
    std::vector<std::string>& lists_of(int feature);
    bool is_listed(int feature, std::string_view name);
    /// A feature occurs at most once per list and has at most one direction.
    void list(int feature, const std::string& name, const JsonField& place);

    /// Every feature of a list of features, including those of a text column if it is frozen.
    void for_each_listed(const std::string& name, const TakeFeature& take);
    /// A value for some features, as an object or a list of objects, or for all of them as a list.
    /// `take_text` is called for text columns; columns that the model does not use are skipped.
    void for_each_value(const std::string& name, const TakeValue& take,
                        const TakeColumn& take_text);

    // One field each.
    void read_comment() const;
    void read_scale();
    void read_costs();
    void read_direction(const std::string& name, Direction direction);
    void read_bounds();
    void read_integers();
    void read_class();
    // attack_model_groups.cpp: groups, of the file and of text columns.
    void read_groups();
    void read_group(const JsonField& field);
    void read_switch_costs();
    void read_switch(int feature, const JsonField& cost);
    /// The costs of switches of a group: one number, or a list of rules for pairs of members, of
    /// which later ones win. `find` gives the member that an entry names.
    using FindMember = std::function<int(const JsonField&)>;
    static void read_cost(const JsonField& cost, const FindMember& find, OneHotGroup& group);
    void mention_cost(int feature, const JsonField& cost);
    void group_columns();
    void group_member(const ColumnFeatures& column, const OneHotGroup& group, std::size_t member);
    void list_member(const OneHotGroup& group, std::size_t member, const JsonField& entry);

    void limit(int feature, const Range& range);
    /// A single range for all applies to every feature that does not switch.
    void limit_others();

    // Lists with one entry per feature, which grow with the mentioned features.
    double usual_scale(Index feature) const;
    Vector& scales();
    double usual_cost_of_change() const;
    Vector& costs();
    std::vector<Direction>& directions();

    void check() const;
    std::string with_own_names(std::string_view text) const;

    const JsonField& field_;
    const AttackedData* data_;
    FeatureFinder finder_;
    AttackModel model_;
    std::string class_;
    std::optional<Range> others_;
    std::optional<double> usual_cost_;
    /// The groups of text columns with prices, by their first feature.
    std::map<int, OneHotGroup> priced_;
    /// Without features: the columns with prices.
    std::vector<SummaryNames::Others::Switching> mentioned_costs_;
    /// By feature: the lists that it is in.
    std::vector<std::vector<std::string>> listed_;
};

}  // namespace redoubt::io
