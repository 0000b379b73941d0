"""The figures of a sweep, made from the rows of its summary: risk and utility by parameter, and the map of both."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from disclosure_control.analyses.sweep.trial import UNTREATED, SweepRow, row_name, shown_value
from disclosure_control.basics.drawings.figures import BLUE, INK, ORANGE, RED, SOFT, NamedFigures, panels, short_names
from disclosure_control.basics.drawings.names import groups_of, with_room
from disclosure_control.basics.drawings.pieces import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 24  # further methods are in the table only
PANEL_TALL, AXIS_WIDE = 2.5, 210  # inches, points
APART = 0.4  # of the span of a parameter: the untreated pilot beside it
LETTER = 5.0  # points
NAMES_IN_A_LIST, MOST_LISTS = 30, 2
LETTERS_OF_A_NAME = 24  # in a line
NEAR = 2 * LETTER  # marks closer than this share their name
MAP = "Treatments by risk and by how much they changed"

Percent = Callable[[SweepRow], float | None]

# The names in the figures. All in percent, and in both lower is better.
RISKS: Mapping[str, Percent] = {
    "alone in their class": lambda row: row.percent_unique,
    "in classes of 5 or fewer": lambda row: row.percent_k_le_5,
    "expected to be found": lambda row: row.avg_linkage_risk_percent,
}
LOSSES: Mapping[str, Percent] = {
    "numbers moved (IL1)": lambda row: 100 * (row.utility["IL1_numeric"] or 0.0),
    "categories changed (IL1)": lambda row: 100 * (row.utility["IL1_categorical"] or 0.0),
    "correlations lost (eigenvalues)": lambda row: (
        None if (kept := row.utility["eigenvalue_similarity_percent"]) is None else max(0.0, 100 - kept)
    ),
    "people removed or suppressed": lambda row: row.percent_records_touched,
}
LOOKS = (("o", "-", BLUE), ("s", "--", ORANGE), ("^", ":", RED), ("D", "-.", INK))
MARKS: tuple[tuple[Callable[[SweepRow], bool], dict[str, Any]], ...] = (
    (lambda row: not row.pareto_front, {"marker": "o", "ms": 5, "color": BLUE, "alpha": 0.6}),
    (lambda row: row.pareto_front, {"marker": "D", "ms": 6, "mfc": ORANGE, "mec": INK}),
    (lambda row: row.mildest_that_meets_k, {"marker": "o", "ms": 15, "mfc": "none", "mec": INK}),
)


def sweep_figures(rows: Sequence[SweepRow]) -> NamedFigures:
    """The three figures, with their names; without a treatment, or without anybody evaluated, fewer.

    ``rows`` are the summary's, untreated first. The first ``MOST_PANELS`` methods have a panel by parameter.
    """
    series = dict[str, list[SweepRow]]()
    for row in rows[1:]:
        series.setdefault(row.method, []).append(row)
    shown = dict(list(series.items())[:MOST_PANELS])
    left_out = "" if len(shown) == len(series) else f" (first {len(shown)} of {len(series)} methods)"
    losses = {label: of for label, of in LOSSES.items() if any(of(row) for found in shown.values() for row in found)}
    for name, title, measures in (
        ("sweep_risk", f"Risk by parameter, % of the people: lower is safer{left_out}", RISKS),
        ("sweep_utility", f"Loss by parameter, %: lower is closer to the original{left_out}", losses or LOSSES),
    ):
        if not shown:
            continue
        figure, places = panels(title, [PANEL_TALL] * len(shown))
        for axes, (method, found) in zip(places, shown.items(), strict=True):
            axes.set_title(short_names([method], 70, 40)[0])
            draw_measures(axes, rows[0], found, measures)
        handles, labels = places[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=min(4, len(shown)))
        yield name, figure
    if any(row.avg_linkage_risk_percent is not None for row in rows):
        yield "risk_utility_map", map_figure(rows)


def draw_measures(axes: Axes, untreated: SweepRow, rows: Sequence[SweepRow], measures: Mapping[str, Percent]) -> None:
    """The measures of one method over its parameter, and the untreated pilot apart, on the left.

    Numbers are at their place on the axis, joined by lines; other values are side by side.
    """
    is_number = all(isinstance(row.param_value, int | float) and not isinstance(row.param_value, bool) for row in rows)
    rows = sorted(rows, key=lambda row: cast(float, row.param_value)) if is_number else rows
    values = [row.param_value for row in rows]
    places = np.array(values if is_number else range(len(rows)), dtype=float)
    span = float(np.ptp(places)) or 1.0
    apart = float(places.min()) - APART * span
    for (label, of), (marker, dashes, colour) in zip(measures.items(), LOOKS, strict=False):
        before, *after = (nan if (percent := of(row)) is None else percent for row in (untreated, *rows))
        look: dict[str, Any] = {"marker": marker, "color": colour, "ms": 5, "clip_on": False}
        axes.plot(places, after, ls=dashes if is_number else "none", label=label, **look)
        axes.plot(apart, before, mfc="white", **look)
    axes.axvline(apart + APART * span / 2, color=SOFT, linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left := apart - 0.2 * span, right := places.max() + 0.15 * span)
    axes.set_xlabel(shortened(rows[0].param_name, 40))
    labels = [UNTREATED, *("treated" if value is None else shown_value(value, 16) for value in values)]
    at = np.array([apart, *places])
    is_broad = not is_number and max(map(len, labels[1:])) * LETTER > AXIS_WIDE / len(at)
    shown = with_room(at * AXIS_WIDE / (right - left), labels, LETTER) if is_number else range(len(at))
    axes.set_xticks(at[shown], [labels[i] for i in shown], rotation=90 if is_broad else 0)


def map_figure(rows: Sequence[SweepRow]) -> Figure:
    """Every row by its loss and its remaining risk, numbered as in the table, with the list of names beside it."""
    shown = [(number, row) for number, row in enumerate(rows) if row.avg_linkage_risk_percent is not None]
    names = [f"{number}  {shortened(row_name(row), 48)}" for number, row in shown]
    n_lists = min(-(-len(names) // NAMES_IN_A_LIST), MOST_LISTS)
    per_list = -(-len(names) // n_lists)
    heights = [max(5.5, per_list * 0.17)] * (1 + n_lists)
    figure, (axes, *lists) = panels(MAP, heights, map_note(rows), wides=[7.0, *[3.6] * n_lists])
    for i, place in enumerate(lists):
        place.set_axis_off()
        place.text(0, 1, "\n".join(names[i * per_list : (i + 1) * per_list]), va="top", linespacing=1.4)
    points = np.array([(row.loss, row.avg_linkage_risk_percent) for _, row in shown], dtype=float)
    for is_drawn, look in MARKS:
        axes.plot(*points[[is_drawn(row) for _, row in shown]].T, ls="none", **look)
    axes.set(xlabel="changed (IL1, mean of the columns)", ylabel="people expected to be found")
    axes.margins(0.12)
    axes.yaxis.set_major_formatter("{x:g}%")
    _name_points(figure, axes, points, [number for number, _ in shown])
    return figure


def _name_points(figure: Figure, axes: Axes, points: np.ndarray, numbers: Sequence[int]) -> None:
    """The number of each point (n, 2) above it; points so near that their numbers would meet share a name."""
    figure.draw_without_rendering()  # places the axes
    marks = [(float(x), float(y)) for x, y in axes.transData.transform(points) * 72 / figure.dpi]  # points of letters
    named: dict[int, list[int]] = {}  # the numbers beside the first mark of each group
    for first, *others in groups_of(marks, NEAR, NEAR):
        mine = [numbers[i] for i in (first, *others)]
        beside = next((one for one in named if _would_meet(marks[one], named[one], marks[first], mine)), first)
        named[beside] = sorted([*named.get(beside, ()), *mine])
    for first, mine in named.items():
        name = textwrap.fill(_runs(mine), LETTERS_OF_A_NAME)
        axes.annotate(name, tuple(points[first]), (0, 5), "data", "offset points", ha="center", va="bottom")


def _would_meet(
    one: tuple[float, float], of_one: Sequence[int], other: tuple[float, float], of_other: Sequence[int]
) -> bool:
    """Whether the names of two marks, of these numbers, would lie on each other."""
    n_letters = sum(min(len(_runs(numbers)), LETTERS_OF_A_NAME) for numbers in (of_one, of_other))
    return abs(one[0] - other[0]) < LETTER * n_letters / 2 + LETTER and abs(one[1] - other[1]) < 1.5 * NEAR


def _runs(numbers: Sequence[int]) -> str:
    """Rising numbers, three and more in a row by the first and the last: 3, 5–7."""
    parts = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in parts)


def map_note(rows: Sequence[SweepRow]) -> str:
    """The meaning of the map's symbols."""
    words = (
        "Each point is a treatment: to the right it changed more, above it leaves more people to be found. "
        "Diamonds: the Pareto front, beaten by none in both."
    )
    ringed = next((number for number, row in enumerate(rows) if row.mildest_that_meets_k), None)
    if ringed is None:
        return words
    off = "" if rows[ringed].pareto_front else ", which is off the front but meets k"
    return f"{words} In the ring: {ringed}, the mildest that meets k{off}."
