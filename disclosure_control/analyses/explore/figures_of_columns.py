"""Figures of single columns: histograms, boxes, bars.

All figures of ``explore`` are drawn from counts, so a million people cost no more ink than a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from disclosure_control.analyses.explore.columns import ExploredColumn, number_statistics
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.analyses.explore.tables import value_texts
from disclosure_control.basics.drawings.figures import BLUE, INK, ORANGE, NamedFigures, count_axis, panels, short_names
from disclosure_control.basics.telling.words import people_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANELS_PER_FILE, MOST_BARS, MOST_BINS, MOST_MARKERS = 12, 12, 30, 60
PANEL_TALL, BOX_TALL = 2.4, 1.5
BOX_STYLE: dict[str, Any] = {
    "patch_artist": True,
    "orientation": "horizontal",
    "widths": 0.6,
    "boxprops": {"facecolor": BLUE, "alpha": 0.4, "edgecolor": INK},
    "medianprops": {"color": INK, "linewidth": 2},
    "flierprops": {"marker": "D", "markersize": 4, "markerfacecolor": ORANGE, "markeredgecolor": INK},
}


def figures_of(
    name: str,
    title: str,
    columns: Sequence[ExploredColumn],
    draw: Callable[[Axes, ExploredColumn], None],
    found: Exploration,
    tall: float | None,
) -> NamedFigures:
    """Figures with a panel per column, ``tall`` in inches, None for bars; notes of ``found`` list what is omitted."""
    limit = found.settings.max_drawn
    if len(columns) > limit:
        found.notes.append(
            f"{name}: the first {limit} of {len(columns)} columns are drawn, quasi-identifiers and sensitive ones "
            "first; raise max_drawn, or name columns, for the others."
        )
    for number, start in enumerate(range(0, min(len(columns), limit), PANELS_PER_FILE), start=1):
        drawn = columns[:limit][start : start + PANELS_PER_FILE]
        figure, places = panels(title, [_tall_of_bars(column) if tall is None else tall for column in drawn])
        for axes, column in zip(places, drawn, strict=True):
            axes.set_title(short_names([column.title], 56, 30)[0])
            draw(axes, column)
        yield f"{name}_{number}", figure


def are_whole(values: np.ndarray) -> bool:
    return bool((values == np.round(values)).all()) and abs(values[0]) + abs(values[-1]) < 2**52


def number_axis(axes: Axes, column: ExploredColumn, which: Literal["x", "y"] = "x") -> None:
    """Ticks at whole numbers, if the column has no others."""
    axes.locator_params(which, nbins=6, integer=are_whole(column.encoded.labels))


def without_value(column: ExploredColumn) -> str:
    """How many people a figure of a column leaves out, "" if nobody."""
    return f"{people_text(column.n_missing, ',')} without a value" if column.n_missing else ""


def other_values(n: int) -> str:
    """The name of the values that are not drawn one by one."""
    return f"{n} other value{'' if n == 1 else 's'}"


def histogram(axes: Axes, column: ExploredColumn) -> None:
    """People by intervals of a column of numbers."""
    edges = histogram_edges(column)
    people, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    axes.bar(edges[:-1], people, np.diff(edges), align="edge", color=BLUE, edgecolor="white", linewidth=0.5)
    number_axis(axes, column)
    count_axis(axes)
    axes.set_xlabel(without_value(column))


def histogram_edges(column: ExploredColumn) -> np.ndarray:
    """Edges of at most ``MOST_BINS`` bins of one round width; each is [a, b), the last one closed.

    The width is near that of Freedman and Diaconis 1981, doi:10.1007/BF01025868. Whole numbers are inside of bins.
    """
    from matplotlib.ticker import MaxNLocator

    values, statistics = column.encoded.labels[column.people > 0], column.statistics
    assert statistics is not None  # numbers that somebody has
    half = 0.5 if are_whole(values) else 0.0
    low, high = float(values[0]) - half, float(values[-1]) + half
    wide = 2 * (statistics.third_quartile / 2 - statistics.first_quartile / 2) / np.cbrt(column.n_with_value)
    n_bins = math.ceil(min(MOST_BINS, (high / 2 - low / 2) / wide)) if wide > 0 else MOST_BINS  # it may be infinite
    locator = MaxNLocator(n_bins, steps=[1, 2, 5, 10], integer=half > 0)
    edges = np.asarray(locator.tick_values(low + half, high + half)) - half
    step = np.diff(edges[:2])  # an end may be left outside
    edges = np.concatenate([edges[:1] - step, edges, edges[-1:] + step])
    return edges[np.searchsorted(edges, low + half, "right") - 1 : np.searchsorted(edges, high - half) + 1]


def box_of(values: np.ndarray, people: np.ndarray, label: str = "") -> dict[str, Any]:
    """A box, as ``Axes.bxp`` takes it, of rising ``values`` (n,) with the ``people`` who have each.

    Whiskers end within the fences. At most ``MOST_MARKERS`` values outside of them are kept on each side.
    """
    statistics = number_statistics(values, people)
    assert statistics is not None  # somebody has a value
    there = values[people > 0]
    inside = there[(there >= statistics.low_fence) & (there <= statistics.high_fence)]
    beyond = [there[there < statistics.low_fence], there[there > statistics.high_fence]]
    return {
        "label": label,
        "whislo": float(inside[0]) if len(inside) else statistics.first_quartile,
        "q1": statistics.first_quartile,
        "med": statistics.median,
        "q3": statistics.third_quartile,
        "whishi": float(inside[-1]) if len(inside) else statistics.third_quartile,
        "fliers": np.concatenate([drawn_outliers(side) for side in beyond]),
    }


def box(axes: Axes, column: ExploredColumn) -> None:
    """Quartiles, whiskers and outliers of a column of numbers."""
    statistics = column.statistics
    assert statistics is not None  # numbers that somebody has
    axes.bxp([box_of(column.encoded.labels, column.people)], **BOX_STYLE)
    n_outside = statistics.n_below + statistics.n_above
    words = [f"median {statistics.median:.6g}"]
    words += [f"diamonds: {people_text(n_outside, ',')} outside the fences"] if n_outside else []
    words += [without_value(column)] if column.n_missing else []
    axes.set_xlabel("\n".join(words))
    number_axis(axes, column)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def drawn_outliers(values: np.ndarray) -> np.ndarray:
    """Up to ``MOST_MARKERS`` of rising values, with both ends, spread evenly: more would merge into a black line."""
    if len(values) <= MOST_MARKERS:
        return values
    return values[np.linspace(0, len(values) - 1, MOST_MARKERS).round().astype(int)]


def bars_of(column: ExploredColumn) -> tuple[list[str], list[int]]:
    """Names and people of a column's values: numbers in their order, others the commonest first, then the missing."""
    texts = short_names(value_texts(column))
    order = np.arange(len(texts)) if column.encoded.is_numeric else np.argsort(-column.people, kind="stable")
    shown, rest = order[:MOST_BARS], order[MOST_BARS:]
    names, people = [texts[code] for code in shown], [int(column.people[code]) for code in shown]
    if len(rest):
        names, people = [*names, other_values(len(rest))], [*people, int(column.people[rest].sum())]
    if column.n_missing:
        names, people = [*names, "(no value)"], [*people, column.n_missing]
    return names, people


def bars(axes: Axes, column: ExploredColumn) -> None:
    """People by value of a column."""
    names, people = bars_of(column)
    drawn = axes.barh(range(len(names)), people, color=BLUE)
    axes.bar_label(drawn, [f"{n:,}" for n in people], padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.locator_params("x", nbins=4)
    count_axis(axes, "x")


def _tall_of_bars(column: ExploredColumn) -> float:
    return 0.9 + 0.16 * sum(1 + name.count("\n") for name in bars_of(column)[0])
