"""--help, and the messages about a command line that was refused."""

import re
import subprocess

import pytest

PATIENTS = "age,size,diagnosis\n" + "".join(
    f"{40 + 7 * i % 30},{1.5 + i % 5},{'sick' if (i % 5) > 2 else 'well'}\n" for i in range(40)
)


def commands_of(redoubt):
    """The commands with their descriptions, as the program lists them."""
    section = redoubt("--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^  (\S+) +(\S.*)$", section, flags=re.MULTILINE))


def examples_of(redoubt, command):
    """The pairs of purpose and command line at the end of a help page."""
    lines = redoubt(command, "--help").out.partition("Examples:\n")[2].splitlines()
    assert len(lines) % 2 == 0
    assert all(line.startswith("  # ") for line in lines[::2])
    return [(lines[i][4:], lines[i + 1].strip()) for i in range(0, len(lines), 2)]


def test_the_program_lists_its_commands(redoubt):
    run = redoubt("--help")
    assert (run.code, run.err) == (0, "")
    assert "Usage: redoubt COMMAND [arguments] [options]\n" in run.out
    assert {"attack", "certify", "completion", "datasets", "man", "train"} <= set(
        commands_of(redoubt)
    )
    assert "  -h, --help              Print this help and exit\n" in run.out
    assert "Exit code: 0 " in run.out


def test_every_command_has_a_page_of_80_columns(redoubt):
    for command in ("", *commands_of(redoubt)):
        run = redoubt(*filter(None, [command]), "--help")
        assert (run.code, run.err) == (0, "")
        assert f"\nUsage: redoubt {command or 'COMMAND'}" in run.out
        assert redoubt(*filter(None, [command]), "-h").out == run.out
        text = run.out.partition("Examples:\n")[0]
        assert [line for line in text.splitlines() if len(line) > 80] == []
        # What the parser calls its types is no help to anybody.
        assert re.findall(r"\b(TEXT|FLOAT|UINT|INT|REQUIRED)\b", text) == []


def test_options_show_what_they_take(redoubt):
    text = redoubt("train", "--help").out
    assert "\nUsage: redoubt train DATA [options]\n" in text
    for line in (
        r"  --norm l1\|l2\|linf\|l0    .*",
        r"  --radii NUMBER,\.\.\.      .*",
        r"  --model FILE            .*",
        r"  --test DATA             .*",
        r"  --method METHOD         .*",
        r"  --resume                .*",
        r"  --planes INTEGER        .*",
        r"  --scale standard\|minmax\|maxabs\|none",
    ):
        assert re.search(rf"^{line}$", text, flags=re.MULTILINE), line
    flat = " ".join(text.split())
    assert "(default: ro-svm)" in flat
    assert "(default: 15)" in flat
    assert "(default: 0,0.1,0.2," in flat
    assert "redoubt attack MODEL DATA [options]\n" in redoubt("attack", "-h").out


