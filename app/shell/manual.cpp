#include "shell/manual.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "redoubt/version.hpp"
#include "shell/help_text.hpp"
#include "shell/option_view.hpp"

namespace redoubt::app {
namespace {

/// How a character is written so that it comes out as itself. A bare - or ' would become a hyphen
/// or a curly quote, which cannot be pasted into a shell.
std::string roff_character(char c) {
    switch (c) {
        case '\\':
            return "\\e";
        case '-':
            return "\\-";
        case '\'':
            return "\\(aq";
        case '"':
            return "\\(dq";
        case '`':
            return "\\(ga";
        case '^':
            return "\\(ha";
        case '~':
            return "\\(ti";
        default:
            return {c};
    }
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) result += roff_character(c);
    return result;
}

/// Lines of text: none of them may look like a request, which starts with a dot.
std::string lines(std::string_view text) {
    std::string result;
    bool starts_line = true;
    for (const char c : text) {
        if (starts_line && c == '.') result += "\\&";
        result += c == '\n' ? "\n" : roff_character(c);
        starts_line = c == '\n';
    }
    return result + "\n";
}

std::string paragraphs(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = text.find("\n\n");
        result += ".PP\n" + lines(text.substr(0, end));
        text = end == std::string_view::npos ? "" : text.substr(end + 2);
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}
std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

/// A paragraph with a tag, which is roff already.
std::string tagged(const std::string& tag, std::string_view text) {
    return ".TP\n" + tag + "\n" + lines(text);
}

/// "l1|l2|linf": what is typed as it stands is bold, a stand-in is italic.
std::string value_tag(const CLI::Option& option) {
    const std::string value = value_name(option);
    if (value.empty()) return {};
    if (value_kind(option) != ValueKind::Words) return " " + italic(value);
    std::string tag = " ";
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find('|', begin), value.size());
        if (begin > 0) tag += "\\||\\|";
        tag += bold(value.substr(begin, end - begin));
        begin = end + 1;
    }
    return tag;
}

std::string option_entry(const CLI::Option& option) {
    const std::string tag = bold(all_names(option));
    return tagged(tag + value_tag(option), full_description(option));
}

/// Every argument and option but --help, which all commands share.
std::string options_of(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* argument : positional_arguments(command)) {
        text += tagged(italic(argument->get_name(true)), full_description(*argument));
    }
    for (const std::string& group : command.get_groups()) {
        std::string members;
        for (const CLI::Option* option : named_options(command)) {
            if (option->get_group() != group || option == command.get_help_ptr()) continue;
            members += option_entry(*option);
        }
        if (members.empty()) continue;
        if (group != "Options") text += ".PP\n" + bold(group + ":") + "\n";
        text += members;
    }
    return text;
}

std::string synopsis(const CLI::App& parser) {
    std::string text;
    for (const CLI::App* command : parser.get_subcommands({})) {
        text += bold(full_name(*command)) + " " + escaped(usage_tail(*command)) + "\n.br\n";
    }
    return text + bold(parser.get_name()) + " " + bold("--help") + " | " + bold("--version") + "\n";
}

std::string commands(const CLI::App& parser) {
    std::string text;
    for (const CLI::App* command : parser.get_subcommands({})) {
        text += ".SS " + escaped(command->get_name()) + "\n" + lines(command->get_description());
        text += paragraphs(description_of(*command).notes) + options_of(*command);
    }
    return text;
}

std::string program_options(const CLI::App& parser) {
    std::string text;
    for (const CLI::Option* option : named_options(parser)) text += option_entry(*option);
    return text;
}

std::string exit_status() {
    return tagged(bold("0"), "Finished, to the required accuracy.") +
           tagged(bold("1"),
                  "Stopped at a limit, or interrupted: the result is valid, but less accurate than "
                  "required.") +
           tagged(bold("2"),
                  "Bad usage or bad input. The message names the option, or the file, line and "
                  "column.") +
           tagged(bold("3"), "Internal error of the program.");
}

std::string environment() {
    return tagged(
        bold("REDOUBT_HIGHS"),
        "Path of the HiGHS library, for --solver mip. If unset, it is searched for where the "
        "system keeps libraries.");
}

std::string examples(const CLI::App& parser) {
    std::vector<const CLI::App*> apps{&parser};
    for (const CLI::App* command : parser.get_subcommands({})) apps.push_back(command);
    std::string text;
    for (const CLI::App* app : apps) {
        for (const Example& example : description_of(*app).examples) {
            if (!text.empty()) text += ".PP\n";
            text += lines(example.purpose + ":");
            text += ".PP\n.RS 4\n.nf\n" + lines(example.command) + ".fi\n.RE\n";
        }
    }
    return text;
}

std::string see_also(const CLI::App& parser) {
    return lines("'" + parser.get_name() +
                 " COMMAND --help' shows the options and examples of one command.") +
           ".PP\n" +
           lines(
               "The files docs/program.md, docs/formats.md and docs/algorithms.md of the sources "
               "describe the tables, the files and the mathematics.");
}

}  // namespace

std::string manual_page(const CLI::App& parser) {
    const std::string& name = parser.get_name();
    std::string text = ".TH REDOUBT 1 \"\" \"" + escaped(name + " " + kVersion) +
                       "\" \"User Commands\"\n.nh\n.ad l\n";
    const auto section = [&text](std::string_view title, const std::string& contents) {
        if (!contents.empty()) text += ".SH " + std::string(title) + "\n" + contents;
    };
    section("NAME", name + " \\- robust votes of linear classifiers, trained and certified\n");
    section("SYNOPSIS", synopsis(parser));
    section("DESCRIPTION", lines(parser.get_description()) +
                               paragraphs(description_of(parser).notes) + ".PP\n" +
                               lines("Results go to standard output, messages to standard error."));
    section("COMMANDS", commands(parser));
    section("OPTIONS", program_options(parser));
    section("EXIT STATUS", exit_status());
    section("ENVIRONMENT", environment());
    section("EXAMPLES", examples(parser));
    section("SEE ALSO", see_also(parser));
    return text;
}

}  // namespace redoubt::app
