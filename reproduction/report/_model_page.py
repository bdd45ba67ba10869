"""One page about one model and a table: how far its answers hold, and what would change them."""

import numpy as np

import redoubt
from redoubt.displays import AttackCurveDisplay
from redoubt.report import _canvas, _tables
from redoubt.report._html import join, tag
from redoubt.report._page import frame_page

__all__ = ["make_model_page"]


def make_model_page(model, X, y, n_rows, title, options):
    """Return the whole page as text."""
    found = redoubt.certify(model, X, y, **options)
    order = np.argsort(np.abs(found.radius), kind="stable")[:n_rows]
    asked = {key: options[key] for key in ("norm", "attack_model", "units") if key in options}
    told = redoubt.explain(model, _rows(X, order), **asked) if len(order) else []
    gallery = _canvas.Gallery()
    with gallery.look():
        sections = [_summary(found), _curve(found, gallery), _explained(X, order, found, told)]
    return frame_page(title, _subtitle(found), sections)


def _rows(X, places):
    if hasattr(X, "iloc"):
        return X.iloc[places]
    return X[places] if hasattr(X, "columns") else np.asarray(X)[places]


def _subtitle(found):
    rules = "every move of the ball" if found.attack_model is None else found.attack_model.brief()
    return f"{len(found)} rows, {found.norm} sizes, {found.units} units; the adversary: {rules}."


def _summary(found):
    facts = [("Rows", len(found)), ("Proven", f"{np.mean(found.status == 'optimal'):.1%}")]
    if found.label is not None:
        facts.append(("Right answers", f"{np.mean(found.radius > 0):.1%}"))
    least, middle = np.quantile(np.abs(found.radius), [0, 0.5], method="nearest")
    facts += [("Smallest radius", f"{least:.4g}"), ("Median radius", f"{middle:.4g}")]
    body = _two_columns("The model on this table", ("what", "value"), facts)
    if found.scale:
        units = [(name, "frozen" if x == 0 else f"{x:.4g}") for name, x in found.scale.items()]
        heads = "column", "at size 1 a number moves by; a switch of category costs"
        body = join(body, _two_columns("Sizes", heads, units))
    rules = None
    if found.attack_model is not None:
        lines = str(found.attack_model).splitlines()
        items = [tag("li", line) for line in lines]
        rules = join(tag("h3", "What the adversary may do"), tag("ul", items))
    return "summary", "Summary", join(body, rules)


def _two_columns(caption, heads, rows):
    rows = [[tag("th", name, scope="row"), tag("td", value)] for name, value in rows]
    return _tables.table(caption, [_tables.head(*heads)], rows, "words")


def _curve(found, gallery):
    figure, ax = _canvas.new_panel("Right answers under attack", found.norm, below=0.55)
    labels = found.prediction if found.label is None else found.label
    display = AttackCurveDisplay.from_certificates(found, labels, ax=ax)
    ax.set_title("")
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    text = (
        "The share of rows whose answer is right and provably stays so, whatever the adversary does "
        "within the radius. Dashed: the classifier that always gives the more frequent answer."
    )
    (shares,) = (np.ravel(each) for each in display.accuracies.values())
    about = f"From {shares[0]:.1%} at radius 0 to {shares[-1]:.1%}."
    picture = gallery.add(figure, "curve", "Right answers under attack", about)
    body = join(tag("p", text), tag("div", picture, class_="figures"))
    return "curve", "Accuracy under attack", body


def _explained(X, order, found, told):
    labels = X.index.tolist() if hasattr(X, "index") and hasattr(X, "iloc") else range(len(found))
    parts = []
    for place, one in zip(order.tolist(), told, strict=True):
        name = f"Row {labels[place]}"
        given = f", labelled '{found.label[place]}'" if found.label is not None else ""
        parts.append(tag("h3", name, id=f"row-{place}"))
        parts.append(tag("p", f"Answered '{one.answer}'{given}: {one.sentence}."))
        heads = [_tables.head("column", "now", "after the cheapest change", "size")]
        rows = [
            [
                tag("th", move.feature, scope="row"),
                tag("td", _value(move.before)),
                tag("td", _value(move.after)),
                tag("td", f"{move.size:.4g}"),
            ]
            for move in one.attack
        ]
        if rows:
            parts.append(_tables.table(f"{name}: the cheapest change", heads, rows, "words"))
    intro = tag("p", "The rows whose answers the smallest changes would alter.")
    return "rows", "Rows, easiest to change first", join(intro, parts)


def _value(value):
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else value
