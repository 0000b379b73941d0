"""Drawings of single columns: histograms, boxes, bars.

All drawings of ``explore`` are made from counts, so a million people cost no more ink than a hundred.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from disclosure_control.analyses.explore.columns import ExploredColumn, number_statistics
from disclosure_control.analyses.explore.exploration import Exploration
from disclosure_control.analyses.explore.tables import value_texts
from disclosure_control.basics.drawings import planes, rows
from disclosure_control.basics.drawings.files import Panel, figure_files
from disclosure_control.basics.drawings.pieces import cut_in_the_middle, round_number
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.telling.words import people_text

PANELS_PER_FILE = 12
MOST_BARS = 12
MOST_MARKERS = 60


def figures_of(
    name: str,
    heading: str,
    columns: Sequence[ExploredColumn],
    draw: Callable[[ExploredColumn], Panel],
    found: Exploration,
) -> dict[str, bytes]:
    """Files with a panel for each column; panels omitted for space are added to the notes of ``found``."""
    limit = found.settings.max_drawn
    if len(columns) > limit:
        found.notes.append(
            f"{name}: the first {limit} of {len(columns)} columns are drawn, quasi-identifiers and sensitive ones "
            "first; raise max_drawn, or name columns, for the others."
        )
    shown = columns[:limit]
    files: dict[str, bytes] = {}
    for number, start in enumerate(range(0, len(shown), PANELS_PER_FILE), start=1):
        panels = [draw(column) for column in shown[start : start + PANELS_PER_FILE]]
        files |= figure_files(f"{name}_{number}", heading, panels, found.settings.figures)
    return files


def without_value(column: ExploredColumn) -> str:
    """How many people a drawing of a column leaves out, "" if nobody."""
    return f"{people_text(column.n_missing, ',')} without a value." if column.n_missing else ""


def short_names(texts: Iterable[object], n_letters: int = 44) -> list[str]:
    """Names in so many letters; of a long one its beginning and end, and a number where two become equal."""
    short = [cut_in_the_middle(str(words), n_letters) for words in texts]
    alike = Counter(short)
    seen: Counter[str] = Counter()
    for i, words in enumerate(short):
        seen[words] += 1
        short[i] = f"{words} ({seen[words]})" if alike[words] > 1 else words
    return short


def other_values(n: int) -> str:
    """The name of the values that are not drawn one by one."""
    return f"{n} other value{'' if n == 1 else 's'}"


# ---------------------------------------------------------------- histograms


def histogram(column: ExploredColumn) -> Panel:
    """People by intervals of a column of numbers."""
    edges = histogram_edges(column)
    people, _ = np.histogram(column.encoded.labels, edges, weights=column.people)
    whole = _are_whole(column.encoded.labels)
    described = "; ".join(
        f"{_interval_name(low, high, whole)}: {n:.0f}"
        for low, high, n in zip(edges, edges[1:], people, strict=False)
        if n
    )
    return Panel(planes.histogram(column.title, described, edges, people), without_value(column))


def _interval_name(low: float, high: float, whole: bool) -> str:
    if whole:
        first, last = low + 0.5, high - 0.5
        return number_text(first) if first == last else f"{number_text(first)} to {number_text(last)}"
    return f"{low:.6g} to below {high:.6g}"


def _are_whole(values: np.ndarray) -> bool:
    return bool((values == np.round(values)).all()) and abs(values[0]) + abs(values[-1]) < 2**52


def histogram_edges(column: ExploredColumn) -> np.ndarray:
    """Edges of bins of one round width, as many as there is room for; each bin is [a, b).

    Each bin of whole numbers contains equally many of them, with edges half way between two. The width follows
    Freedman and Diaconis 1981, doi:10.1007/BF01025868.
    """
    values, statistics = column.encoded.labels[column.people > 0], column.statistics
    assert statistics is not None  # numbers that somebody has
    low, high = float(values[0]), float(values[-1])
    most = planes.most_bars(column.n_with_value)
    if _are_whole(values):
        if high - low < most:
            return np.arange(low - 0.5, high + 1)
        width = max(1.0, _round_width(column, most - 2))
        return np.arange(np.floor(low / width), np.floor(high / width) + 2) * width - 0.5
    width = _round_width(column, most - 2)
    with np.errstate(over="ignore", invalid="ignore"):
        edges = np.arange(np.floor(low / width), np.floor(high / width) + 2) * width if width > 0 else np.array([])
    if len(edges) > 1 and (np.diff(edges) > 0).all() and edges[0] <= low and high < edges[-1] < np.inf:
        return edges
    edges = low + (high / 2 - low / 2) / most * 2 * np.arange(most + 1)  # numbers too close together, or too large
    edges[-1] = high
    return edges if (np.diff(edges) > 0).all() else np.array([low, np.nextafter(high, np.inf)])


def _round_width(column: ExploredColumn, most: int) -> float:
    """The round width next to Freedman and Diaconis', or wider for at most ``most`` bins; 0 if none is that small."""
    values, statistics = column.encoded.labels[column.people > 0], column.statistics
    assert statistics is not None
    half_span = float(values[-1]) / 2 - float(values[0]) / 2  # the range of the largest numbers overflows
    half = statistics.third_quartile / 2 - statistics.first_quartile / 2
    half_width = max(half * 2 / np.cbrt(column.n_with_value) / 1.5, half_span / most)
    return round_number(2 * half_width) if 1e-300 < half_width < 1e300 else 0.0


