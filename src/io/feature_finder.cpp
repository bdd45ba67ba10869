#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "core/text_tools.hpp"
#include "io/attack_model_json.hpp"

namespace redoubt::io {

namespace {

/// How many letters must be put in, left out, replaced or swapped with their neighbour to turn one
/// word into the other; capitals count as small letters.
std::size_t letters_apart(const std::string& a, const std::string& b) {
    const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    const auto is_same = [&](std::size_t i, std::size_t j) {
        return small(a[i - 1]) == small(b[j - 1]);
    };
    std::vector<std::vector<std::size_t>> apart(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                apart[i][j] = i + j;
                continue;
            }
            apart[i][j] = std::min({apart[i - 1][j - 1] + (is_same(i, j) ? 0 : 1),
                                    apart[i - 1][j] + 1, apart[i][j - 1] + 1});
            if (i > 1 && j > 1 && is_same(i, j - 1) && is_same(i - 1, j)) {
                apart[i][j] = std::min(apart[i][j], apart[i - 2][j - 2] + 1);
            }
        }
    }
    return apart[a.size()][b.size()];
}

}  // namespace

FeatureFinder::FeatureFinder(const std::vector<std::string>& names)
    : names_(&names), sorted_(names.size()) {
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::stable_sort(sorted_.begin(), sorted_.end(), [&](int a, int b) {
        return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)];
    });
}

int FeatureFinder::place_of(const std::string& name) const {
    if (name.empty()) return -1;
    const auto name_of = [&](int place) -> const std::string& {
        return (*names_)[static_cast<std::size_t>(place)];
    };
    const auto first =
        std::lower_bound(sorted_.begin(), sorted_.end(), name,
                         [&](int place, const std::string& text) { return name_of(place) < text; });
    if (first == sorted_.end() || name_of(*first) != name) return -1;
    const auto second = first + 1;
    return second != sorted_.end() && name_of(*second) == name ? -1 : *first;
}

int FeatureFinder::number_of(const std::string& text) const {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool is_number = error == std::errc() && rest == end && !text.empty();
    return is_number && number >= 1 && number <= n_features() ? number - 1 : -1;
}

int FeatureFinder::find(const std::string& text, const JsonField& field) const {
    const int place = place_of(text);
    if (place >= 0) return place;
    const int number = number_of(text);
    if (number < 0) fail(text, field);
    return number;
}

int FeatureFinder::find(const JsonField& field) const {
    if (field.is_text()) return find(field.text(), field);
    if (!field.is_count()) field.fail("the name or number of a feature");
    const std::uint64_t number = field.count(kMaxJsonCount);
    if (number < 1 || number > names_->size()) {
        field.fail("a feature from 1 to " + std::to_string(n_features()));
    }
    return static_cast<int>(number) - 1;
}

void FeatureFinder::fail(const std::string& text, const JsonField& field) const {
    constexpr std::size_t kMaxNear = 3;
    // Long texts and very many names take long to compare, and hardly anybody means one of them.
    constexpr std::size_t kMaxLetters = 100;
    constexpr std::size_t kMaxCompared = 10000;
    if (std::count(names_->begin(), names_->end(), text) > 1) {
        field.fail("the number of one of the features of this name", quote_text(text));
    }
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& name : *names_) {
        const bool is_long = text.size() > kMaxLetters || name.size() > kMaxLetters;
        if (is_long || name.empty() || names_->size() > kMaxCompared) continue;
        const std::size_t apart = letters_apart(text, name);
        if (3 * apart <= std::max(text.size(), std::size_t{3})) near.emplace_back(apart, name);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> listed;
    for (std::size_t i = 0; i < std::min(near.size(), kMaxNear); ++i) {
        listed.push_back(near[i].second);
    }
    const std::string advice = listed.empty() ? "; the features are " + quote_list(*names_)
                                              : "; did you mean " + quote_list(listed) + "?";
    field.fail("the name or number (1 to " + std::to_string(n_features()) + ") of a feature",
               quote_text(text) + advice);
}

bool FeatureFinder::has_name(int feature) const {
    return place_of((*names_)[static_cast<std::size_t>(feature)]) == feature;
}

Json FeatureFinder::called(int feature) const {
    if (has_name(feature)) return (*names_)[static_cast<std::size_t>(feature)];
    return static_cast<std::uint64_t>(feature + 1);
}

std::string FeatureFinder::text_of(int feature) const {
    return has_name(feature) ? quote_text((*names_)[static_cast<std::size_t>(feature)])
                             : "feature " + std::to_string(feature + 1);
}

}  // namespace redoubt::io
