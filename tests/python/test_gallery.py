"""Every page of the gallery runs without a complaint, prints its numbers and draws its pictures."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = DOCS / "gallery"
PNG = b"\x89PNG\r\n\x1a\n"

# Per page: the pictures, and numbers that its prose relies on, as a pattern with one group, the
# value when it was written, and how far other versions of scikit-learn may be from it.
PAGES = {
    "train_and_certify": (
        ["radius_histogram.png", "boundary.png"],
        [
            (r"SVM +95.0% .* ([\d.]+)%\n", 30.7, 0.0),
            (r"vote of 15 +95.7% .* ([\d.]+)%\n", 72.9, 0.0),
            (r"vote of 15 +\{'optimal': (\d+)\}", 140, 0),
            (r"answer \+1, distance ([\d.]+)", 0.0617, 0.0),
            (r"answer after the move (.1)\n", -1, 0),
        ],
    ),
    "certify_my_own_model": (
        ["radius_histogram.png", "attack_curve.png"],
        [
            (r"accuracy on 205 new samples: ([\d.]+)%", 96.1, 0.5),
            (r"half a point does to each score: (\d+) of 205", 191, 2),
            (r"before: benign   after: (malignant)", "malignant", 0),
            (r"linf +median distance +([\d.]+)", 2.06, 0.05),
            (r"no classifier beats .* ([\d.]+)%\n", 98.5, 0.0),
        ],
    ),
    "choose_a_radius": (
        ["defence_heatmap.png", "growth_bcw.png", "growth_digits3.png"],
        [
            (r"best: ([\d.]+)", 0.75, 0.25),
            (r"greatest gain ([\d.]+) points", 42.2, 1.0),
            (r"digits3: attack radius 1, one plane .*, 25 planes ([\d.]+)%", 83.9, 1.0),
            (r"cross-validation 94.6%, test ([\d.]+)%", 93.7, 0.5),
        ],
    ),
    "read_an_attack_curve": (
        ["attack_curve.png", "balanced_attack_curve.png", "attack_curve_with_bands.png"],
        [
            (r"vote of 15 +plain 98.6%, useless from radius ([\d.]+)", 1.60, 0.05),
            (r"SVM +at radius 1: accuracy 63.3%, balanced ([\d.]+)%", 53.5, 0.0),
            (r"vote of 15 +radius 0: 96.[5-9]% +radius 2: ([\d.]+)%", 73.0, 1.0),
        ],
    ),
    "real_attackers": (
        ["attack_curves.png", "radius_histogram.png"],
        [
            (r"accuracy on 90 new patients: ([\d.]+)%", 82.2, 0.0),
            (r"any move +82.2% .* ([\d.]+)% +0.0% +0.0%\n", 57.8, 1.2),
            (r"real moves +82.2% .* ([\d.]+)% +[\d.]+%\n", 73.3, 1.2),
            (r"stays so below radius ([\d.]+)\n", 1.3026, 0.0002),
            (r"\n  Vessels +1 +(\d) ", 0, 0),
            (r"after the cheapest attack: (healthy)\n", "healthy", 0),
            (r"off by 1 x its error: ([\d.]+)%", 59.6, 1.1),
            (r"radii of the others: \[-inf +(inf)\]", "inf", 0),
        ],
    ),
    "explain_a_loan": (
        ["attack_curve.png"],
        [
            (r"accuracy on 200 new applications: ([\d.]+)%", 83.0, 0.6),
            (r"proven: (\d+)%", 100, 0),
            (r"answers that changed: (\d+)%", 100, 0),
            (r"purpose changes from 'travel' to '(car)'", "car", 0),
            (r"\n  amount +18100 +- +([\d.]+) ", 15956.2, 20.0),
            (r"after the change: (granted)\n", "granted", 0),
        ],
    ),
    "spam_filter": (
        ["attack_curve.png"],
        [
            (r"robust SVM +accuracy on 1673 new messages: ([\d.]+)%", 98.3, 0.2),
            (r"\nSVM +words to get a caught spam through: median ([\d.]+)", 1.5, 0.1),
            (r"robust SVM +words to get a caught spam through: median ([\d.]+)", 4.1, 0.2),
            (r"unless (88066) falls by", "88066", 0),
            (r"words to add: median ([\d.]+)", 3.2, 0.2),
        ],
    ),
    "words_to_add": (
        ["words_to_add.png"],
        [
            (r"\nSVM +words to add to a caught spam: median ([\d.]+)", 4, 1),
            (r"Sec-SVM +words to add to a caught spam: median ([\d.]+)", 8, 1),
            (r"monotone +.* no words suffice for (\d+)%", 100, 0),
            (r"budget hinge +words to add to a caught spam: median ([\d.]+)", 31, 6),
        ],
    ),
    "from_csv_to_report": (
        ["attack_curve.png"],
        [
            (r"rows: 154   largest difference: ([\d.e-]+)", 0.0, 0.0),
            (r"Always giving the same answer is right for ([\d.]+)%", 62.3, 0.0),
            (r"\| 0 \| ([\d.]+)% \|", 76.0, 0.0),
            (r"\| 0.5 \| ([\d.]+)% \|", 55.2, 0.0),
            (r"glucose ([\d.]+)", 31.3, 0.0),
        ],
    ),
}


def test_every_page_is_tested():
    assert {path.stem for path in GALLERY.glob("*.py")} == set(PAGES)


def test_pages_do_without_the_name_of_their_file():
    """The site and notebooks run them where there is no `__file__`."""
    for path in GALLERY.glob("*.py"):
        assert not re.search(r"(?<![\"'])__file__", path.read_text()), path.name


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path):
    program = os.environ.get("REDOUBT_PROGRAM", Path(sys.prefix, "bin", "redoubt"))
    path = os.pathsep.join([str(Path(program).parent), os.environ.get("PATH", "")])
    run = subprocess.run(
        [sys.executable, "-W", "error", GALLERY / f"{page}.py"],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg", "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")

    pictures, numbers = PAGES[page]
    assert sorted(path.name for path in tmp_path.glob("*.png")) == sorted(pictures)
    for picture in pictures:
        content = (tmp_path / picture).read_bytes()
        assert content.startswith(PNG)
        assert len(content) > 10_000, "a picture with nothing in it"
    for pattern, value, tolerance in numbers:
        found = re.search(pattern, run.stdout)
        assert found, f"{pattern} is not in\n{run.stdout}"
        if isinstance(value, str):
            assert found[1] == value
        else:
            assert float(found[1]) == pytest.approx(value, abs=tolerance + 1e-9)
    if page == "from_csv_to_report":
        check_report(tmp_path)


def check_report(folder):
    """What the page hands on: a report with a table and the picture, and a row per patient."""
    report = (folder / "report.md").read_text()
    assert "![Accuracy under attack](attack_curve.png)" in report
    assert len(re.findall(r"^\| [\d.]+ \| [\d.]+% \|$", report, re.MULTILINE)) == 5
    certificates = (folder / "certificates.csv").read_text().splitlines()
    assert certificates[0].startswith("row,label,prediction,radius,lower,upper,status")
    assert len(certificates) == 1 + 154


def test_examples_of_the_page_about_certificates(tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "certificates.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "certificates.md", None, 0)
    failures = []
    doctest.DocTestRunner().run(test, out=failures.append)
    assert not failures, "".join(failures)
    assert (tmp_path / "certificate.png").read_bytes().startswith(PNG)


def test_example_of_the_front_page(capsys):
    text = (DOCS / "index.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(block, {})
    assert re.match(
        r"<Certificates: 683 points, norm linf, raw units, .*>\n0\.9", capsys.readouterr().out
    )


def test_examples_of_the_readme(capsys, monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    text = (DOCS.parent / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec("\n".join(blocks), {})  # one after the other, as a reader types them
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[2].startswith("0.95")
    for line in (*lines[:2], lines[-1]):
        assert " ".join(text.split()).count(line) == 1
