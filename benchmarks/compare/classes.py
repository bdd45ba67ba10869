"""More than two classes: Ens-C with its defaults beside one-against-the-rest, and what certificates cost."""

import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

import redoubt

from .measure import table, timed

TABLES = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
SPLITS = {"iris": 20, "wine": 20, "digits": 5}
#: Further splits of the table where the difference is within its noise, fixed before they were tried.
AGAIN, MANY_SPLITS, OTHER_SEED = "wine", 60, 100
MOST_SCALES = 3  # that the radius of one point counts for
N_PLANES = 15
N_TIMED = 120  # points that are certified one by one


def split(name, seed):
    """Standardised: training and test part, with labels."""
    X, y = TABLES[name](return_X_y=True)
    cut = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    train, test = next(cut.split(X, y))
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def models(seed):
    return {
        "SVM": redoubt.LinearSVMClassifier(),
        "RO-SVM, auto": redoubt.RobustSVMClassifier(radius="auto"),
        "Ens-C": redoubt.CollaborativeEnsembleClassifier(random_state=seed),
    }


def compete(name, n_splits, first_seed=0):
    """{model: rows of (balanced accuracy, mean radius in scales)}."""
    results = {}
    for seed in range(n_splits):
        X, y, X_test, y_test = split(name, first_seed + seed)
        scale = None
        for label, model in models(seed).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(X, y)
            if scale is None:
                scale = np.median(np.abs(redoubt.certify(model, X, y, norm="l2").lower))
            radius = redoubt.certify(model, X_test, y_test, norm="l2").lower / scale
            found = (
                100 * balanced_accuracy_score(y_test, model.predict(X_test)),
                np.clip(radius, -MOST_SCALES, MOST_SCALES).mean(),
            )
            results.setdefault(label, []).append(found)
            print(f"{name} split {seed} {label}: {found}", file=sys.stderr)
    return {label: np.array(rows) for label, rows in results.items()}


def verdict(results):
    """Is Ens-C as accurate as RO-SVM within one standard error, and more robust?"""
    ours, theirs = results["Ens-C"], results["RO-SVM, auto"]
    behind = theirs[:, 0] - ours[:, 0]
    error = behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else 0.0
    word = "reached" if behind.mean() <= error else "**missed**"
    more = ours[:, 1].mean() - theirs[:, 1].mean()
    return [f"{behind.mean():.1f} ± {error:.1f} behind: {word}",
            f"{more:+.2f}: {'reached' if more > 0 else '**missed**'}"]  # fmt: skip


def certify_digits(norm, quick):
    """One row of the table of costs: all test points at once, and some of them one by one."""
    X, y, X_test, y_test = split("digits", 0)
    model = redoubt.BaggedSVMClassifier(n_planes=N_PLANES, C=0.01, random_state=0).fit(X, y)
    if quick:
        X_test, y_test = X_test[:40], y_test[:40]
    cost, found = timed(lambda: redoubt.certify(model, X_test, y_test, norm=norm))
    right = found.prediction == y_test
    each = []
    for x, label in zip(X_test[:N_TIMED], y_test[:N_TIMED], strict=True):
        began = time.process_time()
        redoubt.certify(model, x[None], [label], norm=norm)
        each.append(time.process_time() - began)
    proven = found.status == "optimal"
    share = cost.cpu / cost.clock  # of the processor that this process had
    ms = 1000 * np.array(found.solve_seconds) * min(1.0, share)
    return [norm, len(y_test), f"{np.mean(proven[right]):.1%}", f"{np.mean(proven[~right]):.1%}",
            f"{np.median(ms[right]):.2f}", f"{np.median(ms):.2f}", f"{1000 * cost.cpu / len(y_test):.2f}",
            f"{ms.max():.0f}", f"{1000 * np.median(each):.2f}"]  # fmt: skip


def scores(name, results):
    """A row for each model."""
    return [
        [name, label,
         *(f"{values[:, c].mean():.{2 - (c == 0)}f} ± {values[:, c].std():.{2 - (c == 0)}f}" for c in (0, 1))]
        for label, values in results.items()
    ]  # fmt: skip


def report(quick):
    names = ["iris", "wine"] if quick else list(TABLES)
    rows, summary = [], []
    for name in names:
        results = compete(name, 2 if quick else SPLITS[name])
        rows += scores(name, results)
        summary.append([name, *verdict(results)])
    n_again = 2 if quick else MANY_SPLITS
    again = compete(AGAIN, n_again, OTHER_SEED)
    rows += [[f"{AGAIN}, {n_again} further splits", *cells] for _, *cells in scores(AGAIN, again)]
    summary.append([f"{AGAIN}, {n_again} further splits", *verdict(again)])
    costs = [certify_digits(norm, quick) for norm in (["l2"] if quick else ["l2", "l1", "linf"])]
    return "\n\n".join([
        "## Ens-C and one plane per class",
        table(["data", "model", "balanced accuracy", "mean signed radius, in scales"], rows),
        "Target: balanced accuracy of Ens-C within one standard error (of paired differences) of RO-SVM's, or above, and a larger mean radius.",
        table(["data", "balanced accuracy", "radius"], summary),
        f"## Certificates of {N_PLANES} planes for each of ten digits",
        "Bags of SVMs (C = 0.01). Milliseconds of processor time a point: medians of the right answers and of all, the mean, and the slowest, of one call with all points; and the median of calls with one point, which prepare the planes each time. Target: all points proven, median at most 2 ms in l2.",
        table(["norm", "points", "right answers proven", "wrong ones", "median, right", "median", "mean", "slowest", "alone"], costs),
    ])  # fmt: skip
