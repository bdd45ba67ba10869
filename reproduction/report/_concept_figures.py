"""Draws the two ideas."""

from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from redoubt.displays import BoundaryDisplay, _style
from redoubt.displays._plane_geometry import segment
from redoubt.report import _names
from redoubt.report._canvas import INK, MUTED, WIDTH, put_heading
from redoubt.report._concepts import heuristic_example, one_against_three

__all__ = ["add_heuristic_example", "add_one_against_three"]


def add_one_against_three(gallery):
    """Return the figures and a text that tells what was computed."""
    case = one_against_three()
    drawn = [
        ("One plane", "one-plane", case.single, case.single_radii),
        ("A vote of three planes", "three-planes", case.vote, case.vote_radii),
    ]
    figures = []
    for title, name, model, radii in drawn:
        kept = f"{np.count_nonzero(radii > case.radius)} of {len(radii)}"
        figures.append(
            gallery.add(
                _draw_balls(f"{title}: {kept} safe at radius {case.radius:g}", case, model, radii),
                f"concept-{name}",
                f"{title} and three points under attack",
                f"Three points, their boxes of radius {case.radius:g} and what was certified. "
                f"Certified radii: {_list(radii)}.",
                f"{title}. Certified accuracy at radius {case.radius:g}: {kept} points. "
                f"Certified radii: {_list(radii)}.",
                on_light=True,
            )
        )
    text = (
        f"An adversary may move each point within a box of radius {case.radius:g} (ℓ∞). One plane, "
        f"a robust SVM, is certified up to {case.single_radii.min():.3g}. No plane goes farther on "
        f"all three points than {case.single_limit:.3g} (a linear program), and none is right on "
        f"more than {case.single_most} of the 3 boxes. A vote of three planes, trained as Ens-C, "
        f"is right on all of them, up to {_floor(case.vote_radii.min())}; no classifier "
        f"of any kind passes {case.limit:.4g}, where the boxes of the two classes meet."
    )
    return figures, text


def _floor(radius):
    """Two digits, rounded down, but for the last bits: a certificate is not rounded up."""
    return f"{np.floor(radius * 100 + 1e-9) / 100:.2f}"


def _list(radii):
    return ", ".join(_floor(radius) for radius in radii)


def _draw_balls(title, case, model, radii):
    total = 3.5
    figure = Figure(figsize=(WIDTH, total))
    ax = figure.add_axes((0.11, 0.10, 0.87, 0.80))
    corners = np.array([[-3.6, -2.1], [1.9, 3.4]])  # room for the boxes
    shown = np.vstack([case.points, corners])
    BoundaryDisplay.from_estimator(
        model, shown, norm="linf", ax=ax, legend=False, point_kwargs={"s": 0}
    )
    for point, label, radius in zip(case.points, case.labels, radii, strict=True):
        color = _style.BLUE if label > 0 else _style.ORANGE
        marker = _style.MARKERS[1 if label > 0 else 0]
        ax.plot(*point, marker, color=color, markersize=6, mec="white", zorder=6)
        _add_box(ax, point, case.radius, color, "-", 1.6)
        _add_box(ax, point, radius, "black", (0, (2, 1.5)), 0.9)
    ax.set_xlim(corners[:, 0])
    ax.set_ylim(corners[:, 1])
    ax.set_xlabel("")
    ax.set_ylabel("")
    ax.text(
        0.03,
        0.97,
        f"solid: radius {case.radius:g}\ndashed: certified",
        transform=ax.transAxes,
        va="top",
        color="black",
        fontsize=7.5,
    )
    put_heading(figure, title)
    return figure


def _add_box(ax, center, radius, color, line, width):
    ax.add_patch(
        Rectangle(
            center - radius,
            2 * radius,
            2 * radius,
            fill=False,
            edgecolor=color,
            linestyle=line,
            linewidth=width,
            zorder=5,
        )
    )


def add_heuristic_example(gallery):
    """Return the figure and a text that tells what was computed."""
    case = heuristic_example()
    shares = [str(Fraction(float(weight)).limit_denominator(1000)) for weight in case.weights]
    step = ", ".join(_names.percent(value, 4) for value in case.step)
    text = (
        f"Two planes, −x₁ + x₂ = 0 and x₁ + x₂ = 2, answer −1 at x = (0.6, 0.5), rightly. The "
        f"heuristic adversary weighs their normals with β = ({', '.join(shares)}) and goes a step "
        f"of length {case.radius:g} along the sum: δ = ({step}). After it "
        f"{len(case.fooled)} of {len(case.coef)} planes are wrong. The step is what redoubt.attack "
        f'returns with adversary="heuristic".'
    )
    figure = gallery.add(
        _draw_step(case),
        "concept-heuristic-adversary",
        "The heuristic adversary's step",
        f"Two planes, a point, the ball around it, the weighted normals and the step ({step}).",
        f"β = ({', '.join(shares)}), δ = ({step}).",
    )
    return figure, text


def _draw_step(case):
    total = 3.1
    figure = Figure(figsize=(WIDTH, total))
    ax = figure.add_axes((0.11, 0.10, 0.87, 0.80))
    box = (-1.0, 2.35, -0.65, 1.8)
    feet = [(-0.3, -0.3), (1.6, 0.4)]  # where the normals stand on their planes
    for index, (w, b) in enumerate(zip(case.coef, case.intercept, strict=True)):
        color = (_style.BLUE, _style.GREEN)[index]
        ax.plot(*segment(w, b, box).T, color=color, linewidth=1.8)
        _arrow(ax, feet[index], 0.3 * w, color, "-")
        weighted = case.weights[index] * w
        _arrow(ax, case.point, weighted, color, (0, (1.5, 1.2)))
        end = case.point + weighted
        name = "₁₂"[index]
        foot = np.asarray(feet[index]) + 0.3 * w
        _label(ax, f"w{name}", foot, ((-4, 3), (4, 3))[index], color)
        _label(ax, f"β{name}w{name}", end, ((-5, 0), (13, -3))[index], color)
    ax.add_patch(Circle(case.point, case.radius, fill=False, edgecolor=MUTED, linestyle="--"))
    _arrow(ax, case.point, case.step, _style.ORANGE, "-", width=2.0)
    ax.plot(*case.point, "o", color=INK, markersize=5, zorder=6)
    ax.plot(*(case.point + case.step), "o", color=_style.ORANGE, markersize=5, zorder=6)
    _label(ax, "x", case.point, (5, -9), INK)
    _label(ax, "x + δ", case.point + case.step, (0, 6), _style.ORANGE)
    ax.set_xlim(box[:2])
    ax.set_ylim(box[2:])
    ax.set_aspect("equal")
    _style.tidy(ax)
    put_heading(figure, "The heuristic adversary's step")
    return figure


def _label(ax, text, place, offset, color):
    """A text beside a place, on the side that the offset (in points) names."""
    side = "center" if offset[0] == 0 else "left" if offset[0] > 0 else "right"
    ax.annotate(text, place, offset, textcoords="offset points", color=color, ha=side)


def _arrow(ax, start, move, color, line, width=1.4):
    ax.annotate(
        "",
        xy=np.add(start, move),
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>",
            "color": color,
            "linestyle": line,
            "linewidth": width,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 10,
        },
        zorder=5,
    )
