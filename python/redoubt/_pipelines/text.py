"""Pipelines that begin with a text: what an adversary changes are the counts of its words."""

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import Pipeline

from redoubt._pipelines.registry import refuse


def without_text(model, X):
    """The model behind its vectorizer, the counts of the words of X, and the words; or as given.

    Where the counts that the vectorizer makes are not those of single words, or are mixed with each
    other, it raises an error that says how to certify its output instead.
    """
    if not isinstance(model, Pipeline) or not isinstance(
        model.steps[0][1], (CountVectorizer, HashingVectorizer)
    ):
        return model, X, None
    (_, vectorizer), *rest = model.steps
    _check_single_words(vectorizer)
    if isinstance(vectorizer, TfidfVectorizer):
        # Its own transformer weighs the words.
        rest = [("tfidf", vectorizer._tfidf), *rest]
        counts = CountVectorizer.transform(vectorizer, X)
    else:
        counts = vectorizer.transform(X)
    words = None
    if isinstance(vectorizer, CountVectorizer):
        words = [str(word) for word in vectorizer.get_feature_names_out()]
    return rest[0][1] if len(rest) == 1 else Pipeline(rest), counts, words


def _check_single_words(vectorizer):
    def refused(reason):
        hint = "certify model[1:] on model[:1].transform(X), as a statement about these numbers"
        return refuse(vectorizer, f"{reason}; {hint}")

    if tuple(vectorizer.ngram_range) != (1, 1) or vectorizer.analyzer != "word":
        raise refused("needs single words (analyzer='word', ngram_range=(1, 1)) to be linear in them")
    if isinstance(vectorizer, HashingVectorizer):
        if vectorizer.norm is not None or vectorizer.alternate_sign:
            raise refused("needs norm=None and alternate_sign=False to be linear in the words")
    elif isinstance(vectorizer, TfidfVectorizer) and (
        vectorizer.norm is not None or vectorizer.sublinear_tf
    ):
        raise refused("needs norm=None and sublinear_tf=False to be linear in the words")
