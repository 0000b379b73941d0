"""What a sweep found, as a table, as figures for the JSON summary, and as a section of the text report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from config.model_settings import PilotConfig
from disclosure_control.basics.encoding.columns import number_text
from disclosure_control.basics.settings.settings import are_names
from disclosure_control.basics.telling.words import text_table
from disclosure_control.drawings.files import not_printed
from disclosure_control.steps.sweep.settings import SweepSettings
from disclosure_control.steps.sweep.trial import BASELINE, Sweep
from disclosure_control.treatments.seeds import whose_seed
from disclosure_control.utility import MEASURES

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
MOST_ROWS_IN_REPORT = 40


def summary_table(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """The rows as a table, the published columns first; figures per column only where some point changed the column."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    untouched = {
        name
        for name in names
        if name.split(": ")[0] in MEASURES and ": " in name and all(row.get(name) == 0.0 for row in rows)
    }
    values = [row["param_value"] for row in rows]
    numbers = all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values)
    table = pd.DataFrame({name: [row.get(name) for row in rows] for name in names if name not in untouched})
    table["param_value"] = pd.Series(
        values if numbers else [None if value is None else _text(value) for value in values],
        dtype=float if numbers else "str",
    )
    flags = [name for name in table if table[name].dtype == bool]
    texts = {"method", "param_name", "param_value", *flags}
    figures = {str(name): table[name].astype(float) for name in table if name not in texts}
    table = table.assign(**figures, **{str(name): np.where(table[name], "yes", "no") for name in flags})
    return table[[*FIRST_COLUMNS, *(name for name in table if name not in FIRST_COLUMNS)]]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def summary_figures(found: Sweep, settings: SweepSettings, config: PilotConfig, files: list[str]) -> dict[str, Any]:
    """The sweep as plain numbers for the JSON summary; no record and no value of a person in it.

    Figures of single columns, and all digits of the others, stand in the CSV file alone: from them the value of a
    person whose record was removed can be calculated.
    """
    return {
        "seed": whose_seed(settings.seed),
        "one_generator": settings.one_generator,
        "K": config.K,
        "risk_of": "values as released, without the bins of the config",
        "rows": [_without_digits(row) for row in found.rows],
        "pareto_front": [row_name(found.rows[i]) for i in found.pareto_front],
        "mildest_that_meets_k": _row_name_at(found, found.mildest_that_meets_k),
        "mildest_that_meets_all": _row_name_at(found, found.mildest_that_meets_all),
        "measures": {
            name: {"what": measure.words, "larger_is_worse": measure.larger_is_worse}
            for name, measure in MEASURES.items()
        },
        "files": files,
        "notes": [note] if (note := not_printed(settings.figures)) else [],
    }


