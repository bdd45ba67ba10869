"""What README and the pages say: examples run, links lead somewhere, numbers are those of the reports."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import redoubt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REPORTS = ROOT / "benchmarks" / "results"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(DOCS.glob("*.md")),
    *sorted(REPORTS.glob("*.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "data", "reproduction", "tests/fuzz")),
]


def page_name(path):
    return str(path.relative_to(ROOT))


def blocks_of(path):
    """(language, text) of the fenced blocks of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


# --- examples ---------------------------------------------------------------------------------


def environment():
    """Where `redoubt` and `python` are those of this Python."""
    return os.environ | {
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent), os.environ["PATH"]])
    }


def run_shell(text, folder):
    run = subprocess.run(
        ["bash", "-e", "-c", text], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(DOCS.glob("start_*.md")), ids=lambda path: path.stem)
def test_pages_for_newcomers(page, tmp_path, monkeypatch, capsys):
    """Read from top to bottom, as a newcomer types them; what they print is what the page shows."""
    if page.stem == "start_beyond_memory":
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "examples" / "loans.csv", tmp_path)
    names, printed = {}, ""
    blocks = blocks_of(page)
    assert any(language == "python" for language, _ in blocks)
    for language, text in blocks:
        if language == "python":
            exec(text, names)
            printed = capsys.readouterr().out
            assert printed
        elif language == "sh":
            if "model.json" in text and not (tmp_path / "model.json").exists() and "model" in names:
                redoubt.save_model(names["model"], "model.json")
            run_shell(text, tmp_path)
        elif language == "text":
            assert printed == text
    assert {"python", "sh", "text"} >= {language for language, _ in blocks}


@pytest.mark.slow
def test_shell_examples_of_the_readme(tmp_path):
    (first, *_) = [text for language, text in blocks_of(ROOT / "README.md") if language == "sh"]
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "loans.csv", tmp_path / "examples")
    printed = run_shell(first, tmp_path)
    assert "Accuracy under attack" in printed
    assert "unless" in printed
    assert len((tmp_path / "radii.csv").read_text().splitlines()) == 401


@pytest.mark.slow
def test_the_readme_shows_what_the_demo_prints(tmp_path):
    commands = re.findall(r"show \"?(redoubt (?:train|evaluate)[^\"\n]*)", (ROOT / "dev").read_text())
    assert len(commands) == 2
    printed = [run_shell(command, tmp_path) for command in commands][1]
    assert "62.14" in printed
    table = printed[printed.index("Accuracy under attack") :].strip().splitlines()
    shown = [line.strip() for line in (ROOT / "README.md").read_text().splitlines()]
    for line in table[:14]:
        assert line.strip() in shown
    share = {radius: float(accuracy) / 100 for radius, accuracy, *_ in map(str.split, table[2:14])}
    sentence = (DOCS / "certificates.md").read_text().partition("## A sentence for the report")[2]
    right, safe = round(140 * share["0"]), round(140 * share["1"])
    for words in (f"{right} were answered correctly", f"For {safe} of them", f"({share['1']:.0%} of", f"other {140 - safe} "):
        assert words.replace("%", " %") in sentence, words


def test_the_search_of_the_page_is_that_of_the_library(capsys):
    names = {}
    code, example = (text for language, text in blocks_of(DOCS / "algorithms.md") if language == "python")
    exec(code, names)
    exec(example, names)
    assert capsys.readouterr().out == re.search(r"# (.*)", example)[1] + "\n"
    for seed in range(25):
        rng = np.random.default_rng(seed)
        k, n = int(rng.integers(1, 8)), int(rng.integers(1, 5))
        W, b, x = rng.normal(size=(k, n)), rng.normal(size=k), rng.normal(size=n)
        margins = W @ x + b
        answer = 1 if 2 * np.count_nonzero(margins >= 0) >= k else -1
        need = k // 2 + 1 if answer > 0 else (k + 1) // 2
        found = names["search"](-answer * W, answer * margins, need)[0]
        radius = redoubt.certify(redoubt.Ensemble(W, b), [x]).radius[0]
        assert found == pytest.approx(radius, rel=1e-7)


# --- links ------------------------------------------------------------------------------------


