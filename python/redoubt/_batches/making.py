"""The tasks by name: what users and engines call."""

from typing import Any

from numpy.typing import ArrayLike

from redoubt._batches.tasks import BatchTask, _Attack, _Certify, _Evaluate, _Predict
from redoubt._typing import FittedModel


def batch_predict(model: FittedModel) -> BatchTask:
    """Return a task that answers batches of rows.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.

    Returns
    -------
    task : BatchTask
        Its results have the column `prediction`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> redoubt.batch_predict(vote)([[3.0, 4.0], [-3.0, -4.0]])["prediction"].tolist()
    [1, -1]
    """
    return _Predict(model)


def batch_certify(
    model: FittedModel, *, label: str | None = None, witness: bool = False, **options: Any
) -> BatchTask:
    """Return a task that certifies batches of rows.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.
    label : str, int or None, default=None
        The column of labels (its number in an array). Without one every answer counts as right.
    witness : bool, default=False
        Add the nearest row with another answer, as columns ``witness_NAME``.
    **options
        Passed to `certify`. A limit `max_seconds` applies to one batch.

    Returns
    -------
    task : BatchTask
        Its results have the columns `prediction`, `radius`, `lower`, `upper` and `status`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> task = redoubt.batch_certify(vote, witness=True)
    >>> task.columns
    ['prediction', 'radius', 'lower', 'upper', 'status', 'witness_x1', 'witness_x2']
    >>> task([[3.0, 4.0]])["radius"].round(6).tolist()
    [4.242641]
    """
    return _Certify(model, label, witness, options)


def batch_attack(
    model: FittedModel,
    radius: float | str,
    *,
    label: str | None = None,
    moved: bool = False,
    **options: Any,
) -> BatchTask:
    """Return a task that attacks batches of rows.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.
    radius : float or str
        The radius of the ball, or the column with the radius of each row.
    label : str, int or None, default=None
        The column of labels. Without one the model's own answer counts as right.
    moved : bool, default=False
        Add the attacked row, as columns ``moved_NAME``.
    **options
        Passed to `attack`. A limit `max_seconds` applies to one batch.

    Returns
    -------
    task : BatchTask
        Its results have the columns `success`, `n_fooled`, `objective`, `bound` and `status`.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0.0, 0.0, -1.0])
    >>> redoubt.batch_attack(vote, 4.3)([[3.0, 4.0]])["success"].tolist()
    [True]
    """
    return _Attack(model, radius, label, moved, options)


def batch_evaluate(
    model: FittedModel, radii: ArrayLike, *, label: str | None = None, **options: Any
) -> BatchTask:
    """Return a task that counts the safe rows of batches, for accuracy under attack.

    Parameters
    ----------
    model : Ensemble, Model or fitted classifier
        As for `certify`.
    radii : array-like of shape (n_radii,)
        Attack radii.
    label : str, int or None, default=None
        The column of labels; None if they are given to the call as `y`.
    **options
        Passed to `certify`.

    Returns
    -------
    task : BatchTask
        Its results are `CurveCounts`: add them up, and call `curve()` on the sum.

    Examples
    --------
    >>> import redoubt
    >>> vote = redoubt.Ensemble([[1.0]], [0.0])
    >>> task = redoubt.batch_evaluate(vote, [0.0, 2.0])
    >>> counts = task([[1.0], [3.0]], y=[1, 1]) + task([[-1.0]], y=[-1])
    >>> counts.curve().accuracy.round(3).tolist()
    [1.0, 0.333]
    """
    return _Evaluate(model, radii, label, options)
