"""The drawings of a sweep: risk by parameter, utility by parameter, and the map of risk and utility.

They are made from the rows of the summary, so the page of the run shows the same map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from disclosure_control.analyses.sweep.row_names import UNTREATED, numbered_rows, row_name, shown_value
from disclosure_control.analyses.sweep.trial import SweepRow
from disclosure_control.basics.drawings import planes
from disclosure_control.basics.drawings.files import DEFAULT_FORMATS, Panel, figure_files
from disclosure_control.basics.drawings.pieces import Drawing, shortened

MOST_PANELS = 24  # further methods are in the table only
MAP = "Treatments by risk and by how much they changed"

Percent = Callable[[SweepRow], float | None]

# The names in the drawings. All in percent, and in both lower is better.
RISKS: Mapping[str, Percent] = {
    "alone in their class": lambda row: row.percent_unique,
    "in classes of 5 or fewer": lambda row: row.percent_k_le_5,
    "expected to be found": lambda row: row.avg_linkage_risk_percent,
}
LOSSES: Mapping[str, Percent] = {
    "numbers moved (IL1)": lambda row: 100 * (row.utility["IL1_numeric"] or 0.0),
    "categories changed (IL1)": lambda row: 100 * (row.utility["IL1_categorical"] or 0.0),
    "correlations lost (eigenvalues)": lambda row: _eigenvalue_loss(row.utility["eigenvalue_similarity_percent"]),
    "records removed": lambda row: row.percent_records_removed,
}


def _eigenvalue_loss(similarity: float | None) -> float | None:
    return None if similarity is None else max(0.0, 100 - similarity)


def sweep_figures(rows: Sequence[SweepRow], formats: Sequence[str] = DEFAULT_FORMATS) -> dict[str, bytes]:
    """The three drawings, by file name, in each of the ``formats``. ``rows`` are the summary's, untreated first.

    The first ``MOST_PANELS`` methods have a panel by parameter; the map shows all.
    """
    untreated, series = rows[0], dict[str, list[SweepRow]]()
    for row in rows[1:]:
        series.setdefault(row.method, []).append(row)
    shown = dict(list(series.items())[:MOST_PANELS])
    left_out = "" if len(shown) == len(series) else f" (first {len(shown)} of {len(series)} methods)"
    losses = {label: of for label, of in LOSSES.items() if any(of(row) for found in shown.values() for row in found)}
    risk = [_panel(name, untreated, found, RISKS, "% of the people: lower is safer") for name, found in shown.items()]
    utility = [
        _panel(name, untreated, found, losses or LOSSES, "% lost: lower is closer to the original")
        for name, found in shown.items()
    ]
    drawn = risk_utility_map(rows)
    return {
        **figure_files("sweep_risk", f"Risk by parameter{left_out}", risk, formats),
        **figure_files("sweep_utility", f"What was lost by parameter{left_out}", utility, formats),
        **figure_files("risk_utility_map", MAP, [Panel(drawn, map_note(rows))] if drawn else [], formats),
    }


def _panel(
    name: str,
    untreated: SweepRow,
    rows: Sequence[SweepRow],
    measures: Mapping[str, Percent],
    y_title: str,
) -> Panel:
    """The measures of one method over its parameter, from the untreated pilot on."""
    tried = [untreated, *rows]
    lines = [
        planes.Line(
            label,
            tuple(
                (i / (len(tried) - 1), percent / 100) for i, percent in enumerate(map(of, tried)) if percent is not None
            ),
        )
        for label, of in measures.items()
    ]
    ticks = [_tick(row) for row in tried]
    described = "; ".join(
        f"{tick}: "
        + ", ".join(f"{label} {percent:.3g}%" for label, of in measures.items() if (percent := of(row)) is not None)
        for tick, row in zip(ticks, tried, strict=True)
    )
    x_title = shortened(rows[0].param_name, 40)
    return Panel(planes.lettered_lines(name, described, lines, ticks, x_title, y_title))


def _tick(row: SweepRow) -> str:
    if row.is_baseline:
        return UNTREATED
    return "treated" if row.param_value is None else shown_value(row.param_value, planes.MOST_ON_AXIS)


# ---------------------------------------------------------------- the map


def risk_utility_map(rows: Sequence[SweepRow]) -> Drawing | None:
    """Every row by its loss and its remaining risk: the front numbered, the mildest that meets k in a ring.

    The numbers are those of ``numbered_rows``. None where nothing could be evaluated.
    """
    points, described = [], []
    for mark, row in numbered_rows(rows):
        risk = row.avg_linkage_risk_percent
        if risk is None:
            continue
        words = f"{row_name(row)}: {risk:.3g}% expected to be found, changed {row.loss:.3g}"
        points.append(planes.Point(row.loss, risk / 100, words, mark, row.mildest_that_meets_k))
        if mark:
            described.append(f"{mark}: {words}" + (", mildest that meets k" if row.mildest_that_meets_k else ""))
    if not points:
        return None
    return planes.scatter_chart(
        MAP, "; ".join(described), points, "changed (IL1, mean of the columns)", "people expected to be found"
    )


def map_note(rows: Sequence[SweepRow]) -> str:
    """The meaning of the map's symbols, and the names of its numbers."""
    named = [(mark, row) for mark, row in numbered_rows(rows) if mark and row.avg_linkage_risk_percent is not None]
    beaten = [mark for mark, row in named if not row.pareto_front]
    ringed = next((mark for mark, row in named if row.mildest_that_meets_k), "")
    words = [
        "Each point is a treatment: to the right it changed more, above it leaves more people to be found. "
        "Diamonds with numbers: the Pareto front, beaten by none in both."
    ]
    if ringed:
        off = ", which is off the front but meets k" if ringed in beaten else ""
        words.append(f"In the ring: {ringed}, the mildest that meets k{off}.")
    return "\n".join([" ".join(words), *(f"{mark}: {row_name(row)}" for mark, row in named)])
