"""From a folder of results, or from a model and a table, to a page."""

from pathlib import Path

from redoubt.displays._style import need_matplotlib
from redoubt.report._results import read_results

__all__ = ["write_model_report", "write_report"]


def write_report(folder, out=None, figures=None):
    """Make one HTML page of the results of `redoubt reproduce`.

    Parameters
    ----------
    folder : str or path
        What ``redoubt reproduce --out`` has written. Of a partial run the page shows what is there.
    out : str, path or None, default=None
        The page; None writes ``report.html`` into the folder.
    figures : str, path or None, default=None
        A folder for every figure as .svg and .png too; made if it is not there.

    Returns
    -------
    path : Path
        Of the page.

    Raises
    ------
    FileNotFoundError
        A file that every run writes is missing.
    redoubt.ParseError
        A file is damaged; the message names file and line.
    """
    need_matplotlib("redoubt.report")
    results = read_results(folder)
    # These need matplotlib, which the rest of the package can do without.
    from redoubt.report._canvas import Gallery
    from redoubt.report._page import make_page

    path = Path(folder) / "report.html" if out is None else Path(out)
    gallery = Gallery(figures)
    with gallery.look():
        page = make_page(results, gallery)
    path.write_text(page, encoding="utf-8")
    return path


def write_model_report(
    model, X, y=None, out="report.html", *, n_rows=10, title="How robust the answers are", **options
):
    """Make one HTML page of a model's certificates, in the columns and categories of the table.

    Parameters
    ----------
    model : fitted classifier, Pipeline or Model
        As for `redoubt.certify`, of two classes.
    X : data frame or array-like of shape (n_samples, n_features)
        The table; names of columns are those of the page.
    y : array-like of shape (n_samples,) or None, default=None
        Labels. Without them every answer counts as right.
    out : str or path-like, default="report.html"
    n_rows : int, default=10
        How many rows are explained: those whose answers the smallest changes would alter.
    title : str
    **options
        Of `redoubt.certify`: `norm`, `attack_model`, `units`, ..

    Returns
    -------
    path : pathlib.Path

    Examples
    --------
    >>> import redoubt
    >>> from redoubt.report import write_model_report
    >>> X, y, _, _ = redoubt.datasets.load("breastcancer")
    >>> model = redoubt.LinearSVMClassifier().fit(X, y)
    >>> path = write_model_report(model, X, y, n_rows=3)  # doctest: +SKIP
    """
    need_matplotlib("redoubt.report")
    from redoubt.report._model_page import make_model_page  # needs matplotlib

    path = Path(out)
    path.write_text(make_model_page(model, X, y, n_rows, title, options), encoding="utf-8")
    return path
