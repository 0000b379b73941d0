"""The section of ``explore`` in the report and in the JSON summary: columns and counts, and no value of anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from disclosure_control.basics.telling.small_counts import HAND_TO_HAND, MASKED, count_text, missing_told
from disclosure_control.basics.telling.words import share_text, text_table
from disclosure_control.steps.explore.columns import ExploredColumn
from disclosure_control.steps.explore.exploration import Exploration

MOST_SHOWN = 10


def exploration_figures(found: Exploration, missing: Mapping[str, int | None]) -> dict:
    """For the JSON summary: counts of columns, and correlations of ten people or more; no value of anybody.

    ``missing``, by column, is what may be told of who lacks a value; None where it is masked.
    """
    return {
        "columns": {column.name: _figures_of(column, missing[column.name]) for column in found.columns},
        "spearman": [
            {"columns": [one.one, one.other], "rho": one.rho, "people": one.n_people}
            for one in found.correlations
            if one.n_people >= HAND_TO_HAND.threshold
        ],
        "notes": found.notes,
    }


def _figures_of(column: ExploredColumn, missing: int | None) -> dict:
    with_value = None if missing is None else column.n_records - missing
    return {
        "role": column.role,
        "kind": column.kind,
        "unit": column.unit,
        "with_value": with_value,
        "missing": missing,
        # Where no two people share a value, there are as many values as people who have one.
        "distinct": with_value if column.names_people else column.n_distinct,
        "constant": column.is_constant,
        "one_person_per_value": column.names_people,
        "outliers": _outliers(column),
    }


def _outliers(column: ExploredColumn) -> int | None:
    """People outside the fences as it may be told; None where it is masked, and where there are no fences."""
    statistics = column.statistics
    return HAND_TO_HAND.told(statistics.n_below + statistics.n_above, column.n_records) if statistics else None


def told_missing(found: Exploration, assessed: Mapping[str, int | None]) -> dict[str, int | None]:
    """Who lacks a value, by column, as it may be told; ``assessed`` says it of the columns that have a role."""
    return {column.name: assessed.get(column.name, missing_told(column.encoded)) for column in found.columns}


def exploration_report(found: Exploration, missing: Mapping[str, int | None], files: Sequence[str]) -> str:
    """The section as text; ``files`` are the tables and figures that were written, ``missing`` as in the figures."""
    shown = [column for column in found.columns if column.role != "other"]
    rows = [
        [
            column.name,
            column.role,
            column.kind,
            column.unit or "-",
            _missing_text(missing[column.name], column.n_records),
            count_text(_figures_of(column, missing[column.name])["distinct"]),
            count_text(_outliers(column)) if column.statistics else "-",
        ]
        for column in shown
    ]
    headers = ["Column", "Role", "Kind", "Unit", "Missing", "Distinct", "Outliers"]
    lines = ["What is in the pilot", text_table(headers, rows)]
    others = len(found.columns) - len(shown)
    if others:
        lines.append(f"  {others} other column{'' if others == 1 else 's'}: see explore_columns.csv.")
    lines += _named("Constant, so they tell nothing", [one.name for one in found.columns if one.is_constant])
    flags = [one.name for one in found.columns if one.n_distinct == 1 and one.n_missing]
    lines += _named("One value or missing, which may tell as much as two values", flags)
    lines += _named("Without a single value", [one.name for one in found.columns if one.kind == "empty"])
    lines += _named(
        "No two people share a value, as good as a name", [one.name for one in found.columns if one.names_people]
    )
    strongest = found.told_correlations[:3]
    if strongest:
        words = "; ".join(f"{one.one} and {one.other} {rho:.2f} (n = {one.n_people})" for rho, one in strongest)
        lines.append(f"  Strongest rank correlations (Spearman): {words}.")
    lines += [f"  {note}" for note in found.notes]
    lines += ["  Files, with values of people in them:", *(f"    {name}" for name in files)]
    return "\n".join(lines) + "\n"


def _missing_text(missing: int | None, n_records: int) -> str:
    return MASKED if missing is None else f"{missing} ({share_text(missing / max(n_records, 1))})"


def _named(words: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return [f"  {words}: {', '.join(names[:MOST_SHOWN])}{more}."]
