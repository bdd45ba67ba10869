#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt {

namespace {

class Names {
public:
    explicit Names(const std::vector<std::string>& names) : names_(names) {}

    std::string of(Index feature) const {
        const auto at = static_cast<std::size_t>(feature);
        return at < names_.size() ? names_[at] : std::to_string(feature + 1);
    }

    std::string list(const std::vector<int>& features) const {
        std::string text;
        for (int l : features) text += (text.empty() ? "" : ", ") + of(l);
        return text;
    }

private:
    const std::vector<std::string>& names_;
};

void add_line(std::string& text, const std::string& head, const std::string& list) {
    if (!list.empty()) text += head + ": " + list + "\n";
}

std::vector<int> features_going(const AttackModel& model, Direction direction) {
    std::vector<int> features;
    for (std::size_t l = 0; l < model.direction.size(); ++l) {
        if (model.direction[l] == direction) features.push_back(static_cast<int>(l));
    }
    return features;
}

std::string scales_text(const AttackModel& model, const Names& names) {
    std::string text;
    for (Index l = 0; l < model.scale.size(); ++l) {
        if (model.scale[l] == 0.0 || model.scale[l] == 1.0) continue;
        text += (text.empty() ? "" : ", ") + names.of(l) + " " + format_number(model.scale[l]);
    }
    return text;
}

std::string ranges_text(const AttackModel& model, const Names& names) {
    std::string text;
    const Index n = std::max(model.lower.size(), model.upper.size());
    for (Index l = 0; l < n; ++l) {
        const double lower = model.lower_of(l);
        const double upper = model.upper_of(l);
        if (lower == -HUGE_VAL && upper == HUGE_VAL) continue;
        const std::string range =
            lower == -HUGE_VAL  ? "<= " + format_number(upper)
            : upper == HUGE_VAL ? ">= " + format_number(lower)
                                : "[" + format_number(lower) + ", " + format_number(upper) + "]";
        text += (text.empty() ? "" : ", ") + names.of(l) + " " + range;
    }
    return text;
}

}  // namespace

std::string AttackModel::summary(const std::vector<std::string>& feature_names) const {
    const Names names(feature_names);
    std::string text = "norm: " + std::string(to_string(norm)) + "\n";
    std::vector<int> frozen;
    for (Index l = 0; l < scale.size(); ++l) {
        if (scale[l] == 0.0) frozen.push_back(static_cast<int>(l));
    }
    std::vector<int> whole_features;
    for (const WholeFeature& one : whole) whole_features.push_back(one.feature);
    add_line(text, "may move at radius 1 by", scales_text(*this, names));
    add_line(text, "frozen", names.list(frozen));
    add_line(text, "only up", names.list(features_going(*this, Direction::Up)));
    add_line(text, "only down", names.list(features_going(*this, Direction::Down)));
    add_line(text, "range", ranges_text(*this, names));
    add_line(text, "whole numbers", names.list(whole_features));
    for (const OneHotGroup& group : one_hot) {
        add_line(text, "exactly one, a switch costs " + format_number(group.switch_cost),
                 names.list(group.features));
    }
    if (attacking_class)
        add_line(text, "only points of this class move", *attacking_class > 0 ? "+1" : "-1");
    return text;
}

}  // namespace redoubt
