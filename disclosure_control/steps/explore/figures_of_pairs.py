"""Figures of several columns together: boxes by group, mosaic, pair plot, map of correlations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from disclosure_control.basics.drawings import COLOURS, figure_files, wrapped
from disclosure_control.basics.small_counts import HAND_TO_HAND
from disclosure_control.basics.words import people_text
from disclosure_control.steps.explore.associations import cross_table
from disclosure_control.steps.explore.columns import ExploredColumn
from disclosure_control.steps.explore.exploration import Exploration
from disclosure_control.steps.explore.figures_of_columns import (
    box_of,
    draw_boxes,
    histogram_edges,
    number_axis,
    other_values,
    short_names,
    titled,
)
from disclosure_control.steps.explore.tables import value_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_GROUPS = 12
MOST_WITH_NUMBERS = 25  # columns of the correlation map, to write rho into its cells
MOST_IN_PAIR_PLOT = 5
MOST_MOSAIC_LEVELS = 8
MOST_PAIRS_TRIED = 200
N_CELLS = 24  # of the pair plot, along each side
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo", "+++")


def _groups(column: ExploredColumn) -> tuple[np.ndarray, list[str]]:
    """Codes of the largest groups and their names with the number of people."""
    order = np.argsort(-column.people, kind="stable")[:MOST_GROUPS]
    chosen = np.sort(order[column.people[order] > 0])
    texts = short_names(value_texts(column))
    return chosen, [f"{texts[code]}\n(n = {int(column.people[code]):,})" for code in chosen]


def boxes_by_group(found: Exploration, numbers: Sequence[ExploredColumn]) -> dict[str, bytes]:
    """A box of each column of numbers in each group of the config's ``group``; no file without one."""
    if found.settings.group is None:
        return {}
    group = found.column(found.settings.group)
    if group not in found.categories:
        found.notes.append(f"No boxes by {group.name}: it has {group.n_distinct} values; max_levels allows fewer.")
        return {}
    chosen, names = _groups(group)
    if group.n_distinct > len(chosen):
        found.notes.append(f"Boxes by {group.name}: the {len(chosen)} largest of {group.n_distinct} groups are drawn.")
    shown = [column for column in numbers if column is not group][: MOST_IN_PAIR_PLOT + 1]
    if len(shown) < len([column for column in numbers if column is not group]):
        found.notes.append(f"Boxes by {group.name}: the first {len(shown)} of {len(numbers)} columns are drawn.")
    if not shown:
        return {}

    def draw(figure: Figure) -> None:
        n_across = min(2, len(shown))
        panels = figure.subplots(math.ceil(len(shown) / n_across), n_across, squeeze=False).ravel()
        for panel, column in zip(panels, shown, strict=False):
            people = _counts_by_group(group, column, chosen)
            boxes = [
                box_of(column.encoded.labels, counts, name)
                for name, counts in zip(names, people, strict=True)
                if counts.any()
            ]
            if boxes:
                draw_boxes(panel, boxes)
                panel.invert_yaxis()
            titled(panel, column)
            number_axis(panel.xaxis, column.unit)
        for panel in panels[len(shown) :]:
            panel.set_axis_off()
        figure.suptitle(f"by {wrapped(group.name, 60, 1)}; outliers are not drawn", fontsize=10)

    height = max(2.2, 0.9 + 0.45 * len(chosen)) * math.ceil(len(shown) / 2) + 0.4
    return figure_files("explore_boxes_by_group", draw, 10, height, found.settings.figures)


def _counts_by_group(group: ExploredColumn, column: ExploredColumn, chosen: np.ndarray) -> list[np.ndarray]:
    """People per value of the column within each chosen group; a column of very many values by its records."""
    n_values = len(column.encoded.labels)
    has_value = column.encoded.codes >= 0
    counts = []
    for code in chosen:
        mine = column.encoded.codes[(group.encoded.codes == code) & has_value]
        counts.append(np.bincount(mine, minlength=n_values))
    return counts


