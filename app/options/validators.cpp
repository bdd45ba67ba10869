#include "options/validators.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <type_traits>
#include <utility>

namespace redoubt::app {
namespace {

/// True if the whole text is one number.
template <typename Number>
bool parse(const std::string& text, Number& value) {
    // The parser would read an integer with a leading zero as octal: 010 would become 8.
    if (std::is_integral_v<Number> && text.size() > 1 && text.front() == '0') return false;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

std::string mismatch(const std::string& wanted, const std::string& got) {
    return "expected " + wanted + ", got '" + got + "'";
}

}  // namespace

CLI::Validator nonnegative_number() {
    const auto check = [](const std::string& text) -> std::string {
        double value = 0.0;
        const bool good = parse(text, value) && std::isfinite(value) && value >= 0.0;
        return good ? "" : mismatch("a number >= 0", text);
    };
    return {check, ""};
}

CLI::Validator nonnegative_number_or(const std::string& word) {
    const auto check = [word](const std::string& text) -> std::string {
        double value = 0.0;
        const bool good = parse(text, value) && std::isfinite(value) && value >= 0.0;
        return good || text == word ? "" : mismatch("a number >= 0 or '" + word + "'", text);
    };
    return {check, ""};
}

CLI::Validator positive_number() {
    const auto check = [](const std::string& text) -> std::string {
        double value = 0.0;
        const bool good = parse(text, value) && std::isfinite(value) && value > 0.0;
        return good ? "" : mismatch("a number > 0", text);
    };
    return {check, ""};
}

CLI::Validator share_of_one() {
    const auto check = [](const std::string& text) -> std::string {
        double value = 0.0;
        const bool good = parse(text, value) && value > 0.0 && value < 1.0;
        return good ? "" : mismatch("a number above 0 and below 1", text);
    };
    return {check, ""};
}

CLI::Validator nonnegative_integer(std::int64_t most) {
    const auto check = [most](const std::string& text) -> std::string {
        std::int64_t value = 0;
        const bool good = parse(text, value) && value >= 0 && value <= most;
        return good ? "" : mismatch("an integer >= 0", text);
    };
    return {check, ""};
}

CLI::Validator integer_from(int least) {
    const auto check = [least](const std::string& text) -> std::string {
        int value = 0;
        const bool good = parse(text, value) && value >= least;
        return good ? "" : mismatch("an integer >= " + std::to_string(least), text);
    };
    return {check, ""};
}

std::string quoted_choice(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "'" : i + 1 < words.size() ? ", '" : " or '") + words[i] + "'";
    }
    return text;
}

CLI::Validator one_of(std::vector<std::string> words) {
    // The parser hands a description back as a part of the option's type: "TEXT:a|b|c".
    std::string description;
    for (const std::string& word : words) description += (description.empty() ? "" : "|") + word;
    const auto check = [words = std::move(words)](const std::string& text) -> std::string {
        const bool good = std::find(words.begin(), words.end(), text) != words.end();
        return good ? "" : mismatch(quoted_choice(words), text);
    };
    return {check, description};
}

std::vector<std::string> words_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    if (colon == std::string::npos) return {};
    std::vector<std::string> words;
    std::istringstream list(type.substr(colon + 1));
    for (std::string word; std::getline(list, word, '|');) words.push_back(word);
    return words;
}

}  // namespace redoubt::app
