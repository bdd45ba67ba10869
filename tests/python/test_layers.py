"""Every part of the package uses only the parts below it."""

import ast
from pathlib import Path

import redoubt

PACKAGE = Path(redoubt.__file__).parent
# From the bottom to the top.
PARTS = [
    *("_core", "_sklearn_private", "_typing", "_checks", "datasets", "_attack_models", "_tables"),
    *("_pipelines", "_models", "_certificates"),
    *("_batches", "_estimators", "metrics", "model_selection", "displays", "_streams", "stream"),
    *("_scale", "scale", "dask", "__init__"),
]


def imported_parts(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "redoubt":
            names = [f"redoubt.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("redoubt."))


def test_parts_use_only_what_is_below_them():
    sources = [path for path in PACKAGE.rglob("*.py") if "report" not in path.parts]
    assert len(sources) > 30
    for path in sources:
        part = path.relative_to(PACKAGE).with_suffix("").parts[0]
        for other in imported_parts(path):
            assert PARTS.index(other) <= PARTS.index(part), f"{path}: {other}"


def private_names_of_sklearn(path):
    """What a source imports from scikit-learn that is not public: from a private module, or by a private name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            for alias in node.names:
                if "._" in node.module or alias.name.startswith("_"):
                    yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("sklearn") and "._" in alias.name)


def test_private_names_of_sklearn_are_in_one_module():
    found = {path.name: set(private_names_of_sklearn(path)) for path in PACKAGE.rglob("*.py")}
    assert {name for name, private in found.items() if private} == {"_sklearn_private.py"}
    assert "sklearn.utils._safe_indexing" in found["_sklearn_private.py"]
