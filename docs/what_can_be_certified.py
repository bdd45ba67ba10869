"""The table of docs/pipelines.md: the classes of scikit-learn that redoubt reads, from its readers.

`python docs/what_can_be_certified.py` writes it; a test checks that it is up to date.
"""

from pathlib import Path

import sklearn
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  (always in the list)
from sklearn.utils import all_estimators

from redoubt._models.linear_model import READERS
from redoubt._pipelines import READABLE, REFUSED

PAGE = Path(__file__).parent / "pipelines.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def _as_tuple(kinds):
    return kinds if isinstance(kinds, tuple) else (kinds,)


def rows():
    """(classes, role, note), one row per reader; classes by name."""
    transformers = dict(all_estimators("transformer")) | dict(all_estimators())
    classifiers = dict(all_estimators("classifier")) | dict(all_estimators())
    taken, found = set(), []
    for kinds, known, role, note in [
        *((each.kinds, transformers, "step", each.note) for each in READABLE),
        *((_as_tuple(kinds), classifiers, "classifier", note) for kinds, _, note in READERS),
    ]:
        names = sorted(
            name
            for name, kind in known.items()
            if issubclass(kind, kinds) and (role, name) not in taken
        )
        taken |= {(role, name) for name in names}
        found.append((names, role, note))
    return found


def table():
    lines = [f"With scikit-learn {'.'.join(sklearn.__version__.split('.')[:2])}:", ""]
    for role, title in (("step", "Steps"), ("classifier", "Classifiers")):
        lines += [f"| {title} | conditions |", "|---|---|"]
        for names, kind, note in rows():
            if kind == role and names:
                lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {note} |")
        lines.append("")
    lines += ["| Refused | because it |", "|---|---|"]
    lines += [f"| `{name}` | {reason} |" for name, reason in sorted(REFUSED.items())]
    return "\n".join(lines)


def written():
    """The page with the table as it should be."""
    head, rest = PAGE.read_text().split(BEGIN)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(written())
