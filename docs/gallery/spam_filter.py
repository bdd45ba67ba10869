"""
A spam filter, from text to certificate
=======================================

A filter counts words, and a spammer adds some. How many words does it take to get a message
through? For a filter that is linear in its words there is an exact answer for every message,
without a dense table: 5,574 messages, 4,256 words, about 14 of them in each.
"""

# %%
# The messages
# ------------
#
# The UCI SMS Spam Collection (Almeida and Hidalgo, CC BY 4.0), which comes with the benchmarks as
# counts of words. The order of the words is lost; a filter that counts does not see it anyway.

from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import redoubt
from redoubt.displays import AttackCurveDisplay

here = Path(globals().get("__file__", "notebook")).resolve()
folder = next(up / "benchmarks/data" for up in here.parents if (up / "benchmarks/data").is_dir())
words = (folder / "sms_words.txt").read_text(encoding="utf-8").split("\n")[:-1]
counts, signs = load_svmlight_file(str(folder / "sms.libsvm"), n_features=len(words))
messages = [" ".join(words[l] for l in counts[j].indices) for j in range(len(signs))]
labels = np.where(signs > 0, "spam", "ham")
print(f"{len(messages)} messages, for example: {messages[2][:60]} ...")

# %%
# The filter
# ----------
#
# A pipeline takes the texts. ``CountVectorizer`` makes a sparse matrix, which the classifiers use
# directly. With single words, and no division by the length of the message, every word has one
# weight, and an attack on a text is a move of its counts. Next to an ordinary SVM we train one
# against a change of one word in each message.

X_train, X_test, y_train, y_test = train_test_split(
    messages, labels, test_size=0.3, stratify=labels, random_state=0
)


def make_filter(classifier):
    vectorizer = CountVectorizer(vocabulary=words, binary=True, token_pattern=r"\S+")
    return make_pipeline(vectorizer, classifier).fit(X_train, y_train)


filters = {
    "SVM": make_filter(redoubt.LinearSVMClassifier(C=1.0)),
    "robust SVM": make_filter(
        redoubt.RobustSVMClassifier(radius=1.0, norm="l1", regularization=1.0, tol=1e-4)
    ),
}
for name, model in filters.items():
    print(f"{name:<12} accuracy on {len(X_test)} new messages: {model.score(X_test, y_test):.1%}")

# %%
# How many words
# --------------
#
# In the norm ``l1`` a move is measured by the sum of its changes: adding or removing a word costs 1.
# ``certify`` finds the least move for every message, and because few words move, its witnesses are
# as sparse as the messages.

results = {name: redoubt.certify(model, X_test, y_test, norm="l1") for name, model in filters.items()}
for name, result in results.items():
    spam = (y_test == "spam") & (result.prediction == "spam")
    print(
        f"{name:<12} words to get a caught spam through: median {np.median(result.lower[spam]):.1f}, "
        f"at most {result.upper[spam].max():.1f}; moved words per witness: "
        f"{result.witness.nnz / len(X_test):.1f}"
    )

# %%
# The robust plane spreads its weights, so that no single word decides much. The curve shows the
# share of messages whose answer stays right whatever the spammer does with this many words.

display = AttackCurveDisplay.from_certificates(results, attack_radii=np.linspace(0.0, 6.0, 61))
display.ax_.set_xlabel("Words changed (l1)")
display.figure_.savefig("attack_curve.png", dpi=120)

# %%
# Words by name
# -------------
#
# ``explain`` says what it takes to change the answer to one message. (``ranges=None``: a message
# may repeat a word more often than any training message.)

row = int(np.flatnonzero((y_test == "spam") & (results["SVM"].prediction == "spam"))[0])
(explanation,) = redoubt.explain(filters["SVM"], X_test[row : row + 1], norm="l1", ranges=None)
print(f"{X_test[row][:70]} ...")
print(explanation.sentence)

# %%
# Spammers add
# ------------
#
# Real spammers add words and keep those that sell. An attack model says so: counts of 0 or 1 that
# only increase, and only spam moves.

rules = redoubt.AttackModel(
    "l1", bounds=(0, 1), increase_only=list(range(len(words))), attacking_class="spam"
)
some = np.flatnonzero((y_test == "spam") & (results["SVM"].prediction == "spam"))[:50]
added = redoubt.certify(
    filters["SVM"], [X_test[i] for i in some], y_test[some], attack_model=rules
)
print(f"words to add: median {np.median(added.lower):.1f}, most {added.lower.max():.1f}")
best = np.asarray(added.witness.sum(axis=0)).ravel().argsort()[::-1][:5]
print("words that help most:", ", ".join(words[l] for l in best))
