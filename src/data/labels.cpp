#include "data/labels.hpp"

#include <algorithm>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

/// A label text and, if it is one, the number it stands for.
struct Label {
    std::string_view text;
    double value = 0.0;
    bool is_number = false;

    explicit Label(std::string_view label_text) : text(label_text) {
        is_number = parse_number(text, value) == NumberText::Number;
    }

    bool same_as(const Label& other) const {
        return text == other.text || (is_number && other.is_number && value == other.value);
    }
};

bool comes_before(const Label& a, const Label& b) {
    return a.is_number && b.is_number ? a.value < b.value : a.text < b.text;
}

/// Beyond this many classes only a few are of interest, and the search for them stays linear.
constexpr std::size_t kEnoughClasses = 1000;

std::string describe(const std::vector<Label>& classes) {
    if (classes.empty()) return "none";
    std::vector<std::string> names;
    for (const Label& label : classes) names.emplace_back(label.text);
    std::string count = names.size() == 1 ? "one" : std::to_string(names.size());
    if (names.size() == kEnoughClasses) count += " or more";
    return count + ": " + quote_list(names);
}

}  // namespace

ClassMap map_classes(std::span<const std::string> texts, std::string_view positive) {
    std::vector<Label> classes;
    std::vector<std::size_t> class_of;
    for (const std::string& text : texts) {
        const Label label(text);
        const auto found = std::find_if(classes.begin(), classes.end(),
                                        [&](const Label& known) { return known.same_as(label); });
        class_of.push_back(static_cast<std::size_t>(found - classes.begin()));
        if (found == classes.end()) classes.push_back(label);
        if (classes.size() == kEnoughClasses) break;
    }
    ClassMap map;
    if (classes.size() != 2) {
        map.problem = describe(classes);
        return map;
    }
    std::size_t plus = comes_before(classes[0], classes[1]) ? 1 : 0;
    if (!positive.empty()) {
        const Label wanted(positive);
        if (!wanted.same_as(classes[0]) && !wanted.same_as(classes[1])) {
            throw InvalidInput(
                "positive",
                quote_text(classes[1 - plus].text) + " or " + quote_text(classes[plus].text),
                quote_text(positive));
        }
        plus = wanted.same_as(classes[1]) ? 1 : 0;
    }
    map.classes = {std::string(classes[1 - plus].text), std::string(classes[plus].text)};
    for (std::size_t c : class_of) map.sign.push_back(c == plus ? 1.0 : -1.0);
    return map;
}

double sign_of_label(const std::array<std::string, 2>& classes, std::string_view text) {
    const Label label(text);
    if (label.same_as(Label(classes[0]))) return -1.0;
    return label.same_as(Label(classes[1])) ? 1.0 : 0.0;
}

}  // namespace redoubt
