#include "validators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace redoubt::app {
namespace {

/// True if the whole text is one number.
template <typename Number>
bool parse(const std::string& text, Number& value) {
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

CLI::Validator positive_number() {
    const auto check = [](const std::string& text) -> std::string {
        double value = 0.0;
        const bool good = parse(text, value) && std::isfinite(value) && value > 0.0;
        return good ? "" : mismatch("a number > 0", text);
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

CLI::Validator positive_integer() {
    const auto check = [](const std::string& text) -> std::string {
        int value = 0;
        const bool good = parse(text, value) && value >= 1;
        return good ? "" : mismatch("an integer >= 1", text);
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
    const auto check = [words = std::move(words)](const std::string& text) -> std::string {
        const bool good = std::find(words.begin(), words.end(), text) != words.end();
        return good ? "" : mismatch(quoted_choice(words), text);
    };
    return {check, ""};
}

}  // namespace redoubt::app
