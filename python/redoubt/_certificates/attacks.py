"""Attacks on some rows as columns of a result: of votes, and of several classes."""

import numpy as np

from redoubt import _core
from redoubt._models.decision_rules import ArgMax


def check_adversary(decision, adversary, n_classes):
    """Raise if there is no such adversary of this decision."""
    if isinstance(decision, ArgMax) and adversary != "exact":
        raise ValueError(
            f"adversary: expected 'exact' for a model of {n_classes} classes, got {adversary!r}"
        )


def check_radius_count(radii, n_points):
    """Raise unless there is one radius, or one per point."""
    if len(radii) not in (1, n_points):
        raise _core.InvalidInput(f"radii: expected length {n_points}, got length {len(radii)}")


def vote_columns(found, success, unit=1.0):
    """What the library's attack on a vote of two classes found; a weight of 1 is worth `unit`."""
    return {
        "perturbation": found.perturbation,
        "success": np.asarray(success, dtype=bool),
        "fooled": [[int(i) for i in planes] for planes in found.fooled],
        "objective": found.objective * unit,
        "bound": found.bound * unit,
        "status": np.array(found.status, dtype=str),
        "n_nodes": np.asarray(found.n_nodes, dtype=np.int64),
        "solve_seconds": np.asarray(found.solve_seconds),
    }


def class_columns(flips, right, radii, sizes):
    """The least moves that change right answers, where their size is within the radius."""
    inside = right & (sizes <= radii)
    success = ~right | inside
    fooled = np.where(inside, flips.moved_answer, flips.answer)
    return {
        "perturbation": np.where(inside[:, None], flips.witness, 0.0),
        "success": success,
        "fooled": [[int(k)] if is_hit else [] for k, is_hit in zip(fooled, success, strict=True)],
        "objective": success.astype(float),
        "bound": (~right | (flips.lower <= radii)).astype(float),
        "status": flips.status.astype(str),
        "n_nodes": flips.n_nodes,
        "solve_seconds": flips.solve_seconds,
    }


def joined_columns(parts):
    """The columns of several parts, one after the other; `row`, if it is there, puts them in order."""
    rows = [part.pop("row") for part in parts if "row" in part]
    order = np.argsort(np.concatenate(rows)) if rows else None
    joined = {}
    for name in parts[0]:
        if isinstance(parts[0][name], list):
            values = [value for part in parts for value in part[name]]
            joined[name] = values if order is None else [values[row] for row in order]
        else:
            values = np.concatenate([part[name] for part in parts])
            joined[name] = values if order is None else values[order]
    return joined
