"""Figures of single columns, in pages of small panels: histograms, boxes, bars.

All figures of ``explore`` are drawn from counts, so a million people cost no more ink than a hundred.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from disclosure_control.basics.drawings import COLOURS, GREY, figure_files, wrapped
from disclosure_control.steps.explore.columns import ExploredColumn, number_statistics
from disclosure_control.steps.explore.exploration import Exploration
from disclosure_control.steps.explore.tables import value_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PANELS_PER_PAGE = 12
MOST_BARS = 12
MOST_ON_TWO_LINES = 6  # bars whose names have room for two lines
MOST_MARKERS = 60


def pages(name: str, columns: Sequence[ExploredColumn], draw: Callable, found: Exploration) -> dict[str, bytes]:
    """Figures of columns by file name, a panel each; what there is no room for is added to the notes of ``found``."""
    limit = found.settings.max_drawn
    if len(columns) > limit:
        found.notes.append(
            f"{name}: the first {limit} of {len(columns)} columns are drawn, quasi-identifiers and sensitive ones "
            "first; raise max_drawn, or name columns, for the others."
        )
    shown = columns[:limit]
    files: dict[str, bytes] = {}
    for page, start in enumerate(range(0, len(shown), PANELS_PER_PAGE), start=1):
        panels = shown[start : start + PANELS_PER_PAGE]
        files |= _panels(f"{name}_{page}", panels, draw, found.settings.figures)
    return files


def _panels(name: str, columns: Sequence[ExploredColumn], draw: Callable, formats: Sequence[str]) -> dict[str, bytes]:
    n_across = min(3, len(columns))
    n_down = math.ceil(len(columns) / n_across)

    def draw_all(figure: Figure) -> None:
        panels = figure.subplots(n_down, n_across, squeeze=False).ravel()
        for panel, column in zip(panels, columns, strict=False):
            draw(panel, column)
        for panel in panels[len(columns) :]:
            panel.set_axis_off()

    return figure_files(name, draw_all, max(4.2 * n_across, 6), 2.9 * n_down, formats)


def titled(panel: Axes, column: ExploredColumn) -> None:
    """Write the column's name above a panel, and how many people have no value."""
    missing = f"\n{column.n_missing:,} without a value" if column.n_missing else ""
    panel.set_title(wrapped(column.name, 40, 2) + missing, fontsize=9)
    panel.tick_params(labelsize=8)


def short_names(texts: Iterable[object], n_letters: int = 24, n_lines: int = 2) -> list[str]:
    """Names of values on a few lines; of a long one its beginning and end. Those that come out alike are numbered."""
    most, short = n_lines * n_letters - 8, []
    for text in map(str, texts):
        whole = len(text) <= most + 4
        short.append(text if whole else f"{text[: most - n_letters // 2]} … {text[-n_letters // 2 + 3 :]}")
    alike = Counter(short)
    seen: Counter[str] = Counter()
    for i, text in enumerate(short):
        seen[text] += 1
        short[i] = wrapped(f"{text} ({seen[text]})" if alike[text] > 1 else text, n_letters, n_lines)
    return short


def other_values(n: int) -> str:
    """The name of what stands for the values that are not drawn one by one."""
    return f"{n} other value{'' if n == 1 else 's'}"


def number_axis(axis: Axis, unit: str | None, n_ticks: int = 5) -> None:
    """Few ticks with short labels, whatever the size of the numbers.

    What large numbers of a narrow range have in common stands once at the end of the axis, so that no two labels are
    alike.
    """
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    formatter = ScalarFormatter(useOffset=True, useMathText=False)
    formatter.set_powerlimits((-4, 6))
    axis.set_major_locator(MaxNLocator(n_ticks))
    axis.set_major_formatter(formatter)
    axis.get_offset_text().set_fontsize(7)
    if unit:
        axis.set_label_text(wrapped(unit, 30, 1), fontsize=8)


