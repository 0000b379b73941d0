"""Dropping columns: the plainest treatment, and often the right one."""

from __future__ import annotations

from disclosure_control.basics.settings.settings import COLUMNS
from disclosure_control.treatments.registry import (
    Example,
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    names_in,
    register,
)


def drop_columns(given: TreatmentInput, columns: list[str]) -> Treated:
    """The frame without these columns; a quasi-identifier or sensitive feature among them loses its role, aloud."""
    changed = {name: int(given.frame[name].notna().sum()) for name in columns}
    return Treated(given.frame.drop(columns=list(columns)), changed)


register(
    "drop_column",
    Treatment(
        drop_columns,
        {"columns": COLUMNS},
        words="the columns go",
        example=Example({"columns": ["SC__STATE", "DM__ZIP"]}, ("SC__STATE", "DM__ZIP")),
        place=40,
        required=("columns",),
        promises=("rows", "columns"),
        drops=lambda settings, columns: names_in(settings["columns"]),
        reading=Reading.AS_LABEL,
    ),
)
