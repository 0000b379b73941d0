"""Figures as files of their own, drawn by matplotlib: SVG, PNG or PDF. Equal figures give equal bytes.

matplotlib is imported where a figure is drawn: it is optional, and takes a second to import.
"""

from __future__ import annotations

import io
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from disclosure_control.basics.drawings.style import COLOURS
from disclosure_control.basics.settings.kinds import Kind, some_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NamedFigures: TypeAlias = "Iterable[tuple[str, Figure]]"
METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
FORMATS = tuple(METADATA)
DEFAULT_FORMATS = ("svg",)
FIGURES = Kind(
    lambda value: isinstance(value, bool) or some_of(*FORMATS).is_valid(value),
    f"True (SVG), False, or a list of {', '.join(FORMATS)}",
    lambda value: formats_of(value),
)
INK, SOFT, BLUE, ORANGE, RED = (COLOURS[name][0] for name in ("ink", "soft", "blue", "orange", "red"))
STYLE: dict[str, Any] = {
    "axes.edgecolor": SOFT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.08,  # inches
    "figure.constrained_layout.w_pad": 0.1,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on any machine
    "font.size": 8,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "svg.hashsalt": "figures",
    "text.parse_math": False,  # names have dollar signs
}
LETTERS_PER_INCH = 13


def formats_of(value: bool | Sequence[str]) -> tuple[str, ...]:
    """The forms of files that a setting of ``FIGURES`` asks for; by default one."""
    if isinstance(value, bool):
        return DEFAULT_FORMATS if value else ()
    return tuple(dict.fromkeys(value))


def not_drawn(formats: Sequence[str]) -> str:
    """A notice that requested figures cannot be drawn here; "" where they can, or where none are requested."""
    if not formats or find_spec("matplotlib") is not None:
        return ""
    return (
        "No figures are drawn, because matplotlib is not installed: pip install -r requirements/figures.txt. "
        "All tables are written."
    )


def styled() -> AbstractContextManager[None]:
    """The look of every figure that is drawn and laid out within, whatever the settings of this machine."""
    from matplotlib import style

    return style.context(["default", STYLE])


def figure_files(figures: NamedFigures, formats: Sequence[str]) -> dict[str, bytes]:
    """A file of each form for each named figure; none where ``not_drawn``. ``figures`` are drawn one by one here."""
    if not formats or not_drawn(formats):
        return {}
    files = {}
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # it shows a letter of a value on the screen
        for name, figure in figures:
            for form in formats:
                buffer = io.BytesIO()
                figure.savefig(buffer, format=form, metadata=METADATA[form])
                files[f"{name}.{form}"] = buffer.getvalue()
    return files


def panels(
    title: str, heights: Sequence[float], note: str = "", wides: Sequence[float] = (4.0, 4.0, 4.0)
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel of each of the ``heights``, side by side as wide as ``wides``, both in inches."""
    from matplotlib.figure import Figure

    wides = wides[: len(heights)]
    across = len(wides)
    tall = [max(heights[i : i + across]) for i in range(0, len(heights), across)]
    n_letters = int(sum(wides) * LETTERS_PER_INCH)
    head, foot = textwrap.fill(title, int(0.7 * n_letters)), textwrap.fill(note, int(1.2 * n_letters))
    n_lines = 2 + head.count("\n") + foot.count("\n")
    figure = Figure((sum(wides), sum(tall) + 0.2 * n_lines), layout="constrained")
    figure.suptitle(head, x=0.01, ha="left")
    figure.supxlabel(foot, x=0.01, ha="left", fontsize=8, color=SOFT)
    grid = figure.add_gridspec(len(tall), across, height_ratios=tall, width_ratios=wides)
    return figure, [figure.add_subplot(grid[i // across, i % across]) for i in range(len(heights))]


def count_axis(axes: Axes, which: Literal["x", "y"] = "y") -> None:
    """An axis of whole numbers of people."""
    axes.locator_params(which, integer=True)
    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_formatter("{x:,.0f}")
    axis.set_label_text("people")


def cut_in_the_middle(words: str, at_most: int) -> str:
    """Text with its middle cut out where it is too long for its place: names often differ at their ends."""
    tail = at_most // 3
    return words if len(words) <= at_most else f"{words[: at_most - tail - 3]} … {words[-tail:]}"


def short_names(texts: Iterable[object], n_letters: int = 40, a_line: int = 22) -> list[str]:
    """Names in so many letters, on lines; of a long one its beginning and end, and a number where two become equal."""
    short = [cut_in_the_middle(str(words), n_letters) for words in texts]
    alike, seen = Counter(short), Counter[str]()
    for i, words in enumerate(short):
        seen[words] += 1
        short[i] = textwrap.fill(f"{words} ({seen[words]})" if alike[words] > 1 else words, a_line)
    return short
