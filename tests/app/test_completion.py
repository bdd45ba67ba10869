"""Completion in real shells: what they offer, and what becomes of the line."""

import os
import re
import select
import shutil
import subprocess
import time

import pytest

METHODS = {"svm", "ro-svm", "svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"}
NORMS = {"l0", "l1", "l2", "linf"}


@pytest.fixture
def folder(tmp_path):
    """A folder to complete files in."""
    for name in ("model.json", "my data.csv", "gauss.csv"):
        (tmp_path / name).write_text("")
    (tmp_path / "results").mkdir()
    return tmp_path


def options_of(redoubt, *command):
    text = redoubt(*command, "--help").out.partition("Examples:")[0]
    return set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE))


def commands_of(redoubt):
    section = redoubt("--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^  ([\w-]+) ", section, flags=re.MULTILINE))


def bundled_of(redoubt):
    """Every DATA that is no file."""
    found = set()
    for row in redoubt("datasets", "--format", "csv").rows():
        name = row["name"]
        found |= {name, f"{name}:train", f"{name}:test"} if row["train"] else {name}
    return found


# --- bash, asked directly ---------------------------------------------------------------------

# Prints what the function leaves in COMPREPLY, and the options that it asks readline for.
ASK_BASH = r"""
source "$1"
compopt() { printf 'compopt %s\n' "$*"; }
COMP_WORDBREAKS=$2 COMP_CWORD=$3
shift 3
COMP_WORDS=("$@")
_redoubt
((${#COMPREPLY[@]} == 0)) || printf 'reply %s\n' "${COMPREPLY[@]}"
"""


def split_like_bash(text, breaks):
    """The words of a line without quotes: colons and equals signs are words of their own."""
    marks = "".join(mark for mark in ":=" if mark in breaks)
    return re.findall(rf"[{marks}]+|[^{marks}\s]+" if marks else r"\S+", text)


