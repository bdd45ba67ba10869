"""What an adversary may do to a point: a ball with rules."""

import json
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from redoubt import _core
from redoubt._attack_models.arguments import (
    read_bounds,
    read_cost_of_change,
    read_features,
    read_groups,
    read_integers,
    read_scale,
    read_switch_cost,
)
from redoubt._attack_models.documents import as_number_or_text, to_document
from redoubt._attack_models.from_frame import propose
from redoubt._attack_models.resolved import ResolvedAttackModel
from redoubt._attack_models.stored_rules import StoredRules
from redoubt._checks import check_word
from redoubt._typing import Features, Frame, Norm, PerFeature

_ARGUMENTS = (
    *("norm", "scale", "frozen", "increase_only", "decrease_only", "bounds", "integer", "one_hot"),
    *("switch_cost", "attacking_class", "text_columns", "missing", "cost"),
)
# What is not worth showing.
_USUAL = (("switch_cost", 1.0), ("text_columns", "groups"), ("missing", "frozen"))


class AttackModel(StoredRules):
    """What an adversary may do to a point, in the units of X.

    A point x may move by d if the size of the move is at most the radius and every rule below is
    obeyed. The size is the norm of ``d / scale``; a switch in a one-hot group counts as one
    coordinate whose size is its cost. Without rules it is the plain ball of `norm`.

    Features are referred to by name (the columns of a data frame, or the model's names) or by
    number, counted from 0.

    Parameters
    ----------
    norm : {"l1", "l2", "linf", "l0"}, default="linf"
        How the moves of several features add up. "l0" counts the features that change, however far
        they move; each of them then needs `bounds`. Robust SVMs take it where a feature has one
        place to go.
    scale : None, "scaled", float, array-like of shape (n_features,) or dict of feature to float, \
default=None
        How far a feature may move at radius 1; 0 freezes it. In a dict the key None stands for all
        other features. "scaled" means one unit after the model's scalers (such as a standard
        deviation), as in a file without scales. Features without a scale move by 1 unit of X, or by
        one scaled unit if the argument `units` (of `redoubt.certify`, for example) is "scaled".
    frozen : feature or list of features, default=()
        Never move, whatever other rules say.
    increase_only, decrease_only : feature or list of features, default=()
        Move in one direction only.
    bounds : None, pair, dict of feature to pair, or array-like of shape (n_features, 2), default=None
        The smallest and the greatest value that a feature can be moved to; None means no limit. A
        pair applies to all features that are in no group.
    integer : feature or list of features, default=()
        Stay integers. ``(feature, offset, scale)`` stands for values (z - offset) / scale of
        integers z.
    one_hot : list of groups, default=()
        A group is a list of features of which exactly one is 1 and the others are 0, or a pair of
        such a list and the cost of a switch: a number, or a list as for `switch_cost`. A dict with
        "features" and any of "cost", "on" and "off" also specifies the members' values.
    switch_cost : float or dict of column to float or list, default=1.0
        The cost of a switch in groups without one. For the columns of a table that hold categories:
        a dict, in which columns that are not listed cost 1. A list of ``(from, to, cost)`` sets the
        costs of pairs of categories: None stands for any category or, as the cost, forbids the
        switch; later entries override earlier ones. A 0/1 column that is listed switches between
        the two values at its cost.
    attacking_class : label or None, default=None
        Only points of this class move. The radius of any other point is infinite if its answer is
        right, and minus infinity if it is wrong.
    text_columns : {"groups", "numbers"}, default="groups"
        If a model knows the columns of a table: whether a column of categories switches as a whole,
        like a group of `one_hot`, or its 0/1 features move like numbers.
    missing : {"frozen", "free"}, default="frozen"
        Whether missing entries that were filled in may move.
    cost : None, float, array-like of shape (n_features,) or dict of feature to float, default=None
        The cost of changing a feature in "l0", where there are no scales; > 0. In a dict the key
        None stands for all other features. The default is 1.

    Notes
    -----
    An attack model is immutable, compares equal to another with the same rules, and can be pickled.
    As a parameter of an estimator it is preserved by ``sklearn.clone`` and searches.

    For a model of a table (a Pipeline with encoders or imputers), features are the raw columns, by
    name or number. Each column of categories is a group: it may be frozen or have a `switch_cost`,
    and may switch to every category that the model knows, and to "(other)" if the encoder accepts
    unknown ones. A missing entry does not move.

    Whether the rules fit (names exist, ranges contain the points) is checked when the features are
    known: in `resolve`, and thus in `redoubt.certify` and `fit`. It is not an error if all features
    are frozen; radii are then infinite.

    Units are those of the X that the rules are used with. In `redoubt.certify` and similar
    functions, rules are about the X that is passed, whatever scalers the model has. In an
    estimator, they are about the X that its `fit` receives: behind a scaler in a Pipeline these are
    scaled features without names. So give integers and one-hot groups to an estimator that sees the
    table itself (with scales in place of the scaler), or to the certificates of the whole pipeline.

    Examples
    --------
    A patient's age is what it is, the number of pregnancies is an integer that does not go down, and
    blood pressure is off by 5 at most times the radius:

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
    may move at radius 1 by: pressure 5, others 1 unit
    frozen: age
    only up: pregnancies
    integers: pregnancies

    Here feature 0 does not move, so feature 1 has to; and it takes integer steps:

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

    How many words must a spammer add, where two of three filters have to let the mail pass?

    >>> filters = redoubt.Ensemble([[2, -1, 0], [1, 0, -2], [1, -1, -1]], [-0.5, -0.5, -0.5])
    >>> words = redoubt.AttackModel("l0", increase_only=[0, 1, 2], bounds=(0, 1), integer=[0, 1, 2])
    >>> mail = redoubt.certify(filters, [[1.0, 0.0, 0.0]], attack_model=words)
    >>> mail.radius.tolist(), mail.witness.tolist()
    ([1.0], [[0.0, 0.0, 1.0]])
    """

    # The library's rules are checked as far as they can be without features.
    __slots__ = (*_ARGUMENTS, "_rules")

    norm: Norm
    scale: float | tuple[float, ...] | dict[str | int | None, float] | str | None
    frozen: tuple[str | int, ...]
    increase_only: tuple[str | int, ...]
    decrease_only: tuple[str | int, ...]
    bounds: Any
    integer: tuple[Any, ...]
    one_hot: tuple[Any, ...]
    switch_cost: Any
    attacking_class: Any
    text_columns: Literal["groups", "numbers"]
    missing: Literal["frozen", "free"]
    cost: Any
    _rules: _core.AttackRules

    def __init__(
        self,
        norm: Norm = "linf",
        scale: PerFeature | str | None = None,
        frozen: Features = (),
        increase_only: Features = (),
        decrease_only: Features = (),
        bounds: Any = None,
        integer: Any = (),
        one_hot: Iterable[Any] = (),
        switch_cost: Any = 1.0,
        attacking_class: Any = None,
        text_columns: Literal["groups", "numbers"] = "groups",
        missing: Literal["frozen", "free"] = "frozen",
        cost: Any = None,
    ) -> None:
        if isinstance(attacking_class, np.generic):
            attacking_class = attacking_class.item()
        values = (
            str(norm) if isinstance(norm, str) else norm,
            read_scale(scale),
            read_features("frozen", frozen),
            read_features("increase_only", increase_only),
            read_features("decrease_only", decrease_only),
            read_bounds(bounds),
            read_integers(integer),
            read_groups(one_hot),
            read_switch_cost(switch_cost),
            attacking_class,
            check_word("text_columns", text_columns, ("groups", "numbers")),
            check_word("missing", missing, ("frozen", "free")),
            read_cost_of_change(cost),
        )
        for name, value in zip(_ARGUMENTS, values, strict=True):
            object.__setattr__(self, name, value)
        text = json.dumps(to_document(self, call=lambda feature: feature))
        object.__setattr__(self, "_rules", _core.AttackRules(text, "AttackModel", 0))

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
        return {name: getattr(self, name) for name in _ARGUMENTS}

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
        return AttackModel, tuple(self._values().values())

    def __repr__(self):
        shown = {
            name: list(value) if isinstance(value, tuple) and name != "bounds" else value
            for name, value in self._values().items()
            if value not in (None, ()) and (name, value) not in _USUAL
        }
        if self.one_hot:
            shown["one_hot"] = [
                list(group[0]) if group[1:] == (None,) else (list(group[0]), *group[1:])
                for group in self.one_hot
            ]
        return f"AttackModel({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    @property
    def default_cost(self) -> Any:
        """What changing a feature costs that has no cost of its own: a number or None."""
        if isinstance(self.cost, dict):
            return self.cost.get(None)
        return None if isinstance(self.cost, tuple) else self.cost

    @property
    def default_scale(self) -> Any:
        """The scale of features that have none of their own: a number, "scaled" or None."""
        if isinstance(self.scale, dict):
            return self.scale.get(None)
        return None if isinstance(self.scale, tuple) else self.scale

    # --- for people ---------------------------------------------------------------------------

    def __str__(self):
        return self.summary()

    def summary(self, feature_names: Iterable[str] | None = None) -> str:
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
        names = [] if feature_names is None else [str(name) for name in feature_names]
        return self._rules.summary(names).rstrip("\n")

    def brief(self) -> str:
        """Return the rules in one line, for titles and legends.

        Returns
        -------
        text : str

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(frozen=["age", "sex"], integer=[3, 4, 5], attacking_class="sick").brief()
        "age, sex frozen; 3 integer features; only 'sick' attacks"
        >>> AttackModel("l2").brief()
        'plain l2 ball'
        """
        return self._rules.brief()

    # --- features and classes -----------------------------------------------------------------

    def resolve(
        self,
        feature_names: Iterable[str] | int,
        classes: Iterable[Any] | None = None,
        *,
        unit: Any = None,
        columns: Any = None,
    ) -> ResolvedAttackModel:
        """Check the rules against given features and classes.

        Parameters
        ----------
        feature_names : list of str, or int
            The names in the order of the columns, or just the number of features.
        classes : array-like or None, default=None
            The labels; needed if there is an attacking class.
        unit : array-like of shape (n_features,) or None, default=None
            How far a feature without a scale may move at radius 1; None means 1.
        columns : Coding or None, default=None
            The columns of the table that the features come from; rules may then name these, too.

        Returns
        -------
        resolved : ResolvedAttackModel
            With `scale`, `lower`, `upper`, `direction` and the like, one entry per feature.

        Raises
        ------
        ValueError
            If something does not fit; the message says what.

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(frozen=["age"]).resolve(["age", "pressure"]).scale.tolist()
        [0.0, 1.0]
        >>> AttackModel(frozen=["aeg"]).resolve(["age", "pressure"])
        Traceback (most recent call last):
        ...
        redoubt._core.ParseError: AttackModel: frozen[0]: expected the name or number (0 to 1) of a \
feature, found 'aeg'; did you mean 'age'?
        """
        if isinstance(feature_names, int | np.integer):
            names, n_features = None, int(feature_names)
        else:
            names = [str(name) for name in feature_names]
            n_features = len(names)
        unit = None if unit is None else np.asarray(unit, dtype=np.float64)
        attacking = self._attacking_index(classes)
        members = () if columns is None else tuple(columns.features_by_column())
        return ResolvedAttackModel(self, names, n_features, unit, attacking, members)

    def _rules_about(self, columns):
        """The library's rules, where numbers and lists are about these columns of a table.

        `columns` as `features_by_column` of a Coding gives them.
        """
        names, is_text = [each[0] for each in columns], [bool(each[2]) for each in columns]

        def call(feature):
            if isinstance(feature, str):
                return feature
            if not -len(names) <= feature < len(names):
                raise ValueError(
                    f"AttackModel: there is no column {feature}; they are numbered 0 to "
                    f"{len(names) - 1}"
                )
            return names[feature]

        content = to_document(self, call)
        for field, no_rule in (("scale", lambda value: value != 0.0), ("cost", lambda value: True), ("bounds", lambda pair: True)):
            values = content.get(field)
            if not isinstance(values, list) or np.ndim(values[0]) != (field == "bounds"):
                continue
            if len(values) != len(names):
                raise ValueError(
                    f"AttackModel: {field}: expected one entry per column ({len(names)}), got "
                    f"{len(values)}"
                )
            content[field] = {
                name: value
                for name, text, value in zip(names, is_text, values, strict=True)
                if not (text and no_rule(value))
            }
        return _core.AttackRules(json.dumps(content), "AttackModel", 0)

    def _attacking_index(self, classes):
        """The index of the attacking class, which is equal to a label as such, as text or number."""
        if self.attacking_class is None:
            return None
        if classes is None:
            raise ValueError("classes: needed, because the attack model has an attacking class")
        known = np.asarray(classes).tolist()
        for same in (lambda label: label, as_number_or_text):
            found = [
                index
                for index, label in enumerate(known)
                if same(label) == same(self.attacking_class)
            ]
            if found:
                return found[0]
        raise ValueError(
            f"AttackModel: attacking_class: unknown class {self.attacking_class!r}; the model's "
            f"are {known}"
        )

    # --- tables -------------------------------------------------------------------------------

    @classmethod
    def from_frame(
        cls, frame: Frame, norm: Norm = "linf", *, bounds: Any = None, **rules: Any
    ) -> "AttackModel":
        """Propose rules for a table; review them with ``print`` and edit them.

        Integer columns stay integers, and columns of text, categories or booleans switch at a cost
        of 1. For numbers that a model takes as categories, such as postal codes, give a
        `switch_cost`. Nothing is proposed for dates, and nothing else is assumed.

        Parameters
        ----------
        frame : pandas or polars DataFrame
            Without the column of labels.
        norm : {"l1", "l2", "linf", "l0"}, default="linf"
        bounds : "data" or as for AttackModel, default=None
            "data": no number leaves the range that it has in the frame.
        **rules
            Further arguments of AttackModel, which override the proposal: `integer` replaces the
            list, a `switch_cost` is merged, and frozen columns have no other rules.

        Returns
        -------
        model : AttackModel

        Examples
        --------
        >>> import pandas as pd
        >>> from redoubt import AttackModel
        >>> table = pd.DataFrame({"age": [30, 51], "income": [2.5, 1.9], "job": ["clerk", "nurse"]})
        >>> print(AttackModel.from_frame(table, bounds="data", increase_only=["age"]))
        norm: linf
        only up: age
        range: age [30, 51], income [1.9, 2.5]
        integers: age
        categories, a switch costs 1: job
        """
        return cls(norm, **propose(frame, bounds, rules))
