#include "shell/option_view.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>

#include "options/validators.hpp"

namespace redoubt::app {
namespace {

/// The parser's type without what validators add to it.
std::string bare_type(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

std::string joined(const std::vector<std::string>& words, char separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

bool takes_many(const CLI::Option& option) {
    return option.get_expected_max() > 1;
}

/// The default as a user would type it: a list has no brackets around it.
std::string default_text(const CLI::Option& option) {
    std::string text = option.get_default_str();
    if (takes_many(option) && text.size() >= 2 && text.front() == '[' && text.back() == ']') {
        text = text.substr(1, text.size() - 2);
    }
    return text;
}

}  // namespace

ValueKind value_kind(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return ValueKind::None;
    if (!words_of(option).empty()) return ValueKind::Words;
    const std::string type = option.get_positional() ? option.get_name(true) : bare_type(option);
    if (type == "DATA") return ValueKind::Data;
    if (type == "FILE" || type == "MODEL") return ValueKind::File;
    return ValueKind::Other;
}

std::string all_names(const CLI::Option& option) {
    std::string text;
    for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
    for (const std::string& name : option.get_lnames()) text += "--" + name + ", ";
    return text.substr(0, text.size() - 2);
}

std::string placeholder(const CLI::Option& option) {
    std::string text = option.get_single_name();
    for (char& c : text) {
        c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

std::string value_name(const CLI::Option& option) {
    if (value_kind(option) == ValueKind::None) return {};
    if (option.get_positional()) return option.get_name(true);
    if (const auto words = words_of(option); !words.empty()) return joined(words, '|');
    std::string name = bare_type(option);
    if (name == "TEXT") name = placeholder(option);
    if (name == "FLOAT") name = "NUMBER";
    if (name == "INT" || name == "UINT") name = "INTEGER";
    return takes_many(option) ? name + ",..." : name;
}

std::string full_description(const CLI::Option& option) {
    std::string text = option.get_description();
    if (option.get_required() && !option.get_positional()) text += " (required)";
    const std::string value = default_text(option);
    // Some descriptions state a default that the parser does not know.
    if (!value.empty() && text.find("(default: ") == std::string::npos) {
        text += " (default: " + value + ")";
    }
    return text;
}

std::vector<const CLI::Option*> named_options(const CLI::App& command) {
    return command.get_options([](const CLI::Option* option) {
        return option->nonpositional() && !option->get_group().empty();
    });
}

std::vector<const CLI::Option*> positional_arguments(const CLI::App& command) {
    return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string full_name(const CLI::App& command) {
    const CLI::App* const parent = command.get_parent();
    return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string usage_tail(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* argument : positional_arguments(command)) {
        const std::string name = argument->get_name(true);
        text += argument->get_required() ? name + " " : "[" + name + "] ";
    }
    // What must be given is shown; the rest is in the list of options.
    for (const CLI::Option* option : named_options(command)) {
        if (option->get_required()) text += option->get_name() + " " + value_name(*option) + " ";
    }
    return text + "[options]";
}

std::vector<std::string> command_names(const CLI::App& parser) {
    std::vector<std::string> names;
    for (const CLI::App* command : parser.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

}  // namespace redoubt::app
