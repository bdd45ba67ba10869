"""redoubt card: a page about a model, in HTML and in Markdown."""

import gzip
import hashlib
import re
from html.parser import HTMLParser

import pytest

TABLE = "size,age,kind\n" + "".join(
    f"{i % 7 - 3 + (i % 2) * 2},{i % 5},{'<b>&|x' if i % 2 else 'plain_one'}\n" for i in range(60)
)


class Page(HTMLParser):
    """Tags must be closed in the order in which they were opened; collects tables and links."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text, self.tables, self.addresses = [], set(), "", [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.addresses += [value for name, value in attributes if name in ("href", "src")]
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def table(self, first_head):
        (found,) = [table for table in self.tables if table[0][0] == first_head]
        return found


def facts(page):
    return {row[0]: row[1] for table in page.tables if table[0] == ["what", "value"] for row in table}


@pytest.fixture(scope="module")
def run(redoubt_in, tmp_path_factory):
    folder = tmp_path_factory.mktemp("card")
    (folder / "points.csv").write_text(TABLE)
    run = redoubt_in(folder)
    run.folder = folder
    train = run("train", "points.csv", "--method", "svm-ens", "--planes", 3, "--model", "m.json")
    assert train.code == 0, train.err
    return run


@pytest.fixture(scope="module")
def card(run):
    """A card with its curve given in any order of radii."""
    done = run("card", "m.json", "points.csv", "--out", "card.html", "--radii", "0.5,0,1",
               "--note", "For <tests> only.")  # fmt: skip
    assert (done.code, done.out) == (0, ""), done.err
    return Page((run.folder / "card.html").read_text(encoding="utf-8"))


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_hashes_are_those_of_the_files(run, card):
    hashes = [row[1] for table in card.tables for row in table if row[0] == "SHA-256"]
    assert hashes == [hash_of(run.folder / "m.json"), hash_of(run.folder / "points.csv")]


def test_the_curve_is_that_of_evaluate(run, card):
    rows = run("evaluate", "m.json", "points.csv", "--radii", "0.5,0,1", "--format", "csv").rows()
    heads, *shown = card.table("radius")
    names = {"balanced accuracy": "balanced_accuracy", "balanced ceiling": "balanced_ceiling"}
    for line, row in zip(shown, rows, strict=True):
        for head, text in zip(heads, line, strict=True):
            value = float(row[names.get(head, head)])
            expected = value if head == "radius" else 100 * value
            assert float(text.removesuffix(" %")) == pytest.approx(expected, abs=0.00501), head
    assert f"{round(100 * float(rows[0]['constant']), 2):g} % (balanced 50 %)" in card.text


def test_answers_are_counted_by_class(run, card):
    report = run("evaluate", "m.json", "points.csv", "--format", "json").json()
    heads, *shown = card.table("label")
    assert heads == ["label", "rows", "right", "answered '<b>&|x'", "answered 'plain_one'"]
    for line, row in zip(shown, report["confusion"], strict=True):
        counts = [row["answered:<b>&|x"], row["answered:plain_one"]]
        assert [line[0], int(line[1]), *map(int, line[3:])] == [row["label"], sum(counts), *counts]
        right = row[f"answered:{row['label']}"] / sum(counts)
        assert float(line[2].removesuffix(" %")) == pytest.approx(100 * right, abs=0.00501)


def test_the_page_stands_alone(card):
    assert card.addresses
    assert all(address.startswith("#") for address in card.addresses)
    assert "b" not in card.seen
    assert "tests" not in card.seen
    assert "For <tests> only." in card.text
    assert "were in the training data" in card.text
    assert "no proof file was given" in card.text


def test_rules_are_told_in_words(run):
    done = run("card", "m.json", "points.csv", "--increase-only", "age", "--format", "html")
    page = Page(done.out)
    assert "age" in page.text.split("What the adversary may do")[2]
    assert "There is no ceiling: only known for a plain ball." in page.text
    assert "ceiling" not in page.table("radius")[0]


def test_markdown_says_the_same(run, card):
    text = run("card", "m.json", "points.csv", "--radii", "0.5,0,1").out
    assert text.startswith("# Model card: m.json\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "The model", "The data", "What the adversary may do", "Accuracy under attack",
        "Answers by class", "Limits", "Proofs",
    ]  # fmt: skip
    # Cells end at bars that are not escaped.
    lines = [line for line in text.splitlines() if re.match(r"\| (?!:?--)", line)]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    plain = [[re.sub(r"\\(.)", r"\1", cell).strip() for cell in row] for row in cells]
    for first in ("label", "radius"):
        expected = card.table(first)
        start = plain.index(expected[0])
        assert plain[start : start + len(expected)] == expected
    assert "<" not in re.sub(r"\\.", "", text)


def test_proofs_are_checked(run):
    made = run("certify", "m.json", "points.csv", "--proof", "proofs.jsonl", "--out", "radii.csv")
    assert made.code == 0
    done = run("card", "m.json", "points.csv", "--proof", "proofs.jsonl", "--format", "html")
    assert done.code == 0
    shown = facts(Page(done.out))
    assert shown["radii proven in exact arithmetic"] == "60"
    assert shown["radii refused"] == "0"
    assert hash_of(run.folder / "proofs.jsonl") in done.out


def test_refused_proofs_are_told(run):
    lines = (run.folder / "proofs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    wrong = re.sub('"radius":"[^"]*"', '"radius":"0x1p+40"', lines[1])
    data = "".join([lines[0], wrong, *lines[2:]]).encode()
    (run.folder / "wrong.jsonl.gz").write_bytes(gzip.compress(data))
    done = run("card", "m.json", "points.csv", "--proof", "wrong.jsonl.gz", "--format", "html")
    assert done.code == 1
    assert "warning: 1 proof of wrong.jsonl.gz refused" in done.err
    assert facts(Page(done.out))["radii refused"] == "1"


def test_proofs_must_be_about_the_model(run):
    run("train", "points.csv", "--model", "other.json")
    done = run("card", "other.json", "points.csv", "--proof", "proofs.jsonl", "--out", "no.html")
    assert done.code == 2
    assert "the proofs are about another model file" in done.err
    assert not (run.folder / "no.html").exists()


def test_several_classes(run):
    table = "a,b,kind\n" + "".join(f"{i % 9},{(i * i) % 7},{'xyz'[i % 3]}\n" for i in range(90))
    (run.folder / "three.csv").write_text(table)
    run("train", "three.csv", "--model", "three.json")
    done = run("card", "three.json", "three.csv", "--format", "html")
    assert done.code == 0, done.err
    page = Page(done.out)
    assert [row[0] for row in page.table("label")] == ["label", "x", "y", "z"]
    assert "There is no ceiling: only known for two classes." in page.text


def test_bundled_and_piped_data_have_no_hash(run):
    run("train", "bcw:train", "--model", "bcw.json")
    text = run("card", "bcw.json", "bcw:test").out
    assert "none: the data come with redoubt" in text
    piped = run("card", "m.json", "-", stdin=TABLE).out
    assert "not known: it came from standard input" in piped
