#include "shell/completion.hpp"

#include <CLI/App.hpp>
#include <string_view>
#include <vector>

#include "options/validators.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "shell/option_view.hpp"

namespace redoubt::app {
namespace {

bool has_published_split(std::string_view name) {
    try {
        published_split(name);
        return true;
    } catch (const InvalidInput&) {
        return false;
    }
}

/// Everything that DATA can be besides a file: "bcw bcw:train bcw:test heart".
std::string bundled_arguments() {
    std::string text;
    for (const std::string_view view : bundled_names()) {
        const std::string name(view);
        text += (text.empty() ? "" : " ") + name;
        if (has_published_split(name)) text += " " + name + ":train " + name + ":test";
    }
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// `text` with every place that holds `name` replaced.
std::string filled(std::string text, const std::string& name, const std::string& value) {
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size())) {
        text.replace(at, name.size(), value);
    }
    return text;
}

// --- bash
// -----------------------------------------------------------------------------------------

/// What the script keeps of a value: "words a b c", "file", "data", "other", or nothing for a flag.
std::string bash_kind(const CLI::Option& option) {
    switch (value_kind(option)) {
        case ValueKind::Words:
            return "words " + joined(words_of(option));
        case ValueKind::File:
            return "file";
        case ValueKind::Data:
            return "data";
        case ValueKind::Other:
            return "other";
        case ValueKind::None:
            break;
    }
    return {};
}

/// One branch of a `case`, which sets a variable.
std::string branch(const std::string& pattern, const std::string& name, const std::string& value) {
    return "        '" + pattern + "') " + name + "='" + value + "' ;;\n";
}

std::string bash_options(const CLI::App& command, const std::string& name) {
    std::vector<std::string> names;
    for (const CLI::Option* option : named_options(command)) names.push_back(option->get_name());
    return branch(name, "options", joined(names));
}

std::string bash_values(const CLI::App& command, const std::string& name) {
    std::string text;
    for (const CLI::Option* option : named_options(command)) {
        const std::string kind = bash_kind(*option);
        if (!kind.empty()) text += branch(name + " " + option->get_name(), "kind", kind);
    }
    int place = 0;
    for (const CLI::Option* argument : positional_arguments(command)) {
        text += branch(name + " " + std::to_string(++place), "kind", bash_kind(*argument));
    }
    return text;
}

constexpr const char* kBashScript =
    R"script(# Completes the options of redoubt in bash; printed by: redoubt completion bash

# Sets `options` to those of command $1.
_redoubt_options() {
    options=
    case $1 in
@OPTIONS@    esac
}

# Sets `kind` to what $2 of command $1 is: an option's value, or the argument of that number.
_redoubt_kind() {
    kind=
    case "$1 $2" in
@KINDS@    esac
}

# Fills COMPREPLY with what begins with $2 and is of the kind $1.
_redoubt_offer() {
    local word
    COMPREPLY=()
    case $1 in
        words*)
            for word in ${1#words}; do
                [[ $word == "$2"* ]] && COMPREPLY+=("$word")
            done
            ;;
        data)
            _redoubt_offer 'words @BUNDLED@' "$2"
            if ((${#COMPREPLY[@]})); then
                while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$2")
                compopt -o filenames 2>/dev/null
            else
                compopt -o default 2>/dev/null
            fi
            ;;
        file) compopt -o default 2>/dev/null ;; # readline knows best about quotes and spaces
    esac
}

# Offers the options of command $1 that begin with $2 and are not in the list $3.
_redoubt_offer_options() {
    local options option left=
    _redoubt_options "$1"
    for option in $options; do
        [[ $3 == *" $option "* ]] || left+=" $option"
    done
    _redoubt_offer "words$left" "$2"
}

_redoubt() {
    local -a words=()
    local word glued='' i current=0
    # bash splits words at colons and equals signs: they are put together again.
    for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $glued || $word == [:=]* ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        glued=
        if ((i == COMP_CWORD)); then
            current=$((${#words[@]} - 1))
        elif [[ $word && -z ${word//[:=]/} ]]; then
            glued=1
        fi
    done

    # What stands around the word at the cursor.
    local command='' option='' wanted='' kind='' given=' ' only_arguments='' only_here=''
    local before=0 total=0
    for ((i = 0; i < ${#words[@]}; i++)); do
        word=${words[i]}
        if ((i == current)); then
            wanted=$option only_here=$only_arguments
            option=''
            [[ $command ]] || break
        elif [[ $option ]]; then
            option=
        elif [[ ! $only_arguments && $word == -- ]]; then
            only_arguments=1
        elif [[ ! $only_arguments && $word == -?* ]]; then
            given+="${word%%=*} "
            _redoubt_kind "$command" "${word%%=*}"
            [[ $kind && $word != *=* ]] && option=$word
        elif [[ ! $command ]]; then
            command=$word
        else
            total=$((total + 1))
            ((i > current)) || before=$((before + 1))
        fi
    done

    local typed=${words[current]-} value prefix=
    value=$typed
    if [[ $wanted ]]; then
        _redoubt_kind "$command" "$wanted"
        _redoubt_offer "$kind" "$value"
    elif [[ ! $only_here && $typed == --*=* ]]; then
        prefix=${typed%%=*}= value=${typed#*=}
        _redoubt_kind "$command" "${typed%%=*}"
        _redoubt_offer "$kind" "$value"
    elif [[ ! $only_here && $typed == -* ]]; then
        _redoubt_offer_options "$command" "$value" "$given"
    elif [[ ! $command ]]; then
        _redoubt_offer 'words @COMMANDS@' "$value"
    else
        _redoubt_kind "$command" $((before + 1))
        local next=$kind
        # A further argument must be left over when the words behind the cursor have theirs.
        _redoubt_kind "$command" $((total + 1))
        if [[ $kind ]]; then
            _redoubt_offer "$next" "$value"
        elif [[ ! $only_here ]]; then
            _redoubt_offer_options "$command" "$value" "$given"
        else
            COMPREPLY=()
        fi
    fi

    # bash replaces only what is behind the last colon or equals sign.
    local mark head cut=
    for mark in : =; do
        [[ $COMP_WORDBREAKS == *"$mark"* && $typed == *"$mark"* ]] || continue
        head=${typed%"$mark"*}$mark
        ((${#head} <= ${#cut})) || cut=$head
    done
    for i in "${!COMPREPLY[@]}"; do
        word=$prefix${COMPREPLY[i]}
        COMPREPLY[i]=${word#"$cut"}
    done
}

complete -F _redoubt redoubt
)script";

// --- zsh
// ------------------------------------------------------------------------------------------

/// Inside single quotes, and inside the brackets and colons of a specification.
std::string zsh_escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
            continue;
        }
        if (c == '\\' || c == '[' || c == ']' || c == ':') result += '\\';
        result += c;
    }
    return result;
}

/// ":MESSAGE:ACTION".
std::string zsh_action(const CLI::Option& option) {
    const std::string message = ":" + zsh_escaped(value_name(option)) + ":";
    switch (value_kind(option)) {
        case ValueKind::Words:
            return message + "(" + joined(words_of(option)) + ")";
        case ValueKind::File:
            return message + "_files";
        case ValueKind::Data:
            return message + "_redoubt_data";
        case ValueKind::Other:
            return message + " ";
        case ValueKind::None:
            break;
    }
    return {};
}

std::string zsh_option(const CLI::App& command, const CLI::Option& option) {
    const std::string description = "[" + zsh_escaped(option.get_description()) + "]'";
    // After these two there is nothing to add.
    if (&option == command.get_help_ptr()) return "'(- *)'{-h,--help}'" + description;
    if (&option == command.get_version_ptr()) return "'(- *)--version" + description;
    if (value_kind(option) == ValueKind::None) return "'" + option.get_name() + description;
    std::string text = "'" + option.get_name() + "=" + description;
    text.pop_back();
    return text + zsh_action(option) + "'";
}

std::string zsh_arguments(const CLI::App& command, const std::string& indent) {
    std::string text;
    for (const CLI::Option* option : named_options(command)) {
        text += " \\\n" + indent + zsh_option(command, *option);
    }
    int place = 0;
    for (const CLI::Option* argument : positional_arguments(command)) {
        text += " \\\n" + indent + "'" + std::to_string(++place) + zsh_action(*argument) + "'";
    }
    return text;
}

std::string zsh_branches(const CLI::App& parser) {
    std::string text;
    for (const CLI::App* command : parser.get_subcommands({})) {
        text += "        " + command->get_name() + ")\n            _arguments -S" +
                zsh_arguments(*command, "                ") + "\n            ;;\n";
    }
    return text;
}

std::string zsh_commands(const CLI::App& parser) {
    std::string text;
    for (const CLI::App* command : parser.get_subcommands({})) {
        text += "        '" + command->get_name() + ":" + zsh_escaped(command->get_description()) +
                "'\n";
    }
    return text;
}

constexpr const char* kZshScript = R"script(#compdef redoubt
# Completes the options of redoubt in zsh; printed by: redoubt completion zsh

_redoubt_data() {
    local -a sets=(@BUNDLED@)
    _alternative 'sets:bundled data set:compadd -a sets' 'files:file:_files'
}

_redoubt_commands() {
    local -a commands=(
@COMMANDS@    )
    _describe -t commands command commands
}

_redoubt() {
    local curcontext=$curcontext state line
    local -A opt_args
    _arguments -C -S@OPTIONS@ \
        '1:command:_redoubt_commands' \
        '*::argument:->arguments' && return
    [[ $state == arguments ]] || return
    curcontext=${curcontext%:*}-$words[1]:
    case $words[1] in
@BRANCHES@    esac
}

# The first call of an autoloaded function is meant for what it defines.
if [[ $funcstack[1] == _redoubt ]]; then
    _redoubt "$@"
else
    compdef _redoubt redoubt
fi
)script";

}  // namespace

std::string bash_completion(const CLI::App& parser) {
    std::string options = bash_options(parser, "");
    std::string kinds = bash_values(parser, "");
    for (const CLI::App* command : parser.get_subcommands({})) {
        options += bash_options(*command, command->get_name());
        kinds += bash_values(*command, command->get_name());
    }
    std::string script = filled(kBashScript, "@OPTIONS@", options);
    script = filled(script, "@KINDS@", kinds);
    script = filled(script, "@BUNDLED@", bundled_arguments());
    return filled(script, "@COMMANDS@", joined(command_names(parser)));
}

std::string zsh_completion(const CLI::App& parser) {
    std::string script = filled(kZshScript, "@BUNDLED@", bundled_arguments());
    script = filled(script, "@COMMANDS@", zsh_commands(parser));
    script = filled(script, "@OPTIONS@", zsh_arguments(parser, "        "));
    return filled(script, "@BRANCHES@", zsh_branches(parser));
}

}  // namespace redoubt::app
