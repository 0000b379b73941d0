"""Drawings of several columns together: boxes by group, mosaic, pairs of numbers, correlations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from disclosure_control.analyses.explore.associations import Correlation, cross_table
from disclosure_control.analyses.explore.columns import ExploredColumn
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.analyses.explore.figures_of_columns import (
    box_of,
    histogram_edges,
    other_values,
    short_names,
    without_value,
)
from disclosure_control.analyses.explore.tables import value_texts
from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.files import Panel, figure_files
from disclosure_control.basics.drawings.pieces import cut_in_the_middle
from disclosure_control.basics.telling.words import people_text

MOST_GROUPS = 12
MOST_CORRELATIONS = 24
MOST_IN_PAIR_PLOT = 5
MOST_MOSAIC_LEVELS = 8
MOST_PAIRS_TRIED = 200
MOST_ON_A_LINE = 40  # letters of the names of a pair
N_CELLS = 20  # of a pair, along each side


def boxes_by_group(found: Exploration, numbers: Sequence[ExploredColumn]) -> dict[str, bytes]:
    """A box of each column of numbers in each group of the config's ``group``; no file without one."""
    if found.settings.group is None:
        return {}
    group = found.column(found.settings.group)
    if group not in found.categories:
        found.notes.append(f"No boxes by {group.name}: it has {group.n_distinct} values; max_levels allows fewer.")
        return {}
    order = np.argsort(-group.people, kind="stable")[:MOST_GROUPS]
    chosen = np.sort(order[group.people[order] > 0])
    if group.n_distinct > len(chosen):
        found.notes.append(f"Boxes by {group.name}: the {len(chosen)} largest of {group.n_distinct} groups are drawn.")
    shown = [column for column in numbers if column is not group][: MOST_IN_PAIR_PLOT + 1]
    if len(shown) < len([column for column in numbers if column is not group]):
        found.notes.append(f"Boxes by {group.name}: the first {len(shown)} of {len(numbers)} columns are drawn.")
    if not shown:
        return {}
    names = short_names(value_texts(group))
    panels = []
    for column in shown:
        people = _counts_by_group(group, column, chosen)
        boxes = [
            box_of(column.encoded.labels, counts, names[code], f"n = {int(counts.sum()):,}")
            for code, counts in zip(chosen, people, strict=True)
            if counts.any()
        ]
        if boxes:
            described = "; ".join(f"{one.label}: median {one.median:.6g}, {one.text}" for one in boxes)
            panels.append(Panel(rows.box_chart(column.title, described, boxes), without_value(column)))
    return figure_files("explore_boxes_by_group", f"Boxes by {group.name}", panels, found.settings.figures)


def _counts_by_group(group: ExploredColumn, column: ExploredColumn, chosen: np.ndarray) -> list[np.ndarray]:
    """People per value of the column within each chosen group; with very many values, counted from the records."""
    n_values = len(column.encoded.labels)
    has_value = column.encoded.codes >= 0
    counts = []
    for code in chosen:
        mine = column.encoded.codes[(group.encoded.codes == code) & has_value]
        counts.append(np.bincount(mine, minlength=n_values))
    return counts


# ---------------------------------------------------------------- mosaic


def mosaic(found: Exploration) -> dict[str, bytes]:
    """People by the values of two columns, as areas; no file without such a pair."""
    if found.settings.mosaic is not None:
        pair = [found.column(name) for name in found.settings.mosaic]
        if not all(column in found.categories for column in pair):
            found.notes.append("No mosaic: one of its columns has no value, or more than max_levels allows.")
            return {}
    else:
        pair = _pair_that_varies(found)
    if len(pair) < 2:
        return {}
    panel = mosaic_panel(pair[0], pair[1])
    return figure_files("explore_mosaic", panel.drawing.title, [panel], found.settings.figures) if panel else {}


def mosaic_panel(one: ExploredColumn, other: ExploredColumn) -> Panel | None:
    """The mosaic of two columns, of the people who have both values; None without anybody."""
    people, names, other_names = _mosaic_cells(one, other)
    if not people.any():
        return None
    stacks = [
        rows.Stack(name, tuple(map(int, counts)), people_text(int(counts.sum()), ","))
        for name, counts in zip(names, people, strict=True)
        if counts.any()
    ]
    described = "; ".join(
        f"{stack.label}: " + ", ".join(f"{name} {n}" for name, n in zip(other_names, stack.people, strict=True) if n)
        for stack in stacks
    )
    n = int(people.sum())
    n_left_out = one.n_records - n
    without = f"; {people_text(n_left_out, ',')} without one of the two values left out" if n_left_out else ""
    totals = [people_text(int(total), ",") for total in people.sum(axis=0)]
    keys = [f"{name}: {total}" for name, total in zip(other_names, totals, strict=True)]
    title = f"{one.name} by {other.name}"
    return Panel(rows.stack_chart(title, described, stacks, keys), f"{people_text(n, ',')}{without}. Areas are people.")


def _pair_that_varies(found: Exploration) -> list[ExploredColumn]:
    """The first two columns of which both vary among the people who have both values."""
    several = [one for one in found.categories if one.n_distinct > 1]
    several.sort(key=lambda one: (one.role == "other", one.kind == "number"))
    for one, other in itertools.islice(itertools.combinations(several, 2), MOST_PAIRS_TRIED):
        people = cross_table(one, other).people
        if (people.any(axis=1).sum() > 1) and (people.any(axis=0).sum() > 1):
            return [one, other]
    return several[:2]


