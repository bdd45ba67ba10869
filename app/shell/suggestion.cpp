#include "shell/suggestion.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "options/validators.hpp"
#include "redoubt/error.hpp"
#include "shell/option_view.hpp"

namespace redoubt::app {
namespace {

/// With fewer letters, too many words begin with them.
constexpr std::size_t kShortestPrefix = 3;

char small(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

/// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t i = 0; i < items.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < items.size() ? ", " : " and ") + items[i];
    }
    return text;
}

/// The command that was chosen, or the program if none was.
const CLI::App& chosen(const CLI::App& parser) {
    const std::vector<CLI::App*> commands = parser.get_subcommands();
    return commands.empty() ? parser : *commands.front();
}

/// The long names of a command's options, without dashes.
std::vector<std::string> long_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : named_options(command)) {
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
    return names;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_option_like(const std::string& word) {
    return word.size() > 1 && word.front() == '-';
}

/// "--radius" of "--radius=0.5".
std::string without_value(const std::string& word) {
    const std::size_t start = std::min(word.find_first_not_of('-'), word.size());
    const std::size_t end = word.find_first_of("=:", start);
    return end == start ? word : word.substr(0, end);
}

std::string without_dashes(const std::string& word) {
    const std::size_t start = word.find_first_not_of('-');
    return start == std::string::npos ? "" : word.substr(start);
}

/// What the parser could not place, and whether it stood behind the mark that ends the options.
struct Leftovers {
    std::vector<std::string> words;
    bool are_arguments = false;
};

Leftovers leftovers(const CLI::App& command) {
    Leftovers result{command.remaining(), false};
    const auto end = std::remove(result.words.begin(), result.words.end(), "--");
    result.are_arguments = end != result.words.end();
    result.words.erase(end, result.words.end());
    return result;
}

/// The program, and every command but this one.
std::vector<const CLI::App*> others(const CLI::App& parser, const CLI::App& command) {
    std::vector<const CLI::App*> apps{&parser};
    for (const CLI::App* other : parser.get_subcommands({})) apps.push_back(other);
    apps.erase(std::remove(apps.begin(), apps.end(), &command), apps.end());
    return apps;
}

/// What to do about an option that the command does not have.
std::string advice(const CLI::App& parser, const CLI::App& command, const std::string& name) {
    // With one dash too few, or something other than an equals sign before its value.
    if (contains(long_names(command), name)) return "did you mean '--" + name + "'?";
    std::vector<std::string> owners;
    std::vector<std::string> elsewhere;
    for (const CLI::App* other : others(parser, command)) {
        const std::vector<std::string> names = long_names(*other);
        if (contains(names, name)) owners.push_back(quoted(full_name(*other)));
        elsewhere.insert(elsewhere.end(), names.begin(), names.end());
    }
    if (command.get_name() == "check" && name == "data") {
        return "redoubt_check.py, the checker in Python, has it";
    }
    if (!owners.empty()) return "it is an option of " + enumerated(owners);
    if (const auto near = nearest(name, long_names(command))) {
        return "did you mean '--" + *near + "'?";
    }
    if (const auto near = nearest(name, elsewhere)) {
        for (const CLI::App* other : others(parser, command)) {
            if (!contains(long_names(*other), *near)) continue;
            return "did you mean '--" + *near + "' of " + quoted(full_name(*other)) + "?";
        }
    }
    return quoted(full_name(command) + " --help") + " lists them";
}

std::string unknown_option(const CLI::App& parser, const CLI::App& command,
                           const std::string& word) {
    const std::string option = without_value(word);
    const CLI::App& meant = chosen(parser);
    if (&meant != &command && contains(long_names(meant), without_dashes(option))) {
        return option + ": belongs after " + quoted(meant.get_name());
    }
    return option + ": unknown option of " + quoted(full_name(command)) + "; " +
           advice(parser, command, without_dashes(option));
}

std::string unknown_command(const CLI::App& parser, const std::string& word) {
    const std::vector<std::string> names = command_names(parser);
    return "command: expected " + quoted_choice(names) + ", got " +
           (word.empty() ? "nothing" : quoted(word) + did_you_mean(word, names));
}

std::string surplus_arguments(const CLI::App& command, const std::vector<std::string>& words) {
    std::vector<std::string> wanted;
    for (const CLI::Option* argument : positional_arguments(command)) {
        wanted.push_back(argument->get_name(true));
    }
    std::vector<std::string> surplus;
    for (const std::string& word : words) surplus.push_back(quoted(word));
    std::string text = quoted(full_name(command)) + ": ";
    text += wanted.empty() ? "takes no arguments, got " + enumerated(surplus)
                           : "unexpected " + enumerated(surplus) + " after " + enumerated(wanted);
    if (contains(long_names(command), words.front())) {
        text += "; did you mean '--" + words.front() + "'?";
    }
    return text;
}

std::optional<std::string> explain_missing(const CLI::App& command) {
    const auto missing = command.get_options(
        [](const CLI::Option* option) { return option->get_required() && option->count() == 0; });
    if (missing.empty()) return {};
    return quoted(full_name(command)) + ": " + missing.front()->get_name() + " is missing";
}

/// What the parser could not place, if that is the trouble.
std::optional<std::string> explain_leftovers(const CLI::App& parser, const CLI::App& command) {
    const auto [words, are_arguments] = leftovers(command);
    if (words.empty()) return {};
    if (are_arguments) return surplus_arguments(chosen(parser), words);
    if (&command == &parser && !is_option_like(words.front())) {
        return unknown_command(parser, words.front());
    }
    const auto option = std::find_if(words.begin(), words.end(), is_option_like);
    if (option != words.end()) return unknown_option(parser, command, *option);
    // A word too many may belong to an option that is missing.
    if (const auto missing = explain_missing(command)) return missing;
    return surplus_arguments(command, words);
}

/// A flag that was given a word: --witness=maybe.
std::optional<std::string> explain_flag_value(const CLI::App& command) {
    for (const CLI::Option* option : named_options(command)) {
        if (value_kind(*option) != ValueKind::None || option->count() == 0) continue;
        const std::string& value = option->results().back();
        if (value == "true") continue;
        return option->get_name() + ": takes no value, got " + quoted(value);
    }
    return {};
}

/// An option with too many values, or with none.
std::optional<std::string> explain_count(const CLI::App& command, const CLI::ParseError& error) {
    const std::string message = error.what();
    for (const CLI::Option* option : named_options(command)) {
        if (message.rfind(option->get_name() + ":", 0) != 0) continue;
        const std::size_t n = option->results().size();
        if (n > static_cast<std::size_t>(option->get_items_expected_max())) {
            return option->get_name() + ": given " + std::to_string(n) + " times; specify it once";
        }
        return option->get_name() + ": expected a value, got nothing";
    }
    return {};
}

/// Two options that cannot be combined.
std::optional<std::string> explain_conflict(const CLI::App& command) {
    for (const CLI::Option* option : named_options(command)) {
        if (option->count() == 0) continue;
        for (const CLI::Option* other : option->get_excludes()) {
            if (other->count() == 0) continue;
            return option->get_name() + ": specify " + option->get_name() + " or " +
                   other->get_name() + ", not both";
        }
    }
    return {};
}

/// An option whose value is the name of another option, and that name.
std::optional<std::pair<std::string, std::string>> swallowed_option(const CLI::App& command) {
    const std::vector<std::string> names = long_names(command);
    for (const CLI::Option* option : named_options(command)) {
        if (value_kind(*option) == ValueKind::None) continue;
        for (const std::string& value : option->results()) {
            const std::string name = without_value(value);
            if (name.rfind("--", 0) != 0 || !contains(names, name.substr(2))) continue;
            return std::pair(option->get_name(), name);
        }
    }
    return {};
}

}  // namespace

