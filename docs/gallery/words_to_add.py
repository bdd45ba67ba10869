"""
What a spammer must add, and the filter that does not care
==========================================================

A spammer does not remove the words that sell, but adds words that occur in ham, as many as it
takes. So the quality of a filter is not its accuracy: it is the share of spam that is still caught
after a given number of added words, at an acceptable rate of false alarms.
"""

# %%
# Messages
# --------
#
# The UCI SMS Spam Collection (Almeida and Hidalgo, CC BY 4.0), as the words that are present in
# each message: half of it for training, a quarter to choose thresholds, a quarter for testing.

import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

import redoubt
from redoubt.displays import DetectionDisplay

here = Path(globals().get("__file__", "notebook")).resolve()
folder = next(up / "benchmarks/data" for up in here.parents if (up / "benchmarks/data").is_dir())
words = (folder / "sms_words.txt").read_text(encoding="utf-8").split("\n")[:-1]
counts, signs = load_svmlight_file(str(folder / "sms.libsvm"), n_features=len(words))
X, y = (counts > 0).astype(float), np.where(signs > 0, "spam", "ham")
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
X_valid, X_test, y_valid, y_test = train_test_split(
    X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=0
)

# %%
# What he may do
# --------------
#
# Words are present or absent, they can only be added, and only spam moves. With ``"l0"`` a radius is
# a number of words.

every_word = list(range(len(words)))
spammer = redoubt.AttackModel(
    "l0", bounds=(0, 1), integer=every_word, increase_only=every_word, attacking_class="spam"
)

# %%
# Filters
# -------
#
# Next to the ordinary SVM there are filters with bounded weights. *Sec-SVM* bounds them on both
# sides, so that no word decides much. The *monotone* filter has no harmful words at all: no weight
# is negative, so adding words never helps a spammer. The *budget hinge* is trained against the
# spammer: each spam message in the training data may add the five words that suit it best.

filters = {
    "SVM": redoubt.LinearSVMClassifier(tol=1e-4),
    "Sec-SVM": redoubt.RobustSVMClassifier(
        radius=0, regularization=1, weight_bounds=(-0.2, 0.2), tol=1e-2
    ),
    "monotone": redoubt.RobustSVMClassifier(
        radius=0, regularization=1, weight_bounds=(0, None), tol=1e-2
    ),
    "budget hinge": redoubt.RobustSVMClassifier(
        radius=5, regularization=1, attack_model=spammer, tol=1e-2, max_iter=300
    ),
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    for model in filters.values():
        model.fit(X_train, y_train)

# %%
# At one false alarm in a hundred
# -------------------------------
#
# ``operating_point`` shifts the bias until at most 1 % of the ham in the validation part is taken
# for spam. Everything from here on is about the shifted filters.

points = {
    name: redoubt.operating_point(model, X_valid, y_valid, max_fpr=0.01)
    for name, model in filters.items()
}
for name, point in points.items():
    alarms = np.mean(point.model.predict(X_test[y_test == "ham"]) == "spam")
    print(
        f"{name:<13} shift {point.shift:+.3f}, on new messages: {alarms:.2%} false alarms, "
        f"{np.mean(point.model.predict(X_test[y_test == 'spam']) == 'spam'):.1%} of the spam caught"
    )

# %%
# Words to add
# ------------
#
# For every spam message in the test part, ``certify`` finds the fewest words that get it through.
# Infinite means that no number of words does.

spam = np.flatnonzero(y_test == "spam")
results = {
    name: redoubt.certify(point.model, X_test[spam], y_test[spam], attack_model=spammer)
    for name, point in points.items()
}
for name, result in results.items():
    caught = result.prediction == "spam"
    needed = result.lower[caught]
    never = np.mean(np.isinf(needed))
    print(
        f"{name:<13} words to add to a caught spam: median {np.median(needed):g}, "
        f"no words suffice for {never:.0%}"
    )

# %%
# The words that a spammer would use against the SVM, for one message and most often:

print("one message:", results["SVM"].changes(0, words))
against = np.asarray(results["SVM"].witness.sum(axis=0)).ravel()
print("words that help against the SVM:", ", ".join(words[l] for l in against.argsort()[::-1][:8]))

# %%
# The filter that does not care
# -----------------------------
#
# The SVM is the best filter against a spammer who does nothing, and the worst against one who adds
# ten words.

display = DetectionDisplay.from_certificates(
    results, budgets=[0, 1, 5, 10, 25, 50, 100], max_fpr=0.01
)
display.figure_.savefig("words_to_add.png", dpi=120)

# %%
# The budget is a choice: with a small one the filter can still rely on some words of ham, a large
# one makes it monotone. The report ``benchmarks/results/filters.md`` compares five splits, with
# settings chosen on validation data.
