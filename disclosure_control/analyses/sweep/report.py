"""The findings of a sweep: as a table, as figures for the JSON summary, and as its section of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.analyses.sweep import OUTLINES
from disclosure_control.analyses.sweep.settings import SweepSettings
from disclosure_control.analyses.sweep.trial import UNTREATED, Sweep, SweepRow, row_name, value_text
from disclosure_control.basics.drawings.figures import not_drawn
from disclosure_control.basics.telling.plain import plain
from disclosure_control.basics.telling.sections import Details, Part, Section, Sentence, Style, Table
from disclosure_control.basics.telling.small_counts import SMALLEST_PRINTED_GROUP, Policy
from disclosure_control.remedy.treatments.seeds import whose_seed

SUMMARY = "risk_utility_summary.csv"
FIRST_COLUMNS = (
    "method",
    "param_name",
    "param_value",
    "percent_unique",
    "percent_k_le_5",
    "avg_linkage_risk_percent",
    "expected_reids",
    "n_keys_evaluated",
    "IL1_numeric",
    "IL1_categorical",
    "IL1_overall",
    "eigenvalue_similarity_percent",
)
MOST_ROWS = 40  # above this, only the rows that stand out


@dataclass(frozen=True)
class SweepTold:
    """The sweep as in the JSON summary; no record in it. ``mildest_that_meets_all``: k, l and t together."""

    seed: str | None
    K: int
    rows: Sequence[SweepRow]
    pareto_front: Sequence[str]
    mildest_that_meets_k: str | None
    mildest_that_meets_all: str | None
    files: Sequence[str]
    notes: Sequence[str]


def summary_table(found: Sequence[SweepRow]) -> pd.DataFrame:
    """The rows as a table, the published columns first."""
    rows = [plain(row) for row in found]
    names = list(dict.fromkeys(name for row in rows for name in row))
    values = [row["param_value"] for row in rows]
    numbers = all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values)
    table = pd.DataFrame({name: [row.get(name) for row in rows] for name in names})
    table["param_value"] = pd.Series(
        values if numbers else [None if value is None else value_text(value) for value in values],
        dtype=float if numbers else "str",
    )
    flags = [name for name in table if table[name].dtype == bool]
    texts = {"method", "param_name", "param_value", *flags}
    figures = {str(name): table[name].astype(float) for name in table if name not in texts}
    table = table.assign(**figures, **{str(name): np.where(table[name], "yes", "no") for name in flags})
    return table[[*FIRST_COLUMNS, *(name for name in table if name not in FIRST_COLUMNS)]]


def told_sweep(
    policy: Policy, found: Sweep, settings: SweepSettings, config: PilotConfig, files: list[str]
) -> SweepTold:
    """The findings of a sweep besides its table, as the reader may see them."""
    rows = [row.told(policy) for row in found.rows]
    return SweepTold(
        seed=whose_seed(settings.seed),
        K=config.K,
        rows=rows,
        pareto_front=[row_name(row) for row in rows if row.pareto_front],
        mildest_that_meets_k=next((row_name(row) for row in rows if row.mildest_that_meets_k), None),
        mildest_that_meets_all=next((row_name(row) for row in rows if row.mildest_that_meets_all), None),
        files=files,
        notes=[note] if (note := not_drawn(settings.figures)) else [],
    )


def sweep_sections(told: SweepTold) -> tuple[Section, ...]:
    """The treatments side by side, the front, the mildest that meets the thresholds, the files."""
    return (OUTLINES[0].section(_parts(told)),)


def _parts(told: SweepTold) -> Iterator[Part]:
    rows, k = told.rows, told.K
    yield Sentence(
        f"{len(rows) - 1} treatments, each tried on the original. The seed is {told.seed}: one generator runs "
        "through all of them, in this order. Risk is of the values as they would be released, without the bins of the "
        "config.",
        Style.DEFINITION,
    )
    kept = [(n, row) for n, row in enumerate(rows) if len(rows) <= MOST_ROWS or row.stands_out or row.is_baseline]
    columns = (
        "Treatment",
        "Unique",
        "k <= 5",
        f"k < {k}",
        "Expected to be found",
        "Re-identified",
        "Smallest k",
        "Removed or suppressed",
        "IL1_mean",
        "Correlations",
    )
    cells = [_cells(number, row) for number, row in kept]
    yield Table("Treatments by risk and change", columns, cells, numbers=range(1, len(columns)))
    if len(kept) < len(rows):
        yield Sentence(
            f"{len(rows) - len(kept)} of {len(rows)} rows are left out here; {SUMMARY} holds all.", Style.SMALL
        )
    yield Sentence("* On the Pareto front: no other treatment leaves less risk and is closer to the original as well.")
    if maps := [name for name in told.files if name.startswith("risk_utility_map")]:
        yield Sentence(f"{maps[0]} shows all treatments by risk and change, with these numbers.")
    for found, words in ((told.mildest_that_meets_k, f"k = {k}"), (told.mildest_that_meets_all, "k, l and t together")):
        if found == UNTREATED:
            yield Sentence(f"The pilot meets {words} without any treatment.")
        else:
            yield Sentence(f"Mildest that meets {words}: {found or 'none of them; go further, or combine treatments'}.")
    yield from _remarks(told)
    yield Details("Files written", told.files)
    for note in told.notes:
        yield Sentence(note, Style.SMALL)


def _cells(number: int, row: SweepRow) -> list[object]:
    return [
        f"{number}. {row_name(row)}{' *' if row.pareto_front else ''}",
        *map(_percent, (row.percent_unique, row.percent_k_le_5, row.by_model["percent_k_risky"])),
        _percent(row.avg_linkage_risk_percent),
        "-" if row.expected_reids is None else f"{row.expected_reids:.6g}",
        "-" if row.smallest_k is None else f"{row.smallest_k:g}",
        _percent(row.percent_records_touched),
        f"{row.loss:.4f}",
        _percent(row.utility["eigenvalue_similarity_percent"], 2),
    ]


def _percent(percent: float | None, decimals: int = 1) -> str:
    return "-" if percent is None else f"{percent:.{decimals}f}%"


def _remarks(told: SweepTold) -> Iterator[Sentence]:
    """What the table leaves out, with counts; and what must not be handed on."""
    rows = told.rows
    if any(row.n_not_evaluated for row in rows):
        most = max(row.n_not_evaluated for row in rows)
        yield Sentence(f"Not evaluated, for lack of a quasi-identifier: up to {most} records (n_not_evaluated).")
    unread = [row.n_values_unread for row in rows if row.n_values_unread != 0]
    if unread:
        n_most = max((n for n in unread if n is not None), default=None)
        up_to = f"Fewer than {SMALLEST_PRINTED_GROUP}" if n_most is None else f"Up to {n_most:,}"
        yield Sentence(f"{up_to} released values stand for no known number, such as >90, and count as lost.")
    if any(row.used_chance for row in rows):
        yield Sentence(
            "Where chance changed values, k and the risk count them as true: they do not see that protection."
        )
    yield Sentence(
        f"Do not release {SUMMARY} beside the data: a recipient of both can calculate values of people who were left "
        "out."
    )
