"""Spam filters against added words: detection at 1 % false positives, exact best responses."""

import contextlib
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

import redoubt
from redoubt import _core

from .measure import table
from .wide import _words

BUDGETS = (0, 1, 5, 10, 25, 50, 100)
MAX_FPR = 0.01
SPLITS = 5
#: Shares of the messages that choose thresholds and settings, and that are tested on.
VALIDATION, TEST = 0.25, 0.25
REGULARIZATION = (0.3, 1.0, 3.0)
BOXES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
HINGE_BUDGETS = (1, 5, 10, 25)
GAP = 1e-2
PASSES = 300
#: Votes: planes, spam messages of each test part, and seconds for the best response to one.
N_PLANES, N_SPAM, LIMIT = 15, 60, 0.1
#: Words that Ens-E, Ens-R, Ens-H and Ens-C are trained to withstand; passes of Ens-C.
VOTE_BUDGET, EPOCHS = 5, 3
#: The adversary of each and its planes: what the exact one must search grows with every plane (the
#: ninth takes twenty times as long as the fifth).
ROBUST_VOTES = {
    "Ens-E": ("exact", 7),
    "Ens-R": ("relaxed", N_PLANES),
    "Ens-H": ("heuristic", N_PLANES),
}
#: A budget from which the budget hinge must stand beside the best baseline...
FROM = 5
#: ... and this many times the noise above the SVM and Sec-SVM.
FAR_AHEAD = 2.0


def report(quick):
    splits = 1 if quick else SPLITS
    with ProcessPoolExecutor(min(splits, os.cpu_count() or 1)) as pool:
        found = list(pool.map(_split, range(splits), [quick] * splits))
    planes, means, spreads = _summary([each for each, _ in found])
    votes, *_ = _summary([each for _, each in found])
    budgets = list(map(str, BUDGETS))
    return "\n\n".join(
        [
            "## Detection against added words",
            f"SMS words, present or not. {splits} splits into training (50 %), validation (25 %) and "
            f"test (25 %), the same for all. The threshold of each filter is that of at most "
            f"{100 * MAX_FPR:g} % false positives on the validation part "
            "(`redoubt.operating_point`). Each entry is the share of the spam of the test part, in "
            "percent, that is still caught after the spammer has added the given number of words, "
            "whichever suit him best: for one plane that is a sort, and exact. Mean and standard "
            "deviation over the splits. Settings (the regulariser, the box, the budget of the hinge) "
            "are those of most detection on the validation part, on average over all numbers of "
            "words. The last columns: false positives on the test part in percent, processor "
            "seconds of one training, settings that were chosen.",
            table(["filter", *budgets, "false positives", "seconds", "settings"],
                  [[name, *cells] for name, cells in planes.items()]),
            "## Votes",
            f"The same for votes of {N_PLANES} planes, each trained on rows drawn with "
            "replacement, with the settings of the single plane. The vote takes the least quota of "
            "planes with at most as many false positives on the validation part, either of the planes as "
            "trained or of planes that are first shifted to that rate one by one, whichever detects "
            f"more there. Best responses to the first {N_SPAM} spam messages of a part come "
            'from `certify` with `norm="l0"`, and are exact; '
            f"\"open\" is the share of messages, in percent, where {LIMIT:g} s left a bracket: "
            "an entry counts what is proven. Processor seconds are those of all planes; the last "
            "columns: milliseconds of a certificate, mean and longest, and the quotas. Ens-E, Ens-R, "
            f"Ens-H and Ens-C are trained on all rows of the training part, against {VOTE_BUDGET} "
            'added words with `norm="l0"`: the first three from the plane of the budget hinge, Ens-C '
            f"from the plain SVM in {EPOCHS} passes. Ens-E has {ROBUST_VOTES['Ens-E'][1]} planes, as each "
            "further one takes its exact adversary about twice as long.",
            table(["vote of", *budgets, "false positives", "seconds", "open", "ms", "longest",
                   "quotas"], [[name, *cells] for name, cells in votes.items()]),
            "## Targets",
            _targets(list(planes), means, spreads),
        ]
    )  # fmt: skip


def _summary(splits):
    """By filter: the cells of its row, the mean detection and its deviation."""
    rows, means, spreads = {}, {}, {}
    for name in splits[0]:
        detection = 100 * np.array([each[name].detection for each in splits])
        means[name] = detection.mean(axis=0)
        spreads[name] = detection.std(axis=0, ddof=1) if len(splits) > 1 else 0 * means[name]
        fpr = 100 * np.mean([each[name].fpr for each in splits])
        seconds = np.mean([each[name].seconds for each in splits])
        cells = [f"{m:.1f} ± {s:.1f}" for m, s in zip(means[name], spreads[name], strict=True)]
        searches = [each[name].search for each in splits if each[name].search]
        if searches:
            still_open, ms, longest = np.array(searches).T
            search = [f"{still_open.mean():.1f}", f"{ms.mean():.2f}", f"{longest.max():.0f}"]
        else:
            search = []
        chosen = ", ".join(dict.fromkeys(each[name].settings for each in splits))
        rows[name] = [*cells, f"{fpr:.2f}", f"{seconds:.2f}", *search, chosen]
    return rows, means, spreads


