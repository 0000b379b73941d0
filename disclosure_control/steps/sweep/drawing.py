"""The figures of a sweep: risk by parameter, utility by parameter, and the map of risk and utility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from disclosure_control.basics.drawings import DEFAULT_FORMATS, GREY, figure_files, place_labels, series_style, wrapped
from disclosure_control.steps.sweep.report import shown_value

MOST_PANELS = 24  # what fits on a page of figures; more are left to the table
MOST_LABELS = 25
MOST_TICKS = 6
MOST_LETTERS = 18  # of a parameter's name at an axis or beside a point
N_ACROSS = 3

# Column of the summary, and what it reads in a figure. All in percent, and on both figures lower is better.
RISKS = {
    "percent_unique": "alone in their class",
    "percent_k_le_5": "in classes of 5 or fewer",
    "avg_linkage_risk_percent": "re-identified, expected",
}
LOSSES = {
    "IL1_numeric_percent": "numbers moved (IL1)",
    "IL1_categorical_percent": "categories changed (IL1)",
    "eigenvalue_loss_percent": "correlations lost (eigenvalues)",
    "percent_records_removed": "records removed",
}


def sweep_figures(rows: Sequence[Mapping[str, Any]], formats: Sequence[str] = DEFAULT_FORMATS) -> dict[str, bytes]:
    """The three figures, by file name, in each of the ``formats``. ``rows`` are the summary's, the untreated one first.

    The first ``MOST_PANELS`` methods have a panel by parameter; the map shows all.
    """
    baseline = rows[0]
    series: dict[str, list[dict[str, Any]]] = {}
    for row in rows[1:]:
        series.setdefault(row["method"], []).append({**row, **_loss_percentages(row)})
    shown = dict(list(series.items())[:MOST_PANELS])
    n_columns = min(max(len(shown), 1), N_ACROSS)
    size = {"width": max(3.6 * n_columns, 6.0), "height": 1.4 + 2.6 * ceil(max(len(shown), 1) / N_ACROSS)}
    losses = {key: label for key, label in LOSSES.items() if any(row[key] for row in _flat(shown))} or LOSSES
    n_lines = sum(wrapped(name).count("\n") + 1 for name in series)
    map_height = max(5.0, 1.6 + 0.2 * n_lines + 0.04 * len(series))  # so that the legend fits beside it
    return {
        **figure_files(
            "sweep_risk",
            lambda figure: _panels(figure, shown, RISKS, baseline, _title("Risk: lower is safer", shown, series)),
            **size,
            formats=formats,
        ),
        **figure_files(
            "sweep_utility",
            lambda figure: _panels(
                figure, shown, losses, None, _title("Utility: lower is closer to the original", shown, series)
            ),
            **size,
            formats=formats,
        ),
        **figure_files("risk_utility_map", lambda figure: _map(figure, baseline, series), 10.0, map_height, formats),
    }


def _flat(series: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    return [row for rows in series.values() for row in rows]


def _title(words: str, shown: Mapping[str, Any], series: Mapping[str, Any]) -> str:
    return words if len(shown) == len(series) else f"{words} (first {len(shown)} of {len(series)} methods)"


def _loss_percentages(row: Mapping[str, Any]) -> dict[str, float | None]:
    similarity = row["eigenvalue_similarity_percent"]
    return {
        "IL1_numeric_percent": 100 * row["IL1_numeric"],
        "IL1_categorical_percent": 100 * row["IL1_categorical"],
        "eigenvalue_loss_percent": None if similarity is None else 100 - similarity,
    }


# ---------------------------------------------------------------- by parameter


def _panels(
    figure: Any, series: Mapping[str, Any], measures: Mapping[str, str], baseline: Mapping[str, Any] | None, title: str
) -> None:
    """One panel per method, all to the same scale: its measures over its parameter."""
    n_columns = min(max(len(series), 1), N_ACROSS)
    grid = figure.subplots(ceil(max(len(series), 1) / N_ACROSS), n_columns, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for panel in panels[len(series) :]:
        panel.set_axis_off()
    for panel, (name, rows) in zip(panels, series.items(), strict=False):
        _panel(panel, name, rows, measures, baseline)
    for line in grid:
        line[0].set_ylabel("% of the people" if baseline else "% lost")
    panels[0].set_ylim(bottom=0)
    handles, labels = panels[0].get_legend_handles_labels()
    if baseline:
        handles.append(panels[0].plot([], [], color=GREY, linestyle=":", linewidth=1)[0])
        labels.append("untreated")
    n_across = len(labels) if n_columns == N_ACROSS else 2
    figure.legend(handles, labels, loc="outside lower center", ncols=n_across, frameon=False)
    figure.suptitle(title, fontsize=11)


def _panel(
    panel: Any,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    measures: Mapping[str, str],
    baseline: Mapping[str, Any] | None,
) -> None:
    places, ticks = _places([row["param_value"] for row in rows])
    for i, (key, label) in enumerate(measures.items()):
        style = series_style(i)
        if baseline and baseline[key] is not None:
            panel.axhline(baseline[key], color=style["color"], linestyle=":", linewidth=1)
            # The sign at the edge tells the lines apart where there is no colour.
            edge = {"transform": panel.get_yaxis_transform(), "markerfacecolor": "white", "clip_on": False, "zorder": 4}
            panel.plot([0], [baseline[key]], **{**style, "linestyle": "none"}, markersize=5, **edge)
        known = [(place, row[key]) for place, row in zip(places, rows, strict=True) if row[key] is not None]
        # Later ones are smaller, so that equal figures lie within one another; and the zero line cuts none in half.
        size = {"markersize": 8 - 1.5 * i, "clip_on": False, "zorder": 3}
        panel.plot([place for place, _ in known], [value for _, value in known], label=label, **style, **size)
    panel.set_title(wrapped(name))
    panel.set_xlabel(wrapped(rows[0]["param_name"]))
    if ticks is not None:
        crowded = sum(map(len, ticks)) > 20
        panel.set_xticks(places, ticks, rotation=30 if crowded else 0, ha="right" if crowded else "center")
    panel.margins(x=0.1)


def _places(values: Sequence[Any]) -> tuple[list[float], list[str] | None]:
    """Where parameters stand on the axis: numbers at their value, anything else one after the other with a name."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    if numbers and len(set(values)) > 1:
        lowest, highest = min(values), max(values)
        gap = min(b - a for a, b in zip(sorted(set(values)), sorted(set(values))[1:], strict=False))
        few = len(values) <= MOST_TICKS and gap > 0.08 * (highest - lowest)
        return [float(value) for value in values], [_tick(value) for value in values] if few else None
    return [float(i) for i in range(len(values))], [_tick(value) for value in values]