std::size_t edit_distance(const std::string& a, const std::string& b) {
    // Three rows of the table of distances between beginnings: of a without its last two letters,
    // without its last, and a itself.
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = small(a[i - 1]) == small(b[j - 1]) ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            const bool is_swap = i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) &&
                                 small(a[i - 2]) == small(b[j - 1]);
            if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& words) {
    std::optional<std::string> best;
    std::size_t least = 0;
    for (const std::string& candidate : words) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance > std::max(word.size(), candidate.size()) / 3) continue;
        if (best && distance >= least) continue;
        best = candidate;
        least = distance;
    }
    if (best || word.size() < kShortestPrefix) return best;
    for (const std::string& candidate : words) {
        if (candidate.rfind(word, 0) != 0) continue;
        if (best && *best != candidate) return {};
        best = candidate;
    }
    return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& words) {
    const std::optional<std::string> near = nearest(word, words);
    return near ? "; did you mean " + quoted(*near) + "?" : "";
}

std::string explain(const CLI::App& parser, const CLI::ParseError& error) {
    const CLI::App& command = chosen(parser);
    if (const auto swallowed = swallowed_option(command)) {
        return swallowed->first + ": expected a value, got the option " + quoted(swallowed->second);
    }
    std::optional<std::string> text;
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        text = explain_count(command, error);
    } else if (dynamic_cast<const CLI::ConversionError*>(&error)) {
        text = explain_flag_value(command);
    } else if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
        text = explain_conflict(command);
    } else if (dynamic_cast<const CLI::RequiredError*>(&error) ||
               dynamic_cast<const CLI::ExtrasError*>(&error)) {
        // The parser misses something before it looks at what stands in its place.
        text = explain_leftovers(parser, parser);
        if (!text && &command != &parser) text = explain_leftovers(parser, command);
        if (!text) text = explain_missing(command);
        if (!text && &command == &parser) text = unknown_command(parser, "");
    }
    return text.value_or(error.what());
}

void refuse_options_as_values(const CLI::App& parser) {
    const auto swallowed = swallowed_option(chosen(parser));
    if (!swallowed) return;
    throw InvalidInput(swallowed->first, "a value", "the option " + quoted(swallowed->second));
}

}  // namespace redoubt::app
