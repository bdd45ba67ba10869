"""python -m redoubt.report.ten_digits DIR: the experiment with all ten digits, which is our own.

The paper asks of its digits only whether they are a 3, or a 7. Here all ten are classes. Splits are
random, four fifths for training, class by class, as in `redoubt reproduce --splits`; features are
standardised by the training part, within which RO-SVM and Ens-C choose their radius. Accuracy under
attack follows from exact certificates.
"""

import argparse
import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

import redoubt

ATTACK_RADII = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2)
COLUMNS = (
    "dataset norm method attack_radius accuracy_mean accuracy_deviation balanced_mean "
    "balanced_deviation constant_mean"
).split()


def contestants(seed):
    """The methods by the names of the report: one plane per class, and votes of 15 per class."""
    return {
        "SVM-Ens": redoubt.BaggedSVMClassifier(n_planes=15, C=0.01, random_state=seed),
        "RO-SVM": redoubt.RobustSVMClassifier(radius="auto"),
        "Ens-H": redoubt.RobustEnsembleClassifier(
            radius=0.5, adversary="heuristic", n_planes=15, C=0.01
        ),
        "Ens-C": redoubt.CollaborativeEnsembleClassifier(random_state=seed),
    }


def certified_curves(seed, n_rows=None):
    """{method: (accuracy, balanced accuracy) in percent}, and the share of the most frequent digit."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:n_rows], y[:n_rows]
    cut = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    train, test = next(cut.split(X, y))
    scaler = StandardScaler().fit(X[train])
    curves = {}
    for name, model in contestants(seed).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one digit against nine is not always linear
            model.fit(scaler.transform(X[train]), y[train])
        found = redoubt.certify(model, scaler.transform(X[test]), y[test], norm="l2")
        curve = redoubt.attack_curve(found, y[test], ATTACK_RADII)
        curves[name] = 100 * np.array([curve.accuracy, curve.balanced_accuracy])
    return curves, 100 * np.bincount(y[test]).max() / len(test)


def summary(runs):
    """Rows of the file: means and deviations over the splits."""
    rows = []
    constant = np.mean([share for _, share in runs])
    for name in runs[0][0]:
        values = np.array([curves[name] for curves, _ in runs])
        mean = values.mean(axis=0)
        deviation = values.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros_like(mean)
        for at, radius in enumerate(ATTACK_RADII):
            numbers = (mean[0, at], deviation[0, at], mean[1, at], deviation[1, at], constant)
            texts = [f"{number:.4g}" for number in numbers]
            rows.append(["digits10", "l2", name, f"{radius:g}", *texts])
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m redoubt.report.ten_digits",
        description="Certified accuracy on all ten digits, for the page of `python -m redoubt.report "
        "DIR`.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="gets ten_digits.csv")
    parser.add_argument("--splits", type=int, default=5, help="random splits; default: 5")
    parser.add_argument("--rows", type=int, help="only so many rows of the data")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        print(f"redoubt.report: {options.folder}: no such folder", file=sys.stderr)
        return 2
    rows = summary([certified_curves(seed, options.rows) for seed in range(options.splits)])
    path = options.folder / "ten_digits.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