def _tick(value: object) -> str:
    text = "no parameter" if value is None else shown_value(value, MOST_LETTERS)
    return text.replace("$", r"\$")


# ---------------------------------------------------------------- the map


def _map(figure: Any, baseline: Mapping[str, Any], series: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Every point by what was lost and what risk is left; the front filled and joined, the mildest with k in a ring."""
    panel = figure.subplots()
    untreated = {"color": GREY, "marker": "*"}
    points: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = [(baseline, untreated)]
    _explain(panel, untreated, any(row["mildest_that_meets_k"] for row in [baseline, *_flat(series)]))
    for i, (name, rows) in enumerate(series.items()):
        style = {key: value for key, value in series_style(i).items() if key != "linestyle"}
        points += [(row, style) for row in rows]
        panel.scatter([], [], s=48, label=wrapped(name), **style)
    drawn = [(row, style, place) for row, style in points if (place := _place(row)) is not None]
    front = sorted(place for row, _, place in drawn if row["pareto_front"])
    if front:
        panel.plot(*zip(*front, strict=True), color=GREY, linewidth=1, linestyle="--", drawstyle="steps-post", zorder=1)
    for row, look, place in drawn:
        _draw_point(panel, place, row, look, 130 if row is baseline else 48)
    panel.set_xlabel("Changed per column with a role, % (IL1_mean): further left is closer to the original")
    panel.set_ylabel("Re-identifications expected,\n% of the people: lower is safer")
    panel.set_ylim(bottom=0)
    panel.set_title("Risk and utility of every treatment; the figures beside the points are its parameter")
    figure.legend(loc="outside right upper", frameon=False)
    everything = len(drawn) <= MOST_LABELS
    labels = [
        (place, _tick(row["param_value"]))
        for row, _, place in drawn
        if row["param_value"] is not None and (everything or row["pareto_front"] or row["mildest_that_meets_k"])
    ]
    _make_room(figure, panel, labels)
    place_labels(figure, panel, labels, [(place, 9 if row["mildest_that_meets_k"] else 4) for row, _, place in drawn])


def _make_room(figure: Any, panel: Any, labels: Sequence[tuple[tuple[float, float], str]]) -> None:
    """Widen the panel to the right until each text, in letters of 8 points, fits into it beside its point."""
    figure.draw_without_rendering()
    width = panel.get_window_extent().width * 72 / figure.dpi
    left, right = panel.get_xlim()
    for (x, _), text in labels:
        room = width - 10 - 0.62 * 8 * len(text)
        right = max(right, left + (x - left) * width / room)
    panel.set_xlim(left, right)


def _draw_point(
    panel: Any, place: tuple[float, float], row: Mapping[str, Any], style: Mapping[str, Any], size: int
) -> None:
    filled = row["pareto_front"]
    panel.scatter(
        *place,
        s=size,
        marker=style["marker"],
        facecolors=style["color"] if filled else "white",
        edgecolors=style["color"],
        linewidths=1.4,
        zorder=4 if filled else 3,
        clip_on=False,
    )
    if row["mildest_that_meets_k"]:
        panel.scatter(*place, s=260, facecolors="none", edgecolors="black", linewidths=1.4, zorder=2)


def _explain(panel: Any, untreated: Mapping[str, Any], has_mildest: bool) -> None:
    """What the map's signs mean: the head of its legend."""
    panel.scatter([], [], s=130, label="untreated", **untreated)
    panel.plot([], [], color=GREY, linewidth=1, linestyle="--", label="Pareto front (filled)")
    panel.scatter([], [], s=48, facecolors="white", edgecolors=GREY, linewidths=1.4, label="beaten by another (hollow)")
    if has_mildest:
        panel.scatter([], [], s=230, facecolors="none", edgecolors="black", label="mildest that meets k")


def _place(row: Mapping[str, Any]) -> tuple[float, float] | None:
    risk = row["avg_linkage_risk_percent"]
    return None if risk is None else (100 * row["IL1_mean"], risk)