# --- Filters -----------------------------------------------------------------------------------


class Found(NamedTuple):
    """One filter on one split."""

    detection: np.ndarray
    fpr: float
    seconds: float
    settings: str
    #: Of a vote: percent open, mean and longest ms.
    search: tuple | None = None


def adding(n):
    """Words come, and do not go; only spam attacks."""
    each = list(range(n))
    return redoubt.AttackModel(
        "l0", bounds=(0, 1), integer=each, increase_only=each, attacking_class=1.0
    )


def _candidates(n, quick):
    """Per filter: (settings in words, unfitted classifier)."""
    strengths = REGULARIZATION[1:2] if quick else REGULARIZATION
    boxes = BOXES[2:4] if quick else BOXES
    rules = adding(n)

    def boxed(rho, bounds):
        return redoubt.RobustSVMClassifier(
            radius=0, regularization=rho, weight_bounds=bounds, tol=GAP, max_iter=PASSES
        )

    def hinge(rho, budget):
        return redoubt.RobustSVMClassifier(
            radius=budget, regularization=rho, attack_model=rules, tol=GAP, max_iter=PASSES
        )

    return {
        "SVM": [
            (f"rho {rho:g}", redoubt.LinearSVMClassifier(C=1 / rho, tol=1e-4)) for rho in strengths
        ],
        "Sec-SVM (two-sided box)": [
            (f"rho {rho:g} c {c:g}", boxed(rho, (-c, c))) for rho in strengths for c in boxes
        ],
        "one-sided box": [
            (f"rho {rho:g} c {c:g}", boxed(rho, (-c, None))) for rho in strengths for c in boxes
        ],
        "monotone": [(f"rho {rho:g}", boxed(rho, (0, None))) for rho in strengths],
        "budget hinge": [
            (f"rho {rho:g} a {a}", hinge(rho, a)) for rho in strengths for a in HINGE_BUDGETS
        ],
    }


def _robust_votes(data, first):
    """Votes whose planes are trained one after the other, from the plane of the budget hinge."""
    X, y, train, *_ = data
    codes = (y[train] > 0).astype(int)
    rules = adding(X.shape[1]).resolve(X.shape[1], [-1.0, 1.0]).for_labels(X[train], codes)
    for name, (adversary, n_planes) in ROBUST_VOTES.items():
        began = time.process_time()
        found = _core.train_robust_ensemble(
            X[train], y[train], np.array([float(VOTE_BUDGET)]), adversary=adversary,
            n_planes=n_planes, tolerance=GAP, attack_model=rules,
            first_plane=_core.Ensemble(first.coef_, first.intercept_),
        )  # fmt: skip
        vote = found.ensemble
        yield name, judged_vote(vote.coef, vote.intercept, data, time.process_time() - began)


def _collaborative(n, seed):
    # One word more: a radius of a + 1 withstands a words.
    return redoubt.CollaborativeEnsembleClassifier(
        radius=VOTE_BUDGET + 1, n_planes=N_PLANES, n_epochs=EPOCHS, attack_model=adding(n),
        random_state=seed,
    )  # fmt: skip


def _split(seed, quick):
    words = _words()
    X, y = csr_matrix((words.X > 0).astype(float)), words.y
    rest, test = train_test_split(np.arange(len(y)), test_size=TEST, stratify=y, random_state=seed)
    train, valid = train_test_split(
        rest, test_size=VALIDATION / (1 - TEST), stratify=y[rest], random_state=seed
    )
    data = X, y, train, valid, test
    planes, votes = {}, {}
    for name, candidates in _candidates(X.shape[1], quick).items():
        best = None
        for settings, classifier in candidates:
            began = time.process_time()
            model = _fitted(classifier, X[train], y[train])
            seconds = time.process_time() - began
            model = redoubt.operating_point(model, X[valid], y[valid], MAX_FPR).model
            score = detection(model, X[valid], y[valid]).mean()
            if best is None or score > best[0]:
                best = score, model, seconds, settings, classifier
        _, model, seconds, settings, classifier = best
        fpr = _false_positives(model, X[test], y[test])
        planes[name] = Found(detection(model, X[test], y[test]), fpr, seconds, settings)
        votes[name] = _bagged(classifier, data, seed)
        if name == "budget hinge":
            votes |= _robust_votes(data, model)
    votes["Ens-C"] = _trained(_collaborative(X.shape[1], seed), data)
    return planes, votes


def _bagged(classifier, data, seed):
    X, y, train, valid, test = data
    rng = np.random.default_rng(seed)
    coef, intercept, seconds = [], [], 0.0
    for _ in range(N_PLANES):
        drawn = rng.choice(train, len(train))
        began = time.process_time()
        model = _fitted(clone(classifier), X[drawn], y[drawn])
        seconds += time.process_time() - began
        coef.append(model.coef_[0])
        intercept.append(model.intercept_[0])
    return judged_vote(coef, intercept, data, seconds)


