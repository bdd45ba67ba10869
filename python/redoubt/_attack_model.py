"""What an adversary may do to a point: more than a ball."""

import json
import os

import numpy as np

from redoubt._attack_arguments import (
    check_apart,
    read_bounds,
    read_features,
    read_groups,
    read_scale,
)
from redoubt._attack_files import from_dict, to_dict
from redoubt._attack_rules import ResolvedAttackModel, resolve
from redoubt._attack_words import brief, summary
from redoubt._checks import check_real

__all__ = ["AttackModel", "check_attack_model"]

NORMS = ("l1", "l2", "linf")
_FIELDS = (
    "norm",
    "scale",
    "frozen",
    "increase_only",
    "decrease_only",
    "bounds",
    "integer",
    "one_hot",
    "switch_cost",
    "attacking_class",
)


class AttackModel:
    """What an adversary may do to a point, in the units of X.

    A point x may move by d when the size of the move is at most the radius, and every rule below is
    kept. The size is the norm of ``d / scale``; a one-hot group that switches counts as one
    coordinate of the size of its cost. Without any rule it is the plain ball of `norm`.

    Features are given by name (a data frame's columns, or the names that a model knows) or by
    number, counted from 0.

    Parameters
    ----------
    norm : {"l1", "l2", "linf"}, default="linf"
        How the moves of several features add up.
    scale : None, float, array-like of shape (n_features,) or dict of feature to float, default=None
        How far a feature may move at radius 1; 0 freezes it. In a dict the key None stands for all
        features that are not named. What is not given is 1 unit of X; with ``units="scaled"`` it is
        what the model's scalers make 1 of (a standard deviation, say).
    frozen : feature or list of features, default=()
        Never move.
    increase_only, decrease_only : feature or list of features, default=()
        Only go up, or down.
    bounds : None, pair, dict of feature to pair, or array-like of shape (n_features, 2), default=None
        The least and the greatest value that a feature can be moved to; None is no limit. A pair
        holds for all features that are in no group.
    integer : feature or list of features, default=()
        Stay whole numbers.
    one_hot : list of groups, default=()
        A group is a list of features of which exactly one is 1 and the others are 0, or a pair of
        such a list and what a switch costs.
    switch_cost : float, default=1.0
        What a switch costs in groups that do not say.
    attacking_class : label or None, default=None
        Only points of this class move. One of another class keeps its answer: its radius is
        infinite if that is right, and minus infinity if it is wrong.

    Notes
    -----
    An attack model is a value: it cannot be changed, two with the same rules are equal, and it can
    be pickled. As a parameter of an estimator it is kept by ``sklearn.clone`` and searches.

    Whether it fits (names that exist, ranges that hold the points) is found out where the features
    are known: in `resolve`, and so in `redoubt.certify` and `fit`. That all features are frozen is
    no mistake: then radii are infinite.

    The units are those of the X that it is used with. To `redoubt.certify` and the like it is about
    the X that they are given, whatever scalers the model has. To an estimator it is about the X
    that its `fit` is given: behind a scaler in a Pipeline these are scaled features without names.
    So whole numbers and one-hot groups go to an estimator that sees the table itself (with scales
    to make up for the missing scaler), or to the certificates of the whole pipeline.

    Examples
    --------
    A patient's age is what it is, the number of pregnancies is a whole number that does not go
    down, and blood pressure is off by 5 at most times the radius:

    >>> import redoubt
    >>> rules = redoubt.AttackModel(
    ...     norm="linf",
    ...     scale={"pressure": 5.0},
    ...     frozen=["age"],
    ...     increase_only=["pregnancies"],
    ...     integer=["pregnancies"],
    ... )
    >>> print(rules)
    norm: linf
    may move at radius 1 by: pressure 5, others 1
    frozen: age
    only up: pregnancies
    whole numbers: pregnancies

    Here feature 0 does not move, so feature 1 has to; and it takes whole steps:

    >>> vote = redoubt.Ensemble([[1.0, 1.0]], [-2.5])
    >>> redoubt.certify(vote, [[1.0, 3.0]], norm="linf").radius.round(6).tolist()
    [0.75]
    >>> rules = redoubt.AttackModel(frozen=[0], integer=[1])
    >>> redoubt.certify(vote, [[1.0, 3.0]], attack_model=rules).radius.round(6).tolist()
    [2.0]

    A pipeline, certified in the units of the table; and an estimator that needs no scaler:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y, names, _ = redoubt.datasets.load("diabetes")
    >>> count, age = names.index("Pregnancies"), names.index("Age")
    >>> model = make_pipeline(StandardScaler(), redoubt.LinearSVMClassifier()).fit(X, y)
    >>> rules = redoubt.AttackModel(frozen=[age], integer=[count])
    >>> result = redoubt.certify(model, X, y, attack_model=rules, units="scaled")
    >>> rules = redoubt.AttackModel(scale=X.std(axis=0), frozen=[age], integer=[count])
    >>> model = redoubt.LinearSVMClassifier(attack_model=rules).fit(X, y)
    >>> other = model.certify(X, y)  # both: one standard deviation at radius 1
    >>> bool((X + other.witness)[:, count].max() < 30)
    True
    """

    __slots__ = _FIELDS

    def __init__(
        self,
        norm="linf",
        scale=None,
        frozen=(),
        increase_only=(),
        decrease_only=(),
        bounds=None,
        integer=(),
        one_hot=(),
        switch_cost=1.0,
        attacking_class=None,
    ):
        if norm not in NORMS:
            raise ValueError(f"norm: expected 'l1', 'l2' or 'linf', got {norm!r}")
        if isinstance(attacking_class, np.generic):
            attacking_class = attacking_class.item()
        values = {
            "norm": str(norm),
            "scale": read_scale(scale),
            "frozen": read_features("frozen", frozen),
            "increase_only": read_features("increase_only", increase_only),
            "decrease_only": read_features("decrease_only", decrease_only),
            "bounds": read_bounds(bounds),
            "integer": read_features("integer", integer),
            "one_hot": read_groups(one_hot),
            "switch_cost": check_real("switch_cost", switch_cost, 0),
            "attacking_class": attacking_class,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        both = [each for each in self.increase_only if each in self.decrease_only]
        if both:
            raise ValueError(
                f"increase_only, decrease_only: expected a feature in one of them, got {both[0]!r} "
                "in both; freeze it instead"
            )
        check_apart([features for features, _ in self.one_hot])

    # --- a value ------------------------------------------------------------------------------

    def __setattr__(self, name, value):
        raise AttributeError(f"an AttackModel cannot be changed (tried to set {name!r})")

    def __delattr__(self, name):
        raise AttributeError(f"an AttackModel cannot be changed (tried to delete {name!r})")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _values(self):
        return {name: getattr(self, name) for name in _FIELDS}

    def _key(self):
        return tuple(
            frozenset(value.items()) if isinstance(value, dict) else value
            for value in self._values().values()
        )

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, AttackModel) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __reduce__(self):
        return _rebuild, (self._values(),)

    def __repr__(self):
        shown = {"norm": self.norm}
        for name in (
            "scale",
            "frozen",
            "increase_only",
            "decrease_only",
            "integer",
            "attacking_class",
        ):
            value = getattr(self, name)
            if value is not None and value != ():
                shown[name] = list(value) if isinstance(value, tuple) else value
        if self.bounds is not None:
            one = isinstance(self.bounds, dict) or not isinstance(self.bounds[0], tuple)
            shown["bounds"] = self.bounds if one else list(self.bounds)
        if self.one_hot:
            shown["one_hot"] = [
                list(features) if cost is None else (list(features), cost)
                for features, cost in self.one_hot
            ]
        if self.switch_cost != 1.0:
            shown["switch_cost"] = self.switch_cost
        return f"AttackModel({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    # --- for people ---------------------------------------------------------------------------

    def __str__(self):
        return self.summary()

    def summary(self, feature_names=None):
        """Return the rules, one per line.

        Parameters
        ----------
        feature_names : list of str or None, default=None
            To show instead of numbers.

        Returns
        -------
        text : str

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> print(AttackModel(frozen=[1], bounds={0: (0, None)}).summary(["visits", "age"]))
        norm: linf
        frozen: age
        range: visits >= 0
        """
        return summary(self, feature_names)

    def brief(self):
        """Return the rules in one line, for titles and legends.

        Returns
        -------
        text : str

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(frozen=["age", "sex"], integer=[3, 4, 5], attacking_class="sick").brief()
        "age, sex frozen; 3 whole-number features; only 'sick' attacks"
        >>> AttackModel("l2").brief()
        'plain l2 ball'
        """
        return brief(self)

    # --- features and classes -----------------------------------------------------------------

    def resolve(self, feature_names, classes=None, *, unit=None):
        """Check the model against the features and classes that there are.

        Parameters
        ----------
        feature_names : list of str, or int
            The names in the order of the columns, or only how many features there are.
        classes : array-like or None, default=None
            The labels; needed if there is an attacking class.
        unit : array-like of shape (n_features,) or None, default=None
            What radius 1 allows a feature whose scale is not given; None is 1.

        Returns
        -------
        resolved : ResolvedAttackModel
            With `scale`, `lower`, `upper`, `direction` and the like, one entry per feature.

        Raises
        ------
        ValueError
            That says what does not fit.

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(frozen=["age"]).resolve(["age", "pressure"]).scale.tolist()
        [0.0, 1.0]
        >>> AttackModel(frozen=["aeg"]).resolve(["age", "pressure"])
        Traceback (most recent call last):
        ...
        ValueError: attack_model.frozen: unknown feature 'aeg'; did you mean 'age'?
        """
        return resolve(self, feature_names, classes, unit)

    # --- files --------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, content):
        """Make an attack model from what a file holds.

        Parameters
        ----------
        content : dict
            With the key "norm" and any of "scale" (units by feature, or a list), "default_scale",
            "frozen", "increase_only", "decrease_only", "bounds" (by feature, [least, greatest] with
            None for no limit, or a list), "integer", "one_hot" (lists of features, or
            {"features": [...], "cost": c}) and "attacking_class". Numbers of features count from 1,
            as everywhere in files; a text of digits is a number where no feature has that name.

        Returns
        -------
        model : AttackModel

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel.from_dict({"norm": "l1", "frozen": ["age", 2], "default_scale": 0.5})
        AttackModel(norm='l1', scale=0.5, frozen=['age', 1])
        """
        return cls(**from_dict(content))

    def to_dict(self, feature_names=None):
        """Return the model as a file holds it.

        Parameters
        ----------
        feature_names : list of str or None, default=None
            With names everything is written by name. They are needed where scales or ranges are
            given by number. Of frozen features nothing else is written.

        Returns
        -------
        content : dict
            What `from_dict` takes.

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(scale={"pressure": 5.0}, frozen=["age"], bounds={"bmi": (0, None)}).to_dict()
        {'norm': 'linf', 'scale': {'pressure': 5.0}, 'frozen': ['age'], 'bounds': {'bmi': [0.0, None]}}
        """
        return to_dict(self, feature_names)

    @classmethod
    def from_json(cls, path):
        """Read an attack model from a JSON file.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        model : AttackModel
        """
        path = os.fspath(path)
        with open(path, encoding="utf-8") as file:
            try:
                return cls.from_dict(json.load(file))
            except (ValueError, TypeError) as error:
                raise ValueError(f"{path}: {error}") from error

    def to_json(self, path, feature_names=None):
        """Write the model as a JSON file, which the `redoubt` program reads, too.

        Parameters
        ----------
        path : str or path-like
        feature_names : list of str or None, default=None
            As for `to_dict`.
        """
        text = json.dumps(self.to_dict(feature_names), indent=2, ensure_ascii=False)
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(text + "\n")


def _rebuild(values):
    values = dict(values)
    values["one_hot"] = [
        features if cost is None else (features, cost) for features, cost in values["one_hot"]
    ]
    return AttackModel(**values)


def check_attack_model(attack_model, norm):
    """Return the norm to use, or raise when the two contradict each other."""
    if attack_model is None:
        return "l2" if norm is None else norm
    if not isinstance(attack_model, (AttackModel, ResolvedAttackModel)):
        raise TypeError(
            f"attack_model: expected a redoubt.AttackModel (AttackModel.from_dict and from_json "
            f"make one) or None, got {type(attack_model).__name__}"
        )
    if norm is not None and norm != attack_model.norm:
        raise ValueError(
            f"norm: {norm!r} contradicts the attack model's {attack_model.norm!r}; leave it out"
        )
    return attack_model.norm
