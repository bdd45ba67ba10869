"""A model and points, checked and brought to the coordinates in which moves are measured."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from redoubt import _core
from redoubt._attack_models import AttackModel, ResolvedAttackModel, as_number_or_text
from redoubt._checks import per_row
from redoubt._models.decision_rules import ArgMax, Vote
from redoubt._models.linear_model import own_feature_names, read_model
from redoubt._models.model_file import Model
from redoubt._models.own_adversary import choose_units
from redoubt._models.sparse_points import as_points, n_rows
from redoubt._sklearn_private import _get_feature_names


@dataclass(frozen=True, eq=False)
class AttackedPoints:
    """`decision` answers at `points`; a move of the points times `unscale` is one of X.

    `own` holds the model's own answers as class indices, or None where `decision` gives the same;
    `ask(rows, moves)` gives them after moves of some points. `attack_model` is in the coordinates of
    the points. `units` is what radii are measured in. `kept`: which features of a table these are,
    `places`: where its numbers are in each of their steps, `scale`: the units of the scalers.
    """

    decision: Vote | ArgMax
    points: np.ndarray
    classes: np.ndarray
    own: np.ndarray | None
    unscale: np.ndarray | None
    units: str
    is_ensemble: bool
    has_text_labels: bool = False
    ask: object = None
    attack_model: ResolvedAttackModel | None = None
    kept: np.ndarray | None = None
    places: tuple = ()
    scale: np.ndarray | None = None

    @property
    def rules(self):
        """The AttackModel, or None."""
        return None if self.attack_model is None else self.attack_model.model

    @property
    def n_rows(self):
        return n_rows(self.points)

    def parts(self):
        """(rows, points, None): all at once, and moves are moves of X."""
        return [(slice(None), self, None)]

    def vote(self, who):
        """The vote, and the sign that makes its planes answer zero with +1, as the library does."""
        if not isinstance(self.decision, Vote):
            raise NotImplementedError(
                f"{who}: expected a model of two classes, got {len(self.classes)}; redoubt.certify "
                "takes more"
            )
        return self.decision, self.sign(who)

    def sign(self, who):
        """That of the library's labels of two classes, which answers zero with +1; else 1."""
        if not isinstance(self.decision, Vote):
            return 1
        tie = self.decision.tie_of_planes
        if tie is None:
            raise NotImplementedError(
                f"{who}: expected planes that answer zero alike, but some members of this vote are "
                "of LIBSVM (SVC, NuSVC) and some are not; redoubt.certify takes them"
            )
        return 1 if tie else -1

    def encode(self, y, *, required=False):
        """Class indices of labels; None for None."""
        if y is None and not required:
            return None
        if self.is_ensemble:
            return _sign_codes(y, self.n_rows)
        return class_codes(y, self.classes, self.n_rows, as_text=self.has_text_labels)

    def encode_target(self, target):
        """Class indices of targets, one per row; None for None."""
        target = per_row("target", target, self.n_rows)
        if target is None:
            return None
        names = {"as_text": self.has_text_labels, "name": "target"}
        return class_codes(target, self.classes, self.n_rows, **names)


