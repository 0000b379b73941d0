"""One style for every figure: readable in grey and by the colour-blind, and the same bytes for the same data.

Drawn by Matplotlib (``requirements-figures.txt``) without pyplot, so nothing global is left behind and no screen is
needed. Series differ by colour, marker and line, whatever is printed in grey.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from disclosure_control.basics.settings import Check, are_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito 2008, without the yellow that white paper swallows; neighbours differ in lightness too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#56B4E9", "#CC79A7", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
GREY = "#666666"
HOW_TO_INSTALL = "pip install -r requirements-figures.txt"

_STYLE: dict[Any, Any] = {  # Matplotlib's stubs know each name as a type of its own
    "font.family": "DejaVu Sans",  # comes with Matplotlib: the same letters everywhere
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "legend.fontsize": 9,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "svg.hashsalt": "bio-streams",  # without it each file gets ids of its own
    "svg.fonttype": "path",
}
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
DEFAULT_FORMATS = ("svg",)
FIGURES: Check = (
    lambda value: isinstance(value, bool) or (are_names(value) and len(value) > 0 and set(value) <= set(_METADATA)),
    f"True (SVG), False, or a list of {' and '.join(_METADATA)}",
)


def can_draw() -> bool:
    """Whether Matplotlib is installed; it is imported only when something is drawn."""
    return find_spec("matplotlib") is not None


def formats_of(value: bool | Sequence[str]) -> tuple[str, ...]:
    """The forms of files that a setting of ``FIGURES`` asks for; by default one."""
    if isinstance(value, bool):
        return DEFAULT_FORMATS if value else ()
    return tuple(dict.fromkeys(value))


def figure_files(
    name: str,
    draw: Callable,
    width: float = 9.0,
    height: float = 5.0,
    formats: Sequence[str] = DEFAULT_FORMATS,
) -> dict[str, bytes]:
    """``{name}.svg`` as bytes, or files of other ``formats``, of what ``draw(figure)`` draws; its size in inches.

    The user's own Matplotlib settings are left alone and not looked at, so equal data give equal bytes.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    files = {}
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        figure.set_layout_engine(None)  # it stays as it is, and is not worked out again, with a drawing for it, by each
        for suffix in formats:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, metadata=_METADATA[suffix])
            files[f"{name}.{suffix}"] = buffer.getvalue()
    return files


def series_style(i: int) -> dict[str, object]:
    """Colour, marker and line of the ``i``-th series; 63 of them differ in colour or marker."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
    }


def wrapped(text: str, n_letters: int = 34, n_lines: int = 3) -> str:
    """A long name on a few lines; what does not fit ends in an ellipsis. A ``$`` stays a dollar sign."""
    lines = textwrap.wrap(text, n_letters, max_lines=n_lines, placeholder=" …") or [""]
    return "\n".join(lines).replace("$", r"\$")


def place_labels(
    figure: Figure, panel: Axes, labels: Sequence[tuple[tuple[float, float], str]], points: Sequence
) -> None:
    """Write each text beside its point where it covers no other text and no point; where it would, leave it out.

    ``labels`` are ((x, y), text), ``points`` all ((x, y), radius) drawn: places in the units of ``panel``, radii in
    those of fonts. Call it last.
    """
    figure.draw_without_rendering()  # only now the layout, and with it the place on paper, is settled
    per_point = figure.dpi / 72
    size = 8 * per_point
    taken = []
    for point, radius in points:
        (x, y), r = panel.transData.transform(point), radius * per_point
        taken.append((x - r, y - r, x + r, y + r))
    for point, text in labels:
        x, y = panel.transData.transform(point)
        width = 0.62 * size * len(text)
        for right, up in ((6, 4), (6, -12), (-6, 4), (-6, -12), (9, 8), (6, 14), (-6, 14)):
            left = x + right * per_point - (width if right < 0 else 0)
            bottom = y + up * per_point
            box = (left, bottom, left + width, bottom + size)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                panel.annotate(
                    text,
                    point,
                    xytext=(right, up),
                    textcoords="offset points",
                    fontsize=8,
                    ha="left" if right > 0 else "right",
                    annotation_clip=False,
                )
                break


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
