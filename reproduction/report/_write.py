"""From a folder of results to a page."""

from pathlib import Path

from redoubt.displays._style import need_matplotlib
from redoubt.report._results import read_results

__all__ = ["write_report"]


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
