"""The tables of docs/pipelines.md: everyday pipelines, each fitted and certified, or refused; and the
classes of scikit-learn that redoubt reads, from its readers.

`python docs/what_can_be_certified.py` writes them; a test checks that they are up to date.
"""

import warnings
from pathlib import Path

import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  (always in the list)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import all_estimators

import redoubt
from redoubt._models.linear_model import READERS
from redoubt._pipelines import READABLE, REFUSED

PAGE = Path(__file__).parent / "pipelines.md"
LOANS = Path(__file__).parents[1] / "examples" / "loans.csv"
TABLES = "everyday", "table"

# --- everyday pipelines ---------------------------------------------------------------------------

NUMBERS, TEXTS = ["income", "debt", "years"], ["job", "home"]
STEPS = {
    "numbers": make_pipeline(SimpleImputer(), StandardScaler()),
    "texts": OneHotEncoder(handle_unknown="ignore"),
}
STEPS["columns"] = make_column_transformer((STEPS["numbers"], NUMBERS), (STEPS["texts"], TEXTS))
#: In front of a classifier, on which part of the data, and the classifier, all as one writes them.
EVERYDAY = (
    ("StandardScaler()", "full", "LogisticRegression()"),
    ("StandardScaler()", "full", "LinearSVC()"),
    ("StandardScaler()", "full", 'SVC(kernel="linear")'),
    ("columns", "table", "LogisticRegression()"),
    ("columns", "table", "RidgeClassifier()"),
    ("columns", "table", "SGDClassifier()"),
    ("make_column_transformer((numbers, NUMBERS), (OrdinalEncoder(), TEXTS))", "table", "LogisticRegression()"),
    ("make_column_transformer((numbers, NUMBERS), (TargetEncoder(), TEXTS))", "table", "LogisticRegression()"),
    ("make_column_transformer((KBinsDiscretizer(4), ['years']), (texts, TEXTS))", "table", "LogisticRegression()"),
    ("columns, SelectKBest(k=4)", "table", "LogisticRegression()"),
    ("columns, VarianceThreshold(0.01)", "table", "LinearSVC()"),
    ("numbers, PCA(2)", "numbers", "LogisticRegression()"),
    ("columns", "table", 'GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]})'),
    ("columns", "table", "TunedThresholdClassifierCV(LogisticRegression())"),
    ("columns", "table", "CalibratedClassifierCV(LinearSVC(), ensemble=False)"),
    ("columns", "table", "OneVsRestClassifier(LogisticRegression())"),
    ("columns", "table", 'VotingClassifier([("a", LogisticRegression()), ("b", LinearSVC()), ("c", RidgeClassifier())])'),
    ("columns", "table", "BaggingClassifier(LinearSVC())"),
    ("numbers", "numbers", "AdaBoostClassifier()"),
    ("CountVectorizer()", "messages", "MultinomialNB()"),
    ("TfidfVectorizer(norm=None)", "messages", "LinearSVC()"),
    ("TfidfVectorizer()", "messages", "LinearSVC()"),
    ("columns", "table", "CalibratedClassifierCV(LinearSVC())"),
    ("columns", "table", "BaggingClassifier(LogisticRegression())"),
    ("columns", "table", 'VotingClassifier([("a", LogisticRegression())], voting="soft")'),
    ("numbers, PolynomialFeatures()", "numbers", "LogisticRegression()"),
    ("SimpleImputer(), PowerTransformer()", "numbers", "LogisticRegression()"),
    ("KNNImputer(), StandardScaler()", "numbers", "LogisticRegression()"),
    ("numbers", "numbers", "GaussianNB()"),
    ("columns", "table", "RandomForestClassifier()"),
    ("numbers", "numbers", "KNeighborsClassifier()"),
    ("numbers", "numbers", 'SVC(kernel="rbf")'),
)


def everyday_data():
    """The parts of the data by name, and the labels."""
    loans = pd.read_csv(LOANS)
    table, numbers = loans[NUMBERS + TEXTS], loans[NUMBERS]
    messages = [f"{job} who lives in {home}" for job, home in zip(loans.job, loans.home)]
    full = numbers.fillna(0.0)
    return {"table": table, "numbers": numbers, "full": full, "messages": messages}, loans.approved


def try_everyday(steps, part, classifier, parts, labels):
    """Fit the pipeline and certify 50 rows; None if that works, or else what redoubt says."""
    known = globals() | dict(all_estimators()) | STEPS
    model = eval(f"make_pipeline({steps}, {classifier})", known)
    X = parts[part]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, labels)
    try:
        result = redoubt.certify(model, X[:50], labels[:50], norm="l1")
    except (TypeError, ValueError) as error:
        return str(error)
    assert set(result.status) <= {"optimal", "rounding"}
    return None


def everyday_table():
    parts, labels = everyday_data()
    lines = ["| in front | classifier | certified |", "|---|---|---|"]
    for steps, part, classifier in EVERYDAY:
        message = try_everyday(steps, part, classifier, parts, labels)
        verdict = "yes"
        if message is not None:  # without its list of all that is supported
            verdict = "no: " + message.removeprefix("model: ").partition("; supported are ")[0]
        lines.append(f"| `{steps}` | `{classifier}` | {verdict} |")
    return "\n".join(lines)


# --- classes --------------------------------------------------------------------------------------


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
    """The page with its tables as they should be."""
    page = PAGE.read_text()
    for name, made in zip(TABLES, (everyday_table(), table())):
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        head, rest = page.split(begin)
        page = f"{head}{begin}\n\n{made}\n\n{end}{rest.split(end)[1]}"
    return page


if __name__ == "__main__":
    PAGE.write_text(written())
