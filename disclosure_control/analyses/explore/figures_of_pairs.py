"""Figures of several columns together: boxes by group, mosaic, pair plot, heatmap of correlations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from disclosure_control.analyses.explore.columns import ExploredColumn, cross_table
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.analyses.explore.figures_of_columns import (
    BOX_STYLE,
    box_of,
    figures_of,
    histogram_edges,
    number_axis,
    other_values,
    without_value,
)
from disclosure_control.analyses.explore.tables import value_texts
from disclosure_control.basics.drawings.figures import BLUE, INK, NamedFigures, cut_in_the_middle, panels, short_names
from disclosure_control.basics.telling.words import people_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_GROUPS, MOST_IN_PAIR_PLOT, MOST_MOSAIC_LEVELS, MOST_PAIRS_TRIED = 12, 5, 8, 200
CELL_WIDE = 0.36  # inches, of a correlation: room for its number
PAIR_WIDE = 2.1
PEOPLE_SHADES = ("#9cc3e6", "#08254a")  # one person is seen on white


def boxes_by_group(found: Exploration, numbers: Sequence[ExploredColumn]) -> NamedFigures:
    """A box of each column of numbers in each group of the config's ``group``; nothing without one."""
    if found.settings.group is None:
        return
    group = found.column(found.settings.group)
    if group not in found.categories:
        found.notes.append(f"No boxes by {group.name}: it has {group.n_distinct} values; max_levels allows fewer.")
        return
    order = np.argsort(-group.people, kind="stable")[:MOST_GROUPS]
    chosen = np.sort(order[group.people[order] > 0])
    if group.n_distinct > len(chosen):
        found.notes.append(f"Boxes by {group.name}: the {len(chosen)} largest of {group.n_distinct} groups are drawn.")
    names = short_names(value_texts(group), 30, 16)

    def boxes(axes: Axes, column: ExploredColumn) -> None:
        drawn = []
        for code in chosen:
            mine = column.encoded.codes[(group.encoded.codes == code) & (column.encoded.codes >= 0)]
            people = np.bincount(mine, minlength=len(column.encoded.labels))
            if len(mine):
                drawn.append(box_of(column.encoded.labels, people, f"{names[code]}\nn = {len(mine):,}"))
        axes.bxp(drawn, **BOX_STYLE)
        axes.invert_yaxis()
        axes.set_xlabel(without_value(column))
        number_axis(axes, column)

    others = [column for column in numbers if column is not group]
    title, tall = f"Boxes by {group.name}: median, quartiles, fences", 1.7 + 0.3 * len(chosen)
    for name, figure in figures_of("explore_boxes_by_group", title, others, boxes, found, tall):
        yield name.removesuffix("_1"), figure


def mosaic(found: Exploration) -> NamedFigures:
    """People by the values of two columns, as areas; nothing without such a pair."""
    if found.settings.mosaic is not None:
        pair = [found.column(name) for name in found.settings.mosaic]
        if not all(column in found.categories for column in pair):
            found.notes.append("No mosaic: one of its columns has no value, or more than max_levels allows.")
            return
    else:
        pair = _pair_that_varies(found)
    if len(pair) == 2 and cross_table(*pair).people.any():
        yield "explore_mosaic", mosaic_figure(pair[0], pair[1])


def mosaic_figure(one: ExploredColumn, other: ExploredColumn) -> Figure:
    """A row for each value of ``one``, as tall as it has people; its parts are the values of ``other``."""
    people, names = _largest(cross_table(one, other).people, short_names(value_texts(one)))
    turned, other_names = _largest(people.T, short_names(value_texts(other)))
    people = turned.T
    n, of_row = int(people.sum()), people.sum(axis=1)
    n_left_out = one.n_records - n
    without = f"; {people_text(n_left_out, ',')} without one of the two values left out" if n_left_out else ""
    note = f"{people_text(n, ',')}{without}. Areas are people."
    figure, (axes,) = panels(f"{one.name} by {other.name}", [4.5], note, wides=[8.0])
    tall = of_row / n
    begins = np.cumsum(tall) - tall
    shares = people / of_row[:, None]
    left = np.cumsum(shares, axis=1) - shares
    for number, name in enumerate(other_names):
        colour = (BLUE, 0.1 + 0.8 * number / max(len(other_names) - 1, 1))
        label = f"{name}: {people[:, number].sum():,}"
        drawn = axes.barh(
            begins, shares[:, number], tall, left[:, number], align="edge", facecolor=colour, edgecolor=INK, label=label
        )
        has_room = (shares[:, number] > 0.06) & (tall > 0.04)
        counts = [f"{n:,}" if room else "" for n, room in zip(people[:, number], has_room, strict=True)]
        axes.bar_label(drawn, counts, label_type="center", color="white" if colour[1] > 0.75 else INK)
    shown = [place for place, up in enumerate(tall) if up > 0.02]
    axes.set_yticks((begins + tall / 2)[shown], [f"{names[place]}\nn = {of_row[place]:,}" for place in shown])
    axes.set_xlim(0, 1)
    axes.set_ylim(1, 0)
    axes.xaxis.set_major_formatter("{x:.0%}")
    figure.legend(title=cut_in_the_middle(other.name, 30), loc="outside right upper")
    return figure


def _pair_that_varies(found: Exploration) -> list[ExploredColumn]:
    """The first two columns of which both vary among the people who have both values."""
    several = [one for one in found.categories if one.n_distinct > 1]
    several.sort(key=lambda one: (one.role == "other", one.kind == "number"))
    for one, other in itertools.islice(itertools.combinations(several, 2), MOST_PAIRS_TRIED):
        people = cross_table(one, other).people
        if (people.any(axis=1).sum() > 1) and (people.any(axis=0).sum() > 1):
            return [one, other]
    return several[:2]