def _without_digits(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without its figures per column, those that were measured on values to five significant digits."""
    coarse = {*MEASURES, "regression_r_squared"}
    return {
        name: float(f"{value:.5g}") if name in coarse and value is not None else value
        for name, value in row.items()
        if ": " not in name or name.startswith("percent_")
    }


def _row_name_at(found: Sweep, i: int | None) -> str | None:
    return None if i is None else row_name(found.rows[i])


def row_name(row: Mapping[str, Any]) -> str:
    """A row as a report calls it: ``band AGE, width 10``."""
    if row["method"] == BASELINE:
        return "untreated"
    if row["param_value"] is None:
        return row["method"]
    return f"{row['method']}, {row['param_name']} {shown_value(row['param_value'])}"


def numbered_rows(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Rows with the number by which drawings and tables call them: those of the front, and whichever is the mildest
    that meets k, or all; "" for the others."""
    numbered, n = [], 0
    for row in rows:
        named = row["pareto_front"] or row["mildest_that_meets_k"] or row.get("mildest_that_meets_all", False)
        n += bool(named)
        numbered.append((str(n) if named else "", row))
    return numbered


def shown_value(value: Any, n_letters: int = 40) -> str:
    """A parameter as a report shows it: numbers short, lists and dictionaries cut off where they are long."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    text = ", ".join(value) if are_names(value) else _text(value)
    return text if len(text) <= n_letters else f"{text[: n_letters - 1]}…"


def sweep_report(figures: Mapping[str, Any]) -> str:
    """The section of the text report: a table of all points, the front, the mildest that meets k, the files."""
    rows = figures["rows"]
    kept = [row for row in rows if len(rows) <= MOST_ROWS_IN_REPORT or _stands_out(row)]
    headers = [
        "",
        "Treatment",
        "Unique",
        "k <= 5",
        f"k < {figures['K']}",
        "Re-identified",
        "Removed",
        "IL1_mean",
        "Correlations",
    ]
    body = [
        [
            "*" if row["pareto_front"] else "",
            row_name(row),
            *(_shown(row[name]) for name in ("percent_unique", "percent_k_le_5", "percent_k_risky")),
            "-" if row["expected_reids"] is None else f"{row['expected_reids']:.6g}",
            row["n_records_removed"] or "",
            f"{row['IL1_mean']:.4f}",
            _shown(row["eigenvalue_similarity_percent"], 2),
        ]
        for row in kept
    ]
    lines = ["Sweep: what each treatment would leave of risk, and of use"]
    lines.append(f"  {len(rows) - 1} treatments, each tried on the original. {_words_of_chance(figures)}")
    lines.append("  Risk is of the values as they would be released, without the bins of the config.")
    lines += ["", text_table(headers, body)]
    if len(kept) < len(rows):
        lines.append(f"  {len(rows) - len(kept)} of {len(rows)} rows are left out here; {SUMMARY} holds all.")
    return "\n".join([*lines, *_remarks(figures)]) + "\n"


def _stands_out(row: Mapping[str, Any]) -> bool:
    return (
        row["method"] == BASELINE or row["pareto_front"] or row["mildest_that_meets_k"] or row["mildest_that_meets_all"]
    )


def _shown(percent: float | None, decimals: int = 1) -> str:
    return "-" if percent is None else f"{percent:.{decimals}f}%"


def _words_of_chance(figures: Mapping[str, Any]) -> str:
    seed = f"The seed is {figures['seed']}"
    if figures["one_generator"]:
        return f"{seed}: one generator runs through all of them, in this order."
    return f"{seed}: each starts from it anew."


def _remarks(figures: Mapping[str, Any]) -> list[str]:
    """What the table says, in sentences; what it leaves out, with counts."""
    rows, k = figures["rows"], figures["K"]
    lines = ["  * On the Pareto front: none of the others leaves less risk and is closer to the original as well."]
    for key, words in (("mildest_that_meets_k", f"k = {k}"), ("mildest_that_meets_all", "k, l and t together")):
        found = figures[key]
        if found == "untreated":
            lines.append(f"  The pilot meets {words} as it is.")
        else:
            lines.append(f"  Mildest that meets {words}: {found or 'none of them; go further, or combine treatments'}.")
    if any(row["n_not_evaluated"] for row in rows):
        most = max(row["n_not_evaluated"] for row in rows)
        lines.append(f"  Not evaluated, for lack of a quasi-identifier: up to {most} records (n_not_evaluated).")
    n_unread = max(row["n_values_unread"] for row in rows)
    if n_unread:
        lines.append(f"  Up to {n_unread} released values stand for no known number, such as >90, and count as lost.")
    if any(row["used_chance"] for row in rows):
        lines.append(
            "  Where chance changed values, k and the risk count them as true: they do not see that protection."
        )
    lines.append(
        f"  {SUMMARY} is not to be released beside the data: whoever has both can calculate values of people who were "
        "left out."
    )
    lines += ["", "  Written:", *(f"    {name}" for name in figures["files"])]
    lines += [f"  {note}" for note in figures["notes"]]
    return lines