def read_points(model, X, units, attack_model=None, names=None):
    """Read a model of numbers, check X as the model would, and scale or fold as `units` says.

    An AttackModel is in the units of X: scalers are folded into the planes, so that integers stay
    what they are, and `units` only says what a feature without a scale may do. One that an
    estimator has resolved is in the units of what that estimator sees: after the scalers. `names`
    are those of the features in the attack model; None: those of X, or else of the model.
    """
    if isinstance(model, Model) and model.columns is not None and model.columns.groups:
        raise NotImplementedError(
            "model: has columns of categories, which this does not know about; certify, attack and explain do"
        )
    units = units_of_rules(model, units, attack_model)
    linear = read_model(model)
    linear.need_numbers("model")
    if units == "scaled" and linear.inner_scalers:
        raise ValueError(
            "units: 'scaled' needs one scaler in front of the whole model, but the members of this "
            "vote have scalers of their own; use units='raw', and an attack model with scales"
        )
    is_ensemble = isinstance(model, _core.Ensemble)
    own = None
    if is_ensemble:
        points = check_array(X, accept_sparse="csr", dtype=np.float64, order="C")
    elif isinstance(model, BaseEstimator) and linear.exact:
        points = validate_data(
            model, X, accept_sparse="csr", reset=False, dtype=np.float64, order="C"
        )
    else:
        own = class_codes(model.predict(_spare(X)), linear.classes, None)
        points = check_array(X, accept_sparse="csr", dtype=np.float64, order="C")
    points = as_points(points)

    decision, raw, unscale = linear.decision, points, None
    after_scalers = units == "scaled"
    if attack_model is not None:
        is_resolved = isinstance(attack_model, ResolvedAttackModel)
        if is_resolved:
            linear.need_own_features()
        after_scalers = is_resolved and not attack_model.is_unscaled
        names = feature_names(model, X) if names is None else names
        attack_model = _resolve(attack_model, linear, names, units)
    if linear.factor is not None and after_scalers:
        points = np.ascontiguousarray(linear.transform(_spare(X)), dtype=np.float64)
        unscale = (1 / linear.factor).astype(np.float64)
        units = "scaled"
    elif linear.factor is not None:
        decision = linear.folded()

    def ask(rows, moves):
        moved = raw[rows] + (moves if unscale is None else moves * unscale)
        return class_codes(model.predict(alike(X, moved)), linear.classes, None)

    return AttackedPoints(
        decision,
        points,
        linear.classes,
        own,
        unscale,
        units,
        is_ensemble,
        has_text_labels=isinstance(model, Model),
        ask=ask,
        attack_model=attack_model,
    )


def units_of_rules(model, units, attack_model):
    """What radii are measured in: what is given, what the rules say, or the model's own."""
    given, units = units, choose_units(model, units)
    if isinstance(attack_model, AttackModel):
        default = attack_model.default_scale
        if default == "scaled":
            units = "scaled"
        elif given is None and (default is not None or isinstance(attack_model.scale, tuple)):
            units = "raw"  # every scale is given, in the units of X
    return units


def _resolve(attack_model, linear, names, units):
    """The attack model for the features of X."""
    n_features = linear.decision.n_features
    if isinstance(attack_model, AttackModel):
        unit = None
        if units == "scaled" and linear.factor is not None:
            unit = np.abs(1 / linear.factor).astype(np.float64)
        names = n_features if names is None else names
        return attack_model.resolve(names, linear.classes, unit=unit)
    if attack_model.n_features != n_features:
        raise ValueError(
            f"attack_model: expected one for {n_features} features, got one for "
            f"{attack_model.n_features}"
        )
    return attack_model


def feature_names(model, X):
    """The names of the columns of X; those that the model knows, if X has none; or None."""
    names = _get_feature_names(X)
    return own_feature_names(model) if names is None else [str(name) for name in names]


def alike(X, values):
    """The values as a frame or array such as X."""
    if not hasattr(X, "columns"):
        return values
    return type(X)({name: values[:, l] for l, name in enumerate(X.columns)})


def _spare(X):
    """A copy of an array, for scalers that work in place."""
    return X.copy() if isinstance(X, np.ndarray) else X


def _sign_codes(y, n_samples):
    y = np.asarray(y, dtype=np.float64).reshape(-1)
    if len(y) != n_samples:
        raise _core.InvalidInput(f"y: expected length {n_samples}, got length {len(y)}")
    bad = y[np.abs(y) != 1.0]
    if len(bad):
        raise _core.InvalidInput(f"y: expected labels -1 and +1, got {bad[0]:g}")
    return (y > 0).astype(int)


def class_codes(y, classes, n_samples, as_text=False, name="y"):
    """The index in `classes` of each label; `as_text`: labels that are equal as text or number."""
    index = {label: i for i, label in enumerate(np.asarray(classes).tolist())}
    if n_samples is None:  # from the model itself
        y = np.ravel(y)
        codes = [index.get(label, -1) for label in y.tolist()]
        if -1 not in codes:
            return np.array(codes, dtype=int)
    else:
        y = column_or_1d(y)
        check_consistent_length(np.empty(n_samples), y)
    codes = np.array([index.get(label, -1) for label in y.tolist()], dtype=int)
    if as_text and np.any(codes < 0):
        same = {as_number_or_text(label): i for label, i in index.items()}
        codes = np.array([same.get(as_number_or_text(each), -1) for each in y.tolist()], dtype=int)
    if np.any(codes < 0):
        unknown = list(dict.fromkeys(y[codes < 0].tolist()))
        raise ValueError(f"{name}: unknown labels {unknown}; the model's are {list(index)}")
    return codes