def mosaic(found: Exploration) -> dict[str, bytes]:
    """People by the values of two columns, as areas; no file where there is no such pair."""
    if found.settings.mosaic is not None:
        pair = [found.column(name) for name in found.settings.mosaic]
        if not all(column in found.categories for column in pair):
            found.notes.append("No mosaic: one of its columns has no value, or more than max_levels allows.")
            return {}
    else:
        pair = _pair_that_varies(found)
    if len(pair) < 2:
        return {}
    one, other = pair
    people, names, other_names = _mosaic_cells(one, other)
    if not people.any():
        return {}

    def draw(figure: Figure) -> None:
        panel = figure.subplots()
        widths = people.sum(axis=1) / people.sum()
        left = 0.0
        ticks = []
        for row, width in zip(people, widths, strict=True):
            if not width:
                ticks.append(left)
                continue
            bottom = 0.0
            for j, share in enumerate(row / row.sum()):
                style: dict[str, Any] = {"facecolor": _shade(j, people.shape[1]), "hatch": HATCHES[j % len(HATCHES)]}
                panel.bar(left, share, 0.98 * width, bottom, align="edge", edgecolor="black", linewidth=0.5, **style)
                bottom += share
            ticks.append(left + width / 2)
            left += width
        panel.set_xticks(ticks, names, rotation=45 if len(names) > 3 else 0, ha="right" if len(names) > 3 else "center")
        panel.set_xlim(0, 1)
        panel.set_ylim(0, 1)
        panel.grid(visible=False)
        panel.set_xlabel(f"{wrapped(one.name, 60, 1)} (width: share of people)")
        panel.set_ylabel(f"share of {wrapped(other.name, 40, 1)}")
        n, n_left_out = int(people.sum()), one.n_records - int(people.sum())
        without = f"; {people_text(n_left_out, ',')} without one of the two values left out" if n_left_out else ""
        panel.set_title(people_text(n, ",") + without, fontsize=9)
        from matplotlib.patches import Patch

        keys = [
            Patch(facecolor=_shade(j, len(other_names)), edgecolor="black", hatch=HATCHES[j % len(HATCHES)], label=name)
            for j, name in enumerate(other_names)
        ]
        panel.legend(
            handles=keys[::-1], loc="center left", bbox_to_anchor=(1.01, 0.5), handlelength=2.5, handleheight=2
        )

    return figure_files("explore_mosaic", draw, 9, 5.5, found.settings.figures)


def _pair_that_varies(found: Exploration) -> list[ExploredColumn]:
    """The first two columns of which both vary among the people who have both values."""
    several = [one for one in found.categories if one.n_distinct > 1]
    several.sort(key=lambda one: (one.role == "other", one.kind == "number"))
    for one, other in itertools.islice(itertools.combinations(several, 2), MOST_PAIRS_TRIED):
        people = cross_table(one, other).people
        if (people.any(axis=1).sum() > 1) and (people.any(axis=0).sum() > 1):
            return [one, other]
    return several[:2]


def _shade(j: int, n: int) -> str:
    """From dark to light, so that neighbours differ in grey as well."""
    light = 0.45 + 0.5 * j / max(n - 1, 1)
    return f"{light:.3f}"


def _mosaic_cells(one: ExploredColumn, other: ExploredColumn) -> tuple[np.ndarray, list[str], list[str]]:
    people = cross_table(one, other).people
    people, names = _largest(people, short_names(value_texts(one)))
    people, other_names = _largest(people.T, short_names(value_texts(other)))
    return people.T, names, other_names


