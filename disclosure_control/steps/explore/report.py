"""The section of ``explore`` in the report and in the JSON summary: columns and counts, and no value of anybody."""

from __future__ import annotations

from collections.abc import Sequence

from disclosure_control.basics.small_counts import SMALLEST_PRINTED_GROUP
from disclosure_control.basics.words import share_text, text_table
from disclosure_control.steps.explore.exploration import Exploration

MOST_SHOWN = 10


def exploration_figures(found: Exploration) -> dict:
    """For the JSON summary: counts of columns, and correlations of ten people or more; no value of anybody."""
    return {
        "columns": {
            column.name: {
                "role": column.role,
                "kind": column.kind,
                "unit": column.unit,
                "with_value": column.n_with_value,
                "missing": column.n_missing,
                "distinct": column.n_distinct,
                "constant": column.is_constant,
                "one_person_per_value": column.names_people,
                "outliers": column.statistics.n_below + column.statistics.n_above if column.statistics else None,
            }
            for column in found.columns
        },
        "spearman": [
            {"columns": [one.one, one.other], "rho": one.rho, "people": one.n_people}
            for one in found.correlations
            if one.n_people >= SMALLEST_PRINTED_GROUP
        ],
        "notes": found.notes,
    }


def exploration_report(found: Exploration, files: Sequence[str]) -> str:
    """The section as text; ``files`` are the tables and figures that were written."""
    shown = [column for column in found.columns if column.role != "other"]
    rows = [
        [
            column.name,
            column.role,
            column.kind,
            column.unit or "-",
            f"{column.n_missing} ({share_text(column.n_missing / max(column.n_records, 1))})",
            column.n_distinct,
            column.statistics.n_below + column.statistics.n_above if column.statistics else "-",
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
    strongest = sorted(
        (
            (one.rho, one)
            for one in found.correlations
            if one.rho is not None and one.n_people >= SMALLEST_PRINTED_GROUP
        ),
        key=lambda entry: -abs(entry[0]),
    )[:3]
    if strongest:
        words = "; ".join(f"{one.one} and {one.other} {rho:.2f} (n = {one.n_people})" for rho, one in strongest)
        lines.append(f"  Strongest rank correlations (Spearman): {words}.")
    lines += [f"  {note}" for note in found.notes]
    lines += ["  Files, with values of people in them:", *(f"    {name}" for name in files)]
    return "\n".join(lines) + "\n"


def _named(words: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return [f"  {words}: {', '.join(names[:MOST_SHOWN])}{more}."]
