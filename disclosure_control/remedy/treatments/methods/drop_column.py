"""Dropping columns: the plainest treatment, and often the right one."""

from __future__ import annotations

from dataclasses import dataclass

from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS
from disclosure_control.remedy.treatments.registry import (
    Reading,
    Treatment,
)


@dataclass(frozen=True)
class DropColumnSettings(SettingsGroup):
    """Which columns are dropped."""

    columns: tuple[str, ...] = setting(COLUMNS, "which are dropped")


TREATMENTS = {
    "drop_column": Treatment(
        None,
        DropColumnSettings,
        40,
        "the columns go",
        Reading.AS_LABEL,
        drops=lambda settings, columns: settings.columns,
    ),
}