def people_axis(axis: Axis) -> None:
    """Make an axis count people, in whole numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(4, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda number, place: f"{number:,.0f}"))
    axis.set_label_text("people", fontsize=8)


def histogram(panel: Axes, column: ExploredColumn) -> None:
    """People by intervals of a column of numbers."""
    edges = histogram_edges(column)
    count, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    panel.bar(edges[:-1], count, np.diff(edges), align="edge", color=COLOURS[0], edgecolor="white", linewidth=0.6)
    titled(panel, column)
    number_axis(panel.xaxis, column.unit)
    people_axis(panel.yaxis)


def histogram_edges(column: ExploredColumn) -> np.ndarray:
    """Edges of 5 to 40 bins of equal width; one bin per value where there are few whole numbers close together.

    Of whole numbers each bin holds equally many.

    The width follows Freedman and Diaconis 1981, doi:10.1007/BF01025868.
    """
    values, statistics = column.encoded.labels, column.statistics
    assert statistics is not None  # numbers that somebody has
    low, high = values[0], values[-1]
    span = high / 2 - low / 2  # half of it, since twice the largest number is no number
    whole = bool((values == np.round(values)).all()) and abs(low) + abs(high) < 2**52
    if whole and high - low <= 40:
        return np.arange(low - 0.5, high + 1)
    half_width = (statistics.third_quartile / 2 - statistics.first_quartile / 2) * 2 / np.cbrt(column.n_with_value)
    with np.errstate(over="ignore"):  # more bins than there are numbers are 40 as well
        n_bins = int(np.clip(np.ceil(span / half_width), 5, 40)) if half_width > 0 else 20
    if whole:  # each bin holds as many whole numbers as the next
        width = np.ceil((high - low + 1) / n_bins)
        return low - 0.5 + width * np.arange(np.ceil((high - low + 1) / width) + 1)
    edges = low + (span / n_bins) * 2 * np.arange(n_bins + 1)
    edges[-1] = high  # whatever the sum was rounded to
    return edges if (np.diff(edges) > 0).all() else np.array([low, high])


def box_of(values: np.ndarray, people: np.ndarray, label: str) -> dict:
    """What Matplotlib draws a box from; the whiskers end at the last person inside of the fences."""
    statistics = number_statistics(values, people)
    assert statistics is not None  # somebody has a value
    inside = values[(people > 0) & (values >= statistics.low_fence) & (values <= statistics.high_fence)]
    return {
        "label": label,
        "q1": statistics.first_quartile,
        "med": statistics.median,
        "q3": statistics.third_quartile,
        "whislo": inside[0] if len(inside) else statistics.first_quartile,
        "whishi": inside[-1] if len(inside) else statistics.third_quartile,
        "fliers": [],
    }


def draw_boxes(panel: Axes, boxes: list[dict]) -> None:
    """Boxes of ``box_of`` side by side in a panel."""
    panel.bxp(
        boxes,
        orientation="horizontal",
        showfliers=False,
        patch_artist=True,
        widths=0.55,
        boxprops={"facecolor": COLOURS[4], "edgecolor": "black"},
        medianprops={"color": "black", "linewidth": 2},
    )
    panel.grid(visible=False, axis="y")


def box(panel: Axes, column: ExploredColumn) -> None:
    """Quartiles, whiskers and outliers of a column of numbers."""
    draw_boxes(panel, [box_of(column.encoded.labels, column.people, "")])
    statistics = column.statistics
    assert statistics is not None  # numbers that somebody has
    values = column.encoded.labels
    for outside in (values < statistics.low_fence, values > statistics.high_fence):
        beyond = drawn_outliers(values[outside & (column.people > 0)])
        panel.plot(beyond, np.ones(len(beyond)), "d", color=COLOURS[1], markersize=6, alpha=0.8)
    titled(panel, column)
    panel.set_yticks([])
    n_outside = statistics.n_below + statistics.n_above
    number_axis(panel.xaxis, column.unit)
    if n_outside:
        people = "1 person" if n_outside == 1 else f"{n_outside:,} people"
        where = "" if column.unit is None else f"{wrapped(column.unit, 20, 1)}; "
        panel.set_xlabel(f"{where}diamonds: {people} outside of the fences", fontsize=8)


def drawn_outliers(values: np.ndarray) -> np.ndarray:
    """Up to ``MOST_MARKERS`` of rising values, the ends among them, spread evenly: more would be one black line."""
    if len(values) <= MOST_MARKERS:
        return values
    return values[np.linspace(0, len(values) - 1, MOST_MARKERS).round().astype(int)]


def bars(panel: Axes, column: ExploredColumn) -> None:
    """People by value of a column, the commonest values and those without one."""
    values = value_texts(column)
    n_bars = min(len(values), MOST_BARS + 1) + (column.n_missing > 0)
    texts = short_names(values) if n_bars <= MOST_ON_TWO_LINES else short_names(values, 34, 1)
    order = np.arange(len(texts)) if column.kind == "number" else np.argsort(-column.people, kind="stable")
    shown, rest = order[:MOST_BARS], order[MOST_BARS:]
    names = [texts[code] for code in shown]
    people = [int(column.people[code]) for code in shown]
    if len(rest):
        names.append(other_values(len(rest)))
        people.append(int(column.people[rest].sum()))
    if column.n_missing:
        names.append("missing")
        people.append(column.n_missing)
    colours = [COLOURS[0]] * len(shown) + [GREY] * (len(names) - len(shown))
    panel.barh(np.arange(len(names)), people, color=colours)
    panel.set_yticks(np.arange(len(names)), names, fontsize=7 if len(names) > 6 else 8)
    panel.invert_yaxis()
    panel.grid(visible=False, axis="y")
    panel.set_title(wrapped(column.title, 40, 2), fontsize=9)
    panel.tick_params(axis="x", labelsize=8)
    people_axis(panel.xaxis)
