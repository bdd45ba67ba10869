"""A text that stands for what a model computes: equal for equal models, whatever made them."""

import dataclasses
import hashlib

import numpy as np

from redoubt._models.linear_model import read_model
from redoubt._models.model_file import Model


def fingerprint(model, parameters):
    """The SHA-256 of a model and the parameters of what is done with it."""
    text = hashlib.sha256()
    if isinstance(model, Model):
        text.update(model._model.to_json().encode())
    else:
        # What was read of it: planes, scalers, columns and classes, and not how it was trained.
        _add(text, read_model(model))
    _add(text, parameters)
    return text.hexdigest()


# Of a LinearModel and its coding: bound methods, and what follows from the rest.
_LEFT_OUT = {"transform", "memo", "_made", "_lookups", "last_places"}


def _add(text, value):
    text.update(type(value).__name__.encode() + b"\0")
    if isinstance(value, np.ndarray):
        # Bytes of extended precision have gaps, and those of objects are addresses.
        has_bytes = value.dtype.kind in "fiub" and value.dtype != np.longdouble
        text.update(str(value.shape).encode())
        text.update(value.tobytes() if has_bytes else repr(value.tolist()).encode())
    elif isinstance(value, dict):
        for name in sorted(value, key=str):
            _add(text, name)
            _add(text, value[name])
    elif isinstance(value, (set, frozenset)):
        _add(text, sorted(map(repr, value)))
    elif isinstance(value, (list, tuple)):
        text.update(str(len(value)).encode())
        for each in value:
            _add(text, each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in _LEFT_OUT:
                _add(text, field.name)
                _add(text, getattr(value, field.name))
    elif isinstance(getattr(value, "__dict__", None), dict) and not isinstance(value, type):
        _add(text, {name: each for name, each in vars(value).items() if name not in _LEFT_OUT})
        text.update(getattr(value, "__qualname__", "").encode())
    else:
        text.update(repr(value).encode() + b"\0")
