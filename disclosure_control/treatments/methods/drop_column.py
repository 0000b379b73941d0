"""Dropping columns: the plainest treatment, and often the right one."""

from __future__ import annotations

from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS
from disclosure_control.treatments.registry import (
    Example,
    Reading,
    Treated,
    Treatment,
    TreatmentInput,
    register,
)


@dataclass(frozen=True)
class DropColumnSettings(SettingsGroup):
    """Which columns are dropped."""

    columns: tuple[str, ...] = setting(COLUMNS, "which are dropped")


def drop_columns(given: TreatmentInput, settings: DropColumnSettings) -> Treated:
    """The frame without these columns; a quasi-identifier or sensitive feature loses its role, with a note."""
    changed = {name: int(given.frame[name].notna().sum()) for name in settings.columns}
    return Treated(given.frame.drop(columns=list(settings.columns)), changed)


register(
    "drop_column",
    Treatment(
        drop_columns,
        DropColumnSettings,
        words="the columns go",
        example=Example({"columns": ["SC__STATE", "DM__ZIP"]}, ("SC__STATE", "DM__ZIP")),
        place=40,
        promises=("rows", "columns"),
        drops=lambda settings, columns: settings.columns,
        reading=Reading.AS_LABEL,
    ),
)