def _mosaic_cells(one: ExploredColumn, other: ExploredColumn) -> tuple[np.ndarray, list[str], list[str]]:
    people = cross_table(one, other).people
    people, names = _largest(people, short_names(value_texts(one)))
    people, other_names = _largest(people.T, short_names(value_texts(other), 30))
    return people.T, names, other_names


def _largest(people: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """The rows of the most people; the others become one row."""
    if len(people) <= MOST_MOSAIC_LEVELS:
        return people, names
    order = np.argsort(-people.sum(axis=1), kind="stable")
    kept, rest = np.sort(order[: MOST_MOSAIC_LEVELS - 1]), order[MOST_MOSAIC_LEVELS - 1 :]
    stacked = np.concatenate([people[kept], people[rest].sum(axis=0, keepdims=True)])
    return stacked, [*(names[row] for row in kept), other_values(len(rest))]


# ---------------------------------------------------------------- pairs of numbers


def pair_plot(found: Exploration, varying: Sequence[ExploredColumn]) -> dict[str, bytes]:
    """People by two numbers at a time; no file below two columns of numbers."""
    if found.settings.pairs is not None:
        columns = [found.column(name) for name in found.settings.pairs if found.column(name) in varying]
        if len(columns) < len(found.settings.pairs):
            found.notes.append(
                "Pairs: columns without numbers, with few of them, or with numbers that name people are left out."
            )
    else:
        columns = list(varying[:MOST_IN_PAIR_PLOT])
    if len(columns) < 2:
        return {}
    edges = {column.name: _cell_edges(column) for column in columns}
    cells = {column.name: _cell_of_record(column, edges[column.name]) for column in columns}
    panels = []
    for one, other in itertools.combinations(columns, 2):
        people = _people_in_cells(cells[one.name], cells[other.name], edges[one.name], edges[other.name])
        title = f"{other.name} by {one.name}"
        n = int(people.sum())
        drawn = planes.cell_chart(
            title,
            f"{people_text(n, ',')} in {int((people > 0).sum())} cells, at most {int(people.max(initial=0)):,} in one",
            (edges[one.name], edges[other.name]),
            people,
            (one.title, other.title),
        )
        panels.append(Panel(drawn, f"{people_text(n, ',')} with both values of {people_text(one.n_records, ',')}."))
    return figure_files("explore_pairs", "Numbers two by two: people per cell", panels, found.settings.figures)


def _cell_edges(column: ExploredColumn) -> np.ndarray:
    """Edges of cells: a histogram's, divided further while there is room and whole numbers can be divided."""
    edges = histogram_edges(column)
    half = edges[:-1] / 2 + edges[1:] / 2
    whole = np.array_equal(column.encoded.labels, np.round(column.encoded.labels))
    if 2 * (len(edges) - 1) > N_CELLS or (whole and (np.diff(edges) % 2 != 0).any()):
        return edges
    return np.sort(np.concatenate([edges, half]))


def _cell_of_record(column: ExploredColumn, edges: np.ndarray) -> np.ndarray:
    of_value = np.clip(np.searchsorted(edges, column.encoded.labels, side="right") - 1, 0, len(edges) - 2)
    return np.append(of_value, -1)[column.encoded.codes]


def _people_in_cells(across: np.ndarray, up: np.ndarray, x_edges: np.ndarray, y_edges: np.ndarray) -> np.ndarray:
    """People (n_up, n_across) per cell, of those who have both numbers."""
    both = (across >= 0) & (up >= 0)
    shape = (len(y_edges) - 1, len(x_edges) - 1)
    return np.bincount(up[both] * shape[1] + across[both], minlength=shape[0] * shape[1]).reshape(shape)


# ---------------------------------------------------------------- correlations


def correlation_chart(found: Exploration) -> dict[str, bytes]:
    """The strongest rank correlations, each with its number of people; no file if none has at least ten."""
    told = found.told_correlations
    if not told:
        return {}
    bars = [
        rows.Bar(_both_names(one), rho, f"{rho:.2f}, n = {one.n_people:,}".replace("-", "−"))
        for rho, one in told[:MOST_CORRELATIONS]
    ]
    described = "; ".join(f"{one.one} and {one.other}: {rho:.2f}" for rho, one in told[:MOST_CORRELATIONS])
    heading = "How numbers hang together: Spearman's rho"
    left_out = len(found.correlations) - len(told)
    which = f"The strongest {len(bars)} of {len(told)} pairs" if len(bars) < len(told) else f"All {len(told)} pairs"
    without = f"; {left_out} more of fewer than ten people, or of a constant, not drawn" if left_out else ""
    note = f"{which}{without}. n: people who have both values. explore_spearman.csv holds every pair."
    panel = Panel(rows.signed_chart(heading, described, bars), note)
    return figure_files("explore_spearman", heading, [panel], found.settings.figures)


def _both_names(one: Correlation) -> str:
    """The names of a pair, on a line each where they are long."""
    if len(one.one) + len(one.other) <= MOST_ON_A_LINE:
        return f"{one.one} and {one.other}"
    return f"{cut_in_the_middle(one.one, MOST_ON_A_LINE + 4)}\n{cut_in_the_middle(one.other, MOST_ON_A_LINE + 4)}"
