"""Any model that `certify` reads, as a model file."""

import os
import warnings
from collections.abc import Iterable

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from redoubt import _core
from redoubt._attack_models import AttackModel
from redoubt._models.decision_rules import ArgMax, Vote
from redoubt._models.linear_model import own_feature_names, read_model
from redoubt._models.model_file import Model
from redoubt._models.own_adversary import choose_attack, choose_units
from redoubt._models.saved_tables import table_model
from redoubt._models.sparse_points import is_sparse
from redoubt._sklearn_private import BaseSearchCV
from redoubt._typing import FilePath, FittedModel


class MissingScalerWarning(UserWarning):
    """A model is saved without the scaler that its training data seem to need."""


def save_model(
    model: FittedModel, path: FilePath, *, feature_names: Iterable[str] | None = None
) -> None:
    """Write a model as a file for the `redoubt` program, atomically.

    The saved model predicts what the model predicts: scalers, names, classes, norm and attack model
    are saved with the planes.

    Parameters
    ----------
    model : fitted classifier, Pipeline, search, Ensemble or Model
        Whatever `certify` takes. Pass the whole Pipeline: a classifier taken out of it does not
        know the scalers.
    path : str or path-like
    feature_names : list of str or None, default=None
        For a model that was fitted without names. None uses the model's own (`feature_names_in_` of
        the Pipeline); if there are none, data are matched by position.

    Warns
    -----
    MissingScalerWarning
        The model has no scaler, but was fitted to data that look scaled.

    Raises
    ------
    ValueError
        Names that do not fit, or something that a file cannot hold.
    TypeError
        If `certify` does not take the model.
    WriteError
        An OSError that says why the file cannot be written.

    See Also
    --------
    load_model : Read a model file.
    to_onnx : Export to other runtimes.

    Notes
    -----
    Several scalers become one, ``(x - center) / scale``. Votes are identical to the last bit for
    StandardScaler, RobustScaler and MaxAbsScaler; with other scalers, and for classifiers that
    round, the answer may differ at a point within rounding of a plane. If a model of two classes
    answers zeros with the first class, as scikit-learn does, that class is the file's +1.

    The attack model of an estimator behind scalers is converted to the units of X. Labels become
    texts.

    Examples
    --------
    >>> import os, tempfile
    >>> import redoubt
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y, names, _ = redoubt.datasets.load("diabetes")
    >>> model = make_pipeline(StandardScaler(), redoubt.RobustSVMClassifier(norm="linf")).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     redoubt.save_model(model, path, feature_names=names)
    ...     loaded = redoubt.load_model(path)
    >>> loaded.norm, loaded.feature_names[:2]
    ('linf', ['Pregnancies', 'Glucose'])
    >>> bool((loaded.predict(X).astype(float) == model.predict(X)).all())
    True
    """
    if isinstance(model, Model):
        saved = _named(model, feature_names)
    else:
        linear = read_model(model)
        _warn_of_missing_scaler(model, linear)
        saved = _convert(model, linear, feature_names)
        if linear.coding is None:
            _check_answers(saved, model, linear)
    saved.save(os.fspath(path))


def _named(model, names):
    """The library's model of a loaded one, with names if it had none."""
    if names is None:
        return model._model
    names = _choose_names(model.feature_names, names, len(model.center))
    return model._model if model.feature_names else model._model.with_feature_names(names)


def _convert(model, linear, names):
    """The library's model that answers as `model` does."""
    decision, sign = file_decision(linear.decision)
    classes = linear.classes[::sign]
    if linear.coding is not None:
        return _convert_table(model, linear, names)
    names = _choose_names(own_feature_names(model), names, linear.decision.n_features)
    center, scale = linear.scaler()
    norm, rules = _rules(model, linear, names, sign)
    return _core.make_model(
        decision,
        classes=[str(label) for label in classes],
        feature_names=names or [],
        scaling=_scaling(model, linear),
        center=center,
        scale=scale,
        norm=norm,
        attack_model=rules,
        ranges=training_ranges(model, linear),
        **_training_record(_last_part(model)),
    )


def file_decision(decision):
    """What a file holds of a decision, and the step by which its classes go: 1, or -1 for turned round.

    Of two classes the file's +1 is the one that gets zeros.
    """
    if isinstance(decision, ArgMax):
        return decision.class_vote(), 1
    tie = decision.tie_of_planes
    if tie is None:
        raise ValueError(
            "model: a model file holds planes that answer zero alike, but some members of this "
            "vote are of LIBSVM (SVC, NuSVC) and some are not"
        )
    sign = 1 if tie else -1
    return decision.ensemble(sign, decision.tie == tie), sign


def _convert_table(model, linear, names):
    """The same, for a pipeline with encoders or imputers."""
    _choose_names(linear.coding.names, names, len(linear.coding.names))
    norm, rules = choose_attack(model, None, None)
    if rules is not None and not isinstance(rules, AttackModel):
        raise ValueError(
            "model: the attack model of its estimator is about features behind the encoders; save "
            "one about the columns of the table by itself (AttackModel.to_json)"
        )
    return table_model(
        linear,
        file_decision,
        norm=norm,
        attack_model=rules,
        **_training_record(_last_part(model)),
    )


def _choose_names(own, given, n_features):
    """The names that are given, or else the model's own, as a list; or None."""
    if given is None:
        return own
    given = [str(name) for name in given]
    if len(given) != n_features:
        raise ValueError(f"feature_names: expected {n_features} names, got {len(given)}")
    if len(set(given)) < n_features or not all(given):
        raise ValueError("feature_names: expected different names, none of them empty")
    if own is not None and own != given:
        wrong = next(l for l in range(n_features) if own[l] != given[l])
        raise ValueError(
            f"feature_names: expected the names that the model was fitted with, got "
            f"{given[wrong]!r} instead of {own[wrong]!r}"
        )
    return given


