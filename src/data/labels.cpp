#include "data/labels.hpp"

#include <algorithm>
#include <numeric>

#include "core/text_tools.hpp"
#include "redoubt/dataset.hpp"
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

ClassMap map_classes(std::span<const std::string> texts, std::string_view positive,
                     Index max_classes) {
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
    const std::size_t n = classes.size();
    if (n < 2 || n > static_cast<std::size_t>(max_classes)) {
        map.problem = describe(classes);
        return map;
    }
    // From the rank in the order of the classes to the one found, and back.
    std::vector<std::size_t> found(n);
    std::iota(found.begin(), found.end(), std::size_t{0});
    const bool are_numbers = std::all_of(classes.begin(), classes.end(),
                                         [](const Label& label) { return label.is_number; });
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
        if (are_numbers || n == 2) return comes_before(classes[a], classes[b]);
        return classes[a].text < classes[b].text;
    });
    if (!positive.empty()) {
        const Label wanted(positive);
        if (n > 2) throw InvalidInput("positive", "two classes", describe(classes));
        if (!wanted.same_as(classes[0]) && !wanted.same_as(classes[1])) {
            throw InvalidInput(
                "positive",
                quote_text(classes[found[0]].text) + " or " + quote_text(classes[found[1]].text),
                quote_text(positive));
        }
        if (!wanted.same_as(classes[found[1]])) std::swap(found[0], found[1]);
    }
    std::vector<double> label_of(n);
    for (std::size_t rank = 0; rank < n; ++rank) {
        map.classes.emplace_back(classes[found[rank]].text);
        label_of[found[rank]] = label_of_class(rank, n);
    }
    for (std::size_t c : class_of) map.labels.push_back(label_of[c]);
    return map;
}

std::optional<std::size_t> find_class(const ClassNames& classes, std::string_view text) {
    const Label label(text);
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (label.same_as(Label(classes[c]))) return c;
    }
    return std::nullopt;
}

}  // namespace redoubt
