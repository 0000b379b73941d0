"""Drops direct identifiers and free text, by the names of columns and by their values, each with its reason.

``disclosure_control.identifiers`` knows both. Columns with a role in the config and dates that ``shift_dates`` knows
are left to other treatments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from config.model_settings import PilotConfig
from disclosure_control.basics.settings.fields import SettingsGroup, setting
from disclosure_control.basics.settings.kinds import COLUMNS
from disclosure_control.identifiers.column_findings import ColumnFinding
from disclosure_control.identifiers.named_columns import identifier_columns
from disclosure_control.remedy.treatments.methods.shift_dates import date_columns
from disclosure_control.remedy.treatments.registry import Treatment

MOVED = ("death_date", "event_date")  # dates for shift_dates


def dropped_by_scan(findings: Sequence[ColumnFinding], config: PilotConfig, keep: Sequence[str] = ()) -> dict[str, str]:
    """Column -> reason, for columns to drop because their values name a person or are known to outsiders.

    Columns with a role in the config are kept, and so are harmless ones, those to ``keep``, and dates of death and
    admission that ``shift_dates`` recognises by their names.
    """
    harmless = config.literal.get("identifiers")
    declared = harmless.get("harmless", {}) if isinstance(harmless, dict) else {}
    stay = {*config.quasi_identifiers, *config.sensitive_features, *keep, *declared}
    return {
        finding.name: f"its values are {finding.words}"
        for finding in findings
        if finding.vetoes and finding.name not in stay and not (finding.kind in MOVED and date_columns([finding.name]))
    }


@dataclass(frozen=True)
class DropIdentifiersSettings(SettingsGroup):
    """The columns that stay, whatever their names and values."""

    keep: tuple[str, ...] = setting(COLUMNS, "columns that stay", ())


def _found(
    settings: DropIdentifiersSettings,
    columns: Sequence[str],
    config: PilotConfig,
    scanned: Callable[[Sequence[str]], Iterable[ColumnFinding]],
) -> tuple[dict[str, str], list[str]]:
    """Column -> reason for dropping it, and sentences; ``scanned`` gives the findings in columns."""
    found = {name: why for name, why in identifier_columns(columns).items() if name not in settings.keep}
    findings = list(scanned([name for name in columns if name not in found]))
    found |= dropped_by_scan(findings, config, settings.keep)
    notes = [f"The column {name} is dropped: {why}." for name, why in found.items()]
    if not found:
        notes.append("No column has the name or the values of a direct identifier or of free text.")
    dates = [name for name in date_columns(columns) if name not in found]
    if dates:
        notes.append(f"These dates are kept (see shift_dates and coarsen_dates): {', '.join(dates)}.")
    return found, notes


def _dropped(settings: DropIdentifiersSettings, columns: Sequence[str]) -> list[str]:
    return [name for name in identifier_columns(columns) if name not in settings.keep]


TREATMENTS = {
    "drop_identifiers": Treatment(
        None,
        DropIdentifiersSettings,
        100,
        (
            "drops direct identifiers and free text, found by the names of their columns (the table of operations, the "
            "words of headings) and by their values (see [identifiers](identifiers.md)); carried ones such as "
            "`LB__Cholesterol.LBNAM` too; each with its reason"
        ),
        drops=_dropped,
        drops_by_values=_found,
    ),
}