def _rules(model, linear, names, sign):
    """The norm, and the library's attack model in the units of X; None for a plain ball."""
    norm, rules = choose_attack(model, None, None)
    if rules is None:
        return norm, None
    center, scale = linear.scaler()
    if isinstance(rules, AttackModel):  # of a search: in the units of X already
        is_scaled = "scaled" in (rules.default_scale, choose_units(model, None))
        known = linear.decision.n_features if names is None else names
        rules = rules.resolve(known, linear.classes, unit=scale if is_scaled else None)
        core = _core_rules(rules, linear, sign)
        return norm, None if core.is_plain() and linear.factor is None else core
    linear.need_own_features()
    core = _core_rules(rules, linear, sign)
    if core.is_plain():
        return norm, None
    return norm, core if linear.factor is None else core.unscaled(center, scale)


def _core_rules(rules, linear, sign):
    """The library's, with its number of the class that attacks."""
    if isinstance(linear.decision, Vote):
        return rules.of_signs(sign)
    return rules.core(rules.attacking)


def _scaling(model, linear):
    """What the file calls the scaler: what one unit of it means."""
    if linear.factor is None:
        return "none"
    while isinstance(model, BaseSearchCV):
        model = model.best_estimator_
    steps = getattr(model, "steps", [])[:-1]
    scalers = [step for _, step in steps if step is not None and step != "passthrough"]
    if len(scalers) == 1 and not isinstance(_last_part(model), Model):
        (scaler,) = scalers
        if type(scaler) is StandardScaler and scaler.with_mean and scaler.with_std:
            return "standard"
        if type(scaler) is MinMaxScaler and tuple(scaler.feature_range) == (0, 1):
            return "minmax"
        if type(scaler) is MaxAbsScaler and not getattr(scaler, "clip", False):
            return "maxabs"
    return "custom"


def _last_part(model):
    """The classifier itself: what a search chose, the last step of a Pipeline."""
    if isinstance(model, Pipeline):
        return _last_part(model.steps[-1][1])
    return _last_part(model.best_estimator_) if isinstance(model, BaseSearchCV) else model


def training_ranges(model, linear):
    """The range of each feature in the training data, in the units of X; or None.

    `linear` is what `read_model` makes of the model.
    """
    ranges = getattr(_last_part(model), "ranges_", None)
    if linear.form is not None:  # those of features behind other steps than scalers
        return None
    if ranges is None or linear.factor is None:
        return ranges
    center, scale = linear.scaler()
    return np.sort(center[:, None] + scale[:, None] * ranges, axis=1)


def _training_record(classifier):
    """How the classifier came about, as far as it knows."""
    if hasattr(classifier, "_training_record"):
        return classifier._training_record()
    return {
        "method": type(classifier).__name__,
        "radii": None,
        "n_points": 0,
        "status": "",
        "is_partial": False,
    }


# --- a scaler that got lost -------------------------------------------------------------------


def _warn_of_missing_scaler(model, linear):
    looks = getattr(_last_part(model), "_data_look", None)
    if looks is None or linear.factor is not None or linear.inner_scalers:
        return
    warnings.warn(
        f"{type(_last_part(model)).__name__} was fitted to data that look {looks}, and is saved "
        "without a scaler: the file is for data that are scaled alike. For a classifier out of a "
        "Pipeline use redoubt.save_model(pipeline, path)",
        MissingScalerWarning,
        stacklevel=3,
    )


def look_of(X):
    """What a scaler seems to have done to X, in a word or two; or None."""
    if is_sparse(X):
        return None  # a sparse table does not show whether it was scaled
    columns = [column for column in X.T if column.min() < column.max()]
    if len(X) < 3 or not columns:
        return None

    @np.errstate(all="ignore")  # numbers may be huge
    def fits(measure, *wanted):
        return all(np.allclose(measure(each), wanted, rtol=0.0, atol=1e-6) for each in columns)

    if fits(lambda each: (each.mean(), each.std()), 0.0, 1.0):
        return "standardised"
    if all(np.isin(each, (each.min(), each.max())).all() for each in columns):
        return None  # yes or no, by nature
    if fits(lambda each: (each.min(), each.max()), 0.0, 1.0):
        return "scaled to [0, 1]"
    if fits(lambda each: np.abs(each).max(), 1.0):
        return "scaled to [-1, 1]"
    if fits(lambda each: np.percentile(each, [25, 50, 75]) @ [[0, -1], [1, 0], [0, 1]], 0.0, 1.0):
        return "scaled by quartiles"
    return None


# --- a last look ------------------------------------------------------------------------------


def _check_answers(saved, model, linear):
    """Raise where the file's model would answer otherwise than the model, at points all around.

    A class derived from one that `read_model` knows may predict in a way of its own.
    """
    if not isinstance(model, BaseEstimator):
        return
    center, scale = linear.scaler()
    spread = np.random.default_rng(0).normal(scale=3.0, size=(200, len(center)))
    X = center + scale * spread
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there are no names here
        labels = model.predict(X.copy())
    texts = np.asarray(saved.classes)[saved.answers(X)]
    differs = np.count_nonzero(texts != np.array([str(label) for label in labels]))
    if differs > 0.05 * len(X):  # near a boundary a model may round
        raise ValueError(
            f"model: {type(model).__name__} answers differently from its planes, at {differs} of "
            f"{len(X)} points: does it have a predict of its own?"
        )
