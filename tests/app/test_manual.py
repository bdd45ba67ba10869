"""The manual page: complete, and without a fault in its markup."""

import os
import re
import shutil
import subprocess

import pytest

SECTIONS = [
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "COMMANDS",
    "OPTIONS",
    "EXIT STATUS",
    "ENVIRONMENT",
    "EXAMPLES",
    "SEE ALSO",
]


@pytest.fixture
def page(redoubt):
    run = redoubt("man")
    assert (run.code, run.err) == (0, "")
    return run.out


@pytest.fixture
def rendered(page):
    """What a reader sees, without bold and underlines; groff must not complain."""
    if shutil.which("groff") is None:
        assert "REDOUBT_REQUIRE_GROFF" not in os.environ, "groff is required but not installed"
        pytest.skip("groff is not installed")
    run = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=200n"],
        input=page,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    return re.sub(r".\x08", "", run.stdout)


def test_sections(page, redoubt):
    assert re.findall(r"^\.SH (.*)$", page, flags=re.MULTILINE) == SECTIONS
    version = redoubt("--version").out.split()[1]
    assert page.startswith(f'.TH REDOUBT 1 "" "redoubt {version}" "User Commands"\n')


def test_every_line_is_text_or_a_known_request(page):
    known = r"\.(TH|SH|SS|TP|PP|RS|RE|nf|fi|br|nh|ad)( |$)"
    for line in page.splitlines():
        assert line
        assert not line.startswith("'")
        assert not line.startswith(".") or re.match(known, line), line
        # A bare one would be printed as a hyphen or a curly quote.
        assert not re.search(r"(?<!\\)-|'|`|~|\^", line), line


def test_every_command_with_all_its_options(rendered, redoubt):
    text = " ".join(rendered.split())
    names = re.findall(r"^  ([\w-]+)  ", redoubt("--help").out.partition("Commands:")[2], re.MULTILINE)
    assert "train" in names
    for name, following in zip(names, [*names[1:], "OPTIONS"], strict=True):
        usage = re.search(r"^Usage: (.*)$", redoubt(name, "--help").out, re.MULTILINE)[1]
        assert usage in text
        section = rendered.partition("COMMANDS\n")[2]
        section = re.split(rf"^ *{name}$", section, maxsplit=1, flags=re.MULTILINE)[1]
        section = re.split(rf"^ *{following}$", section, maxsplit=1, flags=re.MULTILINE)[0]
        help_text = redoubt(name, "--help").out.partition("Examples:")[0]
        options = re.findall(r"^  (--\S+)", help_text, flags=re.MULTILINE)
        shown = re.findall(r"^ +(--\S+)", section, flags=re.MULTILINE)
        assert shown == options
        arguments = help_text.partition("Arguments:\n")[2].partition("\n\n")[0]
        for argument in re.findall(r"^  ([A-Z]+)", arguments, flags=re.MULTILINE):
            assert re.search(rf"^ +{argument} ", section, flags=re.MULTILINE)


def test_choices_defaults_and_groups(rendered):
    assert "--method svm|ro-svm|svm-ens|ens-e|ens-r|ens-h|ens-c\n" in rendered
    assert "--norm l1|l2|linf|l0\n" in rendered
    assert "(default: ro-svm)" in rendered
    assert re.search(r"^ +Reading files:$", rendered, flags=re.MULTILINE)
    assert "REDOUBT_HIGHS" in rendered


def test_every_example_of_the_help_can_be_pasted_from_the_page(rendered, redoubt):
    page_examples = rendered.partition("EXAMPLES\n")[2]
    names = re.findall(r"^  ([\w-]+)  ", redoubt("--help").out.partition("Commands:")[2], re.MULTILINE)
    for name in names:
        lines = redoubt(name, "--help").out.partition("Examples:\n")[2].splitlines()
        assert lines
        for line in lines[1::2]:
            assert re.search(rf"^ +{re.escape(line.strip())}$", page_examples, re.MULTILINE), line


def test_man_reads_the_page(page, rendered):
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    run = subprocess.run(
        ["man", "-l", "-"], input=page, capture_output=True, text=True, check=True, timeout=60
    )
    assert "REDOUBT(1)" in run.stdout
    assert run.stderr == ""
