"""Rules as a value that files hold."""

import json
import os
from collections.abc import Iterable
from typing import Any, TypeVar

from redoubt import _core
from redoubt._attack_models.documents import from_document, to_document
from redoubt._typing import FilePath

Rules = TypeVar("Rules", bound="StoredRules")


class StoredRules:
    """What an AttackModel has to do with files."""

    __slots__ = ()

    @classmethod
    def from_dict(cls: type[Rules], content: dict[str, Any]) -> Rules:
        """Make an attack model from the content of a file.

        Parameters
        ----------
        content : dict
            The JSON object of a file, as in "Attack models" of the file formats: with the key
            "norm" and any of "scale", "default_scale", "frozen", "increase_only", "decrease_only",
            "bounds", "integer", "one_hot", "switch_cost", "text_columns", "missing",
            "attacking_class", "cost", "default_cost" and "comment", which is dropped. Numbers of
            features count from 1, as everywhere in files; a text of digits is a number unless a
            feature has that name. Features without a scale have the scale "scaled".

        Returns
        -------
        model : AttackModel

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel.from_dict({"norm": "l1", "frozen": ["age", 2], "default_scale": 0.5})
        AttackModel(norm='l1', scale=0.5, frozen=['age', 1])
        >>> AttackModel.from_dict({"norm": "l2", "integer": [1]})
        AttackModel(norm='l2', scale='scaled', integer=[0])
        """
        return cls._from_text(json.dumps(content), "attack model")

    @classmethod
    def _from_text(cls, text, name):
        _core.AttackRules(text, name, 1)  # raises if there is a mistake, which it names
        return cls(**from_document(json.loads(text)))

    def to_dict(self, feature_names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the content of a file for this attack model.

        Parameters
        ----------
        feature_names : list of str or None, default=None
            If given, features are written by name.

        Returns
        -------
        content : dict
            The input of `from_dict`. Missing scales are written as 1.

        Examples
        --------
        >>> from redoubt import AttackModel
        >>> AttackModel(scale={"pressure": 5.0}, frozen=["age"], bounds={"bmi": (0, None)}).to_dict()
        {'norm': 'linf', 'default_scale': 1.0, 'scale': {'pressure': 5.0}, 'frozen': ['age'], \
'bounds': {'bmi': [0.0, None]}}
        """
        rules: Any = self  # an AttackModel
        names = None
        if feature_names is not None:
            names = [str(name) for name in feature_names]
            if not isinstance(rules.switch_cost, dict):  # their columns need not be numbers
                rules.resolve(names, [rules.attacking_class])  # raises if there is no such feature

        def call(feature):
            if isinstance(feature, str):
                return feature
            if names is not None:
                name = names[feature]
                return name if name and names.count(name) == 1 else feature % len(names) + 1
            if feature < 0:
                raise ValueError(f"feature_names: needed to write feature {feature} to a file")
            return feature + 1

        content = to_document(rules, call)
        is_open = rules.default_scale is None and not isinstance(rules.scale, tuple)
        if is_open and rules.norm != "l0":
            content = {"norm": content.pop("norm"), "default_scale": 1.0, **content}
        return content

    @classmethod
    def from_json(cls: type[Rules], path: FilePath) -> Rules:
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
            return cls._from_text(file.read(), path)

    def to_json(self, path: FilePath, feature_names: Iterable[str] | None = None) -> None:
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