def _trained(classifier, data):
    """A vote whose planes are trained together, or one after the other."""
    X, y, train, *_ = data
    began = time.process_time()
    model = _fitted(classifier, X[train], y[train])
    return judged_vote(model.coef_, model.intercept_, data, time.process_time() - began)


def judged_vote(coef, intercept, data, seconds):
    """What a vote detects at its operating point, the better of two on the validation part."""
    X, y, _, valid, test = data
    points = _operating_points(redoubt.Ensemble(coef, intercept), X[valid], y[valid])
    shift, point = max(
        points.items(), key=lambda each: _survived(each[1].model, X[valid], y[valid])[0].mean()
    )
    caught, search = _survived(point.model, X[test], y[test])
    fpr = _false_positives(point.model, X[test], y[test])
    return Found(caught, fpr, seconds, f"{point.quota:g} {shift}", search)


def _operating_points(vote, X, y):
    """The least quota that keeps the rate of false positives: of the planes as they are, if there
    is one, and of planes that keep it alone."""
    alone = [
        redoubt.operating_point(redoubt.Ensemble([w], [b]), X, y, MAX_FPR).model
        for w, b in zip(vote.coef, vote.intercept, strict=True)
    ]
    shifted = redoubt.Ensemble(
        np.vstack([each.coef for each in alone]), np.concatenate([each.intercept for each in alone])
    )
    points = {"shifted": redoubt.operating_point(shifted, X, y, MAX_FPR)}
    with contextlib.suppress(ValueError):  # no quota keeps it
        points["as trained"] = redoubt.operating_point(vote, X, y, MAX_FPR)
    return points


def _survived(model, X, y):
    """By budget, the share of spam that is proven to be caught; what the searches took."""
    rules = adding(X.shape[1])
    spam = X[y > 0][:N_SPAM]
    found = redoubt.certify(
        model, spam, np.ones(spam.shape[0]), attack_model=rules,
        max_seconds_per_point=LIMIT, witness=False, n_jobs=1,
    )  # fmt: skip
    ms = 1e3 * found.solve_seconds
    caught = np.array([np.mean(found.lower > budget) for budget in BUDGETS])
    return caught, (100 * np.mean(found.lower < found.upper), ms.mean(), ms.max())


def _false_positives(model, X, y):
    return np.mean(model.predict(X[y < 0]) > 0)


def _fitted(classifier, X, y):
    with warnings.catch_warnings():
        # Passes are limited, and boxes are too small, on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", redoubt.ConstantAnswerWarning)
        return classifier.fit(X, y)


def detection(model, X, y):
    """The share of spam that is caught after the best so many added words, by one plane."""
    (w,), (b,) = model.coef_, model.intercept_
    spam = X[y > 0]
    values = spam @ w + b
    caught = np.zeros(len(BUDGETS))
    order = np.argsort(w, kind="stable")
    harmful = order[: np.count_nonzero(w < 0)]
    for row, value in zip(range(spam.shape[0]), values, strict=True):
        present = spam.indices[spam.indptr[row] : spam.indptr[row + 1]]
        most = harmful[: max(BUDGETS) + len(present)]
        losses = w[most[~np.isin(most, present)]]
        after = value + np.concatenate([[0.0], np.cumsum(losses)])
        caught += [after[min(budget, len(losses))] >= 0 for budget in BUDGETS]
    return caught / spam.shape[0]


def _targets(names, means, spreads):
    from_here = [i for i, budget in enumerate(BUDGETS) if budget >= FROM]
    baselines = [name for name in names if name != "budget hinge"]
    rows = []
    for i in from_here:
        best = max(baselines, key=lambda name: means[name][i])
        ours, theirs = means["budget hinge"][i], means[best][i]
        noise = np.hypot(spreads["budget hinge"][i], spreads[best][i])
        other = max(("SVM", "Sec-SVM (two-sided box)"), key=lambda name: means[name][i])
        lead = ours - means[other][i]
        theirs_noise = np.hypot(spreads["budget hinge"][i], spreads[other][i])
        rows.append(
            [
                str(BUDGETS[i]),
                f"{ours:.1f}",
                f"{best} {theirs:.1f}",
                f"{noise:.1f}",
                "yes" if ours >= theirs - noise else "no",
                f"{other} {means[other][i]:.1f}",
                f"{lead:.1f}",
                f"{theirs_noise:.1f}",
                "yes" if lead > FAR_AHEAD * theirs_noise else "no",
            ]
        )
    return (
        "The budget hinge should be within noise of the best baseline (both deviations, squared and "
        f"added) from {FROM} words on, and far ahead of the SVM and Sec-SVM there: by more than "
        f"{FAR_AHEAD:g} times the noise between it and the better of them.\n\n"
        + table(
            ["words", "budget hinge", "best baseline", "noise", "within noise", "SVM or Sec-SVM",
             "lead", "noise", "far ahead"],
            rows,
        )
    )  # fmt: skip
