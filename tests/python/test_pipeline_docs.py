"""The page about pipelines says what the readers do."""

import importlib.util
import re
from pathlib import Path

import sklearn
from redoubt._models.linear_model import READERS
from redoubt._pipelines import READABLE

DOCS = Path(__file__).parents[2] / "docs"


def load_script():
    spec = importlib.util.spec_from_file_location("certified", DOCS / "what_can_be_certified.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_the_table_is_that_of_the_readers():
    """Other versions of scikit-learn have other classes; the readers are the same."""
    script = load_script()
    page = (DOCS / "pipelines.md").read_text()
    version = re.search(r"^With scikit-learn (\S+):$", page, re.MULTILINE)[1]
    if sklearn.__version__.startswith(f"{version}."):
        assert page == script.written()
    notes = re.findall(r"^\| `.*` \| (.*) \|$", page, re.MULTILINE)
    for note in [each.note for each in READABLE] + [note for _, _, note in READERS]:
        assert note in notes


def test_every_reader_of_steps_is_tried():
    tried = "".join(
        (Path(__file__).parent / name).read_text()
        for name in ("test_pipeline_steps.py", "random_pipelines.py")
    )
    for reader in READABLE:
        names = [kind.__name__ for kind in reader.kinds if kind.__name__ != "SelectorMixin"]
        for name in names:
            assert re.search(rf"\b{name}\(", tried), name
