"""Draws the figures of docs/algorithms.md into docs/images.

    .venv/bin/python docs/figures/search_figures.py

The search is the one that the page prints, run as it stands there.
"""

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

DOCS = Path(__file__).parents[1]
BLUE, ORANGE, GREY, GREEN = "#2a6fbb", "#c8641b", "#777777", "#2e8b57"
plt.rcParams.update(
    {"svg.hashsalt": "redoubt", "svg.fonttype": "none", "font.size": 11, "font.family": "sans-serif"}
)


def page_code():
    """What the page defines: the search, and its example."""
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", (DOCS / "algorithms.md").read_text(), re.M | re.S):
        exec(block, names)
    return names


def save(figure, name):
    path = DOCS / "images" / name
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None}, dpi=110)
    plt.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def draw_votes(ax, W, b, reach):
    """Shades how many planes vote +1, and draws the planes."""
    x0, x1 = np.meshgrid(*(np.linspace(*side, 500) for side in reach))
    votes = sum((w[0] * x0 + w[1] * x1 + bias >= 0).astype(int) for w, bias in zip(W, b, strict=True))
    levels = np.arange(len(b) + 2) - 0.5
    ax.contourf(x0, x1, votes, levels, cmap="PuOr", alpha=0.35).set_rasterized(True)
    ax.contour(x0, x1, votes, [len(b) / 2], colors="black", linewidths=2.2).set_rasterized(True)
    for i, (w, bias) in enumerate(zip(W, b, strict=True)):
        foot = -bias * w / (w @ w)
        along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
        ax.plot(*np.array([foot - 20 * along, foot + 20 * along]).T, color=GREY, lw=0.9)
        place = min((foot + s * along for s in np.linspace(-6, 6, 121)),
                    key=lambda z: abs(max(abs(z[0] - np.mean(reach[0])) / np.ptp(reach[0]),
                                          abs(z[1] - np.mean(reach[1])) / np.ptp(reach[1])) - (0.46 - 0.055 * (i % 3))))  # fmt: skip
        ax.annotate(str(i), place, ha="center", va="center", fontsize=10, color=GREY,
                    bbox={"boxstyle": "circle,pad=0.15", "fc": "white", "ec": GREY, "lw": 0.7})  # fmt: skip
    ax.set(xlim=reach[0], ylim=reach[1], aspect="equal", xticks=[], yticks=[])


def draw_three_planes():
    W, b, x = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([0.0, 0, -1]), np.array([3.0, 1.5])
    move = np.array([-1.75, -1.75])
    radius = np.linalg.norm(move)
    figure, ax = plt.subplots(figsize=(6.4, 4.6))
    draw_votes(ax, W, b, [(-1.6, 6.2), (-2.2, 4.2)])
    ax.add_patch(Circle(x, radius, fill=False, ec=BLUE, lw=2))
    ax.annotate("", x + move, x, arrowprops={"arrowstyle": "-|>", "color": ORANGE, "lw": 2})
    ax.plot(*x, "o", color=BLUE, ms=8)
    ax.plot(*(x + move), "X", color=ORANGE, ms=10)
    ax.annotate("x", x, xytext=(9, 5), textcoords="offset points", fontsize=14)
    ax.annotate("the witness", x + move, xytext=(14, -24), textcoords="offset points",
                color=ORANGE, bbox={"fc": "white", "ec": "none", "alpha": 0.8, "pad": 1})  # fmt: skip
    ax.annotate(f"R = {radius:.3f}", x + move / 2, xytext=(6, -12), textcoords="offset points", color=ORANGE)
    ax.annotate("inside the ball the\nanswer is certain", x, xytext=(0, 46), textcoords="offset points",
                ha="center", color=BLUE)  # fmt: skip
    save(figure, "three_planes.svg")


def draw_search(code):
    W, b = code["W"], code["b"]
    nodes = []
    radius, _ = code["search"](W, b, 3, lambda *node: nodes.append(node))
    moves = {tuple(members): code["least_move"](W[members], b[members]) for members, _, _ in nodes if members}

    figure, (plane, tree) = plt.subplots(1, 2, figsize=(11.5, 4.6), width_ratios=[1, 1.25])
    draw_votes(plane, W, b, [(-3.2, 3.2), (-2.1, 3.3)])
    plane.plot(0, 0, "o", color=BLUE, ms=8)
    plane.add_patch(Circle((0, 0), radius, fill=False, ec=BLUE, lw=2))
    for members, size, event in nodes:
        if not members:
            continue
        end = -moves[tuple(members)]
        color = {"branch": GREY, "too long": GREY, "best so far": ORANGE}[event]
        final = event == "best so far" and abs(size - radius) < 1e-12
        plane.annotate("", end, (0, 0),
                       arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2 if final else 1})  # fmt: skip
        if final:
            plane.plot(*end, "X", color=ORANGE, ms=10)
        text = "{" + ", ".join(map(str, members)) + "}"
        offset = {"{4, 2}": (-22, 20), "{4}": (18, -10), "{0}": (20, 17), "{3, 1}": (-6, 16)}.get(text, (-24, -8))
        plane.annotate(text, end, xytext=offset, textcoords="offset points", ha="center", va="center",
                       color=ORANGE if color == ORANGE else "#444444",
                       bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.85})  # fmt: skip

    tree.axis("off")
    leaves = [members for members, _, _ in nodes if not any(m[:-1] == members and m for m, _, _ in nodes)]
    place = {tuple(members): (2.4 * i, -len(members)) for i, members in enumerate(leaves)}
    for members, _, _ in sorted(nodes, key=lambda node: -len(node[0])):
        children = [m for m, _, _ in nodes if m and m[:-1] == members]
        if children:
            place[tuple(members)] = (np.mean([place[tuple(m)][0] for m in children]), -len(members))
    for number, (members, size, event) in enumerate(nodes, 1):
        here = place[tuple(members)]
        if members:
            above = place[tuple(members[:-1])]
            tree.plot(*zip(above, here, strict=True), color=GREY, lw=1, zorder=0)
        name = "{" + ", ".join(map(str, members)) + "}" if members else "{ }"
        final = event == "best so far" and abs(size - radius) < 1e-12
        word = "best: the answer" if final else {"too long": "too long: cut"}.get(event, event)
        tree.annotate(f"{number}.  {name}\nD = {size:.3f}\n{word}", here, ha="center", va="center",
                      bbox={"boxstyle": "round,pad=0.4", "fc": "white", "ec": ORANGE if final else GREY,
                            "lw": 2 if final else 1})  # fmt: skip
    xs = [p[0] for p in place.values()]
    tree.set(xlim=(min(xs) - 1.3, max(xs) + 1.3), ylim=(min(p[1] for p in place.values()) - 0.4, 0.4))
    save(figure, "search_tree.svg")


if __name__ == "__main__":
    draw_three_planes()
    draw_search(page_code())