def anchors_of(path):
    """The names that headings get, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = set()
    for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "")
        kept = (c for c in plain.lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
        found.add("".join(kept).strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_no_paragraph_is_cut_in_two(page):
    """Markdown takes a line that begins with a comment, and has text behind it, for a block of its own."""
    assert not re.findall(r"^ *<!--.*-->.+$", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        if name.startswith("reports/"):  # a copy of the reports, in the site
            name = f"../benchmarks/results/{name.removeprefix('reports/')}"
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors_of(there), f"{page.name}: {target}"


# --- numbers ----------------------------------------------------------------------------------

NUMBER = r"(?<![\w.,^-])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
MARKER = re.compile(r"<!-- from: (\S+\.md): (.*?) -->(.*?)(?=<!--|\||\n\n|$)", re.DOTALL)


def numbers_in(text):
    """The numbers of a text, with how many digits each shows after the point."""
    for written in re.findall(NUMBER, text):
        plain = written.rstrip(",").replace(",", "")
        yield float(plain), len(plain.partition("e")[0].partition(".")[2])


def rows_of(report, words):
    """The lines of a report that have all the words, in cells of their own if they are numbers."""
    for line in report.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if all(word in cells or (word in line and not word[0].isdigit()) or f"{word}:" in line for word in words):
            yield line


def is_said(value, digits, line, words):
    """Whether a number of the line, or of what it was looked up by, rounds to this one."""
    known = [number for number, _ in numbers_in(line + " " + " ".join(words))]
    # 10 for 9.8: a number without a point is rounded to the digits that are not zeros.
    unit = 10.0**-digits
    while digits == 0 and value and unit < 1000 and value % (10 * unit) == 0:
        unit *= 10
    return any(abs(number - value) <= 0.5001 * unit for number in known)


MARKED = [
    (page, *found.groups())
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
    for found in MARKER.finditer(page.read_text())
]


@pytest.mark.parametrize(("page", "report", "row", "text"), MARKED, ids=lambda value: str(value)[-30:])
def test_numbers_are_those_of_the_reports(page, report, row, text):
    words = row.split(" / ")
    lines = list(rows_of((REPORTS / report).read_text(), words))
    assert lines, f"{page.name}: {report} has no row with {words}"
    numbers = list(numbers_in(re.sub(r"\b(?:l[12]|[A-Z]\w*\(\d+\))", "", re.sub(r"\]\(.*?\)", "", text))))
    assert numbers, f"{page.name}: nothing to check in {text!r}"
    for value, digits in numbers:
        allowed = [line for line in lines if is_said(value, digits, line, words)]
        assert allowed, f"{page.name}: {value:g} is not in {report}, row {row}:\n" + "\n".join(lines)


def test_the_table_of_defaults():
    """Cells such as `98.8 / 1.01` are the accuracy and the radius of the report."""
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in (DOCS / "choosing.md").read_text().splitlines()
        if line.startswith("|")
    ]
    heads = next(row for row in rows if row[0] == "data")
    report = (REPORTS / "defaults.md").read_text()
    checked = 0
    for row in rows:
        for method, cell in zip(heads[1:], row[1:], strict=False):
            if re.fullmatch(r"[\d.]+ / [\d.]+", cell):
                accuracy, radius = cell.split(" / ")
                pattern = rf"^\| {re.escape(row[0])} \| {re.escape(method)} \| {accuracy} ± .* \| {radius} ± "
                assert re.search(pattern, report, re.MULTILINE), f"{row[0]}, {method}: {cell}"
                checked += 1
    assert checked >= 32


MEASURED = r"\d[\d.,]*\s*(?:%|µs|us|ns|ms|microseconds|MB|MiB|GB|times|seconds|minutes)(?!\w)"

#: Definitions, limits and examples: not measured.
NOT_MEASURED = {
    "README.md": ["The best classifier that always gives one answer"],  # the demo's, see above
    "algorithms.md": ["less than 5 % of the smoothing error", "eps/2 times", "at most 15 % of the", "8 times as many"],
    "certificates.md": ["Of 140 samples that were not used"],
    "formats.md": ["at most 512 times", "256 MiB", "more than 40 times", "16 MiB"],
    "program.md": ["in blocks of 4 MB", "less than 40 % of the points"],
    # How much is kept; an estimate; the data of the awkward cases, whose results the report has.
    "scale.md": ["**Memory** of the training process", "**Extrapolation**", "**Convergence tests**"],
    "second_opinions.md": ["10,000 times the largest distance"],
    "stumps.md": ["5 % of its range"],  # the page's own example
}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=page_name)
def test_measured_numbers_have_a_source(page):
    """Every measured number is marked with its row in a report; the reproduction has a test of its own."""
    if page.stem == "reproduction":
        return
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", MARKER.sub("", text)):
        plain = " ".join(paragraph.split())
        if not any(words in plain for words in NOT_MEASURED.get(page.name, ())):
            assert not re.search(MEASURED, plain), plain


# --- versions ---------------------------------------------------------------------------------


def test_supported_versions():
    """The table in CONTRIBUTING.md, pyproject.toml, the workflow and the wheels speak of the same versions."""
    rows = dict(re.findall(r"^\| (\S+) \| ([\d.]+) \| [\d.x]+ \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    assert {"Python", "NumPy", "scikit-learn"} <= set(rows)
    settings = (ROOT / "pyproject.toml").read_text()
    assert f'requires-python = ">={rows["Python"]}"' in settings
    assert f'dependencies = ["numpy>={rows["NumPy"]}", "scikit-learn>={rows["scikit-learn"]}"]' in settings
    oldest = f"cp{rows['Python'].replace('.', '')}"
    wheels = re.search(r'^build = "(.*)"$', settings, re.MULTILINE)[1].split()
    assert wheels[0] == f"{oldest}-*"
    newest = re.search(r"^\| Python \| [\d.]+ \| ([\d.]+) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)[1]
    assert wheels[-1] == f"cp{newest.replace('.', '')}-*"
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    for python in (rows["Python"], newest):
        assert f'python: "{python}"' in workflow
    assert f"numpy=={rows['NumPy']}.*" in workflow
    assert f"scikit-learn=={rows['scikit-learn']}." in workflow