@pytest.fixture
def bash(redoubt, folder):
    """bash("redoubt train --norm ") gives the set of offers; `after` stands behind the cursor."""
    script = folder / ".completion.bash"
    script.write_text(redoubt("completion", "bash").out)

    def ask(line, after="", breaks=" \t\n\"'><=;|&(:"):
        words = split_like_bash(line, breaks)
        if line.endswith(" "):
            words.append("")
        place = len(words) - 1
        run = subprocess.run(
            ["bash", "--norc", "-c", ASK_BASH, "ask", script, breaks, str(place)]
            + words
            + split_like_bash(after, breaks),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.stderr == ""
        ask.asked = re.findall(r"^compopt (.*)$", run.stdout, flags=re.MULTILINE)
        offers = re.findall(r"^reply (.*)$", run.stdout, flags=re.MULTILINE)
        assert len(offers) == len(set(offers))
        return set(offers)

    return ask


def test_bash_offers_commands_and_options(bash, redoubt):
    assert bash("redoubt ") == commands_of(redoubt)
    assert bash("redoubt tr") == {"train"}
    assert bash("redoubt xyz") == set()
    assert bash("redoubt -") == {"--help", "--version"}
    for command in commands_of(redoubt):
        assert bash(f"redoubt {command} -") == options_of(redoubt, command)
    assert bash("redoubt train --no") == {"--norm"}
    assert bash("redoubt nonsense --") == set()
    assert bash.asked == []


def test_bash_offers_an_option_once(bash, redoubt):
    left = options_of(redoubt, "train") - {"--norm", "--radius"}
    assert bash("redoubt train bcw --norm l2 --radius=1 -") == left
    assert bash("redoubt train bcw --n", after="--norm l2") == set()
    # Behind the last argument only options are left.
    assert bash("redoubt train bcw --norm l2 --radius=1 ") == left


def test_bash_offers_the_words_of_an_option(bash):
    assert bash("redoubt train --norm ") == NORMS
    assert bash("redoubt train --norm li") == {"linf"}
    assert bash("redoubt train bcw --method ") == METHODS
    assert bash("redoubt train bcw --method ens") == {"ens-e", "ens-r", "ens-h", "ens-c"}
    assert bash("redoubt attack model.json bcw --adversary ") == {"exact", "relaxed", "heuristic"}
    assert bash("redoubt completion ") == {"bash", "zsh"}
    # In the middle of a line.
    assert bash("redoubt train --norm ", after="bcw --radius 1") == NORMS
    assert bash("redoubt train --norm l", after="bcw") == NORMS


def test_bash_completes_behind_an_equals_sign(bash):
    assert bash("redoubt train --method=") == METHODS
    assert bash("redoubt train --method=ens-") == {"ens-e", "ens-r", "ens-h", "ens-c"}
    assert bash("redoubt train --method=", after="bcw") == METHODS
    assert bash("redoubt train --test=bcw:tr") == {"train"}
    assert bash("redoubt train --norm=l2 --method=s") == {"svm", "svm-ens"}
    # A shell that does not split there gets whole words.
    assert bash("redoubt train --method=ro", breaks=" \t\n") == {"--method=ro-svm"}
    assert bash("redoubt train --test=bcw:tr", breaks=" \t\n") == {"--test=bcw:train"}


def test_bash_offers_bundled_data_and_files(bash, redoubt):
    files = {"model.json", "my data.csv", "gauss.csv", "results", ".completion.bash"}
    assert bash("redoubt train ") == bundled_of(redoubt) | files
    assert bash("redoubt train --test ") == bundled_of(redoubt) | files
    assert bash("redoubt certify model.json ") == bundled_of(redoubt) | files
    assert bash("redoubt train gau") == {"gaussian", "gaussian:train", "gaussian:test", "gauss.csv"}
    assert bash.asked == ["-o filenames"]
    # With the colon among the word breaks, only what is behind it is replaced.
    assert bash("redoubt train bcw:") == {"train", "test"}
    assert bash("redoubt train bcw:t") == {"train", "test"}
    assert bash("redoubt train bcw:te") == {"test"}
    assert bash("redoubt train bcw:t", breaks=" \t\n=") == {"bcw:train", "bcw:test"}
    assert bash("redoubt train heart:") == set()


def test_bash_leaves_files_to_readline(bash):
    for line in (
        "redoubt certify ",
        "redoubt attack mod",
        "redoubt train bcw --model ",
        "redoubt train bcw --model=res",
        "redoubt train bcw --checkpoint ",
        "redoubt certify model.json bcw --out ",
        "redoubt train my",
        "redoubt train --test ./",
    ):
        assert bash(line) == set()
        assert bash.asked == ["-o default"], line


def test_bash_offers_nothing_that_only_the_user_knows(bash):
    for line in (
        "redoubt train bcw --radius ",
        "redoubt train bcw --radius 0.",
        "redoubt train bcw --radius=",
        "redoubt train bcw --label ",
        "redoubt train bcw --bogus=",
        "redoubt train bcw -- ",
        "redoubt train -- bcw --",
        "redoubt completion bash x",
    ):
        assert bash(line) == set()
        assert bash.asked == [], line


def test_bash_counts_arguments(bash, redoubt):
    assert "bcw" in bash("redoubt train --norm l2 ")
    assert "bcw" in bash("redoubt train --one-hot ")
    assert bash("redoubt certify --norm l2 ") == set()
    assert bash.asked == ["-o default"]
    assert "bcw" in bash("redoubt certify --witness model.json ")
    # The model is missing: the data are already there.
    assert bash("redoubt certify ", after="bcw") == set()
    assert bash.asked == ["-o default"]
    assert bash("redoubt train ", after="bcw") == options_of(redoubt, "train")
    assert "bcw" in bash("redoubt train -- ")


# --- shells with somebody at the keyboard -----------------------------------------------------


class Keyboard:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, folder, env):
        self.folder = folder
        self.screen, inside = os.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env={"TERM": "dumb", "HOME": str(folder), "LC_ALL": "C", **env},
            start_new_session=True,
        )
        os.close(inside)

    def send(self, text):
        os.write(self.screen, text.encode())

    def wait_for(self, path, seconds=60):
        """The lines of a file, once its last one says that it is complete."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.screen], [], [], 0.02)[0]:
                os.read(self.screen, 65536)  # a full terminal would stop the shell
            lines = path.read_text().splitlines() if path.exists() else []
            if lines and lines[-1] == "complete":
                path.unlink()
                return lines[:-1]
        raise AssertionError("the shell did not answer")

    def run(self, line):
        """Runs one line and waits for its end."""
        self.send(f"{line}; echo complete > .answer\r")
        self.wait_for(self.folder / ".answer")

    def completed(self, typed):
        """The words of the line after a tab; the shell splits them as it always does."""
        self.send(f"{typed}\t")
        # To the beginning of the line, and what to do with it; to the end, and what to do then.
        self.send("\x01say \x05; echo complete >> .answer\r")
        return self.wait_for(self.folder / ".answer")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.screen)


SAY = "say() { printf '%s\\n' \"$@\" > .answer; }"


@pytest.fixture
def bash_keyboard(program, folder):
    env = {"PATH": f"{program.parent}:/usr/bin:/bin", "PS1": "$ "}
    keyboard = Keyboard(["bash", "--norc", "--noprofile", "-i"], folder, env)
    keyboard.run(SAY)
    keyboard.run("source <(redoubt completion bash)")
    yield keyboard
    keyboard.close()


CASES_FOR_BOTH = [
    ("redoubt tr", ["redoubt", "train"]),
    ("redoubt train --no", ["redoubt", "train", "--norm"]),
    ("redoubt train --norm li", ["redoubt", "train", "--norm", "linf"]),
    ("redoubt train --method=ro", ["redoubt", "train", "--method=ro-svm"]),
    ("redoubt train bcw:te", ["redoubt", "train", "bcw:test"]),
    ("redoubt train --test=bcw:te", ["redoubt", "train", "--test=bcw:test"]),
    ("redoubt train hea", ["redoubt", "train", "heart"]),
    ("redoubt certify mod", ["redoubt", "certify", "model.json"]),
    ("redoubt train my", ["redoubt", "train", "my data.csv"]),
    ("redoubt train bcw --model res", ["redoubt", "train", "bcw", "--model", "results/"]),
    ("redoubt train bcw --checkpoint=mod", ["redoubt", "train", "bcw", "--checkpoint=model.json"]),
    ("redoubt train --radius mod", ["redoubt", "train", "--radius", "mod"]),
    ("redoubt xyz", ["redoubt", "xyz"]),
]


def test_bash_at_the_keyboard(bash_keyboard):
    for typed, words in CASES_FOR_BOTH:
        assert bash_keyboard.completed(typed) == words


# Notes down what is really offered: calls with -O, -A or -D only ask.
SPY = r"""
compadd() {
    builtin compadd "$@"
    local code=$? argument
    local -a offers
    for argument; do
        [[ $argument == (-|--) ]] && break
        [[ $argument == -[OAD]* ]] && return code
    done
    builtin compadd -O offers "$@"
    print -rl -- $offers >> .offers
    return code
}
offer() {
    : > .offers
    zle complete-word
    zle kill-buffer
    print complete >> .offers
}
zle -N offer
bindkey '^O' offer
"""


@pytest.fixture
def zsh(program, folder):
    """zsh with the script as an autoloaded function, in its bare state."""
    path = shutil.which("zsh")
    if path is None:
        assert "REDOUBT_REQUIRE_ZSH" not in os.environ, "zsh is required but not installed"
        pytest.skip("zsh is not installed")
    functions = folder / ".functions"
    functions.mkdir()
    script = subprocess.run(
        [program, "completion", "zsh"], capture_output=True, text=True, check=True
    ).stdout
    (functions / "_redoubt").write_text(script)
    (folder / ".spy").write_text(SPY)
    env = {"PATH": f"{program.parent}:/usr/bin:/bin"}
    keyboard = Keyboard([path, "-f", "-i"], folder, env)
    keyboard.run(SAY)
    keyboard.run("bindkey -e; setopt no_beep no_auto_remove_slash; LISTMAX=10000")
    keyboard.run("fpath=($PWD/.functions $fpath); autoload -U compinit; compinit -u -D")

    def offers(line):
        keyboard.send(f"{line}\x0f")
        lines = keyboard.wait_for(folder / ".offers")
        return {line.replace("\\ ", " ").rstrip("/=") for line in lines if line}

    keyboard.offers = offers
    yield keyboard
    keyboard.close()


def test_zsh_at_the_keyboard(zsh):
    for typed, words in CASES_FOR_BOTH:
        assert zsh.completed(typed) == words, typed


def test_zsh_offers(zsh, redoubt):
    zsh.run("source ./.spy")
    assert zsh.offers("redoubt ") == commands_of(redoubt)
    assert zsh.offers("redoubt train --norm ") == NORMS
    assert zsh.offers("redoubt train bcw --method=") == METHODS
    assert zsh.offers("redoubt completion ") == {"bash", "zsh"}
    assert zsh.offers("redoubt train bcw --radius ") == set()
    assert zsh.offers("redoubt train bcw --label ") == set()
    assert zsh.offers("redoubt train bcw -- ") == set()
    files = {"model.json", "my data.csv", "gauss.csv", "results"}
    assert zsh.offers("redoubt train ") == bundled_of(redoubt) | files
    assert zsh.offers("redoubt train --test ") == bundled_of(redoubt) | files
    assert zsh.offers("redoubt certify ") == files
    assert zsh.offers("redoubt certify model.json bcw --out ") == files
    for command in commands_of(redoubt):
        assert zsh.offers(f"redoubt {command} --") == options_of(redoubt, command)
    left = options_of(redoubt, "train") - {"--norm"}
    assert zsh.offers("redoubt train bcw --norm l2 --") == left


def test_zsh_script_can_be_sourced(zsh, program, folder):
    shutil.rmtree(folder / ".functions")
    zsh.run("unfunction _redoubt; source <(redoubt completion zsh)")
    assert zsh.completed("redoubt train --norm li") == ["redoubt", "train", "--norm", "linf"]


def test_scripts_are_the_same_every_time(redoubt):
    for shell in ("bash", "zsh"):
        run = redoubt("completion", shell)
        assert (run.code, run.err) == (0, "")
        assert run.out == redoubt("completion", shell).out