def _largest(people: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str]]:
    """The rows of the most people; the others become one row."""
    order = np.argsort(-people.sum(axis=1), kind="stable")[: int(people.any(axis=1).sum())]
    if len(order) <= MOST_MOSAIC_LEVELS:
        kept = np.sort(order)
        return people[kept], [names[row] for row in kept]
    kept, rest = np.sort(order[: MOST_MOSAIC_LEVELS - 1]), order[MOST_MOSAIC_LEVELS - 1 :]
    stacked = np.concatenate([people[kept], people[rest].sum(axis=0, keepdims=True)])
    return stacked, [*(names[row] for row in kept), other_values(len(rest))]


def pair_plot(found: Exploration, varying: Sequence[ExploredColumn]) -> NamedFigures:
    """All columns of the setting ``pairs`` against each other; nothing below two columns of numbers."""
    if found.settings.pairs is not None:
        columns = [found.column(name) for name in found.settings.pairs if found.column(name) in varying]
        if len(columns) < len(found.settings.pairs):
            found.notes.append(
                "Pairs: columns without numbers, with few of them, or with numbers that name people are left out."
            )
    else:
        columns = list(varying[:MOST_IN_PAIR_PLOT])
    if len(columns) > 1:
        yield "explore_pairs", pair_figure(columns)


def pair_figure(columns: Sequence[ExploredColumn]) -> Figure:
    """A matrix: a histogram of each column on the diagonal, elsewhere the people in each cell of two columns."""
    from matplotlib.colors import LinearSegmentedColormap, LogNorm
    from matplotlib.figure import Figure

    n = len(columns)
    edges = [histogram_edges(column) for column in columns]
    values = [np.append(column.encoded.labels, np.nan)[column.encoded.codes] for column in columns]
    figure = Figure((PAIR_WIDE * n + 1, PAIR_WIDE * n), layout="constrained")
    figure.suptitle("Numbers two by two: people per cell, and per interval on the diagonal", x=0.01, ha="left")
    places = figure.subplots(n, n, sharex="col")
    people = {}
    for i, j in itertools.product(range(n), repeat=2):
        both = ~(np.isnan(values[i]) | np.isnan(values[j]))
        people[i, j] = np.histogram2d(values[i][both], values[j][both], [edges[i], edges[j]])[0]
    most = max(1, *(int(counts.max()) for (i, j), counts in people.items() if i != j))
    norm, mesh = LogNorm(1, max(most, 2)), None
    shades = LinearSegmentedColormap.from_list("people", PEOPLE_SHADES)
    for (i, j), counts in people.items():
        axes: Axes = places[i, j]
        if i == j:
            axes.stairs(np.diagonal(counts), edges[i], fill=True, color=BLUE)
        else:
            shown = np.ma.masked_equal(counts, 0)
            mesh = axes.pcolormesh(edges[j], edges[i], shown, norm=norm, cmap=shades, rasterized=True)
            number_axis(axes, columns[i], "y")
        axes.tick_params(left=j == 0 < i, labelleft=j == 0 < i, labelbottom=i == n - 1)
        number_axis(axes, columns[j])
        axes.locator_params(nbins=5)
        if j == 0:
            axes.set_ylabel(short_names([columns[i].title], 40, 20)[0])
        if i == n - 1:
            axes.set_xlabel(short_names([columns[j].title], 40, 20)[0])
    assert mesh is not None
    ticks = np.unique(np.geomspace(1, max(most, 2), 5).round())
    bar = figure.colorbar(
        mesh, ax=places, label="people per cell", ticks=ticks, format="{x:,.0f}", fraction=0.03, pad=0.01
    )
    bar.minorticks_off()
    return figure


def correlation_heatmap(found: Exploration) -> NamedFigures:
    """Every rank correlation as a number and a colour; nothing if none has at least ten people."""
    told = found.told_correlations
    if not told:
        return
    names = list(dict.fromkeys(name for one in found.correlations for name in (one.one, one.other)))
    rho = np.full((len(names), len(names)), np.nan)
    for value, one in told:
        i, j = sorted((names.index(one.one), names.index(one.other)))
        rho[j, i] = value
    blank = len(found.correlations) - len(told)
    left = (
        f"{blank} of fewer than ten people, or of a constant, {'is' if blank == 1 else 'are'} left blank. "
        if blank
        else ""
    )
    note = f"{len(told)} of {len(found.correlations)} pairs. {left}explore_spearman.csv has the people of each pair."
    short = short_names(names, 30, 30)
    beside = 0.065 * max(map(len, short)) + CELL_WIDE * len(names)
    figure, (axes,) = panels("Spearman's rank correlations", [beside], note, wides=[max(beside + 1.0, 4.5)])
    mesh = axes.pcolormesh(np.ma.masked_invalid(rho[1:, :-1]), vmin=-1, vmax=1, cmap="RdBu_r", edgecolors="white")
    for j, i in np.argwhere(~np.isnan(rho)):
        colour = "white" if abs(rho[j, i]) > 0.6 else INK
        words = f"{round(rho[j, i], 2) + 0.0:.2f}".replace("-", "−")
        axes.text(i + 0.5, j - 0.5, words, ha="center", va="center", color=colour, fontsize=6.5)
    axes.set_xticks(np.arange(len(names) - 1) + 0.5, short[:-1], rotation=90)
    axes.set_yticks(np.arange(len(names) - 1) + 0.5, short[1:])
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    figure.colorbar(mesh, ax=axes, label="rho", fraction=0.03, shrink=0.6)
    yield "explore_spearman", figure