def _largest(people: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """The rows of the most people; the others are one row together."""
    if len(people) <= MOST_MOSAIC_LEVELS:
        return people, names
    order = np.argsort(-people.sum(axis=1), kind="stable")
    kept, rest = np.sort(order[: MOST_MOSAIC_LEVELS - 1]), order[MOST_MOSAIC_LEVELS - 1 :]
    rows = np.concatenate([people[kept], people[rest].sum(axis=0, keepdims=True)])
    return rows, [*(names[row] for row in kept), other_values(len(rest))]


def pair_plot(found: Exploration, varying: Sequence[ExploredColumn]) -> dict[str, bytes]:
    """People by two numbers at a time; no file below two columns of numbers."""
    if found.settings.pairs is not None:
        columns = [found.column(name) for name in found.settings.pairs if found.column(name) in varying]
        if len(columns) < len(found.settings.pairs):
            found.notes.append("Pair plot: columns without numbers, or with a single value, are left out.")
    else:
        columns = list(varying[:MOST_IN_PAIR_PLOT])
    n = len(columns)
    if n < 2:
        return {}
    edges = [histogram_edges(column) for column in columns]
    edges = [np.linspace(one[0], one[-1], N_CELLS + 1) if len(one) > N_CELLS + 1 else one for one in edges]
    cells = [_cell_of_record(column, one) for column, one in zip(columns, edges, strict=True)]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(n, n, squeeze=False)
        for row, across in itertools.product(range(n), range(n)):
            panel = panels[row, across]
            panel.tick_params(labelsize=7)
            panel.grid(visible=False)
            if row < across:
                panel.set_axis_off()
            elif row == across:
                _histogram_in(panel, columns[row], edges[row])
            else:
                _draw_cells(panel, cells[across], cells[row], edges[across], edges[row])
            number_axis(panel.xaxis, None, 3)
            number_axis(panel.yaxis, None, 3)
            if row == n - 1:
                panel.set_xlabel(wrapped(columns[across].title, 22, 2), fontsize=8)
            if across == 0:
                panel.set_ylabel(wrapped(columns[row].title, 22, 2), fontsize=8)
        figure.suptitle("Darker: more people (square root); on the diagonal the histograms", fontsize=9)

    return figure_files("explore_pairs", draw, max(2.1 * n, 5), max(1.9 * n, 4.5), found.settings.figures)


def _cell_of_record(column: ExploredColumn, edges: np.ndarray) -> np.ndarray:
    of_value = np.clip(np.searchsorted(edges, column.encoded.labels, side="right") - 1, 0, len(edges) - 2)
    return np.append(of_value, -1)[column.encoded.codes]


def _histogram_in(panel: Axes, column: ExploredColumn, edges: np.ndarray) -> None:
    count, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    panel.bar(edges[:-1], count, np.diff(edges), align="edge", color=COLOURS[0])


def _draw_cells(panel: Axes, across: np.ndarray, up: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> None:
    both = (across >= 0) & (up >= 0)
    shape = (len(y_edges) - 1, len(x_edges) - 1)
    count = np.bincount(up[both] * shape[1] + across[both], minlength=shape[0] * shape[1]).reshape(shape)
    shade = np.ma.masked_equal(np.sqrt(count), 0)
    panel.pcolormesh(x_edges, y_edges, shade, cmap="Greys", vmin=-0.3 * np.sqrt(count.max(initial=1)), rasterized=True)


def correlation_map(found: Exploration) -> dict[str, bytes]:
    """A map of Spearman's rho; figures are written in where there is room."""
    names = list(dict.fromkeys(name for one in found.correlations for name in (one.one, one.other)))
    place = {name: position for position, name in enumerate(names)}
    rho = np.full((len(names), len(names)), np.nan)
    for one in found.correlations:
        rho[place[one.one], place[one.other]] = rho[place[one.other], place[one.one]] = (
            np.nan if one.rho is None or one.n_people < HAND_TO_HAND.threshold else one.rho
        )
    np.fill_diagonal(rho, 1.0)
    n = len(names)

    def draw(figure: Figure) -> None:
        panel = figure.subplots()
        image = panel.imshow(np.ma.masked_invalid(rho), cmap="PuOr", vmin=-1, vmax=1)
        size = 8
        texts = [wrapped(name, 24, 2) for name in names]
        panel.set_xticks(range(n), texts, rotation=90, fontsize=size)
        panel.set_yticks(range(n), texts, fontsize=size)
        panel.grid(visible=False)
        for i, j in itertools.product(range(n), range(n)):
            # In grey both ends of the colours are dark, so that a sign has to stand there.
            text = f"{rho[i, j]:.2f}" if n <= MOST_WITH_NUMBERS else "–" if rho[i, j] < -0.3 else ""
            if text and not np.isnan(rho[i, j]):
                colour = "white" if abs(rho[i, j]) > 0.6 else "black"
                panel.text(j, i, text, ha="center", va="center", fontsize=8 if n <= 12 else 7, color=colour)
        bar = figure.colorbar(image, ax=panel, shrink=0.8)
        what = "Spearman's rho, of the people who have both values; white: fewer than ten, or not defined"
        bar.set_label(what, fontsize=8)

    side = min(4 + 0.42 * n, 16)
    return figure_files("explore_spearman", draw, side + 1.5, side, found.settings.figures)