@pytest.fixture
def shell(program, tmp_path):
    """A folder with the files of the examples, and bash with the program in reach."""
    (tmp_path / "patients.csv").write_text(PATIENTS)

    def run(line):
        return subprocess.run(
            ["bash", "-c", f"set -o pipefail\n{line}"],
            cwd=tmp_path,
            env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.slow
def test_every_command_has_two_examples_that_work(redoubt, shell, tmp_path):
    for command in commands_of(redoubt):
        examples = examples_of(redoubt, command)
        assert len(examples) >= 2, command
        for purpose, line in examples:
            assert purpose
            assert f"redoubt {command}" in line
            if "man -l" in line or "completion zsh" in line:  # test_manual, test_completion
                continue
            # The examples about patients and about bundled data have a model each.
            data = "patients.csv" if "patients.csv" in line else "bcw:train"
            model = redoubt("train", data, "--method", "svm-ens", "--model", "model.json")
            assert model.code == 0, model.err
            run = shell(line)
            assert run.returncode == 0, (line, run.stderr)
            for path in tmp_path.iterdir():
                if path.name != "patients.csv" and path.is_file():
                    path.unlink()


# --- refused command lines --------------------------------------------------------------------

UNKNOWN_OPTIONS = [
    # One edit of each kind.
    (["train", "bcw", "--raduis", "1"], "--raduis", "train", "did you mean '--radius'?"),
    (["train", "bcw", "--radiu", "1"], "--radiu", "train", "did you mean '--radius'?"),
    (["train", "bcw", "--radiuss", "1"], "--radiuss", "train", "did you mean '--radius'?"),
    (["train", "bcw", "--rodius", "1"], "--rodius", "train", "did you mean '--radius'?"),
    # Two edits are near enough in a word of six letters, three are not.
    (["train", "bcw", "--rodiuss", "1"], "--rodiuss", "train", "did you mean '--radius'?"),
    (["train", "bcw", "--rotiuzz"], "--rotiuzz", "train", "'redoubt train --help' lists them"),
    (["train", "bcw", "--raduis=1"], "--raduis", "train", "did you mean '--radius'?"),
    (["train", "bcw", "--c", "1"], "--c", "train", "did you mean '--C'?"),
    (["train", "bcw", "--Norm", "l1"], "--Norm", "train", "did you mean '--norm'?"),
    (["train", "bcw", "--norm:l1"], "--norm", "train", "did you mean '--norm'?"),
    (["train", "bcw", "-norm", "l1"], "-norm", "train", "did you mean '--norm'?"),
    (["train", "bcw", "--one_hot"], "--one_hot", "train", "did you mean '--one-hot'?"),
    # Only one option begins like this.
    (["train", "bcw", "--check", "f"], "--check", "train", "did you mean '--checkpoint'?"),
    (["train", "bcw", "--ch", "f"], "--ch", "train", "'redoubt train --help' lists them"),
    (["train", "bcw", "--bogus"], "--bogus", "train", "'redoubt train --help' lists them"),
    (["train", "bcw", "-r"], "-r", "train", "'redoubt train --help' lists them"),
    (["train", "bcw", "--=1"], "--=1", "train", "'redoubt train --help' lists them"),
    (["train", "bcw", "---"], "---", "train", "'redoubt train --help' lists them"),
    # Options of other commands.
    (["train", "bcw", "--witness"], "--witness", "train", "it is an option of 'redoubt certify'"),
    (
        ["train", "bcw", "--witnes"],
        "--witnes",
        "train",
        "did you mean '--witness' of 'redoubt certify'?",
    ),
    (["train", "bcw", "--version"], "--version", "train", "it is an option of 'redoubt'"),
    # What is missing matters less than what is there.
    (["train", "--raduis", "1"], "--raduis", "train", "did you mean '--radius'?"),
    (["attack", "m", "d", "--raduis", "1"], "--raduis", "attack", "did you mean '--radius'?"),
    (["datasets", "--bogus"], "--bogus", "datasets", "'redoubt datasets --help' lists them"),
]


@pytest.mark.parametrize(("arguments", "option", "command", "advice"), UNKNOWN_OPTIONS)
def test_unknown_options(redoubt, arguments, option, command, advice):
    run = redoubt(*arguments)
    message = f"redoubt: {option}: unknown option of 'redoubt {command}'; {advice}\n"
    assert (run.code, run.out, run.err) == (2, "", message)


def test_an_option_of_several_commands_names_them(redoubt):
    run = redoubt("datasets", "--norm", "l2")
    assert run.code == 2
    names = re.findall(r"'redoubt (\S+)'", run.err.partition("; it is an option of ")[2])
    assert {"attack", "certify", "train"} <= set(names)
    assert run.err.endswith(f" and 'redoubt {names[-1]}'\n")


def test_options_of_the_program(redoubt):
    run = redoubt("--vresion")
    message = "redoubt: --vresion: unknown option of 'redoubt'; did you mean '--version'?\n"
    assert (run.code, run.out, run.err) == (2, "", message)
    run = redoubt("--norm", "l2", "train", "bcw")
    assert (run.code, run.err) == (2, "redoubt: --norm: belongs after 'train'\n")


@pytest.mark.parametrize(
    ("arguments", "word", "advice"),
    [
        ([], None, ""),
        (["tarin", "bcw"], "tarin", "; did you mean 'train'?"),
        (["Train", "bcw"], "Train", "; did you mean 'train'?"),
        (["tarin", "bcw", "--norm", "l2"], "tarin", "; did you mean 'train'?"),
        (["cert"], "cert", "; did you mean 'certify'?"),
        (["xyz"], "xyz", ""),
        (["bcw", "train"], "bcw", ""),
    ],
)
def test_unknown_commands(redoubt, arguments, word, advice):
    names = [f"'{name}'" for name in commands_of(redoubt)]
    known = f"{', '.join(names[:-1])} or {names[-1]}"
    got = "nothing" if word is None else f"'{word}'{advice}"
    run = redoubt(*arguments)
    assert (run.code, run.out, run.err) == (
        2,
        "",
        f"redoubt: command: expected {known}, got {got}\n",
    )


OTHER_MISTAKES = [
    # Arguments and options that are missed.
    (["train"], "'redoubt train': DATA is missing"),
    (["certify"], "'redoubt certify': MODEL is missing"),
    (["certify", "model.json"], "'redoubt certify': DATA is missing"),
    (["attack", "m", "d"], "--radius: specify --radius or --radius-column"),
    (["attack", "m", "d", "0.5"], "'redoubt attack': unexpected '0.5' after MODEL and DATA"),
    (["completion"], "'redoubt completion': SHELL is missing"),
    # Surplus arguments.
    (["train", "bcw", "a"], "'redoubt train': unexpected 'a' after DATA"),
    (["train", "bcw", "a", "b"], "'redoubt train': unexpected 'a' and 'b' after DATA"),
    (["certify", "m", "d", "x"], "'redoubt certify': unexpected 'x' after MODEL and DATA"),
    (["train", "--", "bcw", "--norm"], "'redoubt train': unexpected '--norm' after DATA"),
    (
        ["train", "bcw", "radius", "0.5"],
        "'redoubt train': unexpected 'radius' and '0.5' after DATA; did you mean '--radius'?",
    ),
    (["man", "x"], "'redoubt man': takes no arguments, got 'x'"),
    # Values that are missed, or too many.
    (["train", "bcw", "--norm"], "--norm: expected a value, got nothing"),
    (["train", "bcw", "--norm="], "--norm: expected a value, got nothing"),
    (["train", "bcw", "--radii"], "--radii: expected a value, got nothing"),
    (["train", "bcw", "--norm", "l1", "--norm"], "--norm: expected a value, got nothing"),
    (["train", "bcw", "--norm", "l1", "--norm", "l2"], "--norm: given 2 times; specify it once"),
    (["train", "bcw", "--norm=l1", "--norm=l1", "--norm=l1"], "--norm: given 3 times; specify it once"),
    (
        ["train", "bcw", "--radius", "--norm", "l2"],
        "--radius: expected a value, got the option '--norm'",
    ),
    (
        ["train", "bcw", "--model", "--resume"],
        "--model: expected a value, got the option '--resume'",
    ),
    (
        ["train", "bcw", "--model", "--norm=l2"],
        "--model: expected a value, got the option '--norm'",
    ),
    (["train", "bcw", "--one-hot=maybe"], "--one-hot: takes no value, got 'maybe'"),
    # Values of the wrong kind.
    (["completion", "fish"], "SHELL: expected 'bash' or 'zsh', got 'fish'"),
    (["train", "bcw", "--norm", ""], "--norm: expected 'l1', 'l2', 'linf' or 'l0', got ''"),
    (["train", "bcw", "--threads", "010"], "--threads: expected an integer >= 0, got '010'"),
    (["train", "bcw", "--threads", "08"], "--threads: expected an integer >= 0, got '08'"),
    (["train", "bcw", "--threads", "0x2"], "--threads: expected an integer >= 0, got '0x2'"),
]


@pytest.mark.parametrize(("arguments", "message"), OTHER_MISTAKES)
def test_other_mistakes(redoubt, arguments, message):
    run = redoubt(*arguments)
    assert (run.code, run.out, run.err) == (2, "", f"redoubt: {message}\n")


def test_a_number_may_be_a_bare_zero(redoubt):
    assert redoubt("train", "bcw", "--threads", "0", "--radius", "0.10").code == 0
