"""A drawing as PNG or PDF, drawn shape by shape by Matplotlib, which brings its own letters: the same on any machine.

It knows the few shapes that ``pieces`` writes and the looks of ``RULES``, in their light colours.
"""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path as Outline

from disclosure_control.basics.drawings.style import COLOURS, RULES

UNIT = 1 / 96  # of an inch, as a pixel of CSS
POINTS = 72 * UNIT
NARROWER = 0.92  # Matplotlib's letters are wider than those that the drawings count with
METADATA: dict[str, dict[str, None]] = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
_NUMBER = r"-?\d+(?:\.\d+)?"


def printed(svg: str, form: str) -> bytes:
    """The drawing ``svg`` of ``sheet`` as a file of the ``form`` "png" or "pdf"; equal drawings give equal bytes."""
    root = ElementTree.fromstring(svg)
    wide, tall = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure(figsize=(wide * UNIT, tall * UNIT))
    FigureCanvasAgg(figure)
    panel = figure.add_axes((0, 0, 1, 1))
    panel.set_xlim(0, wide)
    panel.set_ylim(tall, 0)
    panel.set_axis_off()
    for order, (shape, down) in enumerate(_shapes(root, 0.0)):
        _draw(panel, shape, down, order)
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, dpi=192, metadata=METADATA[form])
    return buffer.getvalue()


def _shapes(element: ElementTree.Element, down: float) -> list[tuple[ElementTree.Element, float]]:
    """Every shape in its order, with how far its group is moved down."""
    found = []
    for child in element:
        name = child.tag.rpartition("}")[2]
        if name == "g":
            found += _shapes(child, down + float(re.findall(_NUMBER, child.attrib["transform"])[1]))
        elif name not in ("title", "style"):
            found.append((child, down))
    return found


def _look(shape: ElementTree.Element, name: str) -> dict[str, str]:
    """What ``RULES`` say of a shape, colours in light."""
    kinds = [name, *(f".{kind}" for kind in shape.get("class", "").split())]
    look = {key: value for kind, rule in RULES.items() if kind in kinds for key, value in rule.items()}
    if dashes := shape.get("stroke-dasharray"):
        look["stroke-dasharray"] = dashes
    return {key: COLOURS[value][0] if value in COLOURS else value for key, value in look.items()}


def _draw(panel: Axes, shape: ElementTree.Element, down: float, order: int) -> None:
    name = shape.tag.rpartition("}")[2]
    look = _look(shape, name)
    at = {key: float(value) for key, value in shape.attrib.items() if re.fullmatch(_NUMBER, value)}
    if name == "text":
        size = float(re.findall(rf"({_NUMBER})px", look["font"])[0]) * POINTS * NARROWER
        weight = "bold" if look["font"].startswith("600") else "normal"
        place = {"start": "left", "middle": "center", "end": "right"}[shape.get("text-anchor", "start")]
        letters: dict[str, Any] = {"fontsize": size, "fontweight": weight, "color": look["fill"], "parse_math": False}
        panel.text(at["x"], at["y"] + down, shape.text or "", ha=place, va="baseline", zorder=order, **letters)
        return
    stroke, fill = look.get("stroke", "none"), look.get("fill", "none" if name == "line" else "black")
    style: dict[str, Any] = {
        "edgecolor": stroke,
        "facecolor": fill if fill == "none" else (fill, float(look.get("fill-opacity", "1"))),
        "linewidth": float(look.get("stroke-width", "1")) * POINTS if stroke != "none" else 0.0,
        "zorder": order,
    }
    if stroke != "none" and "stroke-dasharray" in look:
        style["linestyle"] = (0, [float(dash) * POINTS for dash in look["stroke-dasharray"].split()])
    if name == "rect":
        panel.add_patch(Rectangle((at["x"], at["y"] + down), at["width"], at["height"], **style))
    elif name == "circle":
        panel.add_patch(Circle((at["cx"], at["cy"] + down), at["r"], **style))
    elif name == "line":
        ends = [(at["x1"], at["y1"] + down), (at["x2"], at["y2"] + down)]
        panel.add_patch(PathPatch(Outline(ends), **style))
    else:
        panel.add_patch(PathPatch(_outline(shape.attrib["d"], down), **style))


def _outline(d: str, down: float) -> Outline:
    """The path of ``d``, of the commands M, L, l, h, v and z."""
    places: list[tuple[float, float]] = []
    codes: list[int] = []
    x = y = 0.0
    for command, given in re.findall(r"([MLlhvz])([^MLlhvz]*)", d):
        numbers = [float(number) for number in re.findall(_NUMBER, given)]
        if command in "ML":
            x, y = numbers[0], numbers[1] + down
        elif command == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif command == "h":
            x += numbers[0]
        elif command == "v":
            y += numbers[0]
        places.append((x, y))
        codes.append(int({"M": Outline.MOVETO, "z": Outline.CLOSEPOLY}.get(command, Outline.LINETO)))
    return Outline(places, codes)
