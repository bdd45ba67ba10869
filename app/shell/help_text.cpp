#include "shell/help_text.hpp"

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "shell/option_view.hpp"

namespace redoubt::app {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 26;  ///< where descriptions start
/// Choices that take more room than this are left to the description.
constexpr std::size_t kLongestChoice = 36;

/// A parser has no room for more than a footer, so the parts of it are kept here.
std::map<const CLI::App*, Description>& descriptions() {
    static std::map<const CLI::App*, Description> map;
    return map;
}

/// The words in lines of at most kWidth columns. The first line goes on from column `start`, the
/// others are indented.
std::string wrapped(const std::string& text, std::size_t start, std::size_t indent) {
    std::istringstream words(text);
    std::string lines;
    std::size_t column = start;
    bool is_first = true;
    for (std::string word; words >> word; is_first = false) {
        if (!is_first && column + 1 + word.size() > kWidth) {
            lines += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += word.size();
    }
    return lines;
}

/// Each paragraph on its own.
std::string wrapped_paragraphs(const std::string& text) {
    std::string result;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find("\n\n", begin), text.size());
        if (!result.empty()) result += "\n\n";
        result += wrapped(text.substr(begin, end - begin), 0, 0);
        begin = end + 2;
    }
    return result;
}

/// "  NAME   DESCRIPTION" in two columns; a long name has its line to itself.
std::string entry(const std::string& name, const std::string& description) {
    std::string text = "  " + name;
    text += text.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ')
                                      : std::string(kColumn - text.size(), ' ');
    return text + wrapped(description, kColumn, kColumn) + "\n";
}

class HelpFormatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        const std::string footer = make_footer(app);
        return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
               option_groups(app) + make_subcommands(app, mode) +
               (footer.empty() ? "" : "\n" + footer);
    }

    std::string make_description(const CLI::App* app) const override {
        return wrapped_paragraphs(app->get_description()) + "\n\n";
    }

    std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
        const bool is_program = app->get_parent() == nullptr;
        return "Usage: " + full_name(*app) + " " +
               (is_program ? "COMMAND [arguments] [options]" : usage_tail(*app)) + "\n";
    }

    std::string make_positionals(const CLI::App* app) const override {
        const auto arguments = positional_arguments(*app);
        return arguments.empty() ? "" : make_group("Arguments", true, arguments);
    }

    std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode /*mode*/) const override {
        const std::vector<const CLI::App*> commands = app->get_subcommands({});
        if (commands.empty()) return {};
        std::string text = "\nCommands:\n";
        for (const CLI::App* command : commands) {
            text += entry(command->get_name(), command->get_description());
        }
        return text + "\n'" + app->get_name() + " COMMAND --help' describes a command.\n";
    }

    std::string make_footer(const CLI::App* app) const override {
        const std::string footer = app->get_footer();
        if (footer.empty()) return {};
        // Those of `describe` have their lines already.
        const bool is_described = descriptions().count(app) > 0;
        return (is_described ? footer : wrapped_paragraphs(footer)) + "\n";
    }

    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return entry(option->get_name(true), full_description(*option));
        std::string value = value_name(*option);
        if (value.size() > kLongestChoice) value = placeholder(*option);
        const std::string name = all_names(*option);
        return entry(value.empty() ? name : name + " " + value, full_description(*option));
    }

private:
    std::string option_groups(const CLI::App* app) const {
        std::string text;
        for (const std::string& group : app->get_groups()) {
            std::vector<const CLI::Option*> members;
            for (const CLI::Option* option : named_options(*app)) {
                if (option->get_group() == group) members.push_back(option);
            }
            if (!members.empty()) text += make_group(group, false, members);
        }
        return text;
    }
};

}  // namespace

void set_up_help(CLI::App& parser) {
    parser.formatter(std::make_shared<HelpFormatter>());
    parser.set_help_flag("-h,--help", "Print this help and exit");
}

void describe(CLI::App& command, const std::string& notes, const std::vector<Example>& examples) {
    std::string footer = wrapped_paragraphs(notes);
    if (!examples.empty()) footer += footer.empty() ? "Examples:" : "\n\nExamples:";
    for (const Example& example : examples) {
        footer += "\n  # " + example.purpose + "\n  " + example.command;
    }
    command.footer(footer);
    descriptions()[&command] = {notes, examples};
}

Description description_of(const CLI::App& command) {
    const auto found = descriptions().find(&command);
    return found == descriptions().end() ? Description{} : found->second;
}

}  // namespace redoubt::app
