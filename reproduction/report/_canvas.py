"""Figures of one width, as SVG in the page and as files."""

import re
from html import escape
from io import StringIO
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from redoubt.displays import _style
from redoubt.report import _names
from redoubt.report._html import Html, tag

__all__ = [
    "INK",
    "MUTED",
    "RULE",
    "WIDTH",
    "Gallery",
    "legend_room",
    "method_style",
    "new_panel",
    "put_heading",
    "put_legend",
]

WIDTH = 3.6  # inches; about as wide as a phone, so that a text of 8 points stays one
INK, MUTED, RULE = "#1c2127", "#59636e", "#d5dae0"
_BASELINE = "#5c6773"

# What follows the scheme of the page. The cells of a map do not: their colours mean values.
_VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    _BASELINE: "baseline",
    _style.BLUE: "blue",
    _style.ORANGE: "orange",
    _style.GREEN: "green",
    _style.PURPLE: "purple",
    _style.COLORS[4]: "yellow",
    _style.COLORS[5]: "sky",
}
_METHOD_COLORS = (_BASELINE, *(_style.COLORS[i] for i in (0, 1, 3, 2, 4, 5)))
_LOOK = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, and is wide: others fit in its place
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "axes.facecolor": "none",
    "figure.facecolor": "white",
    "svg.hashsalt": "redoubt",
    "path.simplify": False,
}


def method_style(method):
    """Colour, line and marker of a method: the same in every figure."""
    index = _names.method_index(method)
    return {
        "color": _METHOD_COLORS[index],
        "linestyle": _style.LINESTYLES[index % len(_style.LINESTYLES)],
        "marker": _style.MARKERS[index % len(_style.MARKERS)],
        "markersize": 3.6,
    }


def put_heading(figure, title, note=""):
    """A title on the left, and what it belongs to on the right: a file stands alone."""
    at = 1 - 0.05 / figure.get_figheight()
    figure.text(0.02, at, title, va="top", fontweight="bold", fontsize=9)
    figure.text(0.98, at, note, va="top", ha="right", color=MUTED, fontsize=8.5)


def new_panel(title, note, height=2.25, below=0.45, left=0.5, right=0.1):
    """A figure with one axes; sizes in inches, `below` is the room under the axes."""
    above = 0.28
    total = height + below + above
    figure = Figure(figsize=(WIDTH, total))
    ax = figure.add_axes((left / WIDTH, below / total, 1 - (left + right) / WIDTH, height / total))
    _style.tidy(ax)
    put_heading(figure, title, note)
    return figure, ax


def put_legend(ax, n_entries, n_columns=2):
    """A legend under the axes: make room with `legend_room`."""
    figure = ax.figure
    figure.legend(
        *ax.get_legend_handles_labels(),
        loc="lower left",
        bbox_to_anchor=(0.02, 0.0),
        ncols=min(n_columns, n_entries),
        frameon=False,
        borderaxespad=0.2,
        handlelength=2.6,
        columnspacing=1.2,
        labelspacing=0.25,
    )


def legend_room(n_entries, n_columns=2):
    """Inches under the axes for ticks, label and legend."""
    return 0.50 + 0.165 * -(-n_entries // n_columns)


class Gallery:
    """Turns figures into parts of the page, and writes them as files if there is a folder."""

    def __init__(self, folder=None):
        self.folder = None if folder is None else Path(folder)
        self.names = []
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def look(self):
        """The settings of matplotlib that the figures are drawn and written with."""
        return mpl.rc_context(_LOOK)

    def add(self, figure, name, title, description, caption=None, on_light=False):
        """Return the <figure> of a figure.

        Title and description are for those who cannot see it. `on_light`: it is drawn on a light
        ground of its own, so that only texts and axes follow the scheme of the page.
        """
        if name in self.names:
            raise ValueError(f"name: {name} is taken")
        self.names.append(name)
        if self.folder is not None:
            for kind in ("svg", "png"):
                facts = {"Date": None} if kind == "svg" else None
                figure.savefig(self.folder / f"{name}.{kind}", dpi=200, metadata=facts)
        variables = {INK: "ink", MUTED: "muted"} if on_light else _VARIABLES
        drawing = _inline(figure, f"f{len(self.names)}", title, description, variables)
        return tag("figure", drawing, None if caption is None else tag("figcaption", caption))


def _inline(figure, prefix, title, description, variables):
    """The figure as an SVG element of the page: texts are texts, colours follow the scheme."""
    stream = StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    # One page holds many figures: only ids that are used are kept, under names of their own.
    used = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", text))
    used = {name for pair in used for name in pair if name}
    text = re.sub(
        r' id="([^"]+)"',
        lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "",
        text,
    )
    text = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{prefix}", text)
    text = text.replace("xlink:href=", "href=")
    text = re.sub(r"'DejaVu Sans'(, [^;\"]*)?", "system-ui, sans-serif", text)
    for color, name in variables.items():
        text = re.sub(color, f"var(--{name})", text, flags=re.IGNORECASE)
    text = re.sub(r"\n\s*", "\n", text)
    box = re.search(r'viewBox="([^"]+)"', text)[1]
    head = (
        f'<svg viewBox="{box}" role="img" aria-labelledby="{prefix}t {prefix}d">'
        f'<title id="{prefix}t">{escape(title)}</title>'
        f'<desc id="{prefix}d">{escape(description)}</desc>'
    )
    return Html(head + text[text.index(">") + 1 :])