# ---------------------------------------------------------------- boxes


def box_of(values: np.ndarray, people: np.ndarray, label: str = "", text: str = "") -> rows.Box:
    """A box of rising ``values`` (n,) with the ``people`` who have each, whiskers within the fences.

    At most ``MOST_MARKERS`` values outside of them are kept on each side.
    """
    statistics = number_statistics(values, people)
    assert statistics is not None  # somebody has a value
    there = values[people > 0]
    inside = there[(there >= statistics.low_fence) & (there <= statistics.high_fence)]
    beyond = [there[there < statistics.low_fence], there[there > statistics.high_fence]]
    return rows.Box(
        label,
        float(inside[0]) if len(inside) else statistics.first_quartile,
        statistics.first_quartile,
        statistics.median,
        statistics.third_quartile,
        float(inside[-1]) if len(inside) else statistics.third_quartile,
        text,
        tuple(float(value) for side in beyond for value in drawn_outliers(side)),
    )


def box(column: ExploredColumn) -> Panel:
    """Quartiles, whiskers and outliers of a column of numbers."""
    drawn = box_of(column.encoded.labels, column.people)
    statistics = column.statistics
    assert statistics is not None  # numbers that somebody has
    n_outside = statistics.n_below + statistics.n_above
    beyond = f"Diamonds: {people_text(n_outside, ',')} outside of the fences." if n_outside else ""
    median, first, third = (f"{n:.6g}" for n in (drawn.median, drawn.first_quartile, drawn.third_quartile))
    described = f"Median {median}, quartiles {first} and {third}. {beyond}"
    note = f"Median {median}. {beyond} {without_value(column)}"
    return Panel(rows.box_chart(column.title, described, [drawn]), " ".join(note.split()))


def drawn_outliers(values: np.ndarray) -> np.ndarray:
    """Up to ``MOST_MARKERS`` of rising values, with both ends, spread evenly: more would merge into a black line."""
    if len(values) <= MOST_MARKERS:
        return values
    return values[np.linspace(0, len(values) - 1, MOST_MARKERS).round().astype(int)]


# ---------------------------------------------------------------- bars


def bars(column: ExploredColumn) -> Panel:
    """People by value of a column, the commonest values and those without one."""
    texts = short_names(value_texts(column))
    order = np.arange(len(texts)) if column.kind == "number" else np.argsort(-column.people, kind="stable")
    shown, rest = order[:MOST_BARS], order[MOST_BARS:]
    drawn = [_bar(texts[code], int(column.people[code])) for code in shown]
    if len(rest):
        drawn.append(_bar(other_values(len(rest)), int(column.people[rest].sum())))
    if column.n_missing:
        drawn.append(_bar("(no value)", column.n_missing))
    described = "; ".join(f"{bar.label}: {bar.text}" for bar in drawn)
    return Panel(rows.row_chart(column.title, described, drawn))


def _bar(label: str, n: int) -> rows.Bar:
    return rows.Bar(label, n, f"{n:,}")
