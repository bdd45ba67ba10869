"""An argument of a wrong type is answered in one sentence that names it."""

import numpy as np
import pytest
import redoubt
from redoubt import datasets

X, Y = (values[::10] for values in datasets.load("gaussian")[:2])
MODEL = redoubt.LinearSVMClassifier().fit(X, Y)
NORMS = "norm: expected 'l1', 'l2', 'linf' or 'l0', got"

# What is called, and what it says.
MISTAKES = [
    (lambda: redoubt.certify(MODEL, X, Y, norm=2), f"{NORMS} 2"),
    (lambda: redoubt.certify(MODEL, X, Y, norm=np.inf), f"{NORMS} inf"),
    (lambda: redoubt.certify(MODEL, X, Y, norm="l3"), f"{NORMS} 'l3'"),
    (lambda: redoubt.attack(MODEL, X, Y, 1, norm=2), f"{NORMS} 2"),
    (lambda: redoubt.explain(MODEL, X[0], norm=2), f"{NORMS} 2"),
    (lambda: redoubt.worst_expected_accuracy(MODEL, X, Y, [0.1], norm=2), f"{NORMS} 2"),
    (lambda: redoubt.accuracy_ceiling(X, Y, [0.1], norm=2), f"{NORMS} 2"),
    (lambda: redoubt.RobustSVMClassifier(norm=2).fit(X, Y), f"{NORMS} 2"),
    (lambda: redoubt.RobustEnsembleClassifier(norm=2).fit(X, Y), f"{NORMS} 2"),
    (lambda: redoubt.CollaborativeEnsembleClassifier(norm=2).fit(X, Y), f"{NORMS} 2"),
    (
        lambda: redoubt.RobustSVMClassifier().fit(X, Y, radius="x"),
        "radius: expected a number or 'auto', got 'x'",
    ),
    (
        lambda: redoubt.attack(MODEL, X, Y, "x"),
        "radius: expected a number or a list of numbers, got 'x'",
    ),
    (
        lambda: redoubt.accuracy_ceiling(X, Y, "x"),
        "attack_radii: expected a number or a list of numbers, got 'x'",
    ),
    (
        lambda: redoubt.attack_curve(redoubt.certify(MODEL, X, Y), Y, "x"),
        "attack_radii: expected a number or a list of numbers, got 'x'",
    ),
    (
        lambda: redoubt.attack(MODEL, X, Y, 1, adversary=1),
        "adversary: expected 'exact', 'relaxed' or 'heuristic', got 1",
    ),
    (
        lambda: redoubt.attack(MODEL, X, Y, 1, rule=1),
        "rule: expected 'corrected' or 'published', got 1",
    ),
    (
        lambda: redoubt.certify(MODEL, X, Y, solver=1),
        "solver: expected 'native', 'mip' or 'enumerate', got 1",
    ),
    (
        lambda: redoubt.certify(MODEL, X, Y, max_nodes="x"),
        "max_nodes: expected an integer, got 'x'",
    ),
    (
        lambda: redoubt.certify(MODEL, X, Y, max_seconds="x"),
        "max_seconds: expected a number, got 'x'",
    ),
    (
        lambda: redoubt.explain(MODEL, X[0], ranges="all"),
        "ranges: expected 'training' or None, got 'all'",
    ),
    (
        lambda: redoubt.AttackModel(frozen=2.5),
        "frozen: expected names or numbers of features, got 2.5",
    ),
    (lambda: redoubt.AttackModel(bounds=3), "bounds: expected pairs (low, high), got 3"),
    (lambda: datasets.load(3), "name: expected a text, got 3"),
    (lambda: datasets.published_split(3), "name: expected a text, got 3"),
    (
        lambda: datasets.read("x.csv", missing=3),
        "missing: expected 'error', 'drop' or 'median', got 3",
    ),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES, ids=lambda value: None)
def test_wrong_type(call, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,l\nred,x\n1,x\n2,y\n",
            "expected a number, found 'red' in column 'a'; one_hot=True turns text into 0/1 columns",
        ),
        (
            "a,l\n,x\n1,x\n2,y\n",
            (
                "expected a number, found a missing value '' in column 'a'; missing='drop' leaves "
                "out such rows, missing='median' fills them in"
            ),
        ),
        (
            "a,l\n1,x\n1,y\n2,z\n",
            (
                "expected two classes in the label column 'l', found 3: 'x', 'y', 'z'; two values "
                "are in 'a', so perhaps label='a'"
            ),
        ),
    ],
)
def test_reading_names_the_cure(tmp_path, text, message):
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(redoubt.ParseError) as caught:
        datasets.read(path)
    assert str(caught.value).endswith(": " + message)
    assert str(caught.value).startswith(str(path))


def test_stray_texts_are_categories_if_the_column_is_named(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("a,l\n" + "".join(f"{i % 3},{i % 2}\n" for i in range(20)) + "n.a.,1\n")
    with pytest.raises(redoubt.ParseError, match=r":22:1: .* 'n\.a\.' .* text_columns=\['a'\]$"):
        datasets.read(path, one_hot=True)
    data = datasets.read(path, text_columns=["a"])
    assert data.feature_names == ["a=0", "a=1", "a=2", "a=n.a."]
